/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/protocol.h"
#include "dissect/infiniband/ib_opcode.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/iwarp/mpa_fpdu.h"
#include "output/check/check.h"
#include "output/check/ib_sequence.h"

static void find_setup(struct check *check, struct subject *subject)
{
	unsigned sender = 0;
	const struct setup *setup = setups_find(&check->setups, subject->packet, &sender);

	/* end a is the sender of the REQ, if the tracker saw the handshake too */
	if (setup && sender != subject->sender)
		setup = NULL;
	check_memory_set_up(&check->memory, subject->connection, setup);
}

/* An alternate path is loaded when the connection is in use. */
static void take_cm(struct check *check, const struct rtap_packet *packet)
{
	const struct setup *setup = setups_packet(&check->setups, packet);
	struct check_connection *connection = setup ? check_memory_connection(&check->memory, setup->connection) : NULL;

	if (connection && connection->setup)
		connection->setup->alternate_path = setup->alternate_path;
}

/* An MPA Request or Reply that was captured in full. */
static void take_mpa(struct check *check, struct subject *subject)
{
	struct check_connection *connection = subject->connection;
	struct setup setup = { .initiator = 0 };

	if (subject->packet->frame->captured_length < subject->packet->frame->wire_length)
		return;
	if (!connection->setup)
		check_memory_set_up(&check->memory, connection, &setup);
	if (connection->setup && !connection->setup->is_complete)
		setup_take_mpa(connection->setup, &subject->packet->mpa, subject->sender);
}

/* Whether headers of upper layers may have been truncated by the capture: in any packet of a SEND. */
static bool is_cut(const struct rtap_packet *packet)
{
	for (unsigned i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].code == RTAP_ANOMALY_TRUNCATED)
			return true;
	return packet->payload.captured < packet->payload.wire &&
	       (packet->tcp.present || (packet->ib.has_bth && ib_opcodes[packet->ib.opcode].class == IB_SEND));
}

static void take_tcp_order(struct subject *subject)
{
	const struct rtap_tcp_facts *tcp = &subject->packet->tcp;
	struct check_connection *connection = subject->connection;
	unsigned sender = subject->sender;
	uint32_t end = tcp->sequence + tcp->payload.wire + !!(tcp->flags & RTAP_TCP_FLAG_SYN);

	subject->is_ahead = tcp->flags & RTAP_TCP_FLAG_ACK && (!connection->has_tcp_end[!sender] ||
			    (int32_t)(tcp->acknowledgment - connection->tcp_end[!sender]) > 0);
	subject->is_beyond = connection->has_tcp_end[sender] && (int32_t)(tcp->sequence - connection->tcp_end[sender]) > 0;
	subject->is_late = iwarp_has_late(subject->packet);
	subject->is_gap |= subject->is_beyond || subject->is_late;
	subject->is_behind = connection->has_tcp_end[sender] && (int32_t)(end - connection->tcp_end[sender]) < 0;
	if (!connection->has_tcp_end[sender] || (int32_t)(end - connection->tcp_end[sender]) > 0)
		connection->tcp_end[sender] = end;
	connection->has_tcp_end[sender] = true;
}

void check_packet(struct check *check, const struct rtap_packet *packet)
{
	struct subject subject = { .violations = &check->violations, .memory = &check->memory, .packet = packet };
	bool is_ib = packet->ib.has_bth;

	if (packet->cm.present)
		take_cm(check, packet);
	if (packet->flow.present && packet->flow.connection) {
		subject.connection = check_memory_connection(&check->memory, packet->flow.connection);
		subject.is_gap = packet->flow.analysis == RTAP_PSN_GAP || packet->flow.tcp_analysis == RTAP_TCP_GAP || is_cut(packet) ||
				 iwarp_lacks_room(packet) || packet->flow.hides_fpdus;
		subject.sender = !packet->flow.from_a;
		if (packet->tcp.present)
			take_tcp_order(&subject);
		subject_take_acknowledgement(&subject);
	}
	if (is_ib && subject.connection && !subject.connection->was_sought)
		find_setup(check, &subject);
	if (packet->mpa.present && subject.connection)
		take_mpa(check, &subject);
	if (is_ib)
		ib_rules_packet(&subject);
	if (is_ib && subject.connection)
		ib_sequence_packet(&subject);
	if (packet->tcp.present)
		iwarp_rules_packet(&subject);
	rpcrdma_rules_packet(&subject);
	if (subject.connection) {
		storage_rules_packet(&subject);
		smb_rules_packet(&subject);
		subject.connection->had_gap |= subject.is_gap;
	}
}

void check_merge(struct check *check, uint64_t from, uint64_t into)
{
	check_memory_discard(&check->memory, from);
	check_memory_discard(&check->memory, into);
	setups_merge(&check->setups, from, into);
}

void check_connection_over(struct check *check, uint64_t number)
{
	check_memory_discard(&check->memory, number);
}

void check_fini(struct check *check)
{
	check_memory_fini(&check->memory);
	violations_fini(&check->violations);
}
