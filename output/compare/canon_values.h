/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of a canonical dissection before renaming. A record is text, " NAME=VALUE" for each value; values to be renamed are marked raw
 * numbers. They are renamed when the record is written, because records are not created in the order of output.
 */
#ifndef OUTPUT_COMPARE_CANON_VALUES_H
#define OUTPUT_COMPARE_CANON_VALUES_H

#include <rdmatap/visitor.h>

#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"
#include "output/compare/canon_map.h"
#include "output/compare/canon_policy.h"

/* MARK, kind ('A' + enum rtap_identity), stream, hexadecimal number, perhaps '+' and an address, END. Text holds neither MARK nor END. */
#define CANON_MARK '\001'
#define CANON_END '\002'

/* The number sequence of a relative value: the client's or the server's requests. */
enum canon_stream { CANON_OF_NONE = '-', CANON_OF_CLIENT = 'c', CANON_OF_SERVER = 's' };

/* Values to keep although the policy omits them. */
struct canon_keep {
	const char *const *names;
	size_t count;
};

bool canon_keeps(const struct canon_keep *keep, const char *name);

/* Appends " NAME=". Inlined so that the length of a constant name is constant. */
static inline __attribute__((always_inline)) void canon_name(struct line *line, const char *name)
{
	line_char(line, ' ');
	line_text(line, name);
	line_char(line, '=');
}

/* A value to be renamed. */
void canon_reference(struct line *line, enum rtap_identity kind, uint64_t number);
/* A key and an address in its memory. */
void canon_key(struct line *line, enum rtap_identity kind, uint64_t key, uint64_t address);
void canon_relative(struct line *line, enum rtap_identity kind, enum canon_stream stream, uint64_t number);
/* Untrusted text: ASCII without meaning to the format unchanged, all else as \xHH; long text is truncated, with a hash of all of it. */
void canon_text(struct line *line, const uint8_t *bytes, size_t length);

/* The set of fields in a record. */
enum canon_part {
	CANON_PART_HEADER, /* message: RPC-over-RDMA header, management */
	CANON_PART_RPC,    /* message: RPC and the called program */
	CANON_PART_PACKET, /* packet */
	CANON_PARTS,
};

/* " NAME=" of a field, of fixed size for fast copying. */
struct canon_title {
	char text[63];
	uint8_t length;                /* 0: it does not fit */
};

/* Conversion of a packet's fields to values. */
struct canon_fields {
	struct canon_policy *policies; /* by field id */
	rtap_field_id *first_ids;      /* by field id: the first of the same name */
	uint64_t *wanted[CANON_PARTS]; /* one bit per field id */
	uint8_t *protocols;            /* by protocol: bits of the parts that want any of its fields */
	uint8_t *traits;               /* by field id: flags for special handling of its values */
	struct canon_value *values;    /* of the current packet */
	size_t value_count, value_room;
	uint8_t *texts;                /* of `values`: a value is valid only while it is visited */
	size_t text_length, text_room;
	uint32_t *last;                /* by first id: index of its last value in `values`, plus 1; 0: none */
	struct canon_title *titles;    /* by first id, for wanted fields */
	size_t lost;                   /* values lost for lack of memory */
};

/* Returns 0 or -ENOMEM. Call canon_fields_fini() in both cases. */
int canon_fields_init(struct canon_fields *fields, const struct canon_keep *keep) __attribute__((warn_unused_result));
void canon_fields_fini(struct canon_fields *fields);

/* Collects the values of one part of a packet; they borrow from the packet. */
void canon_fields_read(struct canon_fields *fields, const struct rtap_packet *packet, enum canon_part part);

/* Writes the values collected last. `from_client`: the client sent the packet. Can be called again with more room. */
void canon_fields_write(const struct canon_fields *fields, const struct rtap_packet *packet, bool from_client, struct line *line);

/* Names assigned within one connection. Zero-initialised: none. */
struct canon_names {
	struct canon_numbers map;
	uint64_t given[RTAP_IDENTITY_COUNT];
	bool failed; /* out of memory: names are wrong */
};

void canon_names_fini(struct canon_names *names);

/* Writes a record with its values renamed. Names are stable if the line was truncated and the call is repeated. */
void canon_names_write(struct canon_names *names, const char *record, size_t length, struct line *line);

#endif
