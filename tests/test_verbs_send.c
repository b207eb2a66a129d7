/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending on the simulated device, and finding it by a peer or group. */
#include "config.h"

#include "tests/flow_kit.h"
#include "tests/verbs_kit.h"

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

TestSuite(verbs_send, .timeout = HANG_SECONDS);

Test(verbs_send, sent_frames_are_on_the_wire)
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

Test(verbs_send, a_frame_that_cannot_be_sent_leaves_the_sender_usable)
{
	static const uint8_t bytes[20000];
	static const uint32_t lengths[] = { 0, 13, 9281, 20000 };
	struct rtap_sender *sender;
	struct rtap_error error;
	size_t sent;

	simulate("devices=1");
	cr_assert_eq(rtap_sender_open(&sender, "verbs:sim0", &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		const struct rtap_frame frames[] = { { .bytes = bytes, .captured_length = 60 },
						     { .bytes = bytes, .captured_length = lengths[i] } };

		cr_assert_eq(rtap_sender_send(sender, frames, 2, &sent, &error), RTAP_STATUS_FAILED);
		cr_assert_eq(sent, 1);
		cr_assert_eq(error.code, RTAP_ERROR_INVALID);
		cr_assert(strstr(error.text, "14 to 9280"), "%s", error.text);
	}
	rtap_sender_close(sender);
	cr_assert_eq(verbs_sim_objects(), 0);
}

Test(verbs_send, every_call_that_fails_while_sending_is_reported_and_leaks_nothing)
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
			/* closing reports no error */
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

Test(verbs_send, a_peer_is_found_and_its_traffic_captured)
{
	static const struct {
		const char *device, *name, *peer;
		size_t count;
		const char *flow;
	} cases[] = {
		{ "devices=1", "verbs:sim0", "10.0.0.1", 50, NULL },
		{ "devices=1,cm_delay=20", "verbs:sim0/1", "10.0.0.2", 50, NULL },
		{ "devices=1", "verbs:sim0", "10.0.0.3", 0, NULL },
		{ "devices=1", "verbs:sim0", "fe80::1", 0, NULL },
		/* both must match */
		{ "devices=1", "verbs:sim0", "10.0.0.1", 50, "udp dst=4791" },
		{ "devices=1", "verbs:sim0", "10.0.0.1", 0, "udp dst=4792" },
		{ "devices=1", "verbs:sim0", "10.0.0.3", 0, "udp dst=4791" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .peer = cases[i].peer, .flow_rules = &cases[i].flow, .flow_rule_count = cases[i].flow ? 1 : 0 };
		struct run run;

		simulate("feed=gen:50:300,%s", cases[i].device);
		capture_for(&run, cases[i].name, &options, 0, 50, cases[i].count ? 400 : 10);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s: %s", cases[i].peer, run.error.text);
		cr_assert_eq(run.count, cases[i].count, "%s: %zu", cases[i].peer, run.count);
		run_free(&run);
	}
}

Test(verbs_send, a_group_is_joined_and_left)
{
	struct rtap_verbs_options options = { .group = "239.1.1.1" };
	struct run run;

	simulate("feed=gen:50:300");
	capture(&run, "verbs:sim0", &options, 0, 50);
	cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s", run.error.text);
	cr_assert_eq(run.count, 50);
	cr_assert(strstr(run.notes, "joined 239.1.1.1 by the connection manager"), "%s", run.notes);
	run_free(&run); /* the simulator complains of a group that was not left */
}

Test(verbs_send, an_unreachable_peer_or_group_is_reported)
{
	static const struct {
		const char *device, *name, *peer, *group, *said;
	} cases[] = {
		{ "cm=reject", "verbs:sim0", "10.0.0.1", NULL, "--peer 10.0.0.1: its address is not resolved: address error" },
		{ "cm=reject", "verbs:sim0", NULL, "239.1.1.1", "--join 239.1.1.1: its address is not resolved: address error" },
		{ "cm=silent", "verbs:sim0", "10.0.0.1", NULL, "no answer in time" },
		{ "devices=1", "verbs:sim0", "nobody.invalid", NULL, "its address is not found" },
		{ "devices=1", "verbs:sim0", NULL, "10.0.0.1", "--join 10.0.0.1: the group cannot be joined: this is not the address of a" },
		{ "devices=1", "verbs:sim0", NULL, "fe80::1", "this is not the address of a multicast group" },
		{ "devices=2", "verbs:sim1", "10.0.0.1", NULL, "another device reaches it: sim0/1" },
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

Test(verbs_send, every_call_for_a_route_that_fails_is_reported_and_leaks_nothing)
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
			const char *said = run.opened ? run.error.text : run.notes;

			/* if the host has a route to the group, IGMP replaces the connection manager */
			cr_assert(strstr(said, "--peer 10.0.0.1") || strstr(said, "--join 239.1.1.1"), "%s: %s", call, said);
		}
		cr_assert_lt(n, 200);
		run_free(&run);
	} while (verbs_sim_failed_call()[0]);
}
