/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reserved fields: those that the tables call Reserved, in the captures of testdata. Each bit is inverted in all frames of a capture. The
 * field must show it, and nothing else may change: no other field, no anomaly, no message, no operation. Senders set reserved bits to
 * zero and receivers ignore them (IBTA vol. 1, 1.5 and 9.2; RFC 5040, 4.1; RFC 5041, 4.1), so that a later version can use them.
 * What a content is recognised by is an exception, in a table.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/rdmatap.h>

#define MAX_FIELDS 8192
#define MOST_FRAMES 300  /* of a capture: the run is repeated for each bit */
#define FOLLOWING 50     /* frames after the last one with the field */
#define MOST_WHOLE 4     /* bytes of a field of which each bit is inverted; of a longer one, one bit of each byte */

TestSuite(reserved, .timeout = HANG_SECONDS);

/* Fields whose bits change more than themselves, and why. */
static const struct {
	const char *name, *why;
} exceptions[] = {
	{ "infiniband.eoib.reserved", "datagrams are recognised by their content, each by itself" },
	{ "iwarp_rdma.term_rsvd", "they distinguish the layout of soft-iWARP from that of RFC 5040" },
	{ "pweth.cw.reserved", "the control word is recognised by its content: an Ethernet header without one can begin with such bits" },
	{ "rds.flags.reserved", "the checksum of the header covers them, and a message with a wrong one is dropped" },
	{ "rtrs.read.flags.reserved", "the header is at the end of a WRITE and is found by its content" },
	{ "srp.login.reserved", "private data to a port that is not registered are recognised by their content" },
};

#define EXCEPTIONS (sizeof exceptions / sizeof exceptions[0])

static bool needed[EXCEPTIONS]; /* its bits were seen to change more */

/* Beginnings of the names of fields that no capture of testdata has within one packet. */
static const char *const absent[] = {
	"ah.", "erspan.", "infiniband.smp", "iscsi.reserved", "iser.flags.reserved", "iser.hello.", "iwarp_mpa.marker_res", "iwarp_rdma.atomic.",
	"nvme.", "rds.private.", "rnbd.", "rtrs.", "scsi", "smb2.", "srp.",
};

/* A field as a frame shows it. */
struct shown {
	uint16_t id, source;
	uint32_t offset, length, hash;
};

struct frame_result {
	size_t first, count; /* in struct outcome.shown */
	uint32_t anomalies;  /* hash */
};

/* What a tracker makes of a capture. */
struct outcome {
	struct shown *shown;
	size_t count, room;
	struct frame_result *frames;
	uint32_t messages, operations; /* hashes */
	uint32_t message_count;
};

struct capture {
	char path[512];
	struct rtap_frame *frames;
	uint8_t **bytes, **changed; /* owned; the frames are those of `changed` */
	size_t count, room, size;
	struct outcome usual;
};

static uint32_t mix(uint32_t hash, const void *data, size_t length)
{
	const uint8_t *bytes = data, *end = bytes + length;
	uint64_t state = hash + length;

	for (uint64_t word = 0; bytes < end; bytes += sizeof word) {
		size_t left = (size_t)(end - bytes);

		memcpy(&word, bytes, left < sizeof word ? left : sizeof word);
		state = (state ^ word) * 0x9e3779b97f4a7c15;
		state ^= state >> 32;
	}
	return (uint32_t)state;
}

static uint32_t mix_number(uint32_t hash, uint64_t number)
{
	return mix(hash, &number, sizeof number);
}

static uint32_t mix_text(uint32_t hash, const char *text)
{
	return mix(hash, text ? text : "-", text ? strlen(text) + 1 : 2);
}

struct walk {
	struct rtap_visitor visitor;
	struct outcome *outcome;
	const struct rtap_frame *frame;
	uint32_t anomalies;
};

/* CRCs and checksums cover the bits. */
static bool is_sum(const struct rtap_field *field)
{
	return strstr(field->name, "crc") || strstr(field->name, "checksum");
}

static void find_place(struct shown *shown, const struct rtap_frame *frame, const struct rtap_span *data)
{
	uintptr_t at = (uintptr_t)data->bytes - (uintptr_t)frame->bytes;

	if (at >= frame->captured_length)
		return;
	shown->source = 0;
	shown->offset = (uint32_t)at;
	shown->length = data->length;
}

