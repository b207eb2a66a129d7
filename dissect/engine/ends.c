/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/ends.h"
#include "dissect/engine/line_fit.h"

#define PORTS_LENGTH 4 /* UDP and TCP begin with both ports */
#define ENDS_WIDTH 32
#define GID_LABEL "gid "
#define ENDS_MOST (160 + LINE_PAD) /* label, two addresses with numbers, and padding */

/* Kind of the numbers of the ends. */
enum end_number { END_NONE, END_QPN, END_PORT };

bool ends_show_ports(const struct rtap_packet *packet)
{
	return !packet_has(packet, PROTOCOL_ICMP) && !packet_has(packet, PROTOCOL_ICMPV6);
}

/* The facts are those of the innermost transport header. */
static enum end_number number_of_bth(const struct rtap_packet *packet, const struct rtap_layer *bth)
{
	return packet->ib.has_bth && bth->offset == packet->ib.bth_offset && bth->source == packet->ib.source ? END_QPN : END_NONE;
}

/* Ports of UDP that carries another packet are those of the tunnel. */
static enum end_number number_of_udp(const struct rtap_packet *packet, const struct rtap_layer *udp)
{
	const struct rtap_layer *after = layer_after(packet, udp);

	if (after && after->protocol == PROTOCOL_BTH)
		return number_of_bth(packet, after);
	if (after && after->protocol != PROTOCOL_PAYLOAD && after->protocol != PROTOCOL_RPC)
		return END_NONE;
	return udp->length >= PORTS_LENGTH && load32(layer_bytes(packet, udp)) ? END_PORT : END_NONE;
}

/* By the transport header after a network layer and its extensions, to which *layer moves. */
static __attribute__((noinline)) enum end_number search_number(const struct rtap_packet *packet, const struct rtap_layer **layer)
{
	while ((*layer = layer_after(packet, *layer))) {
		switch ((*layer)->protocol) {
		case PROTOCOL_UDP:
			return ends_show_ports(packet) ? number_of_udp(packet, *layer) : END_NONE;
		case PROTOCOL_BTH:
			return number_of_bth(packet, *layer);
		case PROTOCOL_TCP:
			return packet->tcp.present && (*layer)->length >= PORTS_LENGTH && ends_show_ports(packet) ? END_PORT : END_NONE;
		case PROTOCOL_HOP_OPTIONS:
		case PROTOCOL_ROUTING:
		case PROTOCOL_FRAGMENT:
		case PROTOCOL_DESTINATION_OPTIONS:
		case PROTOCOL_AUTHENTICATION:
			break;
		default:
			return END_NONE;
		}
	}
	return END_NONE;
}

static inline enum end_number number_after(const struct rtap_packet *packet, const struct rtap_layer **layer)
{
	const struct rtap_layer *next = *layer + 1;

	/* most packets */
	if (packet->layers + packet->layer_count - next > 1 && next[0].protocol == PROTOCOL_UDP && next[1].protocol == PROTOCOL_BTH)
		return number_of_bth(packet, next + 1);
	return search_number(packet, layer);
}

/* The numbers of both ends, where known. */
struct numbers {
	enum end_number kind;
	bool has_source;
	uint32_t source, destination;
};

static inline struct numbers numbers_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	enum end_number kind = number_after(packet, &layer);

	if (kind == END_PORT) {
		const uint8_t *ports = layer_bytes(packet, layer);

		return (struct numbers){ END_PORT, true, load16(ports), load16(ports + 2) };
	}
	return (struct numbers){
		.kind = kind,
		.has_source = kind != END_NONE && (packet->ib.has_deth || packet->flow.has_source_qpn),
		.source = packet->ib.has_deth ? packet->ib.src_qpn : packet->flow.source_qpn,
		.destination = packet->ib.dest_qpn,
	};
}

static inline char *put_number(char *to, enum end_number kind, uint32_t number)
{
	*to++ = ':';
	return kind == END_QPN ? line_put_hex(line_put(to, "0x"), number, 1) : line_put_dec(to, number);
}

/* An address with or without its number. */
static inline char *put_end(char *to, const uint8_t *address, unsigned length, enum end_number kind, bool has_number, uint32_t number)
{
	if (length == 4) {
		to = line_put_ipv4(to, address);
	} else {
		if (has_number)
			*to++ = '[';
		to = line_put_ip(to, address, length);
		if (has_number)
			*to++ = ']';
	}
	return has_number ? put_number(to, kind, number) : to;
}

/* Both ends of a network layer. */
struct ends {
	const uint8_t *addresses;
	unsigned length; /* of one address */
	bool is_gid;
	bool is_carried; /* in an InfiniBand message: not a column */
	struct numbers numbers;
};

static inline uint32_t form_of(const struct ends *ends)
{
	return (uint32_t)ends->numbers.kind << 16 | (uint32_t)ends->is_carried << 10 | (uint32_t)ends->numbers.has_source << 9 |
	       (uint32_t)ends->is_gid << 8 | ends->length;
}

static inline bool is_text_of(const struct ends_text *text, const struct ends *ends)
{
	return !memcmp(text->addresses, ends->addresses, 2 * ends->length) && text->form == form_of(ends) &&
	       text->source == ends->numbers.source && text->destination == ends->numbers.destination;
}

