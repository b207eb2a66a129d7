/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_opcode.h"
#include "output/check/ib_sequence.h"
#include "output/check/subject.h"

/* Number of requests kept per direction. */
#define REQUESTS 128
#define PSN_MASK 0xffffffu
/* Shortest time after which a request is taken to be sent again without a response, if communication management gives no timeout. */
#define SHORTEST_TIMEOUT_NS 1000000

/* A request message or the packet of one: its PSNs and class. */
struct request {
	uint32_t psn, count;     /* count 0: unknown, one or more */
	uint32_t length;         /* DMA length of a READ */
	uint8_t class;           /* enum ib_class */
	bool is_new;             /* sent for the first time */
	bool is_done;            /* its last response was seen */
	uint64_t frame;
	int64_t time_ns;
};

/* State of the packets that one end sent. */
struct half {
	/* requests */
	bool has_sent, next_known;
	uint32_t next;           /* PSN after those of the last request packet */
	uint8_t opcode;          /* of the last request packet */
	bool write_known;        /* a WRITE First and all packets after it were seen */
	uint64_t write_length, write_sum;
	uint32_t payload;        /* of First and Middle packets; 0: none seen */
	struct request requests[REQUESTS];
	unsigned request_next;
	uint32_t end;            /* PSN after the highest one of the requests */
	uint64_t repeat_frame;   /* of the last request packet that was sent again */
	bool is_ahead;           /* it answered requests that were captured later, if at all: so may be responses that it had when it sent requests */
	/* an RNR NAK that this end received and did not answer by a retry */
	bool rnr_open;
	uint32_t rnr_psn;
	int64_t rnr_time_ns, rnr_wait_ns;
	int64_t rnr_sent_ns;     /* when the request that it refuses was sent */
	uint8_t retry_cause;     /* enum rtap_recovery; with the two below: retries of one PSN for one cause */
	uint32_t retry_psn;
	unsigned retries;
	/* a response that was captured before this end's request with that PSN */
	enum { EARLY_NONE, EARLY_UNSENT, EARLY_SENT } early_state;
	uint32_t early_psn, early_msn;
	struct check_origin early;
	uint64_t early_request;  /* its frame, once it was sent */
	/* responses that this end sent */
	bool has_responded, has_acked;
	uint32_t response_psn, response_msn; /* of the one with the highest PSN */
	uint32_t acked_psn, acked_msn;       /* highest PSN acknowledged */
	/* fields that do not change */
	bool has_flags, migration;
	uint16_t p_key;
	uint64_t marks, cnps;    /* packets with congestion experienced that this end sent, CNPs that it received */
	/* the first CNP above `marks`, until later packets show that none before it is missing; frame 0: none */
	struct check_origin excess;
	unsigned excess_left;    /* such packets that are still awaited */
	uint64_t excess_marks;   /* `marks` at that time */
	bool marks_responses;    /* some of them were responses, of which nothing shows that one is missing */
};

struct state {
	struct half halves[2];
	bool is_certain;         /* both directions are of one connection: a response with data answered its request */
};

static int32_t psn_distance(uint32_t from, uint32_t to)
{
	return (int32_t)((to - from) << 8) >> 8;
}

/* Path MTU of the connection in bytes; 0: unknown. */
static uint32_t path_mtu(const struct subject *subject, const struct state *state)
{
	for (unsigned i = 0; i < 2; i++)
		if (state->halves[i].payload)
			return state->halves[i].payload;
	return subject->connection->setup ? subject->connection->setup->path_mtu : 0;
}

static bool is_repeated(const struct rtap_packet *packet)
{
	return packet->flow.analysis == RTAP_PSN_CAPTURED_TWICE || packet->flow.analysis == RTAP_PSN_DUPLICATE;
}

