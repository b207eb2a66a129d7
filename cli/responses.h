/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What comes back while a capture is replayed on a device that answers (umad:), into a file.
 */
#ifndef CLI_RESPONSES_H
#define CLI_RESPONSES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/privileges.h"

/* How long to wait for the last ones: longer than a device waits before it tells that nobody answered. */
#define RESPONSES_WAIT_MS 1500

struct responses;

/*
 * Captures on the device, whose sender takes frames of this link type, into a new file, which is handed to whom the program
 * becomes. No thread is started before the first write. NULL: an error is printed.
 */
struct responses *responses_open(const char *device, uint32_t link_type, const char *file_name, const struct account *account);

/* Writes what has come, waiting up to `wait_ms` since the last one for more. False: it failed, and an error is printed. */
bool responses_write(struct responses *responses, unsigned wait_ms);

/* Ends the capture. False: the file is not whole, and an error is printed. NULL is OK. */
bool responses_close(struct responses *responses);

#endif
