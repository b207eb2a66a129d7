/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/iwarp/mpa_setup.h"
#include "dissect/iwarp/terminate.h"
#include "output/check/subject.h"

#define MOST_ULPDU 64768
#define QUEUES 4                 /* RFC 5040, figure 4; RFC 7306, figure 3 */
#define NOT_NEGOTIATED 0x3fff    /* RFC 6581, 9.1 */

struct half {
	bool is_in_step;         /* its stream was captured without a gap up to the last FPDU */
	bool was_whole;          /* ... since the MPA Request or Reply */
	bool has_sent, has_terminated;
	bool end_known;
	uint32_t end;            /* sequence number after the last FPDU, or after the MPA Request or Reply */
	uint32_t seen;           /* sequence number after the last byte */
	bool is_open, is_open_tagged; /* the last segment did not end its message */
	uint8_t open_opcode;
	uint32_t open_msn, open_qn, open_offset;
	uint32_t open_stag;
	uint64_t open_to;
	bool has_msn[QUEUES];
	uint32_t msn[QUEUES];    /* last one of each queue */
	uint64_t reads, responses; /* Read Requests sent, Read Responses ended */
};

struct state {
	struct half halves[2];
	bool has_mpa[2];         /* 0: Request, 1: Reply */
	unsigned initiator;      /* sender of the Request */
	struct rtap_mpa_facts mpa[2];
	bool early_open;         /* the responder sent an FPDU before the initiator */
	struct check_origin early;
};

static bool is_in_order(const struct rtap_packet *packet)
{
	return packet->flow.tcp_analysis == RTAP_TCP_NEW || packet->flow.tcp_analysis == RTAP_TCP_NONE;
}

/* All its bytes were captured before: it changes nothing. */
static bool is_repeat(const struct rtap_packet *packet)
{
	return packet->flow.tcp_analysis == RTAP_TCP_RETRANSMISSION || packet->flow.tcp_analysis == RTAP_TCP_CAPTURED_TWICE ||
	       packet->flow.tcp_analysis == RTAP_TCP_KEEP_ALIVE;
}

static void check_anomalies(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;

	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].code == RTAP_ANOMALY_BAD_FPDU_CRC)
			subject_break(subject, RULE_MPA_CRC, "the CRC does not match the FPDU");
		else if (packet->anomalies[i].code == RTAP_ANOMALY_SKEWED_MARKERS)
			subject_break(subject, RULE_MPA_MARKER, "the interval of markers leaves out CRCs, or they point elsewhere");
		else if (packet->anomalies[i].code == RTAP_ANOMALY_PRIVATE_DATA_TOO_LONG)
			subject_break(subject, RULE_MPA_PRIVATE_LENGTH, "%u bytes", packet->mpa.private_length);
}

/* IRD or ORD of a reply against the ORD or IRD of the request. */
static void check_reply(const struct subject *subject, const struct rtap_mpa_facts *request, const struct rtap_mpa_facts *reply)
{
	if (reply->revision > request->revision)
		subject_break(subject, RULE_MPA_REVISION, "revision %u, request %u", reply->revision, request->revision);
	if (reply->enhanced != request->enhanced) {
		subject_break(subject, RULE_MPA_ENHANCED, "%s reply to %s request", reply->enhanced ? "enhanced" : "unenhanced",
			      request->enhanced ? "an enhanced" : "an unenhanced");
		return;
	}
	if (!reply->enhanced || reply->rejected)
		return;
	if (reply->peer_to_peer != request->peer_to_peer)
		subject_break(subject, RULE_MPA_MODEL, "A %u, request %u", reply->peer_to_peer, request->peer_to_peer);
	if (request->ird == NOT_NEGOTIATED ? reply->ord != NOT_NEGOTIATED : reply->ord > request->ird)
		subject_break(subject, RULE_MPA_DEPTH, "ORD %u, IRD of the initiator %u", reply->ord, request->ird);
	else if (request->ord == NOT_NEGOTIATED && reply->ird != NOT_NEGOTIATED)
		subject_break(subject, RULE_MPA_DEPTH, "IRD %u, ORD of the initiator is not negotiated", reply->ird);
}

