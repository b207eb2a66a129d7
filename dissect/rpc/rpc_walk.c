/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walk over an RPC header. RFC 5531, section 9; credentials: its section 8 and appendix A; RPCSEC_GSS: RFC 2203, section 5.
 * As in rpcrdma.c, one walk collects facts or visits fields.
 */
#include "config.h"

#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_program.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/engine/visit.h"

static const struct rtap_name message_type_names[] = { { CALL, "Call" }, { REPLY, "Reply" }, { 0, NULL } };

static const struct rtap_name reply_names[] = { { MSG_ACCEPTED, "accepted" }, { MSG_DENIED, "denied" }, { 0, NULL } };

const struct rtap_name rpc_accept_names[] = {
	{ SUCCESS, "success" }, { PROG_UNAVAIL, "program unavailable" }, { PROG_MISMATCH, "program version mismatch" },
	{ PROC_UNAVAIL, "procedure unavailable" }, { GARBAGE_ARGS, "garbage arguments" }, { SYSTEM_ERR, "system error" },
	{ 0, NULL },
};

const struct rtap_name rpc_reject_names[] = {
	{ RPC_MISMATCH, "RPC version mismatch" }, { AUTH_ERROR, "authentication error" }, { 0, NULL },
};

static const struct rtap_name auth_stat_names[] = {
	{ 0, "AUTH_OK" }, { 1, "AUTH_BADCRED" }, { 2, "AUTH_REJECTEDCRED" }, { 3, "AUTH_BADVERF" }, { 4, "AUTH_REJECTEDVERF" },
	{ 5, "AUTH_TOOWEAK" }, { 6, "AUTH_INVALIDRESP" }, { 7, "AUTH_FAILED" }, { 8, "AUTH_KERB_GENERIC" },
	{ 9, "AUTH_TIMEEXPIRE" }, { 10, "AUTH_TKT_FILE" }, { 11, "AUTH_DECODE" }, { 12, "AUTH_NET_ADDR" },
	{ 13, "RPCSEC_GSS_CREDPROBLEM" }, { 14, "RPCSEC_GSS_CTXPROBLEM" }, { 0, NULL },
};

static const struct rtap_name flavor_names[] = {
	{ AUTH_NONE, "AUTH_NONE" }, { AUTH_SYS, "AUTH_SYS" }, { AUTH_SHORT, "AUTH_SHORT" }, { AUTH_DH, "AUTH_DH" },
	{ RPCSEC_GSS, "RPCSEC_GSS" }, { AUTH_TLS, "AUTH_TLS" }, { 0, NULL },
};

const struct rtap_name rpc_gss_procedure_names[] = {
	{ GSS_DATA, "RPCSEC_GSS_DATA" }, { GSS_INIT, "RPCSEC_GSS_INIT" }, { GSS_CONTINUE_INIT, "RPCSEC_GSS_CONTINUE_INIT" },
	{ GSS_DESTROY, "RPCSEC_GSS_DESTROY" }, { 0, NULL },
};

static const struct rtap_name gss_service_names[] = {
	{ GSS_NONE, "none" }, { GSS_INTEGRITY, "integrity" }, { GSS_PRIVACY, "privacy" }, { 0, NULL },
};

#define WORD 0, 32
#define ANY 0, 0
#define BIT 0, 1
#define LONG 0, 64

#define ROW_OF(name, label, place, show, flags, names) { name, label, place, show, RTAP_UNPLACED | (flags), names, NULL, NULL }

