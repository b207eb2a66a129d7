/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the bytes of one direction of a TCP stream to FPDUs. RFC 5044, section 4.
 *
 * The input is in order: pieces of bytes, and holes of bytes that are missing for good. While framing is known, FPDUs are
 * read one after another. Otherwise (the capture began in the middle, a hole contains a header, lengths do not lead to
 * further FPDUs) the framer searches: for a sequence of FPDUs without markers, and for markers that point back to an FPDU. A
 * result is accepted when CRCs confirm it; if CRCs are not in use, when at least four consecutive FPDUs have CRC 0 and
 * plausible consecutive headers. FPDUs held during the search are then delivered from the first one found.
 *
 * FPDUs after that are marked as recovered until their start is certain: see gain_certainty().
 *
 * An FPDU inside one piece is delivered in place; only FPDUs that span pieces are copied. Memory is bounded: FPDU_MAX_HELD
 * bytes per direction while searching, one FPDU otherwise, and none while FPDUs and pieces coincide.
 */
#ifndef REASSEMBLY_IWARP_FPDU_H
#define REASSEMBLY_IWARP_FPDU_H

#include <stddef.h>

#include <rdmatap/error.h>

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"

#define FPDU_MAX_HELD (5 * MPA_MAX_FPDU)
#define FPDU_MAX_ORIGINS 1024
#define FPDU_CANDIDATES 8
#define FPDU_QUEUES 2 /* of Sends, and of Read Requests */

/* Receives the results. Embed it as the first member of a struct with the receiver's state. */
struct fpdu_sink {
	/*
	 * The next FPDU in stream order. Borrowed for the call; `upper` is NULL. To keep `bytes`, the receiver copies them
	 * if `split` is set.
	 */
	void (*fpdu)(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu);
	/* `length` stream bytes at `offset`, captured or not, without a recognised FPDU. */
	void (*lost)(struct fpdu_sink *sink, uint64_t offset, uint64_t length);
};

/* A feature that the two ends negotiated. */
enum fpdu_use { FPDU_UNKNOWN, FPDU_OFF, FPDU_ON };

/* What the caller knows of the direction. All zero: nothing known. */
struct fpdu_rules {
	bool from_start;  /* the input starts with the first byte after the MPA Request or Reply */
	bool is_iwarp;    /* iWARP is certain (its setup or the other direction was seen) */
	enum fpdu_use crc;     /* ON if either side set C. RFC 5044, 7.1.1 */
	enum fpdu_use markers; /* ON if this direction's receiver set M */
};

/* Bytes of the stream that arrived together. */
struct fpdu_piece {
	const uint8_t *bytes;
	uint32_t length;
	uint64_t frame;   /* number of their frame */
	int64_t time_ns;
	uint64_t cause;   /* opaque to the framer, returned by fpdu_cause() */
	bool checked;     /* if it is exactly one FPDU without markers, its CRC is good */
};

/* The position of markers relative to FPDUs. */
enum fpdu_layout {
	FPDU_PLAIN,
	FPDU_MARKED, /* RFC 5044, 4.3 */
	FPDU_SKEWED, /* as in some old implementations: see struct rtap_fpdu */
};

/* A possible sequence of FPDUs. Stream offsets. */
struct fpdu_candidate {
	enum fpdu_layout layout;
	uint64_t start;         /* of its first FPDU */
	uint64_t first_marker;  /* at or after `start` */
	uint64_t next;          /* of the current FPDU */
	uint64_t next_marker;   /* at or after `next` */
	uint64_t end;           /* of the current FPDU, if `sized` is set */
	bool sized;
	uint32_t good, zero;    /* FPDUs before `next`: with a good CRC; with CRC 0 */
	struct rtap_iwarp_facts facts; /* of the FPDU at `next` if `sized` is set, else of the previous one */
};

/* The frame of the bytes from an offset on. */
struct fpdu_origin {
	uint64_t offset, frame;
	int64_t time_ns;
	uint64_t cause;
};

