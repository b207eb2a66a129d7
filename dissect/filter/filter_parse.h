/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_PARSE_H
#define DISSECT_FILTER_FILTER_PARSE_H

#include <rdmatap/filter.h>

struct filter_scope;

/* As rtap_filter_open(), for packets and records (filter_record.h). `scope` is needed only here; NULL: of packets. */
enum rtap_status filter_open_scoped(struct rtap_filter **filter, const char *text, const struct filter_scope *scope, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
