/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/smb/smb.h"
#include "reassembly/file_effect.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/operation.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/smb_operation.h"
#include "reassembly/upper/smb_part.h"
#include "reassembly/upper/smb_request.h"

#define MOST_PARTS FILE_EFFECT_PARTS /* limit of commands of a compound; further ones are not examined, which is counted */
#define MOST_SEARCHED 64      /* requests that are searched for a later command of a compound */

/* A command of a message. */
struct unit {
	const uint8_t *header, *body;
	uint32_t length;          /* captured bytes of the body */
};

/* The commands of a message. */
struct units {
	struct unit list[MOST_PARTS];
	uint32_t count;
};

/* The next command. False: there is none, or it is not whole. */
static bool next_unit(struct rtap_span message, uint32_t *at, struct unit *unit)
{
	uint32_t left = *at <= message.length ? message.length - *at : 0, next;

	if (left < SMB2_HEADER_LENGTH || load32(message.bytes + *at) != SMB_ID)
		return false;
	unit->header = message.bytes + *at;
	unit->body = unit->header + SMB2_HEADER_LENGTH;
	unit->length = left - SMB2_HEADER_LENGTH;
	next = (uint32_t)little_bits(unit->header, SMB2_NEXT);
	if (next >= SMB2_HEADER_LENGTH && next - SMB2_HEADER_LENGTH < unit->length)
		unit->length = next - SMB2_HEADER_LENGTH;
	*at = next >= SMB2_HEADER_LENGTH && next <= left ? *at + next : message.length;
	return true;
}

bool smb_is_response(struct rtap_span message)
{
	return message.length >= SMB2_HEADER_LENGTH && load32(message.bytes) == SMB_ID && little_bits(message.bytes, SMB2_FLAGS) & SMB2_IS_RESPONSE;
}

void smb_lost_add(struct smb_lost *lost, const struct upper_loss *loss)
{
	recovery_add_time(&lost->time_us, loss->time_us);
	lost->repeats += loss->repeats;
}

void smb_request_lost(struct request *request, const struct message *send, const struct upper_loss *loss)
{
	/* a request that is sent again after its response no longer delays it */
	if (send->shown.from_a != request->from_a || !request->is_answered || !loss->time_us)
		smb_lost_add(&((struct smb_request *)request)->lost, loss);
}

static struct smb_part *find_part(struct smb_request *request, uint64_t id)
{
	for (uint32_t i = 0; i < request->part_count; i++)
		if (request->parts[i].id == id)
			return &request->parts[i];
	return NULL;
}

/* The request with a command of this MessageId that `requester_is_a` sent. */
static struct smb_request *find_request(const struct connection *connection, bool requester_is_a, uint64_t id)
{
	struct command *command = command_find(connection, requester_is_a, id);
	struct request *request = TAILQ_LAST(&connection->requests.lists[false].queue, request_queue);

	for (uint32_t i = 0; !command && request && i < MOST_SEARCHED; i++, request = TAILQ_PREV(request, request_queue, link)) {
		struct smb_request *candidate = (struct smb_request *)request;

		if (request->is_seen && request->from_a == requester_is_a && candidate->part_count > 1 && find_part(candidate, id))
			return candidate;
	}
	return (struct smb_request *)command;
}

static void release(struct rtap_tracker *tracker, struct command *command)
{
	struct smb_request *request = (struct smb_request *)command;

	coverage_fini(&request->seen[0].present);
	coverage_fini(&request->seen[1].present);
	for (uint32_t i = 0; i < request->part_count; i++)
		smb_part_fini(tracker, &request->parts[i]);
	if (request->parts != &request->only)
		free(request->parts);
}

/* The halves of a connection were merged. */
static void learn(void *to, const void *from)
{
	struct smb_connection *state = to;
	const struct smb_connection *old = from;

	if (!state->server_guid[0] && !state->server_guid[1])
		memcpy(state->server_guid, old->server_guid, sizeof state->server_guid);
}

