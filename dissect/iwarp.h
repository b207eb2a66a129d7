/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP's protocols for each other, and for the stage that puts FPDUs and messages together.
 */
#ifndef DISSECT_IWARP_H
#define DISSECT_IWARP_H

#include <rdmatap/iwarp.h>

#include "dissect/protocol.h"

#define MPA_KEY_LENGTH 16
#define MPA_SETUP_LENGTH 20       /* of a Request or Reply without its private data. RFC 5044, 7.1.1 */
#define MPA_MAX_PRIVATE 512
#define MPA_LENGTH_LENGTH 2       /* ULPDU_Length. RFC 5044, 4.1 */
#define MPA_CRC_LENGTH 4
#define MPA_MARKER_LENGTH 4       /* RFC 5044, 4.2 */
#define MPA_MARKER_INTERVAL 512   /* from one marker's first byte to the next one's. RFC 5044, 4.3 */
#define MPA_MAX_FPDU 66100        /* no FPDU with its markers has more bytes */
#define DDP_TAGGED_LENGTH 14      /* RFC 5041, 4.2 */
#define DDP_UNTAGGED_LENGTH 18    /* RFC 5041, 4.3 */
#define MPA_SMALLEST_FPDU 20      /* a tagged header without payload */

/* --- MPA Request and Reply --- */

/* Whether the bytes begin with the key of a Request or a Reply. */
bool mpa_is_setup(const struct cursor *cursor);

/* Whether `length` bytes at the beginning of a stream may be the first of a Request or Reply. */
bool mpa_may_be_setup(const uint8_t *bytes, uint32_t length);

/*
 * Reads the Request or Reply that the cursor stands at (mpa_is_setup() holds) and moves behind it, private data included.
 * TRUNCATED: bytes are missing at the end; *facts then hold what was there (facts->length as soon as it is known, else 0).
 */
enum result mpa_read_setup(struct cursor *cursor, struct rtap_mpa_facts *facts);

/* --- FPDU: geometry ---
 * "Content" is what MPA sends without the markers: ULPDU_Length, ULPDU, pad, CRC. Everything below is arithmetic; the
 * bytes need not be there. */

static inline uint32_t fpdu_pad_length(uint32_t ulpdu_length)
{
	return (2 - ulpdu_length) & 3;
}

/* Length of an FPDU's content. */
static inline uint32_t fpdu_content_length(uint32_t ulpdu_length)
{
	return MPA_LENGTH_LENGTH + ulpdu_length + fpdu_pad_length(ulpdu_length) + MPA_CRC_LENGTH;
}

/* How many markers stand in front of the content's byte `content`, the first one being at offset `first_marker`. */
static inline uint32_t fpdu_markers_before(uint32_t content, uint32_t first_marker)
{
	return content < first_marker ? 0 : (content - first_marker) / (MPA_MARKER_INTERVAL - MPA_MARKER_LENGTH) + 1;
}

/* Offset in the FPDU's bytes of the content's byte `content`. */
static inline uint32_t fpdu_offset(uint32_t content, uint32_t first_marker)
{
	return content + MPA_MARKER_LENGTH * fpdu_markers_before(content, first_marker);
}

/* Stream bytes of a whole FPDU. */
static inline uint32_t fpdu_total_length(uint32_t ulpdu_length, uint32_t first_marker)
{
	return fpdu_offset(fpdu_content_length(ulpdu_length) - 1, first_marker) + 1;
}

/* --- FPDU: contents --- */

/* Nearly all FPDUs: no marker and no gap. */
static inline bool fpdu_is_plain(const struct rtap_fpdu *fpdu)
{
	return !fpdu->gap_count && fpdu->first_marker >= fpdu->bytes.length;
}

/* fpdu_next_extent(), fpdu_head() and fpdu_fill_head() of FPDUs that are not plain. */
bool fpdu_next_parted_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent);
const uint8_t *fpdu_parted_head(const struct rtap_fpdu *fpdu, uint32_t *length);
void fpdu_fill_parted_head(struct rtap_fpdu *fpdu);