static void note_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value,
		       const struct rtap_place *place)
{
	struct walk *walk = (struct walk *)visitor;
	struct outcome *outcome = walk->outcome;
	struct shown shown = { id, place->source, place->offset, place->length, mix_number(1, value->number) };

	if (field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT) {
		shown.hash = mix(1, value->data.bytes, value->data.length);
		/* the table does not know where it is */
		if (field->flags & RTAP_UNPLACED && !place->length)
			find_place(&shown, walk->frame, &value->data);
	}
	if (outcome->count == outcome->room) {
		outcome->room = outcome->room ? 2 * outcome->room : 4096;
		outcome->shown = realloc(outcome->shown, outcome->room * sizeof *outcome->shown);
		cr_assert_not_null(outcome->shown);
	}
	outcome->shown[outcome->count++] = shown;
}

static void note_anomaly(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly)
{
	struct walk *walk = (struct walk *)visitor;

	walk->anomalies = mix_number(walk->anomalies, anomaly->code);
}

static void note_message(void *owner, const struct rtap_message *message)
{
	struct outcome *outcome = owner;
	const uint64_t numbers[] = { message->number, message->kind, message->verb, message->outcome, message->complete, message->first_frame,
				     message->last_frame, message->frames, message->repeats, message->answered_in, message->length,
				     message->missing_count, message->is_rpc, message->is_mad, message->xid, message->procedure,
				     message->partner, message->read_chunks, message->write_chunks, message->psn };

	outcome->message_count++;
	outcome->messages = mix(outcome->messages, numbers, sizeof numbers);
}

static void note_operation(void *owner, const struct rtap_operation *operation)
{
	struct outcome *outcome = owner;
	const uint64_t numbers[] = { operation->number, operation->ok, operation->complete, operation->offset, operation->length,
				     operation->request_frame, operation->response_frame, operation->first_data_frame,
				     operation->last_data_frame, operation->data_bytes, operation->repeats, operation->missing_count };

	outcome->operations = mix(outcome->operations, numbers, sizeof numbers);
	outcome->operations = mix_text(outcome->operations, operation->layer);
	outcome->operations = mix_text(outcome->operations, operation->name);
	outcome->operations = mix_text(outcome->operations, operation->id);
	outcome->operations = mix_text(outcome->operations, operation->status);
}

/* Fields of frames before `first_noted` are not noted. */
static void track(const struct capture *capture, struct outcome *outcome, size_t first_noted)
{
	struct rtap_tracker_options options = { .size = sizeof options, .message = note_message, .operation = note_operation,
						.owner = outcome };
	struct walk walk = { .visitor = { .field = note_field, .anomaly = note_anomaly, .on_demand = true }, .outcome = outcome };
	struct rtap_tracker *tracker;
	struct rtap_packet *packet;

	outcome->count = outcome->messages = outcome->operations = outcome->message_count = 0;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	cr_assert_eq(rtap_packet_open(&packet, NULL, NULL), RTAP_STATUS_OK);
	for (size_t i = 0; i < capture->count; i++) {
		size_t first = outcome->count;

		rtap_tracker_frame(tracker, &capture->frames[i], packet);
		if (i < first_noted)
			continue;
		walk.anomalies = 0;
		walk.frame = &capture->frames[i];
		rtap_packet_visit(packet, &walk.visitor);
		outcome->frames[i] = (struct frame_result){ first, outcome->count - first, walk.anomalies };
	}
	rtap_tracker_finish(tracker);
	rtap_packet_close(packet);
	rtap_tracker_close(tracker);
}

static uint8_t *copy(const struct rtap_frame *frame)
{
	uint8_t *bytes = malloc(frame->captured_length + 1);

	cr_assert_not_null(bytes);
	memcpy(bytes, frame->bytes, frame->captured_length);
	return bytes;
}

