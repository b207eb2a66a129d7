/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "mpi/sent_frame.h"

bool sent_frame_read(const uint8_t *at, const uint8_t *end, struct sent_frame *sent)
{
	if ((size_t)(end - at) < sizeof *sent)
		return false;
	memcpy(sent, at, sizeof *sent);
	return sent->captured_length <= (size_t)(end - at) - sizeof *sent;
}
