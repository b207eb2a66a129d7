/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the bytes of one direction of a TCP stream to FPDUs. RFC 5044, section 4.
 *
 * The input is in order: pieces of bytes, and holes where bytes are missing for good. While framing is known, FPDUs are
 * counted off one after another. Where it is not (the capture began in the middle, a hole ate a header, lengths that lead
 * nowhere) it is searched: for a row of FPDUs without markers, and for markers that point back to one. A find counts when
 * CRCs confirm it; where CRCs are not in use, when at least four FPDUs back to back have CRC 0 and headers that a sender
 * would send one after the other. What was held while searching is then told from the first FPDU found on.
 *
 * An FPDU inside one piece is told in place; only what straddles pieces is copied. Memory is bounded: FPDU_MAX_HELD bytes
 * a direction while searching, one FPDU otherwise, and nothing while FPDUs and pieces coincide.
 */
#ifndef REASSEMBLY_IWARP_FPDU_H
#define REASSEMBLY_IWARP_FPDU_H

#include <stddef.h>

#include <rdmatap/error.h>

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"

#define FPDU_MAX_HELD (5 * MPA_MAX_FPDU)
#define FPDU_MAX_MARKS 1024
#define FPDU_CANDIDATES 8

/* Gets what is found. Embed it as the first member of a struct that holds the taker's own state. */
struct fpdu_sink {
	/* The next FPDU in stream order. Borrowed for the call; `upper` is NULL. The taker copies `bytes` that it keeps if `split`. */
	void (*fpdu)(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu);
	/* `length` stream bytes at `offset`, captured or not, in which no FPDU could be found. */
	void (*lost)(struct fpdu_sink *sink, uint64_t offset, uint64_t length);
};

/* What is known of something that the two ends agreed upon. */
enum fpdu_use { FPDU_UNKNOWN, FPDU_OFF, FPDU_ON };

/* What the caller knows of the direction. All zero: nothing. */
struct fpdu_rules {
	bool from_start;  /* the first byte of input is the first one behind the MPA Request or Reply */
	bool is_iwarp;    /* that this is iWARP needs no proof (its setup, or the other direction, was seen) */
	enum fpdu_use crc;     /* ON if either side set C. RFC 5044, 7.1.1 */
	enum fpdu_use markers; /* ON if this direction's receiver set M */
};

/* Bytes of the stream that arrived together. */
struct fpdu_piece {
	const uint8_t *bytes;
	uint32_t length;
	uint64_t frame;   /* number of the frame that brought them */
	int64_t time_ns;
	uint64_t cause;   /* the caller's own: fpdu_cause() */
	bool checked;     /* an FPDU of its own, if it is one without markers: then its CRC is right */
};

/* Where FPDUs of a layout begin and where their next marker stands. Stream offsets. */
enum fpdu_layout {
	FPDU_PLAIN,
	FPDU_MARKED, /* RFC 5044, 4.3 */
	FPDU_SKEWED, /* as some old stacks do it: see struct rtap_fpdu */
};

/* A row of FPDUs that may be one. Stream offsets. */
struct fpdu_candidate {
	enum fpdu_layout layout;
	uint64_t start;         /* of its first FPDU */
	uint64_t first_marker;  /* at or behind `start` */
	uint64_t next;          /* of the FPDU being looked at */
	uint64_t next_marker;   /* at or behind `next` */
	uint64_t end;           /* of that FPDU, if `sized` */
	bool sized;
	uint32_t good, zero;    /* FPDUs in front of `next` with a good CRC; with none */
	struct rtap_iwarp_facts facts; /* of the FPDU at `next` if sized, else of the one before */
};

/* Which frame brought the bytes from an offset on. */
struct fpdu_mark {
	uint64_t offset, frame;
	int64_t time_ns;
	uint64_t cause;
};

