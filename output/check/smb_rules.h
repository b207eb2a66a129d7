/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of SMB Direct.
 */
#ifndef OUTPUT_CHECK_SMB_RULES_H
#define OUTPUT_CHECK_SMB_RULES_H

/* X(identifier, id, severity, section, title, what the standard demands) */
#define SMB_RULES(X) \
	X(SMBD_CREDITS, "smbd-credits", ERROR, "[MS-SMBD] 3.1.1.1; 3.1.5.1", "transfer without a credit", \
	  "a transfer is sent only with a credit that the peer granted") \
	X(SMBD_REQUESTED, "smbd-requested", ERROR, "[MS-SMBD] 3.1.5.8", "no credits requested", "CreditsRequested is not 0") \
	X(SMBD_REMAINING, "smbd-remaining", ERROR, "[MS-SMBD] 2.2.3; 3.1.5.1", "remaining length of a fragment", \
	  "each fragment's RemainingDataLength is that of the one before it without its own data") \
	X(SMBD_NEGOTIATION, "smbd-negotiation", ERROR, "[MS-SMBD] 3.1.5.6; 3.1.5.7", "values of the negotiation", \
	  "version 1.0 is among those offered, credits are requested, MaxReceiveSize is at least 128, MaxFragmentedSize at least 131072") \
	X(SMBD_OFFSET, "smbd-offset", ERROR, "[MS-SMBD] 2.2.3", "place of a transfer's data", \
	  "data begins at a multiple of 8 after the header and ends within the SEND; without data DataOffset is 0") \
	X(SMBD_SIZE, "smbd-size", ERROR, "[MS-SMBD] 2.2.1; 2.2.2", "transfer above the receive size", "a transfer has at most the peer's MaxReceiveSize") \
	X(SMBD_FRAGMENTED, "smbd-fragmented", ERROR, "[MS-SMBD] 3.1.5.8", "message above the fragmented size", \
	  "a message of several fragments has at most the peer's MaxFragmentedSize")

struct subject;

/* Checks a packet of SMB Direct. */
void smb_rules_packet(struct subject *subject);

#endif
