/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nccl/nccl_cts.h"

static const struct {
	uint8_t width, keys;
	uint16_t protocol;
} layouts[NCCL_LAYOUT_COUNT] = {
#define NCCL_LAYOUT_ROW(identifier, width, keys, protocol) [NCCL_##identifier] = { width, keys, protocol },
	NCCL_LAYOUTS(NCCL_LAYOUT_ROW)
#undef NCCL_LAYOUT_ROW
};

/* Positions in bytes, of the size's width and the number of keys. */
#define KEYS_AT(width) (8 + (width))
#define RECEIVES_AT(width, keys) (KEYS_AT(width) + 4 * (keys))
#define TAG_AT(width, keys) (RECEIVES_AT(width, keys) + 4)
#define INDEX_AT(width, keys) ((TAG_AT(width, keys) + 4 + 7) / 8 * 8)
#define LENGTH_OF(width, keys) (INDEX_AT(width, keys) + 8)

/* Bytes of an entry without padding. */
static uint32_t nccl_entry_length(enum nccl_layout layout)
{
	return LENGTH_OF((uint32_t)layouts[layout].width, layouts[layout].keys);
}

uint16_t nccl_protocol(enum nccl_layout layout)
{
	return layouts[layout].protocol;
}

struct nccl_entry nccl_read_entry(enum nccl_layout layout, const uint8_t *bytes)
{
	unsigned width = layouts[layout].width, keys = layouts[layout].keys;
	struct nccl_entry entry = {
		.address = little_bits(bytes, 0, 64), .size = little_bits(bytes, 64, width * 8),
		.receives = (uint32_t)little_bits(bytes, RECEIVES_AT(width, keys) * 8, 32), .tag = (uint32_t)little_bits(bytes, TAG_AT(width, keys) * 8, 32),
		.index = little_bits(bytes, INDEX_AT(width, keys) * 8, 64),
	};

	for (unsigned i = 0; i < keys; i++)
		entry.keys[i] = (uint32_t)little_bits(bytes, (KEYS_AT(width) + 4 * i) * 8, 32);
	return entry;
}

#define MOST_SIZE (UINT64_C(1) << 32)

/* Whether the common values of all entries agree, and each entry names memory. */
static bool is_plausible(enum nccl_layout layout, const uint8_t *bytes, uint32_t length)
{
	uint32_t entry_length = nccl_entry_length(layout), each;
	struct nccl_entry first;

	if (length < entry_length)
		return false;
	first = nccl_read_entry(layout, bytes);
	if (first.receives < 1 || first.receives > NCCL_MOST_RECEIVES || length % first.receives)
		return false;
	each = length / first.receives;
	if (each < entry_length || each < NCCL_LEAST_ENTRY || each > NCCL_MOST_ENTRY || each % 8)
		return false;
	for (uint32_t i = 0; i < first.receives; i++) {
		struct nccl_entry entry = i ? nccl_read_entry(layout, bytes + i * each) : first;

		if (!entry.address || !entry.keys[0] || entry.size >= MOST_SIZE || !entry.index || entry.address + entry.size < entry.address ||
		    entry.receives != first.receives || entry.index != first.index)
			return false;
	}
	return true;
}

unsigned nccl_plausible(unsigned candidates, const uint8_t *bytes, uint32_t length)
{
	unsigned plausible = 0;

	for (unsigned layout = 0; layout < NCCL_LAYOUT_COUNT; layout++)
		if (candidates >> layout & 1 && is_plausible((enum nccl_layout)layout, bytes, length))
			plausible |= 1u << layout;
	return plausible;
}

/* All entries of an announcement, each with its padding. */
static enum result parse_entries(struct parse *parse, enum nccl_layout layout)
{
	uint32_t length = nccl_entry_length(layout), wire = parse->cursor.wire, count = 1, padding = 0;
	const uint8_t *bytes;
	enum result result = OK;

