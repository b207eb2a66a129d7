/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMB Direct: recognition and headers of a SEND.
 */
#ifndef DISSECT_SMB_SMB_DIRECT_H
#define DISSECT_SMB_SMB_DIRECT_H

#include "dissect/engine/protocol.h"

/* Whether the bytes at the cursor are a negotiation, or a transfer with the start of an SMB message. */
bool smb_direct_recognise(const struct cursor *payload);

/* Whether the data of a transfer begins where data may, and ends within its `wire` bytes: [MS-SMBD] 2.2.3. `header`: 20 bytes. */
bool smb_direct_is_placed(const uint8_t *header, uint32_t wire);

#endif
