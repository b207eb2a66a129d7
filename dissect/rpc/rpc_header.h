/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What stands in an ONC RPC header (RFC 5531, sections 8 and 9; RPCSEC_GSS: RFC 2203, section 5), and the usual ones read in one step. For
 * rpc.c, which knows all of them.
 */
#ifndef DISSECT_RPC_RPC_HEADER_H
#define DISSECT_RPC_RPC_HEADER_H

#include "dissect/engine/protocol.h"

#define RPC_VERSION_2 2
#define MIN_CALL_LENGTH 40     /* with empty credentials and verifier */
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
 * The header at `header`, of which `length` bytes are there, if it has nothing unusual in it: its length, and what it says goes into the
 * facts, which are none so far. 0: it has to be walked.
 */
uint32_t rpc_plain_header(const uint8_t *header, uint64_t length, const struct rtap_context *context, struct rtap_rpc_facts *facts);

/* Whether a program is taken for NFSv4's callback. */
bool rpc_is_callback(uint32_t program, const struct rtap_context *context);

/* What the context knows of the call that a reply answers goes into the reply's facts. */
void rpc_take_call(struct rtap_rpc_facts *facts, const struct rtap_context *context);

/*
 * The facts of a reply's header that was read without its call become what they are with what the context knows of that. False, and
 * nothing changed: it has to be read again, because the call tells what stands in it, or not all of it was there.
 */
bool rpc_learn_call(struct rtap_rpc_facts *facts, const struct rtap_context *context);

#endif
