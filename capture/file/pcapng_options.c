/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "capture/file/pcapng.h"
#include "capture/file/pcapng_options.h"

/* How a value is put into another byte order: `count` numbers of `width` bytes after `skipped` bytes that stay. Width 0: bytes or text. */
struct layout {
	uint8_t block, code, skipped, width, count;
};

/* draft-ietf-opsawg-pcapng, 4.1 to 4.7 */
static const struct layout layouts[] = {
	{ PCAPNG_OPTIONS_OF_SECTION, 2, 0, 0, 0 },   /* shb_hardware */
	{ PCAPNG_OPTIONS_OF_SECTION, 3, 0, 0, 0 },   /* shb_os */
	{ PCAPNG_OPTIONS_OF_SECTION, 4, 0, 0, 0 },   /* shb_userappl */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 2, 0, 0, 0 }, /* if_name */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 3, 0, 0, 0 }, /* if_description */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 4, 0, 0, 0 }, /* if_IPv4addr */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 5, 0, 0, 0 }, /* if_IPv6addr */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 6, 0, 0, 0 }, /* if_MACaddr */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 7, 0, 0, 0 }, /* if_EUIaddr */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 8, 0, 8, 1 }, /* if_speed */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 9, 0, 0, 0 }, /* if_tsresol */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 10, 0, 4, 1 }, /* if_tzone */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 11, 0, 0, 0 }, /* if_filter */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 12, 0, 0, 0 }, /* if_os */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 13, 0, 0, 0 }, /* if_fcslen */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 14, 0, 8, 1 }, /* if_tsoffset */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 15, 0, 0, 0 }, /* if_hardware */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 16, 0, 8, 1 }, /* if_txspeed */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 17, 0, 8, 1 }, /* if_rxspeed */
	{ PCAPNG_OPTIONS_OF_INTERFACE, 18, 0, 0, 0 }, /* if_iana_tzname */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 2, 0, 4, 2 }, /* isb_starttime */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 3, 0, 4, 2 }, /* isb_endtime */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 4, 0, 8, 1 }, /* isb_ifrecv */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 5, 0, 8, 1 }, /* isb_ifdrop */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 6, 0, 8, 1 }, /* isb_filteraccept */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 7, 0, 8, 1 }, /* isb_osdrop */
	{ PCAPNG_OPTIONS_OF_STATISTICS, 8, 0, 8, 1 }, /* isb_usrdeliv */
	{ PCAPNG_OPTIONS_OF_PACKET, 2, 0, 4, 1 },    /* epb_flags */
	{ PCAPNG_OPTIONS_OF_PACKET, 3, 0, 0, 0 },    /* epb_hash */
	{ PCAPNG_OPTIONS_OF_PACKET, 4, 0, 8, 1 },    /* epb_dropcount */
	{ PCAPNG_OPTIONS_OF_PACKET, 5, 0, 8, 1 },    /* epb_packetid */
	{ PCAPNG_OPTIONS_OF_PACKET, 6, 0, 4, 1 },    /* epb_queue */
	{ PCAPNG_OPTIONS_OF_PACKET, 7, 1, 8, 1 },    /* epb_verdict: of Linux; that of hardware has bytes */
	{ PCAPNG_OPTIONS_OF_PACKET, 8, 0, 4, 2 },    /* epb_processid_threadid */
	{ PCAPNG_OPTIONS_OF_NAMES, 2, 0, 0, 0 },     /* ns_dnsname */
	{ PCAPNG_OPTIONS_OF_NAMES, 3, 0, 0, 0 },     /* ns_dnsIP4addr */
	{ PCAPNG_OPTIONS_OF_NAMES, 4, 0, 0, 0 },     /* ns_dnsIP6addr */
};

static const struct layout text = { 0, 0, 0, 0, 0 };
static const struct layout enterprise = { 0, 0, 0, 4, 1 }; /* a number of IANA, then what its owner defines */