/* The newest request that has the PSN. */
static struct request *request_at(struct half *half, uint32_t psn)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		struct request *request = &half->requests[(half->request_next + REQUESTS - 1 - i) % REQUESTS];
		int32_t at = psn_distance(request->psn, psn);

		if (request->frame && (at == 0 || (at > 0 && (uint32_t)at < request->count)))
			return request;
	}
	return NULL;
}

static void check_order(const struct subject *subject, const struct half *half, const struct ib_opcode *opcode)
{
	const struct ib_opcode *before = &ib_opcodes[half->opcode];
	bool is_open = before->place == IB_FIRST || before->place == IB_MIDDLE;
	bool continues = opcode->place == IB_MIDDLE || opcode->place == IB_LAST;

	if (is_open == continues && (!is_open || before->class == opcode->class))
		return;
	subject_break(subject, RULE_IB_OPCODE_SEQUENCE, "%s after %s of PSN %u", opcode->name, before->name, (half->next - 1) & PSN_MASK);
}

static void check_write(const struct subject *subject, struct half *half, const struct ib_opcode *opcode, bool follows)
{
	const struct rtap_packet *packet = subject->packet;

	if (opcode->class != IB_WRITE)
		return;
	if (opcode->place == IB_FIRST) {
		half->write_known = packet->ib.has_reth;
		half->write_length = packet->ib.dma_length;
		half->write_sum = packet->payload.wire;
		return;
	}
	half->write_known &= follows;
	if (!half->write_known || opcode->place == IB_ONLY)
		return;
	half->write_sum += packet->payload.wire;
	if (half->write_sum > half->write_length || (opcode->place == IB_LAST && half->write_sum != half->write_length)) {
		subject_break(subject, RULE_IB_WRITE_LENGTH, "%llu bytes, DMA length %llu", (unsigned long long)half->write_sum,
			      (unsigned long long)half->write_length);
		half->write_known = false;
	}
	if (opcode->place == IB_LAST)
		half->write_known = false;
}

/* First and Middle packets of requests and of READ responses. */
static void check_payload(const struct subject *subject, struct half *half, const struct ib_opcode *opcode)
{
	uint32_t length = subject->packet->payload.wire;
	const struct setup *setup = subject->connection->setup;

	if (setup && setup->path_mtu && length > setup->path_mtu)
		subject_break(subject, RULE_IB_MTU_EXCEEDED, "%s with %u bytes, path MTU %u", opcode->name, length, setup->path_mtu);
	if (opcode->place != IB_FIRST && opcode->place != IB_MIDDLE)
		return;
	if (half->payload && half->payload != length)
		subject_break(subject, RULE_IB_MTU_CHANGED, "%s with %u bytes, before with %u", opcode->name, length, half->payload);
	/* the path MTU stays that of the first packet: later packets of it are right */
	if (!half->payload && ib_is_path_mtu(length))
		half->payload = length;
}

/*
 * The request to which a response came too early, if it follows the ones before it without a gap. Captures can have packets of the two
 * directions in another order; so it takes a second response, with another MSN, to prove that the first one was not that to this request.
 */
static void note_early_request(const struct subject *subject, struct half *half, bool is_next)
{
	uint32_t psn = subject->packet->ib.psn;

	if (half->early_state == EARLY_UNSENT && is_next && psn == half->early_psn) {
		half->early_state = EARLY_SENT;
		half->early_request = subject->packet->frame->number;
	} else if (half->early_state == EARLY_UNSENT ? psn_distance(half->early_psn, psn) >= 0 : psn_distance(psn, half->early_psn) >= 0) {
		/* after a gap, or sent again, which has a second response too */
		half->early_state = EARLY_NONE;
	}
}

