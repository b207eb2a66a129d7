/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/engine/protocol.h"
#include "output/compare/canon_internal.h"
#include "output/compare/canon_write.h"

#define HELD_SHARE 4 /* 1/4 of max_memory is for buffers of streams */
#define MOST_HELD ((size_t)16 << 20)
#define MOST_ALIKE 8 /* maximum number of roles with one hash that are compared */

/* The input of a record. */
struct making {
	const struct canon *canon;
	const struct rtap_packet *packet;
	const struct rtap_message *message, *send;
	const struct rtap_connection *connection;
	const struct canon_note *note;
	char direction;
	int64_t base_ns;
	uint64_t early_refusals;
};

struct canon *canon_create(const struct canon_options *options)
{
	struct canon *canon = calloc(1, sizeof *canon);

	if (!canon)
		return NULL;
	canon->options = *options;
	canon_notes_init(&canon->notes);
	spool_init(&canon->spool, options->max_memory && options->max_memory / HELD_SHARE < MOST_HELD
					? (size_t)options->max_memory / HELD_SHARE : MOST_HELD);
	canon->text_room = 4096;
	canon->text = malloc(canon->text_room);
	if (!canon->text || canon_fields_init(&canon->fields, &options->keep)) {
		canon_destroy(canon);
		return NULL;
	}
	return canon;
}

static void fail(struct canon *canon, int error)
{
	if (!canon->error)
		canon->error = error;
}

static void charge(struct canon *canon, uint64_t bytes)
{
	canon->memory += bytes;
	if (canon->options.max_memory && canon->memory + canon->spool.extent_memory > canon->options.max_memory)
		fail(canon, -E2BIG);
}

/* Memory of a group without its setup and stream buffers. */
#define GROUP_MEMORY (sizeof(struct group) + 2 * sizeof(struct map_slot))

static void free_group(struct canon *canon, struct group *group)
{
	if (!group)
		return;
	free_group(canon, group->part);
	for (int stream = 0; stream < STREAMS; stream++)
		spool_stream_fini(&canon->spool, &group->streams[stream]);
	canon->memory -= GROUP_MEMORY + group->setup_length;
	free(group->setup);
	free(group);
}

/* Removes the group from the list of active groups and from the map. */
static void take_out(struct canon *canon, struct group *group)
{
	LIST_REMOVE(group, link);
	canon_map_remove(&canon->groups_by, &group->key);
}

void canon_destroy(struct canon *canon)
{
	struct group *group;

	if (!canon)
		return;
	while ((group = LIST_FIRST(&canon->groups))) {
		take_out(canon, group);
		free_group(canon, group);
	}
	for (size_t i = 0; i < canon->groups_by.room; i++)
		free(canon->groups_by.slots[i].value); /* the roles */
	free(canon->entries);
	free(canon->text);
	map_fini(&canon->groups_by);
	canon_notes_fini(&canon->notes);
	canon_fields_fini(&canon->fields);
	spool_fini(&canon->spool);
	free(canon);
}

uint64_t canon_lost(const struct canon *canon)
{
	return canon->notes.lost + canon->fields.lost + canon->unplaced;
}

static struct group *add_group(struct canon *canon, uint32_t by, uint64_t key, uint64_t order)
{
	struct group *group = calloc(1, sizeof *group);

	if (group)
		group->key = (struct canon_map_key){ key, by };
	if (!group || !canon_map_add(&canon->groups_by, &group->key)) {
		free(group);
		fail(canon, -ENOMEM);
		return NULL;
	}
	group->order = order;
	LIST_INSERT_HEAD(&canon->groups, group, link);
	charge(canon, GROUP_MEMORY);
	return group;
}

static struct group *group_of(struct canon *canon, uint32_t by, uint64_t key, uint64_t order)
{
	struct group *found = canon_map_find(&canon->groups_by, by, key);

	return found ? found : add_group(canon, by, key, order);
}

