/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/file_effect.h"
#include "reassembly/upper/smb_part.h"
#include "reassembly/upper/smb_request.h"

#define MOST_PIECES 256
#define IS_DIRECTORY 0x10    /* of file attributes: [MS-FSCC] 2.6 */
#define FIXED_SIZE 128        /* room for a path of ids */

/* Offset of the file id in the request of each command; 0: none. */
static const uint8_t file_id_at[SMB2_COMMAND_COUNT] = {
	[SMB2_CLOSE] = 8, [SMB2_FLUSH] = 8, [SMB2_READ] = 16, [SMB2_WRITE] = 16, [SMB2_LOCK] = 8, [SMB2_IOCTL] = 8, [SMB2_QUERY_DIRECTORY] = 8,
	[SMB2_CHANGE_NOTIFY] = 8, [SMB2_QUERY_INFO] = 24, [SMB2_SET_INFO] = 16, [SMB2_OPLOCK_BREAK] = 8,
};

static uint64_t number(struct rtap_span body, uint32_t at, uint32_t bytes)
{
	return at + bytes <= body.length ? little_bits(body.bytes + at, 0, bytes * 8) : 0;
}

/* The part of a body at an offset that counts from the header, as far as it was captured. */
static struct rtap_span part_of(struct rtap_span body, uint64_t offset, uint64_t length)
{
	uint64_t at = offset - SMB2_HEADER_LENGTH;

	if (offset < SMB2_HEADER_LENGTH || at >= body.length)
		return (struct rtap_span){ body.bytes, 0 };
	return (struct rtap_span){ body.bytes + at, (uint32_t)(length < body.length - at ? length : body.length - at) };
}

void smb_part_begin(struct smb_part *part, const uint8_t *header)
{
	uint64_t flags = little_bits(header, SMB2_FLAGS);

	part->id = little_bits(header, SMB2_MESSAGE_ID);
	part->session = little_bits(header, SMB2_SESSION_ID);
	part->tree = flags & SMB2_IS_ASYNC ? 0 : (uint32_t)little_bits(header, SMB2_TREE_ID);
	part->command = (uint16_t)little_bits(header, SMB2_COMMAND);
	part->is_related = flags & SMB2_IS_RELATED;
	part->charge = (uint16_t)little_bits(header, SMB2_CREDIT_CHARGE);
}

static bool is_all_ones(const uint8_t *bytes, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		if (bytes[i] != 0xff)
			return false;
	return true;
}

static void take_pieces(struct upper_work *work, struct smb_request *request, struct smb_part *part, uint64_t channel, struct rtap_span info)
{
	uint32_t count = info.length / SMB2_DESCRIPTOR_LENGTH;

	if ((channel != SMB2_CHANNEL_RDMA_V1 && channel != SMB2_CHANNEL_RDMA_V1_INVALIDATE) || !count)
		return;
	if (count > MOST_PIECES) {
		work->tracker->counters.evictions++;
		count = MOST_PIECES;
	}
	part->pieces = memory_new(count * sizeof *part->pieces);
	if (!part->pieces) {
		work->tracker->counters.evictions++;
		return;
	}
	request_charge(&work->tracker->budget, &request->command.request, count * sizeof *part->pieces, 0);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *descriptor = info.bytes + i * SMB2_DESCRIPTOR_LENGTH;
		struct smb_piece piece = { little_bits(descriptor, 0, 64), (uint32_t)little_bits(descriptor, 64, 32), (uint32_t)little_bits(descriptor, 96, 32) };

		if (piece.length && piece.address + piece.length > piece.address)
			part->pieces[part->piece_count++] = piece;
	}
}

/* Data in a message. `length`: according to the message. */
static void take_data(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span data, uint64_t length)
{
	uint64_t fresh;

	part->inline_length = part->inline_seen = (uint32_t)length;
	if (!work->tracker->take_file_effect || !data.length)
		return;
	if (!coverage_add(&part->data, 0, data.bytes, data.length, 0, COVERAGE_BYTES, &fresh))
		work->tracker->counters.evictions++;
	request_charge(&work->tracker->budget, &request->command.request, coverage_memory(&part->data), 0);
}

