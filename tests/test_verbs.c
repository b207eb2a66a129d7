/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capturing with a raw-packet queue pair of the simulated device. */
#include "config.h"

#include "tests/verbs_kit.h"

TestSuite(verbs, .timeout = HANG_SECONDS);

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
				cr_assert(time_ns >= begin.tv_sec * INT64_C(1000000000) + begin.tv_nsec - 1000000 &&
					  time_ns <= end.tv_sec * INT64_C(1000000000) + end.tv_nsec + 1000000, "%s: frame %zu", cases[i].device, n);
		}
		cr_assert_str_empty(run.reported);
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

/* Frames that are not examined are counted like others, also during failures, and have no descriptors. */
Test(verbs, frames_that_are_only_counted_are_counted_exactly)
{
	static const char *const tunings[] = { "depth=256,poll=busy", "depth=256,cq=plain", "depth=256,queues=2" };

	for (size_t c = 0; c < sizeof tunings / sizeof tunings[0]; c++) {
		struct rtap_live_options options = { .size = sizeof options, .wake_ms = 50, .snap_length = 60, .buffer_bytes = 64 << 20, .counts_only = true,
						     .verbs = VERBS(.tuning = tunings[c]) };
		struct rtap_source_counters counters;
		enum rtap_status status;
		struct rtap_source *source;
		struct rtap_batch *batch;
		struct rtap_error error;
		uint64_t count = 0;
		bool described = false;
		int patience = 400;

		simulate("feed=gen:50000:64,soft_error=777,rss=4");
		cr_assert_eq(rtap_source_open_live(&source, "verbs:sim0", &options, &error), RTAP_STATUS_OK, "%s", error.text);
		while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
			cr_assert_neq(status, RTAP_STATUS_FAILED, "%s", error.text);
			if (status)
				continue;
			count += batch->count;
			described |= batch->count && batch->frames;
			patience -= !batch->count;
			if (count >= 49999 || !patience)
				rtap_source_stop(source);
			rtap_batch_release(batch);
		}
		rtap_source_counters(source, &counters, sizeof counters);
		cr_assert_eq(count, 49999, "%s: %llu", tunings[c], (unsigned long long)count);
		cr_assert_eq(counters.frames, count);
		cr_assert_eq(counters.captured_bytes, 60 * count);
		cr_assert_eq(counters.cut_frames, count);
		cr_assert_eq(rtap_source_interface(source, 0)->received, 50000);
		/* frames of several queues are sorted, which needs their time stamps */
		cr_assert_eq(described, c == 2);
		rtap_source_close(source);
		cr_assert_eq(verbs_sim_objects(), 0);
		cr_assert_eq(verbs_sim_violations(), 0);
	}
}

Test(verbs, obstacles_to_opening_are_reported_with_advice)
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
		{ "fail=reg_mr@1:12", "verbs:sim0", { .force = false }, { "receive buffers", "--verbs depth=N" } },
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
		{ "wr=100", "verbs:sim0", { .tuning = "depth=4096" }, { "4096", "at most 100" } },
		{ "devices=1", "verbs:sim0", { .tuning = "depth=4096,cqe=100" }, { "100 entries", "4096" } },
		{ "no=rss", "verbs:sim0", { .tuning = "queues=4" }, { "cannot spread packets", "leave out", "queues=N" } },
		{ "rss=2", "verbs:sim0", { .tuning = "queues=4" }, { "up to 2 queues" } },
		{ "devices=1", "verbs:sim0", { .tuning = "queues=3" }, { "queues=3", "not a power of two", "16" } },
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

/* Every call fails once: an error is returned at once, or reported later, or there is a fallback and nothing is lost. */
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
	/* several queues are recreated together, without querying the state of the broken ones */
	if (!strcmp(call, "destroy_flow") && !strstr(what, "flows=4,error"))
		cr_assert(strstr(run->reported, strerror(EIO)), "%s: %s", what, run->reported);
}

