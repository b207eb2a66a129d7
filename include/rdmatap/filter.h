/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Display filters, which select packets; BPF capture filters are in rdmatap/source.h.
 */
#ifndef RDMATAP_FILTER_H
#define RDMATAP_FILTER_H

#include <stdbool.h>

#include <rdmatap/error.h>
#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A compiled display filter. Immutable: several threads may use one. */
struct rtap_filter;

/*
 * Compiles a display filter; rdmatap(1) describes the language. FAILED: *filter is NULL; the message names the column, which is also in
 * error->column.
 */
enum rtap_status rtap_filter_open(struct rtap_filter **filter, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Returns whether the packet matches. Keeps nothing allocated; out of memory, a long text or a regular expression does not match. A NULL
 * filter matches every packet.
 */
bool rtap_filter_match(const struct rtap_filter *filter, const struct rtap_packet *packet);

/* Frees. NULL is ignored. */
void rtap_filter_close(struct rtap_filter *filter);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
