/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <rdmatap/tracker.h>

#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/state.h"

#define CLIENT 0x0a000001
#define SERVER 0x0a000002
#define QPN_A 0x11
#define QPN_B 0x12
#define PORT_AB 0xc132 /* of these two */

struct label_case {
	uint32_t label;
	uint16_t port;
};

TestSuite(port_pairing, .timeout = HANG_SECONDS);

/* Linux include/rdma/ib_verbs.h, rdma_flow_label_to_udp_sport(): the low 14 bits, with the high six folded in. */
ParameterizedTestParameters(port_pairing, a_flow_label_gives_the_port)
{
	static struct label_case cases[] = {
		{ 0x00000, 0xc000 }, { 0x00001, 0xc001 }, { 0x03fff, 0xffff }, { 0x04000, 0xc001 }, { 0x12345, 0xe341 }, { 0xfffff, 0xffc0 },
	};

	return cr_make_param_array(struct label_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct label_case *one, port_pairing, a_flow_label_gives_the_port)
{
	cr_assert_eq(port_of_label(one->label), one->port, "label 0x%05x: 0x%04x", one->label, port_of_label(one->label));
}

struct pair_case {
	uint32_t a, b;
	uint16_t port;
};

/* rdma_calc_flow_label(): the product of both numbers, folded to 20 bits. Computed with Python. */
ParameterizedTestParameters(port_pairing, two_queue_pairs_give_the_port)
{
	static struct pair_case cases[] = {
		{ 1, 1, 0xc001 }, { QPN_A, QPN_B, PORT_AB }, { 0x123456, 0xabcdef, 0xc3c8 }, { 0xffffff, 0xffffff, 0xff21 }, { 0x800001, 2, 0xc012 },
	};

	return cr_make_param_array(struct pair_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct pair_case *one, port_pairing, two_queue_pairs_give_the_port)
{
	cr_assert_eq(port_of_queue_pairs(one->a, one->b), one->port, "0x%x, 0x%x: 0x%04x", one->a, one->b, port_of_queue_pairs(one->a, one->b));
	cr_assert_eq(port_of_queue_pairs(one->b, one->a), one->port);
}

struct fit_case {
	char what[48]; /* no pointer: each case runs in a process of its own, at other addresses */
	uint16_t ports[2];
	bool is_turned, by_label[2], fits;
};

ParameterizedTestParameters(port_pairing, flows_fit_if_their_ports_are_those_of_one_connection)
{
	static struct fit_case cases[] = {
		{ "both ports are those of the queue pairs", { PORT_AB, PORT_AB }, true, { false, false }, true },
		{ "the other port differs", { PORT_AB, PORT_AB + 1 }, true, { false, false }, false },
		{ "the first port differs", { PORT_AB + 1, PORT_AB }, true, { false, false }, false },
		{ "equal, but not those of the queue pairs", { PORT_AB + 1, PORT_AB + 1 }, true, { false, false }, false },
		{ "equal, one known from its label", { PORT_AB + 1, PORT_AB + 1 }, true, { true, false }, true },
		{ "equal, the other known from its label", { PORT_AB + 1, PORT_AB + 1 }, true, { false, true }, true },
		{ "labels that differ", { PORT_AB + 1, PORT_AB + 2 }, true, { true, true }, false },
		{ "ports not known", { 0, 0 }, true, { true, true }, false },
		{ "both in one direction", { PORT_AB, PORT_AB }, false, { true, true }, false },
	};

	return cr_make_param_array(struct fit_case, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct fit_case *one, port_pairing, flows_fit_if_their_ports_are_those_of_one_connection)
{
	static struct flow flows[2];

	for (int i = 0; i < 2; i++) {
		bool is_back = one->is_turned && i;

		flows[i].key.words[0] = is_back ? SERVER : CLIENT;
		flows[i].key.words[2] = is_back ? CLIENT : SERVER;
		flows[i].key.words[4] = i ? QPN_A : QPN_B;
		flows[i].port = one->ports[i];
		flows[i].port_by_label = one->by_label[i];
	}
	cr_assert_eq(port_pairing_fits(&flows[0], &flows[1]), one->fits, "%s", one->what);
	cr_assert_eq(port_pairing_fits(&flows[1], &flows[0]), one->fits, "%s, the other way round", one->what);
}

TestSuite(port_pairing_index, .timeout = HANG_SECONDS);

/* Flows of one tracker, entered with these ports; turned ones go back. */
static void enter(struct rtap_tracker *tracker, struct flow *flow, bool is_turned, uint32_t qpn, uint16_t port)
{
	*flow = (struct flow){ 0 };
	flow->key.words[0] = is_turned ? SERVER : CLIENT;
	flow->key.words[2] = is_turned ? CLIENT : SERVER;
	flow->key.words[4] = qpn;
	port_pairing_enter(tracker, flow, port, false);
}

Test(port_pairing_index, the_partner_is_the_only_other_flow_with_the_port_and_goes_back)
{
	static struct flow flows[4];
	struct rtap_tracker *tracker;

	cr_assert_eq(rtap_tracker_open(&tracker, &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options) }, NULL), RTAP_STATUS_OK);
	enter(tracker, &flows[0], false, QPN_B, PORT_AB);
	cr_expect_null(port_pairing_partner(&flows[0]));
	enter(tracker, &flows[1], true, QPN_A, PORT_AB + 1);
	cr_expect_null(port_pairing_partner(&flows[0]), "another port");
	cr_expect_null(port_pairing_partner(&flows[1]));
	enter(tracker, &flows[2], true, QPN_A, PORT_AB);
	cr_expect_eq(port_pairing_partner(&flows[0]), &flows[2]);
	cr_expect_eq(port_pairing_partner(&flows[2]), &flows[0]);
	enter(tracker, &flows[3], true, QPN_A, PORT_AB);
	for (int i = 0; i < 4; i++)
		cr_expect_null(port_pairing_partner(&flows[i]), "flow %d: two may answer", i);
	port_pairing_leave(tracker, &flows[2]);
	cr_expect_eq(port_pairing_partner(&flows[0]), &flows[3]);
	for (int i = 0; i < 4; i++)
		port_pairing_leave(tracker, &flows[i]);
	rtap_tracker_close(tracker);
}

/* A requester with another port is doubtful once ports were right, and as long as none was wrong. */
Test(port_pairing_index, another_port_is_doubtful_if_all_connections_so_far_had_one)
{
	static struct rtap_tracker tracker;
	static struct flow one, same, other, unknown;

	port_pairing_init(&tracker);
	enter(&tracker, &one, false, QPN_B, PORT_AB);
	enter(&tracker, &same, true, QPN_A, PORT_AB);
	enter(&tracker, &other, true, QPN_A, PORT_AB + 1);
	enter(&tracker, &unknown, true, QPN_A, 0);
	cr_expect_not(port_pairing_doubts(&tracker, &one, &other), "nothing is known of the senders");
	port_pairing_note(&tracker, &one, &unknown);
	cr_expect_eq(tracker.ports_fit + tracker.ports_differ, 0);
	port_pairing_note(&tracker, &one, &same);
	cr_expect_eq(tracker.ports_fit, 1);
	cr_expect(port_pairing_doubts(&tracker, &one, &other));
	cr_expect_not(port_pairing_doubts(&tracker, &one, &same));
	cr_expect_not(port_pairing_doubts(&tracker, &one, &unknown));
	/* of other queue pairs: not the port that theirs give */
	same.key.words[4] = QPN_A + 0x100;
	port_pairing_note(&tracker, &one, &same);
	cr_expect_eq(tracker.ports_fit + tracker.ports_differ, 1, "equal ports are not two");
	port_pairing_note(&tracker, &one, &other);
	cr_expect_eq(tracker.ports_differ, 1);
	cr_expect_not(port_pairing_doubts(&tracker, &one, &other));
	multimap_fini(&tracker.ports);
}