/* Only operations, effects on files, and lines of packets have paths. */
static bool wants_paths(const struct rtap_tracker *tracker)
{
	return tracker->options.operation || tracker->take_file_effect || tracker->shows_files;
}

/* `length`: of the name according to the message. A name that was not captured whole is unknown. */
static void set_path(struct upper_work *work, struct smb_request *request, struct smb_part *part, const char *before, struct rtap_span name,
		     uint64_t length)
{
	free(part->path);
	part->path = NULL;
	if (name.length < length || !wants_paths(work->tracker))
		return;
	part->path = smb_path(before, name.bytes, name.length);
	if (part->path && !*part->path) {
		/* without a name of the share, or too long */
		free(part->path);
		part->path = NULL;
	} else if (part->path) {
		request_charge(&work->tracker->budget, &request->command.request, strlen(part->path) + 1, 0);
	} else {
		work->tracker->counters.evictions++;
	}
}

/* The path of the tree; if unknown, the server and the tree id. */
static const char *tree_path(struct upper_work *work, const struct smb_request *request, const struct smb_part *part,
			     struct smb_name **name, char *spare)
{
	const struct request *base = &request->command.request;
	struct smb_key key = smb_key_of_tree(work->tracker, base->connection, !base->from_a, part->session, part->tree);
	struct smb_file *share = smb_file_find(work->tracker, &key);
	char server[SMB_SERVER_TEXT];

	*name = share ? smb_file_name(work->tracker, share) : NULL;
	smb_file_release(work->tracker, share);
	if (*name)
		return (*name)->path;
	snprintf(spare, FIXED_SIZE, "%s/tree-%" PRIu32, smb_server_of(work->tracker, base->connection, !base->from_a, part->session, server),
		 part->tree);
	return spare;
}

static void take_name(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span name, uint64_t length)
{
	char spare[FIXED_SIZE];
	struct smb_name *tree;
	const char *before;

	if (!wants_paths(work->tracker))
		return;
	before = tree_path(work, request, part, &tree, spare);
	part->is_treeless = !tree;
	set_path(work, request, part, before, name, length);
	smb_name_release(tree);
}

/* Sets the file or share of the part, and its name. */
static void find_file(struct upper_work *work, struct smb_part *part, const struct smb_key *key)
{
	part->file = smb_file_find(work->tracker, key);
	if (part->file)
		part->name = smb_file_name(work->tracker, part->file);
}

/* A command without a file is about its tree. */
static void take_tree(struct upper_work *work, const struct smb_request *request, struct smb_part *part)
{
	const struct request *base = &request->command.request;
	struct smb_key key = smb_key_of_tree(work->tracker, base->connection, !base->from_a, part->session, part->tree);

	if (part->command == SMB2_IOCTL || part->command == SMB2_TREE_DISCONNECT)
		find_file(work, part, &key);
}

/* The file that an earlier command named, or one of this compound. */
static void take_file(struct upper_work *work, struct smb_request *request, uint32_t index, struct rtap_span body)
{
	struct smb_part *part = &request->parts[index], *before = index ? part - 1 : NULL;
	uint32_t at = part->command < SMB2_COMMAND_COUNT ? file_id_at[part->command] : 0;
	const struct request *base = &request->command.request;
	struct smb_key key;

	/* of a lease it has a key instead: [MS-SMB2] 2.2.24.2 */
	if ((at && at + SMB2_FILE_ID_LENGTH > body.length) || (part->command == SMB2_OPLOCK_BREAK && number(body, 0, 2) != 24))
		return;
	/* [MS-SMB2] 2.2.31: some control codes have no file */
	if (!at || (!part->is_related && is_all_ones(body.bytes + at, SMB2_FILE_ID_LENGTH))) {
		take_tree(work, request, part);
		return;
	}
	part->has_file = true;
	memcpy(part->file_id, body.bytes + at, SMB2_FILE_ID_LENGTH);
	if (part->is_related && before && is_all_ones(part->file_id, SMB2_FILE_ID_LENGTH)) {
		part->creates = before->command == SMB2_CREATE ? before : before->creates;
		memcpy(part->file_id, before->file_id, SMB2_FILE_ID_LENGTH);
		if (!part->creates && before->name)
			(part->name = before->name)->references++;
		if (!part->creates && before->file)
			(part->file = before->file)->references++;
		return;
	}
	key = smb_key_of_file(work->tracker, base->connection, !base->from_a, part->session, part->file_id);
	find_file(work, part, &key);
}

