/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_SUGGEST_H
#define DISSECT_FILTER_FILTER_SUGGEST_H

#include <rdmatap/field.h>

/* The field or protocol name most similar to `name`, or NULL if none is similar. */
const char *filter_suggest_field(const char *name);

/* The name most similar to `name` of those that `candidate` returns for 0, 1 and so on, until NULL; or NULL. */
const char *filter_suggest_in(const char *name, const char *(*candidate)(size_t index));

struct filter_scope;

/* The key of a record, without its prefix, most similar to `name`, which may have a prefix; or NULL. */
const char *filter_suggest_key(const char *name, const struct filter_scope *scope);

/* The name in the table most similar to `name`, or NULL. */
const char *filter_suggest_value(const struct rtap_name *names, const char *name);

#endif