const struct rtap_field rpc_fields[RPC_ROW_COUNT] = {
	[RPC_ROW_XID] = ROW_OF("rpc.xid", "XID", WORD, RTAP_HEX, RTAP_IGNORED, NULL),
	[RPC_ROW_TYPE] = ROW_OF("rpc.msgtyp", "Message Type", WORD, RTAP_DEC, RTAP_IGNORED, message_type_names),
	[RPC_ROW_VERSION] = ROW_OF("rpc.version", "RPC Version", WORD, RTAP_DEC, RTAP_IGNORED, NULL),
	[RPC_ROW_PROGRAM] = ROW_OF("rpc.program", "Program", WORD, RTAP_DEC, RTAP_IGNORED, rpc_program_names),
	[RPC_ROW_PROGRAM_VERSION] = ROW_OF("rpc.programversion", "Program Version", WORD, RTAP_DEC, RTAP_IGNORED, NULL),
	[RPC_ROW_PROCEDURE] = ROW_OF("rpc.procedure", "Procedure", WORD, RTAP_DEC, RTAP_IGNORED, NULL),
	[RPC_ROW_FLAVOR] = ROW_OF("rpc.auth.flavor", "Flavor", WORD, RTAP_DEC, RTAP_REPEATS, flavor_names),
	[RPC_ROW_AUTH_LENGTH] = ROW_OF("rpc.auth.length", "Length", WORD, RTAP_DEC, RTAP_REPEATS | RTAP_IGNORED, NULL),
	[RPC_ROW_STAMP] = ROW_OF("rpc.auth.stamp", "Stamp", WORD, RTAP_HEX, RTAP_IGNORED, NULL),
	[RPC_ROW_MACHINE] = ROW_OF("rpc.auth.machinename", "Machine Name", ANY, RTAP_TEXT, RTAP_IGNORED, NULL),
	[RPC_ROW_UID] = ROW_OF("rpc.auth.uid", "UID", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GID] = ROW_OF("rpc.auth.gid", "GID", WORD, RTAP_DEC, RTAP_REPEATS, NULL),
	[RPC_ROW_GSS_VERSION] = ROW_OF("rpc.authgss.version", "GSS Version", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_PROCEDURE] = ROW_OF("rpc.authgss.procedure", "GSS Procedure", WORD, RTAP_DEC, 0, rpc_gss_procedure_names),
	[RPC_ROW_GSS_SEQUENCE] = ROW_OF("rpc.authgss.seqnum", "GSS Sequence Number", WORD, RTAP_DEC, RTAP_REPEATS | RTAP_IGNORED, NULL),
	[RPC_ROW_GSS_SERVICE] = ROW_OF("rpc.authgss.service", "GSS Service", WORD, RTAP_DEC, 0, gss_service_names),
	[RPC_ROW_GSS_LENGTH] = ROW_OF("rpc.authgss.context.length", "GSS Context Length", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_CONTEXT] = ROW_OF("rpc.authgss.context", "GSS Context", ANY, RTAP_BYTES, RTAP_IS_CONTEXT, NULL),
	[RPC_ROW_REPLY] = ROW_OF("rpc.replystat", "Reply State", WORD, RTAP_DEC, RTAP_IGNORED, reply_names),
	[RPC_ROW_ACCEPT] = ROW_OF("rpc.state_accept", "Accept State", WORD, RTAP_DEC, RTAP_IGNORED, rpc_accept_names),
	[RPC_ROW_REJECT] = ROW_OF("rpc.state_reject", "Reject State", WORD, RTAP_DEC, 0, rpc_reject_names),
	[RPC_ROW_AUTH_STAT] = ROW_OF("rpc.state_auth", "Authentication State", WORD, RTAP_DEC, 0, auth_stat_names),
	[RPC_ROW_PROGRAM_MIN] = ROW_OF("rpc.programversion.min", "Lowest Program Version", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_PROGRAM_MAX] = ROW_OF("rpc.programversion.max", "Highest Program Version", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_RPC_MIN] = ROW_OF("rpc.version.min", "Lowest RPC Version", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_RPC_MAX] = ROW_OF("rpc.version.max", "Highest RPC Version", WORD, RTAP_DEC, 0, NULL),
	/* such as the "STARTTLS" of RFC 9289, 4.1 */
	[RPC_ROW_AUTH_DATA] = ROW_OF("rpc.auth.data", "Body", ANY, RTAP_TEXT, RTAP_REPEATS | RTAP_IGNORED, NULL),
	[RPC_ROW_GSS_MAJOR] = ROW_OF("rpc.authgss.major", "GSS Major Status", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_MINOR] = ROW_OF("rpc.authgss.minor", "GSS Minor Status", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_WINDOW] = ROW_OF("rpc.authgss.window", "GSS Sequence Window", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_TOKEN_LENGTH] = ROW_OF("rpc.authgss.token_length", "GSS Token Length", WORD, RTAP_DEC, RTAP_REPEATS, NULL),
	[RPC_ROW_GSS_TOKEN] = ROW_OF("rpc.authgss.token", "GSS Token", ANY, RTAP_BYTES, RTAP_REPEATS | RTAP_BULK, NULL),
	[RPC_ROW_GSS_DATA_LENGTH] = ROW_OF("rpc.authgss.data.length", "GSS Data Length", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_GSS_DATA] = ROW_OF("rpc.authgss.data", "GSS Data", ANY, RTAP_BYTES, RTAP_BULK, NULL),
	[RPC_ROW_GSS_CHECKSUM] = ROW_OF("rpc.authgss.checksum", "GSS Checksum", ANY, RTAP_BYTES, RTAP_REPEATS, NULL),
	[RPC_ROW_LAST_FRAGMENT] = ROW_OF("rpc.lastfrag", "Last Fragment", BIT, RTAP_BOOL, RTAP_IGNORED, NULL),
	[RPC_ROW_FRAGMENT_LENGTH] = ROW_OF("rpc.fraglen", "Fragment Length", WORD, RTAP_DEC, RTAP_IGNORED, NULL),
	/* Wireshark calls them so: in a reply the first is the frame of the call, in a call the second that of the reply */
	[RPC_ROW_CALL_FRAME] = ROW_OF("rpc.repframe", "Reply to the Call in Frame", WORD, RTAP_DEC, RTAP_IGNORED, NULL),
	[RPC_ROW_REPLY_FRAME] = ROW_OF("rpc.reqframe", "Answered by the Reply in Frame", WORD, RTAP_DEC, 0, NULL),
	[RPC_ROW_TIME] = ROW_OF("rpc.time", "Time from Request", LONG, RTAP_SECONDS, 0, NULL),
};

