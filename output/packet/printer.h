/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing out what formats make.
 */
#ifndef OUTPUT_PACKET_PRINTER_H
#define OUTPUT_PACKET_PRINTER_H

#include "output/packet/format.h"

/* Prepares a printer over an open file descriptor, which stays the caller's. 0 or -ENOMEM. */
int printer_init(struct printer *printer, int fd, bool every_packet) __attribute__((warn_unused_result));

/* Frees the buffer without writing. */
void printer_fini(struct printer *printer);

/* Writes out what is buffered. 0 or -errno. */
int printer_flush(struct printer *printer) __attribute__((warn_unused_result));

/* Appends one packet (or, with a NULL packet, the header). 0 or the -errno of a failed write. */
int printer_packet(struct printer *printer, struct format *format, const struct rtap_packet *packet) __attribute__((warn_unused_result));

/* Appends text. 0 or -errno. */
int printer_text(struct printer *printer, const char *text, size_t length) __attribute__((warn_unused_result));

/*
 * Appends what `write` writes into the line that it is given; if that was cut it is called again with more room.
 * 0 or -errno.
 */
int printer_write(struct printer *printer, void (*write)(const void *what, struct line *line), const void *what)
	__attribute__((warn_unused_result));

#endif