static void add_frame(struct capture *capture, const struct rtap_frame *frame)
{
	if (capture->count == capture->room) {
		capture->room = capture->room ? 2 * capture->room : 64;
		capture->frames = realloc(capture->frames, capture->room * sizeof *capture->frames);
		capture->bytes = realloc(capture->bytes, capture->room * sizeof *capture->bytes);
		capture->changed = realloc(capture->changed, capture->room * sizeof *capture->changed);
		cr_assert(capture->frames && capture->bytes && capture->changed);
	}
	capture->bytes[capture->count] = copy(frame);
	capture->changed[capture->count] = copy(frame);
	capture->frames[capture->count] = *frame;
	capture->frames[capture->count].bytes = capture->changed[capture->count];
	capture->frames[capture->count].comments = NULL;
	capture->frames[capture->count].comment_count = 0;
	capture->size += frame->captured_length;
	capture->count++;
}

static void load(struct capture *capture, const char *path)
{
	struct rtap_source *source = NULL;
	struct rtap_batch *batch;
	struct rtap_error error;

	*capture = (struct capture){ .count = 0 };
	snprintf(capture->path, sizeof capture->path, "%s", path);
	if (rtap_source_open_files(&source, &path, 1, &error) != RTAP_STATUS_OK)
		return;
	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count && capture->count < MOST_FRAMES; i++)
			add_frame(capture, &batch->frames[i]);
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
}

static void unload(struct capture *capture)
{
	for (size_t i = 0; i < capture->count; i++) {
		free(capture->bytes[i]);
		free(capture->changed[i]);
	}
	free(capture->bytes);
	free(capture->changed);
	free(capture->frames);
}

static void make_room(struct outcome *outcome, size_t frames)
{
	*outcome = (struct outcome){ .frames = calloc(frames + 1, sizeof *outcome->frames) };
	cr_assert_not_null(outcome->frames);
}

static void free_outcome(struct outcome *outcome)
{
	free(outcome->shown);
	free(outcome->frames);
}

static bool is_reserved(const struct rtap_field *field)
{
	const char *found = strstr(field->label, "Reserved");

	/* a field of which later versions use a part has rows for its parts; the other one belongs to the layer above */
	return found && (found == field->label || found[8] == '\0') && !(field->flags & RTAP_PARTS) && strcmp(field->name, "iwarp_ddp.rsvdulp") &&
	       !strstr(field->label, "Mask");
}

/* The mask, in byte `byte` of those where the field is shown, of the bits that are its own. */
static uint8_t own_bits(const struct rtap_field *field, uint32_t byte)
{
	uint32_t first = field->bit_offset % 8, after = first + field->bit_width;
	uint8_t mask = 0;

	if (field->flags & RTAP_UNPLACED || !field->bit_width)
		return 0xff;
	for (uint32_t bit = 0; bit < 8; bit++)
		if (8 * byte + bit >= first && 8 * byte + bit < after)
			mask |= (uint8_t)(field->flags & RTAP_LITTLE ? 1u << bit : 0x80u >> bit);
	return mask;
}

static bool shows_bit(const struct shown *shown, uint32_t offset, uint8_t mask)
{
	return !shown->source && offset >= shown->offset && offset < shown->offset + shown->length &&
	       own_bits(rtap_field_by_id(shown->id), offset - shown->offset) & mask;
}

/* The bit that is inverted: of each field `id`, in byte `byte`. */
struct change {
	const struct capture *capture;
	struct outcome *outcome;  /* scratch */
	rtap_field_id id;
	size_t first_frame;       /* from this one on */
	uint32_t byte;
	uint8_t mask;
	bool contains[MAX_FIELDS]; /* ids of fields that contain the bit */
};

/* CRC-32C, as in FPDUs. RFC 3720, 12.1 */
static uint32_t crc32c(const uint8_t *bytes, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static void put_crc(uint8_t *at, uint32_t crc)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(crc >> 8 * i);
}

/*
 * FPDUs without markers whose CRC was right have a right one again: with a wrong one, they are not taken as what they say. The place of an
 * FPDU's own fields is that of its ULPDU. RFC 5044, 4.1: length, ULPDU, pad, CRC.
 */