static void take_setup(const struct subject *subject, struct state *state)
{
	const struct rtap_packet *packet = subject->packet;
	const struct rtap_mpa_facts *mpa = &packet->mpa;
	const struct rtap_layer *layer = NULL;

	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == PROTOCOL_MPA_REQUEST || packet->layers[i].protocol == PROTOCOL_MPA_REPLY)
			layer = &packet->layers[i];
	if (mpa->revision < 1 || mpa->revision > 2)
		subject_break(subject, RULE_MPA_REVISION, "revision %u", mpa->revision);
	/* after the key: M, C, R, S, four reserved bits */
	if (layer && layer->length > 16) {
		uint8_t flags = layer_bytes(packet, layer)[16];

		if (flags & (mpa->revision > 1 ? 0x0f : 0x1f) || (!mpa->is_reply && flags & 0x20))
			subject_break(subject, RULE_MPA_RESERVED, "flags 0x%02x", flags);
	}
	if (mpa->enhanced && !mpa->peer_to_peer && (mpa->rtr_send || mpa->rtr_write || mpa->rtr_read))
		subject_break(subject, RULE_MPA_MODEL, "A 0, B %u, C %u, D %u", mpa->rtr_send, mpa->rtr_write, mpa->rtr_read);
	if (mpa->is_reply && state->has_mpa[0])
		check_reply(subject, &state->mpa[0], mpa);
	state->mpa[mpa->is_reply] = *mpa;
	state->has_mpa[mpa->is_reply] = true;
	state->initiator = mpa->is_reply ? !subject->sender : subject->sender;
	/* FPDUs after too much private data may not be found */
	state->halves[subject->sender] = (struct half){
		.is_in_step = true, .was_whole = mpa->private_length <= MPA_MAX_PRIVATE, .end_known = true, .end = packet->tcp.sequence + packet->tcp.payload.wire };
}

/* The initiator's first FPDU, and FPDUs of the responder before it. RFC 5044, 7.1.2; RFC 6581, 9.2. */
static void check_first(const struct subject *subject, struct state *state, const struct rtap_iwarp_facts *facts)
{
	const struct half *half = &state->halves[subject->sender], *other = &state->halves[!subject->sender];
	const struct rtap_mpa_facts *reply = &state->mpa[1];
	bool fits;

	if (half->has_sent || !half->was_whole || !state->has_mpa[0] || !state->has_mpa[1])
		return;
	if (subject->sender != state->initiator) {
		state->early_open = !other->has_sent && other->was_whole && !subject->is_ahead;
		state->early = (struct check_origin){ subject->packet->frame->number, subject->packet->frame->time_ns, true };
		return;
	}
	if (state->early_open)
		subject_break_at(subject, &state->early, RULE_MPA_FIRST, "the first FPDU of the initiator follows in frame %llu",
				 (unsigned long long)subject->packet->frame->number);
	state->early_open = false;
	if (!reply->enhanced || !reply->peer_to_peer || !state->mpa[0].peer_to_peer)
		return;
	fits = (facts->opcode == RTAP_RDMAP_SEND && reply->rtr_send) || (facts->opcode == RTAP_RDMAP_WRITE && reply->rtr_write) ||
	       (facts->opcode == RTAP_RDMAP_READ_REQUEST && reply->rtr_read);
	if (!fits || facts->payload_length || (facts->has_read && facts->read_length))
		subject_break(subject, RULE_MPA_READY, "%s of %u bytes", iwarp_opcodes[facts->opcode].name ? iwarp_opcodes[facts->opcode].name : "opcode",
			      facts->has_read ? facts->read_length : facts->payload_length);
}

