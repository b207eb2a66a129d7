/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffered output to a file by name.
 */
#ifndef OUTPUT_PACKET_PRINTER_FILE_H
#define OUTPUT_PACKET_PRINTER_FILE_H

#include <rdmatap/error.h>

#include "output/packet/printer.h"

struct printer_file {
	struct printer printer;
	char *name;        /* NULL: nothing is open */
	int fd;
};

/* Creates or truncates the file; "-" is the standard output. If it fails, nothing is left to close. */
enum rtap_status printer_file_open(struct printer_file *file, const char *name, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Writes what is buffered and closes the file; the standard output remains open. result: 0, or the -errno that an earlier write returned,
 * which is reported then. Nothing happens if no file is open.
 */
enum rtap_status printer_file_close(struct printer_file *file, int result, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
