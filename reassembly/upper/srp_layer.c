/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SCSI RDMA Protocol as an upper layer.
 */
#include "config.h"

#include "dissect/dissect.h"
#include "dissect/engine/crc32.h"
#include "dissect/scsi/scsi.h"
#include "dissect/scsi/srp.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/message_extent.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/scsi_memory.h"
#include "reassembly/upper/srp_layer.h"
#include "reassembly/upper/upper_layers.h"

#define MOST_PIECES 512        /* both directions have up to 255 descriptors */
#define INDIRECT_LENGTH 20      /* before the descriptors: that of the table, and the length of all data */
#define LENGTH_AT 12           /* bytes, of a descriptor */

/* A SEND's bytes. */
struct unit {
	const uint8_t *bytes;
	uint32_t length;           /* bytes captured without a gap */
};

static struct unit unit_of(const struct rtap_packet *packet)
{
	const struct rtap_layer *layer = packet->layers;

	while (layer < packet->layers + packet->layer_count && layer->protocol != PROTOCOL_SRP_COMMAND && layer->protocol != PROTOCOL_SRP_RESPONSE &&
	       layer->protocol != PROTOCOL_SRP_TASK)
		layer++;
	if (layer == packet->layers + packet->layer_count)
		return (struct unit){ NULL, 0 };
	return (struct unit){ layer_bytes(packet, layer), layer_rest(packet, layer).captured };
}

/*
 * The descriptors of one direction, in a command from `at` on. If the table of an indirect buffer has more than the command contains, the
 * target reads the table.
 */
struct buffer {
	uint32_t at, length;
	bool is_out, is_indirect, is_partial;
	uint64_t data_length;      /* bytes of all data */
};

static struct buffer buffer_of(const struct unit *unit, bool is_out, uint32_t at)
{
	uint64_t format = is_out ? bits(unit->bytes, SRP_OUT_FORMAT) : bits(unit->bytes, SRP_IN_FORMAT);
	uint64_t count = is_out ? bits(unit->bytes, SRP_OUT_COUNT) : bits(unit->bytes, SRP_IN_COUNT);
	struct buffer buffer = { .at = at, .length = srp_descriptor_length(unit->bytes, is_out), .is_out = is_out, .is_indirect = format == SRP_INDIRECT };

	if (buffer.length == UINT32_MAX)
		buffer.length = 0;
	if ((format != SRP_DIRECT && format != SRP_INDIRECT) || at + (format == SRP_DIRECT ? SRP_DESCRIPTOR_LENGTH : INDIRECT_LENGTH) > unit->length)
		return buffer;
	buffer.data_length = load32(unit->bytes + at + (format == SRP_DIRECT ? LENGTH_AT : INDIRECT_LENGTH - 4));
	buffer.is_partial = buffer.is_indirect && load32(unit->bytes + at + LENGTH_AT) > count * SRP_DESCRIPTOR_LENGTH;
	return buffer;
}

/* Adds the memory of a buffer, or of its table. Truncated descriptors stay unknown. */
static void add_pieces(const struct unit *unit, const struct buffer *buffer, struct scsi_piece *pieces, uint32_t *count)
{
	uint32_t at = buffer->at + (buffer->is_indirect && !buffer->is_partial ? INDIRECT_LENGTH : 0);
	uint32_t end = buffer->is_partial ? at + SRP_DESCRIPTOR_LENGTH : buffer->at + buffer->length;

	for (; at + SRP_DESCRIPTOR_LENGTH <= end && at + SRP_DESCRIPTOR_LENGTH <= unit->length && *count < MOST_PIECES; at += SRP_DESCRIPTOR_LENGTH) {
		const uint8_t *descriptor = unit->bytes + at;

		pieces[(*count)++] = (struct scsi_piece){
			.address = load64(descriptor), .key = load32(descriptor + 8), .length = load32(descriptor + LENGTH_AT), .is_out = buffer->is_out,
		};
	}
}

/*
 * Position of `length` bytes of immediate data in a SEND: they end it, and cannot begin before `at`, the end of the command's header. Of a SEND
 * without its last packet only the login shows it. UINT64_MAX: unknown, or there are not as many.
 */