Test(verbs, every_call_that_fails_is_reported_and_leaks_nothing)
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
	static const char *const devices[] = { "fail=start_poll@1", "fail=start_poll@3", "no=cq_ex,fail=poll_cq@1",
					       "no=cq_ex,fail=poll_cq@3" };

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
		{ "error=100,fail=modify_qp@3", 1, "local protection error" }, /* then all are recreated */
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
		cr_assert(strstr(run.reported, cases[i].said), "%s: %s", cases[i].device, run.reported);
		for (size_t n = 0; n < run.count; n++) {
			cr_assert_gt(number_of(run.frames[n]), last, "%s", cases[i].device);
			last = number_of(run.frames[n]);
		}
		cr_assert_eq(last, cases[i].failed && strstr(cases[i].device, "errors=2") ? 499 : 500, "%s: %lu", cases[i].device, last);
		run_free(&run);
	}
}

Test(verbs, a_completion_queue_without_order_is_replaced_by_a_plain_one)
{
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	simulate("feed=gen:500:64,disorder=100");
	capture(&run, "verbs:sim0", &options, 0, 400);
	cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
	cr_assert(strstr(run.reported, "the plain completion queue is used"), "%s", run.reported);
	cr_expect_geq(run.count, 400);
	cr_expect_not(run.interface.has_received, "what came during the repairs is unknown");
	run_free(&run);
}

Test(verbs, a_device_without_order_ends_the_capture_with_the_reason)
{
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	simulate("feed=gen:500:64,disorder=100,plain_disorder=100");
	capture(&run, "verbs:sim0", &options, 0, 500);
	cr_assert_eq(run.ended, RTAP_STATUS_FAILED);
	cr_expect(strstr(run.error.text, "out of order, with the plain completion queue too"), "%s", run.error.text);
	run_free(&run);
}

Test(verbs, an_overrun_of_the_completion_queue_does_not_end_the_capture)
{
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	simulate("feed=gen:500:64,overrun=100");
	capture(&run, "verbs:sim0", &options, 0, 499);
	cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
	cr_assert(strstr(run.reported, "overran"), "%s", run.reported);
	cr_assert_eq(run.count, 499);
	run_free(&run);
}

Test(verbs, a_port_that_goes_down_and_up_is_reported_and_captured_on)
{
	static const char *const tunings[] = { "poll=event", "poll=busy", "cq=plain" };

	for (size_t i = 0; i < sizeof tunings / sizeof tunings[0]; i++) {
		struct rtap_verbs_options options = { .tuning = tunings[i] };
		struct run run;

		simulate("feed=gen:500:64,event=port_error@200:150");
		capture(&run, "verbs:sim0", &options, 0, 500);
		cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
		cr_assert_eq(run.count, 500, "%s: %zu", tunings[i], run.count);
		cr_assert(strstr(run.reported, "went down"), "%s: %s", tunings[i], run.reported);
		cr_assert(strstr(run.reported, "active again"), "%s: %s", tunings[i], run.reported);
		run_free(&run);
	}
}

Test(verbs, a_failed_device_ends_the_capture_after_its_frames)
{
	struct run run;

	simulate("feed=gen:500:64,event=device_fatal@200:1000");
	capture(&run, "verbs:sim0", NULL, 0, 500);
	cr_assert_eq(run.ended, RTAP_STATUS_FAILED);
	cr_assert(strstr(run.error.text, "fatal"), "%s", run.error.text);
	cr_assert_eq(run.count, 199);
	run_free(&run);
}

Test(verbs, a_frame_longer_than_its_buffer_is_counted_with_advice)
{
	struct rtap_verbs_options options = { .tuning = "frame=256" };
	struct run run;

	simulate("feed=gen:20:300");
	capture_for(&run, "verbs:sim0", &options, 0, 1, 40);
	cr_assert_eq(run.count, 0);
	cr_assert_eq(run.interface.dropped_by_system.value, 20);
	cr_assert(strstr(run.reported, "--verbs frame=N"), "%s", run.reported);
	run_free(&run);
}