/* Creates a record in canon->text, growing it until the record fits. Returns its length; 0: failed. */
static size_t make(struct canon *canon, void (*write)(const struct making *making, struct line *line), const struct making *making)
{
	for (;;) {
		struct line line;
		char *larger;

		line_init(&line, canon->text, canon->text_room);
		write(making, &line);
		if (!line.cut)
			return (size_t)(line.next - canon->text);
		larger = canon->text_room < (size_t)64 << 20 ? array_grow(canon->text, &canon->text_room, canon->text_room + 1, 1) : NULL;
		if (!larger) {
			fail(canon, -ENOMEM);
			return 0;
		}
		canon->text = larger;
	}
}

static int flush_group(struct canon *canon, struct group *group)
{
	int result = group->part ? flush_group(canon, group->part) : 0;

	for (int stream = 0; stream < STREAMS && !result; stream++)
		if (group->streams[stream].room)
			result = spool_flush(&canon->spool, &group->streams[stream]);
	return result;
}

static void take_down(struct canon *canon, struct group *group, enum group_stream stream, uint64_t order,
		      void (*write)(const struct making *making, struct line *line), const struct making *making)
{
	size_t length = group && !canon->error ? make(canon, write, making) : 0;
	int result;

	if (!length)
		return;
	result = spool_add(&canon->spool, &group->streams[stream], order, canon->text, length);
	if (spool_is_full(&canon->spool)) {
		LIST_FOREACH(group, &canon->groups, link)
			if (!result)
				result = flush_group(canon, group);
		charge(canon, 0);
	}
	if (result)
		fail(canon, result);
}

/* Times of messages are relative to the first message of their group. */
static void take_message(struct canon *canon, struct group *group, struct making *making,
			 void (*write)(const struct making *making, struct line *line))
{
	if (!group)
		return;
	if (!group->timed)
		group->base_ns = making->message->time_ns;
	group->timed = true;
	making->base_ns = group->base_ns;
	take_down(canon, group, STREAM_MESSAGES, making->message->first_frame, write, making);
}

/* Hash of a datagram's two addresses, independent of the direction. */
static uint64_t pair_key(const struct rtap_packet *packet)
{
	struct rtap_end ends[2];
	bool swapped;

	packet_ends(packet, &ends[0], &ends[1]);
	swapped = memcmp(ends[0].address, ends[1].address, sizeof ends[0].address) > 0;
	return canon_mark(canon_mark(0, ends[swapped].address, ends[swapped].address_length), ends[!swapped].address, ends[!swapped].address_length);
}

/* The key of an RPC message's note: transaction ids are unique per sender only. */
static uint64_t rpc_key(uint32_t xid, bool is_reply, bool from_a, const struct rtap_end *a, const struct rtap_end *b)
{
	uint64_t hash = canon_mark((uint64_t)xid << 2 | (uint64_t)is_reply << 1 | from_a, a->address, a->address_length);

	return canon_mark(hash, b->address, b->address_length);
}

static void write_management_role(const struct making *making, struct line *line)
{
	struct rtap_end source, destination;

	packet_ends(making->packet, &source, &destination);
	canon_name(line, "transport");
	line_text(line, "MAD");
	canon_item_end("client", &source, line);
	canon_item_end("server", &destination, line);
}

static void write_role(const struct making *making, struct line *line)
{
	canon_item_role(making->connection, line);
}

static void write_setup(const struct making *making, struct line *line)
{
	canon_item_setup(making->connection, line);
}

static void keep_setup(struct canon *canon, struct group *group, void (*write)(const struct making *making, struct line *line),
		       const struct making *making)
{
	size_t length = canon->error ? 0 : make(canon, write, making);
	char *longer = length ? realloc(group->setup, group->setup_length + length) : NULL;

	if (!longer) {
		fail(canon, -ENOMEM);
		return;
	}
	memcpy(longer + group->setup_length, canon->text, length);
	group->setup = longer;
	group->setup_length += length;
	charge(canon, length);
}