static void take_write(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body)
{
	uint64_t channel = number(body, 32, 4), length = number(body, 4, 4);

	part->has_range = body.length >= 40 || (length && body.length >= 16);
	part->offset = number(body, 8, 8);
	part->length = channel ? number(body, 36, 4) : length;
	take_pieces(work, request, part, channel, part_of(body, number(body, 40, 2), number(body, 42, 2)));
	if (length)
		take_data(work, request, part, part_of(body, number(body, 2, 2), length), length);
}

/* Whether the chunks of a copy are one range of the source and one of the copy. */
static bool is_one_range(struct rtap_span input, uint64_t chunks)
{
	for (uint32_t i = 1, at = 32; i < chunks; i++, at += 24)
		for (uint32_t j = 0; j < 16; j += 8)
			if (number(input, at + 24 + j, 8) != number(input, at + j, 8) + number(input, at + 16, 4))
				return false;
	return true;
}

/* The file whose bytes are copied: COPYCHUNK has its resume key, DUPLICATE_EXTENTS its id at `at`. */
static void take_source(struct upper_work *work, const struct smb_request *request, struct smb_part *part, struct rtap_span input, uint32_t at)
{
	const struct request *base = &request->command.request;
	bool is_chunks = part->detail == SMB2_COPYCHUNK || part->detail == SMB2_COPYCHUNK_WRITE;
	struct smb_key key;

	if (is_chunks)
		key = smb_key_of_resume(work->tracker, base->connection, !base->from_a, part->session, input.bytes);
	else
		key = smb_key_of_file(work->tracker, base->connection, !base->from_a, part->session, input.bytes + at);
	part->source = smb_file_find(work->tracker, &key);
	part->source_at = number(input, is_chunks ? 32 : at + SMB2_FILE_ID_LENGTH, 8);
}

/* False: they are not kept, because one ends beyond the largest offset, or memory is short. */
static bool take_chunks(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span input, uint32_t count)
{
	struct smb_chunk *chunks = memory_new(count * sizeof *chunks);

	if (!chunks)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		chunks[i] = (struct smb_chunk){ number(input, 32 + i * 24, 8), number(input, 40 + i * 24, 8), (uint32_t)number(input, 48 + i * 24, 4) };
		if (chunks[i].offset + chunks[i].length < chunks[i].offset) {
			free(chunks);
			return false;
		}
	}
	request_charge(&work->tracker->budget, &request->command.request, count * sizeof *chunks, 0);
	part->chunks = chunks;
	part->chunk_count = count;
	return true;
}

/* The range that an IOCTL changes. COPYCHUNK: the one that has all chunks. */
static void take_control(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body)
{
	struct rtap_span input = part_of(body, number(body, 24, 4), number(body, 28, 4));
	uint64_t chunks = number(input, 24, 4), begin = UINT64_MAX, end = 0;
	uint32_t ex = 0;

	part->detail = (uint32_t)number(body, 4, 4);
	part->changes = SMB_COPIES;
	part->length = UINT64_MAX;
	switch (part->detail) {
	case SMB2_SET_ZERO_DATA:
		part->changes = SMB_ZEROES;
		begin = number(input, 0, 8);
		end = input.length >= 16 ? number(input, 8, 8) : 0;
		break;
	case SMB2_OFFLOAD_WRITE:
		begin = number(input, 8, 8);
		end = input.length >= 24 ? begin + number(input, 16, 8) : 0;
		break;
	case SMB2_DUPLICATE_EXTENTS_EX: ex = 8; /* fall through */
	case SMB2_DUPLICATE_EXTENTS:
		begin = number(input, ex + 24, 8);
		end = input.length >= ex + 40 ? begin + number(input, ex + 32, 8) : 0;
		if (input.length >= ex + 40)
			take_source(work, request, part, input, ex);
		break;
	case SMB2_COPYCHUNK: case SMB2_COPYCHUNK_WRITE:
		if (input.length < 32 || chunks > (input.length - 32) / 24)
			break;
		for (uint32_t i = 0; i < chunks; i++) {
			uint64_t first = number(input, 40 + i * 24, 8), after = first + number(input, 48 + i * 24, 4);

			begin = first < begin ? first : begin;
			end = after > end ? after : end;
		}
		if (chunks && (is_one_range(input, chunks) || !work->tracker->take_file_effect || take_chunks(work, request, part, input, (uint32_t)chunks)))
			take_source(work, request, part, input, 0);
		break;
	default:
		part->changes = SMB_CHANGES_NOTHING;
		part->length = 0;
		return;
	}
	/* not captured, or not valid: all bytes */
	if (begin <= end) {
		part->offset = begin;
		part->length = end - begin;
	}
}

