/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures, into a file, the responses of a device that answers (umad:) while a capture is replayed on it.
 */
#ifndef CLI_RESPONSES_H
#define CLI_RESPONSES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/privileges.h"

/* How long to wait for the last responses: longer than a device waits before it reports a timeout. */
#define RESPONSES_WAIT_MS 1500

struct responses;

/*
 * Starts a capture on the device, whose sender accepts frames of `link_type`, into a new file owned by `account`. No thread is started
 * before the first write. NULL: failed; an error was printed.
 */
struct responses *responses_open(const char *device, uint32_t link_type, const char *file_name, const struct account *account);

/* Writes received frames until none has arrived for `wait_ms`. False: failed; an error was printed. */
bool responses_write(struct responses *responses, unsigned wait_ms);

/* Ends the capture. False: the file is incomplete; an error was printed. NULL is ignored. */
bool responses_close(struct responses *responses);

#endif