static const struct command_layer layer = {
	.size = sizeof(struct smb_request), .state_size = sizeof(struct smb_connection), .conclude = smb_operation_conclude,
	.ended = smb_operation_ended, .learn = learn, .release = release,
};

struct smb_connection *smb_connection_make(struct rtap_tracker *tracker, struct connection *connection)
{
	return command_state_make(tracker, connection, &layer);
}

static void find_units(struct rtap_span message, struct units *units)
{
	uint32_t at = 0;

	units->count = 0;
	while (units->count < MOST_PARTS && next_unit(message, &at, &units->list[units->count]))
		units->count++;
}

/* Whether another command follows those that were captured. */
static bool has_more(const struct units *units)
{
	return units->count && little_bits(units->list[units->count - 1].header, SMB2_NEXT);
}

/* Makes room for the commands of a message. */
static bool make_parts(struct upper_work *work, struct smb_request *request, uint32_t count)
{
	if (count == 1) {
		request->only = (struct smb_part){ 0 };
		request->parts = &request->only;
		request->part_count = 1;
		return true;
	}
	request->parts = memory_new_zeroed(count, sizeof *request->parts);
	if (!request->parts) {
		work->tracker->counters.evictions++;
		return false;
	}
	request->part_count = count;
	request_charge(&work->tracker->budget, &request->command.request, count * sizeof *request->parts, 0);
	return true;
}

/* Sets the memory that the commands name. */
static void name_memory(struct upper_work *work, struct smb_request *request)
{
	struct rtap_tracker *tracker = work->tracker;
	struct region_name *names;
	uint32_t count = 0, most = 0;

	for (uint32_t i = 0; i < request->part_count; i++)
		most += request->parts[i].piece_count;
	names = most ? memory_new(most * sizeof *names) : NULL;
	if (most && !names)
		tracker->counters.evictions++;
	for (uint32_t i = 0; names && i < request->part_count; i++)
		for (uint32_t j = 0; j < request->parts[i].piece_count; j++) {
			const struct smb_piece *piece = &request->parts[i].pieces[j];

			names[count] = (struct region_name){ .begin = piece->address, .end = piece->address + piece->length, .key = piece->key,
							     .number = count, .is_read = request->parts[i].command == SMB2_WRITE };
			count++;
		}
	if (command_name(work, &request->command, names, count) && count) {
		for (uint32_t i = 0; i < request->command.request.region_count; i++)
			request->command.request.regions[i].keep_bytes |= tracker->take_file_effect != NULL;
		request_open(tracker, &request->command.request, work->message);
	}
	free(names);
}

/* Adds room for commands that only the response shows. */
static bool add_parts(struct upper_work *work, struct smb_request *request, uint32_t count)
{
	struct smb_part *before = request->parts, *parts = memory_new_zeroed(request->part_count + count, sizeof *parts);

	if (!parts) {
		work->tracker->counters.evictions++;
		return false;
	}
	memcpy(parts, before, request->part_count * sizeof *parts);
	for (uint32_t i = 0; i < request->part_count; i++)
		if (parts[i].creates)
			parts[i].creates = parts + (parts[i].creates - before);
	if (before != &request->only)
		free(before);
	request->parts = parts;
	request_charge(&work->tracker->budget, &request->command.request, count * sizeof *parts, 0);
	return true;
}

/* Whether the capture may have truncated the request before this command. */
static bool is_beyond(const struct smb_request *request, const struct smb_part *part)
{
	return request->has_more && part->is_answered && !part->creates && request->part_count < MOST_PARTS;
}

/* Keeps the fields of a response that was captured before the request. */
static void keep_answers(struct upper_work *work, struct smb_request *request, struct smb_part *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct smb_part *part = find_part(request, parts[i].id);

		if (!part && is_beyond(request, &parts[i]) && add_parts(work, request, 1)) {
			request->parts[request->part_count++] = parts[i];
			continue;
		}
		if (part && parts[i].is_answered)
			smb_part_take_answer(work, request, part, &parts[i]);
		smb_part_fini(work->tracker, &parts[i]);
	}
}

