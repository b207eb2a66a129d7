/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/protocol.h"
#include "output/canon_internal.h"

/* A capture with more connections than that is none to be compared. */
#define MAX_GROUPS (1u << 18)

/* What a record is made of. */
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
	spool_init(&canon->spool);
	canon->text_room = 4096;
	canon->text = malloc(canon->text_room);
	if (!canon->text || canon_fields_init(&canon->fields, &options->keep)) {
		canon_destroy(canon);
		return NULL;
	}
	return canon;
}

void canon_destroy(struct canon *canon)
{
	if (!canon)
		return;
	for (size_t i = 0; i < canon->group_count; i++) {
		struct group *group = canon->groups[i];

		for (int stream = 0; stream < STREAMS; stream++)
			spool_stream_fini(&group->streams[stream]);
		free(group->role);
		free(group->setup);
		free(group);
	}
	free(canon->groups);
	free(canon->text);
	canon_map_fini(&canon->groups_by);
	canon_notes_fini(&canon->notes);
	canon_fields_fini(&canon->fields);
	spool_fini(&canon->spool);
	free(canon);
}

uint64_t canon_lost(const struct canon *canon)
{
	return canon->notes.lost + canon->fields.lost + canon->unplaced;
}

static void fail(struct canon *canon, int error)
{
	if (!canon->error)
		canon->error = error;
}

static struct group *add_group(struct canon *canon, uint32_t by, uint64_t key, uint64_t order)
{
	struct group *group;

	if (canon->group_count == MAX_GROUPS) {
		fail(canon, -E2BIG);
		return NULL;
	}
	if (canon->group_count == canon->group_room) {
		size_t room = canon->group_room ? canon->group_room * 2 : 16;
		struct group **larger = realloc(canon->groups, room * sizeof *larger);

		if (!larger)
			goto out_of_memory;
		canon->groups = larger;
		canon->group_room = room;
	}
	group = calloc(1, sizeof *group);
	if (!group || !canon_map_add(&canon->groups_by, by, key, canon->group_count)) {
		free(group);
		goto out_of_memory;
	}
	group->order = order;
	canon->groups[canon->group_count++] = group;
	return group;
out_of_memory:
	fail(canon, -ENOMEM);
	return NULL;
}

static struct group *group_of(struct canon *canon, uint32_t by, uint64_t key, uint64_t order)
{
	uint64_t *found = canon_map_find(&canon->groups_by, by, key);

	return found ? canon->groups[*found] : add_group(canon, by, key, order);
}

/* Packets come in runs of one connection, and its messages among them. */
static struct group *group_of_connection(struct canon *canon, uint64_t number, uint64_t order)
{
	if (number != canon->last_number) {
		canon->last_group = group_of(canon, BY_NUMBER, number, order);
		canon->last_number = canon->last_group ? number : 0;
	}
	return canon->last_group;
}

/* Makes a record in canon->text, with more room as long as it was cut. Its length; 0: it failed. */
static size_t make(struct canon *canon, void (*write)(const struct making *making, struct line *line), const struct making *making)
{
	for (;;) {
		struct line line;
		char *larger;

		line_init(&line, canon->text, canon->text_room);
		write(making, &line);
		if (!line.cut)
			return (size_t)(line.next - canon->text);
		larger = canon->text_room < (size_t)64 << 20 ? realloc(canon->text, canon->text_room * 2) : NULL;
		if (!larger) {
			fail(canon, -ENOMEM);
			return 0;
		}
		canon->text = larger;
		canon->text_room *= 2;
	}
}

static void take_down(struct canon *canon, struct group *group, enum group_stream stream, uint64_t order,
		      void (*write)(const struct making *making, struct line *line), const struct making *making)
{
	size_t length = group && !canon->error ? make(canon, write, making) : 0;
	int result;

	if (!length)
		return;
	result = spool_add(&canon->spool, &group->streams[stream], order, canon->text, length);
	if (result)
		fail(canon, result);
}

/* Times of messages count from the first one of their group. */
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

/* The two addresses of a datagram in one number, whichever sent it. */
static uint64_t pair_key(const struct rtap_packet *packet)
{
	const uint8_t *first = packet->source_address, *second = packet->destination_address;
	uint64_t hash;

	if (!first || !second) {
		uint16_t lids[2] = { packet->ib.slid, packet->ib.dlid };

		if (lids[0] > lids[1]) {
			lids[0] = packet->ib.dlid;
			lids[1] = packet->ib.slid;
		}
		return canon_mark(2, lids, sizeof lids);
	}
	if (memcmp(first, second, packet->address_length) > 0) {
		first = packet->destination_address;
		second = packet->source_address;
	}
	hash = canon_mark(0, first, packet->address_length);
	return canon_mark(hash, second, packet->address_length);
}

/* Which RPC message a note belongs to: transaction ids are the sender's own. */
static uint64_t rpc_key(uint32_t xid, bool is_reply, bool from_a, const uint8_t *a, const uint8_t *b, size_t length)
{
	uint64_t hash = canon_mark((uint64_t)xid << 2 | (uint64_t)is_reply << 1 | from_a, a, length);

	return canon_mark(hash, b, length);
}

