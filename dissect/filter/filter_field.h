/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_FIELD_H
#define DISSECT_FILTER_FILTER_FIELD_H

#include "dissect/filter/filter_literal.h"

/*
 * Fills the operand and the subject for the name that is the current token. Returns 0, -EINVAL with the error recorded, or
 * -ENOMEM.
 */
int filter_field_parse(struct filter_compiler *compiler, struct filter_operand *operand, struct filter_subject *subject)
	__attribute__((warn_unused_result));

/* Whether the token is a name of a field or key with a dot in it: literals with one begin with a digit or are no field's name. */
bool filter_field_is(const struct filter_compiler *compiler, const struct filter_token *token);

#endif