/*
 * The ULPDU's bytes without markers, one run after another: *extent gets the run that begins at byte *at of the ULPDU,
 * and *at moves behind it. A run that was not captured has bytes == NULL. False: the ULPDU has ended. Begin with *at = 0,
 * or with facts.payload_offset.
 */
static inline bool fpdu_next_extent(const struct rtap_fpdu *fpdu, uint32_t *at, struct rtap_span *extent)
{
	if (!fpdu_is_plain(fpdu))
		return fpdu_next_parted_extent(fpdu, at, extent);
	if (*at >= fpdu->ulpdu_length)
		return false;
	*extent = (struct rtap_span){ fpdu->bytes.bytes + MPA_LENGTH_LENGTH + *at, fpdu->ulpdu_length - *at };
	*at = fpdu->ulpdu_length;
	return true;
}

/*
 * The ULPDU's bytes from byte `at` on, which it has, in one run: up to its end, or to where the capture cut it off. False: markers
 * or other gaps part them, or there are none.
 */
bool fpdu_front(const struct rtap_fpdu *fpdu, uint32_t at, struct rtap_span *bytes);

/*
 * The ULPDU's first bytes, as many of RTAP_FPDU_HEAD as it has and were captured (*length), one after another. Borrowed
 * from the FPDU. fpdu_fill_head() has been called if `first_marker` lies within them.
 */
static inline const uint8_t *fpdu_head(const struct rtap_fpdu *fpdu, uint32_t *length)
{
	if (!fpdu_is_plain(fpdu))
		return fpdu_parted_head(fpdu, length);
	*length = fpdu->ulpdu_length < RTAP_FPDU_HEAD ? fpdu->ulpdu_length : RTAP_FPDU_HEAD;
	return fpdu->bytes.bytes + MPA_LENGTH_LENGTH;
}

/* Fills fpdu->head, where markers make that necessary; bytes, ulpdu_length, first_marker and gaps are set. */
static inline void fpdu_fill_head(struct rtap_fpdu *fpdu)
{
	if (!fpdu_is_plain(fpdu))
		fpdu_fill_parted_head(fpdu);
}

/* The CRC field as a number. The FPDU is whole. */
uint32_t fpdu_crc_field(const struct rtap_fpdu *fpdu);

/* Compares the CRC with the bytes. UNVERIFIABLE if some are missing. */
enum rtap_crc_status fpdu_check_crc(const struct rtap_fpdu *fpdu);

/* Whether every marker in the FPDU points back to its ULPDU_Length, by the layout that the FPDU tells. RFC 5044, 4.3. */
bool fpdu_markers_agree(const struct rtap_fpdu *fpdu);

/* --- DDP and RDMAP --- */

/* All that is known of an opcode. RFC 5040, figures 4 and 5; RFC 7306, figures 2 and 3. */
struct iwarp_opcode {
	const char *name;       /* NULL: reserved */
	bool tagged;
	uint8_t qn;             /* untagged */
	bool has_payload;       /* bytes of the upper layer may follow */
	uint8_t header_length;  /* of the RDMAP header behind DDP's, in the segment that begins the message; 0 none */
	bool invalidates, solicited;
};

extern const struct iwarp_opcode iwarp_opcodes[16];

/* Whether the opcode is one of the four Sends. */
static inline bool iwarp_is_send(uint8_t opcode)
{
	return opcode >= RTAP_RDMAP_SEND && opcode <= RTAP_RDMAP_SEND_SE_INVALIDATE;
}

/*
 * Reads the DDP and RDMAP headers at the head of a ULPDU of `ulpdu_length` bytes, of which the first `length` are at
 * `head` (without markers; see fpdu_head()). TRUNCATED: a header goes on behind what was captured. MALFORMED: the ULPDU is
 * too short for its headers. *facts hold what was read; payload_offset is behind the last whole header.
 */
enum result iwarp_read(const uint8_t *head, uint32_t length, uint32_t ulpdu_length, struct rtap_iwarp_facts *facts);

/*
 * Whether headers are what a sender that keeps to the standard sends: versions, reserved bits, opcode, tagged flag, queue
 * number, lengths. For finding FPDUs in a stream.
 */