static void packet_end(struct line *line, const char *name, const uint8_t *address, uint8_t length, uint16_t lid)
{
	canon_name(line, name);
	if (address) {
		line_ip(line, address, length);
	} else {
		line_text(line, "lid:");
		line_dec(line, lid);
	}
}

static void write_management_role(const struct making *making, struct line *line)
{
	const struct rtap_packet *packet = making->packet;

	canon_name(line, "transport");
	line_text(line, "MAD");
	packet_end(line, "client", packet->source_address, packet->address_length, packet->ib.slid);
	packet_end(line, "server", packet->destination_address, packet->address_length, packet->ib.dlid);
}

static void write_role(const struct making *making, struct line *line)
{
	canon_item_role(making->connection, line);
}

static void write_setup(const struct making *making, struct line *line)
{
	canon_item_setup(making->connection, line);
}

static bool keep_text(struct canon *canon, char **kept, size_t *kept_length, void (*write)(const struct making *making, struct line *line),
		      const struct making *making)
{
	size_t length = canon->error ? 0 : make(canon, write, making);

	free(*kept);
	*kept = length ? malloc(length) : NULL;
	*kept_length = length;
	if (!*kept) {
		fail(canon, -ENOMEM);
		return false;
	}
	memcpy(*kept, canon->text, length);
	return true;
}

/* A note of a datagram of management begins with its group and who sent it, for the message will not tell. */
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
	if (!packet->source_address)
		return group->address_length == 2 && (uint32_t)(group->source[0] << 8 | group->source[1]) == packet->ib.slid;
	return group->address_length == packet->address_length && !memcmp(group->source, packet->source_address, packet->address_length);
}

static void remember_ends(struct group *group, const struct rtap_packet *packet)
{
	if (packet->source_address) {
		group->address_length = packet->address_length;
		memcpy(group->source, packet->source_address, packet->address_length);
		memcpy(group->destination, packet->destination_address, packet->address_length);
	} else {
		group->address_length = 2;
		group->source[0] = (uint8_t)(packet->ib.slid >> 8);
		group->source[1] = (uint8_t)packet->ib.slid;
		group->destination[0] = (uint8_t)(packet->ib.dlid >> 8);
		group->destination[1] = (uint8_t)packet->ib.dlid;
	}
	group->receiver_qpn = packet->ib.dest_qpn;
	group->has_receiver = packet->ib.has_bth;
}

static struct group *management_group(struct canon *canon, const struct rtap_packet *packet)
{
	struct making making = { .canon = canon, .packet = packet };
	struct group *group = group_of(canon, BY_PAIR, pair_key(packet), packet->frame->number);

	if (group && !group->role) {
		remember_ends(group, packet);
		if (!keep_text(canon, &group->role, &group->role_length, write_management_role, &making))
			return NULL;
	}
	return group;
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
	const uint8_t *a = from_a ? packet->source_address : packet->destination_address;
	const uint8_t *b = from_a ? packet->destination_address : packet->source_address;

	note(canon, packet, CANON_PART_RPC, CANON_NOTE_RPC, rpc_key(packet->rpc.xid, packet->rpc.is_reply, from_a, a, b, packet->address_length));
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
	return packet->ib.has_bth && packet->ib.has_aeth && (packet->ib.syndrome >> 5 == 1 || packet->ib.syndrome >> 5 == 3) &&
	       packet->flow.analysis != RTAP_PSN_CAPTURED_TWICE;
}

