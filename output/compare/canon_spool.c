/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "output/compare/canon_spool.h"

#define FIRST_ROOM 512u
#define BLOCK (32u << 10)        /* a stream's buffer of this size is written to the file */
#define TAIL ((size_t)64 << 10)  /* bytes per write */
#define HEADER 12u               /* header of a record: order and length */

void spool_init(struct spool *spool, size_t most_held)
{
	*spool = (struct spool){ .fd = -1, .most_held = most_held };
}

void spool_fini(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
	free(spool->tail);
	spool->tail = NULL;
}

int spool_temporary(void)
{
	const char *directory = getenv("TMPDIR");
	char name[4096];
	int fd, error;

	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(name, sizeof name, "%s/rdmatap-XXXXXX", directory) >= (int)sizeof name)
		return -ENAMETOOLONG;
	fd = mkstemp(name);
	if (fd < 0)
		return -errno;
	if (unlink(name)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static int write_all(int fd, const char *bytes, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t n = pwrite(fd, bytes, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes += n;
		length -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int spool_append(struct spool *spool, const void *bytes, size_t length)
{
	if (!spool->tail)
		spool->tail = malloc(TAIL);
	if (!spool->tail)
		return -ENOMEM;
	for (const char *at = bytes; length;) {
		size_t room = TAIL - spool->tail_used, part = length < room ? length : room;

		memcpy(spool->tail + spool->tail_used, at, part);
		spool->tail_used += part;
		spool->end += part;
		at += part;
		length -= part;
		if (spool->tail_used == TAIL) {
			int result = spool->fd < 0 ? spool_temporary() : spool->fd;

			if (result < 0)
				return result;
			spool->fd = result;
			result = write_all(spool->fd, spool->tail, TAIL, spool->end - TAIL);
			if (result)
				return result;
			spool->tail_used = 0;
		}
	}
	return 0;
}

int spool_read(const struct spool *spool, uint64_t offset, void *bytes, size_t length)
{
	uint64_t written = spool->end - spool->tail_used;
	char *at = bytes;

	while (length && offset < written) {
		size_t most = written - offset < length ? (size_t)(written - offset) : length;
		ssize_t n = pread(spool->fd, at, most, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	if (length)
		memcpy(at, spool->tail + (offset - written), length);
	return 0;
}

static int write_out(struct spool *spool, struct spool_stream *stream)
{
	size_t before = stream->extent_room;
	struct spool_extent *extents = array_grow(stream->extents, &stream->extent_room, stream->extent_count + 1, sizeof *extents);

	if (!extents)
		return -ENOMEM;
	spool->extent_memory += (stream->extent_room - before) * sizeof *extents;
	stream->extents = extents;
	stream->extents[stream->extent_count++] = (struct spool_extent){ spool->end, stream->used };
	stream->used = 0;
	return spool_append(spool, stream->buffer, stream->extents[stream->extent_count - 1].length);
}

int spool_flush(struct spool *spool, struct spool_stream *stream)
{
	int result = stream->used ? write_out(spool, stream) : 0;

	spool->held -= stream->room;
	free(stream->buffer);
	stream->buffer = NULL;
	stream->room = 0;
	return result;
}

static int make_room(struct spool *spool, struct spool_stream *stream, size_t wanted)
{
	size_t before = stream->room;
	char *larger = array_grow(stream->buffer, &stream->room, wanted > FIRST_ROOM ? wanted : FIRST_ROOM, 1);

	if (!larger)
		return -ENOMEM;
	stream->buffer = larger;
	spool->held += stream->room - before;
	return 0;
}

int spool_add(struct spool *spool, struct spool_stream *stream, uint64_t order, const char *record, size_t length)
{
	uint32_t stored = (uint32_t)length;
	int result;

	if (length > UINT32_MAX - BLOCK - HEADER)
		return -EFBIG;
	if (stream->used && stream->used + HEADER + length > BLOCK) {
		result = write_out(spool, stream);
		if (result)
			return result;
	}
	result = make_room(spool, stream, stream->used + HEADER + length);
	if (result)
		return result;
	memcpy(stream->buffer + stream->used, &order, sizeof order);
	memcpy(stream->buffer + stream->used + sizeof order, &stored, sizeof stored);
	memcpy(stream->buffer + stream->used + HEADER, record, length);
	stream->used += HEADER + length;
	return 0;
}

void spool_stream_fini(struct spool *spool, struct spool_stream *stream)
{
	spool->held -= stream->room;
	spool->extent_memory -= stream->extent_room * sizeof *stream->extents;
	free(stream->buffer);
	free(stream->extents);
	*stream = (struct spool_stream){ 0 };
}

void spool_reader_init(struct spool_reader *reader, const struct spool *spool, const struct spool_stream *stream)
{
	*reader = (struct spool_reader){ .spool = spool, .stream = stream };
}

/* Reads the next extent or, after the last one, the buffer in memory. Returns 1, 0 at the end, -errno. */
static int next_block(struct spool_reader *reader)
{
	const struct spool_stream *stream = reader->stream;
	size_t length;
	char *block;
	int result;

	if (reader->extent > stream->extent_count || (reader->extent == stream->extent_count && !stream->used))
		return 0;
	length = reader->extent < stream->extent_count ? stream->extents[reader->extent].length : stream->used;
	block = array_grow(reader->block, &reader->block_room, length, 1);
	if (!block)
		return -ENOMEM;
	reader->block = block;
	if (reader->extent == stream->extent_count) {
		memcpy(reader->block, stream->buffer, length);
	} else {
		result = spool_read(reader->spool, stream->extents[reader->extent].offset, reader->block, length);
		if (result)
			return result;
	}
	reader->extent++;
	reader->block_used = length;
	reader->at = 0;
	return 1;
}

int spool_reader_next(struct spool_reader *reader)
{
	uint32_t length;
	int result;

	if (reader->at == reader->block_used) {
		result = next_block(reader);
		if (result <= 0)
			return result;
	}
	memcpy(&reader->order, reader->block + reader->at, sizeof reader->order);
	memcpy(&length, reader->block + reader->at + sizeof reader->order, sizeof length);
	reader->record = reader->block + reader->at + HEADER;
	reader->length = length;
	reader->at += HEADER + length;
	return 1;
}

void spool_reader_fini(struct spool_reader *reader)
{
	free(reader->block);
	reader->block = NULL;
}