/* SET_INFO of the size or the name of a file. */
static void take_set(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body)
{
	struct rtap_span buffer = part_of(body, number(body, 8, 2), number(body, 4, 4));
	uint64_t length;

	part->detail = (uint32_t)number(body, 2, 2);
	part->size = number(buffer, 0, 8);
	/* an allocation smaller than the file shortens it, to a multiple of a block: [MS-FSA] 2.1.5.15.1 */
	part->has_size = buffer.length >= 8 && (part->detail == (SMB2_FILE_END_OF_FILE << 8 | SMB2_INFO_FILE) ||
						(part->detail == (SMB2_FILE_ALLOCATION << 8 | SMB2_INFO_FILE) && !part->size));
	if (part->detail == (SMB2_FILE_ALLOCATION << 8 | SMB2_INFO_FILE) && !part->has_size) {
		part->changes = SMB_SHORTENS;
		part->offset = part->size;
		part->length = UINT64_MAX;
	}
	length = number(buffer, 16, 4);
	if ((part->detail == (SMB2_FILE_RENAME << 8 | SMB2_INFO_FILE) ||
	     part->detail == (SMB2_FILE_RENAME_EX << 8 | SMB2_INFO_FILE)) &&
	    buffer.length > 20 && length <= buffer.length - 20)
		take_name(work, request, part, (struct rtap_span){ buffer.bytes + 20, (uint32_t)length }, length);
}

void smb_part_of_request(struct upper_work *work, struct smb_request *request, uint32_t index, const uint8_t *header, struct rtap_span body)
{
	struct smb_part *part = &request->parts[index];

	smb_part_begin(part, header);
	if (part->is_related && index && part->session == UINT64_MAX)
		part->session = part[-1].session;
	if (part->is_related && index && part->tree == UINT32_MAX)
		part->tree = part[-1].tree;
	take_file(work, request, index, body);
	switch (part->command) {
	case SMB2_SESSION_SETUP: part->detail = (uint32_t)number(body, 2, 1); break;
	case SMB2_TREE_CONNECT:
		set_path(work, request, part, NULL, part_of(body, number(body, 4, 2), number(body, 6, 2)), number(body, 6, 2));
		break;
	case SMB2_CREATE:
		/* SUPERSEDE, OVERWRITE, OVERWRITE_IF */
		part->overwrites = body.length >= 40 && ((1u << 0 | 1u << 4 | 1u << 5) >> (number(body, 36, 4) & 31) & 1);
		if (body.length >= 48)
			take_name(work, request, part, part_of(body, number(body, 44, 2), number(body, 46, 2)), number(body, 46, 2));
		break;
	case SMB2_READ:
		part->has_range = body.length >= 16;
		part->length = number(body, 4, 4);
		part->offset = number(body, 8, 8);
		take_pieces(work, request, part, number(body, 36, 4), part_of(body, number(body, 44, 2), number(body, 46, 2)));
		break;
	case SMB2_WRITE: take_write(work, request, part, body); break;
	case SMB2_IOCTL: take_control(work, request, part, body); break;
	case SMB2_QUERY_INFO: case SMB2_QUERY_DIRECTORY:
		part->detail = (uint32_t)number(body, 2, part->command == SMB2_QUERY_INFO ? 2 : 1);
		request->has_details |= part->detail != 0;
		break;
	case SMB2_SET_INFO: take_set(work, request, part, body); break;
	default: break;
	}
}

