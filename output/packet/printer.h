/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffered output of formatted packets.
 */
#ifndef OUTPUT_PACKET_PRINTER_H
#define OUTPUT_PACKET_PRINTER_H

#include "output/packet/format.h"

/* Initialises a printer for an open file descriptor, which remains owned by the caller. Returns 0 or -ENOMEM. */
int printer_init(struct printer *printer, int fd, bool every_packet) __attribute__((warn_unused_result));

/* Frees the buffer without writing it. */
void printer_fini(struct printer *printer);

/* Writes the buffer. Returns 0 or -errno. */
int printer_flush(struct printer *printer) __attribute__((warn_unused_result));

/* Appends one packet, or the header if `packet` is NULL. Returns 0 or the -errno of a failed write. */
int printer_packet(struct printer *printer, struct format *format, const struct rtap_packet *packet) __attribute__((warn_unused_result));

/* Appends text. Returns 0 or -errno. */
int printer_text(struct printer *printer, const char *text, size_t length) __attribute__((warn_unused_result));

/*
 * Appends the output of `write`, which is called again with more room if its line was truncated. Returns 0 or -errno.
 */
int printer_write(struct printer *printer, void (*write)(const void *what, struct line *line), const void *what)
	__attribute__((warn_unused_result));

#endif
