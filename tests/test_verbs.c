/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capturing with a raw-packet queue pair of the simulated device, which is linked in before libibverbs. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rdmatap/device.h>
#include <rdmatap/live.h>
#include <rdmatap/writer.h>

#include "tests/flow_kit.h"
#include "tests/verbs_sim/verbs_sim.h"

#define MOST_FRAMES 20000

static void simulate(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void simulate(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	setenv(VERBS_SIM_VARIABLE, text, 1);
	verbs_sim_reset();
}

/* What a capture gave. */
struct run {
	enum rtap_status opened, ended; /* ended: of the last read */
	struct rtap_error error;        /* of either, if it failed */
	char told[4096];                /* all that was told on the way */
	struct rtap_batch **batches;
	size_t batch_count;
	const struct rtap_frame **frames;
	size_t count;
	struct rtap_interface interface;
	char description[256];
	char notes[4096];
};

/* Captures until there are `wanted` frames, or nothing has come for `patience` reads of 50 ms. */
static void read_all(struct run *run, struct rtap_source *source, size_t wanted, int patience)
{
	bool stopped = false;

	for (;;) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(source, &batch, &error);

		if (status == RTAP_STATUS_BROKEN) {
			strncat(run->told, error.text, sizeof run->told - strlen(run->told) - 2);
			strcat(run->told, "\n");
			continue;
		}
		if (status) {
			run->ended = status;
			run->error = error;
			return;
		}
		patience -= !batch->count;
		for (size_t i = 0; i < batch->count && run->count < MOST_FRAMES; i++)
			run->frames[run->count++] = &batch->frames[i];
		run->batches[run->batch_count++] = batch;
		if (!stopped && (run->count >= wanted || !patience)) {
			rtap_source_stop(source);
			stopped = true;
		}
	}
}

/* The same, with all that can be asked for; patience is in reads of options->wake_ms. */
static void capture_by(struct run *run, const char *name, const struct rtap_live_options *options, size_t wanted, int patience)
{
	struct rtap_source *source;

	memset(run, 0, sizeof *run);
	run->frames = calloc(MOST_FRAMES, sizeof run->frames[0]);
	run->batches = calloc(MOST_FRAMES, sizeof run->batches[0]);
	run->opened = rtap_source_open_live(&source, name, options, &run->error);
	if (run->opened)
		return;
	read_all(run, source, wanted, patience);
	run->interface = *rtap_source_interface(source, 0);
	snprintf(run->description, sizeof run->description, "%s", run->interface.description);
	for (size_t i = 0; i < rtap_source_note_count(source); i++) {
		strncat(run->notes, rtap_source_note(source, i), sizeof run->notes - strlen(run->notes) - 2);
		strcat(run->notes, "\n");
	}
	rtap_source_close(source);
}

static void capture(struct run *run, const char *name, const struct rtap_verbs_options *verbs, uint32_t snap_length, size_t wanted)
{
	struct rtap_live_options options = { .wake_ms = 50, .snap_length = snap_length };

	if (verbs)
		options.verbs = *verbs;
	capture_by(run, name, &options, wanted, 10);
}

#if defined(__SANITIZE_ADDRESS__)
int __lsan_do_recoverable_leak_check(void);
#else
static int __lsan_do_recoverable_leak_check(void)
{
	return 0;
}
#endif

/* What was captured stays readable until now, though the source is closed; and nothing is left of the device. */
static void run_free(struct run *run)
{
	for (size_t i = 0; i < run->batch_count; i++)
		rtap_batch_release(run->batches[i]);
	free(run->batches);
	free(run->frames);
	cr_assert_eq(verbs_sim_objects(), 0);
	cr_assert_eq(verbs_sim_violations(), 0);
	cr_assert_eq(__lsan_do_recoverable_leak_check(), 0);
}

/* The file that the device is fed with; each test is a process of its own. */
static char fed_name[64];

static void name_feed(void)
{
	snprintf(fed_name, sizeof fed_name, "test_verbs_fed.%ld.pcap", (long)getpid());
}

/* A capture of testdata as a plain pcap file for the device, and as the reader of files has it. */
static struct rtap_batch *make_feed(size_t *count)
{
	const char *name = TESTDATA "/roce-nfs3.pcap.gz";
	struct rtap_source *source;
	struct rtap_writer *writer;
	struct rtap_batch *batch;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_writer_open(&writer, fed_name, RTAP_LINK_ETHERNET, false, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < batch->count; i++)
		cr_assert_eq(rtap_writer_write(writer, &batch->frames[i], &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
	rtap_source_close(source);
	*count = batch->count;
	return batch;
}

static void expect_equal(const struct run *run, size_t index, const struct rtap_frame *fed, const char *what)
{
	const struct rtap_frame *frame = run->frames[index];

	cr_assert_eq(frame->wire_length, fed->captured_length, "%s: frame %zu", what, index);
	cr_assert_eq(frame->captured_length, fed->captured_length, "%s: frame %zu", what, index);
	cr_assert(!memcmp(frame->bytes, fed->bytes, fed->captured_length), "%s: frame %zu", what, index);
}

Test(verbs, frames_of_a_capture_arrive_byte_equal)
{
	static const struct {
		const char *device, *tuning;
		bool has_feeds_times;
	} cases[] = {
		{ "stamp=wall", NULL, true },
		{ "stamp=raw", NULL, false },
		{ "stamp=none", NULL, false },
		{ "stamp=raw,no=clock", NULL, false },
		{ "no=cq_ex", NULL, false },
		{ "no=device_ex", NULL, true },
		{ "stamp=wall", "poll=busy", true },
		{ "no=cq_ex", "poll=busy", false },
		{ "stamp=wall", "cq=plain", false },
		{ "stamp=wall", "stamps=host", false },
		{ "stamp=wall", "depth=64,block=16", true },
		{ "stamp=wall", "depth=100,block=100,cqe=200,vector=3", true },
		{ "no=cq_ex", "depth=64,block=16", false },
		{ "wr=512,cqe=512,sge=1", NULL, true },
		{ "rate=200", "pages=huge,ms=1", true },
		{ "stamp=wall", "events=solicited", true },
		{ "stamp=wall", "queues=2", true },
	};
	struct rtap_batch *fed;
	size_t count;

	fed = make_feed(&count);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .tuning = cases[i].tuning };
		struct timespec begin, end;
		struct run run;

		simulate("feed=file:%s,%s", fed_name, cases[i].device);
		clock_gettime(CLOCK_REALTIME, &begin);
		capture(&run, "verbs:sim0", &options, 0, count);
		clock_gettime(CLOCK_REALTIME, &end);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s: %s", cases[i].device, run.error.text);
		cr_assert_eq(run.ended, RTAP_STATUS_END, "%s: %s", cases[i].device, run.error.text);
		cr_assert_eq(run.count, count, "%s: %zu of %zu", cases[i].device, run.count, count);
		for (size_t n = 0; n < count; n++) {
			int64_t time_ns = run.frames[n]->time_ns;

			expect_equal(&run, n, &fed->frames[n], cases[i].device);
			if (cases[i].has_feeds_times)
				cr_assert_eq(time_ns, fed->frames[n].time_ns, "%s: frame %zu", cases[i].device, n);
			else
				cr_assert(time_ns >= begin.tv_sec * 1000000000L + begin.tv_nsec - 1000000 &&
					  time_ns <= end.tv_sec * 1000000000L + end.tv_nsec + 1000000, "%s: frame %zu", cases[i].device, n);
		}
		cr_assert_str_empty(run.told);
		cr_assert(run.interface.has_received);
		cr_assert_eq(run.interface.received, count);
		cr_assert(run.interface.dropped_by_system.known);
		cr_assert_eq(run.interface.dropped_by_system.value, 0);
		cr_assert_not(run.interface.has_dropped, "%s: what the device does not count is unknown, not 0", cases[i].device);
		run_free(&run);
	}
	rtap_batch_release(fed);
	unlink(fed_name);
}