/* Fields of one segment. False: its opcode is unknown. */
static bool check_fields(const struct subject *subject, const struct rtap_fpdu *fpdu, const struct rtap_iwarp_facts *facts)
{
	const struct iwarp_opcode *opcode = &iwarp_opcodes[facts->opcode];
	uint32_t rest = fpdu->ulpdu_length - (facts->tagged ? 14u : 18u);

	if (fpdu->ulpdu_length > MOST_ULPDU)
		subject_break(subject, RULE_MPA_LENGTH, "%u bytes", fpdu->ulpdu_length);
	if (facts->ddp_version != 1)
		subject_break(subject, RULE_DDP_VERSION, "version %u", facts->ddp_version);
	if (facts->ddp_reserved)
		subject_break(subject, RULE_DDP_RESERVED, "bits 0x%x", facts->ddp_reserved);
	if (facts->rdmap_version != 1)
		subject_break(subject, RULE_RDMAP_VERSION, "version %u", facts->rdmap_version);
	if (facts->rdmap_reserved)
		subject_break(subject, RULE_RDMAP_RESERVED, "bits 0x%x", facts->rdmap_reserved);
	if (!opcode->name) {
		subject_break(subject, RULE_RDMAP_OPCODE, "opcode %u", facts->opcode);
		return false;
	}
	if (facts->tagged != opcode->tagged || (!facts->tagged && facts->qn != opcode->qn)) {
		subject_break(subject, RULE_RDMAP_QUEUE, "%s, tagged %u, queue %u", opcode->name, facts->tagged, facts->qn);
		return false;
	}
	if (!facts->tagged && !opcode->invalidates && facts->invalidate_stag)
		subject_break(subject, RULE_RDMAP_STAG, "%s with STag 0x%08x", opcode->name, facts->invalidate_stag);
	if (!facts->tagged && !opcode->has_payload && facts->opcode != RTAP_RDMAP_TERMINATE &&
	    (!facts->last || facts->mo || rest != opcode->header_length))
		subject_break(subject, RULE_RDMAP_SINGLE, "%s with L %u, offset %u and %u bytes", opcode->name, facts->last, facts->mo, rest);
	return true;
}

static void check_pad(const struct subject *subject, const struct rtap_fpdu *fpdu)
{
	uint32_t pad = fpdu_pad_length(fpdu->ulpdu_length), at = MPA_LENGTH_LENGTH + fpdu->ulpdu_length;

	if (fpdu->gap_count)
		return;
	for (uint32_t i = 0; i < pad; i++) {
		uint32_t offset = fpdu_offset(at + i, fpdu->first_marker);

		if (offset >= fpdu->bytes.length)
			break;
		if (fpdu->bytes.bytes[offset]) {
			subject_break(subject, RULE_MPA_PAD, "pad byte 0x%02x", fpdu->bytes.bytes[offset]);
			break;
		}
	}
}

static void check_terminate(const struct subject *subject, const struct rtap_fpdu *fpdu, const struct rtap_iwarp_facts *facts)
{
	struct iwarp_terminate terminate;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);

	if (facts->opcode != RTAP_RDMAP_TERMINATE || !facts->has_terminate || length < 18 + 4)
		return;
	iwarp_read_terminate(head + 18, length - 22, fpdu->ulpdu_length - 22u, &terminate);
	if (terminate.soft)
		subject_break(subject, RULE_RDMAP_TERMINATE_LAYOUT, "bytes 0x%02x 0x%02x 0x%02x", head[18], head[19], head[20]);
	if (!rdmap_code_name(terminate.layer, terminate.type, terminate.code))
		subject_break(subject, RULE_RDMAP_TERMINATE_CODE, "layer %u, type %u, code 0x%02x", terminate.layer, terminate.type, terminate.code);
}

static void check_untagged(const struct subject *subject, struct half *half, const struct rtap_iwarp_facts *facts)
{
	uint32_t queue = facts->qn;

	if (half->is_open && !half->is_open_tagged && facts->qn == half->open_qn && facts->msn == half->open_msn) {
		if (facts->mo != half->open_offset)
			subject_break(subject, RULE_DDP_OFFSET, "offset %u of MSN %u, expected %u", facts->mo, facts->msn, half->open_offset);
		return;
	}
	if (half->is_open)
		subject_break(subject, RULE_DDP_LAST, "MSN %u begins, the message before it has not ended", facts->msn);
	if (facts->mo && (half->has_sent || half->was_whole))
		subject_break(subject, RULE_DDP_OFFSET, "MSN %u begins with offset %u", facts->msn, facts->mo);
	if (half->has_msn[queue] && facts->msn != half->msn[queue] + 1)
		subject_break(subject, RULE_DDP_MSN, "MSN %u of queue %u after %u", facts->msn, queue, half->msn[queue]);
	else if (!half->has_msn[queue] && half->was_whole && facts->msn != 1)
		subject_break(subject, RULE_DDP_MSN_START, "MSN %u of queue %u", facts->msn, queue);
	half->has_msn[queue] = true;
	half->msn[queue] = facts->msn;
}