/* Fills the commands of a request. False: out of memory, which is counted. */
static bool fill_parts(struct upper_work *work, struct smb_request *request, const struct units *units)
{
	struct smb_part *earlier = request->parts, only = request->only;
	uint32_t earlier_count = request->part_count;
	bool is_heap = earlier != &request->only;

	request->parts = NULL;
	request->part_count = 0;
	if (make_parts(work, request, units->count))
		for (uint32_t i = 0; i < units->count; i++)
			smb_part_of_request(work, request, i, units->list[i].header, (struct rtap_span){ units->list[i].body, units->list[i].length });
	keep_answers(work, request, is_heap ? earlier : &only, earlier_count);
	if (is_heap)
		free(earlier);
	return request->parts;
}

/* The number of requests that are known to be missing: a client uses each MessageId, and as many as a command costs credits. */
static uint64_t count_unseen(struct upper_work *work, const struct units *units)
{
	struct smb_connection *state = work->connection->upper_state;
	uint64_t first = little_bits(units->list[0].header, SMB2_MESSAGE_ID), *next = &state->next_ids[work->from_a];
	bool is_gap = first > *next;

	for (uint32_t i = 0; i < units->count; i++) {
		uint64_t charge = little_bits(units->list[i].header, SMB2_CREDIT_CHARGE);
		uint64_t after = little_bits(units->list[i].header, SMB2_MESSAGE_ID) + (charge ? charge : 1);

		*next = after > *next ? after : *next;
	}
	return smb_names_unseen(work->tracker, is_gap);
}

/* The request of the same SEND, which has not been answered yet: its copy before was truncated. */
static struct smb_request *find_truncated(const struct upper_work *work, uint64_t id)
{
	struct command *command = command_find(work->connection, work->from_a, id);

	return command && command->request.is_seen && command->request.psn == work->message->low ? (struct smb_request *)command : NULL;
}

/* The bytes of several fragments before the first one that the capture truncated. UINT64_MAX: none, or one SEND, which shows it itself. */
static uint64_t whole_until(const struct smb_whole *whole)
{
	return whole->sends > 1 && !whole->lacks_packets && whole->bytes.length < whole->wire ? whole->bytes.length : UINT64_MAX;
}

/* The bytes of a message of which packets are missing. */
static void note_present(struct upper_work *work, struct smb_request *request, const struct smb_whole *whole, bool is_response)
{
	struct smb_seen *seen = &request->seen[is_response];

	seen->lacks_packets = whole->lacks_packets;
	seen->wire = whole->wire;
	if (!coverage_copy(&seen->present, &whole->present, 0, whole->wire, 0, COVERAGE_ONLY))
		work->tracker->counters.evictions++;
	request_charge(&work->tracker->budget, &request->command.request, coverage_memory(&seen->present), 0);
}

/* Data after the first missing packet. */
static void add_rest(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request, struct smb_part *part, const struct unit *unit)
{
	if (whole->lacks_packets)
		smb_part_add_rest(work, request, part, (struct rtap_span){ unit->body, unit->length }, (uint64_t)(unit->header - whole->bytes.bytes), &whole->present);
}

static void take_request(struct upper_work *work, const struct smb_whole *whole, const struct units *units)
{
	struct smb_connection *state = work->connection->upper_state;
	struct smb_credits *credits = &state->credits[work->from_a];
	struct smb_request *request = find_truncated(work, little_bits(whole->bytes.bytes, SMB2_MESSAGE_ID));

	/* it has been answered */
	if (!request && work->message->request)
		return;
	if (request) {
		request_forget_memory(work->tracker, &request->command.request);
		request->whole_until[0] = whole_until(whole);
		request->has_more = has_more(units);
		if (fill_parts(work, request, units))
			name_memory(work, request);
		return;
	}
	request = (struct smb_request *)command_begin(work, little_bits(whole->bytes.bytes, SMB2_MESSAGE_ID));
	if (!request)
		return;
	request->unseen = count_unseen(work, units);
	request->has_more = has_more(units);
	if (!fill_parts(work, request, units))
		return;
	request->first_frame = whole->first_frame;
	request->first_ns = whole->first_ns;
	request->sends = whole->sends;
	request->whole_until[0] = whole_until(whole);
	note_present(work, request, whole, false);
	request->lost = whole->lost;
	request->has_credits = credits->is_known;
	request->credits = credits->left;
	request->waited_ns = credits->waited_ns;
	request->is_last_credit = state->balances[work->from_a].is_known && !state->balances[work->from_a].left &&
				  request->parts[0].command > SMB2_SESSION_SETUP;
	for (uint32_t i = 0; i < request->part_count && i < units->count; i++)
		add_rest(work, whole, request, &request->parts[i], &units->list[i]);
	smb_operation_begin(work, request);
	name_memory(work, request);
}

