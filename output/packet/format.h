/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formatting of packets. A format writes one packet at a time to the caller's memory; a printer collects the text and writes it in large
 * blocks.
 */
#ifndef OUTPUT_PACKET_FORMAT_H
#define OUTPUT_PACKET_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"

/* Embedded as the first member of each format's struct. */
struct format {
	/* Appends the packet to the line. If the line was truncated, it is called again with more room: such a call must keep no state. */
	void (*packet)(struct format *format, const struct rtap_packet *packet, struct line *line);
	/* Appends the header before the first packet; may be NULL. */
	void (*header)(struct format *format, struct line *line);
	/* Records that another format of the same kind printed a packet of this time; may be NULL: irrelevant. */
	void (*shown)(struct format *format, int64_t time_ns);
};

/* Buffered output to a file descriptor. */
struct printer {
	int fd;
	bool every_packet; /* flush after each packet */
	char *buffer;
	size_t size, used;
	int error;         /* errno of the first failed write */
	/* Called before each write; nothing is written if it returns -errno. May be NULL. */
	int (*before)(void *owner);
	/* Whether `before` would wait: then up to most_kept bytes are buffered instead. NULL: never. */
	bool (*waits)(void *owner);
	size_t most_kept;   /* limit of buffered bytes while `before` would wait */
	void *owner;
};

#endif