static void check_tagged(const struct subject *subject, const struct half *half, const struct rtap_iwarp_facts *facts)
{
	if (!half->is_open)
		return;
	if (!half->is_open_tagged || facts->opcode != half->open_opcode)
		subject_break(subject, RULE_DDP_LAST, "a tagged message begins, the message before it has not ended");
	else if (facts->stag != half->open_stag || facts->tagged_offset != half->open_to)
		subject_break(subject, RULE_DDP_TAGGED, "STag 0x%08x offset 0x%llx, expected 0x%08x offset 0x%llx", facts->stag,
			      (unsigned long long)facts->tagged_offset, half->open_stag, (unsigned long long)half->open_to);
}

/* Whether no FPDU of this size can be in the bytes after the last FPDU: one that is not whole yet, or FPDUs that were not found. */
static bool has_shown_all(const struct half *half, uint32_t size)
{
	return half->was_whole && half->end_known && (int32_t)(half->seen - half->end) < (int32_t)size;
}

#define READ_REQUEST_FPDU 52
#define READ_RESPONSE_FPDU 20 /* without data */

/* Read Requests and Read Responses, if both streams were seen from the beginning. */
static void check_reads(const struct subject *subject, struct state *state, const struct rtap_iwarp_facts *facts)
{
	struct half *half = &state->halves[subject->sender], *other = &state->halves[!subject->sender];
	const struct rtap_mpa_facts *reply = &state->mpa[1];
	uint32_t hidden = facts->opcode == RTAP_RDMAP_READ_RESPONSE ? READ_REQUEST_FPDU : READ_RESPONSE_FPDU;
	bool is_known = half->was_whole && has_shown_all(other, hidden) && state->has_mpa[0] && state->has_mpa[1];

	if (facts->opcode == RTAP_RDMAP_READ_RESPONSE && facts->last) {
		half->responses++;
		if (is_known && half->responses > other->reads && !subject->is_ahead) {
			subject_break(subject, RULE_RDMAP_UNREQUESTED, "%llu Read Responses, %llu Read Requests", (unsigned long long)half->responses,
				      (unsigned long long)other->reads);
			half->responses = other->reads;
		}
	}
	if (facts->opcode == RTAP_RDMAP_READ_REQUEST) {
		uint32_t most = subject->sender == state->initiator ? reply->ird : reply->ord;

		half->reads++;
		if (is_known && reply->enhanced && state->mpa[0].enhanced && most != NOT_NEGOTIATED && half->reads > other->responses &&
		    half->reads - other->responses > most && !subject->is_ahead)
			subject_break(subject, RULE_RDMAP_READ_DEPTH, "%llu outstanding, %u negotiated",
				      (unsigned long long)(half->reads - other->responses), most);
	}
}

/* The rules of one FPDU, without its place in the stream. Returns whether its headers were read; *is_known: whether its opcode is known. */
static bool check_alone(const struct subject *subject, const struct rtap_fpdu *fpdu, struct rtap_iwarp_facts *facts, bool *is_known)
{
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);
	enum result result = iwarp_read(head, length, fpdu->ulpdu_length, facts);

	/* of a message of one segment that is too short the header of DDP is known */
	if (result != OK && (result != MALFORMED || fpdu->ulpdu_length < (facts->tagged ? 14 : 18)))
		return false;
	if (!fpdu_markers_agree(fpdu))
		subject_break(subject, RULE_MPA_MARKER, "a marker does not point to ULPDU_Length");
	check_pad(subject, fpdu);
	check_terminate(subject, fpdu, facts);
	*is_known = check_fields(subject, fpdu, facts);
	return true;
}

static void take_fpdu(struct subject *subject, struct state *state, const struct rtap_fpdu *fpdu)
{
	struct half *half = &state->halves[subject->sender];
	struct rtap_iwarp_facts facts;
	bool is_known;

	if (!check_alone(subject, fpdu, &facts, &is_known)) {
		half->is_in_step = half->was_whole = false;
		return;
	}
	if (!is_known || !half->is_in_step)
		return;
	check_first(subject, state, &facts);
	if (half->has_terminated)
		subject_break(subject, RULE_RDMAP_TERMINATED, "%s after a Terminate", iwarp_opcodes[facts.opcode].name);
	if (facts.tagged)
		check_tagged(subject, half, &facts);
	else if (facts.qn < QUEUES)
		check_untagged(subject, half, &facts);
	check_reads(subject, state, &facts);
	half->has_sent = true;
	half->has_terminated |= facts.opcode == RTAP_RDMAP_TERMINATE;
	half->is_open = !facts.last;
	half->is_open_tagged = facts.tagged;
	half->open_opcode = facts.opcode;
	half->open_msn = facts.msn;
	half->open_qn = facts.qn;
	half->open_offset = facts.mo + facts.payload_length;
	half->open_stag = facts.stag;
	half->open_to = facts.tagged_offset + facts.payload_length;
}

