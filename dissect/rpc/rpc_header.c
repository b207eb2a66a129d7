/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_header.h"

/* Program numbers that anybody may use for a while, as NFSv4 clients do for callbacks. RFC 5531, 8.4. */
#define FIRST_TRANSIENT 0x40000000
#define LAST_TRANSIENT 0x5fffffff

bool rpc_is_callback(uint32_t program, const struct rtap_context *context)
{
	return (program && program == context->rpc_callback_program) || (program >= FIRST_TRANSIENT && program <= LAST_TRANSIENT);
}

void rpc_take_call(struct rtap_rpc_facts *facts, const struct rtap_context *context)
{
	facts->program = context->rpc_program;
	facts->version = context->rpc_version;
	facts->procedure = context->rpc_procedure;
	facts->program_known = true;
	facts->is_callback = rpc_is_callback(facts->program, context);
	facts->flavor = context->rpc_flavor;
	facts->gss_procedure = context->rpc_gss_procedure;
	facts->gss_service = context->rpc_gss_service;
	facts->call_frame = context->rpc_call_frame;
	facts->call_time_ns = context->rpc_call_time_ns;
}

void rpc_set_call(struct rtap_context *context, const struct rtap_rpc_facts *call)
{
	context->rpc_known = call->program_known;
	context->rpc_program = call->program;
	context->rpc_version = call->version;
	context->rpc_procedure = call->procedure;
	context->rpc_flavor = call->flavor;
	context->rpc_gss_procedure = call->gss_procedure;
	context->rpc_gss_service = call->gss_service;
}

bool rpc_learn_call(struct rtap_rpc_facts *facts, const struct rtap_context *context)
{
	if (!facts->present || !facts->is_reply || !facts->header_length || !context->rpc_known || context->rpc_flavor == RPCSEC_GSS)
		return false;
	rpc_take_call(facts, context);
	facts->has_body = facts->accepted && facts->status == SUCCESS;
	return true;
}

/* Whether the lengths in the body of AUTH_SYS, of `length` bytes with the padding, are those that auth_sys() accepts. */
static bool is_good_auth_sys(const uint8_t *body, uint32_t length)
{
	uint32_t machine, groups, fixed = 20; /* stamp, length of the name, uid, gid, number of groups */

	if (length < fixed)
		return false;
	machine = load32(body + 4);
	if (machine > MAX_MACHINE_NAME || length - fixed < machine + -machine % 4)
		return false;
	fixed += machine + -machine % 4;
	groups = load32(body + fixed - 4);
	return groups <= MAX_GROUPS && length - fixed >= 4 * groups;
}

/* A credential or verifier at `at`: where it ends. */
static inline uint32_t plain_auth(const uint8_t *header, uint32_t at, uint64_t length, bool is_credential)
{
	uint32_t flavor = load32(header + at), body = load32(header + at + 4), padded = body + -body % 4;

	if (flavor == RPCSEC_GSS || body > MAX_AUTH_LENGTH || length - at - 8 < padded ||
	    (flavor == AUTH_SYS && is_credential && !is_good_auth_sys(header + at + 8, padded)))
		return 0;
	return at + 8 + padded;
}

static uint32_t plain_call(const uint8_t *header, uint64_t length, const struct rtap_context *context, struct rtap_rpc_facts *facts)
{
	uint32_t credential = 24, verifier, end;

	if (length < MIN_CALL_LENGTH || load32(header + 8) != RPC_VERSION_2)
		return 0;
	verifier = plain_auth(header, credential, length - 8, true);
	end = verifier ? plain_auth(header, verifier, length, false) : 0;
	if (!end)
		return 0;
	facts->xid = load32(header);
	facts->program = load32(header + 12);
	facts->version = load32(header + 16);
	facts->procedure = load32(header + 20);
	facts->flavor = load32(header + credential);
	facts->program_known = facts->has_body = true;
	facts->is_callback = rpc_is_callback(facts->program, context);
	return end;
}

static uint32_t plain_reply(const uint8_t *header, uint64_t length, const struct rtap_context *context, struct rtap_rpc_facts *facts)
{
	uint32_t verifier = 12, end;

	if (length < MIN_ACCEPTED_LENGTH || load32(header + 8) != MSG_ACCEPTED || (context->rpc_known && context->rpc_flavor == RPCSEC_GSS))
		return 0;
	end = plain_auth(header, verifier, length - 4, false);
	if (!end || load32(header + end) == PROG_MISMATCH)
		return 0;
	facts->xid = load32(header);
	facts->status = load32(header + end);
	facts->flavor = load32(header + verifier);
	facts->is_reply = facts->accepted = true;
	if (context->rpc_known)
		rpc_take_call(facts, context);
	facts->has_body = context->rpc_known && facts->status == SUCCESS;
	return end + 4;
}

uint32_t rpc_plain_header(const uint8_t *header, uint64_t length, const struct rtap_context *context, struct rtap_rpc_facts *facts)
{
	uint32_t type = length < 8 ? UINT32_MAX : load32(header + 4), end = 0;

	if (type == CALL)
		end = plain_call(header, length, context, facts);
	else if (type == REPLY)
		end = plain_reply(header, length, context, facts);
	facts->header_length = end;
	facts->body_length = UINT32_MAX;
	return end;
}
