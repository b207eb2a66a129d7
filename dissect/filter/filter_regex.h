/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_REGEX_H
#define DISSECT_FILTER_FILTER_REGEX_H

#include <stdbool.h>

#include <rdmatap/error.h>

#include "dissect/engine/packet.h"

/* A compiled regular expression, immutable. */
struct filter_regex;

/*
 * Compiles a Perl-compatible regular expression, which ignores case and takes the text as bytes. NULL: *error says why; *offset:
 * where in the pattern.
 */
struct filter_regex *filter_regex_create(struct rtap_span pattern, struct rtap_error *error, size_t *offset);

/* Whether it matches somewhere in the bytes. An expression that takes too many steps on them does not match. */
bool filter_regex_match(const struct filter_regex *regex, struct rtap_span bytes);

/* NULL is ignored. */
void filter_regex_destroy(struct filter_regex *regex);

#endif