static void seal_fpdus(const struct capture *capture, size_t frame)
{
	const struct shown *first = capture->usual.shown + capture->usual.frames[frame].first;
	const uint8_t *bytes = capture->bytes[frame];
	uint8_t *changed = capture->changed[frame], crc[4];

	for (const struct shown *one = first; one < first + capture->usual.frames[frame].count; one++) {
		uint32_t start, length;

		if (one->source || one->offset < 2 || strcmp(rtap_field_by_id(one->id)->name, "iwarp_mpa.ulpdulength"))
			continue;
		start = one->offset - 2;
		length = 2u + (uint32_t)(bytes[start] << 8 | bytes[start + 1]);
		length += (4 - length % 4) % 4;
		if (start + length + 4 > capture->frames[frame].captured_length)
			continue;
		put_crc(crc, crc32c(bytes + start, length));
		if (!memcmp(crc, bytes + start + length, 4))
			put_crc(changed + start + length, crc32c(changed + start, length));
	}
}

/* Inverts the bit in all fields of a frame and notes what contains it. Returns their number. */
static unsigned invert_in(struct change *change, size_t frame)
{
	const struct capture *capture = change->capture;
	const struct shown *first = capture->usual.shown + capture->usual.frames[frame].first;
	const struct shown *after = first + capture->usual.frames[frame].count;
	unsigned count = 0;

	for (const struct shown *one = first; one < after; one++) {
		uint32_t at = one->offset + change->byte;

		if (one->id != change->id || one->source || change->byte >= one->length)
			continue;
		/* of the same header shown twice, once */
		if (capture->changed[frame][at] == capture->bytes[frame][at])
			capture->changed[frame][at] ^= change->mask;
		count++;
		for (const struct shown *other = first; other < after; other++)
			if (shows_bit(other, at, change->mask))
				change->contains[other->id] = true;
	}
	if (count)
		seal_fpdus(capture, frame);
	return count;
}

static unsigned invert(struct change *change)
{
	unsigned count = 0;

	memset(change->contains, 0, sizeof change->contains);
	change->contains[change->id] = true;
	for (size_t i = change->first_frame; i < change->capture->count; i++)
		count += invert_in(change, i);
	return count;
}

static void restore(const struct capture *capture)
{
	for (size_t i = 0; i < capture->count; i++)
		memcpy(capture->changed[i], capture->bytes[i], capture->frames[i].captured_length);
}

/* The frame's first difference, as text, beside the bit itself. Empty: none. Counts in *changed how often the field is another. */
static void compare_frame(const struct change *change, size_t frame, char *text, size_t size, unsigned *changed)
{
	const struct outcome *usual = &change->capture->usual;
	const struct frame_result *before = &usual->frames[frame], *now = &change->outcome->frames[frame];

	if (before->count != now->count || before->anomalies != now->anomalies) {
		snprintf(text, size, "frame %zu: %zu fields instead of %zu%s", frame + 1, now->count, before->count,
			 before->anomalies != now->anomalies ? ", other anomalies" : "");
		return;
	}
	for (size_t i = 0; i < before->count; i++) {
		const struct shown *one = &usual->shown[before->first + i], *other = &change->outcome->shown[now->first + i];

		if (one->id == other->id && (one->hash == other->hash || is_sum(rtap_field_by_id(one->id))))
			continue;
		*changed += one->id == change->id;
		if (one->id != other->id || !change->contains[one->id]) {
			snprintf(text, size, "frame %zu: %s changes", frame + 1, rtap_field_by_id(one->id)->name);
			return;
		}
	}
}

/* What differs beside the bit itself; returns how often the field is another. */
static unsigned compare(const struct change *change, char *text, size_t size)
{
	const struct outcome *usual = &change->capture->usual, *now = change->outcome;
	unsigned changed = 0;

	text[0] = '\0';
	for (size_t i = change->first_frame; i < change->capture->count && !text[0]; i++)
		compare_frame(change, i, text, size, &changed);
	if (!text[0] && (usual->messages != now->messages || usual->message_count != now->message_count))
		snprintf(text, size, "other messages");
	if (!text[0] && usual->operations != now->operations)
		snprintf(text, size, "other operations");
	return changed;
}

static size_t exception_of(const char *name)
{
	size_t i = 0;

	while (i < EXCEPTIONS && strcmp(exceptions[i].name, name))
		i++;
	return i;
}