	for (uint32_t i = 0; i < count && i < NCCL_MOST_RECEIVES; i++) {
		result = parse_layer(parse, layouts[layout].protocol, length, &bytes);
		if (result != OK)
			return result;
		if (!i)
			count = nccl_read_entry(layout, bytes).receives;
		if (!i && count && wire / count > length)
			padding = wire / count - length;
		if (padding)
			result = parse_more(parse, padding, &bytes);
		if (result != OK)
			return result;
	}
	if (parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

static void summary_of(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line, enum nccl_layout layout)
{
	struct nccl_entry entry;

	if (layer->length < nccl_entry_length(layout))
		return;
	entry = nccl_read_entry(layout, layer_bytes(packet, layer));
	line_text(line, ": NCCL CTS ");
	line_dec(line, entry.index);
	line_text(line, ", ");
	line_dec(line, entry.size);
	line_text(line, " B ");
	line_hex(line, entry.keys[0], 1);
	line_char(line, '+');
	line_hex(line, entry.address, 1);
}

#define ROW(name, label, at, width, show, flags) { name, label, (at) * 8, width, show, RTAP_LITTLE | (flags), NULL, NULL, NULL }
#define KEY_ROW(name, label, width, number) ROW(name, label, KEYS_AT(width) + 4 * (number), 32, RTAP_HEX, RTAP_IS_RKEY)
#define KEYS_1(width) KEY_ROW("nccl.cts.rkey", "R_Key", width, 0),
#define KEYS_2(width) KEYS_1(width) KEY_ROW("nccl.cts.rkey1", "R_Key of Device 1", width, 1),
#define KEYS_4(width) \
	KEYS_2(width) KEY_ROW("nccl.cts.rkey2", "R_Key of Device 2", width, 2), KEY_ROW("nccl.cts.rkey3", "R_Key of Device 3", width, 3),
/* A size of 8 bytes: no buffer has 4 GB. */
#define SIZE_4
#define SIZE_8 ROW("nccl.cts.size_high", "Size (high)", 12, 32, RTAP_DEC, 0),
/* Before the index, if it is not at a multiple of 8 otherwise. */
#define PADDING_0(width, keys)
#define PADDING_4(width, keys) ROW("nccl.cts.pad", "Padding", TAG_AT(width, keys) + 4, 32, RTAP_HEX, 0),

#define CTS(identifier, name, width, keys, padding) \
	static const struct rtap_field identifier##_fields[] = { \
		ROW("nccl.cts.addr", "Address", 0, 64, RTAP_HEX, RTAP_IS_ADDRESS), \
		ROW("nccl.cts.size", "Size", 8, 32, RTAP_DEC, 0), \
		SIZE_##width \
		KEYS_##keys(width) \
		ROW("nccl.cts.nreqs", "Number of Receives", RECEIVES_AT(width, keys), 32, RTAP_DEC, 0), \
		ROW("nccl.cts.tag", "Tag", TAG_AT(width, keys), 32, RTAP_DEC, 0), \
		PADDING_##padding(width, keys) \
		ROW("nccl.cts.idx", "Index", INDEX_AT(width, keys), 64, RTAP_DEC, 0), \
	}; \
	static enum result parse_##identifier(struct parse *parse) \
	{ \
		return parse_entries(parse, NCCL_##identifier); \
	} \
	static void summary_##identifier(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line) \
	{ \
		summary_of(packet, layer, line, NCCL_##identifier); \
	} \
	const struct protocol nccl_##identifier##_protocol = { \
		.table = { "nccl.cts." name, "NCCL/RCCL Clear to Send", "net_ib", LENGTH_OF(width, keys), FIELDS(identifier##_fields) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##identifier, \
		.summary = summary_##identifier, \
	};

CTS(S4K1, "s4k1", 4, 1, 0)
CTS(S4K2, "s4k2", 4, 2, 4)
CTS(S4K4, "s4k4", 4, 4, 4)
CTS(S8K1, "s8k1", 8, 1, 4)
CTS(S8K2, "s8k2", 8, 2, 0)
CTS(S8K4, "s8k4", 8, 4, 0)