/* The second response to that request. */
static void check_early(struct subject *subject, struct half *requester)
{
	const struct rtap_packet *packet = subject->packet;

	if (requester->early_state != EARLY_SENT || psn_distance(requester->early_psn, packet->ib.psn) < 0)
		return;
	if (packet->ib.psn == requester->early_psn && packet->ib.has_aeth && packet->ib.msn != requester->early_msn)
		subject_break_at(subject, &requester->early, RULE_IB_ACK_UNSENT, "response to PSN %u, which is sent in frame %llu and answered again "
				 "in frame %llu", requester->early_psn, (unsigned long long)requester->early_request,
				 (unsigned long long)packet->frame->number);
	requester->early_state = EARLY_NONE;
}

/*
 * A request must not be sent again before the time in its RNR NAK is over. IBTA vol. 1, 9.7.5.2.8. But the NAK may have been lost after the capture
 * point, or the retry sent before it arrived: for a sequence NAK, a READ response that is missing, or after a timeout. So two retries prove
 * nothing: one among others that began at an earlier PSN, and one after the time for which an end waits for a response.
 */
static void check_rnr(const struct subject *subject, struct half *half, bool follows)
{
	const struct rtap_packet *packet = subject->packet;
	const struct setup *setup = subject->connection->setup;
	int64_t waited = packet->frame->time_ns - half->rnr_time_ns, timeout_ns = SHORTEST_TIMEOUT_NS;

	if (!half->rnr_open || packet->ib.psn != half->rnr_psn)
		return;
	half->rnr_open = false;
	if (setup && setup->ack_timeout_ns)
		timeout_ns = setup->ack_timeout_ns;
	if (follows || packet->frame->time_ns - half->rnr_sent_ns >= timeout_ns)
		return;
	if (waited < half->rnr_wait_ns)
		subject_break(subject, RULE_IB_RNR_EARLY, "PSN %u again after %.3f ms, RNR timer %.3f ms", packet->ib.psn, (double)waited / 1e6,
			      (double)half->rnr_wait_ns / 1e6);
}

static void check_retries(const struct subject *subject, struct half *half)
{
	const struct setup *setup = subject->connection->setup;
	uint8_t recovery = subject->packet->flow.recovery;
	unsigned most;

	if (recovery == RTAP_RECOVERY_NONE || !setup)
		return;
	half->retries = recovery == half->retry_cause && subject->packet->ib.psn == half->retry_psn ? half->retries + 1 : 1;
	half->retry_cause = recovery;
	half->retry_psn = subject->packet->ib.psn;
	most = setup->ends[subject->sender].rnr_retry_count;
	if (recovery == RTAP_RECOVERY_TIMEOUT && half->retries > setup->retry_count)
		subject_break(subject, RULE_IB_RETRY_COUNT, "retry %u of PSN %u, Retry Count %u", half->retries, half->retry_psn, setup->retry_count);
	if (recovery == RTAP_RECOVERY_RNR && most < 7 && half->retries > most)
		subject_break(subject, RULE_IB_RNR_RETRY_COUNT, "retry %u of PSN %u, RNR Retry Count %u", half->retries, half->retry_psn, most);
}

static void note_request(const struct subject *subject, struct half *half, const struct ib_opcode *opcode, uint32_t count)
{
	const struct rtap_packet *packet = subject->packet;

	half->requests[half->request_next] = (struct request){
		.psn = packet->ib.psn, .count = count, .length = packet->ib.dma_length, .class = opcode->class,
		.is_new = packet->flow.analysis == RTAP_PSN_IN_ORDER, .frame = packet->frame->number, .time_ns = packet->frame->time_ns,
	};
	half->request_next = (half->request_next + 1) % REQUESTS;
}

/* Number of PSNs that a request occupies; 0: unknown. IBTA vol. 1, 9.7.3.1. */
static uint32_t psn_count(const struct subject *subject, const struct state *state, const struct ib_opcode *opcode)
{
	uint32_t mtu = path_mtu(subject, state), length = subject->packet->ib.dma_length;

	if (opcode->class == IB_READ_REQUEST && !subject->packet->ib.has_reth)
		return 0;
	if (opcode->class != IB_READ_REQUEST || length <= 256)
		return 1;
	return mtu ? length / mtu + (length % mtu != 0) : 0;
}

