/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sizes, from the options, the device's limits and the port's rate.
 */
#ifndef CAPTURE_VERBS_VERBS_TUNING_H
#define CAPTURE_VERBS_VERBS_TUNING_H

#include "capture/verbs/verbs.h"

/* Reads "WORD=VALUE,...". FAILED: the error names the word. */
enum rtap_status verbs_tuning_parse(struct verbs_tuning *tuning, const char *text, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Rate of a port in Gb/s, by width and speed as in PortInfo; 0: unknown. IBTA vol. 1, 14.2.5.6. */
unsigned verbs_port_gbps(uint8_t width, uint8_t speed);

/* FAILED: the device does not support the requested values. */
enum rtap_status verbs_sizes_derive(struct verbs_sizes *sizes, const struct verbs_tuning *tuning, const struct verbs_limits *limits,
				    struct rtap_error *error) __attribute__((warn_unused_result));

#endif