/* The file's id on the disk, which clients usually ask for: [MS-SMB2] 2.2.14.2.9. 0: it is not in the contexts. */
static uint64_t disk_id_of(struct rtap_span contexts)
{
	for (uint32_t at = 0, next; at < contexts.length; at += next) {
		struct rtap_span context = { contexts.bytes + at, contexts.length - at };
		uint32_t name = (uint32_t)number(context, 4, 2), data = (uint32_t)number(context, 10, 2);

		next = (uint32_t)number(context, 0, 4);
		if (number(context, 6, 2) == 4 && name <= context.length - 4 && !memcmp(context.bytes + name, "QFid", 4) && number(context, 12, 4) >= 8)
			return number(context, data, 8);
		if (!next || next > context.length)
			break;
	}
	return 0;
}

/* CREATE opened a file: its id stands for it from now on. */
static void take_created(struct smb_part *part, struct rtap_span body)
{
	if (body.length < 80)
		return;
	part->action = (uint32_t)number(body, 4, 4);
	part->has_file = true;
	part->has_size = !(number(body, 56, 4) & IS_DIRECTORY);
	part->size = number(body, 48, 8);
	part->disk_id = disk_id_of(part_of(body, number(body, 80, 4), number(body, 84, 4)));
	memcpy(part->file_id, body.bytes + 64, SMB2_FILE_ID_LENGTH);
}

/* The ServerGuid, which is the same at all addresses of the server: [MS-SMB2] 2.2.4. */
static void take_negotiated(struct connection *connection, struct rtap_span body)
{
	struct smb_connection *state = connection->upper_state;

	for (uint32_t i = 0; i < 2; i++)
		state->server_guid[i] = number(body, 8 + 8 * i, 8);
}

static void take_read(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body)
{
	uint64_t length = number(body, 4, 4), offset = number(body, 2, 1);

	part->moved = length + number(body, 8, 4);
	if (length)
		take_data(work, request, part, part_of(body, offset, length), length);
}

/* The server names the file for copies of it. */
static void take_resume_key(struct upper_work *work, const struct smb_request *request, const struct smb_part *part, struct rtap_span body)
{
	const struct request *base = &request->command.request;
	struct rtap_span output = part_of(body, number(body, 32, 4), number(body, 36, 4));
	struct smb_file *file = part->creates ? part->creates->file : part->file;
	struct smb_key key;

	if (part->detail != SMB2_REQUEST_RESUME_KEY || !file || output.length < SMB_RESUME_KEY_LENGTH)
		return;
	key = smb_key_of_resume(work->tracker, base->connection, !base->from_a, part->session, output.bytes);
	smb_key_set(work->tracker, &key, file);
}

/* The id of a file is known once its CREATE was answered. A request can be captured before that. */
static void find_name(struct upper_work *work, const struct smb_request *request, struct smb_part *part)
{
	const struct request *base = &request->command.request;
	struct smb_key key;

	if (!part->has_file || part->file || part->creates || part->command == SMB2_CREATE)
		return;
	key = smb_key_of_file(work->tracker, base->connection, !base->from_a, part->session, part->file_id);
	find_file(work, part, &key);
}

/* A file was renamed. If it was opened by a request that was not captured, its path is known from now on. */
static void take_renamed(struct upper_work *work, const struct smb_request *request, struct smb_part *part, const struct smb_key *key,
			 const struct smb_change *change)
{
	struct rtap_tracker *tracker = work->tracker;
	struct smb_file *file = part->creates ? part->creates->file : part->file;
	char id[SMB_PATH_OF_ID];

	if (file) {
		smb_file_rename(tracker, file, part->path, change);
		file->is_treeless = part->is_treeless;
		return;
	}
	smb_part_path_of_id(tracker, &request->command.request, part, id);
	file = smb_file_named(tracker, key, id, part->path, change);
	if (file)
		file->is_treeless = part->is_treeless;
	smb_file_release(tracker, file);
}

