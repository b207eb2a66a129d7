/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_OPERAND_H
#define DISSECT_FILTER_FILTER_OPERAND_H

#include "dissect/filter/filter_literal.h"

/* Makes the next token the current one. */
void filter_advance(struct filter_compiler *compiler);

/* Advances past a mark; -EINVAL if it is another token. `wanted`: for the message. */
int filter_expect(struct filter_compiler *compiler, char mark, const char *wanted) __attribute__((warn_unused_result));

/* Whether an operand begins, rather than a literal to compare with. */
bool filter_operand_begins(const struct filter_compiler *compiler);

/*
 * Parses a field or protocol, with slices, functions and arithmetic. `other`: the operand with which it will be compared, which gives
 * literals their type; NULL: unknown. *index: of the operand. Returns 0, -EINVAL with the error recorded, or -ENOMEM.
 */
int filter_operand_parse(struct filter_compiler *compiler, const struct filter_subject *other, struct filter_subject *subject,
			 uint32_t *index) __attribute__((warn_unused_result));

#endif
