/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_SUGGEST_H
#define DISSECT_FILTER_FILTER_SUGGEST_H

#include <rdmatap/field.h>

/* The field or protocol whose name is most like `name`, or NULL if none is. */
const char *filter_suggest_field(const char *name);

/* The name in the table most like `name`, or NULL. */
const char *filter_suggest_value(const struct rtap_name *names, const char *name);

#endif