/* Returns how many fields show the bit. */
static unsigned check_bit(struct change *change)
{
	const struct rtap_field *field = rtap_field_by_id(change->id);
	size_t exception = exception_of(field->name);
	unsigned count = invert(change), changed;
	char difference[128];

	track(change->capture, change->outcome, change->first_frame);
	restore(change->capture);
	changed = compare(change, difference, sizeof difference);
	if (exception < EXCEPTIONS) {
		needed[exception] |= difference[0];
		return count;
	}
	/* where its bits are is known to its protocol only: this one is another field's */
	if (field->flags & RTAP_UNPLACED && !changed)
		return 0;
	cr_expect_str_empty(difference, "%s, byte %u, bit 0x%02x: %s: %s", field->name, change->byte, change->mask, change->capture->path,
			    difference);
	if (!difference[0] && !(field->flags & RTAP_UNPLACED))
		cr_expect_geq(changed, count, "%s, byte %u, bit 0x%02x: %s: %u of %u show it", field->name, change->byte, change->mask,
			      change->capture->path, changed, count);
	return changed;
}

static bool frame_has(const struct capture *capture, size_t frame, rtap_field_id id)
{
	const struct frame_result *result = &capture->usual.frames[frame];

	for (size_t i = result->first; i < result->first + result->count; i++)
		if (capture->usual.shown[i].id == id && !capture->usual.shown[i].source)
			return true;
	return false;
}

/*
 * Where inversion begins: after a third of the frames that have the field, for an upper layer that is recognised by its content may demand
 * that the first ones are sound.
 */
static size_t first_frame_of(const struct capture *capture, rtap_field_id id)
{
	size_t count = 0, before = 0, first = 0;

	for (size_t i = 0; i < capture->count; i++)
		count += frame_has(capture, i, id);
	while (first < capture->count && (!frame_has(capture, first, id) || before++ < count / 3))
		first++;
	return first;
}

/* The number of frames up to the last one with the field, and some that follow. */
static size_t frames_to_track(const struct capture *capture, rtap_field_id id)
{
	size_t count = capture->count;

	while (count && !frame_has(capture, count - 1, id))
		count--;
	return count + FOLLOWING < capture->count ? count + FOLLOWING : capture->count;
}

static uint32_t length_of(const struct capture *capture, rtap_field_id id)
{
	uint32_t length = 0;

	for (size_t i = 0; i < capture->usual.count; i++)
		if (capture->usual.shown[i].id == id && !capture->usual.shown[i].source && capture->usual.shown[i].length > length)
			length = capture->usual.shown[i].length;
	return length;
}

/* Returns the number of bits that the field shows. */
static unsigned check_field(const struct capture *capture, struct outcome *outcome, rtap_field_id id)
{
	static struct change change;
	const struct rtap_field *field = rtap_field_by_id(id);
	struct capture part = *capture;
	uint32_t length = length_of(capture, id);
	unsigned bits = 0;

	part.count = frames_to_track(capture, id);
	make_room(&part.usual, part.count);
	track(&part, &part.usual, 0);
	change.capture = &part;
	change.outcome = outcome;
	change.id = id;
	change.first_frame = first_frame_of(capture, id);
	for (change.byte = 0; change.byte < length; change.byte++)
		for (uint32_t bit = 0; bit < 8; bit++) {
			change.mask = (uint8_t)(0x80 >> bit);
			if (own_bits(field, change.byte) & change.mask && (length <= MOST_WHOLE || bit == change.byte % 8))
				bits += check_bit(&change) > 0;
		}
	if (exception_of(field->name) == EXCEPTIONS && length <= MOST_WHOLE)
		cr_expect_geq(bits, field->bit_width, "%s: %u of its %u bits are shown", field->name, bits, field->bit_width);
	free_outcome(&part.usual);
	return bits;
}

#define MAX_CAPTURES 512

static char paths[MAX_CAPTURES][512];
static struct {
	size_t size;
	size_t capture; /* of the smallest one that has it, from 1; 0: none */
} seen[MAX_FIELDS];

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Damaged captures. */
static bool is_left_out(const char *name)
{
	static const char *const left_out[] = { "absurd", "fpdu-that-waits" };

	for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
		if (!strncmp(name, left_out[i], strlen(left_out[i])))
			return true;
	return false;
}