/* A sysfs folder of the device, with a counter of 1000. */
static void make_sysfs(const char *folder, unsigned mtu)
{
	static const char *const folders[] = { "", "/ports", "/ports/1", "/ports/1/hw_counters", "/device", "/device/net",
					       "/device/net/eth0" };
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
					     "/device/net/eth0/mtu", "/device/net/eth0", "/device/net",
						"/device/numa_node", "/device", "" };
	char name[256];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(name, sizeof name, "%s%s", folder, names[i]);
		cr_assert_eq(remove(name), 0, "%s", name);
	}
}

/* Batches that are not released use all buffers; then frames are dropped here, and those in the device's queue are not lost. */
/* The reader keeps all it gets: the buffers of the device are used up soon. */
Test(verbs, frames_without_a_free_buffer_are_copied_or_counted_exactly)
{
	static const struct {
		const char *device;
		uint64_t queue_bytes;
		bool is_enough;
	} cases[] = { { "sge=4", 0, true }, { "no=cq_ex", 0, true }, { "sge=4", 65536, false }, { "no=cq_ex", 65536, false } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .size = sizeof options, .tuning = "depth=64,block=16,frame=1024" };
		struct rtap_live_options live = {
			.size = sizeof live, .wake_ms = 50, .buffer_bytes = 256 * 1024, .queue_bytes = cases[i].queue_bytes, .verbs = &options,
		};
		struct rtap_source *source;
		struct run run = { .opened = RTAP_STATUS_OK };
		uint64_t before = 0;

		simulate("feed=gen:10000:64,%s", cases[i].device);
		run.frames = calloc(MOST_FRAMES, sizeof run.frames[0]);
		run.batches = calloc(MOST_FRAMES, sizeof run.batches[0]);
		cr_assert_eq(rtap_source_open_live(&source, "verbs:sim0", &live, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
		read_all(&run, source, 10000, 4);
		run.interface = *rtap_source_interface(source, 0);
		rtap_source_close(source);
		cr_assert_eq(run.ended, RTAP_STATUS_END);
		cr_assert_eq(run.count == 10000, cases[i].is_enough, "%s: %zu", cases[i].device, run.count);
		/* 256 slots, of which 64 are always the device's */
		cr_assert_gt(run.count, 256 - 64);
		cr_assert_eq(run.interface.received, 10000);
		cr_assert_eq(run.interface.dropped_by_system.value + run.interface.dropped_here.value, 10000 - run.count);
		for (size_t n = 0; n < run.count; n++) {
			cr_assert_gt(number_of(run.frames[n]), before);
			before = number_of(run.frames[n]);
		}
		run_free(&run);
	}
}

Test(verbs, frames_without_a_receive_are_counted_by_the_device)
{
	static const char folder[] = "test_verbs_sysfs";
	struct rtap_verbs_options options = { .tuning = "depth=64,block=16" };
	struct run run;

	make_sysfs(folder, 1500);
	simulate("feed=gen:20000:64,pace=20000000,sysfs=%s", folder);
	capture_for(&run, "verbs:sim0", &options, 0, 20000, 40);
	cr_assert_eq(run.ended, RTAP_STATUS_END, "%s", run.error.text);
	cr_assert(run.interface.has_dropped);
	cr_assert_gt(run.interface.dropped, 0);
	cr_assert_eq(run.count + run.interface.dropped, 20000, "%zu and %lu", run.count, run.interface.dropped);
	cr_assert_eq(run.interface.received, 20000);
	/* the interface's MTU and what stands around it, in whole cache lines */
	cr_assert(strstr(run.description, "receives of 1536 bytes"), "%s", run.description);
	/* there is always a node 0, but not always a kernel that binds */
	cr_assert(strstr(run.notes, "KB, small pages, on NUMA node 0\n") ||
		  strstr(run.notes, "could not be bound to NUMA node 0\n"), "%s", run.notes);
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