static uint64_t immediate_at(const struct upper_work *work, const struct unit *unit, uint32_t at, uint32_t length)
{
	const struct message *send = work->message;
	uint64_t known = send ? message_known_length(send) : 0, end = known > unit->length ? known : unit->length;

	if (send && !send->has_last) {
		const struct scsi_session *session = work->connection->upper_state;

		return session->immediate_at >= at ? session->immediate_at : UINT64_MAX;
	}
	return at <= end && length <= end - at ? end - length : UINT64_MAX;
}

static void add_immediate(const struct upper_work *work, const struct unit *unit, uint32_t at, uint32_t length, struct scsi_command_unit *sent)
{
	uint64_t begin = immediate_at(work, unit, at, length);

	if (begin == UINT64_MAX && (!work->message || work->message->has_last))
		return;
	sent->carried_length = length;
	if (begin < unit->length)
		sent->carried = (struct rtap_span){ unit->bytes + begin, unit->length - (uint32_t)begin < length ? unit->length - (uint32_t)begin : length };
}

static uint32_t additional_length(const struct unit *unit)
{
	return (uint32_t)bits(unit->bytes, SRP_ADDITIONAL_CDB) * 4;
}

static void take_command(struct upper_work *work, const struct unit *unit)
{
	struct scsi_piece pieces[MOST_PIECES];
	uint32_t more = additional_length(unit), at = SRP_COMMAND_LENGTH + more, count = 0;
	struct buffer out = buffer_of(unit, true, at), in = buffer_of(unit, false, at + out.length);
	struct scsi_command_unit sent = {
		.tag = bits(unit->bytes, SRP_TAG), .lun = scsi_lun(unit->bytes + SRP_LUN_AT), .cdb = unit->bytes + SRP_CDB_AT,
		.cdb_length = at <= unit->length ? SCSI_CDB_LENGTH + more : SCSI_CDB_LENGTH, .pieces = pieces,
	};

	sent.has_tables = out.is_partial || in.is_partial;
	/* the memory of a command with a table is known when it was read; of two buffers with one it stays unknown */
	if (!sent.has_tables || !out.data_length || !in.data_length) {
		add_pieces(unit, &out, pieces, &count);
		add_pieces(unit, &in, pieces, &count);
	}
	sent.piece_count = count;
	sent.length = out.data_length + in.data_length;
	if (bits(unit->bytes, SRP_OUT_FORMAT) == SRP_IMMEDIATE && in.at <= unit->length)
		add_immediate(work, unit, in.at, load32(unit->bytes + in.at - 4), &sent);
	scsi_take_command(work, &sent);
}

/* The begin of a SEND without a gap. */
static struct unit begin_of(const struct message *message)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	if (!message->coverage.bytes || !message->coverage.count || run->begin != message_position(message))
		return (struct unit){ NULL, 0 };
	return (struct unit){ coverage_bytes(&message->coverage, run), (uint32_t)(run->end - run->begin) };
}

/* The begin of a command whose SEND lacks later packets, and that is not known yet. */
static bool is_front(const struct message *message)
{
	const uint8_t *bytes = command_front(message, SRP_COMMAND_LENGTH);

	return bytes && bytes[0] == SRP_COMMAND;
}

static bool has_front(const struct message *message, uint64_t tag)
{
	return is_front(message) && bits(begin_of(message).bytes, SRP_TAG) == tag;
}

/* Immediate data in the packets that the SEND has, which need not be all. */
static void carry_present(struct upper_work *work, struct command *command)
{
	struct scsi_request *request = (struct scsi_request *)command;
	const struct unit unit = begin_of(work->message);
	uint64_t begin = unit.length >= SRP_COMMAND_LENGTH && request->carried_length ?
				 immediate_at(work, &unit, SRP_COMMAND_LENGTH + additional_length(&unit), (uint32_t)request->carried_length) : UINT64_MAX;

	if (begin != UINT64_MAX)
		scsi_memory_carry_present(work, request, message_position(work->message) + begin);
}

/* A SEND that lacks packets: its command is known by the first one. */
static void take_front(struct rtap_tracker *tracker, struct message *message, struct message *response)
{
	struct upper_work work = command_work(tracker, message, response);
	const struct unit unit = begin_of(message);

	if (is_front(message) && scsi_session_make(tracker, message->connection, "srp", tracker->upper_states[UPPER_srp])) {
		take_command(&work, &unit);
		command_opened(&work);
	}
	command_add_packets(&work, carry_present);
}