bool iwarp_is_plausible(const struct rtap_iwarp_facts *facts, uint32_t ulpdu_length);

/* Whether a ULPDU begins as a Send does that fits into it, and that a sender which keeps to the standard sends. RFC 5041, 4.3. */
bool iwarp_is_whole_send(const uint8_t *ulpdu, uint32_t ulpdu_length);

/*
 * Whether `next` may directly follow `previous` in one direction: segments of a message stand together, and numbers go on.
 * Both are plausible by themselves. RFC 5041, 5.1 and 5.2.
 */
bool iwarp_follows(const struct rtap_iwarp_facts *previous, const struct rtap_iwarp_facts *next);

/* What a Terminate says. Offsets count from the Terminate header's first byte; 0: not there. RFC 5040, 4.8. */
struct iwarp_terminate {
	bool soft;              /* laid out as soft-iWARP does it: nibbles and bits of a byte the other way round */
	uint8_t layer, type, code;
	bool segment_length_valid, ddp_included, rdma_included; /* M, D, R */
	uint16_t reserved;
	uint32_t segment_length_at; /* DDP Segment Length, 2 bytes */
	uint32_t ddp_at, ddp_length; /* the DDP header that caused it */
	uint32_t rdma_at;       /* the Read Request header that caused it, 28 bytes */
};

/* Reads a Terminate header of four bytes and where the parts stand behind it, of which `captured` bytes of `wire` are there. */
void iwarp_read_terminate(const uint8_t *header, uint32_t captured, uint32_t wire, struct iwarp_terminate *terminate);

/* --- the FPDUs of a packet --- */

/* A walk over the FPDUs that end in a packet. */
struct iwarp_walk {
	const struct rtap_packet *packet;
	uint32_t next;        /* index in the list, or offset in source 0 */
	struct rtap_fpdu own; /* the FPDU where there is no list */
};

/* Begins a walk. The packet has fpdus (fpdus.count > 0) or the walk is empty. */
void iwarp_walk_init(struct iwarp_walk *walk, const struct rtap_packet *packet);

/* The next FPDU, valid until the next call or the end of the walk; NULL behind the last. Its facts: fpdu_head(), iwarp_read(). */
const struct rtap_fpdu *iwarp_next_fpdu(struct iwarp_walk *walk);

/* --- between the protocols' files --- */

/* What the TCP payload at the cursor is, and what follows a Request or Reply in its segment: numbers of protocols. */
uint8_t iwarp_of_stream(const struct parse *parse);
uint8_t iwarp_behind_setup(const struct parse *parse);

/*
 * With context->stop_at_tcp: dissects what the TCP payload at the cursor most likely is, if that is one FPDU with a whole Send of
 * RPC-over-RDMA, whose CRC is right or 0; packet->fpdus tell that it was. If the stream turns out to be in step there, that is
 * all. Returns the protocol that follows.
 */
uint8_t iwarp_presume(struct parse *parse);

/* An FPDU while a visitor is told of it. */
struct iwarp_unit {
	const struct rtap_packet *packet;
	struct rtap_visitor *visitor;
	const struct rtap_fpdu *fpdu;
	struct rtap_layer layer;  /* of the protocol that is told: source and offset of the FPDU's bytes */
	const uint8_t *head;
	uint32_t head_length;
	enum result result;       /* of iwarp_read() */
	struct rtap_iwarp_facts facts;
};

/* Calls `tell` for each FPDU of the packet with its head read, inside a group "FPDU" if there are several. */
void iwarp_visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       void (*tell)(struct iwarp_unit *unit));

/*
 * Tells a field of the unit's layer that stands at byte `at` of the head. iwarp_tell_bytes() tells the bytes themselves: the
 * head has them. iwarp_tell_text() tells what stands nowhere in the packet.
 */
void iwarp_tell(struct iwarp_unit *unit, size_t row, uint64_t number, uint32_t at, uint32_t length);
void iwarp_tell_bytes(struct iwarp_unit *unit, size_t row, uint32_t at, uint32_t length);
void iwarp_tell_text(struct iwarp_unit *unit, size_t row, const char *text);

#endif
