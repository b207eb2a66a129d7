/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of `rdmatap check`: requirements of the standards on packets, with their sections.
 */
#ifndef OUTPUT_CHECK_RULE_H
#define OUTPUT_CHECK_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "output/check/ib_rules.h"
#include "output/check/rpcrdma_rules.h"
#include "output/check/iwarp_rules.h"
#include "output/check/storage_rules.h"
#include "output/check/smb_rules.h"

enum check_severity { CHECK_NOTE, CHECK_WARNING, CHECK_ERROR, CHECK_SEVERITIES };

/* All rules. X(identifier, id, severity, section, title, what the standard demands) */
#define CHECK_RULES(X) IB_RULES(X) RPCRDMA_RULES(X) IWARP_RULES(X) STORAGE_RULES(X) SMB_RULES(X)

#define CHECK_RULE_ENUM(identifier, id, severity, section, title, demand) RULE_##identifier,
enum check_rule_number { CHECK_RULES(CHECK_RULE_ENUM) CHECK_RULE_COUNT };
#undef CHECK_RULE_ENUM

struct check_rule {
	const char *id;       /* "ib-opcode-sequence" */
	uint8_t severity;     /* enum check_severity */
	const char *section;  /* "IBTA vol. 1, 9.4.1" */
	const char *title;    /* description of a violation */
	const char *demand;   /* the requirement of the standard */
};

/* By enum check_rule_number. */
extern const struct check_rule check_rules[CHECK_RULE_COUNT];

/* "note", "warning", "error". */
const char *check_severity_name(enum check_severity severity);

/* The severity of this name. False: there is none. */
bool check_severity_of(const char *name, enum check_severity *severity);

#endif
