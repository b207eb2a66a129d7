/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/smb/smb.h"
#include "dissect/smb/smb_direct.h"
#include "output/check/subject.h"

/* [MS-SMBD] 2.2.1, 2.2.2 */
#define LEAST_VERSION 0, 16
#define MOST_VERSION 16, 16
#define RESPONSE_REQUESTED 64, 16
#define REQUEST_RECEIVE 96, 32
#define REQUEST_FRAGMENTED 128, 32
#define RESPONSE_STATUS 96, 32
#define RESPONSE_RECEIVE 192, 32
#define RESPONSE_FRAGMENTED 224, 32

#define LEAST_RECEIVE 128
#define LEAST_FRAGMENTED 131072

struct half {
	bool has_credits;        /* all credits granted to it are known */
	int64_t credits;         /* number of transfers that it may send */
	struct check_excess excess; /* a transfer without a credit */
	uint32_t excess_length;
	uint32_t receive, fragmented; /* sizes that it receives; 0: unknown */
	bool is_open;            /* the last transfer was a fragment that others follow */
	uint32_t remaining;
};

struct state {
	struct half halves[2];
};

static bool is_new(const struct rtap_packet *packet)
{
	if (packet->flow.tcp_analysis != RTAP_TCP_NONE)
		return packet->flow.tcp_analysis == RTAP_TCP_NEW;
	return packet->flow.analysis == RTAP_PSN_IN_ORDER;
}

/* What both messages of the negotiation have. [MS-SMBD] 3.1.5.6, 3.1.5.7. */
static void check_negotiation(const struct subject *subject, const struct half *half, const uint8_t *bytes, uint64_t requested)
{
	if (little_bits(bytes, LEAST_VERSION) > SMB_DIRECT_VERSION || little_bits(bytes, MOST_VERSION) < SMB_DIRECT_VERSION)
		subject_break(subject, RULE_SMBD_NEGOTIATION, "versions 0x%04x to 0x%04x", (unsigned)little_bits(bytes, LEAST_VERSION),
			      (unsigned)little_bits(bytes, MOST_VERSION));
	if (!requested)
		subject_break(subject, RULE_SMBD_NEGOTIATION, "CreditsRequested 0");
	if (half->receive < LEAST_RECEIVE)
		subject_break(subject, RULE_SMBD_NEGOTIATION, "MaxReceiveSize %u", half->receive);
	if (half->fragmented < LEAST_FRAGMENTED)
		subject_break(subject, RULE_SMBD_NEGOTIATION, "MaxFragmentedSize %u", half->fragmented);
}

static void take_request(const struct subject *subject, struct state *state, const uint8_t *bytes)
{
	struct half *half = &state->halves[subject->sender];

	half->receive = (uint32_t)little_bits(bytes, REQUEST_RECEIVE);
	half->fragmented = (uint32_t)little_bits(bytes, REQUEST_FRAGMENTED);
	check_negotiation(subject, half, bytes, little_bits(bytes, SMB_DIRECT_REQUEST_CREDITS));
	/* the peer's credits are granted by transfers */
	state->halves[!subject->sender].has_credits = true;
	state->halves[!subject->sender].credits = 0;
}

static void take_response(const struct subject *subject, struct state *state, const uint8_t *bytes)
{
	struct half *half = &state->halves[subject->sender], *other = &state->halves[!subject->sender];

	half->receive = (uint32_t)little_bits(bytes, RESPONSE_RECEIVE);
	half->fragmented = (uint32_t)little_bits(bytes, RESPONSE_FRAGMENTED);
	if (!little_bits(bytes, RESPONSE_STATUS))
		check_negotiation(subject, half, bytes, little_bits(bytes, RESPONSE_REQUESTED));
	other->has_credits = half->has_credits;
	other->credits = (int64_t)little_bits(bytes, SMB_DIRECT_RESPONSE_GRANTED);
}

static void take_transfer(const struct subject *subject, struct state *state, const uint8_t *bytes, uint32_t wire)
{
	struct half *half = &state->halves[subject->sender], *other = &state->halves[!subject->sender];
	uint32_t length = (uint32_t)little_bits(bytes, SMB_DIRECT_DATA_LENGTH), remaining = (uint32_t)little_bits(bytes, SMB_DIRECT_REMAINING);
	uint32_t offset = (uint32_t)little_bits(bytes, SMB_DIRECT_OFFSET);

	if (subject_proves(subject, &other->excess)) {
		subject_break_at(subject, &other->excess.origin, RULE_SMBD_CREDITS, "%u bytes of data, no credit", other->excess_length);
		other->excess.is_set = false;
		other->credits = 0;
	}
	if (half->has_credits && --half->credits < 0 && !half->excess.is_set) {
		subject_exceed(subject, &half->excess);
		half->excess_length = length;
	}
	other->credits += (int64_t)little_bits(bytes, SMB_DIRECT_CREDITS_GRANTED);
	if (!little_bits(bytes, SMB_DIRECT_CREDITS_REQUESTED))
		subject_break(subject, RULE_SMBD_REQUESTED, "CreditsRequested 0");
	if (!smb_direct_is_placed(bytes, wire))
		subject_break(subject, RULE_SMBD_OFFSET, "DataOffset %u, DataLength %u in a SEND of %u bytes", offset, length, wire);
	else if (other->receive && offset + length > other->receive)
		subject_break(subject, RULE_SMBD_SIZE, "%u bytes, MaxReceiveSize %u", offset + length, other->receive);
	if (!length)
		return;
	if (half->is_open && (uint64_t)length + remaining != half->remaining)
		subject_break(subject, RULE_SMBD_REMAINING, "%u bytes and %u remaining, before %u remaining", length, remaining, half->remaining);
	if (!half->is_open && remaining && other->fragmented && (uint64_t)length + remaining > other->fragmented)
		subject_break(subject, RULE_SMBD_FRAGMENTED, "%llu bytes, MaxFragmentedSize %u", (unsigned long long)length + remaining,
			      other->fragmented);
	half->is_open = remaining > 0;
	half->remaining = remaining;
}

void smb_rules_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	struct state *state = subject->connection ? subject->connection->groups[CHECK_GROUP_SMB] : NULL;

	/* a gap may have contained grants and fragments */
	if (state && (subject->is_gap || (!is_new(packet) && packet->flow.analysis != RTAP_PSN_NONE)))
		for (unsigned i = 0; i < 2; i++)
			state->halves[i].has_credits = state->halves[i].is_open = state->halves[i].excess.is_set = false;
	if (packet->upper != RTAP_UPPER_SMB_DIRECT || !is_new(packet) || !(state = subject_state(subject, CHECK_GROUP_SMB, sizeof *state)))
		return;
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const uint8_t *bytes = layer_bytes(packet, layer);

		if (layer->protocol == PROTOCOL_SMB_DIRECT_REQUEST && layer->length >= SMB_DIRECT_REQUEST_LENGTH)
			take_request(subject, state, bytes);
		else if (layer->protocol == PROTOCOL_SMB_DIRECT_RESPONSE && layer->length >= SMB_DIRECT_RESPONSE_LENGTH)
			take_response(subject, state, bytes);
		else if (layer->protocol == PROTOCOL_SMB_DIRECT && layer->length >= SMB_DIRECT_LENGTH)
			take_transfer(subject, state, bytes, layer_rest(packet, layer).wire);
	}
}