/* The role with this text, created if necessary; freed at the end. */
static void keep_role(struct canon *canon, struct group *group, void (*write)(const struct making *making, struct line *line),
		      const struct making *making)
{
	size_t length = canon->error ? 0 : make(canon, write, making);
	uint64_t key = canon_mark(0, canon->text, length);
	struct canon_role *role = NULL;

	if (!length)
		return;
	/* if too many other texts have this hash, the last one gets another key */
	for (unsigned alike = 0; alike < MOST_ALIKE; alike++, key = canon_mark_word(key, alike)) {
		role = canon_map_find(&canon->groups_by, BY_ROLE, key);
		if (!role)
			break;
		if (role->length == length && !memcmp(role->text, canon->text, length)) {
			group->role = role;
			return;
		}
	}
	if (canon_map_find(&canon->groups_by, BY_ROLE, key)) {
		fail(canon, -E2BIG);
		return;
	}
	role = malloc(sizeof *role + length);
	if (role)
		role->key = (struct canon_map_key){ key, BY_ROLE };
	if (!role || !canon_map_add(&canon->groups_by, &role->key)) {
		free(role);
		fail(canon, -ENOMEM);
		return;
	}
	role->length = length;
	memcpy(role->text, canon->text, length);
	group->role = role;
	charge(canon, sizeof *role + length + 2 * sizeof(struct map_slot));
}

/* The note of a management datagram begins with its group and sender, because the message has neither. */
struct management {
	uint64_t pair;
	char direction;
};

static void write_fields(const struct making *making, struct line *line)
{
	canon_fields_write(&making->canon->fields, making->packet, making->direction == '>', line);
}

static bool sent_by(const struct rtap_packet *packet, const struct group *group)
{
	struct rtap_end source, destination;

	packet_ends(packet, &source, &destination);
	return group->address_length == source.address_length && !memcmp(group->source, source.address, source.address_length);
}

static void remember_sender(struct group *group, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	packet_ends(packet, &source, &destination);
	group->address_length = source.address_length;
	memcpy(group->source, source.address, source.address_length);
}

static struct group *management_group(struct canon *canon, const struct rtap_packet *packet)
{
	struct making making = { .canon = canon, .packet = packet };
	struct group *group = group_of(canon, BY_PAIR, pair_key(packet), packet->frame->number);

	if (group && !group->role) {
		remember_sender(group, packet);
		keep_role(canon, group, write_management_role, &making);
	}
	return canon->error ? NULL : group;
}

static void note_management(struct canon *canon, const struct rtap_packet *packet)
{
	struct group *group = management_group(canon, packet);
	struct making making = { .canon = canon, .packet = packet, .direction = '>' };
	struct management management = { 0 };
	char *text;
	size_t length;

	if (!group)
		return;
	management.pair = pair_key(packet);
	management.direction = sent_by(packet, group) ? '>' : '<';
	making.direction = management.direction;
	canon_fields_read(&canon->fields, packet, CANON_PART_HEADER);
	length = make(canon, write_fields, &making);
	text = malloc(sizeof management + length);
	if (!text) {
		fail(canon, -ENOMEM);
		return;
	}
	memcpy(text, &management, sizeof management);
	memcpy(text + sizeof management, canon->text, length);
	canon_notes_add(&canon->notes, CANON_NOTE_FRAME, packet->frame->number, text, sizeof management + length);
	free(text);
}

static void note(struct canon *canon, const struct rtap_packet *packet, enum canon_part part, enum canon_note_kind kind, uint64_t key)
{
	struct making making = { .canon = canon, .packet = packet, .direction = '>' };
	size_t length;

	canon_fields_read(&canon->fields, packet, part);
	length = make(canon, write_fields, &making);
	if (length)
		canon_notes_add(&canon->notes, kind, key, canon->text, length);
}

