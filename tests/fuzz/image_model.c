/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "image_model.h"

#define STEP 32               /* frames between requests: responses are between them, each in its own frame */
#define GRAIN 64

/* Paths of files, then of directories. */
static const char *const paths[] = {
	"s/a", "s/b", "s/d/a", "s/d/b", "s/d/e/a", "s/f/a", "t/a", "t/b", "s/d", "s/f", "s/d/e", "s/g", "t/d", "s/f/d", "s/c", "t/g/a",
};
#define FILE_PATHS 8
#define PATHS (sizeof paths / sizeof *paths)

static uint8_t garbage(unsigned seed, uint64_t at)
{
	uint64_t mixed = (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + (seed + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);

	return (uint8_t)(mixed >> 56 | 1);
}

static void fill(uint8_t *bytes, uint64_t begin, uint64_t end, unsigned seed)
{
	for (uint64_t at = begin; at < end; at++)
		bytes[at] = garbage(seed, at);
}

bool model_is_captured(const struct model_action *action, uint64_t at, bool *is_cut)
{
	uint64_t length = action->kind == MODEL_REPEATED ? MODEL_PERIOD : action->length;
	uint8_t flags = action->record[0];

	*is_cut = flags & MODEL_CUT && at >= length - length / 4;
	return !*is_cut && !(flags & MODEL_NO_FIRST && at < length / 3) && !(flags & MODEL_NO_MIDDLE && at >= length / 2 && at < length / 2 + length / 5 + 1);
}

unsigned model_image_of(const struct model_action *action)
{
	unsigned target = action->is_nameless ? MODEL_TARGETS + action->address : action->target;

	return target * MODEL_UNITS + action->unit;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && (!path[length] || path[length] == '/');
}

void model_move(struct model *model, unsigned which, const char *from, const char *to)
{
	if (!strcmp(from, to))
		return;
	for (unsigned i = 0; i < model->file_count; i++) {
		char *path = model->files[i].path[which], moved[2 * MODEL_PATH];

		if (*path && *from && is_below(path, from)) {
			snprintf(moved, sizeof moved, "%s%s", to, path + strlen(from));
			REQUIRE(strlen(moved) < MODEL_PATH);
			strcpy(path, moved);
		} else if (*path && is_below(path, to)) {
			*path = '\0';
		}
	}
}

static struct model_file *file_at(struct model *model, const char *path)
{
	for (unsigned i = 0; i < model->file_count; i++)
		if (!strcmp(model->files[i].path[0], path))
			return &model->files[i];
	return NULL;
}

static struct model_file *add_file(struct model *model, const char *path, uint64_t found)
{
	struct model_file *file = model->file_count < MODEL_FILES ? &model->files[model->file_count] : NULL;

	if (!file)
		return NULL;
	model->file_count++;
	*file = (struct model_file){ .found = found };
	strcpy(file->first_path, path);
	strcpy(file->path[0], path);
	return file;
}

/* The file at the path; one that was there before the capture has some contents. */
static struct model_file *find_file(struct model *model, const char *path, uint64_t frame, unsigned seed)
{
	struct model_file *file = file_at(model, path);

	if (file)
		return file;
	file = add_file(model, path, frame);
	if (file) {
		file->size = seed * 32u;
		fill(file->bytes, 0, file->size, seed + 1000);
	}
	return file;
}

static void resize(struct model_file *file, uint64_t size)
{
	if (size > file->size)
		memset(file->bytes + file->size, 0, size - file->size);
	else
		memset(file->known + size, 0, MODEL_ROOM - size);
	file->size = size;
}

static void write_file(struct model_file *file, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	if (offset + length > file->size)
		resize(file, offset + length);
	memcpy(file->bytes + offset, bytes, length);
}

/* What the requester sends, and what it saw. */
static void make_bytes(struct model_action *action, uint64_t length)
{
	action->bytes = malloc(length + 1);
	REQUIRE(action->bytes);
	for (uint64_t at = 0; at < length; at++)
		action->bytes[at] = garbage(action->index + action->record[7] * 64u, at);
}

static const uint8_t *source_of(struct model *model, const struct model_action *action)
{
	unsigned unit = action->kind == MODEL_COPIED ? action->source_unit : action->unit;

	return model->devices[action->target][unit] + (action->kind == MODEL_COPIED ? action->source : action->offset);
}

/* A read, or a copy of its source, sees the bytes. */
static void look(struct model *model, struct model_action *action)
{
	if (action->kind == MODEL_READ || action->kind == MODEL_COPIED)
		memcpy(action->bytes, source_of(model, action), action->length);
	if (action->kind != MODEL_FILE_READ || !action->file)
		return;
	if (action->offset >= action->file->size)
		action->length = 0;
	else if (action->length > action->file->size - action->offset)
		action->length = action->file->size - action->offset;
	memcpy(action->bytes, action->file->bytes + action->offset, action->length);
}

/* Which bytes of the image are known now. */
static void note_known(struct model *model, const struct model_action *action, struct model_image *image)
{
	const struct model_image *source = &model->images[model_image_of(action) - action->unit + action->source_unit];
	uint64_t end = action->to_end ? image->end : action->offset + action->length;
	uint8_t before[MODEL_ROOM];
	/* the copy, or an earlier part of its command, overwrites bytes of its source: what these were can be given up */
	bool is_over_itself = action->kind == MODEL_COPIED && (action->part || (action->source_unit == action->unit && action->source < action->offset &&
									       action->offset < action->source + action->length));
	bool is_cut, has_block = !(action->record[0] & MODEL_NOT_KEPT);

	for (uint64_t at = 0; at < MODEL_PERIOD; at++)
		has_block &= model_is_captured(action, at, &is_cut);
	memcpy(before, source->known, MODEL_ROOM);
	for (uint64_t at = action->offset; at < end; at++) {
		uint64_t in = at - action->offset;
		bool is_captured = !(action->record[0] & MODEL_NOT_KEPT) && model_is_captured(action, in, &is_cut);

		switch (action->kind) {
		case MODEL_READ:
			if (is_captured)
				image->known[at] = MODEL_IS_KNOWN;
			break;
		case MODEL_WRITTEN: image->known[at] = is_captured ? MODEL_IS_KNOWN : MODEL_IS_UNKNOWN; break;
		case MODEL_REPEATED: image->known[at] = has_block ? MODEL_IS_KNOWN : MODEL_IS_UNKNOWN; break;
		case MODEL_COPIED:
			image->known[at] = before[action->source + in];
			if (is_over_itself && image->known[at] == MODEL_IS_KNOWN)
				image->known[at] = MODEL_MAY_BE_KNOWN;
			break;
		case MODEL_ZEROED: image->known[at] = MODEL_IS_KNOWN; break;
		default: image->known[at] = MODEL_IS_UNKNOWN; break;
		}
	}
	if (action->to_end && action->kind == MODEL_ZEROED)
		for (uint64_t at = end > action->offset ? end : action->offset; at < MODEL_ROOM; at++)
			image->known[at] = MODEL_MAY_BE_KNOWN;
}

static void note_image(struct model *model, const struct model_action *action)
{
	struct model_image *image = &model->images[model_image_of(action)];
	unsigned first = model_image_of(action) - action->unit;

	for (unsigned unit = 0; action->is_all && unit < MODEL_UNITS; unit++) {
		struct model_image *each = &model->images[first + unit];

		if (!each->is_used)
			continue;
		note_known(model, action, each);
		if (model->options & MODEL_SERIAL && !action->to_end && each->end < action->offset + action->length)
			each->end = action->offset + action->length;
	}
	if (action->is_all)
		return;
	if (!action->to_end) {
		memset(image->touched + action->offset, true, action->length);
		image->is_used = true;
		if (image->end < action->offset + action->length)
			image->end = action->offset + action->length;
	}
	if (image->is_used)
		note_known(model, action, image);
}

static void change_device(struct model *model, const struct model_action *action)
{
	unsigned unit = action->is_all ? action->record[7] % MODEL_UNITS : action->unit;
	uint64_t length = action->to_end ? MODEL_ROOM - action->offset : action->length;
	uint8_t *bytes = model->devices[action->target][unit] + action->offset;

	switch (action->kind) {
	case MODEL_WRITTEN: case MODEL_COPIED: memcpy(bytes, action->bytes, length); break;
	case MODEL_ZEROED: memset(bytes, 0, length); break;
	case MODEL_REPEATED:
		for (uint64_t at = 0; at < length; at++)
			bytes[at] = action->bytes[at % MODEL_PERIOD];
		break;
	case MODEL_SPOILED:
		if (action->record[0] & MODEL_GARBAGE)
			fill(bytes, 0, length, action->index + 2000);
		break;
	default: break;
	}
	model->has_nameless |= action->is_nameless;
	note_image(model, action);
}

/* Some file below the path changes, and nobody sees which one. */
static void change_unseen(struct model *model, struct model_action *action)
{
	uint8_t bytes[MODEL_ROOM];
	unsigned below = 0, wanted;

	for (unsigned i = 0; i < model->file_count; i++) {
		memset(model->files[i].known, false, MODEL_ROOM);
		below += is_below(model->files[i].path[0], "s") && *model->files[i].path[0];
	}
	wanted = below ? action->record[7] % below : 0;
	for (unsigned i = 0; i < model->file_count && below; i++) {
		struct model_file *file = &model->files[i];

		if (!*file->path[0] || !is_below(file->path[0], "s") || wanted--)
			continue;
		if (action->record[0] & MODEL_ANY_SIZE) {
			resize(file, action->offset % MODEL_ROOM);
			fill(file->bytes, 0, file->size, action->index + 3000);
		} else {
			fill(bytes, 0, action->length, action->index + 3000);
			write_file(file, action->offset, bytes, action->length);
		}
		break;
	}
}

static void create_file(struct model *model, struct model_action *action)
{
	struct model_file *before = file_at(model, action->path);

	if (before && action->record[1] & 64) {
		action->is_aside = true;
		snprintf(action->new_path, sizeof action->new_path, "%s%c%u", action->path, FILE_ASIDE_MARK, action->index);
		model_move(model, 0, action->path, action->new_path);
	} else if (before) {
		before->is_unchecked = true; /* its image can be that of the new file */
		*before->path[0] = '\0';
	}
	action->file = add_file(model, action->path, 0);
	action->is_skipped = !action->file;
}

/* Zeros in a range, as far as the file has it; or a new end at or after the offset. */
static void change_bounded(struct model_file *file, const struct model_action *action)
{
	uint64_t end = action->offset + (action->to_end ? action->record[7] : action->length);

	end = end < file->size ? end : file->size;
	if (action->to_end)
		resize(file, end);
	else if ((action->is_zeroed || action->record[0] & MODEL_GARBAGE) && end > action->offset)
		memset(file->bytes + action->offset, 0, end - action->offset);
	for (uint64_t at = action->offset; at < MODEL_ROOM; at++)
		file->known[at] = false;
}

static void change_file(struct model *model, struct model_action *action)
{
	struct model_file *file = action->file;
	bool is_cut;

	switch (action->kind) {
	case MODEL_FILE_WRITTEN: write_file(file, action->offset, action->bytes, action->length); break;
	case MODEL_FILE_SPOILED:
		if (action->is_bounded) {
			change_bounded(file, action);
			return;
		}
		if (action->record[0] & MODEL_GARBAGE)
			write_file(file, action->offset, action->bytes, action->length);
		break;
	case MODEL_CREATED: create_file(model, action); return;
	case MODEL_RESIZED: resize(file, action->size); return;
	case MODEL_SIZE_SEEN: action->size = file->size; return;
	case MODEL_RENAMED: model_move(model, 0, action->path, action->new_path); return;
	case MODEL_UNSEEN: change_unseen(model, action); return;
	default: break;
	}
	for (uint64_t at = 0; at < action->length && !action->is_by_id; at++) {
		bool is_captured = !(action->record[0] & MODEL_NOT_KEPT) && model_is_captured(action, at, &is_cut);

		if (action->kind != MODEL_FILE_READ)
			file->known[action->offset + at] = is_captured && action->kind == MODEL_FILE_WRITTEN;
		else
			file->known[action->offset + at] |= is_captured;
	}
	if (action->is_by_id && action->kind != MODEL_FILE_READ)
		for (unsigned i = 0; i < model->file_count; i++)
			memset(model->files[i].known, false, MODEL_ROOM);
}

/* Which file a request is for. */
static void begin_file(struct model *model, struct model_action *action)
{
	if (action->kind == MODEL_CREATED || action->kind == MODEL_RENAMED || action->kind == MODEL_UNSEEN)
		return;
	if (action->is_by_id && model->ids[action->id])
		action->file = model->ids[action->id];
	else
		action->file = find_file(model, action->path, action->request, action->record[7]);
	if (action->is_by_id)
		model->ids[action->id] = action->file;
	action->is_skipped = !action->file;
}

static void execute(struct model *model, struct model_action *action, bool is_response)
{
	bool is_of_file = action->kind >= MODEL_FIRST_OF_FILES;

	if (!is_response && is_of_file)
		begin_file(model, action);
	if (action->is_skipped)
		return;
	if (is_response == action->is_late)
		look(model, action);
	if (is_response && is_of_file)
		change_file(model, action);
	else if (is_response)
		change_device(model, action);
}

static void read_device(const struct model *model, struct model_action *action)
{
	const uint8_t *record = action->record;
	bool has_address = model->options & MODEL_ADDRESSES;

	action->target = record[1] & 1;
	action->address = !has_address ? 0 : model->options & MODEL_SHARED ? 1 : record[1] & 1;
	action->is_nameless = has_address && record[1] & 16;
	action->unit = (record[1] >> 1 & 3) % MODEL_UNITS;
	action->is_all = action->kind == MODEL_SPOILED && (record[1] >> 1 & 3) == 3;
	action->source = record[4] * (uint64_t)GRAIN;
	action->source_unit = record[5] & 2 ? action->unit : (unsigned)(record[5] >> 2 & 1);
	action->to_end = record[1] & 32 && (action->kind == MODEL_SPOILED || action->kind == MODEL_ZEROED || action->kind == MODEL_REPEATED);
	if (action->to_end && record[5] & 8)
		action->offset = 0;
	/* units with names, as RNBD has them, know no copies and no commands up to the end */
	if (action->unit == MODEL_UNITS - 1 && (action->kind == MODEL_COPIED || action->to_end || action->is_all))
		action->unit = 0;
	if (action->source_unit == MODEL_UNITS - 1)
		action->source_unit = action->unit;
}

/* A further part of the command before: the same frames, another range. */
static void read_part(struct model_action *action)
{
	const struct model_action *last = action->index ? action - 1 : NULL;

	if (!last || !(action->record[1] & 64) || action->kind == MODEL_READ || last->kind == MODEL_READ || last->kind >= MODEL_FIRST_OF_FILES ||
	    action->kind != last->kind || action->is_all != last->is_all || (last->unit == MODEL_UNITS - 1) != (action->unit == MODEL_UNITS - 1))
		return;
	action->request = last->request;
	action->response = last->response;
	action->reported = last->reported;
	action->target = last->target;
	action->address = last->address;
	action->is_nameless = last->is_nameless;
	action->unit = last->unit;
	action->part = last->part + 1;
}

static void read_file(struct model_action *action)
{
	const uint8_t *record = action->record;
	const char *to = paths[record[2] % PATHS];

	strcpy(action->path, paths[record[1] % (action->kind == MODEL_RENAMED ? PATHS : FILE_PATHS)]);
	action->size = record[3] * 100u;
	action->is_by_id = record[5] & 128 && *action->path == 's' && action->kind >= MODEL_FILE_READ && action->kind <= MODEL_FILE_SPOILED;
	action->id = record[5] >> 6 & 1;
	action->is_bounded = action->kind == MODEL_FILE_SPOILED && !action->is_by_id && record[4] & MODEL_BOUNDED;
	action->is_zeroed = action->is_bounded && record[4] & MODEL_BOUNDED_ZEROS;
	action->to_end = action->is_bounded && !action->is_zeroed && record[4] & MODEL_BOUNDED_END;
	if (action->kind != MODEL_RENAMED)
		return;
	strcpy(action->new_path, to);
	/* nothing is moved to another share, nor into itself */
	action->is_skipped = is_below(to, action->path) || *to != *action->path;
}

static void read_record(struct model *model, const uint8_t *record)
{
	struct model_action *action = &model->actions[model->count];
	bool is_serial = model->options & MODEL_SERIAL;
	uint64_t slot = model->count + 1u;

	*action = (struct model_action){ .record = record, .index = model->count, .kind = record[0] % MODEL_KINDS };
	if (action->kind == MODEL_COPIED_AGAIN)
		action->kind = MODEL_COPIED;
	if (action->kind == MODEL_WRITTEN_AGAIN)
		action->kind = MODEL_WRITTEN;
	action->offset = record[2] * (uint64_t)GRAIN + (record[5] & 1 ? 13 : 0);
	action->length = ((record[3] & 63u) + 1u) * (record[3] & 128 ? 5u * GRAIN : GRAIN) - (record[3] & 64 ? 31 : 0);
	if (action->offset + action->length > MODEL_ROOM)
		action->length = MODEL_ROOM - action->offset;
	action->is_late = record[1] & 128;
	action->request = slot * STEP;
	action->response = action->request + (is_serial ? 0 : record[6] & 15u) * STEP + 1 + model->count % (STEP - 1);
	action->reported = action->response;
	if (action->kind >= MODEL_FIRST_OF_FILES)
		read_file(action);
	else
		read_device(model, action);
	if (!(model->options & (MODEL_SERIAL | MODEL_IN_ORDER)) && (action->kind <= MODEL_FILE_SPOILED || action->kind == MODEL_UNSEEN))
		action->reported += (record[6] >> 4) * STEP;
	if (action->kind < MODEL_FIRST_OF_FILES)
		read_part(action);
	make_bytes(action, action->kind == MODEL_REPEATED ? MODEL_PERIOD : action->length);
	model->count++;
}

struct event {
	uint64_t frame;
	struct model_action *action;
	bool is_response;
};

static int order(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return a->action->index < b->action->index ? -1 : a->action->index > b->action->index;
}

void model_run(struct model *model, uint8_t options, const uint8_t *records, size_t length)
{
	struct event events[2 * MODEL_ACTIONS];

	model->options = options;
	model->count = model->file_count = 0;
	model->has_nameless = false;
	memset(model->ids, 0, sizeof model->ids);
	memset(model->images, 0, sizeof model->images);
	memset(model->devices, 0xd5, sizeof model->devices);
	for (; length >= MODEL_RECORD && model->count < MODEL_ACTIONS; records += MODEL_RECORD, length -= MODEL_RECORD)
		read_record(model, records);
	for (unsigned i = 0; i < model->count; i++) {
		events[2 * i] = (struct event){ model->actions[i].request, &model->actions[i], false };
		events[2 * i + 1] = (struct event){ model->actions[i].response, &model->actions[i], true };
	}
	qsort(events, 2 * model->count, sizeof *events, order);
	for (unsigned i = 0; i < 2 * model->count; i++)
		execute(model, events[i].action, events[i].is_response);
}

void model_fini(struct model *model)
{
	for (unsigned i = 0; i < model->count; i++)
		free(model->actions[i].bytes);
}