static void take_incomplete(struct rtap_tracker *tracker, struct message *message)
{
	take_front(tracker, message, NULL);
}

static void take_response(struct upper_work *work, const struct unit *unit)
{
	uint64_t flags = bits(unit->bytes, SRP_FLAGS);
	uint64_t before = SRP_RESPONSE_LENGTH + (flags & SRP_HAS_REASON ? bits(unit->bytes, SRP_REASON_LENGTH) : 0);
	struct scsi_response_unit sent = { .tag = bits(unit->bytes, SRP_TAG), .status = unit->bytes[SRP_STATUS_AT] };

	/* response data is the result of task management: SRP, 6.9 */
	if (flags & SRP_HAS_REASON && before > SRP_RESPONSE_LENGTH + SRP_RESULT_AT) {
		int code = before <= unit->length ? unit->bytes[SRP_RESPONSE_LENGTH + SRP_RESULT_AT] : SCSI_NO_CODE;

		scsi_take_other_response(work, bits(unit->bytes, SRP_TAG), code, !code, code < 0 ? NULL : rtap_name_of(srp_result_names, (uint64_t)code));
		return;
	}
	if (flags & SRP_HAS_SENSE && before < unit->length)
		sent.sense = (struct rtap_span){ unit->bytes + before, unit->length - (uint32_t)before };
	if (flags & SRP_OUT_UNDERFLOW)
		sent.unused_out = (uint32_t)bits(unit->bytes, SRP_OUT_RESIDUAL);
	if (flags & SRP_IN_UNDERFLOW)
		sent.unused_in = (uint32_t)bits(unit->bytes, SRP_IN_RESIDUAL);
	scsi_take_response(work, &sent);
}

static void take_task(struct upper_work *work, const struct unit *unit)
{
	const char *name = rtap_name_of(srp_function_names, unit->bytes[SRP_TASK_FUNCTION_AT]);
	uint64_t lun = scsi_lun(unit->bytes + SRP_LUN_AT);

	scsi_take_other(work, bits(unit->bytes, SRP_TAG), name ? name : "Task Management", &lun, RTAP_OPERATION_ABORT);
}

static bool is_set_up(const struct connection *connection)
{
	uint8_t consumer = handshake_consumer_of(connection);

	return consumer == RTAP_CM_CONSUMER_SRP || consumer == RTAP_CM_CONSUMER_SRP_RDMA_CM;
}

#define PORTS_LENGTH 32        /* initiator and target port identifiers, which name the session. SRP, 6.2 */
#define PORTS_AT 32
#define RDMA_CM_PORTS_AT 16
#define IMMEDIATE_AT 28        /* where immediate data begins in SENDs: Linux's extension */
#define RDMA_CM_IMMEDIATE_AT 48

/* A login request: the connection becomes a channel of its session. */
static void set_up(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	uint32_t at = handshake_consumer_of(connection) == RTAP_CM_CONSUMER_SRP ? PORTS_AT : RDMA_CM_PORTS_AT;
	struct scsi_session *session;

	if (!from_a || cm->private_length < at + PORTS_LENGTH)
		return;
	connection->layer = &srp_layer;
	session = scsi_session_make(tracker, connection, "srp", tracker->upper_states[UPPER_srp]);
	if (!session)
		return;
	session->has_nexus = true;
	session->nexus = crc32_of(0, packet->sources[cm->source].bytes + cm->private_offset + at, PORTS_LENGTH);
	crc32_release();
	at = at == PORTS_AT ? IMMEDIATE_AT : RDMA_CM_IMMEDIATE_AT;
	if (cm->private_length >= at + 2)
		session->immediate_at = load16(packet->sources[cm->source].bytes + cm->private_offset + at);
}

/* The response in a packet, which need not be dissected as SRP yet. NULL: it is none. */
static const uint8_t *response_of(const struct rtap_packet *packet)
{
	const struct rtap_payload *payload = &packet->payload;
	struct unit unit = unit_of(packet);

	if (!unit.bytes)
		unit = (struct unit){ packet->sources[payload->source].bytes + payload->offset, payload->captured };
	return unit.length >= SRP_RESPONSE_LENGTH && unit.bytes[0] == SRP_RESPONSE ? unit.bytes : NULL;
}