/* The size of the file according to the answer, and whether it is a new one. */
static void report_size(struct upper_work *work, const struct smb_request *request, const struct smb_part *part, bool is_new,
			const struct smb_change *change)
{
	struct rtap_tracker *tracker = work->tracker;
	const struct smb_file *file = part->creates ? part->creates->file : part->file;
	char *path = part->has_size && tracker->take_file_effect ? smb_part_file_path(tracker, part) : NULL;
	struct file_effect effect = { .path = path, .kind = FILE_RESIZED, .is_new = is_new, .unseen = request->unseen,
				      .shift = part->shift, .part = (uint8_t)(part - request->parts) };

	if (!path)
		return;
	if (part->command == SMB2_CREATE && part->action == SMB_OPENED)
		effect.kind = FILE_SIZE_SEEN;
	if (part->command == SMB2_SET_INFO || part->action == SMB_OPENED)
		effect.size = part->size;
	effect.bytes.request_frame = change->request_frame;
	effect.bytes.response_frame = change->response_frame;
	effect.bytes.time_ns = change->time_ns;
	effect.is_of_id = file && file->is_treeless;
	effect.disk_id = file ? file->disk_id : 0;
	tracker->take_file_effect(tracker->file_effect_owner, &effect);
	if (effect.is_of_id && !is_new && effect.kind == FILE_RESIZED) {
		effect.first = file->since;
		effect.bytes.offset = effect.size;
		effect.bytes.length = UINT64_MAX - effect.size;
		smb_part_report_unseen(tracker, &request->command.request, part, &effect);
	}
	free(path);
}

/* CREATE: its id stands for the file from now on. */
static void open_file(struct upper_work *work, const struct smb_request *request, struct smb_part *part, const struct smb_key *key,
		      const struct smb_change *change)
{
	bool is_new = part->action == SMB_CREATED;

	if (!part->path || !part->has_file || part->file)
		return;
	part->file = smb_file_open(work->tracker, key, part->path, is_new, part->disk_id, change);
	if (part->file) {
		part->file->size = part->has_size && part->action == SMB_OPENED ? part->size : 0;
		part->file->is_treeless = part->is_treeless;
	}
	report_size(work, request, part, is_new && part->file && part->file->since == change->response_frame, change);
}

/* SET_INFO of the size. */
static void take_size(struct upper_work *work, const struct smb_request *request, struct smb_part *part, const struct smb_change *change)
{
	struct smb_file *file = part->creates ? part->creates->file : part->file;

	if (file && (part->has_size || (part->changes == SMB_SHORTENS && part->size < file->size)))
		file->size = part->size;
	if (part->file || part->creates)
		report_size(work, request, part, false, change);
}

/* What the answer means for a tree. */
static void apply_to_tree(struct upper_work *work, const struct smb_request *request, const struct smb_part *part)
{
	const struct request *base = &request->command.request;
	struct smb_key key = smb_key_of_tree(work->tracker, base->connection, !base->from_a, part->session, part->tree);

	if (part->command == SMB2_TREE_CONNECT && part->path)
		smb_share_set(work->tracker, &key, part->path);
	else
		smb_key_drop(work->tracker, &key);
}

/* What the answer means for the file of the command. */
static void apply_to_file(struct upper_work *work, const struct smb_request *request, struct smb_part *part)
{
	const struct request *base = &request->command.request;
	struct smb_key key = smb_key_of_file(work->tracker, base->connection, !base->from_a, part->session, part->file_id);
	const struct smb_change change = { base->first_frame, part->end_frame, base->time_ns };

	if (part->command == SMB2_CREATE)
		open_file(work, request, part, &key, &change);
	else if (part->command == SMB2_CLOSE)
		smb_key_drop(work->tracker, &key);
	else if (part->path && part->has_file)
		take_renamed(work, request, part, &key, &change);
	else
		take_size(work, request, part, &change);
}

