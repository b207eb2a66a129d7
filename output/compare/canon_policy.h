/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The treatment of each value in a canonical dissection. Values that vary from run to run are renamed, made relative, or omitted. The
 * flags of a field's row say how (enum rtap_field_flag); values of messages that are not fields have a table here.
 */
#ifndef OUTPUT_COMPARE_CANON_POLICY_H
#define OUTPUT_COMPARE_CANON_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/field.h>

#include "dissect/engine/protocol.h"

enum canon_action {
	CANON_KEEP,     /* unchanged */
	CANON_RENAME,   /* KIND#1, KIND#2 ... by first appearance in the connection */
	CANON_RELATIVE, /* client.KIND+0, client.KIND+1 ...: relative to the first one of the direction */
	CANON_DROP,     /* omitted unless requested by name */
};

const char *canon_kind_name(enum rtap_identity kind);

enum canon_level { CANON_MESSAGES, CANON_PACKETS };

struct canon_policy {
	uint8_t action; /* enum canon_action */
	uint8_t kind;   /* enum rtap_identity: for RENAME and RELATIVE */
	uint8_t level;  /* enum canon_level: printed with a message or a packet */
	bool is_opcode; /* identifies the kind of message or packet (RTAP_OPCODE) */
};

/* The policy of a field of a protocol, by the flags of its row, the protocol's scope and its type. */
struct canon_policy canon_policy(const struct rtap_field *field, enum protocol_scope scope);
struct canon_policy canon_policy_of(rtap_field_id id);

/* The policy of one of canon's own values of a message. False: no such value. */
bool canon_policy_own(const char *name, struct canon_policy *policy);

/* Their names by index, from 0; NULL after the last. */
const char *canon_policy_own_name(size_t index);

/* Whether a name given by a user is that of a field or of one of canon's own values, or a prefix of such a name that ends before a dot. */
bool canon_name_known(const char *name);

/* The reason why keeping this known name would print nothing at this level, as the end of a sentence. NULL: it can print something. */
const char *canon_keep_refusal(const char *name, enum canon_level level);

/* Whether `name` is `wanted` or begins with it and a dot. `length` is that of `name`. */
bool canon_name_matches(const char *name, size_t length, const char *wanted);

#endif