/* Dissects the packet with the facts about its command. `response`: of response_of(). */
static void show(struct upper_work *work, const uint8_t *response)
{
	if (response)
		work->context->request = scsi_known(work, bits(response, SRP_TAG));
	else if (work->packet->upper == RTAP_UPPER_SRP && !work->keep)
		return;
	work->context->upper = RTAP_UPPER_SRP;
	work->dissect(work);
}

/* Credits, an event, and the answers to them: they end no command. SRP, 6.10 to 6.13. */
static bool is_request_of_target(const struct rtap_packet *packet)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == PROTOCOL_SRP_CREDIT || packet->layers[i].protocol == PROTOCOL_SRP_EVENT)
			return true;
	return false;
}

static bool take_packet(struct upper_work *work)
{
	const uint8_t *response;
	struct message *unfinished;
	struct unit unit;

	if (work->message && work->message->region) {
		if (scsi_take_data(work))
			work->dissect(work);
		return true;
	}
	if ((work->packet->upper != RTAP_UPPER_SRP && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	if (!scsi_session_make(work->tracker, work->connection, "srp", work->tracker->upper_states[UPPER_srp]))
		return false;
	response = response_of(work->packet);
	unfinished = response && upper_is_new(work) ? command_unfinished(work, bits(response, SRP_TAG), has_front) : NULL;
	if (unfinished)
		take_front(work->tracker, unfinished, work->message);
	show(work, response);
	unit = unit_of(work->packet);
	if (unit.bytes && unit.bytes[0] == SRP_COMMAND && work->message && work->result->completed == work->message &&
	    command_add_packets(work, carry_present))
		return true;
	if (!upper_is_new(work))
		return true;
	if (!unit.bytes) {
		work->message->is_no_response |= is_request_of_target(work->packet);
		return true;
	}
	if (unit.bytes[0] == SRP_COMMAND && unit.length >= SRP_COMMAND_LENGTH)
		take_command(work, &unit);
	else if (unit.bytes[0] == SRP_TASK_MANAGEMENT && unit.length >= SRP_TASK_LENGTH)
		take_task(work, &unit);
	else if (unit.bytes[0] == SRP_RESPONSE && unit.length >= SRP_RESPONSE_LENGTH)
		take_response(work, &unit);
	return true;
}

/* A response whose lengths fill its SEND, with the tag of a waiting command: 64 bits. SRP, 6.9. */
static bool answers(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct rtap_payload *payload = &packet->payload;
	const uint8_t *bytes = packet->sources[payload->source].bytes + payload->offset;
	const struct command *command;

	if (payload->captured < SRP_RESPONSE_LENGTH || bytes[0] != SRP_RESPONSE ||
	    payload->wire != SRP_RESPONSE_LENGTH + bits(bytes, SRP_REASON_LENGTH) + bits(bytes, SRP_SENSE_LENGTH))
		return false;
	command = command_find(connection, connection->flows[1], bits(bytes, SRP_TAG));
	return command && command->request.is_seen && !command->request.is_answered;
}

/* Data can be moved before the target has read the table that names its memory. */
static void claim(struct rtap_tracker *tracker, struct message *message)
{
	const struct scsi_session *session = message->connection->layer == &srp_layer ? message->connection->upper_state : NULL;

	region_claim(tracker, message);
	message->bytes_wanted |= !message->region && session && session->open_tables && tracker->take_effect;
}

static const struct upper_memory memory = {
	.may_want = region_may_want, .claim = claim, .data_settled = request_data_settled, .unclaim = region_unclaim, .lost = request_take_lost,
};

static bool init(struct rtap_tracker *tracker)
{
	tracker->upper_states[UPPER_srp] = scsi_units_create();
	return tracker->upper_states[UPPER_srp];
}

static void fini(struct rtap_tracker *tracker)
{
	scsi_units_destroy(tracker->upper_states[UPPER_srp], tracker);
	tracker->upper_states[UPPER_srp] = NULL;
}

const struct upper_layer srp_layer = {
	.name = "srp",
	.init = init,
	.carried = RTAP_UPPER_SRP,
	.is_set_up = is_set_up,
	.set_up = set_up,
	.packet = take_packet,
	.answers = answers,
	.memory = &memory,
	.response_settled = command_settled,
	.incomplete = take_incomplete,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = fini,
};
