/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -T fields: the requested fields, one row per packet, in tshark's format. -T csv: the same as CSV.
 */
#ifndef OUTPUT_PACKET_FIELDS_H
#define OUTPUT_PACKET_FIELDS_H

#include "output/packet/clock.h"
#include "output/packet/format.h"

#include <rdmatap/error.h>

#define MAX_COLUMN_FIELDS 64 /* as tests/test_tables.c checks */

enum occurrence { OCCURRENCE_ALL, OCCURRENCE_FIRST, OCCURRENCE_LAST };

struct fields_format;

/* One -e: all fields with its name, or a column of Wireshark's packet list. */
struct column {
	const char *name; /* borrowed */
	void (*write)(struct fields_format *fields, const struct rtap_packet *packet, struct line *line); /* NULL: the fields */
	bool is_end;      /* an address of the packet: the innermost value, not of a packet quoted by ICMP */
	unsigned field_count;
	struct column_field {
		const struct rtap_field *field;
		rtap_field_id id;
		uint16_t protocol;
		bool in_units; /* flag of the protocol: only a visit finds all values */
	} fields[MAX_COLUMN_FIELDS];
};

struct fields_format {
	struct format format;
	bool with_header;
	bool is_csv; /* RFC 4180: quotes where they are needed; `quote` is 0 */
	char separator, aggregator, quote; /* quote 0: none */
	enum occurrence occurrence;
	struct column *columns;
	size_t column_count;
	struct clock clock; /* of _ws.col.time */
	uint64_t *wanted; /* scratch: one bit per field id */
	bool shows_lines; /* a column has the text of packets */
};

/* Defaults are tshark's: no header, tab, all occurrences, comma, no quotes. */
void fields_format_init(struct fields_format *fields);
void fields_format_fini(struct fields_format *fields);

/* Initialises `fields` for another thread; borrows the columns of `of`. Returns 0 or -ENOMEM; call unshare in both cases. */
int fields_format_share(struct fields_format *fields, const struct fields_format *of) __attribute__((warn_unused_result));
void fields_format_unshare(struct fields_format *fields);

/* Adds a column: a field's name, frame.time or a _ws.col name in any case. FAILED: no such field, or out of memory. `name` is borrowed. */
enum rtap_status fields_format_add(struct fields_format *fields, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Sets the defaults of -T csv: header, comma. */
void fields_format_csv(struct fields_format *fields);

/* Adds the columns of -T csv without -e: those of the text line. FAILED: out of memory. */
enum rtap_status fields_format_add_line(struct fields_format *fields, struct rtap_error *error) __attribute__((warn_unused_result));

/* Marks the fields of the columns in `wanted`, one bit per field id. False: `*other` is a column that is not a field. */
bool fields_format_mark(const struct fields_format *fields, uint64_t *wanted, const char **other);

/* Applies one -E argument: header=y|n, separator=/t|/s|CHAR, occurrence=f|l|a, aggregator=,|/s|CHAR, quote=d|s|n. */
enum rtap_status fields_format_option(struct fields_format *fields, const char *argument, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
