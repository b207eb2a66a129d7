/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_values.h"
#include "cli/print_error.h"
#include "dissect/engine/line.h"
#include "reassembly/upper/upper_layers.h"

#define LAYERS_MOST 256 /* bytes of a list of all upper layers */

bool option_number_parse(const char *text, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno && *number <= most;
}

/* A number, optionally followed by K, M or G for powers of 1024. */
bool option_size_parse(const char *text, uint64_t *size)
{
	static const char units[] = "KMG";
	size_t length = strlen(text);
	const char *unit = length && text[length - 1] ? strchr(units, text[length - 1]) : NULL;
	unsigned shift = unit ? (unsigned)(unit - units + 1) * 10 : 0;
	char digits[24];

	if (!length || length >= sizeof digits)
		return false;
	memcpy(digits, text, length + 1);
	if (unit)
		digits[length - 1] = 0;
	if (!option_number_parse(digits, UINT64_MAX >> shift, size))
		return false;
	*size <<= shift;
	return true;
}

bool option_is_name(const char *option, const char *what, const char *name)
{
	if (*name)
		return true;
	print_error("%s: the name of the %s is empty", option, what);
	return false;
}

bool option_number(const char *option, uint64_t most, uint64_t *number)
{
	if (option_number_parse(optarg, most, number) && *number)
		return true;
	print_error("%s %s: not a number from 1 to %llu", option, optarg, (unsigned long long)most);
	return false;
}

bool option_size(const char *option, uint64_t least, uint64_t *size)
{
	if (option_size_parse(optarg, size) && *size >= least)
		return true;
	print_error("%s %s: not a size of at least %s (such as 64M or 2G)", option, optarg, least == 1 << 20 ? "1M" : "1K");
	return false;
}

/* Constants in expressions have more digits on i386. */
static const double least_speed = 1e-6, least_interval = 1e-6;

bool option_speed(double *speed)
{
	char *end;

	*speed = strtod(optarg, &end);
	if (*end == 0 && end != optarg && *speed >= least_speed && *speed <= 1e6)
		return true;
	print_error("--speed %s: not a number from 0.000001 to 1000000", optarg);
	return false;
}

bool option_interval(int64_t *interval_ns)
{
	char *end;
	double seconds = strtod(optarg, &end);

	if (*end == 0 && end != optarg && seconds >= least_interval && seconds <= 1e9) {
		*interval_ns = (int64_t)(seconds * 1e9 + 0.5);
		return true;
	}
	print_error("--interval %s: not a number of seconds from 0.000001 to 1000000000", optarg);
	return false;
}

bool option_sort(enum operations_sort *sort)
{
	static const char *const names[] = { [OPERATIONS_BY_TIME] = "time", [OPERATIONS_BY_LATENCY] = "latency", [OPERATIONS_BY_BYTES] = "bytes",
						   [OPERATIONS_BY_COUNT] = "count" };

	for (unsigned i = OPERATIONS_BY_TIME; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(optarg, names[i])) {
			*sort = (enum operations_sort)i;
			return true;
		}
	}
	print_error("--sort %s: no such order (time, latency, bytes; with --by also count)", optarg);
	return false;
}

bool option_by(enum operation_by *by)
{
	*by = operation_by_find(optarg);
	if (*by != OPERATION_BY_NONE)
		return true;
	print_error("--by %s: no such key (client, server, export, name or procedure, object, layer)", optarg);
	return false;
}

bool option_time_parse(const char *text, int64_t *time_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", 1e9 } };
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof units / sizeof units[0]; i++) {
		double ns = number * units[i].ns;

		if (strcmp(end, units[i].name) || !(ns >= 1) || ns > 1e18)
			continue;
		*time_ns = (int64_t)(ns + 0.5);
		return true;
	}
	return false;
}

bool option_time(const char *option, const char *value, int64_t *time_ns)
{
	if (option_time_parse(value, time_ns))
		return true;
	print_error("%s %s: not a time such as 50ms, 200us or 1.5s", option, value);
	return false;
}

bool option_once(const char *option, const char **value, const char *advice)
{
	if (*value) {
		print_error("%s: given twice (%s)", option, advice);
		return false;
	}
	*value = optarg;
	return true;
}

bool option_layer(const char **layer)
{
	char text[LAYERS_MOST];
	struct line names;
	const char *name;

	line_init(&names, text, sizeof text - 1);
	for (size_t i = 0; (name = upper_layers_name(i)); i++) {
		if (!strcmp(optarg, name))
			return option_once("--layer", layer, "only one layer is supported");
		line_text(&names, i ? ", " : "");
		line_text(&names, name);
	}
	*names.next = 0;
	print_error("--layer %s: no such layer (%s)", optarg, text);
	return false;
}

bool option_flow_type(enum rtap_flow_type *type)
{
	static const char *const names[] = { [RTAP_FLOW_SNIFFER] = "sniffer", [RTAP_FLOW_NORMAL] = "normal", [RTAP_FLOW_ALL] = "all",
					     [RTAP_FLOW_MULTICAST] = "mc" };

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(optarg, names[i])) {
			*type = (enum rtap_flow_type)i;
			return true;
		}
	}
	print_error("--flow-type %s: no such type (sniffer, normal, all, mc)", optarg);
	return false;
}

bool option_flow_priority(uint16_t *priority)
{
	uint64_t number;

	if (!option_number_parse(optarg, UINT16_MAX, &number)) {
		print_error("--flow-priority %s: not a number from 0 to 65535", optarg);
		return false;
	}
	*priority = (uint16_t)number;
	return true;
}

static const char *const selector_names[] = {
	[SELECT_QP] = "qp=", [SELECT_FRAME] = "frame=", [SELECT_XID] = "xid=", [SELECT_OPERATION] = "operation=", [SELECT_CONNECTION] = "connection=",
};

static enum selector_kind selector_kind_of(const char *operand)
{
	for (unsigned i = SELECT_QP; i <= SELECT_CONNECTION; i++)
		if (!strncmp(operand, selector_names[i], strlen(selector_names[i])))
			return (enum selector_kind)i;
	return SELECT_WORST;
}

bool option_is_selector(const char *operand)
{
	return selector_kind_of(operand) != SELECT_WORST;
}

bool option_selector(const char *operand, struct selector *selector)
{
	char *end;

	if (selector->kind) {
		print_error("%s: only one of qp=, frame=, xid=, operation= and connection= is supported", operand);
		return false;
	}
	selector->text = operand;
	selector->kind = selector_kind_of(operand);
	errno = 0;
	selector->number = strtoull(operand + strlen(selector_names[selector->kind]), &end, 0);
	if (!errno && !*end && end[-1] != '=' && !strchr(operand, '-'))
		return true;
	print_error("%s: not a number", operand);
	return false;
}
