/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC version 2: the header of a call or reply. RFC 5531, section 9; credentials: its section 8 and appendix A;
 * RPCSEC_GSS: RFC 2203, section 5. As in rpcrdma.c one walk gathers facts or tells fields.
 */
#include "config.h"

#include "dissect/protocol.h"
#include "dissect/rpc_programs.h"

#define RPC_VERSION_2 2
#define MAX_AUTH_LENGTH 400 /* RFC 5531, 8.2 */
#define MAX_GROUPS 16       /* RFC 5531, appendix A */
#define MAX_MACHINE_NAME 255

enum message_type { CALL, REPLY };
enum reply_stat { MSG_ACCEPTED, MSG_DENIED };
enum accept_stat { SUCCESS, PROG_UNAVAIL, PROG_MISMATCH, PROC_UNAVAIL, GARBAGE_ARGS, SYSTEM_ERR };
enum reject_stat { RPC_MISMATCH, AUTH_ERROR };
enum auth_flavor { AUTH_NONE, AUTH_SYS, AUTH_SHORT, AUTH_DH, RPCSEC_GSS = 6, AUTH_TLS = 7 };
enum gss_procedure { GSS_DATA, GSS_INIT, GSS_CONTINUE_INIT, GSS_DESTROY };

static const struct rtap_name message_type_names[] = { { CALL, "Call" }, { REPLY, "Reply" }, { 0, NULL } };

static const struct rtap_name reply_names[] = { { MSG_ACCEPTED, "accepted" }, { MSG_DENIED, "denied" }, { 0, NULL } };

static const struct rtap_name accept_names[] = {
	{ SUCCESS, "success" }, { PROG_UNAVAIL, "program unavailable" }, { PROG_MISMATCH, "program version mismatch" },
	{ PROC_UNAVAIL, "procedure unavailable" }, { GARBAGE_ARGS, "garbage arguments" }, { SYSTEM_ERR, "system error" },
	{ 0, NULL },
};

