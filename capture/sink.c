/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/compressor.h"
#include "capture/packer.h"
#include "capture/sink.h"

#define BUFFER_SIZE (256 * 1024)
#define LEAST_UNIT 16 /* bytes: a pcap record without a frame */
#define LEAST_RECORDS 4096 /* the same of records; also, so that pieces of them are fewer than those of frames */
#define MOST_PIECES (2 * (BUFFER_SIZE / SINK_LEAST_LENT)) /* borrowed ones, and buffered ones in between; at most the limit of writev() */
#define MOST_HELD 64

/* Borrowed records. Their ends are determined only if writing fails. */
struct run {
	uint64_t begin; /* where in the file */
	const uint8_t *records;
	size_t count;
	enum record_form form;
};

struct sink {
	int fd;
	bool fd_owned;
	int failure; /* errno of the first failure; 0: none */
	const char *name;
	bool is_compressed;
	struct compressor *compressor; /* at once */
	struct packer *packer;         /* or by several threads */
	uint64_t written;    /* bytes of the file */
	uint64_t whole;      /* end of the last unit in the file whose end is not in the queue */
	size_t used;         /* of the buffer */
	size_t queued;       /* bytes of all pieces to be written next */
	size_t piece_count;
	size_t held_count;
	size_t run_count;
	size_t end_count;    /* of units that end in the queue */
	unsigned char buffer[BUFFER_SIZE];
	unsigned char packed[COMPRESSOR_ROOM];
	uint32_t ends[BUFFER_SIZE / LEAST_UNIT + 1];
	struct iovec pieces[MOST_PIECES]; /* in the buffer, or borrowed */
	struct rtap_batch *held[MOST_HELD];
	struct run runs[MOST_HELD];
	char name_text[];
};

static bool open_compression(struct sink *sink, enum compression compression, bool flushed_often)
{
	sink->is_compressed = compression;
	if (flushed_often && compression)
		sink->compressor = compressor_create(compression);
	else if (compression)
		sink->packer = packer_create(compression);
	return !compression || sink->compressor || sink->packer;
}

enum rtap_status sink_open(struct sink **sink, const char *name, enum compression compression, bool flushed_often, struct rtap_error *error)
{
	const char *lacks = compression ? compression_lacks(compression) : NULL;
	struct sink *opened;

	*sink = NULL;
	if (lacks) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: this build does not write %s files: it was built without %s",
			       name, compression_name(compression), lacks);
		return RTAP_STATUS_FAILED;
	}
	opened = malloc(sizeof *opened + strlen(name) + 1);
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	memset(opened, 0, offsetof(struct sink, buffer));
	strcpy(opened->name_text, name);
	if (!strcmp(name, "-")) {
		opened->name = "standard output";
		opened->fd = STDOUT_FILENO;
	} else {
		opened->name = opened->name_text;
		opened->fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		opened->fd_owned = true;
	}
	if (opened->fd < 0) {
		rtap_error_set(error, error_code_of(errno), "%s: cannot be created: %s", opened->name, strerror(errno));
		goto out;
	}
	if (!open_compression(opened, compression, flushed_often)) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", opened->name);
		goto out;
	}
	*sink = opened;
	return RTAP_STATUS_OK;
out:
	if (opened->fd_owned && opened->fd >= 0)
		close(opened->fd);
	free(opened);
	return RTAP_STATUS_FAILED;
}

const char *sink_name(const struct sink *sink)
{
	return sink->name;
}

uint64_t sink_size(const struct sink *sink)
{
	return sink->written + (sink->is_compressed ? 0 : sink->queued);
}

void sink_mark(struct sink *sink)
{
	if (sink->end_count < sizeof sink->ends / sizeof sink->ends[0])
		sink->ends[sink->end_count++] = (uint32_t)sink->queued;
}

enum rtap_status sink_hand_over(struct sink *sink, uid_t user, gid_t group, struct rtap_error *error)
{
	struct stat found;

	if (!sink->fd_owned || fstat(sink->fd, &found) || !S_ISREG(found.st_mode) || !fchown(sink->fd, user, group))
		return RTAP_STATUS_OK;
	rtap_error_set(error, error_code_of(errno), "%s: cannot be handed to user %lu: %s", sink->name, (unsigned long)user, strerror(errno));
	return RTAP_STATUS_FAILED;
}

enum rtap_status sink_set_mode(struct sink *sink, mode_t mode, struct rtap_error *error)
{
	struct stat found;

	if (!sink->fd_owned || fstat(sink->fd, &found) || !S_ISREG(found.st_mode) || !fchmod(sink->fd, mode))
		return RTAP_STATUS_OK;
	rtap_error_set(error, error_code_of(errno), "%s: the mode cannot be set: %s", sink->name, strerror(errno));
	return RTAP_STATUS_FAILED;
}