static size_t find_captures(void)
{
	DIR *directory = opendir(TESTDATA);
	struct dirent *entry;
	size_t count = 0;

	cr_assert_not_null(directory);
	while ((entry = readdir(directory)) && count < MAX_CAPTURES)
		if (strstr(entry->d_name, ".pcap") && !is_left_out(entry->d_name))
			snprintf(paths[count++], sizeof paths[0], TESTDATA "/%s", entry->d_name);
	closedir(directory);
	qsort(paths, count, sizeof paths[0], compare_paths);
	return count;
}

/* Fields to look for in a capture with the beginning of its iWARP streams, [1], and in others. */
static bool is_taken[2][MAX_FIELDS];

static void find_fields(void)
{
	for (rtap_field_id id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id(id);

		is_taken[1][id] = is_reserved(field);
		is_taken[0][id] = is_reserved(field) && strncmp(field->name, "iwarp_ddp", 9) && strncmp(field->name, "iwarp_rdma", 10);
	}
}

/* Notes the reserved fields of a capture. Captures of iWARP are large for everybody else: their FPDUs may end in other frames. */
static void note_capture(const struct capture *capture, size_t number)
{
	size_t size = capture->size + (strstr(capture->path, "iwarp") ? (size_t)1 << 30 : 0);
	bool has_streams = strstr(capture->path, "/iwarp-");

	for (size_t i = 0; i < capture->usual.count; i++) {
		const struct shown *shown = &capture->usual.shown[i];

		if (shown->source || !shown->length || !is_taken[has_streams][shown->id])
			continue;
		if (!seen[shown->id].capture || size < seen[shown->id].size) {
			seen[shown->id].size = size;
			seen[shown->id].capture = number + 1;
		}
	}
}

/* Whether a field is looked for in this capture. */
static bool is_chosen(size_t number)
{
	for (rtap_field_id id = 0; id < rtap_field_count(); id++)
		if (seen[id].capture == number)
			return true;
	return false;
}

static bool may_be_absent(const char *name)
{
	for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
		if (!strncmp(name, absent[i], strlen(absent[i])))
			return true;
	return false;
}

static void open_capture(struct capture *capture, const char *path)
{
	load(capture, path);
	make_room(&capture->usual, capture->count);
	track(capture, &capture->usual, 0);
}

static void close_capture(struct capture *capture)
{
	free_outcome(&capture->usual);
	unload(capture);
}

Test(reserved, each_bit_is_shown_and_changes_nothing_else)
{
	size_t count = find_captures();
	unsigned fields = 0, bits = 0;

	cr_assert_leq(rtap_field_count(), MAX_FIELDS);
	find_fields();
	for (size_t i = 0; i < count; i++) {
		struct capture capture;

		open_capture(&capture, paths[i]);
		note_capture(&capture, i);
		close_capture(&capture);
	}
	for (size_t i = 0; i < count; i++) {
		struct capture capture;
		struct outcome outcome;

		if (!is_chosen(i + 1))
			continue;
		open_capture(&capture, paths[i]);
		make_room(&outcome, capture.count);
		for (rtap_field_id id = 0; id < rtap_field_count(); id++)
			if (seen[id].capture == i + 1) {
				unsigned shown = check_field(&capture, &outcome, id);

				cr_expect_gt(shown, 0, "%s is not shown", rtap_field_by_id(id)->name);
				fields++;
				bits += shown;
			}
		free_outcome(&outcome);
		close_capture(&capture);
	}
	for (size_t i = 0; i < EXCEPTIONS; i++)
		cr_expect(needed[i], "%s is no exception any more", exceptions[i].name);
	for (rtap_field_id id = 0; id < rtap_field_count(); id++)
		cr_expect(!is_reserved(rtap_field_by_id(id)) || seen[id].capture || may_be_absent(rtap_field_by_id(id)->name),
			  "no capture has %s", rtap_field_by_id(id)->name);
	/* far fewer would mean that captures are not read */
	cr_expect_gt(fields, 250);
	cr_expect_gt(bits, 3000);
}
