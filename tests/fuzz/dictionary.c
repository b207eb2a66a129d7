/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage: dictionary filter|packet
 *
 * Prints a dictionary for libFuzzer, made of the field tables: names and operators for display filters, or the values that
 * have names, as they stand in packets, and what capture files begin with.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/field.h>

/* A single byte is found without help. */
#define LEAST_BITS 16
#define MOST_VALUES 20000

struct value {
	uint64_t number;
	unsigned bytes;
};

static const char *const operators[] = {
	"and", "or", "not", "in", "eq", "ne", "gt", "lt", "ge", "le", "contains", "bitwise_and", "any_eq", "all_ne", "==", "!=", ">=", "<=",
	"&&", "||", "..", "===", "!==", "~=", "~", "matches", "any ", "all ", " + ", " - ", " * ", " / ", " % ", " & ", "upper(", "lower(", "len(", "count(",
	"[-2:1]", "[0,2-3]", "r\\\"a+\\\"", "'a'", "{", "}", "[0:4]", "true", "false", "10.0.0.1", "10.0.0.0/8", "fe80::1", "fe80::/10", "00:11:22:33:44:55",
	"0002:c903:00a1:b2c0", "2023-11-14 22:13:20", "0x1f",
};

/* What no field table has: pcap in both byte orders and units, gzip, zstd, lz4, pcapng's blocks and its byte order, MPA's keys, ports. */
static const char *const magic[] = {
	"\\xd4\\xc3\\xb2\\xa1", "\\xa1\\xb2\\xc3\\xd4", "\\x4d\\x3c\\xb2\\xa1", "\\xa1\\xb2\\x3c\\x4d", "\\x1f\\x8b\\x08",
	"\\x28\\xb5\\x2f\\xfd", "\\x04\\x22\\x4d\\x18",
	"\\x0a\\x0d\\x0d\\x0a", "\\x4d\\x3c\\x2b\\x1a", "\\x1a\\x2b\\x3c\\x4d", "\\x01\\x00\\x00\\x00", "\\x02\\x00\\x00\\x00",
	"\\x03\\x00\\x00\\x00", "\\x05\\x00\\x00\\x00", "\\x06\\x00\\x00\\x00", "\\x09\\x00\\x01\\x00",
	"MPA ID Req Frame", "MPA ID Rep Frame", "\\x12\\xb7", "\\x4e\\x51", "\\x08\\x01", "\\x89\\x15", "\\x08\\x00", "\\x86\\xdd",
};

static int compare(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void print_filter_words(void)
{
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		printf("\"%s\"\n", operators[i]);
	for (size_t i = 0; i < rtap_protocol_count(); i++)
		printf("\"%s\"\n", rtap_protocol_by_number((uint16_t)i)->name);
	for (size_t i = 0; i < rtap_field_count(); i++)
		printf("\"%s\"\n", rtap_field_by_id((rtap_field_id)i)->name);
}

static void print_values(void)
{
	static struct value values[MOST_VALUES];
	size_t count = 0;

	for (size_t i = 0; i < rtap_field_count(); i++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)i);

		if (field->bit_width < LEAST_BITS || field->bit_width % 8)
			continue;
		for (const struct rtap_name *name = field->names; name && name->name && count < MOST_VALUES; name++)
			values[count++] = (struct value){ name->value, field->bit_width / 8u };
	}
	qsort(values, count, sizeof values[0], compare);
	for (size_t i = 0; i < count; i++) {
		if (i && !compare(&values[i], &values[i - 1]))
			continue;
		putchar('"');
		for (unsigned shift = values[i].bytes * 8; shift; shift -= 8)
			printf("\\x%02x", (unsigned)(values[i].number >> (shift - 8) & 0xff));
		printf("\"\n");
	}
	for (size_t i = 0; i < sizeof magic / sizeof magic[0]; i++)
		printf("\"%s\"\n", magic[i]);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "filter")) {
		print_filter_words();
	} else if (argc == 2 && !strcmp(argv[1], "packet")) {
		print_values();
	} else {
		fprintf(stderr, "usage: dictionary filter|packet\n");
		return 2;
	}
	return ferror(stdout) || fflush(stdout);
}