/* One direction. The members are private to the framer. */
struct fpdu_framer {
	struct fpdu_sink *sink;
	struct fpdu_rules rules; /* as given and as learned since */
	uint64_t offset;         /* of the next byte of input */
	uint64_t start;          /* of the first byte neither delivered nor reported lost */
	bool searching;
	bool trusted;            /* in step since the first FPDU */
	uint8_t framing;         /* enum rtap_fpdu_framing of delivered FPDUs */
	enum fpdu_layout layout;
	bool layout_certain;     /* negotiated, or as many bytes fitted as would include a marker */
	bool markers_proven;     /* a marker pointed back correctly */
	bool phase_known;        /* next_marker is valid */
	uint64_t found;          /* start of the last run of FPDUs */
	uint64_t steady;         /* if `framing` is not IN_STEP: each FPDU from here on follows the one before it */
	uint32_t proofs;         /* and so many of them cannot follow by chance */
	bool has_previous;       /* `previous` has the headers of the FPDU before `start` */
	struct rtap_iwarp_facts previous;
	uint32_t msn[FPDU_QUEUES]; /* of the last FPDU of a queue since `steady` */
	bool has_msn[FPDU_QUEUES];
	uint64_t next_marker;    /* at or after the next FPDU; keeps its phase while searching */
	uint64_t skewed_marker;  /* the same for the skewed layout */
	uint64_t refused_marker; /* next_marker of the standard layout while the skewed one is tried */
	bool skew_refused;       /* it was tried and did not fit */
	/* the last bytes of input, up to `offset`: the beginning of an FPDU, or bytes being searched */
	uint8_t *held;
	uint32_t held_length, held_room;
	bool hands_over;         /* held bytes are being delivered, and fpdu_hand_over() may transfer them */
	struct rtap_fpdu_gap gaps[RTAP_FPDU_GAPS]; /* holes in them, of the current FPDU */
	uint8_t gap_count;
	struct fpdu_origin now;    /* the current piece */
	struct rtap_span checked; /* part of it that has a good CRC if it is one FPDU without markers */
	struct fpdu_origin *origins; /* origins of the held bytes */
	uint32_t origin_count, origin_room;
	/* State of the search. */
	uint64_t scanned, markers_scanned; /* FPDU starts, and markers, before these offsets were examined */
	uint64_t hole_end;       /* end of the last hole, or start of the input */
	uint64_t allowance;      /* bytes that may still be read to compute CRCs */
	struct fpdu_candidate *candidates; /* FPDU_CANDIDATES of them once allocated; in order of `start` */
	uint32_t candidate_count;
	bool out_of_memory;      /* bytes were treated as lost for lack of memory */
};

/* `offset` is the stream offset of the first byte of input; any number, for example a 64-bit TCP sequence number. */
void fpdu_init(struct fpdu_framer *framer, struct fpdu_sink *sink, const struct fpdu_rules *rules, uint64_t offset);

/* Frees held bytes without delivering them. */
void fpdu_fini(struct fpdu_framer *framer);

/* Processes the next bytes of the stream and delivers the FPDUs that they complete. */
void fpdu_take(struct fpdu_framer *framer, const struct fpdu_piece *piece);

/* The next `length` bytes of the stream are missing for good. `reason` is copied to the gaps of FPDUs that lost bytes. */
void fpdu_skip(struct fpdu_framer *framer, uint64_t length, uint8_t reason);

/* The stream ends: delivers what can be delivered. More input may follow; it is then searched. */
void fpdu_finish(struct fpdu_framer *framer, uint8_t reason);

/*
 * Looks at bytes from `offset` on, which is ahead of the framer's position; they will be passed again in order. If they are
 * a whole number of FPDUs by all that is known, calls `ahead` for each and returns true.
 */
bool fpdu_look_ahead(const struct fpdu_framer *framer, uint64_t offset, const struct fpdu_piece *piece,
		     void (*ahead)(struct fpdu_sink *sink, const struct rtap_fpdu *fpdu));

/* Number of frames of the FPDU being delivered. Beyond FPDU_MAX_ORIGINS frames are not counted separately. */
uint32_t fpdu_frames(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu);

/* `cause` of the piece with the last byte of the FPDU being delivered. */
uint64_t fpdu_cause(const struct fpdu_framer *framer, const struct rtap_fpdu *fpdu);

/*
 * Within sink->fpdu: transfers ownership of the memory at fpdu->bytes.bytes, *size bytes from malloc(). NULL: not possible.
 */
uint8_t *fpdu_hand_over(struct fpdu_framer *framer, const struct rtap_fpdu *fpdu, size_t *size);

/* Heap bytes in use. */
static inline size_t fpdu_memory(const struct fpdu_framer *framer)
{
	return framer->held_room + framer->origin_room * sizeof *framer->origins +
	       (framer->candidates ? FPDU_CANDIDATES * sizeof *framer->candidates : 0);
}

#endif