Test(verbs, a_snap_length_keeps_true_lengths)
{
	static const char *const devices[] = { "sge=4", "sge=1", "no=cq_ex" };
	struct rtap_batch *fed;
	size_t count;

	fed = make_feed(&count);
	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		struct run run;

		simulate("feed=file:%s,%s", fed_name, devices[i]);
		capture(&run, "verbs:sim0/1", NULL, 100, count);
		cr_assert_eq(run.count, count);
		for (size_t n = 0; n < count; n++) {
			uint32_t length = fed->frames[n].captured_length, kept = length < 100 ? length : 100;

			cr_assert_eq(run.frames[n]->wire_length, length);
			cr_assert_eq(run.frames[n]->captured_length, kept);
			cr_assert(!memcmp(run.frames[n]->bytes, fed->frames[n].bytes, kept));
		}
		run_free(&run);
	}
	rtap_batch_release(fed);
	unlink(fed_name);
}

/* The number that the generator put at the frame's end. */
static uint64_t number_of(const struct rtap_frame *frame)
{
	uint64_t number;

	memcpy(&number, frame->bytes + frame->captured_length - sizeof number, sizeof number);
	return number;
}

Test(verbs, what_stands_in_the_way_of_opening_is_said_with_what_to_do)
{
	static const char *const normal[] = { "ipv4 src=10.0.0.1 udp dst=4791" }, *const bad[] = { "ipv5 src=1" };
	static const struct {
		const char *device, *name;
		struct rtap_verbs_options options;
		const char *said[3];
	} cases[] = {
		{ "devices=0", "verbs:sim0", { .force = false }, { "no RDMA device", "driver" } },
		{ "devices=2", "verbs:mlx5_0", { .force = false }, { "verbs:mlx5_0", "sim0, sim1" } },
		{ "devices=2", "verbs:sim1/x", { .force = false }, { "port is not a number" } },
		{ "devices=2", "verbs:sim1/0", { .force = false }, { "port is not a number" } },
		{ "ports=1", "verbs:sim0/2", { .force = false }, { "no such port" } },
		{ "link=infiniband", "verbs:sim0", { .force = true }, { "Ethernet only", "umad:sim0/1" } },
		{ "state=down", "verbs:sim0", { .force = false }, { "not active but down", "--force" } },
		{ "no=sniffer", "verbs:sim0", { .force = false }, { "sniffer", "pcap:IFACE" } },
		{ "no=flow", "verbs:sim0", { .force = false }, { "flow steering" } },
		{ "fail=open_device@1:13", "verbs:sim0", { .force = false }, { "/dev/infiniband/uverbs", "root" } },
		{ "fail=get_device_list@1:38", "verbs:sim0", { .force = false }, { "cannot be listed", "ib_uverbs" } },
		{ "fail=reg_mr@1:12", "verbs:sim0", { .force = false }, { "receive buffers", "ulimit -l" } },
		{ "fail=create_qp@1:1", "verbs:sim0", { .force = false }, { "queue pair", "CAP_NET_RAW", "setcap" } },
		{ "fail=create_flow@1:16", "verbs:sim0", { .flow_type = RTAP_FLOW_NORMAL, .flow_rules = normal, .flow_rule_count = 1 },
		  { "\"ipv4 src=10.0.0.1 udp dst=4791\"", "in use", "--flow-priority" } },
		{ "no=dont_trap", "verbs:sim0",
		  { .flow_type = RTAP_FLOW_NORMAL, .flow_rules = normal, .flow_rule_count = 1, .flow_dont_trap = true }, { "don't-trap" } },
		{ "devices=1", "verbs:sim0", { .flow_type = RTAP_FLOW_NORMAL }, { "--flow RULE" } },
		{ "devices=1", "verbs:sim0", { .flow_type = RTAP_FLOW_NORMAL, .flow_offload = true }, { "--flow RULE" } },
		{ "devices=1", "verbs:sim0", { .flow_rules = bad, .flow_rule_count = 1 }, { "\"ipv5 src=1\"", "ipv5" } },
		{ "devices=1", "verbs:sim0", { .tuning = "depth=3" }, { "depth=3", "64" } },
		{ "devices=1", "verbs:sim0", { .tuning = "deep=3" }, { "deep", "depth" } },
		{ "devices=1", "verbs:sim0", { .tuning = "poll=often" }, { "poll=often", "busy" } },
		{ "wr=100", "verbs:sim0", { .tuning = "depth=4096" }, { "4096", "up to 100" } },
		{ "devices=1", "verbs:sim0", { .tuning = "depth=4096,cqe=100" }, { "100 entries", "4096" } },
		{ "no=rss", "verbs:sim0", { .tuning = "queues=4" }, { "cannot spread packets", "leave out", "queues=N" } },
		{ "rss=2", "verbs:sim0", { .tuning = "queues=4" }, { "up to 2 queues" } },
		{ "devices=1", "verbs:sim0", { .tuning = "queues=3" }, { "queues=3", "no power of two", "16" } },
		{ "devices=1", "verbs:sim0", { .tuning = "queues=32" }, { "queues=32", "16" } },
		{ "no=device_ex", "verbs:sim0", { .tuning = "queues=2" }, { "cannot spread packets" } },
		{ "devices=1", "verbs:sim0", { .tuning = "vector=77" }, { "completion queue", "vector" } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct run run;

		simulate("%s", cases[i].device);
		capture(&run, cases[i].name, &cases[i].options, 0, 1);
		cr_assert_eq(run.opened, RTAP_STATUS_FAILED, "%s", cases[i].device);
		for (size_t n = 0; n < 3 && cases[i].said[n]; n++)
			cr_assert(strstr(run.error.text, cases[i].said[n]), "%s: %s", cases[i].device, run.error.text);
		run_free(&run);
	}
}

Test(verbs, a_port_that_is_down_can_be_forced)
{
	struct rtap_verbs_options options = { .force = true };
	struct run run;

	simulate("state=down,feed=gen:10:64");
	capture(&run, "verbs:sim0", &options, 0, 10);
	cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s", run.error.text);
	cr_assert_eq(run.count, 10);
	run_free(&run);
}

/* Every call fails once: it is said at once, or told on the way, or there is another way and nothing is lost. */
static void expect_honest(const struct run *run, size_t wanted, const char *what)
{
	const char *call = verbs_sim_failed_call();
	/* of several queues, all must be alike */
	bool fallback = (!strcmp(call, "create_cq_ex") && !strstr(what, "flows")) || !strcmp(call, "query_rt_values");

	if (run->opened || run->ended == RTAP_STATUS_FAILED) {
		cr_assert_not(fallback, "%s: %s: %s", what, call, run->error.text);
		cr_assert(strstr(run->error.text, "verbs:sim0"), "%s: %s: %s", what, call, run->error.text);
		cr_assert(strstr(run->error.text, strerror(EIO)), "%s: %s: %s", what, call, run->error.text);
		return;
	}
	cr_assert_eq(run->count, wanted, "%s: %s", what, call);
	/* several queues are made anew as a whole, when nobody asks how the broken ones ended */
	if (!strcmp(call, "destroy_flow") && !strstr(what, "flows=4,error"))
		cr_assert(strstr(run->told, strerror(EIO)), "%s: %s", what, run->told);
}

Test(verbs, every_call_that_fails_is_told_and_leaks_nothing)
{
	static const char *const devices[] = { "stamp=wall", "stamp=raw", "no=cq_ex", "error=20,no=cq_ex", "error=20,stamp=wall",
					       "flows=4", "flows=4,error=20" };

	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		size_t wanted = strstr(devices[i], "error") ? 39 : 40;
		unsigned n = 0;

		do {
			bool spreads = strstr(devices[i], "flows");
			struct rtap_verbs_options options = { .tuning = spreads ? "depth=64,block=16,queues=2" : "depth=64,block=16" };
			struct run run;

			simulate("feed=gen:40:64,fail=any@%u,%s", ++n, devices[i]);
			capture(&run, "verbs:sim0", &options, 0, wanted);
			expect_honest(&run, wanted, devices[i]);
			cr_assert_lt(n, 200, "%s", devices[i]);
			run_free(&run);
		} while (verbs_sim_failed_call()[0]);
		cr_assert_gt(n, 20, "%s: %u calls", devices[i], n);
	}
}

