/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPDUs that the current frame completed, for its dissection. They can span several segments, and their contents can
 * depend on earlier FPDUs.
 */
#ifndef REASSEMBLY_IWARP_IWARP_VIEW_H
#define REASSEMBLY_IWARP_IWARP_VIEW_H

#include "dissect/dissect.h"
#include "reassembly/store/budget.h"

#define IWARP_VIEW_BYTES (4u << 20) /* bytes of a frame's FPDUs that may be copied; FPDUs beyond that or the budget are not shown */

struct iwarp_stream;
struct tcp_connection;

/* A number that is not that of any FPDU. */
#define IWARP_NOT_SHOWN UINT32_MAX

/* All zero: shows nothing. */
struct iwarp_view {
	const struct iwarp_stream *stream; /* stream of the FPDUs */
	struct tcp_connection *ahead;      /* the FPDUs are after a gap in this direction; NULL: in order */
	bool ahead_from_a;
	struct rtap_span frame;            /* bytes of the frame */
	uint64_t number;                   /* number of the frame */
	struct rtap_fpdu *list;
	struct rtap_context *uppers;       /* memory for the targets of the `upper` pointers */
	uint32_t count, room;
	uint64_t fillings;                 /* number of times the list was cleared; FPDU numbers are valid for one filling */
	void **kept;                       /* memory kept for the frame */
	uint32_t kept_count, kept_room;
	uint64_t kept_bytes;
	struct rtap_packet *packet;        /* the frame's; NULL: dissected */
	uint32_t dissected;                /* the first FPDUs of the list, which the packet shows */
	uint32_t begun;                    /* FPDUs in the list when the first one was dissected; a presumed one counts */
	bool has_body;                     /* the FPDU that is being examined is dissected */
	bool is_stale;                     /* it does not show them as they are known now: dissect all again */
	uint8_t source_count;              /* of the packet before the FPDU that is being examined there */
	struct packet_body before;         /* what it showed then */
	struct rtap_flow_facts flow;       /* of the last message completed by the frame */
	struct budget_entry entry;         /* of all memory held here */
};

/* Ends the current frame: shows nothing, and no longer refers to its bytes. */
void iwarp_view_end(struct iwarp_view *view, struct budget *budget);

/*
 * Starts a frame with a TCP segment and drops the previous one. `packet` is the frame's, dissected with
 * context->stop_at_tcp.
 */
void iwarp_view_begin(struct iwarp_view *view, struct budget *budget, const struct rtap_frame *frame, struct rtap_packet *packet);

/* Whether these bytes are the whole segment and have a good CRC if they are one FPDU without markers. */
bool iwarp_view_is_checked(const struct iwarp_view *view, const struct rtap_span *bytes);

/*
 * Makes the frame's packet that of FPDU number `shown` alone, dissected only if it `is_presumed`; those before it are.
 * `context`: of a packet without a state. NULL: it has to be dissected elsewhere.
 */
struct rtap_packet *iwarp_view_enter(struct iwarp_view *view, const struct rtap_context *context, uint32_t shown, bool is_presumed);

/* Whether the frame's packet was dissected as this FPDU when nothing was known, with a Send of RPC-over-RDMA that has these bytes. */
bool iwarp_view_is_presumed(const struct iwarp_view *view, uint32_t shown, const struct rtap_span *bytes);

/* Dissects the FPDU in the packet, again if it was, in view->uppers[shown]. False: it has nothing to show. */
bool iwarp_view_dissect_fpdu(struct iwarp_view *view, uint32_t shown);

/* The packet shows the first `dissected` FPDUs. */
void iwarp_view_leave(struct iwarp_view *view, uint32_t dissected);

/*
 * Adds the next FPDU of a stream and returns its number. Copies its bytes if necessary, but not if `kept`. IWARP_NOT_SHOWN:
 * no room.
 */
uint32_t iwarp_view_add(struct iwarp_view *view, struct budget *budget, const struct iwarp_stream *stream, const struct rtap_fpdu *fpdu,
			bool kept);

/* Whether an FPDU of `length` bytes may be kept. If true, the next iwarp_view_keep() succeeds. */
bool iwarp_view_has_room(struct iwarp_view *view, struct budget *budget, uint32_t length);

/*
 * Takes ownership of `memory`, `size` bytes from malloc(), until the next frame with a TCP segment begins. False: not
 * possible, ownership stays with the caller.
 */
bool iwarp_view_keep(struct iwarp_view *view, struct budget *budget, void *memory, uint64_t size);

/* The stream is about to be freed: another stream may get the same address. */
void iwarp_view_discard(struct iwarp_view *view, const struct iwarp_stream *stream);

/* Sets the FPDUs in the context if they are of this stream. */
void iwarp_view_context(const struct iwarp_view *view, const struct iwarp_stream *stream, struct rtap_context *context);

/* Dissects the rest of the current segment, with iwarp_view_context()'s context if the stream carries FPDUs. */
void iwarp_view_dissect(struct iwarp_view *view, const struct rtap_context *context, struct rtap_packet *packet);

/* The current frame is done and wanted: messages that later get the FPDUs it showed out of order are wanted too. */
void iwarp_view_want(struct iwarp_view *view);

void iwarp_view_fini(struct iwarp_view *view, struct budget *budget);

#endif
