/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What becomes of each value in a canonical dissection: what changes from run to run is renamed, counted from a beginning,
 * or left out. One table for all fields; values of messages that are no field are in it by the names that canon gives them.
 */
#ifndef OUTPUT_COMPARE_CANON_POLICY_H
#define OUTPUT_COMPARE_CANON_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/field.h>

enum canon_action {
	CANON_KEEP,     /* as it is */
	CANON_RENAME,   /* KIND#1, KIND#2 ... by first appearance in its connection */
	CANON_RELATIVE, /* client.KIND+0, client.KIND+1 ...: from the first one of its direction */
	CANON_DROP,     /* left out, unless asked for by name */
};

/* What a renamed or relative value names. X(identifier, name) */
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
	uint8_t kind;   /* enum canon_kind: of RENAME and RELATIVE */
	uint8_t level;  /* enum canon_level: whether a message or a packet shows it */
	bool decided;   /* by a row of the table; false: by the type of the field alone */
};

/* A power of two, several times as many as the table has rows. */
#define CANON_POLICY_SLOTS 1024

/* Where the rows of the table are, by hashes of their names. */
struct canon_policy_index {
	uint16_t rows[CANON_POLICY_SLOTS]; /* number, from 1; 0: none */
};

void canon_policy_index_init(struct canon_policy_index *index);

/* The policy of a field. */
struct canon_policy canon_policy(const struct canon_policy_index *index, const struct rtap_field *field);

/* The policy of one of canon's own values of a message. False: there is none of that name. */
bool canon_policy_own(const char *name, struct canon_policy *policy);

/* Whether a name given by a user is that of a field, of one of canon's own values, or a prefix of such names up to a dot. */
bool canon_name_known(const char *name);

/* Whether `name` is `wanted` or begins with it and a dot. `length` is that of `name`. */
bool canon_name_matches(const char *name, size_t length, const char *wanted);

#endif