Test(verbs, a_queue_that_cannot_be_polled_ends_the_capture)
{
	static const char *const devices[] = { "fail=start_poll@1", "fail=start_poll@3", "no=cq_ex,fail=poll_cq@1", "no=cq_ex,fail=poll_cq@3" };

	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		struct run run;

		simulate("feed=gen:40:64,%s", devices[i]);
		capture(&run, "verbs:sim0", NULL, 0, 40);
		cr_assert_eq(run.ended, RTAP_STATUS_FAILED, "%s", devices[i]);
		cr_assert(strstr(run.error.text, "cannot be polled"), "%s: %s", devices[i], run.error.text);
		run_free(&run);
	}
}

Test(verbs, failed_receives_are_counted_and_the_queue_is_brought_back)
{
	static const struct {
		const char *device;
		size_t failed;
		const char *said;
	} cases[] = {
		{ "error=100", 1, "local protection error" },
		{ "error=100,no=cq_ex", 1, "local protection error" },
		{ "error=1", 1, "local protection error" },
		{ "errors=7", 71, "local protection error" },
		{ "errors=2,no=cq_ex", 250, "local protection error" },
		{ "soft_error=100", 1, "local protection error" },
		{ "soft_error=100,no=cq_ex", 1, "local protection error" },
		{ "error=100,fail=modify_qp@3", 1, "local protection error" }, /* then all is made anew */
		{ "event=qp_fatal@100", 0, "" },
		{ "event=qp_fatal@1,no=cq_ex", 0, "" },
		{ "event=cq_error@100", 0, "overran" },
		{ "event=cq_error@100,no=cq_ex", 0, "overran" },
		{ "event=gid_change@100,event=lid_change@101", 0, "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
		uint64_t last = 0;
		struct run run;

		simulate("feed=gen:500:64,%s", cases[i].device);
		capture(&run, "verbs:sim0", &options, 0, 500 - cases[i].failed);
		cr_assert_eq(run.ended, RTAP_STATUS_END, "%s: %s", cases[i].device, run.error.text);
		cr_assert_eq(run.count + cases[i].failed, 500, "%s: %zu", cases[i].device, run.count);
		cr_assert_eq(run.interface.dropped_by_system.value, cases[i].failed, "%s", cases[i].device);
		cr_assert_eq(run.interface.received, 500, "%s", cases[i].device);
		cr_assert(strstr(run.told, cases[i].said), "%s: %s", cases[i].device, run.told);
		for (size_t n = 0; n < run.count; n++) {
			cr_assert_gt(number_of(run.frames[n]), last, "%s", cases[i].device);
			last = number_of(run.frames[n]);
		}
		cr_assert_eq(last, cases[i].failed && strstr(cases[i].device, "errors=2") ? 499 : 500, "%s: %lu", cases[i].device, last);
		run_free(&run);
	}
}

Test(verbs, an_overrun_of_the_completion_queue_does_not_end_the_capture)
{
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	simulate("feed=gen:500:64,overrun=100");
	capture(&run, "verbs:sim0", &options, 0, 499);
	cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
	cr_assert(strstr(run.told, "overran"), "%s", run.told);
	cr_assert_eq(run.count, 499);
	run_free(&run);
}

Test(verbs, a_port_that_goes_down_and_up_is_told_and_captured_on)
{
	static const char *const tunings[] = { "poll=event", "poll=busy", "cq=plain" };

	for (size_t i = 0; i < sizeof tunings / sizeof tunings[0]; i++) {
		struct rtap_verbs_options options = { .tuning = tunings[i] };
		struct run run;

		simulate("feed=gen:500:64,event=port_error@200:150");
		capture(&run, "verbs:sim0", &options, 0, 500);
		cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
		cr_assert_eq(run.count, 500, "%s: %zu", tunings[i], run.count);
		cr_assert(strstr(run.told, "went down"), "%s: %s", tunings[i], run.told);
		cr_assert(strstr(run.told, "active again"), "%s: %s", tunings[i], run.told);
		run_free(&run);
	}
}

Test(verbs, a_device_that_dies_ends_the_capture_with_what_it_gave)
{
	struct run run;

	simulate("feed=gen:500:64,event=device_fatal@200:1000");
	capture(&run, "verbs:sim0", NULL, 0, 500);
	cr_assert_eq(run.ended, RTAP_STATUS_FAILED);
	cr_assert(strstr(run.error.text, "fatal"), "%s", run.error.text);
	cr_assert_eq(run.count, 199);
	run_free(&run);
}

Test(verbs, a_frame_longer_than_its_buffer_is_counted_with_what_to_do)
{
	struct rtap_verbs_options options = { .tuning = "frame=256" };
	struct run run;

	simulate("feed=gen:20:300");
	capture(&run, "verbs:sim0", &options, 0, 1);
	cr_assert_eq(run.count, 0);
	cr_assert_eq(run.interface.dropped_by_system.value, 20);
	cr_assert(strstr(run.told, "--verbs frame=N"), "%s", run.told);
	run_free(&run);
}

/* A folder of the device in sysfs, with a counter that stands at 1000. */
static void make_sysfs(const char *folder, unsigned mtu)
{
	static const char *const folders[] = { "", "/ports", "/ports/1", "/ports/1/hw_counters", "/device", "/device/net", "/device/net/eth0" };
	char name[256];
	FILE *file;

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		snprintf(name, sizeof name, "%s%s", folder, folders[i]);
		cr_assert(!mkdir(name, 0777) || errno == EEXIST);
	}
	snprintf(name, sizeof name, "%s/ports/1/hw_counters/out_of_buffer", folder);
	file = fopen(name, "w");
	cr_assert(file);
	fputs("0\n", file);
	fclose(file);
	snprintf(name, sizeof name, "%s/device/net/eth0/mtu", folder);
	file = fopen(name, "w");
	cr_assert(file);
	fprintf(file, "%u\n", mtu);
	fclose(file);
	snprintf(name, sizeof name, "%s/device/numa_node", folder);
	file = fopen(name, "w");
	cr_assert(file);
	fputs("0\n", file);
	fclose(file);
}

