/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values in ONC RPC headers (RFC 5531, sections 8 and 9; RPCSEC_GSS: RFC 2203, section 5), and a fast path for common headers. rpc.c
 * handles all headers.
 */
#ifndef DISSECT_RPC_RPC_HEADER_H
#define DISSECT_RPC_RPC_HEADER_H

#include "dissect/engine/protocol.h"

#define RPC_VERSION_2 2
#define MIN_CALL_LENGTH 40     /* with an empty credential and verifier */
#define MIN_REPLY_LENGTH 20    /* denied, with the reason */
#define MIN_ACCEPTED_LENGTH 24 /* with an empty verifier */
#define MAX_AUTH_LENGTH 400    /* RFC 5531, 8.2 */
#define MAX_GROUPS 16          /* RFC 5531, appendix A */
#define MAX_MACHINE_NAME 255

enum message_type { CALL, REPLY };
enum reply_stat { MSG_ACCEPTED, MSG_DENIED };
enum accept_stat { SUCCESS, PROG_UNAVAIL, PROG_MISMATCH, PROC_UNAVAIL, GARBAGE_ARGS, SYSTEM_ERR };
enum reject_stat { RPC_MISMATCH, AUTH_ERROR };
enum auth_flavor { AUTH_NONE, AUTH_SYS, AUTH_SHORT, AUTH_DH, RPCSEC_GSS = 6, AUTH_TLS = 7 };
enum gss_procedure { GSS_DATA, GSS_INIT, GSS_CONTINUE_INIT, GSS_DESTROY };
enum gss_service { GSS_NONE = 1, GSS_INTEGRITY, GSS_PRIVACY };

/*
 * Reads a common header at `header`, of which `length` bytes are present, into the facts, which must be empty. Returns the header's
 * length; 0: not a common header, it has to be walked.
 */
uint32_t rpc_plain_header(const uint8_t *header, uint64_t length, const struct rtap_context *context, struct rtap_rpc_facts *facts);

/* Returns whether a program is treated as the NFSv4 callback program. */
bool rpc_is_callback(uint32_t program, const struct rtap_context *context);

/* Copies the facts of a reply's call from the context to the reply's facts. */
void rpc_take_call(struct rtap_rpc_facts *facts, const struct rtap_context *context);

/* The other way round: sets what the facts of a call have for the reading of its reply, without the frame of the call. */
void rpc_set_call(struct rtap_context *context, const struct rtap_rpc_facts *call);

/*
 * Updates the facts of a reply's header that was read without knowledge of its call. False, with nothing changed: it has to be read
 * again, because its content depends on the call, or because it was incomplete.
 */
bool rpc_learn_call(struct rtap_rpc_facts *facts, const struct rtap_context *context);

#endif