static bool is_custom(uint16_t code)
{
	return code == PCAPNG_OPTION_CUSTOM_TEXT || code == PCAPNG_OPTION_CUSTOM || code == PCAPNG_OPTION_LOCAL_TEXT || code == PCAPNG_OPTION_LOCAL;
}

/* NULL: unknown. */
static const struct layout *layout_of(enum pcapng_options_of block, const struct pcapng_option *option)
{
	if (option->code == PCAPNG_OPTION_COMMENT)
		return &text;
	if (is_custom(option->code))
		return &enterprise;
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
		if (layouts[i].block != block || layouts[i].code != option->code)
			continue;
		/* the verdict of hardware has no numbers */
		return layouts[i].skipped && option->length && !option->value[0] ? &text : &layouts[i];
	}
	return NULL;
}

static void swap(uint8_t *number, size_t width)
{
	for (size_t i = 0; i < width / 2; i++) {
		uint8_t byte = number[i];

		number[i] = number[width - 1 - i];
		number[width - 1 - i] = byte;
	}
}

/* False: its layout is not known. */
static bool swap_value(const struct layout *layout, uint8_t *value, uint16_t length)
{
	size_t size;

	if (!layout)
		return false;
	if (!layout->width)
		return true;
	size = (size_t)layout->skipped + (size_t)layout->width * layout->count;
	if (layout == &enterprise ? length < size : length != size)
		return false;
	for (unsigned i = 0; i < layout->count; i++)
		swap(value + layout->skipped + (size_t)i * layout->width, layout->width);
	return true;
}

static uint16_t number_at(const uint8_t *bytes, bool swapped)
{
	uint16_t number;

	memcpy(&number, bytes, sizeof number);
	return swapped ? __builtin_bswap16(number) : number;
}

/* *size: with header and padding, which may end beyond the list. False: none is left. */
static bool next(const struct rtap_span *list, bool swapped, struct pcapng_option *option, uint32_t *size)
{
	if (list->length < PCAPNG_OPTION_HEADER)
		return false;
	option->code = number_at(list->bytes, swapped);
	option->length = number_at(list->bytes + 2, swapped);
	option->value = list->bytes + PCAPNG_OPTION_HEADER;
	*size = PCAPNG_OPTION_HEADER + ((option->length + 3u) & ~3u);
	return option->code != PCAPNG_OPTION_END;
}

static void advance(struct rtap_span *list, uint32_t size)
{
	list->bytes += size;
	list->length -= size;
}

bool pcapng_options_next(struct rtap_span *list, struct pcapng_option *option)
{
	uint32_t size;

	if (!next(list, false, option, &size))
		return false;
	advance(list, size);
	return true;
}

bool pcapng_options_fit(struct rtap_span list, bool swapped)
{
	struct pcapng_option option;
	uint32_t size;

	while (next(&list, swapped, &option, &size)) {
		if (size > list.length)
			return false;
		advance(&list, size);
	}
	return true;
}

uint32_t pcapng_options_settle(uint8_t *list, uint32_t length, enum pcapng_options_of block, bool swapped, uint64_t *left_out)
{
	struct rtap_span rest = { list, length };
	struct pcapng_option option;
	uint32_t size;
	uint8_t *to = list;

	while (next(&rest, swapped, &option, &size)) {
		uint8_t *from = list + (rest.bytes - list);
		const uint16_t header[] = { option.code, option.length };
		bool keep = option.code != PCAPNG_OPTION_LOCAL_TEXT && option.code != PCAPNG_OPTION_LOCAL;

		if (keep && swapped)
			keep = swap_value(layout_of(block, &option), from + PCAPNG_OPTION_HEADER, option.length);
		advance(&rest, size);
		if (!keep) {
			++*left_out;
			continue;
		}
		memcpy(from, header, sizeof header);
		if (to != from)
			memmove(to, from, size);
		to += size;
	}
	if (length - (size_t)(to - list) >= PCAPNG_OPTION_HEADER)
		memset(to, PCAPNG_OPTION_END, PCAPNG_OPTION_HEADER);
	return (uint32_t)(to - list);
}
