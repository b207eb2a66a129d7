/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parsing of option arguments (numbers, sizes, times, names), from optarg unless a text is passed. False: an error was printed, except
 * by option_number_parse().
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/cli.h"

/* A number from 0 to `most`. */
bool option_number_parse(const char *text, uint64_t most, uint64_t *number);

/* A number from 1 to `most`. */
bool option_number(const char *option, uint64_t most, uint64_t *number);

/* A number, optionally followed by K, M or G for powers of 1024, of at least `least`: 1K or 1M. */
bool option_size(const char *option, uint64_t least, uint64_t *size);

/* Without an error message. */
bool option_size_parse(const char *text, uint64_t *size);
bool option_time_parse(const char *text, int64_t *time_ns);

/* Rejects "", which a script passes if its variable is not set. */
bool option_is_name(const char *option, const char *what, const char *name);

/* A text that may be given once: a repeated option is rejected instead of silently ignoring one. */
bool option_once(const char *option, const char **value, const char *advice);

/* The arguments of --speed, --interval, --sort, --by and --layer of operations, --slower, --flow-type and --flow-priority. */
bool option_speed(double *speed);
bool option_interval(int64_t *interval_ns);
bool option_sort(enum operations_sort *sort);
bool option_by(enum operation_by *by);
bool option_layer(const char **layer);
bool option_time(const char *option, const char *value, int64_t *time_ns);
bool option_flow_type(enum rtap_flow_type *type);
bool option_flow_priority(uint16_t *priority);

/* Whether an operand of why is a selector, such as qp=5. */
bool option_is_selector(const char *operand);

/* Such an operand. Rejects a second one, and one without a number. */
bool option_selector(const char *operand, struct selector *selector);

#endif
