/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "output/packet/format.h"
#include "output/packet/printer.h"

#define FIRST_SIZE (256u << 10)
#define LOW_ROOM (4u << 10)   /* with less than this left, flush first: most packets fit then */
#define MAX_SIZE (1024u << 20)

int printer_init(struct printer *printer, int fd, bool every_packet)
{
	*printer = (struct printer){ .fd = fd, .every_packet = every_packet, .buffer = malloc(FIRST_SIZE), .size = FIRST_SIZE };
	return printer->buffer ? 0 : -ENOMEM;
}

void printer_fini(struct printer *printer)
{
	free(printer->buffer);
	printer->buffer = NULL;
}

/* Like write(2), but waits even if the file is non-blocking. */
static ssize_t write_waiting(int fd, const char *from, size_t length)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };
	ssize_t count;

	while ((count = write(fd, from, length)) < 0 && errno == EAGAIN)
		if (poll(&writable, 1, -1) < 0)
			return -1;
	return count;
}

int printer_flush(struct printer *printer)
{
	size_t written = 0;

	if (printer->used && printer->before && !printer->error)
		printer->error = -printer->before(printer->owner);
	while (!printer->error && written < printer->used) {
		ssize_t n = write_waiting(printer->fd, printer->buffer + written, printer->used - written);

		if (n >= 0)
			written += (size_t)n;
		else if (errno != EINTR)
			printer->error = errno;
	}
	printer->used = 0;
	return -printer->error;
}

static int grow(struct printer *printer)
{
	char *larger;

	if (printer->size >= MAX_SIZE)
		return -EFBIG;
	larger = array_grow(printer->buffer, &printer->size, printer->size + 1, 1);
	if (!larger)
		return -ENOMEM;
	printer->buffer = larger;
	return 0;
}

static int make_room(struct printer *printer)
{
	if (printer->waits && printer->size < printer->most_kept && printer->waits(printer->owner) && !grow(printer))
		return 0;
	return printer->used ? printer_flush(printer) : grow(printer);
}

int printer_write(struct printer *printer, void (*write)(const void *what, struct line *line), const void *what)
{
	int result = 0;

	if (printer->size - printer->used < LOW_ROOM)
		result = make_room(printer);
	while (!result) {
		struct line line;

		line_init(&line, printer->buffer + printer->used, printer->size - printer->used);
		write(what, &line);
		if (!line.cut) {
			printer->used = (size_t)(line.next - printer->buffer);
			break;
		}
		result = make_room(printer);
	}
	if (!result && printer->every_packet)
		result = printer_flush(printer);
	return result;
}

/* A packet and its format. */
struct shown {
	struct format *format;
	const struct rtap_packet *packet;
};

static void write_shown(const void *what, struct line *line)
{
	const struct shown *shown = what;

	if (shown->packet)
		shown->format->packet(shown->format, shown->packet, line);
	else if (shown->format->header)
		shown->format->header(shown->format, line);
}

int printer_packet(struct printer *printer, struct format *format, const struct rtap_packet *packet)
{
	return printer_write(printer, write_shown, &(struct shown){ format, packet });
}

int printer_text(struct printer *printer, const char *text, size_t length)
{
	int result = 0;

	while (!result && printer->size - printer->used < length)
		result = make_room(printer);
	if (result)
		return result;
	memcpy(printer->buffer + printer->used, text, length);
	printer->used += length;
	return 0;
}