static inline struct ends_text *place_of(struct ends_texts *texts, const struct ends *ends)
{
	uint64_t last;

	memcpy(&last, ends->addresses + 2 * ends->length - sizeof last, sizeof last);
	last ^= (uint64_t)ends->numbers.source << 32 | ends->numbers.destination;
	return &texts->texts[(last * UINT64_C(0x9e3779b97f4a7c15) >> 32) % ENDS_TEXTS];
}

/* Formats the column, and keeps it at `text` unless that is NULL. */
static __attribute__((noinline)) void put_ends(const struct ends *ends, struct ends_text *text, struct line *line)
{
	const struct numbers *numbers = &ends->numbers;
	char spare[ENDS_MOST], *begin = line_begin(line, spare, sizeof spare), *to = begin;

	if (ends->is_gid)
		to = line_put(to, GID_LABEL);
	to = put_end(to, ends->addresses, ends->length, numbers->kind, numbers->has_source, numbers->source);
	to = put_end(line_put(to, " > "), ends->addresses + ends->length, ends->length, numbers->kind, numbers->kind != END_NONE,
		     numbers->destination);
	if (ends->is_carried)
		*to++ = ' ';
	else
		to = line_put_pad(begin, to, ENDS_WIDTH);
	if (text && to - begin <= ENDS_TEXT_MOST) {
		memcpy(text->addresses, ends->addresses, 2 * ends->length);
		text->source = numbers->source;
		text->destination = numbers->destination;
		text->form = form_of(ends);
		text->length = (uint32_t)(to - begin);
		memcpy(text->text, begin, text->length);
	}
	line_end(line, begin, to);
}

/* Inlined with a constant length, for comparisons of a fixed size. */
static inline __attribute__((always_inline)) void append_ends(const struct ends *ends, struct line *line)
{
	struct ends_text *text = line->ends ? place_of(line->ends, ends) : NULL;
	struct ends copy;

	if (!text || line->end - line->next < ENDS_TEXT_MOST || !is_text_of(text, ends)) {
		copy = *ends;
		put_ends(&copy, text, line);
		return;
	}
	memcpy(line->next, text->text, ENDS_TEXT_MOST / 2);
	if (text->length > ENDS_TEXT_MOST / 2)
		memcpy(line->next, text->text, ENDS_TEXT_MOST);
	line->next += text->length;
}

/* Of the outer ends of a tunnel, before those that are written now, long lines omit the padding, and at last all. */
static __attribute__((noinline)) void spare_outer(struct line *line)
{
	char *begin = line->after_ends;

	while (begin[-1] == ' ')
		begin--;
	if (begin + 1 < line->after_ends)
		line_spare_within(line, begin + 1, line->after_ends, LINE_SPARE_LOWER);
	line_spare_within(line, line->ends_begin, line->after_ends, LINE_SPARE_OUTER);
}

/* Returns whether a network header follows a BTH: IP or Ethernet over InfiniBand. */
static bool is_carried(const struct rtap_packet *packet, const struct rtap_layer *network)
{
	while (network > packet->layers && network->protocol != PROTOCOL_BTH)
		network--;
	return network->protocol == PROTOCOL_BTH;
}

void ends_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, bool is_gid, const uint8_t *source, unsigned length,
		  struct line *line)
{
	struct numbers numbers = numbers_of(packet, layer);
	bool carried = numbers.kind != END_QPN && packet->ib.has_bth && is_carried(packet, layer);

	/* elsewhere than in a line of a packet nothing may precede it */
	if (line->ends && line->after_ends && line->after_ends != line->next)
		spare_outer(line);
	line->ends_begin = line->next;
	if (length == 4) {
		append_ends(&(struct ends){ source, 4, false, carried, numbers }, line); /* a GID has 16 bytes */
	} else {
		append_ends(&(struct ends){ source, 16, is_gid, carried, numbers }, line);
		if (is_gid && line->ends && !line->cut)
			line_spare_within(line, line->ends_begin, line->ends_begin + strlen(GID_LABEL), LINE_SPARE_LOWER);
	}
	line->after_ends = line->next;
}

void ends_summary_lids(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t source, uint32_t destination,
		       struct line *line)
{
	struct numbers numbers = numbers_of(packet, layer);
	char spare[ENDS_MOST], *begin = line_begin(line, spare, sizeof spare);
	char *to = line_put_dec(line_put(begin, "lid "), source);
	const struct rtap_layer *after = layer_after(packet, layer);

	if (numbers.has_source)
		to = put_number(to, numbers.kind, numbers.source);
	to = line_put_dec(line_put(to, " > "), destination);
	if (numbers.kind != END_NONE)
		to = put_number(to, numbers.kind, numbers.destination);
	bool has_gids = after && after->protocol == PROTOCOL_GRH;
	size_t length;

	/* a GRH has the ends' numbers, and the column */
	if (has_gids)
		*to++ = ' ';
	else
		to = line_put_pad(begin, to, ENDS_WIDTH);
	length = (size_t)(to - begin);
	line_end(line, begin, to);
	line->ends_begin = line->next - (line->cut ? 0 : length);
	if (has_gids && !line->cut)
		line_spare(line, line->ends_begin, LINE_SPARE_LOWER);
	line->after_ends = line->next;
}