static void note_rpc(struct canon *canon, const struct rtap_packet *packet)
{
	bool from_a = packet->flow.from_a;
	struct rtap_end a, b;

	packet_ends(packet, from_a ? &a : &b, from_a ? &b : &a);
	note(canon, packet, CANON_PART_RPC, CANON_NOTE_RPC, rpc_key(packet->rpc.xid, packet->rpc.is_reply, from_a, &a, &b));
}

static void write_refusal(const struct making *making, struct line *line)
{
	line_char(line, making->direction);
	canon_item_refusal(making->packet, &making->canon->options.keep, line);
}

static void write_packet(const struct making *making, struct line *line)
{
	line_char(line, making->direction);
	if (canon_keeps(&making->canon->options.keep, "frame")) {
		canon_name(line, "frame");
		line_dec(line, making->packet->frame->number);
	}
	write_fields(making, line);
}

static void take_packet(struct canon *canon, struct group *group, const struct rtap_packet *packet, char direction)
{
	struct making making = { .canon = canon, .packet = packet, .direction = direction };

	if (canon->options.level != CANON_PACKETS)
		return;
	canon_fields_read(&canon->fields, packet, CANON_PART_PACKET);
	take_down(canon, group, STREAM_PACKETS, packet->frame->number, write_packet, &making);
}

static bool is_refusal(const struct rtap_packet *packet)
{
	return packet->ib.has_bth && packet->ib.has_aeth && packet->ib.icrc_status != RTAP_CRC_BAD &&
	       (packet->ib.aeth_kind == RTAP_AETH_RNR_NAK || packet->ib.aeth_kind == RTAP_AETH_NAK) &&
	       packet->flow.analysis != RTAP_PSN_CAPTURED_TWICE;
}

void canon_packet(struct canon *canon, const struct rtap_packet *packet)
{
	char direction = packet->flow.from_a ? '>' : '<';
	struct making making = { .canon = canon, .packet = packet, .direction = direction };
	struct group *group;

	if (canon->error)
		return;
	if (packet_has(packet, PROTOCOL_MAD)) {
		note_management(canon, packet);
		group = management_group(canon, packet);
		if (group)
			take_packet(canon, group, packet, sent_by(packet, group) ? '>' : '<');
		return;
	}
	if (!packet->flow.present || !packet->flow.connection)
		return;
	group = group_of(canon, BY_NUMBER, packet->flow.connection, packet->frame->number);
	if (!group)
		return;
	if (packet->rpcrdma.present && packet->flow.completes)
		note(canon, packet, CANON_PART_HEADER, CANON_NOTE_FRAME, packet->flow.message_first_frame);
	if (packet->rpc.present)
		note_rpc(canon, packet);
	if (is_refusal(packet)) {
		group->asked_again_shown += packet->ib.aeth_kind == RTAP_AETH_RNR_NAK || packet->ib.aeth_value == RTAP_NAK_SEQUENCE_ERROR;
		take_down(canon, group, STREAM_REFUSALS, packet->frame->number, write_refusal, &making);
	}
	take_packet(canon, group, packet, direction);
}

static void write_verb(const struct making *making, struct line *line)
{
	line_char(line, making->direction);
	canon_item_verb(making->message, &making->canon->options.keep, making->base_ns, line);
	if (making->note)
		line_bytes(line, making->note->text, making->note->length);
}

static void write_rpc(const struct making *making, struct line *line)
{
	const struct canon_note *header = canon_notes_find(&making->canon->notes, CANON_NOTE_FRAME, making->message->first_frame);

	line_char(line, making->direction);
	canon_item_rpc(making->message, making->send, &making->canon->options.keep, making->base_ns, line);
	if (header)
		line_bytes(line, header->text, header->length);
	if (making->note)
		line_bytes(line, making->note->text, making->note->length);
}