/* After a gap the state of the stream is unknown; checks restart with the next two consecutive segments. */
static void lose_step(struct half *half)
{
	uint64_t reads = half->reads, responses = half->responses;

	*half = (struct half){ .reads = reads, .responses = responses };
}

/* The next FPDU is the first one known. */
static void restart(struct half *half)
{
	uint32_t end = half->end;
	bool end_known = half->end_known;

	lose_step(half);
	half->is_in_step = true;
	half->end = end;
	half->end_known = end_known;
}

/*
 * Whether the FPDU begins where the last one ended. After a gap, FPDUs in several segments may not be found. One that is not in the packet as a whole
 * ends in it.
 */
static bool follows(const struct rtap_packet *packet, struct half *half, const struct rtap_fpdu *fpdu)
{
	const struct rtap_tcp_facts *tcp = &packet->tcp;
	uintptr_t at = (uintptr_t)fpdu->bytes.bytes, payload = (uintptr_t)packet->sources[tcp->payload.source].bytes + tcp->payload.offset;
	uint32_t end = half->end + fpdu->bytes.length;
	bool is_inside = at >= payload && at - payload < tcp->payload.captured, was_known = half->end_known, is_next;

	if (is_inside)
		end = tcp->sequence + (uint32_t)(at - payload) + fpdu->bytes.length;
	is_next = was_known && (is_inside ? end - fpdu->bytes.length == half->end :
				(int32_t)(end - tcp->sequence) > 0 && (int32_t)(end - tcp->sequence - tcp->payload.wire) <= 0);
	half->end_known = is_inside || is_next;
	half->end = end;
	return is_next;
}

/* FPDUs that can be trusted: found for sure, and without errors of the network. */
static bool is_certain(const struct rtap_fpdu *fpdu)
{
	return fpdu->framing != RTAP_FPDU_RECOVERED_NO_CRC && fpdu->crc_status != RTAP_CRC_BAD && !fpdu->gap_count;
}

static void check_repeat(const struct subject *subject)
{
	struct iwarp_walk walk;
	const struct rtap_fpdu *fpdu;
	struct rtap_iwarp_facts facts;
	bool is_known;

	iwarp_walk_init(&walk, subject->packet);
	while ((fpdu = iwarp_next_fpdu(&walk)))
		if (is_certain(fpdu))
			(void)check_alone(subject, fpdu, &facts, &is_known);
}

void iwarp_rules_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	struct iwarp_walk walk;
	const struct rtap_fpdu *fpdu;
	struct state *state;
	struct half *half;

	check_anomalies(subject);
	if (!packet->mpa.present && !packet->fpdus.count && !(subject->connection && subject->connection->groups[CHECK_GROUP_IWARP]))
		return;
	if (is_repeat(packet)) {
		check_repeat(subject);
		return;
	}
	state = subject_state(subject, CHECK_GROUP_IWARP, sizeof *state);
	if (!state)
		return;
	half = &state->halves[subject->sender];
	if (!is_in_order(packet) || subject->is_beyond)
		lose_step(half);
	if (packet->mpa.present && is_in_order(packet))
		take_setup(subject, state);
	half->seen = packet->tcp.sequence + packet->tcp.payload.wire;
	iwarp_walk_init(&walk, packet);
	while ((fpdu = iwarp_next_fpdu(&walk))) {
		if (!is_certain(fpdu) || iwarp_is_late(packet, fpdu))
			lose_step(half);
		else if (!follows(packet, half, fpdu))
			restart(half);
		if (is_certain(fpdu))
			take_fpdu(subject, state, fpdu);
	}
	/* FPDUs in truncated bytes are not visible, and those in bytes captured earlier are over */
	if (packet->frame->captured_length < packet->frame->wire_length || subject->is_behind)
		lose_step(half);
	else if (packet->flow.tcp_analysis == RTAP_TCP_NEW)
		half->is_in_step = true;
}
