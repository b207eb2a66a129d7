/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/sink.h"

#define BUFFER_SIZE (256 * 1024)
#define LEAST_UNIT 16 /* bytes: a pcap record without a frame */
#define GZIP_WINDOW (15 + 16) /* zlib: the largest window, gzip's header and trailer */
#define GZIP_MEMORY 8         /* zlib's default */

struct sink {
	int fd;
	bool fd_owned, compressed;
	int failure; /* errno of the first failure; 0: none */
	const char *name;
	z_stream zlib;
	uint64_t written;    /* bytes of the file */
	uint64_t whole;      /* where the last unit ends in the file that the buffer does not hold the end of */
	size_t used;
	size_t end_count;    /* of units that end in the buffer */
	unsigned char buffer[BUFFER_SIZE];
	unsigned char packed[BUFFER_SIZE];
	uint32_t ends[BUFFER_SIZE / LEAST_UNIT + 1];
	char name_text[];
};

enum rtap_status sink_open(struct sink **sink, const char *name, bool compressed, struct rtap_error *error)
{
	struct sink *opened = malloc(sizeof *opened + strlen(name) + 1);

	*sink = NULL;
	if (!opened) {
		rtap_error_set(error, "%s: out of memory", name);
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
		rtap_error_set(error, "%s: cannot be created: %s", opened->name, strerror(errno));
		goto out;
	}
	if (compressed && deflateInit2(&opened->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
				       Z_DEFAULT_STRATEGY) != Z_OK) {
		rtap_error_set(error, "%s: out of memory", opened->name);
		goto out;
	}
	opened->compressed = compressed;
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
	return sink->written + (sink->compressed ? 0 : sink->used);
}

void sink_mark(struct sink *sink)
{
	if (sink->end_count < sizeof sink->ends / sizeof sink->ends[0])
		sink->ends[sink->end_count++] = (uint32_t)sink->used;
}

enum rtap_status sink_hand_over(struct sink *sink, uid_t user, gid_t group, struct rtap_error *error)
{
	struct stat found;

	if (!sink->fd_owned || fstat(sink->fd, &found) || !S_ISREG(found.st_mode) || !fchown(sink->fd, user, group))
		return RTAP_STATUS_OK;
	rtap_error_set(error, "%s: cannot be handed to user %lu: %s", sink->name, (unsigned long)user, strerror(errno));
	return RTAP_STATUS_FAILED;
}

static enum rtap_status fail(struct sink *sink, int reason, struct rtap_error *error)
{
	sink->failure = reason;
	rtap_error_set(error, "%s: cannot be written: %s", sink->name, strerror(reason));
	if (error)
		error->broken_pipe = reason == EPIPE;
	return RTAP_STATUS_FAILED;
}

/* Cuts the file, of which the last write took `taken` bytes of the buffer, behind its last whole unit. */
static void cut_behind_whole(struct sink *sink, size_t taken)
{
	struct stat found;
	uint64_t whole = sink->whole;

	if (sink->compressed || !sink->fd_owned || fstat(sink->fd, &found) || !S_ISREG(found.st_mode))
		return;
	for (size_t i = sink->end_count; i; i--) {
		if (sink->ends[i - 1] <= taken) {
			whole = sink->written - taken + sink->ends[i - 1];
			break;
		}
	}
	/* If it fails, the file ends inside a unit, which readers can live with. */
	if (whole)
		(void)!ftruncate(sink->fd, (off_t)whole);
}

static enum rtap_status write_all(struct sink *sink, const unsigned char *bytes, size_t length, struct rtap_error *error)
{
	const unsigned char *begin = bytes;
	struct pollfd writable = { .fd = sink->fd, .events = POLLOUT };

	while (length) {
		ssize_t written = write(sink->fd, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		/* Standard output may be non-blocking by somebody else's wish. */
		if (written < 0 && errno == EAGAIN && (poll(&writable, 1, -1) >= 0 || errno == EINTR))
			continue;
		if (written < 0) {
			int reason = errno;

			cut_behind_whole(sink, (size_t)(bytes - begin));
			return fail(sink, reason, error);
		}
		sink->written += (uint64_t)written;
		bytes += written;
		length -= (size_t)written;
	}
	return RTAP_STATUS_OK;
}

/* Passes the buffer on; mode: zlib's. */
static enum rtap_status empty_buffer(struct sink *sink, int mode, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	size_t used = sink->used;

	sink->used = 0;
	if (!sink->compressed) {
		status = write_all(sink, sink->buffer, used, error);
		if (sink->end_count)
			sink->whole = sink->written - used + sink->ends[sink->end_count - 1];
		sink->end_count = 0;
		return status;
	}
	sink->end_count = 0;
	sink->zlib.next_in = sink->buffer;
	sink->zlib.avail_in = (uInt)used;
	do {
		sink->zlib.next_out = sink->packed;
		sink->zlib.avail_out = BUFFER_SIZE;
		deflate(&sink->zlib, mode);
		status = write_all(sink, sink->packed, BUFFER_SIZE - sink->zlib.avail_out, error);
	} while (!status && !sink->zlib.avail_out);
	return status;
}

enum rtap_status sink_write(struct sink *sink, const void *bytes, size_t length, struct rtap_error *error)
{
	const unsigned char *from = bytes;

	if (sink->failure)
		return fail(sink, sink->failure, error);
	while (length) {
		/* After a flush the first piece is shorter, so that the next ones are aligned again. */
		size_t room = BUFFER_SIZE - (sink->compressed ? 0 : (size_t)(sink->written % BUFFER_SIZE)) - sink->used;
		size_t count = room < length ? room : length;

		memcpy(sink->buffer + sink->used, from, count);
		sink->used += count;
		from += count;
		length -= count;
		if (count == room) {
			enum rtap_status status = empty_buffer(sink, Z_NO_FLUSH, error);

			if (status)
				return status;
		}
	}
	return RTAP_STATUS_OK;
}

enum rtap_status sink_flush(struct sink *sink, struct rtap_error *error)
{
	return sink->failure ? fail(sink, sink->failure, error) : empty_buffer(sink, Z_SYNC_FLUSH, error);
}

enum rtap_status sink_close(struct sink *sink, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!sink)
		return RTAP_STATUS_OK;
	if (!sink->failure)
		status = empty_buffer(sink, Z_FINISH, error);
	if (sink->compressed)
		deflateEnd(&sink->zlib);
	/* Network file systems tell of a full disk no earlier than here. */
	if (sink->fd_owned && close(sink->fd) && !sink->failure)
		status = fail(sink, errno, error);
	free(sink);
	return status;
}
