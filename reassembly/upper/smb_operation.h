/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of SMB, one for each command, and their effects on files.
 */
#ifndef REASSEMBLY_UPPER_SMB_OPERATION_H
#define REASSEMBLY_UPPER_SMB_OPERATION_H

#include "reassembly/upper/smb_fragments.h"
#include "reassembly/upper/smb_part.h"

/* Operations for the commands of a request, on the SEND that completed it. */
void smb_operation_begin(struct upper_work *work, struct smb_request *request);

/* Callbacks of struct command_layer. */
void smb_operation_conclude(struct rtap_tracker *tracker, struct command *command, const struct message *response);
void smb_operation_ended(struct rtap_tracker *tracker, struct command *command, const struct message *response);

/* Responses without a request: operations on their own SEND. */
void smb_operation_alone(struct upper_work *work, const struct smb_whole *whole, const struct smb_request *request);

/* A message that neither has a response nor is one: CANCEL, or a break notification of the server. */
void smb_operation_notice(struct upper_work *work, const struct smb_whole *whole);

/* An encrypted or compressed message: its size. */
void smb_operation_opaque(struct upper_work *work, const struct smb_whole *whole);

#endif