/* Responses whose request was not captured, or comes later. */
static void take_unknown(struct upper_work *work, const struct smb_whole *whole, const struct units *units)
{
	uint64_t first = little_bits(units->list[0].header, SMB2_MESSAGE_ID);
	struct smb_request *request = (struct smb_request *)command_answered(work, first);

	if (!request || request->parts || !make_parts(work, request, units->count))
		return;
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->list[i];

		smb_part_begin(&request->parts[i], unit->header);
		smb_part_answer(work, whole, request, &request->parts[i], unit->header, (struct rtap_span){ unit->body, unit->length });
	}
	smb_operation_alone(work, whole, request);
}

static bool is_answered(const struct smb_request *request)
{
	for (uint32_t i = 0; i < request->part_count; i++)
		if (!request->parts[i].is_answered && request->parts[i].command != SMB2_CANCEL)
			return false;
	return true;
}

/* The last response of a request. */
static void take_last(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request)
{
	struct request *base = &request->command.request;

	request->response_frame = whole->first_frame;
	request->whole_until[1] = whole_until(whole);
	note_present(work, request, whole, true);
	recovery_add_time(&request->lost.time_us, whole->lost.time_us);
	request->lost.repeats += whole->lost.repeats;
	request->waited_ns += ((struct smb_connection *)work->connection->upper_state)->credits[work->from_a].waited_ns;
	base->has_failed = base->has_written = false;
	base->written = 0;
	for (uint32_t i = 0; i < request->part_count; i++)
		if (request->parts[i].piece_count) {
			base->has_failed |= smb_is_error(request->parts[i].status);
			base->has_written |= request->parts[i].command == SMB2_READ;
			base->written += request->parts[i].command == SMB2_READ ? request->parts[i].moved : 0;
		}
	command_answer(work, &request->command);
}

/* The capture truncated the request: its last commands are known by their responses only. */
static void take_beyond(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request, const struct units *units)
{
	uint32_t room = MOST_PARTS - request->part_count;

	room = room < units->count ? room : units->count;
	if (!room || !add_parts(work, request, room))
		return;
	for (uint32_t i = 0; i < units->count && room; i++) {
		const struct unit *unit = &units->list[i];
		struct smb_part *part = &request->parts[request->part_count];

		if (find_request(work->connection, !work->from_a, little_bits(unit->header, SMB2_MESSAGE_ID)))
			continue;
		smb_part_begin(part, unit->header);
		request->part_count++;
		room--;
		smb_part_answer(work, whole, request, part, unit->header, (struct rtap_span){ unit->body, unit->length });
	}
}

/* `first`: the request of the message's first response; NULL: unknown. */
static void take_responses(struct upper_work *work, const struct smb_whole *whole, const struct units *units, struct smb_request *first)
{
	/* responses of the same compound can follow what was captured */
	bool is_cut = whole->bytes.length < whole->wire;
	struct smb_request *last = NULL;
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->list[i];
		uint64_t id = little_bits(unit->header, SMB2_MESSAGE_ID);
		struct smb_request *request = unit->header == whole->bytes.bytes ? first : find_request(work->connection, !work->from_a, id);
		struct smb_part *part = request && request->command.request.is_seen ? find_part(request, id) : NULL;

		if (!part || part->is_answered) {
			unknown++;
			continue;
		}
		smb_part_answer(work, whole, request, part, unit->header, (struct rtap_span){ unit->body, unit->length });
		add_rest(work, whole, request, part, unit);
		if (is_answered(request) || (is_cut && part->is_answered))
			last = request;
	}
	if (last && last->has_more && unknown)
		take_beyond(work, whole, last, units);
	/* one SEND ends one request: the server answers the commands of a compound together */
	if (last)
		take_last(work, whole, last);
	else if (unknown == units->count)
		take_unknown(work, whole, units);
}