static void take_request(struct subject *subject, struct state *state, const struct ib_opcode *opcode)
{
	const struct rtap_packet *packet = subject->packet;
	struct half *half = &state->halves[subject->sender];
	const struct setup *setup = subject->connection->setup;
	uint32_t psn = packet->ib.psn, count = psn_count(subject, state, opcode);
	bool follows = half->next_known && psn == half->next;

	if (is_repeated(packet) || packet->flow.analysis == RTAP_PSN_RETRANSMISSION)
		half->repeat_frame = packet->frame->number;
	half->rnr_open &= psn_distance(half->rnr_psn, psn) >= 0;
	if (is_repeated(packet))
		return;
	if (!half->has_sent && setup && !setup->is_resumed) {
		int32_t since = psn_distance(setup->ends[subject->sender].starting_psn, psn);

		if (since < 0)
			subject_break(subject, RULE_IB_START_PSN, "PSN %u, starting PSN %u", psn, setup->ends[subject->sender].starting_psn);
		subject->is_gap |= since > 0;
	}
	if (!half->has_sent || psn_distance(half->end, psn + (count ? count : 1)) > 0)
		half->end = (psn + (count ? count : 1)) & PSN_MASK;
	half->has_sent = true;
	note_early_request(subject, half, follows && packet->flow.analysis != RTAP_PSN_RETRANSMISSION);
	if (follows)
		check_order(subject, half, opcode);
	check_write(subject, half, opcode, follows);
	check_payload(subject, half, opcode);
	check_rnr(subject, half, follows);
	check_retries(subject, half);
	note_request(subject, half, opcode, count);
	half->opcode = packet->ib.opcode;
	half->next = (psn + (count ? count : 1)) & PSN_MASK;
	half->next_known = count > 0;
}

/* More READs and atomics were sent than the responder can serve before it served this one. */
static void check_depth(const struct subject *subject, struct half *half, struct request *done)
{
	const struct setup *setup = subject->connection->setup;
	const struct request *last = NULL;
	unsigned outstanding = 0, most;

	if (!setup || half->is_ahead || !done->is_new || done->is_done)
		return;
	most = setup->ends[subject->sender].responder_resources;
	for (unsigned i = 0; i < REQUESTS; i++) {
		const struct request *request = &half->requests[i];

		if (!request->frame || (request->class != IB_READ_REQUEST && request->class != IB_ATOMIC) || request->frame < done->frame)
			continue;
		/* sent again: its response may have been seen by the requester and not here */
		if (!request->is_new)
			return;
		outstanding++;
		if (!last || request->frame > last->frame)
			last = request;
	}
	if (outstanding > most && last)
		subject_break_at(subject, &(struct check_origin){ last->frame, last->time_ns, true }, RULE_IB_READ_DEPTH,
				 "%u outstanding, responder resources %u", outstanding, most);
}

static void check_read_response(const struct subject *subject, const struct state *state, const struct request *request,
				const struct ib_opcode *opcode)
{
	uint32_t psn = subject->packet->ib.psn, mtu = path_mtu(subject, state), at = (uint32_t)psn_distance(request->psn, psn), length;
	bool is_last = at + 1 == request->count, ends = opcode->place == IB_LAST || opcode->place == IB_ONLY;

	if (request->class != IB_READ_REQUEST || !request->count || !mtu)
		return;
	if (is_last != ends) {
		subject_break(subject, RULE_IB_READ_PLACE, "%s for packet %u of %u", opcode->name, at + 1, request->count);
		return;
	}
	length = is_last ? request->length - mtu * (request->count - 1) : mtu;
	if (subject->packet->payload.wire != length)
		subject_break(subject, RULE_IB_READ_LENGTH, "%u bytes for packet %u of %u, expected %u", subject->packet->payload.wire, at + 1,
			      request->count, length);
}

