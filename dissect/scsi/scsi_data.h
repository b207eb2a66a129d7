/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of SCSI commands: parameter lists and parameter data. The packet that completes it shows it, or the one that carries the command.
 */
#ifndef DISSECT_SCSI_SCSI_DATA_H
#define DISSECT_SCSI_SCSI_DATA_H

#include "dissect/engine/protocol.h"

/* Most bytes of a command's data that are kept to be dissected. */
#define SCSI_MOST_STRUCTURED 0x10000

/*
 * The protocol of the data of a command, of whose CDB `length` bytes are there, 1 or more: data out, else data in. PROTOCOL_PAYLOAD: bytes without a
 * structure, or one that is not dissected.
 */
uint16_t scsi_data_protocol(const uint8_t *cdb, uint32_t length, bool is_out);

#endif
