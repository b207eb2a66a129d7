/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_SUGGEST_H
#define DISSECT_FILTER_FILTER_SUGGEST_H

#include <rdmatap/field.h>

/* The field or protocol name most similar to `name`, or NULL if none is similar. */
const char *filter_suggest_field(const char *name);

/* The name in the table most similar to `name`, or NULL. */
const char *filter_suggest_value(const struct rtap_name *names, const char *name);

#endif