static void report(struct rpc_walk *walk, enum rpc_row row, const struct rtap_value *value, uint32_t length)
{
	if (walk->visitor)
		visit_field(walk->visitor, walk->layer, PROTOCOL_RPC, row, value, walk->layer->offset + rpc_walk_position(walk) - length, length);
}

static inline enum result word(struct rpc_walk *walk, enum rpc_row row, uint32_t *value)
{
	enum result result = xdr_u32(walk->xdr, value);

	if (result == OK && walk->visitor)
		report(walk, row, &(struct rtap_value){ .number = *value }, 4);
	return result;
}

/* The bytes of an XDR opaque or string of `length` and its padding. RFC 4506, 4.10. */
static enum result opaque(struct rpc_walk *walk, enum rpc_row row, uint32_t length)
{
	uint8_t copy[MAX_AUTH_LENGTH];
	struct rtap_value value = { .data.length = length };
	enum result result = xdr_take(walk->xdr, length, copy, sizeof copy, &value.data.bytes);

	if (result != OK)
		return result;
	if (value.data.bytes)
		report(walk, row, &value, length);
	return xdr_skip(walk->xdr, -length % 4);
}

static enum result counted_opaque(struct rpc_walk *walk, enum rpc_row length_row, enum rpc_row row)
{
	uint32_t length;
	enum result result = word(walk, length_row, &length);

	return result == OK ? opaque(walk, row, length) : result;
}

