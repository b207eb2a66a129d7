/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iSER as an upper layer: SCSI commands of iSCSI, whose data the target moves by RDMA.
 */
#include "config.h"

#include <string.h>

#include "dissect/dissect.h"
#include "dissect/engine/line.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/scsi.h"
#include "reassembly/message_extent.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/iser_layer.h"
#include "reassembly/upper/scsi_memory.h"
#include "reassembly/upper/upper_layers.h"

static const struct rtap_layer *layer_with(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

/* The login names the target and the session. */
static void learn_login(const struct upper_work *work, struct scsi_session *session, const uint8_t *pdu)
{
	const struct rtap_layer *layer = layer_with(work->packet, PROTOCOL_ISCSI_TEXT);
	bool continues = bits(pdu, ISCSI_LOGIN_CONTINUES);
	struct line line;

	scsi_login_text(&session->login, layer ? layer_bytes(work->packet, layer) : NULL, layer ? layer->length : 0,
			(layer ? layer->length : 0) >= bits(pdu, ISCSI_DATA_LENGTH), continues);
	if (session->login.target_length) {
		line_init(&line, session->target, SCSI_TARGET_TEXT - 1);
		line_escaped(&line, session->login.target, session->login.target_length);
		*line.next = '\0';
	}
	if (session->login.solicited_only)
		session->base = session->login.solicited_only == 'Y' ? SCSI_BASE_OF_REST : SCSI_BASE_OF_ALL;
	if (continues || !session->login.initiator_length)
		return;
	session->has_nexus = true;
	session->nexus = scsi_login_nexus(&session->login, pdu + ISCSI_ISID_AT);
	session->has_cid = true;
	session->cid = (uint32_t)bits(pdu, ISCSI_CID);
}

#define MOST_CDB 260           /* bytes: SPC-5, 4.2.3 */

/* Copies the CDB, including the part beyond 16 bytes in additional header segments. RFC 7143, 11.2.2. Returns its length. */
static uint32_t copy_cdb(const uint8_t *pdu, uint32_t left, uint8_t cdb[MOST_CDB])
{
	uint32_t ahs = (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4, at = 0;

	memcpy(cdb, pdu + ISCSI_CDB_AT, SCSI_CDB_LENGTH);
	ahs = ahs < left ? ahs : left;
	while (at + ISCSI_AHS_HEADER <= ahs) {
		const uint8_t *segment = pdu + ISCSI_LENGTH + at;
		uint32_t length = load16(segment); /* of the bytes after the type */

		if (length < 1 || at + 3 + length > ahs)
			break;
		if (segment[2] == ISCSI_EXTENDED_CDB && length - 1 <= MOST_CDB - SCSI_CDB_LENGTH) {
			memcpy(cdb + SCSI_CDB_LENGTH, segment + ISCSI_AHS_HEADER, length - 1);
			return SCSI_CDB_LENGTH + length - 1;
		}
		at += (3 + length + 3) / 4 * 4;
	}
	return SCSI_CDB_LENGTH;
}

/* `header`: the iSER header and the whole iSCSI header. `left`: bytes after them. */
static void take_command(struct upper_work *work, const uint8_t *header, uint32_t left)
{
	const uint8_t *pdu = header + ISER_LENGTH;
	uint32_t expected = (uint32_t)bits(pdu, ISCSI_EXPECTED), ahs = (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4;
	uint32_t immediate = (uint32_t)bits(pdu, ISCSI_DATA_LENGTH), count = 0;
	struct scsi_piece pieces[3];
	uint8_t cdb[MOST_CDB];
	struct scsi_command_unit sent = {
		.tag = bits(pdu, ISCSI_TAG), .lun = scsi_lun(pdu + ISCSI_LUN_AT), .cdb = cdb, .cdb_length = copy_cdb(pdu, left, cdb), .pieces = pieces,
	};

	if (immediate <= expected)
		sent.carried_length = immediate;
	if (sent.carried_length && ahs <= left)
		sent.carried = (struct rtap_span){ pdu + ISCSI_LENGTH + ahs, immediate < left - ahs ? immediate : left - ahs };
	/* data in the SEND is not read by the target: RFC 7145, 7.3.5 */
	if (header[0] & ISER_WRITE_VALID && expected > sent.carried_length)
		pieces[count++] = (struct scsi_piece){ .address = bits(header, ISER_WRITE_BASE), .key = (uint32_t)bits(header, ISER_WRITE_STAG),
						       .length = expected - sent.carried_length, .is_out = true };
	if (header[0] & ISER_READ_VALID && expected)
		pieces[count++] = (struct scsi_piece){ .address = bits(header, ISER_READ_BASE), .key = (uint32_t)bits(header, ISER_READ_STAG), .length = expected };
	sent.piece_count = count;
	sent.has_base = true;
	/* without the F bit, Data-Out PDUs follow: RFC 7143, 11.3.1 */
	sent.has_unsolicited = bits(pdu, ISCSI_WRITES) && !bits(pdu, ISCSI_FINAL) && expected > sent.carried_length;
	/* the memory of a command whose data is all in SENDs */
	if (sent.has_unsolicited && !(header[0] & ISER_WRITE_VALID))
		pieces[sent.piece_count++] = (struct scsi_piece){ .length = expected - sent.carried_length, .is_out = true };
	scsi_take_command(work, &sent);
}

#define FRONT_LENGTH (ISER_LENGTH + ISCSI_LENGTH)

/* The headers of a command whose SEND lacks later packets, and that is not known yet. NULL: it is none. */
static const uint8_t *front_of(const struct message *message)
{
	const uint8_t *header = command_front(message, FRONT_LENGTH);

	return header && header[0] >> 4 == ISER_CONTROL && (header[ISER_LENGTH] & 0x3f) == ISCSI_COMMAND ? header : NULL;
}

static bool has_front(const struct message *message, uint64_t tag)
{
	const uint8_t *header = front_of(message);

	return header && bits(header + ISER_LENGTH, ISCSI_TAG) == tag;
}

/* Immediate data in the packets that the SEND has, which need not be all. */
static void carry_present(struct upper_work *work, struct command *command)
{
	const struct coverage *coverage = &work->message->coverage;
	const struct coverage_run *run = coverage_runs(coverage);
	uint64_t position = message_position(work->message);

	if (!coverage->bytes || !coverage->count || run->begin != position || run->end - position < FRONT_LENGTH)
		return;
	position += FRONT_LENGTH + bits(coverage_bytes(coverage, run) + ISER_LENGTH, ISCSI_AHS_LENGTH) * 4;
	scsi_memory_carry_present(work, (struct scsi_request *)command, position);
}

/* A SEND that lacks packets: its command is known by the first one. */
static void take_front(struct rtap_tracker *tracker, struct message *message, struct message *response)
{
	struct upper_work work = command_work(tracker, message, response);
	const struct coverage_run *run = coverage_runs(&message->coverage);
	const uint8_t *header = front_of(message);

	if (!header) {
		command_add_packets(&work, carry_present);
		return;
	}
	if (!scsi_session_make(tracker, message->connection, "iser", tracker->upper_states[UPPER_iser]))
		return;
	take_command(&work, header, (uint32_t)(run->end - run->begin - FRONT_LENGTH));
	command_opened(&work);
	command_add_packets(&work, carry_present);
}

static void take_incomplete(struct rtap_tracker *tracker, struct message *message)
{
	take_front(tracker, message, NULL);
}

/* A Data-Out PDU, which iSER has for unsolicited data only. RFC 7143, 11.7; RFC 7145, 7.3.4. */
static void take_data_out(struct upper_work *work, const uint8_t *pdu, uint32_t left)
{
	uint32_t ahs = (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4, length = (uint32_t)bits(pdu, ISCSI_DATA_LENGTH);
	struct rtap_span data = { NULL, 0 };

	if (ahs <= left)
		data = (struct rtap_span){ pdu + ISCSI_LENGTH + ahs, length < left - ahs ? length : left - ahs };
	scsi_take_unsolicited(work, bits(pdu, ISCSI_TAG), bits(pdu, ISCSI_DATA_OFFSET), data, length, bits(pdu, ISCSI_FINAL));
}

static void take_response(struct upper_work *work, const uint8_t *pdu, uint32_t left)
{
	uint32_t ahs = (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4, length = (uint32_t)bits(pdu, ISCSI_DATA_LENGTH);
	struct scsi_response_unit unit = { .tag = bits(pdu, ISCSI_TAG), .status = pdu[ISCSI_STATUS_AT], .is_either = true };

	if (length > 2 && ahs <= left && length <= left - ahs)
		unit.sense = (struct rtap_span){ pdu + ISCSI_LENGTH + ahs + 2, length - 2 };
	if (bits(pdu, ISCSI_UNDERFLOW))
		unit.unused_out = (uint32_t)bits(pdu, ISCSI_RESIDUAL);
	if (bits(pdu, ISCSI_READ_UNDERFLOW))
		unit.unused_in = (uint32_t)bits(pdu, ISCSI_READ_RESIDUAL);
	scsi_take_response(work, &unit);
}

/* The header of the PDU; if the packet was not dissected as iSER, from its payload. NULL: not captured. */
static const uint8_t *header_of(const struct rtap_packet *packet)
{
	const struct rtap_layer *layer = layer_with(packet, PROTOCOL_ISCSI);
	const struct rtap_payload *payload = &packet->payload;

	if (layer)
		return layer->length >= ISCSI_LENGTH ? layer_bytes(packet, layer) : NULL;
	return payload->captured >= ISER_LENGTH + ISCSI_LENGTH ? packet->sources[payload->source].bytes + payload->offset + ISER_LENGTH : NULL;
}

/* Dissects the packet with the facts about its command. */
static void show(struct upper_work *work)
{
	const uint8_t *pdu = header_of(work->packet);
	uint8_t type = pdu ? pdu[0] & 0x3f : 0;

	if (type == ISCSI_RESPONSE || type == ISCSI_DATA_OUT)
		work->context->request = type == ISCSI_RESPONSE ? scsi_known(work, bits(pdu, ISCSI_TAG)) : scsi_known_of_data(work, bits(pdu, ISCSI_TAG));
	else if (work->packet->upper == RTAP_UPPER_ISER && !work->keep)
		return;
	work->context->upper = RTAP_UPPER_ISER;
	work->dissect(work);
}

/* Login, Text and Logout requests, task management and others that are not SCSI commands. */
static void take_other(struct upper_work *work, const uint8_t *pdu)
{
	const char *name = iscsi_request_name(pdu);
	uint64_t tag = bits(pdu, ISCSI_TAG), lun = scsi_lun(pdu + ISCSI_LUN_AT);
	uint8_t code = pdu[ISCSI_RESPONSE_AT], type = pdu[0] & 0x3f;

	/* of the target: a NOP-In that asks for an answer, an Asynchronous Message. RFC 7143, 11.9 and 11.19. */
	if (tag == ISCSI_NO_TAG) {
		work->message->is_no_response = true;
		return;
	}
	if (name) {
		scsi_take_other(work, tag, name, type == ISCSI_TASK_MANAGEMENT ? &lun : NULL,
				type == ISCSI_TASK_MANAGEMENT ? RTAP_OPERATION_ABORT : type == ISCSI_NOP_OUT ? RTAP_OPERATION_KEEP_ALIVE : 0);
		return;
	}
	switch (type) {
	case ISCSI_TASK_MANAGEMENT_RESPONSE: scsi_take_other_response(work, tag, code, !code, rtap_name_of(iscsi_task_result_names, code)); break;
	case ISCSI_LOGOUT_RESPONSE: scsi_take_other_response(work, tag, code, !code, rtap_name_of(iscsi_logout_result_names, code)); break;
	case ISCSI_LOGIN_RESPONSE:
		scsi_take_other_response(work, tag, (uint8_t)bits(pdu, ISCSI_LOGIN_STATUS), !bits(pdu, ISCSI_LOGIN_STATUS),
					 rtap_name_of(iscsi_login_status_names, bits(pdu, ISCSI_LOGIN_STATUS)));
		break;
	case ISCSI_NOP_IN: case ISCSI_TEXT_RESPONSE: scsi_take_other_response(work, tag, 0, true, "success"); break;
	default: break;
	}
}

/* The data of a Reject has the header of the rejected PDU. */
static void take_reject(struct upper_work *work, const uint8_t *pdu)
{
	const struct rtap_layer *layer = layer_with(work->packet, PROTOCOL_ISCSI_REJECTED);
	const uint8_t *rejected = layer && layer->length == ISCSI_LENGTH ? layer_bytes(work->packet, layer) : NULL;
	const char *reason = rtap_name_of(iscsi_reject_names, pdu[ISCSI_RESPONSE_AT]);

	if (rejected && !(rejected[0] & ISCSI_FROM_TARGET) && bits(rejected, ISCSI_TAG) != ISCSI_NO_TAG)
		scsi_take_reject(work, bits(rejected, ISCSI_TAG), reason ? reason : "unknown reason");
}

static bool take_packet(struct upper_work *work)
{
	const struct rtap_packet *packet = work->packet;
	const struct rtap_layer *layer;
	struct scsi_session *session;
	struct message *unfinished;
	const uint8_t *header;
	uint32_t length;

	if (work->message && work->message->region) {
		if (scsi_take_data(work))
			work->dissect(work);
		return true;
	}
	if ((packet->upper != RTAP_UPPER_ISER && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	session = scsi_session_make(work->tracker, work->connection, "iser", work->tracker->upper_states[UPPER_iser]);
	if (!session)
		return false;
	header = header_of(packet);
	unfinished = header && (header[0] & 0x3f) == ISCSI_RESPONSE && upper_is_new(work) ? command_unfinished(work, bits(header, ISCSI_TAG), has_front) : NULL;
	if (unfinished)
		take_front(work->tracker, unfinished, work->message);
	show(work);
	layer = layer_with(packet, PROTOCOL_ISCSI);
	if (layer && (layer_bytes(packet, layer)[0] & 0x3f) == ISCSI_COMMAND && work->message && work->result->completed == work->message &&
	    command_add_packets(work, carry_present))
		return true;
	if (!upper_is_new(work) || !layer || layer->length < ISCSI_LENGTH)
		return true;
	header = layer_bytes(packet, layer) - ISER_LENGTH;
	length = layer_rest(packet, layer).captured - ISCSI_LENGTH;
	switch (header[ISER_LENGTH] & 0x3f) {
	case ISCSI_LOGIN:
		learn_login(work, session, header + ISER_LENGTH);
		take_other(work, header + ISER_LENGTH);
		break;
	case ISCSI_COMMAND:
		take_command(work, header, length);
		break;
	case ISCSI_RESPONSE:
		take_response(work, header + ISER_LENGTH, length);
		break;
	case ISCSI_DATA_OUT:
		take_data_out(work, header + ISER_LENGTH, length);
		break;
	case ISCSI_REJECT:
		take_reject(work, header + ISER_LENGTH);
		break;
	default:
		take_other(work, header + ISER_LENGTH);
		break;
	}
	return true;
}

/* Whether its headers prove that the packet is a response, and its tag is that of a waiting request. */
static bool answers(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct rtap_layer *layer = packet->upper == RTAP_UPPER_ISER ? layer_with(packet, PROTOCOL_ISCSI) : NULL;
	const uint8_t *pdu = layer && layer->length >= ISCSI_LENGTH ? layer_bytes(packet, layer) : NULL;
	const struct command *command = pdu && pdu[0] & ISCSI_FROM_TARGET ? command_find(connection, connection->flows[1], bits(pdu, ISCSI_TAG)) : NULL;

	return command && command->request.is_seen && !command->request.is_answered;
}

/* A READ or WRITE over iWARP, which TCP has put in order. */
static bool take_placed(struct upper_work *work)
{
	if (!scsi_take_data(work) || !work->keep(work, &work->context->chunk))
		return false;
	work->dissect(work);
	return true;
}

static const uint16_t ports[] = { 3260, 0 };

static bool init(struct rtap_tracker *tracker)
{
	tracker->upper_states[UPPER_iser] = scsi_units_create();
	return tracker->upper_states[UPPER_iser];
}

static void fini(struct rtap_tracker *tracker)
{
	scsi_units_destroy(tracker->upper_states[UPPER_iser], tracker);
	tracker->upper_states[UPPER_iser] = NULL;
}

const struct upper_layer iser_layer = {
	.name = "iser",
	.init = init,
	.ports = ports,
	.carried = RTAP_UPPER_ISER,
	.packet = take_packet,
	.answers = answers,
	.read = take_placed,
	.memory = &request_memory,
	.response_settled = command_settled,
	.incomplete = take_incomplete,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = fini,
};