static void remove_sysfs(const char *folder)
{
	static const char *const names[] = { "/ports/1/hw_counters/out_of_buffer", "/ports/1/hw_counters", "/ports/1", "/ports",
					     "/device/net/eth0/mtu", "/device/net/eth0", "/device/net", "/device/numa_node", "/device", "" };
	char name[256];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(name, sizeof name, "%s%s", folder, names[i]);
		cr_assert_eq(remove(name), 0, "%s", name);
	}
}

/* Batches that nobody releases take all the buffers; then frames are dropped here, and those in the device's queue are not lost. */
Test(verbs, frames_without_a_free_buffer_are_dropped_and_counted_exactly)
{
	static const char *const devices[] = { "sge=4", "no=cq_ex" };

	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		struct rtap_verbs_options options = { .tuning = "depth=64,block=16,frame=64" };
		struct rtap_live_options live = { .wake_ms = 50, .buffer_bytes = 64 * 1024, .verbs = options };
		struct rtap_source *source;
		struct run run = { .opened = RTAP_STATUS_OK };

		simulate("feed=gen:10000:64,%s", devices[i]);
		run.frames = calloc(MOST_FRAMES, sizeof run.frames[0]);
		run.batches = calloc(MOST_FRAMES, sizeof run.batches[0]);
		cr_assert_eq(rtap_source_open_live(&source, "verbs:sim0", &live, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
		read_all(&run, source, 10000, 4);
		run.interface = *rtap_source_interface(source, 0);
		rtap_source_close(source);
		cr_assert_eq(run.ended, RTAP_STATUS_END);
		/* 1024 slots, of which 64 are always the device's */
		cr_assert_eq(run.count, 1024 - 64, "%s: %zu", devices[i], run.count);
		cr_assert_eq(run.interface.received, 10000);
		cr_assert_eq(run.interface.dropped_by_system.value + run.interface.dropped_here.value, 10000 - run.count);
		for (size_t n = 0; n < run.count; n++)
			cr_assert_eq(number_of(run.frames[n]), n + 1);
		run_free(&run);
	}
}

Test(verbs, what_the_device_had_no_receive_for_is_counted_by_the_device)
{
	static const char folder[] = "test_verbs_sysfs";
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	make_sysfs(folder, 1500);
	simulate("feed=gen:20000:64,pace=20000000,sysfs=%s", folder);
	capture(&run, "verbs:sim0", &options, 0, 20000);
	cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
	cr_assert(run.interface.has_dropped);
	cr_assert_gt(run.interface.dropped, 0);
	cr_assert_eq(run.count + run.interface.dropped, 20000, "%zu and %lu", run.count, run.interface.dropped);
	cr_assert_eq(run.interface.received, 20000);
	/* the interface's MTU and what stands around it, in whole cache lines */
	cr_assert(strstr(run.description, "receives of 1536 bytes"), "%s", run.description);
	/* there is always a node 0, but not always a kernel that binds */
	cr_assert(strstr(run.notes, "KB, small pages, on NUMA node 0\n") || strstr(run.notes, "could not be bound to NUMA node 0\n"), "%s", run.notes);
	run_free(&run);
	remove_sysfs(folder);
}

/* Without events it would be polled every 100 ms: ten frames would come in two or three lumps of equal times. */
Test(verbs, a_waiting_capture_wakes_up_for_each_frame)
{
	struct rtap_verbs_options options = { .tuning = "poll=event,stamps=host" };
	size_t lumps = 1;
	struct run run;

	simulate("feed=gen:10:64,pace=50");
	capture(&run, "verbs:sim0", &options, 0, 10);
	cr_assert_eq(run.count, 10, "%zu", run.count);
	for (size_t i = 1; i < run.count; i++)
		lumps += run.frames[i]->time_ns - run.frames[i - 1]->time_ns > 1000000;
	cr_assert_geq(lumps, 6, "%zu", lumps);
	run_free(&run);
}

/* Flow rules */

static const char *const roce_rules[] = { "udp dst=4791" };
static const char *const no_rules[] = { "udp dst=1", "eth vlan=5" };
static const char *const either_rules[] = { "tcp", "ipv4 src=10.0.0.1/24 udp src=0xc000/0xf000" };

Test(verbs, rules_are_matched_by_the_device_or_in_software)
{
	static const struct {
		enum rtap_flow_type type;
		const char *const *rules;
		size_t rule_count, count;
		const char *described;
	} cases[] = {
		{ RTAP_FLOW_SNIFFER, NULL, 0, 50, "sniffer," },
		{ RTAP_FLOW_SNIFFER, roce_rules, 1, 50, "sniffer with rules matched in software" },
		{ RTAP_FLOW_SNIFFER, no_rules, 2, 0, "sniffer with rules matched in software" },
		{ RTAP_FLOW_SNIFFER, either_rules, 2, 50, "sniffer with rules matched in software" },
		{ RTAP_FLOW_NORMAL, roce_rules, 1, 50, "normal rules" },
		{ RTAP_FLOW_NORMAL, no_rules, 2, 0, "normal rules" },
		{ RTAP_FLOW_NORMAL, either_rules, 2, 50, "normal rules" },
		{ RTAP_FLOW_ALL, NULL, 0, 50, "all," },
		{ RTAP_FLOW_ALL, no_rules, 2, 0, "all with rules matched in software" },
		{ RTAP_FLOW_MULTICAST, NULL, 0, 0, "multicast," },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .flow_type = cases[i].type, .flow_rules = cases[i].rules, .flow_rule_count = cases[i].rule_count };
		struct run run;

		simulate("feed=gen:50:300");
		capture(&run, "verbs:sim0", &options, 0, 50);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%zu: %s", i, run.error.text);
		cr_assert_eq(run.count, cases[i].count, "%zu: %zu", i, run.count);
		cr_assert_str_empty(run.told);
		cr_assert(strstr(run.description, cases[i].described), "%zu: %s", i, run.description);
		run_free(&run);
	}
}

