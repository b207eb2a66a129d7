/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How packets become text. A format writes one packet at a time into memory that it is given; a printer collects that
 * memory and writes it out in large blocks.
 */
#ifndef OUTPUT_PACKET_FORMAT_H
#define OUTPUT_PACKET_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/packet.h>

#include "dissect/engine/line.h"

/* Embedded as the first member of each format's struct. */
struct format {
	/* Appends the packet to the line. If the line was cut, it is called again with more room: keep no state of a cut call. */
	void (*packet)(struct format *format, const struct rtap_packet *packet, struct line *line);
	/* Appends what stands before the first packet; may be NULL. */
	void (*header)(struct format *format, struct line *line);
	/* Takes note that a packet of this time was shown, by another format of the same kind; may be NULL: it does not matter. */
	void (*shown)(struct format *format, int64_t time_ns);
};

/* Output file being written. */
struct printer {
	int fd;
	bool every_packet; /* flush after each packet */
	char *buffer;
	size_t size, used;
	int error;         /* errno of the first failed write */
	/* Called before anything is written out, which is not if it gives a -errno; may be NULL. */
	int (*before)(void *owner);
	/* Whether `before` would have to wait: then rather some megabytes are kept. NULL: never. */
	bool (*waits)(void *owner);
	size_t most_kept;   /* bytes, of what is kept while it waits */
	void *owner;
};

#endif
