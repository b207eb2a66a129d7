/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/file/inflate.h"
#include "capture/file/stream.h"

#define STORED_ROOM (128 * 1024)

struct stream {
	int fd; /* -1: memory or spans */
	struct stream_spans spans; /* what is left of them */
	uint64_t span_used;        /* bytes of the first one */
	bool fd_owned;
	const uint8_t *memory;
	size_t memory_left, step;
	uint64_t bytes_read, bytes_total;
	bool detected;
	enum compression compression;
	bool stored_end;       /* the input has no more stored bytes */
	bool interrupted;      /* a signal ended the last wait */
	bool member_open;      /* inside a member of compressed data */
	enum rtap_status end;  /* OK while there may be more */
	struct rtap_error reason;
	struct inflater *inflater; /* NULL: not compressed */
	bool filled;           /* it had no room left the last time, and so may have more without another stored byte */
	size_t stored_begin, stored_count; /* stored bytes that are not used yet */
	uint8_t stored[STORED_ROOM];
};

static enum rtap_status stream_create(struct stream **stream, struct rtap_error *reason)
{
	*stream = malloc(sizeof **stream);
	if (!*stream) {
		rtap_error_set(reason, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	memset(*stream, 0, offsetof(struct stream, stored));
	(*stream)->fd = -1;
	return RTAP_STATUS_OK;
}

enum rtap_status stream_open(struct stream **stream, const char *name, struct rtap_error *reason)
{
	struct stat facts;

	if (stream_create(stream, reason))
		return RTAP_STATUS_FAILED;
	if (!strcmp(name, "-")) {
		(*stream)->fd = STDIN_FILENO;
	} else {
		(*stream)->fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		(*stream)->fd_owned = true;
	}
	if ((*stream)->fd < 0 || fstat((*stream)->fd, &facts)) {
		rtap_error_set(reason, error_code_of(errno), "%s", strerror(errno));
		goto out;
	}
	if (S_ISDIR(facts.st_mode)) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "is a directory (name a capture file)");
		goto out;
	}
	if (S_ISREG(facts.st_mode) && facts.st_size > 0)
		(*stream)->bytes_total = (uint64_t)facts.st_size;
	return RTAP_STATUS_OK;
out:
	stream_close(*stream);
	*stream = NULL;
	return RTAP_STATUS_FAILED;
}

enum rtap_status stream_open_memory(struct stream **stream, const uint8_t *bytes, size_t size, size_t step,
				    struct rtap_error *reason)
{
	if (stream_create(stream, reason))
		return RTAP_STATUS_FAILED;
	(*stream)->memory = bytes;
	(*stream)->memory_left = size;
	(*stream)->step = step ? step : SIZE_MAX;
	(*stream)->bytes_total = size;
	return RTAP_STATUS_OK;
}

enum rtap_status stream_open_spans(struct stream **stream, const struct stream_spans *spans, struct rtap_error *reason)
{
	if (stream_create(stream, reason))
		return RTAP_STATUS_FAILED;
	(*stream)->spans = *spans;
	for (size_t i = 0; i < spans->count; i++)
		(*stream)->bytes_total += spans->spans[i].length;
	return RTAP_STATUS_OK;
}

static enum rtap_status stream_end(struct stream *stream, enum rtap_status status, struct rtap_error *reason)
{
	stream->end = status;
	if (reason)
		*reason = stream->reason;
	return status;
}

/* read(2) that also waits on non-blocking files. */
static ssize_t read_waiting(int fd, uint8_t *to, size_t room)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	ssize_t count;

	while ((count = read(fd, to, room)) < 0 && errno == EAGAIN) {
		if (poll(&readable, 1, -1) < 0)
			return -1;
	}
	return count;
}

/* As read(2), of the spans; a negative errno. */
static ssize_t read_spans(struct stream *stream, uint8_t *to, size_t room)
{
	struct stream_spans *spans = &stream->spans;
	uint64_t left;
	ssize_t count;

	while (spans->count && stream->span_used == spans->spans->length) {
		spans->spans++;
		spans->count--;
		stream->span_used = 0;
	}
	if (!spans->count)
		return 0;
	left = spans->spans->length - stream->span_used;
	count = spans->read_at(spans->owner, spans->spans->begin + stream->span_used, to, room < left ? room : (size_t)left);
	if (count > 0)
		stream->span_used += (uint64_t)count;
	return count;
}