static void write_flow_frames(void)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_writer_open(&writer, fed_name, RTAP_LINK_ETHERNET, false, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < FLOW_FRAME_COUNT; i++) {
		struct rtap_frame frame = { .bytes = flow_frames[i].bytes, .captured_length = flow_frames[i].length,
					    .wire_length = flow_frames[i].length, .link_type = RTAP_LINK_ETHERNET, .time_ns = 1000 };

		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK, "%s", error.text);
	}
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
}

/* Names of the frames of flow_kit.h that were captured, each followed by a space. */
static void name_frames(const struct run *run, char *found)
{
	found[0] = '\0';
	for (size_t n = 0; n < run->count; n++) {
		for (size_t k = 0; k < FLOW_FRAME_COUNT; k++) {
			if (run->frames[n]->captured_length != flow_frames[k].length ||
			    memcmp(run->frames[n]->bytes, flow_frames[k].bytes, flow_frames[k].length))
				continue;
			strcat(found, flow_frames[k].name);
			strcat(found, " ");
		}
	}
}

/* The simulated device matches what it was given in specs, by code of its own. */
Test(verbs, a_rule_means_the_same_to_the_device_and_in_software)
{
	write_flow_frames();
	for (size_t i = 0; i < FLOW_MATCH_COUNT; i++) {
		for (int type = RTAP_FLOW_SNIFFER; type <= RTAP_FLOW_NORMAL; type++) {
			struct rtap_verbs_options options = { .flow_type = (enum rtap_flow_type)type, .flow_rules = &flow_matches[i].rule,
							      .flow_rule_count = 1, .flow_dont_trap = true };
			struct rtap_live_options live = { .wake_ms = 1, .verbs = options };
			struct rtap_source *source;
			struct run run = { .opened = RTAP_STATUS_OK };
			char found[256];
			size_t wanted = 0;

			for (const char *at = flow_matches[i].frames; *at; at++)
				wanted += *at == ' ';
			simulate("feed=file:%s", fed_name);
			run.frames = calloc(MOST_FRAMES, sizeof run.frames[0]);
			run.batches = calloc(MOST_FRAMES, sizeof run.batches[0]);
			cr_assert_eq(rtap_source_open_live(&source, "verbs:sim0", &live, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
			/* where nothing is to come, it can only be waited for */
			read_all(&run, source, wanted ? wanted : 1, wanted ? 5000 : 20);
			rtap_source_close(source);
			name_frames(&run, found);
			cr_assert_str_eq(found, flow_matches[i].frames, "%s by %s: %s", flow_matches[i].rule, type ? "device" : "software", found);
			run_free(&run);
		}
	}
	unlink(fed_name);
}

static const char *const udp_rules[] = { "udp dst=4791" };

Test(verbs, what_the_device_can_do_of_a_filter_is_given_to_it_and_nothing_is_lost)
{
	static const struct {
		const char *filter;
		enum rtap_flow_type type;
		const char *const *rules;
		size_t rule_count;
		const char *frames, *received, *note;
	} cases[] = {
		{ "udp dst port 4791", RTAP_FLOW_NORMAL, NULL, 0, "roce options six ", "4", "the device matched, before the filter was applied by "
		  "software: udp dst=4791\n" },
		{ "udp dst port 4791 and ip src 10.0.0.9", RTAP_FLOW_NORMAL, NULL, 0, "options ", "1", ": ipv4 src=10.0.0.9 udp dst=4791\n" },
		{ "ip src 10.0.0.9", RTAP_FLOW_NORMAL, udp_rules, 1, "options ", "1", ": ipv4 src=10.0.0.9 udp dst=4791\n" },
		{ "len > 1", RTAP_FLOW_NORMAL, udp_rules, 1, "roce vlan options six ", "4", "applied by software only: rules of NICs" },
		{ "ip6", RTAP_FLOW_NORMAL, udp_rules, 1, "six ", "1", ": eth type=0x86dd udp dst=4791\n" },
		{ "arp", RTAP_FLOW_NORMAL, udp_rules, 1, "", "4", "applied by software only: no packet can match" },
		{ "udp dst port 4791", RTAP_FLOW_SNIFFER, NULL, 0, "roce options six ", "10", "only rules of --flow-type normal" },
	};

	write_flow_frames();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_live_options options = { .wake_ms = 1, .capture_filter = cases[i].filter,
			.verbs = { .flow_type = cases[i].type, .flow_rules = cases[i].rules, .flow_rule_count = cases[i].rule_count, .flow_offload = true } };
		char found[256];
		struct run run;

		simulate("feed=file:%s", fed_name);
		capture_by(&run, "verbs:sim0", &options, FLOW_FRAME_COUNT, 30);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s: %s", cases[i].filter, run.error.text);
		name_frames(&run, found);
		cr_expect_str_eq(found, cases[i].frames, "%s: %s", cases[i].filter, found);
		cr_expect(strstr(run.notes, cases[i].note), "%s: %s", cases[i].filter, run.notes);
		/* how much reached the program tells that the device did it */
		cr_expect_eq(run.interface.received, strtoul(cases[i].received, NULL, 10), "%s: %lu", cases[i].filter, run.interface.received);
		run_free(&run);
	}
	unlink(fed_name);
}

/* What is known of devices */

static void write_file(const char *folder, const char *file, const char *text)
{
	char name[256];
	FILE *stream;

	snprintf(name, sizeof name, "%s/%s", folder, file);
	/* folders on the way */
	for (char *at = name + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		cr_assert(!mkdir(name, 0777) || errno == EEXIST, "%s", name);
	}
	stream = fopen(name, "w");
	cr_assert(stream, "%s", name);
	fputs(text, stream);
	fclose(stream);
}

#define PORT_FILE(name) "class/infiniband/sim0/ports/1/" name

static void write_port(const char *folder, const char *lid, const char *gid, const char *p_key)
{
	write_file(folder, PORT_FILE("lid"), lid);
	write_file(folder, PORT_FILE("gids/0"), gid);
	write_file(folder, PORT_FILE("pkeys/0"), p_key);
}

/* LID, last byte of the GID, P_Key. */
static void expect_port(struct rtap_devices *devices, unsigned lid, unsigned gid, unsigned p_key, const char *when)
{
	cr_assert_eq(rtap_devices_port(devices, 0, 0)->lid.value, lid, "%s: %lu", when, rtap_devices_port(devices, 0, 0)->lid.value);
	cr_assert_eq(rtap_devices_gids(devices, 0, 0)->gids[0].bytes[15], gid, "%s", when);
	cr_assert_eq(rtap_devices_p_keys(devices, 0, 0)->p_keys[0].value, p_key, "%s", when);
}

Test(verbs, what_the_device_tells_has_changed_is_asked_for_again)
{
	static const char before[] = "fe80:0000:0000:0000:0000:0000:0000:0001\n", after[] = "fe80:0000:0000:0000:0000:0000:0000:0002\n";
	static const struct {
		const char *event;
		unsigned lid, gid, p_key; /* known afterwards; before it is 1, 1, 0x8001, now 2, 2, 0x8002 */
	} cases[] = {
		{ "lid_change", 2, 1, 0x8001 }, { "sm_change", 2, 1, 0x8001 }, { "client_reregister", 2, 1, 0x8001 },
		{ "port_error", 2, 1, 0x8001 }, { "port_active", 2, 1, 0x8001 }, { "gid_change", 2, 2, 0x8001 },
		{ "p_key_change", 1, 1, 0x8002 }, { "qp_fatal", 1, 1, 0x8001 },
	};
	char folder[64], command[128];

	snprintf(folder, sizeof folder, "test_verbs_devices.%ld", (long)getpid());
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_live_options options = { .wake_ms = 50 };
		struct rtap_devices *devices;
		struct run run;

		write_port(folder, "0x1\n", before, "0x8001\n");
		cr_assert_eq(rtap_devices_open(&devices, folder, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
		expect_port(devices, 1, 1, 0x8001, "at first");
		write_port(folder, "0x2\n", after, "0x8002\n");
		expect_port(devices, 1, 1, 0x8001, "as it was");
		options.verbs.devices = devices;
		simulate("feed=gen:500:64,event=%s@100", cases[i].event);
		capture_by(&run, "verbs:sim0", &options, 500, 10);
		cr_assert_eq(run.count, 500, "%s: %zu", cases[i].event, run.count);
		expect_port(devices, cases[i].lid, cases[i].gid, cases[i].p_key, cases[i].event);
		rtap_devices_close(devices);
		run_free(&run);
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

/* Several queues */

#define SPREAD_FRAMES 6000

/* A file of made frames, each with its number at the end, one a microsecond, of `ports` UDP source ports by turns. */
static void write_numbered_frames(unsigned ports)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_writer_open(&writer, fed_name, RTAP_LINK_ETHERNET, false, &error), RTAP_STATUS_OK, "%s", error.text);
	for (uint64_t number = 1; number <= SPREAD_FRAMES; number++) {
		uint8_t bytes[64] = { 0 };
		const struct rtap_frame frame = { .bytes = bytes, .captured_length = sizeof bytes, .wire_length = sizeof bytes,
						  .link_type = RTAP_LINK_ETHERNET, .time_ns = 1700000000000000000 + (int64_t)number * 1000 };

		memcpy(bytes, flow_roce, sizeof flow_roce);
		bytes[35] = (uint8_t)(number % ports);
		memcpy(bytes + sizeof bytes - sizeof number, &number, sizeof number);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK, "%s", error.text);
	}
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
}

/* How many queues got frames, by the notes; *sum: how many frames. */
static unsigned queues_used(const struct run *run, uint64_t *sum)
{
	unsigned used = 0;

	*sum = 0;
	for (const char *at = strstr(run->notes, "queue "); at; at = strstr(at + 1, "queue ")) {
		unsigned long long received;

		if (sscanf(at, "queue %*u: %llu packets received", &received) != 1)
			continue;
		used += received > 0;
		*sum += received;
	}
	return used;
}

Test(verbs, frames_of_several_queues_come_in_the_order_of_their_times)
{
	static const struct {
		const char *device, *tuning;
		size_t failed;
		bool in_order; /* by stamps of the feed, which differ */
		const char *said;
	} cases[] = {
		{ "stamp=wall", "queues=4,depth=64,block=16", 0, true, "" },
		{ "stamp=wall", "queues=16,depth=64,block=16,poll=busy", 0, true, "" },
		{ "stamp=wall", "queues=2,frame=64", 0, true, "" },
		{ "stamp=wall", "queues=8,depth=1024,hash=ipv4,frame=64", 0, true, "" },
		/* frames come while the queues are polled one after the other; there are receives for all */
		{ "stamp=wall,pace=300000", "queues=16,depth=8192,frame=64,poll=busy", 0, true, "" },
		{ "stamp=wall,pace=300000", "queues=4,depth=8192,frame=64", 0, true, "" },
		{ "stamp=raw", "queues=4,depth=64,block=16", 0, false, "" },
		{ "stamp=none", "queues=4,depth=64,block=16", 0, false, "" },
		{ "no=cq_ex", "queues=4,depth=64,block=16", 0, false, "" },
		{ "stamp=wall,error=100", "queues=4,depth=64,block=16", 1, true, "local protection error" },
		{ "stamp=wall,soft_error=100", "queues=4,depth=64,block=16", 1, true, "local protection error" },
		{ "stamp=wall,error=5999", "queues=4,depth=64,block=16", 1, true, "local protection error" },
		{ "no=cq_ex,error=100", "queues=4,depth=64,block=16", 1, false, "local protection error" },
		{ "stamp=wall,event=wq_fatal@100", "queues=4,depth=64,block=16", 0, true, "" },
		{ "stamp=wall,event=cq_error@100", "queues=4,depth=64,block=16", 0, true, "overran" },
	};

	write_numbered_frames(16);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .tuning = cases[i].tuning };
		static bool seen[SPREAD_FRAMES + 1];
		uint64_t sum, last = 0;
		struct run run;

		simulate("feed=file:%s,%s", fed_name, cases[i].device);
		capture(&run, "verbs:sim0", &options, 0, SPREAD_FRAMES - cases[i].failed);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%zu: %s", i, run.error.text);
		cr_assert_eq(run.ended, RTAP_STATUS_END, "%zu: %s", i, run.error.text);
		cr_assert_eq(run.count + cases[i].failed, SPREAD_FRAMES, "%zu: %zu", i, run.count);
		cr_assert_eq(run.interface.received, SPREAD_FRAMES, "%zu: %lu", i, run.interface.received);
		memset(seen, 0, sizeof seen);
		for (size_t n = 0; n < run.count; n++) {
			uint64_t number = number_of(run.frames[n]);

			cr_assert(number && number <= SPREAD_FRAMES && !seen[number], "%zu: %lu", i, number);
			seen[number] = true;
			if (cases[i].in_order)
				cr_assert_gt(number, last, "%zu: %lu after %lu", i, number, last);
			else if (n)
				cr_assert_geq(run.frames[n]->time_ns, run.frames[n - 1]->time_ns, "%zu: %zu", i, n);
			last = number;
		}
		cr_assert_geq(queues_used(&run, &sum), 2, "%zu: %s", i, run.notes);
		cr_assert_eq(sum + cases[i].failed, SPREAD_FRAMES, "%zu: %s", i, run.notes);
		cr_assert(strstr(run.told, cases[i].said), "%zu: %s", i, run.told);
		cr_assert(strstr(run.description, "queues (by IPv4 and UDP port)"), "%zu: %s", i, run.description);
		run_free(&run);
	}
	unlink(fed_name);
}