/* An interim response says that the command waits for an event, maybe indefinitely: [MS-SMB2] 3.3.4.2. */
static bool is_interim(const uint8_t *header)
{
	return little_bits(header, SMB2_STATUS) == SMB_PENDING && little_bits(header, SMB2_FLAGS) & SMB2_IS_ASYNC;
}

/* The SEND's copy before was truncated: takes what that lacked of the responses. */
static void complete_responses(struct upper_work *work, const struct smb_whole *whole, const struct units *units, struct smb_request *request)
{
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->list[i];
		struct smb_part *part = find_part(request, little_bits(unit->header, SMB2_MESSAGE_ID));
		bool has_body = part && (part->command == SMB2_READ || part->command == SMB2_WRITE || (part->command == SMB2_CREATE && !part->has_file));

		if (part && !is_interim(unit->header) && (!part->is_answered || has_body))
			smb_part_answer(work, whole, request, part, unit->header, (struct rtap_span){ unit->body, unit->length });
	}
}

/* Takes what requests cost and responses grant. The first request of a connection has the only credit: [MS-SMB2] 3.2.5.1. */
static void note_balance(struct smb_connection *state, const struct units *units, bool from_a, bool grants)
{
	struct smb_balance *balance = &state->balances[grants ? !from_a : from_a];

	for (uint32_t i = 0; i < units->count; i++) {
		const uint8_t *header = units->list[i].header;
		uint64_t command = little_bits(header, SMB2_COMMAND), charge = little_bits(header, SMB2_CREDIT_CHARGE);

		if (!grants && command == SMB2_NEGOTIATE && !little_bits(header, SMB2_MESSAGE_ID))
			*balance = (struct smb_balance){ .is_known = true, .left = 1 };
		if (grants)
			balance->left += (int64_t)little_bits(header, SMB2_CREDITS);
		else if (command != SMB2_CANCEL)
			balance->left -= charge ? (int64_t)charge : 1;
	}
	/* a grant was not captured */
	balance->is_known &= balance->left >= 0;
}

/* Messages without a response: those that the server sends on its own, and CANCEL. */
static bool is_alone(const uint8_t *header)
{
	return little_bits(header, SMB2_MESSAGE_ID) == SMB2_NO_MESSAGE_ID || little_bits(header, SMB2_COMMAND) == SMB2_CANCEL;
}

/* Takes the interim responses out of the message, which may have the responses of earlier commands of the compound too. */
static void take_interim(struct upper_work *work, const struct smb_whole *whole, struct units *units)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < units->count; i++) {
		uint64_t id = little_bits(units->list[i].header, SMB2_MESSAGE_ID);
		struct smb_request *request;
		struct smb_part *part;

		if (!is_interim(units->list[i].header)) {
			units->list[count++] = units->list[i];
			continue;
		}
		request = find_request(work->connection, !work->from_a, id);
		part = request && request->command.request.is_seen ? find_part(request, id) : NULL;
		if (!part)
			continue;
		part->interim_frame = whole->first_frame;
		request->command.request.entry.give_up = NULL;
	}
	units->count = count;
}