/*
 * A SEND or WRITE that came again is acknowledged with the PSN of the last request, whatever its kind. IBTA vol. 1, C9-105. If the capture
 * began later than the connection, both may have been sent before.
 */
static bool is_acknowledged_again(const struct half *requester, const struct request *request, uint32_t psn, bool has_beginning)
{
	bool is_last = !request->count || (uint32_t)psn_distance(request->psn, psn) + 1 == request->count;

	return is_last && (!has_beginning || !request->is_new || requester->repeat_frame > request->frame);
}

static void check_answer(const struct subject *subject, struct state *state, const struct ib_opcode *opcode)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	struct request *request = request_at(&state->halves[!subject->sender], ib->psn);
	bool is_nak = opcode->class == IB_ACKNOWLEDGE && ib->aeth_kind != RTAP_AETH_ACK, fits;

	if (!request || is_nak)
		return;
	switch (request->class) {
	case IB_READ_REQUEST: fits = opcode->class == IB_READ_RESPONSE; break;
	case IB_ATOMIC: fits = opcode->class == IB_ATOMIC_ACKNOWLEDGE; break;
	case IB_FLUSH: case IB_ATOMIC_WRITE: fits = opcode->class != IB_ATOMIC_ACKNOWLEDGE; break;
	default: fits = opcode->class == IB_ACKNOWLEDGE; break;
	}
	if (!fits && opcode->class == IB_ACKNOWLEDGE &&
	    is_acknowledged_again(&state->halves[!subject->sender], request, ib->psn, subject->connection->setup))
		return;
	state->is_certain |= subject->connection->setup || (fits && opcode->class != IB_ACKNOWLEDGE);
	if (!fits) {
		if (state->is_certain)
			subject_break(subject, RULE_IB_RESPONSE_KIND, "%s to PSN %u, the request in frame %llu is of another kind", opcode->name,
				      ib->psn, (unsigned long long)request->frame);
		return;
	}
	if (opcode->class == IB_READ_RESPONSE)
		check_read_response(subject, state, request, opcode);
	if (opcode->class == IB_ATOMIC_ACKNOWLEDGE || (request->class == IB_READ_REQUEST && (opcode->place == IB_LAST || opcode->place == IB_ONLY))) {
		check_depth(subject, &state->halves[!subject->sender], request);
		request->is_done = true;
	}
}

/*
 * The MSN must not grow faster than the PSN. A READ response and an atomic acknowledge have the MSN of when they are sent: later requests may have
 * been carried out before, whether they were captured or not. The next acknowledge shows what is wrong with it.
 */
static void check_msn(const struct subject *subject, struct half *half, bool is_data)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	/* a NAK has the PSN of a request that was not carried out */
	uint32_t psn = ib->aeth_kind == RTAP_AETH_ACK ? ib->psn : (ib->psn - 1) & PSN_MASK;
	int32_t by_psn = psn_distance(half->response_psn, psn), by_msn = psn_distance(half->response_msn, ib->msn);

	if (half->has_responded && by_psn <= 0)
		return;
	if (half->has_responded && by_msn < 0)
		subject_break(subject, RULE_IB_MSN_ORDER, "MSN %u at PSN %u after MSN %u at PSN %u", ib->msn, ib->psn, half->response_msn,
			      half->response_psn);
	else if (half->has_responded && by_msn > by_psn && is_data)
		return;
	else if (half->has_responded && by_msn > by_psn)
		subject_break(subject, RULE_IB_MSN_JUMP, "MSN grew by %d, the PSN by %d", by_msn, by_psn);
	half->has_responded = true;
	half->response_psn = psn;
	half->response_msn = ib->msn;
}