/* The last SEND carried no RPC message, so it gets its own record. */
static void take_send(struct canon *canon)
{
	struct making making = { .canon = canon, .message = &canon->send.message, .direction = canon->send.message.from_a ? '>' : '<' };
	struct canon_note *header;

	if (!canon->send.present)
		return;
	canon->send.present = false;
	header = canon_notes_find(&canon->notes, CANON_NOTE_FRAME, canon->send.message.first_frame);
	making.note = header;
	take_message(canon, group_of(canon, BY_NUMBER, canon->send.connection, canon->send.message.first_frame), &making, write_verb);
	canon_notes_remove(&canon->notes, header);
}

static void take_rpc(struct canon *canon, const struct rtap_message *message)
{
	const struct rtap_connection *connection = message->connection;
	bool carried = canon->send.present && canon->send.connection == connection->number &&
		       canon->send.message.first_frame == message->first_frame;
	struct making making = { .canon = canon, .message = message, .direction = message->from_a ? '>' : '<' };
	struct canon_note *fields;

	if (!carried)
		take_send(canon);
	making.send = carried ? &canon->send.message : NULL;
	canon->send.present = false;
	fields = canon_notes_find(&canon->notes, CANON_NOTE_RPC,
				  rpc_key(message->xid, message->kind == RTAP_KIND_RPC_REPLY, message->from_a, &connection->a, &connection->b));
	making.note = fields;
	take_message(canon, group_of(canon, BY_NUMBER, connection->number, message->first_frame), &making, write_rpc);
	canon_notes_remove(&canon->notes, fields);
	canon_notes_remove(&canon->notes, canon_notes_find(&canon->notes, CANON_NOTE_FRAME, message->first_frame));
}

static void write_management(const struct making *making, struct line *line)
{
	const struct canon_note *note = making->note;

	line_char(line, making->direction);
	canon_item_verb(making->message, &making->canon->options.keep, making->base_ns, line);
	line_bytes(line, note->text + sizeof(struct management), note->length - sizeof(struct management));
}

/* A management message whose packet was not dissected as management has no group and is omitted. */
static void take_management(struct canon *canon, const struct rtap_message *message)
{
	struct canon_note *note = canon_notes_find(&canon->notes, CANON_NOTE_FRAME, message->first_frame);
	struct making making = { .canon = canon, .message = message, .note = note };
	struct management management;

	if (!note)
		return;
	memcpy(&management, note->text, sizeof management);
	making.direction = management.direction;
	take_message(canon, group_of(canon, BY_PAIR, management.pair, message->first_frame), &making, write_management);
	canon_notes_remove(&canon->notes, note);
}

void canon_message(struct canon *canon, const struct rtap_message *message)
{
	struct making making = { .canon = canon, .message = message, .direction = message->from_a ? '>' : '<' };

	if (canon->error)
		return;
	if (message->is_rpc && message->connection) {
		take_rpc(canon, message);
		return;
	}
	take_send(canon);
	if (!message->connection)
		take_management(canon, message);
	else if (message->kind == RTAP_KIND_SEND)
		canon_send_keep(&canon->send, message);
	else
		take_message(canon, group_of(canon, BY_NUMBER, message->connection->number, message->first_frame), &making, write_verb);
}

static void write_early_refusals(const struct making *making, struct line *line)
{
	canon_name(line, "refusals");
	line_dec(line, making->early_refusals);
}

/* NAKs received before their connection was known have no record: the setup has their number. */
static void report_early_refusals(struct canon *canon, struct group *group)
{
	uint64_t shown = group->asked_again_shown + (group->part ? group->part->asked_again_shown : 0);
	struct making making = { .canon = canon, .early_refusals = group->asked_again - shown };

	if (group->setup && group->asked_again > shown)
		keep_setup(canon, group, write_early_refusals, &making);
}

static bool add_entry(struct canon *canon, const struct group *group)
{
	size_t before = canon->entry_room;
	struct canon_entry *entries = array_grow(canon->entries, &canon->entry_room, canon->entry_count + 1, sizeof *entries);

	if (!entries) {
		fail(canon, -ENOMEM);
		return false;
	}
	charge(canon, (canon->entry_room - before) * sizeof *entries);
	canon->entries = entries;
	canon->entries[canon->entry_count++] = (struct canon_entry){ group->role, group->order, canon->spool.end };
	return true;
}