static enum rtap_status cannot_be_read(struct stream *stream, int error)
{
	rtap_error_set(&stream->reason, error_code_of(error), "cannot be read: %s", strerror(error));
	return RTAP_STATUS_BROKEN;
}

/* Reads stored bytes, as stream_read(), but reports a result without bytes in stored_end and interrupted. */
static enum rtap_status read_stored(struct stream *stream, uint8_t *to, size_t room, size_t *got)
{
	ssize_t count;

	*got = 0;
	stream->interrupted = false;
	if (stream->spans.read_at) {
		count = read_spans(stream, to, room);
		if (count < 0)
			return cannot_be_read(stream, (int)-count);
		*got = (size_t)count;
	} else if (stream->fd < 0) {
		*got = room < stream->step ? room : stream->step;
		if (*got > stream->memory_left)
			*got = stream->memory_left;
		if (*got)
			memcpy(to, stream->memory, *got);
		stream->memory = stream->memory_left ? stream->memory + *got : NULL;
		stream->memory_left -= *got;
	} else {
		count = read_waiting(stream->fd, to, room);
		if (count < 0 && errno == EINTR) {
			stream->interrupted = true;
			return RTAP_STATUS_OK;
		}
		if (count < 0)
			return cannot_be_read(stream, errno);
		*got = (size_t)count;
	}
	stream->stored_end = !*got;
	stream->bytes_read += *got;
	return RTAP_STATUS_OK;
}

/* Reads until `least` stored bytes are available, the input ends, or a signal interrupts. */
static enum rtap_status fill_stored(struct stream *stream, size_t least)
{
	enum rtap_status status;
	size_t got;