static enum rtap_status fail(struct sink *sink, int reason, struct rtap_error *error)
{
	sink->failure = reason;
	rtap_error_set(error, error_code_of(reason), "%s: cannot be written: %s", sink->name, strerror(reason));
	return RTAP_STATUS_FAILED;
}

/* The last end of a record, after `whole`, that has reached the file. */
static uint64_t end_of_records(const struct sink *sink, uint64_t whole)
{
	for (size_t i = 0; i < sink->run_count; i++) {
		const struct run *run = &sink->runs[i];
		size_t end = 0;

		for (size_t j = 0; j < run->count && run->begin + end <= sink->written; j++) {
			if (run->begin + end > whole)
				whole = run->begin + end;
			end += record_size(run->form, run->records + end);
		}
	}
	return whole;
}

/* Truncates the file after its last complete unit; the last write took `taken` bytes of the queue. */
static void cut_after_whole(struct sink *sink, size_t taken)
{
	struct stat found;
	uint64_t whole = sink->whole;

	if (sink->is_compressed || !sink->fd_owned || fstat(sink->fd, &found) || !S_ISREG(found.st_mode))
		return;
	for (size_t i = sink->end_count; i; i--) {
		if (sink->ends[i - 1] <= taken) {
			whole = sink->written - taken + sink->ends[i - 1];
			break;
		}
	}
	whole = end_of_records(sink, whole);
	/* If it fails, the file ends inside a unit, which readers can live with. */
	if (whole)
		(void)!ftruncate(sink->fd, (off_t)whole);
}

static void release_held(struct sink *sink)
{
	while (sink->held_count)
		rtap_batch_release(sink->held[--sink->held_count]);
}

/* Removes the bytes already written from the pieces. */
static void advance(struct iovec **pieces, size_t *count, size_t written)
{
	for (; *count && written >= (*pieces)->iov_len; ++*pieces, --*count)
		written -= (*pieces)->iov_len;
	if (!*count)
		return;
	(*pieces)->iov_base = (uint8_t *)(*pieces)->iov_base + written;
	(*pieces)->iov_len -= written;
}

static enum rtap_status write_all(struct sink *sink, struct iovec *pieces, size_t count, struct rtap_error *error)
{
	struct pollfd writable = { .fd = sink->fd, .events = POLLOUT };
	size_t taken = 0;

	advance(&pieces, &count, 0);
	while (count) {
		ssize_t written = writev(sink->fd, pieces, (int)count);

		if (written < 0 && errno == EINTR)
			continue;
		/* Another process may have made standard output non-blocking. */
		if (written < 0 && errno == EAGAIN && (poll(&writable, 1, -1) >= 0 || errno == EINTR))
			continue;
		if (written < 0) {
			int reason = errno;

			cut_after_whole(sink, taken);
			return fail(sink, reason, error);
		}
		sink->written += (uint64_t)written;
		taken += (size_t)written;
		advance(&pieces, &count, (size_t)written);
	}
	return RTAP_STATUS_OK;
}

/* Writes the buffer compressed. */
static enum rtap_status write_packed(struct sink *sink, enum compressor_mode mode, size_t length, struct rtap_error *error)
{
	const uint8_t *from = sink->buffer;
	enum rtap_status status = RTAP_STATUS_OK;
	struct iovec piece;
	int more;

	do {
		more = compressor_run(sink->compressor, mode, &from, &length, sink->packed, sizeof sink->packed, &piece.iov_len);
		if (more < 0)
			return fail(sink, ENOMEM, error);
		piece.iov_base = sink->packed;
		status = write_all(sink, &piece, 1, error);
	} while (!status && more);
	return status;
}

/* Writes the oldest block that is being compressed. */
static enum rtap_status write_oldest(struct sink *sink, struct rtap_error *error)
{
	const uint8_t *bytes;
	struct iovec piece;

	if (!packer_take(sink->packer, &bytes, &piece.iov_len))
		return fail(sink, ENOMEM, error);
	piece.iov_base = (void *)(uintptr_t)bytes;
	return write_all(sink, &piece, 1, error);
}

/* Passes the buffer to compression, and writes as many compressed blocks as the mode requires. */
static enum rtap_status pack(struct sink *sink, enum compressor_mode mode, size_t length, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (packer_is_full(sink->packer))
		status = write_oldest(sink, error);
	/* an empty file is compressed too */
	if (!status && (length || (mode == COMPRESSOR_END && packer_is_empty(sink->packer) && !sink->written)))
		packer_put(sink->packer, sink->buffer, length);
	while (!status && mode != COMPRESSOR_BUFFER && !packer_is_empty(sink->packer))
		status = write_oldest(sink, error);
	return status;
}

