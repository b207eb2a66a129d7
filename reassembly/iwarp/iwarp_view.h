/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPDUs that the frame at hand completed, for its dissection: they can be of several segments, and what they carry
 * can need what earlier ones told.
 */
#ifndef REASSEMBLY_IWARP_IWARP_VIEW_H
#define REASSEMBLY_IWARP_IWARP_VIEW_H

#include <rdmatap/packet.h>

#include "reassembly/store/budget.h"

#define IWARP_VIEW_BYTES (4u << 20) /* of a frame's FPDUs that may be copied; those behind, or beyond the budget, are not shown */

struct iwarp_stream;
struct tcp_connection;

/* A number that no FPDU of the frame has. */
#define IWARP_NOT_SHOWN UINT32_MAX

/* All zero shows nothing. */
struct iwarp_view {
	const struct iwarp_stream *stream; /* whose FPDUs they are */
	struct tcp_connection *ahead;      /* they stand ahead of a gap in this direction; NULL: they do not */
	bool ahead_from_a;
	struct rtap_span frame;            /* its bytes */
	uint64_t number;                   /* of the frame */
	struct rtap_fpdu *list;
	struct rtap_context *uppers;       /* room for what each one's `upper` may point to */
	uint32_t count, room;
	uint64_t fillings;                 /* times that the list was emptied: a number of an FPDU holds for one of them */
	void **kept;                       /* memory that lives as long as the frame */
	uint32_t kept_count, kept_room;
	uint64_t kept_bytes;
	struct rtap_packet *presumed;      /* the frame's packet, if its segment was dissected already as one FPDU with a Send; or NULL */
	struct rtap_packet send;           /* of the FPDU with number `sent`, dissected as the frame is to show it, if not in `presumed`; */
	uint32_t sent;                     /* IWARP_NOT_SHOWN: there is none */
	bool sent_presumed;
	struct rtap_flow_facts flow;       /* of the last message that the frame completed */
	struct budget_holder holder;       /* of all this */
};

/* The frame at hand goes: nothing is shown any more, and nothing refers to its bytes. */
void iwarp_view_end(struct iwarp_view *view, struct budget *budget);

/* Another frame with a TCP segment begins: what is there goes. `packet` is its, dissected with context->stop_at_tcp. */
void iwarp_view_begin(struct iwarp_view *view, struct budget *budget, const struct rtap_frame *frame, struct rtap_packet *packet);

/* Whether these bytes are the whole segment, and it is known to be an FPDU with a right CRC if it is one without markers. */
bool iwarp_view_is_checked(const struct iwarp_view *view, const struct rtap_span *bytes);

/* The packet in which an FPDU and its Send, `bytes`, were dissected already as they are to be shown; NULL: there is none. */
struct rtap_packet *iwarp_view_presumed(const struct iwarp_view *view, const struct rtap_fpdu *fpdu, const struct rtap_span *bytes);

/*
 * Adds an FPDU of a stream, the next one, and returns its number; its bytes are copied where that is necessary: not if `kept`.
 * IWARP_NOT_SHOWN: there is no room for it.
 */
uint32_t iwarp_view_add(struct iwarp_view *view, struct budget *budget, const struct iwarp_stream *stream, const struct rtap_fpdu *fpdu,
			bool kept);

/* Whether an FPDU of `length` bytes may be kept. If so the next iwarp_view_keep() does not fail. */
bool iwarp_view_has_room(struct iwarp_view *view, struct budget *budget, uint32_t length);

/* Takes over `memory` of `size` bytes, from malloc(): it is freed when the next such frame begins. False: it cannot. */
bool iwarp_view_keep(struct iwarp_view *view, struct budget *budget, void *memory, uint64_t size);

/* The stream is about to be freed: another one may get its address. */
void iwarp_view_forget(struct iwarp_view *view, const struct iwarp_stream *stream);

/* Puts the FPDUs into the context if they are of this stream. */
void iwarp_view_context(const struct iwarp_view *view, const struct iwarp_stream *stream, struct rtap_context *context);

/* Dissects the segment at hand, by iwarp_view_context()'s context if the stream carries FPDUs. */
void iwarp_view_dissect(const struct iwarp_view *view, const struct rtap_context *context, struct rtap_packet *packet);

/* The frame at hand is done, and wanted: so are the messages that get what it showed ahead of a gap. */
void iwarp_view_want(struct iwarp_view *view);

void iwarp_view_fini(struct iwarp_view *view, struct budget *budget);

#endif