/* What the answer means for later requests. The part has the request and the answer. */
static void apply_answer(struct upper_work *work, struct smb_request *request, struct smb_part *part)
{
	const struct request *base = &request->command.request;

	if (part->creates)
		memcpy(part->file_id, part->creates->file_id, SMB2_FILE_ID_LENGTH);
	switch (part->command) {
	case SMB2_SESSION_SETUP:
		smb_session_set(work->tracker, base->connection, !base->from_a, ((struct smb_connection *)base->connection->upper_state)->server_guid,
				part->session, part->detail & SMB2_SESSION_BINDING);
		break;
	case SMB2_TREE_CONNECT: case SMB2_TREE_DISCONNECT: apply_to_tree(work, request, part); break;
	case SMB2_CREATE: case SMB2_CLOSE: case SMB2_SET_INFO: apply_to_file(work, request, part); break;
	default: break;
	}
}

static int16_t shifted(const struct smb_place *from, int64_t by)
{
	int64_t shift = from->shift + by, most = FILE_EFFECT_SHIFTS - 1;

	return (int16_t)(shift > most ? most : shift < -most ? -most : shift);
}

/*
 * The server executes a command before it sends the response, and sends responses in the order of PSNs: one that was captured after later ones comes
 * before them.
 */
static struct smb_place place_response(struct upper_work *work)
{
	struct smb_connection *state = work->connection->upper_state;
	struct smb_place *recent = state->recent[work->from_a], place = { work->message->low, work->message->shown.first_frame, 0 };
	uint32_t *count = &state->responses[work->from_a], *highest = &state->highest[work->from_a];
	const struct smb_place *before = NULL, *later = NULL, *last = &recent[*highest % SMB_RECENT];
	bool is_latest = *count - *highest <= SMB_RECENT && last->frame && last->psn <= place.psn;

	if (is_latest && last->psn == place.psn)
		return *last;
	before = is_latest ? last : NULL;
	for (uint32_t i = 0; i < SMB_RECENT && !is_latest; i++) {
		if (!recent[i].frame)
			continue;
		if (recent[i].psn == place.psn)
			return recent[i];
		if (recent[i].psn > place.psn && (!later || recent[i].psn < later->psn))
			later = &recent[i];
		if (recent[i].psn < place.psn && (!before || recent[i].psn > before->psn))
			before = &recent[i];
	}
	if (later) {
		uint64_t distance = later->psn - place.psn;

		place.frame = later->frame;
		place.shift = shifted(later, -(int64_t)(distance < FILE_EFFECT_SHIFTS ? distance : FILE_EFFECT_SHIFTS));
	} else if (before && before->frame >= place.frame) {
		place.frame = before->frame;
		place.shift = shifted(before, 1);
	}
	recent[*count % SMB_RECENT] = place;
	*highest = later ? *highest : *count;
	++*count;
	return place;
}

void smb_part_answer(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request, struct smb_part *part,
		     const uint8_t *header, struct rtap_span body)
{
	bool is_of_tree = part->command == SMB2_TREE_CONNECT || part->command == SMB2_TREE_DISCONNECT;
	struct smb_place place;

	part->status = (uint32_t)little_bits(header, SMB2_STATUS);
	part->granted = (uint16_t)little_bits(header, SMB2_CREDITS);
	part->is_answered = true;
	part->answer_frame = whole->first_frame;
	place = place_response(work);
	part->end_frame = place.frame;
	part->shift = place.shift;
	part->answer_ns = work->message->shown.time_end_ns;
	find_name(work, request, part);
	if (smb_is_error(part->status))
		return;
	if (is_of_tree && !(little_bits(header, SMB2_FLAGS) & SMB2_IS_ASYNC))
		part->tree = (uint32_t)little_bits(header, SMB2_TREE_ID);
	if (is_of_tree)
		part->session = little_bits(header, SMB2_SESSION_ID);
	switch (part->command) {
	case SMB2_NEGOTIATE: take_negotiated(request->command.request.connection, body); break;
	case SMB2_SESSION_SETUP: part->session = little_bits(header, SMB2_SESSION_ID); break;
	case SMB2_CREATE: take_created(part, body); break;
	case SMB2_READ: take_read(work, request, part, body); break;
	case SMB2_WRITE: part->moved = number(body, 4, 4); break;
	case SMB2_IOCTL: take_resume_key(work, request, part, body); break;
	default: break;
	}
	apply_answer(work, request, part);
}