/* Writes the queue, compressed or not. */
static enum rtap_status empty_queue(struct sink *sink, enum compressor_mode mode, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	size_t queued = sink->queued, pieces = sink->piece_count, ends = sink->end_count;

	sink->used = sink->queued = sink->piece_count = 0;
	if (!sink->is_compressed) {
		status = write_all(sink, sink->pieces, pieces, error);
		if (ends)
			sink->whole = sink->written - queued + sink->ends[ends - 1];
		sink->end_count = 0;
		sink->run_count = 0;
		release_held(sink);
		return status;
	}
	sink->end_count = 0;
	return sink->packer ? pack(sink, mode, queued, error) : write_packed(sink, mode, queued, error);
}

/* After a flush the first write is shorter, so that the next ones are aligned again. */
static inline size_t room_left(const struct sink *sink)
{
	return BUFFER_SIZE - (sink->is_compressed ? 0 : (size_t)(sink->written % BUFFER_SIZE)) - sink->queued;
}

/* Appends to the queue; bytes contiguous with the last piece extend it. */
static inline void add_piece(struct sink *sink, const unsigned char *bytes, size_t length)
{
	struct iovec *last = &sink->pieces[sink->piece_count];

	sink->queued += length;
	if (sink->piece_count && (unsigned char *)last[-1].iov_base + last[-1].iov_len == bytes) {
		last[-1].iov_len += length;
		return;
	}
	last->iov_base = (void *)(uintptr_t)bytes;
	last->iov_len = length;
	sink->piece_count++;
}

/* Holds the batch from which the bytes to be queued are borrowed until they are written. `run`: records; NULL: other bytes. */
static void hold(struct sink *sink, struct rtap_batch *batch, const struct run *run)
{
	if (!sink->held_count || sink->held[sink->held_count - 1] != batch)
		sink->held[sink->held_count++] = rtap_batch_hold(batch);
	if (run)
		sink->runs[sink->run_count++] = *run;
}

/*
 * Queues bytes, and writes the queue whenever it is full: copies of them or, if borrowed from a batch, the bytes themselves.
 * Inlined, so that copying, done for each frame's header, avoids the test for borrowed bytes.
 */
static inline __attribute__((always_inline)) enum rtap_status take(struct sink *sink, const unsigned char *from, size_t length,
								   struct rtap_batch *lender, const struct run *run,
								   struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (sink->failure)
		return fail(sink, sink->failure, error);
	while (length && !status) {
		size_t room = room_left(sink);
		size_t count = room < length ? room : length;

		if (lender) {
			add_piece(sink, from, count);
			hold(sink, lender, run);
		} else {
			memcpy(sink->buffer + sink->used, from, count);
			add_piece(sink, sink->buffer + sink->used, count);
			sink->used += count;
		}
		from += count;
		length -= count;
		if (count == room)
			status = empty_queue(sink, COMPRESSOR_BUFFER, error);
	}
	return status;
}

enum rtap_status sink_write(struct sink *sink, const void *bytes, size_t length, struct rtap_error *error)
{
	return take(sink, bytes, length, NULL, NULL, error);
}

enum rtap_status sink_lend(struct sink *sink, const void *bytes, size_t length, struct rtap_batch *batch, struct rtap_error *error)
{
	if (sink->is_compressed || length < SINK_LEAST_LENT || sink->held_count == MOST_HELD)
		return sink_write(sink, bytes, length, error);
	return take(sink, bytes, length, batch, NULL, error);
}

bool sink_takes_records(const struct sink *sink, size_t length)
{
	return !sink->is_compressed && length >= LEAST_RECORDS && sink->held_count < MOST_HELD && sink->run_count < MOST_HELD;
}

enum rtap_status sink_lend_records(struct sink *sink, struct batch *batch, struct rtap_error *error)
{
	const struct run run = { sink->written + sink->queued, batch->records, batch->shared.count, batch->record_form };
	enum rtap_status status = take(sink, batch->records, batch->record_bytes, &batch->shared, &run, error);

	if (!status)
		sink_mark(sink);
	return status;
}

enum rtap_status sink_flush(struct sink *sink, struct rtap_error *error)
{
	return sink->failure ? fail(sink, sink->failure, error) : empty_queue(sink, COMPRESSOR_FLUSH, error);
}

enum rtap_status sink_close(struct sink *sink, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!sink)
		return RTAP_STATUS_OK;
	if (!sink->failure)
		status = empty_queue(sink, COMPRESSOR_END, error);
	compressor_destroy(sink->compressor);
	packer_destroy(sink->packer);
	/* Network file systems may report a full disk only here. */
	if (sink->fd_owned && close(sink->fd) && !sink->failure)
		status = fail(sink, errno, error);
	release_held(sink);
	free(sink);
	return status;
}