/* The example of the specification: 66.9.149.187 port 2794 to 161.142.100.80 port 1766. */
Test(verbs, the_simulated_device_spreads_by_the_hash_that_devices_have)
{
	static const uint8_t key[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	};
	static const uint8_t input[] = { 66, 9, 149, 187, 161, 142, 100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255 };

	cr_expect_eq(verbs_sim_hash(key, input, 12), 0x51ccc178, "%x", verbs_sim_hash(key, input, 12));
	cr_expect_eq(verbs_sim_hash(key, input, 8), 0x323e8fc2, "%x", verbs_sim_hash(key, input, 8));
}

Test(verbs, one_flow_stays_in_one_queue)
{
	struct rtap_verbs_options options = { .tuning = "queues=4,depth=64,block=16" };
	uint64_t sum;
	struct run run;

	simulate("feed=gen:1000:64");
	capture(&run, "verbs:sim0", &options, 0, 1000);
	cr_assert_eq(run.count, 1000, "%zu", run.count);
	cr_assert_eq(queues_used(&run, &sum), 1, "%s", run.notes);
	for (size_t n = 0; n < run.count; n++)
		cr_assert_eq(number_of(run.frames[n]), n + 1);
	run_free(&run);
}

/* Sending */

static enum rtap_status send_all(const struct rtap_frame *frames, size_t count, struct rtap_error *error)
{
	struct rtap_sender *sender;
	uint64_t lost = 0;
	size_t sent;
	enum rtap_status status = rtap_sender_open(&sender, "verbs:sim0", error);