static const struct rtap_name reject_names[] = {
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

static const struct rtap_name gss_procedure_names[] = {
	{ GSS_DATA, "RPCSEC_GSS_DATA" }, { GSS_INIT, "RPCSEC_GSS_INIT" }, { GSS_CONTINUE_INIT, "RPCSEC_GSS_CONTINUE_INIT" },
	{ GSS_DESTROY, "RPCSEC_GSS_DESTROY" }, { 0, NULL },
};

static const struct rtap_name gss_service_names[] = {
	{ 1, "none" }, { 2, "integrity" }, { 3, "privacy" }, { 0, NULL },
};

enum row {
	ROW_XID, ROW_TYPE, ROW_VERSION, ROW_PROGRAM, ROW_PROGRAM_VERSION, ROW_PROCEDURE, ROW_FLAVOR, ROW_AUTH_LENGTH,
	ROW_STAMP, ROW_MACHINE, ROW_UID, ROW_GID, ROW_GSS_VERSION, ROW_GSS_PROCEDURE, ROW_GSS_SEQUENCE, ROW_GSS_SERVICE,
	ROW_GSS_LENGTH, ROW_GSS_CONTEXT, ROW_REPLY, ROW_ACCEPT, ROW_REJECT, ROW_AUTH_STAT, ROW_PROGRAM_MIN, ROW_PROGRAM_MAX,
	ROW_RPC_MIN, ROW_RPC_MAX,
};

#define WORD 0, 32
#define ANY 0, 0

#define ROW_OF(name, label, place, show, flags, names) { name, label, place, show, RTAP_UNPLACED | (flags), names, NULL, NULL }

static const struct rtap_field rpc_fields[] = {
	[ROW_XID] = ROW_OF("rpc.xid", "XID", WORD, RTAP_HEX, 0, NULL),
	[ROW_TYPE] = ROW_OF("rpc.msgtyp", "Message Type", WORD, RTAP_DEC, 0, message_type_names),
	[ROW_VERSION] = ROW_OF("rpc.version", "RPC Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_PROGRAM] = ROW_OF("rpc.program", "Program", WORD, RTAP_DEC, 0, rpc_program_names),
	[ROW_PROGRAM_VERSION] = ROW_OF("rpc.programversion", "Program Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_PROCEDURE] = ROW_OF("rpc.procedure", "Procedure", WORD, RTAP_DEC, 0, NULL),
	[ROW_FLAVOR] = ROW_OF("rpc.auth.flavor", "Flavor", WORD, RTAP_DEC, RTAP_REPEATS, flavor_names),
	[ROW_AUTH_LENGTH] = ROW_OF("rpc.auth.length", "Length", WORD, RTAP_DEC, RTAP_REPEATS, NULL),
	[ROW_STAMP] = ROW_OF("rpc.auth.stamp", "Stamp", WORD, RTAP_HEX, 0, NULL),
	[ROW_MACHINE] = ROW_OF("rpc.auth.machinename", "Machine Name", ANY, RTAP_TEXT, 0, NULL),
	[ROW_UID] = ROW_OF("rpc.auth.uid", "UID", WORD, RTAP_DEC, 0, NULL),
	[ROW_GID] = ROW_OF("rpc.auth.gid", "GID", WORD, RTAP_DEC, RTAP_REPEATS, NULL),
	[ROW_GSS_VERSION] = ROW_OF("rpc.authgss.version", "GSS Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_GSS_PROCEDURE] = ROW_OF("rpc.authgss.procedure", "GSS Procedure", WORD, RTAP_DEC, 0, gss_procedure_names),
	[ROW_GSS_SEQUENCE] = ROW_OF("rpc.authgss.seqnum", "GSS Sequence Number", WORD, RTAP_DEC, 0, NULL),
	[ROW_GSS_SERVICE] = ROW_OF("rpc.authgss.service", "GSS Service", WORD, RTAP_DEC, 0, gss_service_names),
	[ROW_GSS_LENGTH] = ROW_OF("rpc.authgss.context.length", "GSS Context Length", WORD, RTAP_DEC, 0, NULL),
	[ROW_GSS_CONTEXT] = ROW_OF("rpc.authgss.context", "GSS Context", ANY, RTAP_BYTES, 0, NULL),
	[ROW_REPLY] = ROW_OF("rpc.replystat", "Reply State", WORD, RTAP_DEC, 0, reply_names),
	[ROW_ACCEPT] = ROW_OF("rpc.state_accept", "Accept State", WORD, RTAP_DEC, 0, accept_names),
	[ROW_REJECT] = ROW_OF("rpc.state_reject", "Reject State", WORD, RTAP_DEC, 0, reject_names),
	[ROW_AUTH_STAT] = ROW_OF("rpc.state_auth", "Authentication State", WORD, RTAP_DEC, 0, auth_stat_names),
	[ROW_PROGRAM_MIN] = ROW_OF("rpc.programversion.min", "Lowest Program Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_PROGRAM_MAX] = ROW_OF("rpc.programversion.max", "Highest Program Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_RPC_MIN] = ROW_OF("rpc.version.min", "Lowest RPC Version", WORD, RTAP_DEC, 0, NULL),
	[ROW_RPC_MAX] = ROW_OF("rpc.version.max", "Highest RPC Version", WORD, RTAP_DEC, 0, NULL),
};

struct walk {
	struct cursor cursor;
	const uint8_t *start;
	const struct rtap_layer *layer;
	struct rtap_visitor *visitor; /* or NULL */
	struct rtap_rpc_facts facts;
};

static uint32_t position(const struct walk *walk)
{
	return (uint32_t)(walk->cursor.next - walk->start);
}

static void tell(struct walk *walk, enum row row, const struct rtap_value *value, uint32_t length)
{
	if (walk->visitor)
		visit_field(walk->visitor, walk->layer, PROTOCOL_RPC, row, value, walk->layer->offset + position(walk) - length, length);
}

static enum result word(struct walk *walk, enum row row, uint32_t *value)
{
	enum result result = cursor_u32(&walk->cursor, value);

	if (result == OK)
		tell(walk, row, &(struct rtap_value){ .number = *value }, 4);
	return result;
}

/* The bytes of an XDR opaque or string of `length` and its padding. RFC 4506, 4.10. */
static enum result opaque(struct walk *walk, enum row row, uint32_t length)
{
	struct rtap_value value = { .data.length = length };
	const uint8_t *padding;
	enum result result = cursor_take(&walk->cursor, length, &value.data.bytes);

	if (result == OK)
		tell(walk, row, &value, length);
	return result == OK ? cursor_take(&walk->cursor, -length % 4, &padding) : result;
}

static void enter(struct walk *walk, const char *label)
{
	if (walk->visitor && walk->visitor->enter)
		walk->visitor->enter(walk->visitor, label,
				     &(struct rtap_place){ walk->layer->source, walk->layer->offset + position(walk), 0 });
}

static void leave(struct walk *walk)
{
	if (walk->visitor && walk->visitor->leave)
		walk->visitor->leave(walk->visitor);
}

static enum result auth_sys(struct walk *walk)
{
	uint32_t value, length, groups;
	enum result result = word(walk, ROW_STAMP, &value);

	if (result == OK)
		result = cursor_u32(&walk->cursor, &length);
	if (result == OK && length > MAX_MACHINE_NAME)
		result = MALFORMED;
	if (result == OK)
		result = opaque(walk, ROW_MACHINE, length);
	if (result == OK)
		result = word(walk, ROW_UID, &value);
	if (result == OK)
		result = word(walk, ROW_GID, &value);
	if (result == OK)
		result = cursor_u32(&walk->cursor, &groups);
	if (result == OK && groups > MAX_GROUPS)
		result = MALFORMED;
	for (; result == OK && groups; groups--)
		result = word(walk, ROW_GID, &value);
	return result;
}

static enum result auth_gss(struct walk *walk)
{
	uint32_t value, length;
	enum result result = word(walk, ROW_GSS_VERSION, &value);

	if (result == OK)
		result = word(walk, ROW_GSS_PROCEDURE, &value);
	if (result == OK)
		result = word(walk, ROW_GSS_SEQUENCE, &value);
	if (result == OK)
		result = word(walk, ROW_GSS_SERVICE, &value);
	if (result == OK)
		result = word(walk, ROW_GSS_LENGTH, &length);
	return result == OK ? opaque(walk, ROW_GSS_CONTEXT, length) : result;
}

/* A credential or a verifier: flavor and at most 400 bytes of body. RFC 5531, 8.2. */
static enum result opaque_auth(struct walk *walk, const char *label, bool is_credential)
{
	uint32_t flavor, length;
	const uint8_t *body;
	struct cursor inner;
	enum result result;

	enter(walk, label);
	result = word(walk, ROW_FLAVOR, &flavor);
	if (result == OK)
		result = word(walk, ROW_AUTH_LENGTH, &length);
	if (result == OK && length > MAX_AUTH_LENGTH)
		result = MALFORMED;
	inner = walk->cursor;
	/* the body's own lengths may not lead out of it */
	if (result == OK && is_credential && cursor_narrow(&inner, length)) {
		struct cursor outer = walk->cursor;

		walk->cursor = inner;
		if (flavor == AUTH_SYS)
			result = auth_sys(walk);
		else if (flavor == RPCSEC_GSS)
			result = auth_gss(walk);
		walk->cursor = outer;
	}
	if (result == OK)
		result = cursor_take(&walk->cursor, length + -length % 4, &body);
	leave(walk);
	return result;
}

static enum result call_body(struct walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	uint32_t version;
	enum result result = word(walk, ROW_VERSION, &version);

	if (result == OK && version != RPC_VERSION_2)
		return MALFORMED;
	if (result == OK)
		result = word(walk, ROW_PROGRAM, &facts->program);
	if (result == OK)
		result = word(walk, ROW_PROGRAM_VERSION, &facts->version);
	if (result == OK)
		result = word(walk, ROW_PROCEDURE, &facts->procedure);
	facts->program_known = result == OK;
	if (result == OK)
		result = opaque_auth(walk, "Credentials", true);
	return result == OK ? opaque_auth(walk, "Verifier", false) : result;
}

static enum result range(struct walk *walk, enum row low_row, enum row high_row)
{
	uint32_t low, high;
	enum result result = word(walk, low_row, &low);

	return result == OK ? word(walk, high_row, &high) : result;
}

static enum result reply_body(struct walk *walk)
{
	struct rtap_rpc_facts *facts = &walk->facts;
	uint32_t reply, auth;
	enum result result = word(walk, ROW_REPLY, &reply);

	if (result != OK || reply > MSG_DENIED)
		return result == OK ? MALFORMED : result;
	facts->accepted = reply == MSG_ACCEPTED;
	if (facts->accepted) {
		result = opaque_auth(walk, "Verifier", false);
		if (result == OK)
			result = word(walk, ROW_ACCEPT, &facts->status);
		if (result == OK && facts->status == PROG_MISMATCH)
			result = range(walk, ROW_PROGRAM_MIN, ROW_PROGRAM_MAX);
		return result;
	}
	result = word(walk, ROW_REJECT, &facts->status);
	if (result != OK)
		return result;
	return facts->status == RPC_MISMATCH ? range(walk, ROW_RPC_MIN, ROW_RPC_MAX) : word(walk, ROW_AUTH_STAT, &auth);
}

static enum result walk_header(struct walk *walk)
{
	uint32_t type;
	enum result result = word(walk, ROW_XID, &walk->facts.xid);

	if (result == OK)
		result = word(walk, ROW_TYPE, &type);
	if (result != OK || type > REPLY)
		return result == OK ? MALFORMED : result;
	walk->facts.is_reply = type == REPLY;
	return type == CALL ? call_body(walk) : reply_body(walk);
}

static enum result parse(struct parse *parse)
{
	const struct rtap_context *context = parse->context;
	uint32_t start = parse_offset(parse);
	struct walk walk = { .cursor = parse->cursor, .start = parse->cursor.next };
	enum result walked = walk_header(&walk), result;
	const uint8_t *header;

	result = parse_layer(parse, PROTOCOL_RPC, walked == OK ? position(&walk) : parse->cursor.captured, &header);
	if (result != OK)
		return result;
	walk.facts.present = true;
	if (walk.facts.is_reply && context->rpc_known) {
		walk.facts.program = context->rpc_program;
		walk.facts.version = context->rpc_version;
		walk.facts.procedure = context->rpc_procedure;
		walk.facts.program_known = true;
	}
	parse->packet->rpc = walk.facts;
	if (parse->packet->rpcrdma.present && walk.facts.xid != parse->packet->rpcrdma.xid)
		parse_anomaly(parse, RTAP_ANOMALY_XID_MISMATCH, start);
	if (walked != OK)
		parse_anomaly(parse, walked == TRUNCATED ? RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_MALFORMED, start + position(&walk));
	else if (parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return walked;
}

static void summary_procedure(const struct rtap_rpc_facts *facts, struct line *line)
{
	const char *program = rtap_name_of(rpc_program_names, facts->program);
	const char *procedure = rtap_name_of(rpc_procedure_names(facts->program, facts->version), facts->procedure);

	if (program) {
		line_text(line, program);
	} else {
		line_text(line, "program ");
		line_dec(line, facts->program);
	}
	line_text(line, " v");
	line_dec(line, facts->version);
	line_char(line, ' ');
	if (procedure) {
		line_text(line, procedure);
	} else {
		line_text(line, "procedure ");
		line_dec(line, facts->procedure);
	}
}

/* The procedure's name needs program and version too, so it is no value name of its row. */
static void label_procedure(const struct rtap_rpc_facts *facts, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	char text[64];
	struct line line;

	if (!visitor->label || !facts->program_known)
		return;
	line_init(&line, text, sizeof text - 1);
	summary_procedure(facts, &line);
	*line.next = 0;
	visitor->label(visitor, text, &(struct rtap_place){ layer->source, layer->offset, layer->length });
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct rtap_rpc_facts *facts = &packet->rpc;
	struct walk walk = {
		.cursor = { layer_bytes(packet, layer), layer->length, layer->length },
		.start = layer_bytes(packet, layer),
		.layer = layer,
		.visitor = visitor,
	};

	enum result walked = walk_header(&walk);

	label_procedure(facts, layer, visitor);
	if (walked != OK || !facts->is_reply || !facts->program_known)
		return;
	/* not in the reply, but known of its call */
	visit_field(visitor, layer, PROTOCOL_RPC, ROW_PROGRAM, &(struct rtap_value){ .number = facts->program }, layer->offset, 0);
	visit_field(visitor, layer, PROTOCOL_RPC, ROW_PROGRAM_VERSION, &(struct rtap_value){ .number = facts->version }, layer->offset, 0);
	visit_field(visitor, layer, PROTOCOL_RPC, ROW_PROCEDURE, &(struct rtap_value){ .number = facts->procedure }, layer->offset, 0);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_rpc_facts *facts = &packet->rpc;
	const char *status;

	(void)layer;
	line_text(line, facts->is_reply ? ": RPC reply" : ": RPC call");
	if (!packet->rpcrdma.present) {
		line_text(line, " xid ");
		line_hex(line, facts->xid, 8);
	}
	if (facts->program_known) {
		line_char(line, ' ');
		summary_procedure(facts, line);
	}
	if (!facts->is_reply)
		return;
	status = rtap_name_of(facts->accepted ? accept_names : reject_names, facts->status);
	line_text(line, facts->accepted ? " " : " denied: ");
	if (status)
		line_text(line, status);
	else
		line_dec(line, facts->status);
}

const struct protocol rpc_protocol = {
	.table = { "rpc", "Remote Procedure Call", "RFC 5531, section 9", 0, FIELDS(rpc_fields) },
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