static void check_nak(const struct subject *subject, struct half *half)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	bool is_ack = ib->aeth_kind == RTAP_AETH_ACK;

	/* by its MSN it was not sent before the acknowledge */
	if (ib->aeth_kind == RTAP_AETH_NAK && ib->aeth_value == RTAP_NAK_SEQUENCE_ERROR && half->has_acked &&
	    psn_distance(ib->psn, half->acked_psn) >= 0 && psn_distance(half->acked_msn, ib->msn) > 0)
		subject_break(subject, RULE_IB_NAK_ACKED, "NAK of PSN %u, PSN %u was acknowledged", ib->psn, half->acked_psn);
	if (is_ack && (!half->has_acked || psn_distance(half->acked_psn, ib->psn) > 0)) {
		half->has_acked = true;
		half->acked_psn = ib->psn;
		half->acked_msn = ib->msn;
	}
}

/* A response to a request that was not captured, at least not yet. */
static void note_early(struct subject *subject, struct half *half, struct half *requester)
{
	const struct rtap_packet *packet = subject->packet;
	int32_t ahead = psn_distance(requester->next, packet->ib.psn);

	subject->is_gap |= !requester->has_sent;
	half->is_ahead |= !requester->has_sent;
	if (!requester->next_known || ahead < 0 || ahead > 1 << 16)
		return;
	subject->is_gap = half->is_ahead = true;
	/* a sequence NAK has the PSN of a request that was not received, an RNR NAK that of one that is sent and answered again */
	if (requester->early_state == EARLY_UNSENT || !packet->ib.has_aeth || packet->ib.aeth_kind == RTAP_AETH_NAK ||
	    packet->ib.aeth_kind == RTAP_AETH_RNR_NAK)
		return;
	requester->early_state = EARLY_UNSENT;
	requester->early_psn = packet->ib.psn;
	requester->early_msn = packet->ib.msn;
	requester->early = (struct check_origin){ packet->frame->number, packet->frame->time_ns, true };
}

static void note_rnr(const struct rtap_packet *packet, struct half *requester)
{
	const struct request *request = request_at(requester, packet->ib.psn);

	if (packet->ib.aeth_kind == RTAP_AETH_NAK)
		requester->rnr_open &= packet->ib.psn != requester->rnr_psn;
	if (packet->ib.aeth_kind != RTAP_AETH_RNR_NAK)
		return;
	/* without a transmission since the last one, that which it refuses was not captured, at least not yet */
	requester->rnr_open = request && (requester->rnr_psn != packet->ib.psn || request->time_ns > requester->rnr_time_ns);
	requester->rnr_psn = packet->ib.psn;
	requester->rnr_time_ns = packet->frame->time_ns;
	requester->rnr_wait_ns = (int64_t)ib_rnr_timer_us(packet->ib.aeth_value) * 1000;
	requester->rnr_sent_ns = request ? request->time_ns : 0;
}

static void take_response(struct subject *subject, struct state *state, const struct ib_opcode *opcode)
{
	const struct rtap_packet *packet = subject->packet;
	struct half *half = &state->halves[subject->sender], *requester = &state->halves[!subject->sender];

	check_early(subject, requester);
	if (is_repeated(packet))
		return;
	note_early(subject, half, requester);
	/* a response resets the count of retries after timeouts */
	if (requester->retry_cause == RTAP_RECOVERY_TIMEOUT)
		requester->retries = 0;
	if (opcode->class == IB_READ_RESPONSE)
		check_payload(subject, half, opcode);
	if (packet->flow.analysis == RTAP_PSN_IN_ORDER || packet->flow.analysis == RTAP_PSN_NONE || packet->flow.analysis == RTAP_PSN_GAP)
		check_answer(subject, state, opcode);
	if (!packet->ib.has_aeth)
		return;
	check_nak(subject, half);
	check_msn(subject, half, opcode->class != IB_ACKNOWLEDGE);
	note_rnr(packet, requester);
}

