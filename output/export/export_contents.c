/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/nfs.h"
#include "output/export/export_concurrent.h"
#include "output/export/export_contents.h"
#include "output/export/export_pending.h"
#include "output/export/export_place.h"

#define COPY_BLOCK (16u << 10)
/* Limit of copied bytes, relative to the captured ones: a few COPYs in a capture could request any amount. */
#define COPY_FACTOR 16
#define COPY_FREE (64u << 20)

static struct server *server_of(const struct node *node)
{
	return (struct server *)node->name.server;
}

/* Data of a message: `length` bytes of its stream, starting at `at`. */
struct data {
	const struct rpc_part *part;
	uint64_t at, length;
	bool is_doubtful;    /* the WRITE may have failed: no reply shows its status */
};

static struct node *file_of(struct name_node *name)
{
	return (struct node *)name;
}

/* Upper limit of offsets, so that sums do not overflow. */
static bool is_range(struct contents *contents, uint64_t offset, uint64_t length)
{
	if (offset <= INT64_MAX && length <= INT64_MAX - offset)
		return true;
	contents->disk->too_far++;
	return false;
}

static void set(struct contents *contents, struct node *node, uint64_t begin, uint64_t end, unsigned state, bool only_unknown)
{
	bool done;

	if (begin >= end)
		return;
	done = pending_set_ranges(&contents->tree, &node->ranges, begin, end, state, only_unknown);
	node->is_certain |= state < RANGE_MISSING;
	if (done && state < RANGE_MISSING && node->pending.count)
		pending_doubt(contents, node, begin, end);
	if (done)
		return;
	contents->unreported++;
	/* the known contents may have changed */
	if (!only_unknown && state != RANGE_DATA)
		ranges_spoil(&node->ranges, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
}

/* Uncaptured calls may have changed all known contents. */
static void doubt_ranges(struct node *node)
{
	node->guessed_frame = 0;
	node->size_known = false;
	if (!node->is_certain)
		return;
	ranges_spoil(&node->ranges, 0, UINT64_MAX, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED);
	node->is_certain = false;
}

static bool is_doubtful(const struct node *node)
{
	return node->doubt != server_of(node)->doubt;
}

/*
 * Before the current operation changes the file. If a call that was not captured may have changed it (struct server, doubt), only an unchanged
 * stamp from before the operation shows that it did not; otherwise all known contents become missing.
 */
static void settle(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp)
{
	bool is_later = contents->asked > server_of(node)->doubt_frame;

	if (!is_doubtful(node))
		return;
	if (is_later && has_stamp && node->has_stamp && stamp == node->stamp) {
		node->doubt = server_of(node)->doubt;
		return;
	}
	doubt_ranges(node);
	/* the uncaptured call may still overwrite a concurrent operation: the node stays in doubt */
	node->has_stamp = false;
	if (is_later)
		node->doubt = server_of(node)->doubt;
}

/* The server reported attributes; `stamp` differs after each change of the file. Otherwise as settle(). */
static void stamp(struct contents *contents, struct node *node, bool has_stamp, uint64_t stamp)
{
	if (!has_stamp || (is_doubtful(node) && contents->asked <= server_of(node)->doubt_frame))
		return;
	settle(contents, node, has_stamp, stamp);
	node->has_stamp = true;
	node->stamp = stamp;
}

/* The file now has `size` bytes; later contents are removed. */
static bool cut(struct contents *contents, struct node *node, uint64_t size)
{
	if (!disk_resize(contents->disk, node->entry, size))
		return false;
	ranges_cut(&node->ranges, size);
	return true;
}

void contents_unseen_write(struct contents *contents, struct node *node, uint64_t size, uint64_t count)
{
	uint64_t known = node->entry ? node->entry->size : 0, begin = size >= count ? size - count : 0;

	if (!count || (node->name.gone && !node->entry))
		return;
	if (is_doubtful(node) || !node->size_known || size <= known) {
		doubt_ranges(node);
		return;
	}
	/* the WRITE extended the file, so it ended at the end of the file */
	if (!is_range(contents, size, 0) || !place_file(contents, node) || !disk_resize(contents->disk, node->entry, size))
		return;
	set(contents, node, begin < known ? begin : known, size, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
	node->guessed_size = size;
	node->guessed_frame = contents->answered;
}

void contents_unseen_resize(struct contents *contents, struct node *node, uint64_t size)
{
	node->resized_frame = contents->answered;
	if (node->entry && !node->entry->is_directory && size < node->entry->size)
		cut(contents, node, size);
}

/*
 * What extends a file: a captured write leaves zeros before it, if a reply shows that it was done; READ data were written by an
 * uncaptured one.
 */
enum grower { BY_WRITE, BY_UNCONFIRMED_WRITE, BY_READ };

static void note_change(const struct contents *contents, struct node *node)
{
	if (contents->answered > node->changed_frame)
		node->changed_frame = contents->answered;
}

/*
 * Extends the file to at least `end`. If its size was known, the new part is zero, except for what others wrote there, unless this
 * operation, outstanding at that time, caused the reported size. False: the file cannot be extended.
 */
static bool grow(struct contents *contents, struct node *node, uint64_t offset, uint64_t end, enum grower by)
{
	uint64_t size = node->entry->size, written = size;

	if (by != BY_READ)
		note_change(contents, node);
	/* then this operation may have caused that size, and the one without a call wrote elsewhere */
	if (node->guessed_frame && contents->asked <= node->guessed_frame && end >= node->guessed_size)
		doubt_ranges(node);
	if (end <= size)
		return true;
	if (!disk_resize(contents->disk, node->entry, end))
		return false;
	if (!node->size_known)
		return true;
	if (by != BY_WRITE)
		written = offset;
	else if (node->unseen_size > size && !(node->unseen_size == end && contents->asked <= node->unseen_frame))
		written = node->unseen_size < offset ? node->unseen_size : offset;
	set(contents, node, size, written, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
	set(contents, node, written, offset, RANGE_ZEROS, false);
	return true;
}

/*
 * The server reported this size. If captured operations account for less, a WRITE was not captured: its bytes are missing up to the
 * beginning of a captured WRITE or, in contents_finish(), up to the size.
 */
static void report_size(struct contents *contents, struct node *node, uint64_t size)
{
	uint64_t known = node->entry ? node->entry->size : 0;

	/* a request before the size was set may also have been executed before */
	if (contents->asked < node->resized_frame)
		return;
	if (size < known && contents->asked > node->changed_frame && !node->entry->is_directory) {
		cut(contents, node, size);
		node->unseen_size = 0;
		return;
	}
	if (size <= known || size <= node->unseen_size)
		return;
	node->unseen_size = size;
	node->unseen_frame = contents->answered;
}

void contents_finish(struct contents *contents, struct node *node)
{
	uint64_t size = node->entry ? node->entry->size : 0;

	if (is_doubtful(node))
		doubt_ranges(node);
	/* a file of which only the size is known is not created, unless an uncaptured operation caused the size */
	if (node->unseen_size <= size || !(node->entry || node->size_known) || (node->name.gone && !node->entry) ||
	    (node->entry && node->entry->is_directory) || !is_range(contents, node->unseen_size, 0) ||
	    !place_file(contents, node))
		return;
	if (disk_resize(contents->disk, node->entry, node->unseen_size))
		set(contents, node, size, node->unseen_size, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, true);
}

/*
 * A change of the file was answered after the READ was sent, so the READ may have been executed before it: its data only fill what no
 * captured operation has touched.
 */
static bool is_overtaken(const struct contents *contents, const struct node *node)
{
	return contents->asked < node->changed_frame || contents->asked < node->resized_frame;
}

/* `bytes` NULL: zeros. */
static void put_unknown(struct contents *contents, struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length)
{
	uint64_t end = offset + length, stop;

	/* the size is that of the change */
	if (contents->asked < node->resized_frame && end > node->entry->size)
		end = node->entry->size;
	for (uint64_t at = offset; at < end; at = stop) {
		bool known;
		struct range here = ranges_at(&node->ranges, at, &known);

		stop = here.end < end ? here.end : end;
		if (!known && (!bytes || disk_write(contents->disk, node->entry, at, bytes + (at - offset), stop - at)))
			set(contents, node, at, stop, bytes ? RANGE_DATA : RANGE_ZEROS, true);
	}
}

/* Stores one piece of data, either present or missing. */
static void put_piece(struct contents *contents, struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length, unsigned reason,
		      bool is_write)
{
	if (bytes && !is_write && node->pending.count)
		pending_confirm(contents, node, offset, bytes, length);
	if (bytes && !is_write && is_overtaken(contents, node)) {
		put_unknown(contents, node, offset, bytes, length);
		contents->written += length;
		return;
	}
	if (bytes) {
		struct range unordered = is_write ? concurrent_with_write(contents, node, offset, bytes, length) : (struct range){ 0 };

		if (disk_write(contents->disk, node->entry, offset, bytes, length)) {
			set(contents, node, offset, offset + length, RANGE_DATA, false);
			set(contents, node, unordered.begin, unordered.end, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
		}
		contents->written += length;
		return;
	}
	/* the WRITE replaced the previous contents */
	if (is_write && !disk_punch(contents->disk, node->entry, offset, length))
		return;
	set(contents, node, offset, offset + length, RANGE_MISSING + reason, !is_write);
}

/*
 * Stores bytes that a client wrote (`is_write`) or read at `offset` of the file. Bytes that were not captured become missing: for a
 * WRITE always, for a READ unless they are already known. Doubtful bytes are stored, and missing.
 */
static void put(struct contents *contents, struct node *node, uint64_t offset, const struct data *data, bool is_write)
{
	uint64_t at = data->at, end = data->at + data->length;
	enum grower by = !is_write ? BY_READ : data->is_doubtful ? BY_UNCONFIRMED_WRITE : BY_WRITE;

	if (!is_range(contents, offset, data->length) || !place_file(contents, node))
		return;
	if ((is_write || contents->asked >= node->resized_frame) && !grow(contents, node, offset, offset + data->length, by))
		return;
	while (at < end && !contents->disk->failed) {
		uint64_t here = end;
		unsigned reason;
		const uint8_t *bytes = part_piece(&contents->cursor, data->part, at, &here, &reason);

		put_piece(contents, node, offset + (at - data->at), bytes, here - at, reason, is_write);
		if (bytes && data->is_doubtful)
			set(contents, node, offset + (at - data->at), offset + (here - data->at), RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
		if (data->is_doubtful)
			pending_add(contents, node, offset + (at - data->at), offset + (here - data->at), bytes ? PENDING_STORED : PENDING_CHANGED);
		at = here;
	}
}

/* A READ reported a hole. */
static void zero(struct contents *contents, struct node *node, uint64_t offset, uint64_t length)
{
	if (!is_range(contents, offset, length) || !place_file(contents, node))
		return;
	if (contents->asked >= node->resized_frame && !grow(contents, node, offset, offset + length, BY_READ))
		return;
	if (is_overtaken(contents, node))
		put_unknown(contents, node, offset, NULL, length);
	else if (disk_punch(contents->disk, node->entry, offset, length))
		set(contents, node, offset, offset + length, RANGE_ZEROS, false);
}

/* Uncaptured calls may have extended the server's file. */
static uint64_t largest_size(const struct node *node)
{
	return node->entry && node->entry->size > node->reported_size ? node->entry->size : node->reported_size;
}

/*
 * The data of a READ are unavailable: marks its bytes as missing unless they are already known. `is_certain`: the reply shows that the
 * file has these bytes; else they are missing only up to the file's known size.
 */
static void miss(struct contents *contents, struct node *node, uint64_t offset, uint64_t length, bool is_certain,
		   enum rtap_missing_reason reason)
{
	uint64_t size;

	if (!is_range(contents, offset, length) || !place_file(contents, node))
		return;
	if (is_certain && !grow(contents, node, offset, offset + length, BY_READ))
		return;
	size = largest_size(node);
	if (node->size_known && offset + length > size)
		length = size > offset ? size - offset : 0;
	set(contents, node, offset, offset + length, RANGE_MISSING + reason, true);
}

static void resize(struct contents *contents, struct node *node, uint64_t size)
{
	uint64_t before, unseen = node->unseen_size;

	node->resized_frame = contents->answered;
	if (node->guessed_frame && contents->asked <= node->guessed_frame)
		doubt_ranges(node);
	node->guessed_frame = 0;
	node->unseen_size = 0;
	/* an empty file is not created: its bytes may not have been captured */
	if (!size && !node->entry) {
		node->size_known = true;
		return;
	}
	if (!is_range(contents, size, 0) || !place_file(contents, node))
		return;
	before = node->entry->size;
	if (!cut(contents, node, size))
		return;
	/* zeros begin at the end of the file, including what uncaptured calls wrote */
	if (node->size_known)
		set(contents, node, unseen > before ? unseen : before, size, RANGE_ZEROS, false);
	node->size_known = true;
}

/* No reply shows whether the size was set: what it would have removed or added is missing. */
static void resize_perhaps(struct contents *contents, struct node *node, uint64_t size)
{
	uint64_t before;

	node->size_known = false;
	if ((!size && !node->entry) || !is_range(contents, size, 0) || !place_file(contents, node))
		return;
	before = node->entry->size;
	if (size < before)
		set(contents, node, size, before, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
	else if (size > before)
		disk_resize(contents->disk, node->entry, size);
}

static void set_size(struct contents *contents, struct node *node, uint64_t size, bool has_succeeded)
{
	uint64_t before = largest_size(node);

	if (has_succeeded && concurrent_with_size(contents, node, size)) {
		resize_perhaps(contents, node, size);
		concurrent_note_size(contents, node, size);
		return;
	}
	if (has_succeeded) {
		resize(contents, node, size);
		concurrent_note_size(contents, node, size);
		node->cut_from = size < node->cut_from ? size : node->cut_from;
		return;
	}
	resize_perhaps(contents, node, size);
	pending_add_size(contents, node, before, size);
}

static void allocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length, enum grower by)
{
	if (is_range(contents, offset, length) && place_file(contents, node))
		grow(contents, node, offset + length, offset + length, by);
}

static void deallocate(struct contents *contents, struct node *node, uint64_t offset, uint64_t length, bool has_succeeded)
{
	if (offset > INT64_MAX || !place_file(contents, node))
		return;
	note_change(contents, node);
	if (length > INT64_MAX - offset)
		length = INT64_MAX - offset;
	/* does not extend the file: RFC 7862, 15.4 */
	if ((node->size_known || !has_succeeded) && offset + length > node->entry->size)
		length = node->entry->size > offset ? node->entry->size - offset : 0;
	if (!has_succeeded)
		set(contents, node, offset, offset + length, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
	else if (disk_punch(contents->disk, node->entry, offset, length))
		set(contents, node, offset, offset + length, RANGE_ZEROS, false);
}

/* False: the limit is reached. */
static bool copy_bytes(struct contents *contents, struct node *from, uint64_t from_offset, struct node *to, uint64_t to_offset,
		       uint64_t length)
{
	uint8_t block[COPY_BLOCK];

	if (length > contents->written * COPY_FACTOR + COPY_FREE - contents->copied) {
		contents->not_copied += length;
		return false;
	}
	contents->copied += length;
	for (uint64_t done = 0; done < length;) {
		size_t here = length - done < COPY_BLOCK ? (size_t)(length - done) : COPY_BLOCK;

		if (!disk_read(contents->disk, from->entry, from_offset + done, block, here) ||
		    !disk_write(contents->disk, to->entry, to_offset + done, block, here))
			return false;
		done += here;
	}
	return true;
}

static void copy_range(struct contents *contents, struct node *from, const struct range *range, struct node *to, uint64_t to_offset,
		       enum grower by)
{
	uint64_t length = range->end - range->begin;
	unsigned state = range->state;

	if (state == RANGE_DATA && !copy_bytes(contents, from, range->begin, to, to_offset, length))
		state = RANGE_MISSING + RTAP_MISSING_EVICTED;
	if (state != RANGE_DATA && !disk_punch(contents->disk, to->entry, to_offset, length))
		return;
	if (by != BY_WRITE && state < RANGE_MISSING)
		state = RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED;
	set(contents, to, to_offset, to_offset + length, state, false);
}

/* The bytes are missing if the source is unknown or overlaps the target. */
static bool is_source(const struct node *from, uint64_t from_offset, const struct node *to, uint64_t to_offset, uint64_t length)
{
	if (!from || !from->entry)
		return false;
	return from != to || from_offset + length <= to_offset || to_offset + length <= from_offset;
}

/* COPY, CLONE. `from` may be NULL: unknown source. length 0: up to the end of the source. */
static void copy_between(struct contents *contents, struct node *from, uint64_t from_offset, struct node *to, uint64_t to_offset,
			 uint64_t length, enum grower by)
{
	bool known;

	if (from && from != to)
		settle(contents, from, false, 0);
	if (!length && from && from->entry && from->entry->size > from_offset)
		length = from->entry->size - from_offset;
	if (!is_range(contents, from_offset, length) || !is_range(contents, to_offset, length) || !place_file(contents, to))
		return;
	if (!grow(contents, to, to_offset, to_offset + length, by))
		return;
	known = is_source(from, from_offset, to, to_offset, length);
	for (uint64_t done = 0; done < length && !contents->disk->failed;) {
		struct range range = { from_offset + done, from_offset + length, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED };

		if (known) {
			bool there;
			struct range here = ranges_at(&from->ranges, range.begin, &there);

			if (here.end < range.end)
				range.end = here.end;
			if (there)
				range.state = here.state;
		}
		copy_range(contents, from, &range, to, to_offset + done, by);
		done = range.end - from_offset;
	}
}

static void attributes_reported(struct nfs_names *walk, struct name_node *name, const struct call_attributes *attributes)
{
	struct contents *contents = (struct contents *)walk;
	struct node *node = file_of(name);

	stamp(contents, node, attributes->has_stamp, attributes->stamp);
	if (!attributes->has_size)
		return;
	node->reported_size = attributes->size;
	pending_confirm_size(contents, node, attributes->size);
	report_size(contents, node, attributes->size);
}

/* The size that CREATE or OPEN gives a file. What a client of NFSv4 writes then needs the stateid of the reply, so it follows. */
static void set_first_size(struct contents *contents, struct node *node, uint64_t size, bool has_succeeded)
{
	if (contents->walk.calls.protocol == CALLS_NFS4 && !has_succeeded)
		resize_perhaps(contents, node, size);
	else
		set_size(contents, node, size, has_succeeded);
}

/* A file that a CREATE or OPEN created or truncated. */
static void file_created(struct nfs_names *walk, struct name_node *name, const struct call_operation *call, bool has_succeeded)
{
	struct contents *contents = (struct contents *)walk;
	struct node *node = file_of(name);
	bool sets_size = call->has_size && (walk->calls.protocol == CALLS_NFS3 || !call->size);

	if (call->is_new && !node->entry) {
		set_first_size(contents, node, 0, has_succeeded);
		sets_size = call->has_size;
	}
	if (sets_size)
		set_first_size(contents, node, call->size, has_succeeded);
}

static void write(struct contents *contents, struct node *node, const struct call_operation *call, const struct reply_operation *reply)
{
	struct data data = { &contents->walk.calls.exchange->call, call->data.at, call->data.length, !reply->status_known };

	if (!call->has_offset)
		return;
	contents->is_placed = true;
	if (!call->data.there) {
		/* the call is truncated before its data: bytes after the stream are missing */
		if (!call->has_length)
			return;
		data.at = data.part->length;
		data.length = call->length;
	}
	if (reply->has_count && reply->count < data.length)
		data.length = reply->count;
	if (data.length)
		put(contents, node, call->offset, &data, true);
	if (!data.length || data.is_doubtful)
		return;
	set(contents, node, concurrent_least_size(contents, node), call->offset + data.length, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
	concurrent_note_write(contents, node, call->offset, call->offset + data.length);
}

static enum rtap_missing_reason reason_of_reply(const struct rpc_part *reply)
{
	return reply->present && reply->missing_count ? (enum rtap_missing_reason)reply->missing[0].reason : RTAP_MISSING_NOT_CAPTURED;
}

/* Data in the reply have already been reported. */
static void read_done(struct contents *contents, struct node *node, const struct call_operation *call,
		      const struct reply_operation *reply)
{
	const struct call_attributes *attributes = &reply->attributes;
	bool is_certain = reply->has_count || attributes->has_size;
	uint64_t length = call->length, there = reply->count;

	if (!call->has_offset)
		return;
	contents->is_placed = true;
	if (reply->pieces)
		return;
	if (!reply->has_count)
		there = attributes->size > call->offset ? attributes->size - call->offset : 0;
	if (is_certain && there < length)
		length = there;
	/* a READ_PLUS at the end of the file has no contents */
	if (length && !(reply->eof && contents->walk.calls.protocol == CALLS_NFS4 && call->number == NFS4_READ_PLUS))
		miss(contents, node, call->offset, length, is_certain, reason_of_reply(&contents->walk.calls.exchange->reply));
}

static enum grower grower_of(const struct reply_operation *reply)
{
	return reply->has_succeeded ? BY_WRITE : BY_UNCONFIRMED_WRITE;
}

static void copy(struct contents *contents, struct node *node, const struct call_operation *call, const struct reply_operation *reply)
{
	uint64_t length = call->length;

	/* an asynchronous COPY reports its progress later */
	if (reply->has_count && !reply->is_asynchronous) {
		length = reply->count;
		if (!length)
			return;
	}
	copy_between(contents, file_of(nfs_names_saved(&contents->walk)), call->offset, node, call->to_offset, length,
		     grower_of(reply));
}

/* NFSv4 operations on the contents of the current file. */
static void nfs4_contents(struct contents *contents, struct node *node, const struct call_operation *call,
			  const struct reply_operation *reply)
{
	static const uint64_t changing = 1ull << NFS4_WRITE | 1ull << NFS4_ALLOCATE | 1ull << NFS4_DEALLOCATE | 1ull << NFS4_COPY;

	if ((call->number < 64 && (changing >> call->number & 1)) || call->number == NFS4_CLONE ||
	    (call->number == NFS4_SETATTR && call->has_size))
		settle(contents, node, false, 0);
	switch (call->number) {
	case NFS4_SETATTR:
		if (call->has_size)
			set_size(contents, node, call->size, reply->has_succeeded);
		break;
	case NFS4_READ:
	case NFS4_READ_PLUS:
		read_done(contents, node, call, reply);
		break;
	case NFS4_WRITE:
		write(contents, node, call, reply);
		break;
	case NFS4_ALLOCATE:
		allocate(contents, node, call->offset, call->length, grower_of(reply));
		break;
	case NFS4_DEALLOCATE:
		deallocate(contents, node, call->offset, call->length, reply->has_succeeded);
		break;
	case NFS4_COPY:
	case NFS4_CLONE:
		copy(contents, node, call, reply);
		break;
	case NFS4_WRITE_SAME:
	case NFS4_LAYOUTCOMMIT: /* data written to other servers */
		doubt_ranges(node);
		break;
	}
}

/* NFSv3 procedures on the contents of a file. */
static void nfs3_contents(struct contents *contents, struct node *node, const struct call_operation *call,
			  const struct reply_operation *reply)
{
	bool resizes = call->number == NFS3_SETATTR && call->has_size, changes = resizes || call->number == NFS3_WRITE;

	if (reply->before.has_size)
		pending_confirm_size(contents, node, reply->before.size);
	if (reply->attributes.has_size && !resizes)
		pending_confirm_size(contents, node, reply->attributes.size);
	if (reply->before.has_size && (changes || call->number == NFS3_SETATTR || call->number == NFS3_COMMIT))
		report_size(contents, node, reply->before.size);
	if (changes)
		settle(contents, node, reply->before.has_stamp, reply->before.stamp);
	if (resizes)
		set_size(contents, node, call->size, reply->has_succeeded);
	else if (call->number == NFS3_READ)
		read_done(contents, node, call, reply);
	else if (call->number == NFS3_WRITE)
		write(contents, node, call, reply);
}

static void file_operation(struct nfs_names *walk, struct name_node *node, const struct call_operation *call,
			   const struct reply_operation *reply)
{
	struct contents *contents = (struct contents *)walk;

	if (walk->calls.protocol == CALLS_NFS3)
		nfs3_contents(contents, file_of(node), call, reply);
	else
		nfs4_contents(contents, file_of(node), call, reply);
}

static void data_read(struct nfs_names *walk, struct name_node *name, const struct call_operation *call, const struct reply_operation *reply,
		      uint64_t offset, const struct call_data *data)
{
	struct contents *contents = (struct contents *)walk;
	struct node *node = file_of(name);
	const struct data bytes = { &walk->calls.exchange->reply, data->at, data->length, false };
	uint64_t asked_end = call->offset + call->length, length = data->length;

	if (!call->has_offset)
		return;
	contents->is_placed = true;
	settle(contents, node, reply->attributes.has_stamp, reply->attributes.stamp);
	if (data->there) {
		/* a read beyond the end, which returns nothing, does not show the file's size */
		put(contents, node, length ? offset : 0, &bytes, false);
		return;
	}
	/* a hole may extend beyond the requested range */
	if (offset >= asked_end)
		return;
	zero(contents, node, offset, length < asked_end - offset ? length : asked_end - offset);
}

void contents_init(struct contents *contents, struct disk *disk, uint64_t max_memory)
{
	*contents = (struct contents){ .disk = disk };
	name_tree_init(&contents->tree, sizeof(struct node), sizeof(struct server), max_memory);
	contents->tree.beside = &disk->memory;
	place_init(contents);
	calls_init(&contents->walk, &contents->tree, true);
	contents->walk.data_read = data_read;
	contents->walk.attributes_reported = attributes_reported;
	contents->walk.file_created = file_created;
	contents->walk.file_operation = file_operation;
}

void contents_fini(struct contents *contents)
{
	name_tree_fini(&contents->tree);
	calls_fini(&contents->walk);
}