void smb_part_add_rest(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body, uint64_t at,
		       const struct coverage *present)
{
	uint64_t offset = part->command == SMB2_WRITE ? number(body, 2, 2) : number(body, 2, 1), before = coverage_memory(&part->data);
	struct coverage seen = { 0 };

	if (!part->inline_length || offset < SMB2_HEADER_LENGTH)
		return;
	at += offset;
	if (!coverage_copy(&seen, present, at, at + part->inline_length, 0 - at, COVERAGE_ONLY) ||
	    (work->tracker->take_file_effect && !coverage_copy(&part->data, present, at, at + part->inline_length, 0 - at, COVERAGE_BYTES)))
		work->tracker->counters.evictions++;
	part->inline_seen = (uint32_t)seen.total;
	request_charge(&work->tracker->budget, &request->command.request, coverage_memory(&part->data), before);
	coverage_fini(&seen);
}

void smb_part_take_answer(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct smb_part *answer)
{
	part->is_answered = true;
	part->answer_frame = answer->answer_frame;
	part->end_frame = answer->end_frame;
	part->shift = answer->shift;
	part->answer_ns = answer->answer_ns;
	part->status = answer->status;
	part->granted = answer->granted;
	part->moved = answer->moved;
	part->action = answer->action;
	part->disk_id = answer->disk_id;
	if (answer->has_size) {
		part->has_size = true;
		part->size = answer->size;
	}
	if (answer->inline_length) {
		part->inline_length = answer->inline_length;
		part->inline_seen = answer->inline_seen;
		coverage_fini(&part->data);
		part->data = answer->data;
		answer->data = (struct coverage){ 0 };
	}
	if (smb_is_error(part->status))
		return;
	if (part->command == SMB2_CREATE) {
		part->has_file = answer->has_file;
		memcpy(part->file_id, answer->file_id, SMB2_FILE_ID_LENGTH);
	} else if (part->command == SMB2_TREE_CONNECT || part->command == SMB2_SESSION_SETUP) {
		part->tree = answer->tree;
		part->session = answer->session;
	}
	find_name(work, request, part);
	apply_answer(work, request, part);
}

const char *smb_part_path(const struct smb_part *part)
{
	if (part->command == SMB2_CREATE || part->command == SMB2_TREE_CONNECT)
		return part->path;
	if (part->creates)
		return part->creates->path;
	return part->name ? part->name->path : NULL;
}

char *smb_part_file_path(struct rtap_tracker *tracker, const struct smb_part *part)
{
	struct smb_file *file = part->creates ? part->creates->file : part->file;
	const char *path = smb_part_path(part);
	char *copy;

	if (file)
		return smb_file_path(tracker, file);
	copy = path ? memory_new(strlen(path) + 1) : NULL;
	return copy ? strcpy(copy, path) : NULL;
}

void smb_part_report_unseen(struct rtap_tracker *tracker, const struct request *request, const struct smb_part *part, struct file_effect *effect)
{
	struct smb_key key = smb_key_of_tree(tracker, request->connection, !request->from_a, part->session, part->tree);
	struct smb_file *tree = smb_file_find(tracker, &key);
	char *path = tree ? smb_file_path(tracker, tree) : NULL;

	effect->kind = FILE_UNSEEN;
	effect->path = path ? path : "";
	tracker->take_file_effect(tracker->file_effect_owner, effect);
	free(path);
	smb_file_release(tracker, tree);
}

void smb_part_path_of_id(struct rtap_tracker *tracker, const struct request *request, const struct smb_part *part, char *text)
{
	char server[SMB_SERVER_TEXT];
	int at = snprintf(text, SMB_PATH_OF_ID, "%s/by-id/", smb_server_of(tracker, request->connection, !request->from_a, part->session, server));

	for (uint32_t i = 0; i < SMB2_FILE_ID_LENGTH; i++, at += 2)
		snprintf(text + at, 3, "%02x", part->file_id[i]);
}

void smb_part_fini(struct rtap_tracker *tracker, struct smb_part *part)
{
	free(part->path);
	free(part->pieces);
	free(part->chunks);
	smb_file_release(tracker, part->file);
	smb_file_release(tracker, part->source);
	smb_name_release(part->name);
	coverage_fini(&part->data);
}