static void enter(struct rpc_walk *walk, const char *label)
{
	uint32_t at = rpc_walk_position(walk);

	if (!walk->visitor || !walk->visitor->enter)
		return;
	/* a walk continues after bytes that were not captured */
	if (at > walk->layer->length)
		at = walk->layer->length;
	walk->visitor->enter(walk->visitor, label, &(struct rtap_place){ walk->layer->source, walk->layer->offset + at, 0 });
}

static void leave(struct rpc_walk *walk)
{
	if (walk->visitor && walk->visitor->leave)
		walk->visitor->leave(walk->visitor);
}

static enum result auth_sys(struct rpc_walk *walk)
{
	uint32_t value, length, groups;
	enum result result = word(walk, RPC_ROW_STAMP, &value);

	if (result == OK)
		result = xdr_u32(walk->xdr, &length);
	if (result == OK && length > MAX_MACHINE_NAME)
		result = MALFORMED;
	if (result == OK)
		result = opaque(walk, RPC_ROW_MACHINE, length);
	if (result == OK)
		result = word(walk, RPC_ROW_UID, &value);
	if (result == OK)
		result = word(walk, RPC_ROW_GID, &value);
	if (result == OK)
		result = xdr_u32(walk->xdr, &groups);
	if (result == OK && groups > MAX_GROUPS)
		result = MALFORMED;
	for (; result == OK && groups; groups--)
		result = word(walk, RPC_ROW_GID, &value);
	return result;
}

static enum result auth_gss(struct rpc_walk *walk)
{
	uint32_t value;
	enum result result = word(walk, RPC_ROW_GSS_VERSION, &value);

	if (result == OK)
		result = word(walk, RPC_ROW_GSS_PROCEDURE, &walk->facts.gss_procedure);
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_SEQUENCE, &value);
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_SERVICE, &walk->facts.gss_service);
	return result == OK ? counted_opaque(walk, RPC_ROW_GSS_LENGTH, RPC_ROW_GSS_CONTEXT) : result;
}

static enum result auth_body(struct rpc_walk *walk, uint32_t flavor, uint32_t length, bool is_credential)
{
	if (flavor == AUTH_SYS && is_credential)
		return auth_sys(walk);
	if (flavor == RPCSEC_GSS && is_credential)
		return auth_gss(walk);
	/* a verifier is a checksum, or RFC 9289's "STARTTLS" */
	if (flavor == RPCSEC_GSS)
		return opaque(walk, RPC_ROW_GSS_CHECKSUM, length);
	return flavor == AUTH_NONE && length ? opaque(walk, RPC_ROW_AUTH_DATA, length) : OK;
}

/* A credential or a verifier: flavor and at most 400 bytes of body. RFC 5531, 8.2. */
static enum result opaque_auth(struct rpc_walk *walk, const char *label, bool is_credential)
{
	uint32_t flavor, length;
	uint64_t outer;
	enum result result;

	enter(walk, label);
	result = word(walk, RPC_ROW_FLAVOR, &flavor);
	if (result == OK)
		result = word(walk, RPC_ROW_AUTH_LENGTH, &length);
	if (result == OK && length > MAX_AUTH_LENGTH)
		result = MALFORMED;
	/* the body's own lengths may not lead out of it */
	if (result == OK)
		result = xdr_narrow(walk->xdr, length + -length % 4, &outer);
	if (result == OK) {
		if (is_credential || walk->facts.is_reply)
			walk->facts.flavor = flavor;
		result = auth_body(walk, flavor, length, is_credential);
		if (result == OK)
			xdr_widen(walk->xdr, outer);
	}
	leave(walk);
	return result;
}

static enum result call_body(struct rpc_walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	uint32_t version;
	enum result result = word(walk, RPC_ROW_VERSION, &version);

	if (result == OK && version != RPC_VERSION_2)
		return MALFORMED;
	if (result == OK)
		result = word(walk, RPC_ROW_PROGRAM, &facts->program);
	if (result == OK)
		result = word(walk, RPC_ROW_PROGRAM_VERSION, &facts->version);
	if (result == OK)
		result = word(walk, RPC_ROW_PROCEDURE, &facts->procedure);
	facts->program_known = result == OK;
	if (result == OK)
		result = opaque_auth(walk, "Credentials", true);
	return result == OK ? opaque_auth(walk, "Verifier", false) : result;
}