/* One direction. The members are the framer's own. */
struct fpdu_framer {
	struct fpdu_sink *sink;
	struct fpdu_rules rules; /* with what was learned since */
	uint64_t offset;         /* of the next byte of input */
	uint64_t start;          /* of the first byte that was neither told nor reported lost */
	bool searching;
	bool trusted;            /* in step since the start of FPDUs */
	uint8_t framing;         /* enum rtap_fpdu_framing of what is told */
	enum fpdu_layout layout;
	bool layout_certain;     /* agreed upon, or so many bytes fitted that a marker would have been among them */
	bool markers_proven;     /* a marker pointed back as it should */
	bool phase_known;        /* next_marker is right */
	uint64_t found;          /* where FPDUs were counted off from last */
	uint64_t next_marker;    /* at or behind the next FPDU; keeps its phase while searching */
	uint64_t skewed_marker;  /* the same, would the layout be the skewed one */
	uint64_t refused_marker; /* next_marker of the standard's layout while the skewed one is tried */
	bool skew_refused;       /* it was tried, and was not it */
	/* the last bytes of input, up to `offset`: the beginning of an FPDU, or what is being searched */
	uint8_t *held;
	uint32_t held_length, held_room;
	bool gives;              /* they are being counted off, and fpdu_give() may have them */
	struct rtap_fpdu_gap gaps[RTAP_FPDU_GAPS]; /* in them, of an FPDU under way */
	uint8_t gap_count;
	struct fpdu_mark now;    /* the piece being looked at */
	struct rtap_span checked; /* of it, what has a right CRC if it is one FPDU without markers */
	struct fpdu_mark *marks; /* where held bytes came from */
	uint32_t mark_count, mark_room;
	/* for the search */
	uint64_t scanned, markers_scanned; /* what begins, what is marked in front of these was looked at */
	uint64_t hole_end;       /* where the last hole ended, or the input began */
	uint64_t allowance;      /* bytes that CRCs may still be computed over */
	struct fpdu_candidate *candidates; /* FPDU_CANDIDATES of them, once there was one; in the order of their starts */
	uint32_t candidate_count;
	bool out_of_memory;      /* bytes were treated as lost because there was no memory for them */
};

/* `offset` is the stream offset of the first byte of input; any number, e.g. 64-bit TCP sequence numbers. */
void fpdu_init(struct fpdu_framer *framer, struct fpdu_sink *sink, const struct fpdu_rules *rules, uint64_t offset);

/* Frees what is held without telling it. */
void fpdu_fini(struct fpdu_framer *framer);

/* Takes the next bytes of the stream and tells the FPDUs that they end. */
void fpdu_take(struct fpdu_framer *framer, const struct fpdu_piece *piece);

/* The next `length` bytes of the stream are missing, and will not come. `reason` goes into the gaps of FPDUs that lost bytes. */
void fpdu_skip(struct fpdu_framer *framer, uint64_t length, uint8_t reason);

/* The stream ends: tells what is still held. More input may follow; it is then searched. */
void fpdu_finish(struct fpdu_framer *framer, uint8_t reason);

/*
 * Bytes from `offset` on, which is ahead of where the framer stands, will come in their turn. If they are FPDUs from the first to
 * the last by all that is known, `ahead` is told of each, and true returned.
 */
bool fpdu_look_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece,
		     void (*ahead)(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu));

/* How many frames brought the FPDU that the sink is being told of; beyond FPDU_MAX_MARKS those are not counted apart. */
uint32_t fpdu_frames(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu);

/* `cause` of the piece with the last byte of the FPDU that the sink is being told of. */
uint64_t fpdu_cause(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu);

/*
 * Within sink->fpdu: takes over the memory that the FPDU being told lies in, which is fpdu->bytes.bytes, from malloc(), *size
 * bytes. NULL: it is not to be had.
 */
uint8_t *fpdu_give(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu, size_t *size);

/* Heap bytes in use. */
static inline size_t fpdu_memory(const struct fpdu_framer *framer)
{
	return framer->held_room + framer->mark_room * sizeof *framer->marks +
	       (framer->candidates ? FPDU_CANDIDATES * sizeof *framer->candidates : 0);
}

#endif
