/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text keys of a connection's iSCSI login, which can take several PDUs: the names of both ends. RFC 7143, 6.1 and 11.12.
 */
#ifndef REASSEMBLY_UPPER_SCSI_LOGIN_H
#define REASSEMBLY_UPPER_SCSI_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#define SCSI_NAME_LENGTH 223  /* bytes: RFC 7143, 4.2.7.1 */
#define SCSI_LOGIN_TAIL (sizeof "InitiatorName=" - 1 + SCSI_NAME_LENGTH)

/* All zero: nothing was seen. */
struct scsi_login {
	uint8_t initiator[SCSI_NAME_LENGTH], target[SCSI_NAME_LENGTH]; /* as on the wire */
	uint8_t initiator_length, target_length; /* 0: unknown */
	char solicited_only;       /* first character of the value of TaggedBufferForSolicitedDataOnly, Y or N: RFC 7145, 6.9; 0: not declared */
	bool is_cut;               /* the key that continues in the next PDU is longer than `tail` */
	uint16_t tail_length;
	uint8_t tail[SCSI_LOGIN_TAIL]; /* the first part of a key that continues in the next PDU */
};

/*
 * Takes the text of a login request, `length` bytes. `is_whole`: all of it was captured. `continues`: its C bit, the text continues in the next
 * request.
 */
void scsi_login_text(struct scsi_login *login, const uint8_t *text, uint32_t length, bool is_whole, bool continues);

/* CRC-32 of both names and the initiator's part of the session's identifier. `isid`: 6 bytes. */
uint32_t scsi_login_nexus(const struct scsi_login *login, const uint8_t *isid);

#endif