static int spool_group(struct canon *canon, const struct group *group)
{
	const struct group *halves[2] = { group, group->part };
	struct canon_sealed sealed = { .setup_length = group->setup_length, .part_swapped = group->part_swapped };
	int result;

	for (int half = 0; half < 2 && halves[half]; half++)
		for (int stream = 0; stream < STREAMS; stream++)
			sealed.extents[half][stream] = halves[half]->streams[stream].extent_count;
	result = spool_append(&canon->spool, &sealed, sizeof sealed);
	if (!result)
		result = spool_append(&canon->spool, group->setup, group->setup_length);
	for (int half = 0; half < 2 && halves[half]; half++)
		for (int stream = 0; stream < STREAMS && !result; stream++)
			result = spool_append(&canon->spool, halves[half]->streams[stream].extents,
					      halves[half]->streams[stream].extent_count * sizeof(struct spool_extent));
	return result;
}

/* The group is complete: write it to the spool and free it. */
static void seal(struct canon *canon, struct group *group)
{
	int result;

	report_early_refusals(canon, group);
	result = flush_group(canon, group);
	if (!result && add_entry(canon, group))
		result = spool_group(canon, group);
	if (result)
		fail(canon, result);
	take_out(canon, group);
	free_group(canon, group);
}

void canon_connection(struct canon *canon, const struct rtap_connection *connection)
{
	struct making making = { .canon = canon, .connection = connection };
	struct group *group;

	if (canon->send.connection == connection->number)
		take_send(canon);
	if (canon->error)
		return;
	group = group_of(canon, BY_NUMBER, connection->number, connection->first_frame);
	if (!group)
		return;
	group->order = connection->first_frame;
	group->asked_again = connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_NAK_SEQUENCE] + connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_RNR];
	keep_role(canon, group, write_role, &making);
	keep_setup(canon, group, write_setup, &making);
	if (!canon->error)
		seal(canon, group);
}

/* Records of a one-directional connection that turned out to be half of another one are moved to that one. */
void canon_merge(struct canon *canon, uint64_t from, uint64_t into, bool turned)
{
	struct group *part, *whole;

	if (canon->send.present && canon->send.connection == from) {
		canon->send.connection = into;
		canon->send.message.from_a ^= turned;
	}
	part = canon->error ? NULL : canon_map_find(&canon->groups_by, BY_NUMBER, from);
	whole = part ? group_of(canon, BY_NUMBER, into, part->order) : NULL;
	if (!whole)
		return;
	take_out(canon, part);
	/* a connection has only one other half */
	if (whole->part) {
		canon->unplaced++;
		free_group(canon, part);
		return;
	}
	whole->part = part;
	whole->part_swapped = turned;
}

static bool has_records(const struct group *group)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (group->streams[stream].used || group->streams[stream].extent_count)
			return true;
	return false;
}

static int compare_entries(const void *left, const void *right)
{
	const struct canon_entry *a = left, *b = right;
	size_t length = a->role->length < b->role->length ? a->role->length : b->role->length;
	int result = a->role == b->role ? 0 : memcmp(a->role->text, b->role->text, length);

	if (result)
		return result;
	if (a->role->length != b->role->length)
		return a->role->length < b->role->length ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

int canon_write(struct canon *canon, const char *incomplete, struct printer *printer)
{
	struct group *group, *next;

	take_send(canon);
	for (group = LIST_FIRST(&canon->groups); group && !canon->error; group = next) {
		next = LIST_NEXT(group, link);
		if (group->role)
			seal(canon, group);
		else
			canon->unplaced += has_records(group);
	}
	if (canon->error)
		return canon->error;
	if (canon->entry_count)
		qsort(canon->entries, canon->entry_count, sizeof *canon->entries, compare_entries);
	return canon_write_groups(canon, incomplete, printer);
}