	while (stream->stored_count < least && !stream->stored_end) {
		memmove(stream->stored, stream->stored + stream->stored_begin, stream->stored_count);
		stream->stored_begin = 0;
		status = read_stored(stream, stream->stored + stream->stored_count, STORED_ROOM - stream->stored_count, &got);
		if (status)
			return status;
		if (!got)
			break;
		stream->stored_count += got;
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status detect(struct stream *stream)
{
	enum rtap_status status = fill_stored(stream, COMPRESSION_MAGIC);
	const char *lacks;

	if (status || stream->interrupted)
		return status;
	stream->detected = true;
	stream->compression = compression_of_bytes(stream->stored + stream->stored_begin, stream->stored_count);
	if (!stream->compression)
		return RTAP_STATUS_OK;
	lacks = compression_lacks(stream->compression);
	if (lacks) {
		rtap_error_set(&stream->reason, RTAP_ERROR_UNSUPPORTED,
			       "is compressed with %s, which this build does not read: it was built without %s (unpack it first)",
			       compression_name(stream->compression), lacks);
		return RTAP_STATUS_BROKEN;
	}
	stream->inflater = inflater_create(stream->compression);
	if (!stream->inflater) {
		rtap_error_set(&stream->reason, RTAP_ERROR_MEMORY, "out of memory");
		stream->compression = COMPRESSION_NONE;
		return RTAP_STATUS_BROKEN;
	}
	stream->member_open = true;
	return RTAP_STATUS_OK;
}

static bool member_begins(const struct stream *stream)
{
	const uint8_t *bytes = stream->stored + stream->stored_begin;

	if (stream->compression != COMPRESSION_GZIP && compression_is_skippable(bytes, stream->stored_count))
		return true;
	return compression_of_bytes(bytes, stream->stored_count) == stream->compression;
}

/* After a member: another one (RFC 1952, 2.2), the end, or zero bytes, which pad tape blocks. */
static enum rtap_status next_member(struct stream *stream)
{
	enum rtap_status status = fill_stored(stream, COMPRESSION_MAGIC);

	if (status || stream->interrupted)
		return status;
	if (member_begins(stream)) {
		inflater_restart(stream->inflater);
		stream->member_open = true;
		return RTAP_STATUS_OK;
	}
	while (stream->stored_count && !stream->stored[stream->stored_begin]) {
		stream->stored_begin++;
		stream->stored_count--;
	}
	if (stream->stored_count) {
		rtap_error_set(&stream->reason, RTAP_ERROR_FORMAT, "something else follows the %s data at byte %" PRIu64,
			       compression_name(stream->compression), stream->bytes_read - stream->stored_count);
		return RTAP_STATUS_BROKEN;
	}
	return stream->stored_end ? RTAP_STATUS_END : RTAP_STATUS_OK;
}

static enum rtap_status inflate_some(struct stream *stream, uint8_t *to, size_t room, size_t *got)
{
	struct inflation inflation = { stream->stored + stream->stored_begin, stream->stored_count, to, room };
	const char *reason;
	enum inflated result = inflater_run(stream->inflater, &inflation, &reason);

	stream->stored_begin += stream->stored_count - inflation.stored_length;
	stream->stored_count = inflation.stored_length;
	stream->filled = !inflation.room;
	*got = room - inflation.room;
	switch (result) {
	case INFLATED_MEMBER:
		stream->member_open = false;
		return RTAP_STATUS_OK;
	case INFLATE_NO_MEMORY:
		rtap_error_set(&stream->reason, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_BROKEN;
	case INFLATE_CORRUPT:
		rtap_error_set(&stream->reason, RTAP_ERROR_FORMAT, "the %s data is corrupt near byte %" PRIu64 " (%s)",
			       compression_name(stream->compression), stream->bytes_read - stream->stored_count, reason ? reason : "no reason given");
		return RTAP_STATUS_BROKEN;
	default:
		return RTAP_STATUS_OK;
	}
}

/* The input ends within a member: what is left of it is returned before that is reported. */
static enum rtap_status finish_member(struct stream *stream, uint8_t *to, size_t room, size_t *got)
{
	struct inflation inflation = { NULL, 0, to, room };

	if (inflater_finish(stream->inflater, &inflation) == INFLATE_NO_MEMORY) {
		rtap_error_set(&stream->reason, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_BROKEN;
	}
	*got = room - inflation.room;
	if (*got)
		return RTAP_STATUS_OK;
	rtap_error_set(&stream->reason, RTAP_ERROR_FORMAT, "the %s data ends early, after %" PRIu64 " bytes",
		       compression_name(stream->compression), stream->bytes_read);
	return RTAP_STATUS_BROKEN;
}

static enum rtap_status read_compressed(struct stream *stream, uint8_t *to, size_t room, size_t *got)
{
	enum rtap_status status = RTAP_STATUS_OK;

	*got = 0;
	stream->interrupted = false;
	while (!*got && !status && !stream->interrupted) {
		bool filled = stream->filled;

		if (!stream->member_open)
			status = next_member(stream);
		else if (!filled)
			status = fill_stored(stream, 1);
		if (status || stream->interrupted || !stream->member_open)
			continue;
		if (!filled && !stream->stored_count) {
			status = finish_member(stream, to, room, got);
			continue;
		}
		status = inflate_some(stream, to, room, got);
	}
	/* Return what was inflated before the error first. */
	if (*got && status) {
		stream->end = status;
		status = RTAP_STATUS_OK;
	}
	return status;
}

static enum rtap_status read_plain(struct stream *stream, uint8_t *to, size_t room, size_t *got)
{
	enum rtap_status status;

	if (stream->stored_count) { /* bytes read ahead to detect the format */
		*got = room < stream->stored_count ? room : stream->stored_count;
		memcpy(to, stream->stored + stream->stored_begin, *got);
		stream->stored_begin += *got;
		stream->stored_count -= *got;
		return RTAP_STATUS_OK;
	}
	status = read_stored(stream, to, room, got);
	return !status && stream->stored_end ? RTAP_STATUS_END : status;
}

enum rtap_status stream_read(struct stream *stream, uint8_t *to, size_t room, size_t *got, struct rtap_error *reason)
{
	enum rtap_status status = stream->end;

	*got = 0;
	if (!status && !stream->detected) {
		status = detect(stream);
		if (!status && stream->interrupted)
			return RTAP_STATUS_OK;
	}
	if (status)
		return stream_end(stream, status, reason);
	status = stream->compression ? read_compressed(stream, to, room, got) : read_plain(stream, to, room, got);
	return status ? stream_end(stream, status, reason) : RTAP_STATUS_OK;
}

bool stream_is_compressed(const struct stream *stream)
{
	return stream->compression;
}

uint64_t stream_bytes_read(const struct stream *stream)
{
	return stream->bytes_read - (stream->compression ? stream->stored_count : 0);
}

uint64_t stream_bytes_total(const struct stream *stream)
{
	return stream->bytes_total;
}

void stream_close(struct stream *stream)
{
	if (!stream)
		return;
	inflater_destroy(stream->inflater);
	if (stream->fd_owned && stream->fd >= 0)
		close(stream->fd);
	free(stream);
}