static enum result range(struct rpc_walk *walk, enum rpc_row low_row, enum rpc_row high_row)
{
	uint32_t low, high;
	enum result result = word(walk, low_row, &low);

	return result == OK ? word(walk, high_row, &high) : result;
}

static enum result reply_body(struct rpc_walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	uint32_t reply, auth;
	enum result result = word(walk, RPC_ROW_REPLY, &reply);

	if (result != OK || reply > MSG_DENIED)
		return result == OK ? MALFORMED : result;
	facts->accepted = reply == MSG_ACCEPTED;
	if (facts->accepted) {
		result = opaque_auth(walk, "Verifier", false);
		if (result == OK)
			result = word(walk, RPC_ROW_ACCEPT, &facts->status);
		if (result == OK && facts->status == PROG_MISMATCH)
			result = range(walk, RPC_ROW_PROGRAM_MIN, RPC_ROW_PROGRAM_MAX);
		return result;
	}
	result = word(walk, RPC_ROW_REJECT, &facts->status);
	if (result != OK)
		return result;
	switch (facts->status) {
	case RPC_MISMATCH:
		return range(walk, RPC_ROW_RPC_MIN, RPC_ROW_RPC_MAX);
	case AUTH_ERROR:
		return word(walk, RPC_ROW_AUTH_STAT, &auth);
	default: /* a union without that arm. RFC 4506, 4.15 */
		return MALFORMED;
	}
}

/* RPCSEC_GSS control messages are in the otherwise empty body of the NULL procedure. RFC 2203, 5.2.2 and 5.2.3. */
static enum result gss_control(struct rpc_walk *walk)
{
	uint32_t value;
	enum result result = OK;

	if (!walk->facts.is_reply)
		return xdr_left(walk->xdr) ? counted_opaque(walk, RPC_ROW_GSS_TOKEN_LENGTH, RPC_ROW_GSS_TOKEN) : OK;
	if (walk->facts.gss_procedure == GSS_DESTROY)
		return OK;
	result = counted_opaque(walk, RPC_ROW_GSS_LENGTH, RPC_ROW_GSS_CONTEXT);
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_MAJOR, &value);
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_MINOR, &value);
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_WINDOW, &value);
	return result == OK ? counted_opaque(walk, RPC_ROW_GSS_TOKEN_LENGTH, RPC_ROW_GSS_TOKEN) : result;
}

/* Wrapping of arguments and results. RFC 2203, 5.3.2 and 5.3.3. */
static enum result gss_body(struct rpc_walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	uint32_t length, sequence;
	enum result result;

	if (facts->gss_procedure != GSS_DATA) {
		facts->has_body = false;
		return gss_control(walk);
	}
	if (facts->gss_service == GSS_PRIVACY) {
		facts->has_body = false;
		facts->is_private = true;
		return counted_opaque(walk, RPC_ROW_GSS_DATA_LENGTH, RPC_ROW_GSS_DATA);
	}
	if (facts->gss_service != GSS_INTEGRITY)
		return OK;
	result = word(walk, RPC_ROW_GSS_DATA_LENGTH, &length);
	if (result == OK && (length < 4 || length > xdr_left(walk->xdr)))
		result = MALFORMED;
	if (result == OK)
		result = word(walk, RPC_ROW_GSS_SEQUENCE, &sequence);
	if (result == OK)
		facts->body_length = length - 4;
	return result;
}

static enum result walk_call(struct rpc_walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	enum result result = call_body(walk);

	if (result != OK)
		return result;
	facts->is_callback = rpc_is_callback(facts->program, walk->context);
	facts->has_body = true;
	return facts->flavor == RPCSEC_GSS ? gss_body(walk) : OK;
}