	if (status)
		return status;
	cr_assert_eq(rtap_sender_link_type(sender), RTAP_LINK_ETHERNET);
	status = rtap_sender_send(sender, frames, count, &sent, error);
	if (!status) {
		cr_assert_eq(sent, count);
		status = rtap_sender_flush(sender, &lost, error);
		cr_assert_eq(lost != 0, status != RTAP_STATUS_OK);
	}
	rtap_sender_close(sender);
	return status;
}

Test(verbs, what_is_sent_is_on_the_wire)
{
	static const char sent_name[] = "test_verbs_sent.pcap";
	const char *name = sent_name;
	struct rtap_source *source;
	struct rtap_batch *fed, *found;
	struct rtap_error error;
	size_t count;

	fed = make_feed(&count);
	simulate("send=file:%s", sent_name);
	cr_assert_eq(send_all(fed->frames, count, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t at = 0; at < count;) {
		cr_assert_eq(rtap_source_read_batch(source, &found, &error), RTAP_STATUS_OK, "after %zu: %s", at, error.text);
		for (size_t i = 0; i < found->count; i++, at++) {
			cr_assert_eq(found->frames[i].captured_length, fed->frames[at].captured_length);
			cr_assert(!memcmp(found->frames[i].bytes, fed->frames[at].bytes, fed->frames[at].captured_length));
		}
		rtap_batch_release(found);
	}
	rtap_source_close(source);
	rtap_batch_release(fed);
	cr_assert_eq(verbs_sim_objects(), 0);
	cr_assert_eq(verbs_sim_violations(), 0);
	unlink(sent_name);
	unlink(fed_name);
}

Test(verbs, a_frame_that_cannot_be_sent_leaves_the_sender_usable)
{
	static const uint8_t bytes[20000];
	static const uint32_t lengths[] = { 0, 13, 9281, 20000 };
	struct rtap_sender *sender;
	struct rtap_error error;
	size_t sent;

	simulate("devices=1");
	cr_assert_eq(rtap_sender_open(&sender, "verbs:sim0", &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		const struct rtap_frame frames[] = { { .bytes = bytes, .captured_length = 60 }, { .bytes = bytes, .captured_length = lengths[i] } };

		cr_assert_eq(rtap_sender_send(sender, frames, 2, &sent, &error), RTAP_STATUS_FAILED);
		cr_assert_eq(sent, 1);
		cr_assert_not(error.broken_pipe);
		cr_assert(strstr(error.text, "14 to 9280"), "%s", error.text);
	}
	rtap_sender_close(sender);
	cr_assert_eq(verbs_sim_objects(), 0);
}

Test(verbs, every_call_that_fails_while_sending_is_told_and_leaks_nothing)
{
	static const char *const calls[] = { "any", "poll_cq" };

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		unsigned n = 0;

		do {
			const struct rtap_frame frame = { .bytes = flow_roce, .captured_length = sizeof flow_roce };
			struct rtap_error error;
			enum rtap_status status;
			const char *call;

			simulate("fail=%s@%u", calls[i], ++n);
			status = send_all(&frame, 1, &error);
			call = verbs_sim_failed_call();
			/* closing tells nobody */
			cr_assert_eq(status != RTAP_STATUS_OK, call[0] && !strstr(call, "destroy") && !strstr(call, "dealloc") &&
				     !strstr(call, "dereg") && !strstr(call, "close"), "%s", call);
			if (status) {
				cr_assert(strstr(error.text, "verbs:sim0"), "%s: %s", call, error.text);
				cr_assert(strstr(error.text, strerror(EIO)), "%s: %s", call, error.text);
			}
			cr_assert_eq(verbs_sim_objects(), 0, "%s", call);
			cr_assert_eq(verbs_sim_violations(), 0, "%s", call);
			cr_assert_eq(__lsan_do_recoverable_leak_check(), 0, "%s", call);
			cr_assert_lt(n, 50);
		} while (verbs_sim_failed_call()[0]);
		cr_assert_gt(n, 1);
	}
}

/* Routes */

Test(verbs, a_peer_is_found_and_its_traffic_captured)
{
	static const struct {
		const char *device, *name, *peer;
		size_t count;
	} cases[] = {
		{ "devices=1", "verbs:sim0", "10.0.0.1", 50 },
		{ "devices=1,cm_delay=20", "verbs:sim0/1", "10.0.0.2", 50 },
		{ "devices=1", "verbs:sim0", "10.0.0.3", 0 },
		{ "devices=1", "verbs:sim0", "fe80::1", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .peer = cases[i].peer };
		struct run run;

		simulate("feed=gen:50:300,%s", cases[i].device);
		capture(&run, cases[i].name, &options, 0, 50);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s: %s", cases[i].peer, run.error.text);
		cr_assert_eq(run.count, cases[i].count, "%s: %zu", cases[i].peer, run.count);
		run_free(&run);
	}
}

Test(verbs, a_group_is_joined_and_left)
{
	struct rtap_verbs_options options = { .group = "239.1.1.1" };
	struct run run;

	simulate("feed=gen:50:300");
	capture(&run, "verbs:sim0", &options, 0, 50);
	cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s", run.error.text);
	cr_assert_eq(run.count, 50);
	run_free(&run); /* the simulator complains of a group that was not left */
}

Test(verbs, a_peer_or_group_that_cannot_be_reached_is_said)
{
	static const struct {
		const char *device, *name, *peer, *group, *said;
	} cases[] = {
		{ "cm=reject", "verbs:sim0", "10.0.0.1", NULL, "--peer 10.0.0.1: its address is not resolved: address error" },
		{ "cm=reject", "verbs:sim0", NULL, "239.1.1.1", "--join 239.1.1.1: its address is not resolved: address error" },
		{ "cm=silent", "verbs:sim0", "10.0.0.1", NULL, "no answer in time" },
		{ "devices=1", "verbs:sim0", "nobody.invalid", NULL, "its address is not found" },
		{ "devices=2", "verbs:sim1", "10.0.0.1", NULL, "another device leads there: sim0/1" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .peer = cases[i].peer, .group = cases[i].group };
		struct run run;

		simulate("%s", cases[i].device);
		capture(&run, cases[i].name, &options, 0, 1);
		cr_assert_eq(run.opened, RTAP_STATUS_FAILED, "%s", cases[i].device);
		cr_assert(strstr(run.error.text, cases[i].said), "%s: %s", cases[i].device, run.error.text);
		run_free(&run);
	}
}

Test(verbs, every_call_for_a_route_that_fails_is_told_and_leaks_nothing)
{
	unsigned n = 0;

	do {
		struct rtap_verbs_options options = { .peer = "10.0.0.1", .group = "239.1.1.1" };
		const char *call;
		struct run run;

		simulate("feed=gen:10:64,fail=any@%u", ++n);
		capture(&run, "verbs:sim0", &options, 0, 10);
		call = verbs_sim_failed_call();
		if (!strncmp(call, "rdma_", 5) && strcmp(call, "rdma_destroy_id") && strcmp(call, "rdma_leave_multicast")) {
			cr_assert(run.opened, "%s", call);
			cr_assert(strstr(run.error.text, "--peer 10.0.0.1") || strstr(run.error.text, "--join 239.1.1.1"), "%s: %s", call,
				  run.error.text);
		}
		cr_assert_lt(n, 200);
		run_free(&run);
	} while (verbs_sim_failed_call()[0]);
}
