/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPDUs that the current frame completed, for its dissection. They can span several segments, and their contents can
 * depend on earlier FPDUs.
 */
#ifndef REASSEMBLY_IWARP_IWARP_VIEW_H
#define REASSEMBLY_IWARP_IWARP_VIEW_H

#include "dissect/engine/packet.h"
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
	struct rtap_packet *presumed;      /* the frame's packet if its segment was already dissected as one FPDU with a Send; or NULL */
	bool is_presumed;                  /* the first FPDU is dissected there as it will be shown */
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

/* The packet in which an FPDU and its Send, `bytes`, were already dissected as they will be shown; NULL: none. */
struct rtap_packet *iwarp_view_presumed(const struct iwarp_view *view, const struct rtap_fpdu *fpdu, const struct rtap_span *bytes);

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
void iwarp_view_forget(struct iwarp_view *view, const struct iwarp_stream *stream);

/* Sets the FPDUs in the context if they are of this stream. */
void iwarp_view_context(const struct iwarp_view *view, const struct iwarp_stream *stream, struct rtap_context *context);

/* Dissects the current segment, with iwarp_view_context()'s context if the stream carries FPDUs. */
void iwarp_view_dissect(const struct iwarp_view *view, const struct rtap_context *context, struct rtap_packet *packet);

/* The current frame is done and wanted: messages that later get the FPDUs it showed out of order are wanted too. */
void iwarp_view_want(struct iwarp_view *view);

void iwarp_view_fini(struct iwarp_view *view, struct budget *budget);

#endif
