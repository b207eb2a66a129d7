/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The upper layers: what connections of RDMA carry. A layer is a row of callbacks, and upper_layers.c lists all rows. The transports
 * know no layer: they report here what one may need. A connection is of one layer at most, which is known when communication
 * management names it, or when its callback takes a packet or a Send for its own.
 */
#ifndef REASSEMBLY_UPPER_H
#define REASSEMBLY_UPPER_H

#include "dissect/infiniband/ib.h"
#include "reassembly/message_extent.h"
#include "reassembly/state.h"

struct rtap_fpdu;

/* A packet of a connection; or of iWARP a Send, or what a READ completed, in a packet of its own. */
struct upper_work {
	struct rtap_tracker *tracker;
	struct connection *connection;
	bool from_a;                  /* who sent it */
	struct message *message;      /* that it is part of; NULL: none any more, as of a repeat */
	struct rtap_packet *packet;   /* dissected by what is known without the layer */
	struct rtap_context *context; /* for another dissection; what it points to is borrowed until the frame is done */
	void (*dissect)(struct upper_work *work); /* dissects it again, by the context as it is now */
	/* The rest is iWARP's: else NULL. */
	const struct rtap_fpdu *fpdu;
	bool (*keep)(struct upper_work *work, struct rtap_span *bytes); /* copies bytes for as long as the frame. False: memory is out */
};

/* All callbacks are there. A layer charges what it keeps to budget holders of its own. */
struct upper_layer {
	const char *name;
	/* Whether what set the connection up shows that it is of this layer. */
	bool (*is_set_up)(const struct connection *connection);
	/*
	 * InfiniBand and RoCE: a packet that is a whole SEND, completes one, or with which the data of a READ or WRITE that was claimed is
	 * over. False: it is not of this layer.
	 */
	bool (*packet)(struct upper_work *work);
	/* iWARP: a Send is whole. False: it is not of this layer. */
	bool (*send)(struct upper_work *work);
	/* iWARP: a READ that was claimed is whole. The packet is nothing yet. Whether there is anything to be shown of it. */
	bool (*read)(struct upper_work *work);
	/* iWARP: a Send is shown before its turn; send() follows when that has come. Nothing may change but what is shown. */
	void (*ahead)(struct upper_work *work);
	/* Whether data that comes before what names its memory may be wanted: its bytes are kept until that is known. */
	bool (*may_want)(const struct rtap_tracker *tracker, const struct connection *connection);
	/* A READ or WRITE request names memory. The layer claims it by message->region, and says by bytes_wanted if its bytes are needed. */
	void (*claim)(struct rtap_tracker *tracker, struct message *message);
	/* A message that the layer has claimed (region), or that carries an answer (replies_to), is settled; it goes before it is. */
	void (*settled)(struct rtap_tracker *tracker, struct message *message);
	void (*forget)(struct message *message);
	/* A message of the layer's own (call): when something was seen of what it waits for, by the budget's clock. */
	uint64_t (*used_ns)(const struct message *message);
	/* Such a message is reported before the layer is done with it. */
	void (*detach)(struct message *message);
	/* `from` turned out to be part of `to`; `turned`: its ends are the other way round there. */
	void (*merged)(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
	/* Nothing more is expected of the connection: what is under way ends as it stands. */
	void (*end)(struct rtap_tracker *tracker, struct connection *connection);
	/* The connection goes, after end(): nothing of it will be seen again. */
	void (*over)(struct rtap_tracker *tracker, struct connection *connection);
	/* Time has passed: tracker->now_ns. */
	void (*advance)(struct rtap_tracker *tracker);
	/* Frees what the layer has in the tracker; connections have gone before. */
	void (*fini)(struct rtap_tracker *tracker);
};

/* Whether the data of a message that a layer has claimed is over with the frame at hand: of a READ all, or what the capture left of it. */
static inline bool upper_data_is_over(const struct rtap_tracker *tracker, const struct message *message)
{
	return message->region && !message->has_landed &&
	       (message->shown.verb == RTAP_VERB_READ ? message_read_is_over(message) : tracker->completed == message);
}

/* Whether the frame at hand may have something for a layer. */
static inline bool upper_may_need(const struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	const struct message *message = tracker->touched;
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	bool is_whole = opcode->class == IB_SEND && opcode->place == IB_ONLY;

	if (!message)
		return tracker->asked && is_whole;
	if (!message->connection)
		return false;
	if (message->shown.verb != RTAP_VERB_SEND)
		return upper_data_is_over(tracker, message);
	return is_whole || tracker->completed == message || tracker->cut == message;
}

/* The callbacks of the connection's layer. As long as none is known all are asked, until one takes it for its own. */
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

/* These two only of a message that waits for its layer: message->call. */
static inline uint64_t upper_used_ns(const struct message *message)
{
	return message->connection->layer->used_ns(message);
}

static inline void upper_detach(struct message *message)
{
	message->connection->layer->detach(message);
}

#endif
