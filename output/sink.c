/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/format.h"

#define FIRST_SIZE (256u << 10)
#define LOW_ROOM (4u << 10)   /* with less than this left, flush first: most packets fit then */
#define MAX_SIZE (1024u << 20)

int sink_init(struct sink *sink, int fd, bool every_packet)
{
	*sink = (struct sink){ .fd = fd, .every_packet = every_packet, .buffer = malloc(FIRST_SIZE), .size = FIRST_SIZE };
	return sink->buffer ? 0 : -ENOMEM;
}

void sink_fini(struct sink *sink)
{
	free(sink->buffer);
	sink->buffer = NULL;
}

int sink_flush(struct sink *sink)
{
	size_t written = 0;

	while (!sink->error && written < sink->used) {
		ssize_t n = write(sink->fd, sink->buffer + written, sink->used - written);

		if (n >= 0)
			written += (size_t)n;
		else if (errno != EINTR)
			sink->error = errno;
	}
	sink->used = 0;
	return -sink->error;
}

static int grow(struct sink *sink)
{
	char *larger;

	if (sink->size >= MAX_SIZE)
		return -EFBIG;
	larger = realloc(sink->buffer, sink->size * 2);
	if (!larger)
		return -ENOMEM;
	sink->buffer = larger;
	sink->size *= 2;
	return 0;
}

int sink_packet(struct sink *sink, struct format *format, const struct rtap_packet *packet)
{
	int result = 0;

	if (sink->size - sink->used < LOW_ROOM)
		result = sink_flush(sink);
	while (!result) {
		struct line line;

		line_init(&line, sink->buffer + sink->used, sink->size - sink->used);
		if (packet)
			format->packet(format, packet, &line);
		else if (format->header)
			format->header(format, &line);
		if (!line.cut) {
			sink->used = (size_t)(line.next - sink->buffer);
			break;
		}
		result = sink->used ? sink_flush(sink) : grow(sink);
	}
	if (!result && sink->every_packet)
		result = sink_flush(sink);
	return result;
}

int sink_text(struct sink *sink, const char *text, size_t length)
{
	int result = 0;

	while (!result && sink->size - sink->used < length)
		result = sink->used ? sink_flush(sink) : grow(sink);
	if (result)
		return result;
	memcpy(sink->buffer + sink->used, text, length);
	sink->used += length;
	return 0;
}
