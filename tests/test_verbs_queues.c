/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capturing with several receive queues of the simulated device. */
#include "config.h"

#include "tests/flow_kit.h"
#include "tests/verbs_kit.h"

#define SPREAD_FRAMES 6000

/* A file of generated frames, each with its number at the end, one per microsecond, with `ports` UDP source ports in turn. */
static void write_numbered_frames(unsigned ports)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_writer_open(&writer, fed_name, NULL, &error), RTAP_STATUS_OK, "%s", error.text);
	for (uint64_t number = 1; number <= SPREAD_FRAMES; number++) {
		uint8_t bytes[64] = { 0 };
		const struct rtap_frame frame = { .bytes = bytes, .captured_length = sizeof bytes, .wire_length = sizeof bytes,
						  .link_type = RTAP_LINK_ETHERNET,
							.time_ns = 1700000000000000000 + (int64_t)number * 1000 };

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

TestSuite(verbs_queues, .timeout = HANG_SECONDS);

Test(verbs_queues, frames_of_several_queues_come_in_the_order_of_their_times)
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
		/* frames arrive while the queues are polled one after the other; there are receives for all */
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
		cr_assert(strstr(run.reported, cases[i].said), "%zu: %s", i, run.reported);
		cr_assert(strstr(run.description, "queues (by IPv4 and UDP port)"), "%zu: %s", i, run.description);
		run_free(&run);
	}
	unlink(fed_name);
}

/* The example of the specification: 66.9.149.187 port 2794 to 161.142.100.80 port 1766. */
Test(verbs_queues, the_simulated_device_spreads_by_the_hash_that_devices_have)
{
	static const uint8_t key[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	};
	static const uint8_t input[] = { 66, 9, 149, 187, 161, 142, 100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255 };

	cr_expect_eq(verbs_sim_hash(key, input, 12), 0x51ccc178, "%x", verbs_sim_hash(key, input, 12));
	cr_expect_eq(verbs_sim_hash(key, input, 8), 0x323e8fc2, "%x", verbs_sim_hash(key, input, 8));
}

Test(verbs_queues, one_flow_stays_in_one_queue)
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
