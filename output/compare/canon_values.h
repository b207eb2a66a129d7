/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of a canonical dissection before they are named: a record is text, " NAME=VALUE" for each value, in which values to
 * be renamed stand as marked raw numbers. They are named when the record is written down, because the order in which records
 * are made is not that in which they are shown.
 */
#ifndef OUTPUT_COMPARE_CANON_VALUES_H
#define OUTPUT_COMPARE_CANON_VALUES_H

#include <rdmatap/packet.h>
#include <rdmatap/visitor.h>

#include "dissect/engine/line.h"
#include "output/compare/canon_map.h"
#include "output/compare/canon_policy.h"

/* MARK, kind ('A' + enum canon_kind), stream, hexadecimal number, perhaps '+' and an address, END. Text never holds these two. */
#define CANON_MARK '\001'
#define CANON_END '\002'

/* Which sequence of numbers a relative value belongs to: that of the client's or of the server's requests. */
enum canon_stream { CANON_OF_NONE = '-', CANON_OF_CLIENT = 'c', CANON_OF_SERVER = 's' };

/* Which values are wanted although the policy leaves them out. */
struct canon_keep {
	const char *const *names;
	size_t count;
};

bool canon_keeps(const struct canon_keep *keep, const char *name);

/* " NAME=": where NAME is a constant, so is its length. */
static inline __attribute__((always_inline)) void canon_name(struct line *line, const char *name)
{
	line_char(line, ' ');
	line_text(line, name);
	line_char(line, '=');
}

/* A value to be renamed. */
void canon_reference(struct line *line, enum canon_kind kind, uint64_t number);
/* A key and an address in its memory. */
void canon_key(struct line *line, enum canon_kind kind, uint64_t key, uint64_t address);
void canon_relative(struct line *line, enum canon_kind kind, enum canon_stream stream, uint64_t number);
/* Text of unknown origin: ASCII that does not matter to the format as it is, all else \xHH; a long one is cut, with a hash of all of it. */
void canon_text(struct line *line, const uint8_t *bytes, size_t length);

/* Which fields a record shows. */
enum canon_part {
	CANON_PART_HEADER, /* of a message: RPC-over-RDMA's header, management */
	CANON_PART_RPC,    /* of a message: RPC and what it calls */
	CANON_PART_PACKET, /* of a packet */
	CANON_PARTS,
};

/* " NAME=" of a field, to be copied whole. */
struct canon_title {
	char text[63];
	uint8_t length;                /* 0: it does not fit */
};

/* What a packet's fields become. */
struct canon_fields {
	struct canon_policy *policies; /* by field id */
	rtap_field_id *first_ids;      /* by field id: the first of the same name */
	uint64_t *wanted[CANON_PARTS]; /* one bit an id */
	uint8_t *protocols;            /* by protocol: bits of the parts that want any field of it */
	uint8_t *traits;               /* by field id: what else there is to do with its values */
	struct canon_value *values;    /* of the packet at hand */
	size_t value_count, value_room;
	uint32_t *last;                /* by first id: its last value in `values`, plus 1; 0: none */
	struct canon_title *titles;    /* by first id, of those that are wanted */
	size_t lost;                   /* values that memory did not hold */
};

/* 0 or -ENOMEM; fini in both cases. */
int canon_fields_init(struct canon_fields *fields, const struct canon_keep *keep) __attribute__((warn_unused_result));
void canon_fields_fini(struct canon_fields *fields);

/* Finds the values of one part of a packet; they borrow from it. */
void canon_fields_read(struct canon_fields *fields, const struct rtap_packet *packet, enum canon_part part);

/* Writes the values found last. `from_client`: who sent the packet. May be called again with more room. */
void canon_fields_write(const struct canon_fields *fields, const struct rtap_packet *packet, bool from_client, struct line *line);

/* The names given within one connection. All zero: none. */
struct canon_names {
	struct canon_map map;
	uint64_t given[CANON_KIND_COUNT];
	bool failed; /* memory is out: names are wrong */
};

void canon_names_fini(struct canon_names *names);

/* Writes a record down with its values named. Names that are given stay so if the line was cut and it is called again. */
void canon_names_write(struct canon_names *names, const char *record, size_t length, struct line *line);

#endif
