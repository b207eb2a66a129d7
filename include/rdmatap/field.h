/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields and protocols: the tables that output and filters use. Static: any number of threads may read them.
 */
#ifndef RDMATAP_FIELD_H
#define RDMATAP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/frame.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct rtap_packet;
struct rtap_layer;
struct rtap_field;

/* How a field's value is stored and shown. A number after HEX is the width in bits to which the output is padded. */
enum rtap_show {
	RTAP_NONE,    /* no value: a heading only */
	RTAP_DEC,     /* unsigned, decimal */
	RTAP_HEX,     /* unsigned, hexadecimal, padded to the field's own width in whole bytes */
	RTAP_HEX8,
	RTAP_HEX16,
	RTAP_HEX24,
	RTAP_HEX32,
	RTAP_HEX64,
	RTAP_BOOL,    /* one bit, 0 or 1 */
	RTAP_IPV4,    /* 4 bytes */
	RTAP_IPV6,    /* 16 bytes; also GIDs */
	RTAP_ETHER,   /* 6 bytes */
	RTAP_EUI64,   /* 8 bytes: GUIDs */
	RTAP_BYTES,   /* any bytes, as hexadecimal digits */
	RTAP_TEXT,    /* any bytes, as UTF-8, with unprintable ones escaped */
	RTAP_SECONDS, /* signed nanoseconds, as seconds with nine decimals */
};

/* One name of a value. Tables are sorted by value and end with a NULL name. */
struct rtap_name {
	uint64_t value;
	const char *name;
};

/* A value found in a packet. */
struct rtap_value {
	uint64_t number;      /* unsigned and BOOL; SECONDS in two's complement; host order */
	struct rtap_span data; /* addresses, BYTES and TEXT: borrowed from the packet's source or from static memory */
};

/*
 * What a value identifies, if its number has no meaning in itself: comparisons of captures replace it by its kind and the order of its
 * first occurrence ("qp#1"), a PSN or MSN by its distance to the first one. X(identifier, name)
 */
#define RTAP_IDENTITIES(X) \
	X(NONE, "") X(QP, "qp") X(RKEY, "rkey") X(XID, "xid") X(TID, "tid") X(COMM, "comm") X(HANDLE, "fh") X(STATE, "stateid") \
	X(CLIENT, "client") X(SESSION, "session") X(VERIFIER, "verifier") X(OWNER, "owner") X(CONTEXT, "context") X(STAG, "stag") \
	X(ADDRESS, "va") X(PSN, "psn") X(MSN, "msn")

enum rtap_identity {
#define RTAP_IDENTITY_ENUM(identifier, name) RTAP_IDENTITY_##identifier,
	RTAP_IDENTITIES(RTAP_IDENTITY_ENUM)
#undef RTAP_IDENTITY_ENUM
	RTAP_IDENTITY_COUNT
};

enum rtap_field_flag {
	RTAP_REPEATS = 1,     /* may occur several times in one layer: always an array in JSON */
	RTAP_PARTS = 2,       /* the rows that follow show the same bits individually */
	RTAP_SOMETIMES = 4,   /* present in some packets only: `derive` decides */
	RTAP_ON_DEMAND = 8,   /* expensive: computed only for -V, or when requested by name */
	RTAP_BULK = 32,       /* payload bytes: for -V, or when requested by name */
	RTAP_OWN_BYTES = 64,  /* `derive` reads only the bytes that contain the row's bits */
	RTAP_UNPLACED = 16,   /* bit_offset is not used: `derive` computes the value, or the protocol's visit() supplies it */
	/*
	 * How comparisons of captures (rdmatap canon, rdmatap diff) treat the value. Without one of these flags they compare numbers and
	 * texts, and omit times, bytes, GUIDs and numbers of 64 bits in hexadecimal, which are mostly different in each run.
	 */
	RTAP_COMPARED = 128,  /* compared although its type or its protocol would omit it */
	RTAP_IGNORED = 256,   /* omitted: differs between runs of the same traffic, or repeats another value */
	RTAP_OPCODE = 512,    /* identifies the kind of packet or message; comparisons align sequences by it */
	RTAP_LITTLE = 1 << 16, /* least significant byte first; the bits of a byte count from its least significant one */
	RTAP_WIDER = 1 << 17, /* `derive` may exceed the row's bits: the type has one byte more */
#define RTAP_IDENTITY_SHIFT 10
#define RTAP_IDENTITY_FLAG(identifier, name) RTAP_IS_##identifier = RTAP_IDENTITY_##identifier << RTAP_IDENTITY_SHIFT,
	RTAP_IDENTITIES(RTAP_IDENTITY_FLAG)
#undef RTAP_IDENTITY_FLAG
};

/* What the field's value identifies. */
#define RTAP_IDENTITY_OF(field) ((field)->flags >> RTAP_IDENTITY_SHIFT & 0x3f)

/*
 * One field of a header: a row of a protocol's table.
 * Bits count from the most significant bit of the header's first byte. A width of 0 means variable length.
 */
struct rtap_field {
	const char *name;  /* filter name; Wireshark's if it has one */
	const char *label; /* label in the output of -V */
	uint16_t bit_offset;
	uint16_t bit_width;
	uint8_t show;      /* enum rtap_show */
	uint32_t flags;    /* enum rtap_field_flag */
	const struct rtap_name *names;
	/*
	 * For values other than the plain bits: scaled, conditional, computed. Fills *value and returns true, or
	 * returns false if the packet does not have the field. NULL: the bits are the value.
	 */
	bool (*derive)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
	const char *section; /* section of the standard that defines it, if it differs from the protocol's */
};

/* Fields of all protocols are numbered consecutively in registry order: 0 to rtap_field_count() - 1. */
typedef uint16_t rtap_field_id;

size_t rtap_field_count(void);
const struct rtap_field *rtap_field_by_id(rtap_field_id id);

/* Number of the protocol to which a field belongs, for rtap_protocol_by_number(). */
uint16_t rtap_field_protocol(rtap_field_id id);

/*
 * Looks up the ids of the fields that a filter name denotes: one, or several for names such as "ip.addr".
 * Returns their number, 0 for an unknown name; stores at most `room` ids.
 */
size_t rtap_field_find(const char *name, rtap_field_id *ids, size_t room);

/* Name of a value according to a table, or NULL. */
const char *rtap_name_of(const struct rtap_name *names, uint64_t value);

/* The field's JSON type: "number" or "string". */
const char *rtap_field_json_type(const struct rtap_field *field);

/* The field's type as `rdmatap fields` prints it: "uint24", "bool", "ipv4", "bytes" ... */
const char *rtap_field_type(const struct rtap_field *field);

/* A protocol in the registry. */
struct rtap_protocol {
	const char *name;    /* filter name: "infiniband.bth" */
	const char *label;   /* label in the output of -V: "Base Transport Header" */
	const char *section; /* section of the standard that defines it */
	uint16_t length;     /* bytes of the fixed header; 0: variable */
	uint16_t field_count;
	const struct rtap_field *fields;
	bool in_units;       /* a layer may have several of these headers: only rtap_layer_visit() finds all their fields */
};

size_t rtap_protocol_count(void);
const struct rtap_protocol *rtap_protocol_by_number(uint16_t number);

/* Numbers of the protocols that `name` denotes ("infiniband": all its headers); otherwise as rtap_field_find(). */
size_t rtap_protocol_find(const char *name, uint16_t *numbers, size_t room);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
