/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The treatment of each value in a canonical dissection. Values that vary from run to run are renamed, made relative, or omitted. One
 * table covers all fields; values of messages that are not fields are listed under the names that canon gives them.
 */
#ifndef OUTPUT_COMPARE_CANON_POLICY_H
#define OUTPUT_COMPARE_CANON_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/field.h>

enum canon_action {
	CANON_KEEP,     /* unchanged */
	CANON_RENAME,   /* KIND#1, KIND#2 ... by first appearance in the connection */
	CANON_RELATIVE, /* client.KIND+0, client.KIND+1 ...: relative to the first one of the direction */
	CANON_DROP,     /* omitted unless requested by name */
};

/* What a renamed or relative value identifies. X(identifier, name) */
#define CANON_KINDS(X) \
	X(NONE, "") X(QP, "qp") X(RKEY, "rkey") X(XID, "xid") X(TID, "tid") X(COMM, "comm") X(HANDLE, "fh") X(STATE, "stateid") \
	X(CLIENT, "client") X(SESSION, "session") X(VERIFIER, "verifier") X(OWNER, "owner") X(CONTEXT, "context") X(STAG, "stag") \
	X(ADDRESS, "va") X(PSN, "psn") X(MSN, "msn")

enum canon_kind {
#define CANON_KIND_ENUM(identifier, name) CANON_KIND_##identifier,
	CANON_KINDS(CANON_KIND_ENUM)
#undef CANON_KIND_ENUM
	CANON_KIND_COUNT
};

const char *canon_kind_name(enum canon_kind kind);

enum canon_level { CANON_MESSAGES, CANON_PACKETS };

struct canon_policy {
	uint8_t action; /* enum canon_action */
	uint8_t kind;   /* enum canon_kind: for RENAME and RELATIVE */
	uint8_t level;  /* enum canon_level: printed with a message or a packet */
	bool decided;   /* by a row of the table; false: by the field's type only */
};

/* A power of two, several times the number of table rows. */
#define CANON_POLICY_SLOTS 1024

/* Hash index of the table's rows by name. */
struct canon_policy_index {
	uint16_t rows[CANON_POLICY_SLOTS]; /* row number from 1; 0: none */
};

void canon_policy_index_init(struct canon_policy_index *index);

/* The policy of a field. */
struct canon_policy canon_policy(const struct canon_policy_index *index, const struct rtap_field *field);

/* The policy of one of canon's own values of a message. False: no such value. */
bool canon_policy_own(const char *name, struct canon_policy *policy);

/* Whether a name given by a user is that of a field or of one of canon's own values, or a prefix of such a name that ends before a dot. */
bool canon_name_known(const char *name);

/* Whether `name` is `wanted` or begins with it and a dot. `length` is that of `name`. */
bool canon_name_matches(const char *name, size_t length, const char *wanted);

#endif