static enum result walk_reply(struct rpc_walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	const struct rtap_context *context = walk->context;
	enum result result = reply_body(walk);

	if (context->rpc_known)
		rpc_take_call(facts, context);
	if (result != OK || !facts->accepted || facts->status != SUCCESS)
		return result;
	facts->has_body = context->rpc_known;
	return context->rpc_known && context->rpc_flavor == RPCSEC_GSS ? gss_body(walk) : OK;
}

static enum result record_mark(struct rpc_walk *walk)
{
	uint32_t mark;
	enum result result = xdr_u32(walk->xdr, &mark);

	if (result == OK) {
		report(walk, RPC_ROW_LAST_FRAGMENT, &(struct rtap_value){ .number = mark >> 31 }, 4);
		report(walk, RPC_ROW_FRAGMENT_LENGTH, &(struct rtap_value){ .number = mark & ~RPC_LAST_FRAGMENT }, 4);
	}
	return result;
}

enum result rpc_walk_header(struct rpc_walk *walk)
{
	uint32_t type;
	enum result result;

	walk->start = walk->xdr->position;
	walk->facts.body_length = UINT32_MAX;
	result = walk->facts.record_mark ? record_mark(walk) : OK;
	if (result == OK)
		result = word(walk, RPC_ROW_XID, &walk->facts.xid);
	if (result == OK)
		result = word(walk, RPC_ROW_TYPE, &type);
	if (result != OK || type > REPLY)
		return result == OK ? MALFORMED : result;
	walk->facts.is_reply = type == REPLY;
	result = type == CALL ? walk_call(walk) : walk_reply(walk);
	if (result == OK)
		walk->facts.header_length = rpc_walk_position(walk) - (walk->facts.record_mark ? RPC_RECORD_MARK_LENGTH : 0);
	return result;
}

enum result rpc_read_header(struct xdr *xdr, const struct rtap_context *context, struct rtap_rpc_facts *facts)
{
	struct rpc_walk walk = { .xdr = xdr, .context = context };
	enum result result;

	*facts = (struct rtap_rpc_facts){ .present = true };
	if (rpc_plain_header(xdr->next, (uint64_t)(xdr_end(xdr) - xdr->next), context, facts))
		return xdr_skip(xdr, facts->header_length);
	result = rpc_walk_header(&walk);
	*facts = walk.facts;
	facts->present = true;
	return result;
}

/* The facts of a header whose packet has others before it. */
static void read_again(const struct rtap_packet *packet, const struct rtap_layer *header, struct rtap_rpc_facts *facts)
{
	static const struct rtap_context nothing_known;
	struct xdr_extent extents[] = {
		{ XDR_BYTES, layer_bytes(packet, header), 0, header->length }, { XDR_HOLE, NULL, 0, UINT32_MAX },
	};
	struct xdr xdr;
	struct rpc_walk walk = { .xdr = &xdr, .context = &nothing_known };

	walk.facts.record_mark = packet->rpc.record_mark;
	xdr_init(&xdr, extents, 2, 2);
	if (rpc_walk_header(&walk) != OK)
		walk.facts.has_body = false;
	*facts = walk.facts;
}

const struct rtap_rpc_facts *rpc_layer_facts(const struct rtap_packet *packet, const struct rtap_layer *layer,
					     struct rtap_rpc_facts *own)
{
	const struct rtap_layer *header = layer, *first = packet->layers;

	/* with RPC-over-RDMA each Send has one, and only a TCP segment can have several Sends */
	if (packet->rpcrdma.present && packet->fpdus.count <= 1)
		return &packet->rpc;
	while (header > packet->layers && header->protocol != PROTOCOL_RPC)
		header--;
	while (first < header && first->protocol != PROTOCOL_RPC)
		first++;
	if (header == first)
		return &packet->rpc;
	read_again(packet, header, own);
	return own;
}