/* P_Key and MigReq, in all packets. */
static void check_flags(const struct subject *subject, struct state *state)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;
	struct half *half = &state->halves[subject->sender], *other = &state->halves[!subject->sender];
	const struct setup *setup = subject->connection->setup;
	/* without the setup it is not certain that the two directions are of one connection */
	const struct half *known = half->has_flags || !setup ? half : other;
	bool is_changed = known->has_flags && (known->p_key & 0x7fff) != (ib->p_key & 0x7fff);

	if (is_changed)
		subject_break(subject, RULE_IB_P_KEY_CHANGED, "P_Key 0x%04x, before 0x%04x", ib->p_key, known->p_key);
	if (setup && other->has_flags && !half->has_flags && !((other->p_key | ib->p_key) & 0x8000))
		subject_break(subject, RULE_IB_P_KEY_LIMITED, "P_Key 0x%04x and 0x%04x", ib->p_key, other->p_key);
	if (half->has_flags && half->migration != ib->migration_request && setup && !setup->alternate_path)
		subject_break(subject, RULE_IB_MIGRATION, "MigReq %u, before %u", ib->migration_request, half->migration);
	half->has_flags = true;
	/* the partition of the connection stays that of its first packet: later packets of it are right */
	half->p_key = is_changed ? known->p_key : ib->p_key;
	half->migration = ib->migration_request;
}

#define REQUESTS_AFTER_CNP 4

/* CNPs require packets with congestion experienced, if any of these pass the capture point. */
static void check_congestion(const struct subject *subject, struct state *state, const struct ib_opcode *opcode)
{
	struct half *half = &state->halves[subject->sender], *marked = &state->halves[!subject->sender];
	bool is_marked = (subject->packet->traffic_class & 3) == 3;

	if (opcode->class != IB_CONGESTION) {
		half->marks += is_marked;
		half->marks_responses |= is_marked && opcode->is_response;
		return;
	}
	marked->cnps++;
	/* from the middle or with packets missing, a capture does not have all marks */
	if (!subject->connection->setup || subject->connection->had_gap || marked->cnps <= marked->marks)
		return;
	if (marked->marks && !marked->excess.frame) {
		marked->excess = (struct check_origin){ subject->packet->frame->number, subject->packet->frame->time_ns, true };
		marked->excess_marks = marked->marks;
		marked->excess_left = REQUESTS_AFTER_CNP;
	}
	/* later ones are counted anew */
	marked->cnps = marked->marks;
}

/* Whether later requests show that no marked packet is missing before the CNP. */
static void settle_excess(const struct subject *subject, struct half *half)
{
	if (!half->excess.frame)
		return;
	if (subject->is_gap || subject->connection->had_gap || half->marks_responses) {
		half->excess.frame = 0;
		return;
	}
	if (--half->excess_left)
		return;
	subject_break_at(subject, &half->excess, RULE_IB_CNP_MARKS, "%llu CNPs, %llu packets with congestion experienced",
			 (unsigned long long)half->excess_marks + 1, (unsigned long long)half->excess_marks);
	half->excess.frame = 0;
}

void ib_sequence_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct state *state;

	if (opcode->class == IB_RESERVED || ib_service(packet->ib.opcode) == IB_UD || ib_service(packet->ib.opcode) == IB_RD ||
	    packet->ib.icrc_status == RTAP_CRC_BAD)
		return;
	state = subject_state(subject, CHECK_GROUP_IB, sizeof *state);
	if (!state)
		return;
	if (packet->flow.analysis == RTAP_PSN_RESYNCHRONISED) {
		state->halves[subject->sender] = (struct half){ 0 };
		state->halves[!subject->sender] = (struct half){ 0 };
		check_memory_forget_setup(subject->memory, subject->connection);
	}
	check_congestion(subject, state, opcode);
	if (opcode->class == IB_CONGESTION)
		return;
	check_flags(subject, state);
	if (opcode->is_response)
		take_response(subject, state, opcode);
	else
		take_request(subject, state, opcode);
	if (!opcode->is_response)
		settle_excess(subject, &state->halves[subject->sender]);
}
