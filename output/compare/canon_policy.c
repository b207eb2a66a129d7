/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/compare/canon_policy.h"

struct row {
	const char *name;
	uint8_t action, kind, level;
	bool is_opcode;
};

#define KEEP(name, level) { name, CANON_KEEP, RTAP_IDENTITY_NONE, CANON_##level, false }
#define OPCODE(name) { name, CANON_KEEP, RTAP_IDENTITY_NONE, CANON_MESSAGES, true }
#define RENAME(name, kind, level) { name, CANON_RENAME, RTAP_IDENTITY_##kind, CANON_##level, false }
#define DROP(name) { name, CANON_DROP, RTAP_IDENTITY_NONE, CANON_PACKETS, false }

/* canon's own values of a message, a connection or a refusal; described in doc/regression-testing.md. */
static const struct row own[] = {
	OPCODE("kind"), OPCODE("verb"), KEEP("length", MESSAGES), KEEP("inline", MESSAGES), KEEP("packets", MESSAGES),
	KEEP("repeats", MESSAGES), KEEP("missing", MESSAGES), KEEP("complete", MESSAGES), KEEP("status", MESSAGES),
	KEEP("answered", MESSAGES), KEEP("immediate", MESSAGES), KEEP("swap_or_add", MESSAGES), KEEP("compare", MESSAGES),
	KEEP("original", MESSAGES), OPCODE("program"), OPCODE("version"), OPCODE("procedure"),
	OPCODE("operations"), KEEP("operation_status", MESSAGES), KEEP("rpc_status", MESSAGES), KEEP("rdma_error", MESSAGES),
	KEEP("read_chunks", MESSAGES), KEEP("write_chunks", MESSAGES), KEEP("reply_chunk", MESSAGES), OPCODE("nak"),
	KEEP("rnr_timer", MESSAGES), KEEP("learned", MESSAGES), KEEP("path_mtu", MESSAGES), KEEP("life", MESSAGES),
	KEEP("reject_reason", MESSAGES), KEEP("client_private", MESSAGES), KEEP("server_private", MESSAGES), KEEP("anomalies", MESSAGES),
	KEEP("refusals", MESSAGES),
	RENAME("key", RKEY, MESSAGES), RENAME("invalidates", RKEY, MESSAGES), RENAME("xid", XID, MESSAGES),
	KEEP("transport", MESSAGES), KEEP("service", MESSAGES), KEEP("client", MESSAGES), KEEP("server", MESSAGES),
	DROP("latency"), DROP("time"), DROP("frame"), DROP("crc32"),
};

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

const char *canon_kind_name(enum rtap_identity kind)
{
	static const char *const names[] = {
#define RTAP_IDENTITY_NAME(identifier, name) [RTAP_IDENTITY_##identifier] = name,
		RTAP_IDENTITIES(RTAP_IDENTITY_NAME)
#undef RTAP_IDENTITY_NAME
	};

	return kind < RTAP_IDENTITY_COUNT ? names[kind] : "";
}

/* Values that look like identifiers are omitted, so that a field without a row does not make runs differ. */
static enum canon_action default_action(const struct rtap_field *field)
{
	switch (field->show) {
	case RTAP_HEX64:
	case RTAP_EUI64:
	case RTAP_ETHER:
	case RTAP_BYTES:
	case RTAP_SECONDS:
	case RTAP_NONE:
		return CANON_DROP;
	default:
		return field->flags & RTAP_BULK ? CANON_DROP : CANON_KEEP;
	}
}

static enum canon_action action_of(const struct rtap_field *field, enum protocol_scope scope)
{
	unsigned identity = RTAP_IDENTITY_OF(field);

	if (identity == RTAP_IDENTITY_PSN || identity == RTAP_IDENTITY_MSN)
		return CANON_RELATIVE;
	if (identity != RTAP_IDENTITY_NONE)
		return CANON_RENAME;
	if (field->flags & RTAP_COMPARED)
		return CANON_KEEP;
	return field->flags & RTAP_IGNORED || scope == SCOPE_CAPTURE ? CANON_DROP : default_action(field);
}

struct canon_policy canon_policy(const struct rtap_field *field, enum protocol_scope scope)
{
	return (struct canon_policy){
		.action = (uint8_t)action_of(field, scope),
		.kind = (uint8_t)RTAP_IDENTITY_OF(field),
		.level = scope == SCOPE_MESSAGE || scope == SCOPE_CALL ? CANON_MESSAGES : CANON_PACKETS,
		.is_opcode = (field->flags & RTAP_OPCODE) != 0,
	};
}

struct canon_policy canon_policy_of(rtap_field_id id)
{
	return canon_policy(rtap_field_by_id(id), (enum protocol_scope)protocol_by_number(rtap_field_protocol(id))->scope);
}

bool canon_policy_own(const char *name, struct canon_policy *policy)
{
	for (size_t i = 0; i < COUNT(own); i++) {
		if (strcmp(own[i].name, name))
			continue;
		*policy = (struct canon_policy){ .action = own[i].action, .kind = own[i].kind, .level = own[i].level,
						  .is_opcode = own[i].is_opcode };
		return true;
	}
	return false;
}

const char *canon_policy_own_name(size_t index)
{
	return index < COUNT(own) ? own[index].name : NULL;
}

bool canon_name_matches(const char *name, size_t length, const char *wanted)
{
	size_t prefix = strlen(wanted);

	return length >= prefix && !memcmp(name, wanted, prefix) && (length == prefix || name[prefix] == '.');
}

const char *canon_keep_refusal(const char *name, enum canon_level level)
{
	struct canon_policy policy;
	const char *refusal = "has no value of its own";

	if (canon_policy_own(name, &policy))
		return NULL;
	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);

		if (!canon_name_matches(field->name, strlen(field->name), name))
			continue;
		policy = canon_policy_of((rtap_field_id)id);
		if (field->show == RTAP_NONE)
			continue;
		if (policy.level <= level)
			return NULL;
		refusal = "is a value of packets (give --level packets too)";
	}
	return refusal;
}

bool canon_name_known(const char *name)
{
	struct canon_policy policy;

	if (canon_policy_own(name, &policy))
		return true;
	for (size_t id = 0; *name && id < rtap_field_count(); id++) {
		const char *field = rtap_field_by_id((rtap_field_id)id)->name;

		if (canon_name_matches(field, strlen(field), name))
			return true;
	}
	return false;
}