void canon_packet(struct canon *canon, const struct rtap_packet *packet)
{
	char direction = packet->flow.from_a ? '>' : '<';
	struct making making = { .canon = canon, .packet = packet, .direction = direction };
	struct group *group;

	if (canon->error)
		return;
	if (rtap_packet_has(packet, PROTOCOL_MAD)) {
		note_management(canon, packet);
		group = management_group(canon, packet);
		if (group)
			take_packet(canon, group, packet, sent_by(packet, group) ? '>' : '<');
		return;
	}
	if (!packet->flow.present || !packet->flow.connection)
		return;
	group = group_of_connection(canon, packet->flow.connection, packet->frame->number);
	if (!group)
		return;
	if (!group->has_receiver)
		remember_ends(group, packet);
	if (packet->rpcrdma.present && packet->flow.completes)
		note(canon, packet, CANON_PART_HEADER, CANON_NOTE_FRAME, packet->flow.message_first_frame);
	if (packet->rpc.present && packet->source_address)
		note_rpc(canon, packet);
	if (is_refusal(packet)) {
		group->asked_again_shown += packet->ib.syndrome >> 5 == 1 || !(packet->ib.syndrome & 0x1f);
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

/* The SEND told last carried nothing that is told on its own. */
static void take_send(struct canon *canon)
{
	struct making making = { .canon = canon, .message = &canon->send.message, .direction = canon->send.message.from_a ? '>' : '<' };
	struct canon_note *header;

	if (!canon->send.present)
		return;
	canon->send.present = false;
	header = canon_notes_find(&canon->notes, CANON_NOTE_FRAME, canon->send.message.first_frame);
	making.note = header;
	take_message(canon, group_of_connection(canon, canon->send.connection, canon->send.message.first_frame), &making, write_verb);
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
				  rpc_key(message->xid, message->kind == RTAP_KIND_RPC_REPLY, message->from_a, connection->a.address,
					  connection->b.address, connection->a.address_length));
	making.note = fields;
	take_message(canon, group_of_connection(canon, connection->number, message->first_frame), &making, write_rpc);
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

/* What management said in a packet that dissects to none is in no group: it is left out. */
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
		take_message(canon, group_of_connection(canon, message->connection->number, message->first_frame), &making, write_verb);
}

void canon_connection(struct canon *canon, const struct rtap_connection *connection)
{
	struct making making = { .canon = canon, .connection = connection };
	struct group *group;

	if (canon->error)
		return;
	group = group_of_connection(canon, connection->number, connection->first_frame);
	if (!group)
		return;
	group->order = connection->first_frame;
	group->a = connection->a;
	group->b = connection->b;
	group->first_frame = connection->first_frame;
	group->last_frame = connection->last_frame;
	group->asked_again = connection->trouble[RTAP_TROUBLE_NAK_SEQUENCE] + connection->trouble[RTAP_TROUBLE_RNR];
	if (keep_text(canon, &group->role, &group->role_length, write_role, &making))
		(void)keep_text(canon, &group->setup, &group->setup_length, write_setup, &making);
}

static uint64_t end_key(const uint8_t *address, uint8_t length, uint32_t qpn)
{
	return canon_mark(qpn, address, length);
}

static bool add_end(struct canon *canon, const struct rtap_end *end, size_t index)
{
	return !end->qpn_known || canon_map_add(&canon->groups_by, BY_END, end_key(end->address, end->address_length, end->qpn), index);
}

static bool has_records(const struct group *group)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (group->streams[stream].used || group->streams[stream].extent_count)
			return true;
	return false;
}

/*
 * A connection that was begun for one direction and found to be half of another is never told: what its packets gave belongs to
 * the other, which its receiver is an end of.
 */
static bool join_parts(struct canon *canon)
{
	for (size_t i = 0; i < canon->group_count; i++) {
		const struct group *whole = canon->groups[i];

		if (whole->setup && (!add_end(canon, &whole->a, i) || !add_end(canon, &whole->b, i)))
			return false;
	}
	for (size_t i = 0; i < canon->group_count; i++) {
		struct group *part = canon->groups[i], *whole;
		uint64_t *found;

		if (part->role || !part->has_receiver)
			continue;
		found = canon_map_find(&canon->groups_by, BY_END, end_key(part->destination, part->address_length, part->receiver_qpn));
		whole = found ? canon->groups[*found] : NULL;
		if (!whole || whole->part || part->order < whole->first_frame || part->order > whole->last_frame) {
			canon->unplaced += has_records(part);
			continue;
		}
		whole->part = part;
		whole->part_swapped = whole->a.qpn_known && whole->a.qpn == part->receiver_qpn &&
				      !memcmp(whole->a.address, part->destination, part->address_length);
	}
	return true;
}

static void write_early_refusals(const struct making *making, struct line *line)
{
	canon_name(line, "refusals");
	line_dec(line, making->early_refusals);
}

/* NAKs that came before it was known whose answers they are have no record: how many they were is told by the setup. */
static bool tell_early_refusals(struct canon *canon, struct group *group)
{
	uint64_t shown = group->asked_again_shown + (group->part ? group->part->asked_again_shown : 0);
	struct making making = { .canon = canon, .early_refusals = group->asked_again - shown };
	size_t length;
	char *longer;

	if (!group->setup || group->asked_again <= shown)
		return true;
	length = make(canon, write_early_refusals, &making);
	longer = length ? realloc(group->setup, group->setup_length + length) : NULL;
	if (!longer)
		return false;
	memcpy(longer + group->setup_length, canon->text, length);
	group->setup = longer;
	group->setup_length += length;
	return true;
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = *(const struct group *const *)left, *b = *(const struct group *const *)right;
	size_t length = a->role_length < b->role_length ? a->role_length : b->role_length;
	int result = length ? memcmp(a->role, b->role, length) : 0;

	if (result)
		return result;
	if (a->role_length != b->role_length)
		return a->role_length < b->role_length ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

int canon_write(struct canon *canon, const char *incomplete, struct printer *printer)
{
	take_send(canon);
	if (canon->error)
		return canon->error;
	if (!join_parts(canon))
		return -ENOMEM;
	for (size_t i = 0; i < canon->group_count; i++)
		if (!tell_early_refusals(canon, canon->groups[i]))
			return -ENOMEM;
	if (canon->group_count)
		qsort(canon->groups, canon->group_count, sizeof *canon->groups, compare_groups);
	return canon_write_groups(canon, incomplete, printer);
}