void smb_take_message(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request)
{
	const struct message *send = work->message;
	struct units units;

	find_units(whole->bytes, &units);
	if (send->operation && !send->request) {
		operation_destroy(work->tracker, work->message);
	} else if (send->request) {
		if (!smb_is_response(whole->bytes))
			take_request(work, whole, &units);
		else if (request && request->command.request.response == send && request->command.request.is_seen)
			complete_responses(work, whole, &units, request);
		return;
	}
	if (!units.count) {
		smb_operation_opaque(work, whole);
		return;
	}
	note_balance(work->connection->upper_state, &units, work->from_a, smb_is_response(whole->bytes));
	if (is_alone(whole->bytes.bytes)) {
		smb_operation_notice(work, whole);
		return;
	}
	if (!smb_is_response(whole->bytes)) {
		take_request(work, whole, &units);
		return;
	}
	take_interim(work, whole, &units);
	if (units.count)
		take_responses(work, whole, &units, request);
}

#define MORE "..."

/* The path in the share; "..." replaces the beginning of a long one. Empty: it is the share, or the name is too long. */
static const char *path_in_share(const char *path, char text[PACKET_PATH_MOST + 1])
{
	const char *tree = strchr(path, '/'), *inside = tree ? strchr(tree + 1, '/') : NULL;
	size_t length = inside ? strlen(inside + 1) : 0;

	if (length <= PACKET_PATH_MOST)
		return length ? inside + 1 : "";
	inside = strchr(inside + 1 + length - PACKET_PATH_MOST + strlen(MORE), '/');
	snprintf(text, PACKET_PATH_MOST + 1, MORE "%s", inside ? inside : "");
	return inside ? text : "";
}

static void add_path(struct rtap_packet *packet, uint8_t number, const char *path)
{
	struct packet_paths *paths = &packet->paths;
	uint8_t count = packet->path_count;
	size_t length = strlen(path), used = count ? (size_t)paths->list[count - 1].at + paths->list[count - 1].length : 0;

	if (!length || count == PACKET_PATHS || length > sizeof paths->text - used)
		return;
	memcpy(paths->text + used, path, length);
	paths->list[count] = (struct packet_path){ .layer = number, .at = (uint8_t)used, .length = (uint8_t)length };
	packet->path_count++;
}

void smb_show_paths(struct upper_work *work)
{
	struct rtap_packet *packet = work->packet;
	struct smb_request *request;
	char text[PACKET_PATH_MOST + 1];
	uint32_t number = 0;

	if (!work->tracker->shows_files || !work->message->request_number)
		return;
	request = (struct smb_request *)request_find(work->connection, work->message->request_number);
	if (!request)
		return;
	for (uint8_t i = 0; i < packet->layer_count && number < request->part_count; i++) {
		const struct smb_part *part = &request->parts[number];

		if (packet->layers[i].protocol != PROTOCOL_SMB2)
			continue;
		if (part->has_file && part->name && part->command != SMB2_CREATE)
			add_path(packet, i, path_in_share(part->name->path, text));
		number++;
	}
}

/* Notes the information class of each command, which only the request contains. */
static void note_details(struct packet_request *known, struct smb_request *request, struct rtap_span message)
{
	uint32_t at = 0;
	struct unit unit;

	for (uint32_t i = 0; i < PACKET_REQUEST_DETAILS && next_unit(message, &at, &unit); i++) {
		const struct smb_part *part = find_part(request, little_bits(unit.header, SMB2_MESSAGE_ID));

		if (part && (part->command == SMB2_QUERY_DIRECTORY || part->command == SMB2_QUERY_INFO))
			known->details[i] = (uint16_t)part->detail;
		known->has_details |= known->details[i] != 0;
	}
}

struct smb_request *smb_request_of(const struct upper_work *work, struct rtap_span message)
{
	const struct message *send = work->message;

	if (!smb_is_response(message))
		return NULL;
	if (send && send->request && send->request->response == send)
		return (struct smb_request *)send->request;
	return find_request(work->connection, !work->from_a, little_bits(message.bytes, SMB2_MESSAGE_ID));
}

struct packet_request smb_known(struct smb_request *request, struct rtap_span message)
{
	struct packet_request known = { 0 };

	if (!request || !request->command.request.is_seen)
		return known;
	known.is_known = true;
	known.frame = request->command.request.first_frame;
	known.time_ns = request->command.request.time_ns;
	if (request->has_details)
		note_details(&known, request, message);
	return known;
}
