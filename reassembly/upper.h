/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Upper layers: the protocols that RDMA connections carry. A layer is a table of callbacks; upper_layers.c lists all layers.
 * The transports do not depend on any layer: they report events here. A connection has at most one layer. It is set when
 * communication management names the layer, or when its callback accepts a packet or a Send.
 */
#ifndef REASSEMBLY_UPPER_H
#define REASSEMBLY_UPPER_H

#include "dissect/infiniband/ib.h"
#include "reassembly/message_extent.h"
#include "reassembly/state.h"

struct rtap_fpdu;

/* A packet of a connection. iWARP: a Send, or the data of a completed READ, as a packet of its own. */
struct upper_work {
	struct rtap_tracker *tracker;
	struct connection *connection;
	bool from_a;                  /* direction */
	struct message *message;      /* message that the packet belongs to; NULL: none, for example a repeat */
	struct rtap_packet *packet;   /* dissected without knowledge of the layer */
	struct frame_result *result;
	struct rtap_context *context; /* for another dissection; what it points to is borrowed until the end of the frame */
	void (*dissect)(struct upper_work *work); /* dissects the packet again, with the current context */
	/* iWARP only, else NULL. */
	const struct rtap_fpdu *fpdu;
	bool (*keep)(struct upper_work *work, struct rtap_span *bytes); /* copies bytes until the end of the frame. False: out of memory */
};

/* All callbacks are required. A layer charges its memory to its own budget entries. */
struct upper_layer {
	const char *name;
	/* Whether the connection setup identifies this layer. */
	bool (*is_set_up)(const struct connection *connection);
	/*
	 * InfiniBand and RoCE: a packet that is a whole SEND, completes one, or ends the data of a claimed READ or WRITE.
	 * False: the packet is not of this layer.
	 */
	bool (*packet)(struct upper_work *work);
	/* iWARP: a Send is complete. False: it is not of this layer. */
	bool (*send)(struct upper_work *work);
	/*
	 * iWARP: a claimed READ is complete. The packet is not dissected yet. Returns whether the layer has something to
	 * show.
	 */
	bool (*read)(struct upper_work *work);
	/*
	 * iWARP: shows a Send that is out of order; send() follows when it is in order. Must not change any state except
	 * what is shown.
	 */
	void (*ahead)(struct upper_work *work);
	/* Whether data that arrives before its memory is named may be needed: its bytes are kept until that is known. */
	bool (*may_want)(const struct rtap_tracker *tracker, const struct connection *connection);
	/*
	 * A READ or WRITE request names memory. The layer claims it by setting message->region, and sets bytes_wanted if it
	 * needs the bytes.
	 */
	void (*claim)(struct rtap_tracker *tracker, struct message *message);
	/*
	 * settled(): a message that the layer claimed (region) or that carries a reply (replies_to) is settled. forget(): it
	 * is freed before that.
	 */
	void (*settled)(struct rtap_tracker *tracker, struct message *message);
	void (*forget)(struct message *message);
	/* When the layer last saw progress on a message of its own (message->call), by the budget's clock. */
	uint64_t (*used_ns)(const struct message *message);
	/* A message of its own is reported before the layer has finished with it. */
	void (*detach)(struct message *message);
	/* `from` is merged into `to`. `turned`: the ends of `from` are swapped in `to`. */
	void (*merged)(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
	/* No more packets of the connection are expected: the layer concludes what is incomplete. */
	void (*end)(struct rtap_tracker *tracker, struct connection *connection);
	/* The connection is destroyed. Called after end(). */
	void (*over)(struct rtap_tracker *tracker, struct connection *connection);
	/* The capture's time advanced to tracker->now_ns. */
	void (*advance)(struct rtap_tracker *tracker);
	/* Frees the layer's state in the tracker. All connections are already destroyed. */
	void (*fini)(struct rtap_tracker *tracker);
};

/*
 * Whether the current frame ends the data of a claimed message. A READ ends when all bytes, or those that the capture has,
 * are present.
 */
static inline bool upper_data_is_over(const struct frame_result *result, const struct message *message)
{
	return message->region && !message->has_landed &&
	       (message->shown.verb == RTAP_VERB_READ ? message_read_is_over(message) : result->completed == message);
}

/* Whether an upper layer may need the current frame. */
static inline bool upper_may_need(const struct frame_result *result, const struct rtap_packet *packet)
{
	const struct message *message = result->touched;
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	bool is_whole = opcode->class == IB_SEND && opcode->place == IB_ONLY;

	if (!message)
		return result->asked && is_whole;
	if (!message->connection)
		return false;
	if (message->shown.verb != RTAP_VERB_SEND)
		return upper_data_is_over(result, message);
	return is_whole || result->completed == message || result->cut == message;
}

/* These call the connection's layer. While the layer is unknown, they call all layers until one accepts. */
bool upper_packet(struct upper_work *work);
bool upper_send(struct upper_work *work);
bool upper_read(struct upper_work *work);
void upper_ahead(struct upper_work *work);
bool upper_may_want(const struct rtap_tracker *tracker, const struct connection *connection);
void upper_claim_any(struct rtap_tracker *tracker, struct message *message);
void upper_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
void upper_end(struct rtap_tracker *tracker, struct connection *connection);
void upper_over(struct rtap_tracker *tracker, struct connection *connection);
void upper_advance(struct rtap_tracker *tracker);
void upper_fini(struct rtap_tracker *tracker);

static inline void upper_claim(struct rtap_tracker *tracker, struct message *message)
{
	const struct upper_layer *layer = message->connection->layer;

	if (!message->shown.has_key)
		return;
	if (layer)
		layer->claim(tracker, message);
	else
		upper_claim_any(tracker, message);
}

static inline void upper_settled(struct rtap_tracker *tracker, struct message *message)
{
	if (message->region || message->replies_to)
		message->connection->layer->settled(tracker, message);
}

static inline void upper_forget(struct message *message)
{
	if (message->region || message->replies_to)
		message->connection->layer->forget(message);
}

/* Only for messages that wait for their layer (message->call is set). */
static inline uint64_t upper_used_ns(const struct message *message)
{
	return message->connection->layer->used_ns(message);
}

static inline void upper_detach(struct message *message)
{
	message->connection->layer->detach(message);
}

#endif
