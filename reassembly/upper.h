/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Upper layers: the protocols that RDMA connections carry. A layer is a table of callbacks, at the end of its LAYER_layer.c; upper_layers.c
 * lists all layers.
 * The transports do not depend on any layer: they report events here. A connection has at most one layer: the
 * one that the user declared, that its setup names, that private data or a packet's header shows, or whose callback accepts
 * a packet or a Send.
 */
#ifndef REASSEMBLY_UPPER_H
#define REASSEMBLY_UPPER_H

#include "dissect/infiniband/ib.h"
#include "reassembly/message_extent.h"
#include "reassembly/state.h"

struct rtap_fpdu;

/* A packet of a connection. iWARP: a Send, or the data of a completed READ or Write, as a packet of its own. */
struct upper_work {
	struct rtap_tracker *tracker;
	struct connection *connection;
	bool from_a;                  /* direction */
	bool is_known;                /* the connection carries the layer; false: it is unknown, and the packet must prove it */
	struct message *message;      /* message that the packet belongs to; NULL: none, for example a repeat */
	struct rtap_packet *packet;   /* dissected without knowledge of the layer */
	struct frame_result *result;
	struct rtap_context *context; /* for another dissection; what it points to is borrowed until the end of the frame */
	struct message *response;     /* of a request that is known only by it: data before it can be the request's; else NULL */
	void (*dissect)(struct upper_work *work); /* dissects the packet again, with the current context */
	/* iWARP only, else NULL. */
	const struct rtap_fpdu *fpdu;
	bool (*keep)(struct upper_work *work, struct rtap_span *bytes); /* copies bytes until the end of the frame. False: out of memory */
};

/* Losses of a message that are detected after its data may have been passed to the layer. */
struct upper_loss {
	uint32_t time_us;
	uint16_t repeats;
	uint8_t cause;                /* of time_us: enum rtap_recovery */
	int64_t taken_ns;             /* time of a retransmission that the receiver may need, for it has not acknowledged the message; 0: none */
};

enum upper_verdict { UPPER_PERHAPS, UPPER_YES, UPPER_NO };

/*
 * A layer on TCP connections and in UDP datagrams, without RDMA. All callbacks are required. `stream`: the layer's state of a TCP
 * connection. `connection`: made by the layer, with `layer` and `upper_stream` set.
 */
struct upper_socket {
	/* A TCP connection begins with that frame. NULL: out of memory. */
	void *(*begin)(struct rtap_tracker *tracker, const struct tcp_connection *connection, const struct rtap_frame *frame);
	/* As in tcp_stream_user. */
	void (*life)(void *stream, bool from_a, enum tcp_life life);
	void (*bytes)(void *stream, bool from_a, const struct tcp_bytes *bytes);
	void (*hole)(void *stream, bool from_a, const struct tcp_hole *hole);
	/* Whether the connection carries the layer. UPPER_YES and UPPER_NO are final. */
	enum upper_verdict (*verdict)(const void *stream);
	/* A segment of a connection that carries the layer: sets the packet's connection, and known facts in the context. */
	void (*segment)(struct rtap_tracker *tracker, void *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet,
			struct rtap_context *context);
	/* The connection ended, or does not carry the layer: reports remaining messages, and frees the state. */
	void (*end)(void *stream);
	/* A packet without RDMA or TCP: likewise; dissects it again if known facts allow more. False: it is not of this layer. */
	bool (*datagram)(struct rtap_tracker *tracker, struct rtap_packet *packet, struct rtap_context *context);
	/* Nothing was seen for a long time: reports what is incomplete. */
	void (*give_up)(struct connection *connection);
	/* The connection is retired: the same, and the layer discards its state. */
	void (*discard)(struct connection *connection);
	/* The input and all TCP connections have ended: reports remaining messages. */
	void (*flush)(struct rtap_tracker *tracker);
};

/* The memory that requests name. request_memory, at the end of reassembly/upper/request.c, has these callbacks for all layers. */
struct upper_memory {
	/* Whether data that arrives before its memory is named may be needed: its bytes are kept until that is known. */
	bool (*may_want)(const struct rtap_tracker *tracker, const struct connection *connection);
	/* A READ or WRITE request names memory: sets message->region, and bytes_wanted if the bytes are needed. */
	void (*claim)(struct rtap_tracker *tracker, struct message *message);
	/* A READ or WRITE with a region is settled: its bytes and missing ranges are final. */
	void (*data_settled)(struct rtap_tracker *tracker, struct message *message);
	/* Such a message is freed without having settled: forgets it. */
	void (*unclaim)(struct message *message);
	/*
	 * A message of a request (request_number) had repeats; or lost time: iWARP, and READs and WRITEs whose data has landed. Its `shown` has
	 * them already.
	 */
	void (*lost)(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss);
	/* A Write of iWARP that no request claims is settled: only now all its bytes are known. NULL: not needed. */
	void (*written)(const struct message *message);
};

/*
 * Callbacks that a layer does not need are NULL, except for name and packet. A layer charges its memory to its own budget
 * entries, or to that of the connection.
 */
struct upper_layer {
	const char *name;
	const char *beside;    /* `layer` of those of its operations that do not have its name, which are of another protocol; NULL: none */
	/* Sets its state in the tracker, tracker->upper_states. False: out of memory. */
	bool (*init)(struct rtap_tracker *tracker);
	/* How a connection is recognised, besides by packet(): */
	const uint16_t *ports; /* TCP ports of its services, over CM and iWARP; ends with 0. NULL: none */
	uint8_t carried;       /* enum rtap_upper: protocol as which its SENDs are dissected; RTAP_UPPER_UNKNOWN: none */
	/* Whether the connection setup identifies this layer otherwise. */
	bool (*is_set_up)(const struct connection *connection);
	/* A REQ or REP of a connection for which is_set_up() is true: its private data is in packet->cm. */
	void (*set_up)(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a);
	bool shares_memory;    /* data of its requests may be moved on other connections too: memory that they name shows no connection */
	/* WRITEs with immediate data carry its requests or responses: packet() gets the packet that has it, also if others are missing. */
	bool takes_immediates;
	/*
	 * InfiniBand and RoCE: a packet that is a whole SEND, completes one, or ends the data of a claimed READ or WRITE.
	 * False: the packet is not of this layer.
	 */
	bool (*packet)(struct upper_work *work);
	/*
	 * InfiniBand and RoCE: whether a packet of an unknown connection answers a request of `connection`, of which only
	 * the requests were seen, by two independent signs. Of a packet that is a whole SEND or WRITE with immediate data.
	 * NULL: only the memory that requests name shows it.
	 */
	bool (*answers)(const struct connection *connection, const struct rtap_packet *packet);
	/*
	 * InfiniBand and RoCE: a WRITE that no request claims is whole with this packet; its immediate data is in the message. While the layer
	 * is unknown, only WRITEs with immediate data or of at most UPPER_SMALL_WRITE bytes. False: it is not of this layer.
	 */
	bool (*write)(struct upper_work *work);
	/* iWARP: a Send is complete. False: it is not of this layer. NULL: packet() takes it. */
	bool (*send)(struct upper_work *work);
	/*
	 * iWARP: a claimed READ or Write is complete. The packet is not dissected yet. Returns whether the layer has something
	 * to show.
	 */
	bool (*read)(struct upper_work *work);
	/*
	 * iWARP: shows a Send that is out of order; send() follows when it is in order. Must not change any state except
	 * what is shown.
	 */
	void (*ahead)(struct upper_work *work);
	const struct upper_memory *memory; /* NULL: its requests name none */
	/* A SEND that carries a response (message->request) is settled: call request_end(). Not NULL if request_answered() is called. */
	void (*response_settled)(struct rtap_tracker *tracker, struct message *message);
	/* The message of a request (request->message) is settled. Its bytes may be freed after this call. */
	void (*request_settled)(struct rtap_tracker *tracker, struct message *message);
	/*
	 * A SEND is settled of which packets are missing: its first bytes may be a request that is not known yet. Or it has a part of a message
	 * (REQUEST_AWAITED).
	 */
	void (*incomplete)(struct rtap_tracker *tracker, struct message *message);
	/* Frees what the layer allocated for a message of its own: shown.items. */
	void (*release)(struct rtap_tracker *tracker, struct message *message);
	/* A message that waits for the end of its request (message->request) is reported before that. */
	void (*detach)(struct message *message);
	/* `from` is merged into `to`. `turned`: the ends of `from` are swapped in `to`. */
	void (*merged)(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
	/* No more packets of the connection are expected: the layer concludes what is incomplete. */
	void (*end)(struct rtap_tracker *tracker, struct connection *connection);
	/* The connection is destroyed: frees connection->upper_state. Called after end(). */
	void (*over)(struct rtap_tracker *tracker, struct connection *connection);
	/* The capture's time advanced to tracker->now_ns. */
	void (*advance)(struct rtap_tracker *tracker);
	/* Frees the layer's state in the tracker. All connections are already destroyed. */
	void (*fini)(struct rtap_tracker *tracker);
	const struct upper_socket *socket; /* NULL: the layer is only over RDMA */
	/* Only if the packet view names files: a packet with an RPC whose layers are final. Sets packet->paths. At most one layer has it. */
	upper_shown *shown;
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

/*
 * Whether the SEND of packet() or send() was completed just now and belongs to no request yet: a truncated SEND can be
 * repeated completely, with other bytes. Otherwise it is a repeat, which changes nothing.
 */
static inline bool upper_is_new(const struct upper_work *work)
{
	return work->message && !work->message->request && !work->message->operation &&
	       (work->keep || work->result->completed == work->message || work->result->cut == work->message);
}

#define UPPER_SMALL_WRITE 1024

/* Whether write() of a layer may need the current frame, of a WRITE. */
static inline bool upper_may_need_write(const struct frame_result *result, const struct message *message)
{
	if (result->completed != message || message->region)
		return false;
	return message->connection->layer ? message->connection->layer->write != NULL :
					    message->shown.has_immediate || message->shown.length <= UPPER_SMALL_WRITE;
}

/* Whether an upper layer may need the current frame. */
static inline bool upper_may_need(const struct frame_result *result, const struct rtap_packet *packet)
{
	const struct message *message = result->touched;
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	bool has_immediate = opcode->class == IB_WRITE && opcode->headers & IB_IMMDT;
	bool is_whole = opcode->place == IB_ONLY && (opcode->class == IB_SEND || has_immediate);

	if (!message)
		return result->asked && is_whole;
	if (!message->connection)
		return false;
	if (message->shown.verb != RTAP_VERB_SEND)
		return has_immediate || upper_data_is_over(result, message) ||
		       (message->shown.verb == RTAP_VERB_WRITE && opcode->class == IB_WRITE && upper_may_need_write(result, message));
	return is_whole || result->completed == message || result->cut == message;
}

/* Whether the connection's setup named the layer. */
bool upper_is_set_up(const struct upper_layer *layer, const struct connection *connection);

/* A REQ or REP of the connection. */
void upper_set_up(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a);

/* Whether the port is that of a layer. */
bool upper_has_port(const struct rtap_tracker *tracker, uint16_t port);

/* The tracker has these layers. False: out of memory; call upper_fini(). */
bool upper_init(struct rtap_tracker *tracker, const struct upper_layer *const *layers) __attribute__((warn_unused_result));

/* These call the connection's layer. While the layer is unknown, they call all layers until one accepts. */
bool upper_packet(struct upper_work *work);
bool upper_write(struct upper_work *work);
bool upper_send(struct upper_work *work);
bool upper_read(struct upper_work *work);
void upper_ahead(struct upper_work *work);
bool upper_may_want(const struct rtap_tracker *tracker, const struct connection *connection);
void upper_claim_any(struct rtap_tracker *tracker, struct message *message);
void upper_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
void upper_end(struct rtap_tracker *tracker, struct connection *connection);
void upper_over(struct rtap_tracker *tracker, struct connection *connection);

/* For layers: sets connection->upper_state to `size` bytes, zeroed and charged to the connection. NULL: out of memory, which is counted. */
void *upper_state_create(struct rtap_tracker *tracker, struct connection *connection, size_t size);
/* Frees it, if there is one. */
void upper_state_destroy(struct rtap_tracker *tracker, struct connection *connection, size_t size);
void upper_advance(struct rtap_tracker *tracker);

/* The callback of the layer that has one; NULL: none. */
upper_shown *upper_shows_files(const struct rtap_tracker *tracker);

void upper_fini(struct rtap_tracker *tracker);

/* The layer with these callbacks for TCP and UDP. */
const struct upper_layer *upper_of_socket(const struct rtap_tracker *tracker, const struct upper_socket *socket);

/* These call all layers that have `socket`. upper_datagram() stops at the first that takes the packet. */
void upper_datagram(struct rtap_tracker *tracker, struct rtap_packet *packet, struct rtap_context *context);
void upper_sockets_flush(struct rtap_tracker *tracker);

/*
 * Sets the layer of a connection without one: the declared layer, the layer of its setup, or `upper`, which private data or
 * a packet showed; RTAP_UPPER_UNKNOWN: no new evidence.
 */
void upper_identify(struct rtap_tracker *tracker, struct connection *connection, enum rtap_upper upper);

static inline void upper_note(struct rtap_tracker *tracker, struct connection *connection, enum rtap_upper upper)
{
	if (upper != RTAP_UPPER_UNKNOWN && !connection->shows_layer)
		upper_identify(tracker, connection, upper);
}

/*
 * The protocol as which the connection's SENDs are dissected; RTAP_UPPER_UNKNOWN: by their content. If only the setup names
 * the layer, the layer decides: a SEND that its content does not identify, but that can be of the layer, is dissected again.
 */
static inline enum rtap_upper upper_carried(struct rtap_tracker *tracker, struct connection *connection)
{
	if (!connection->layer)
		upper_identify(tracker, connection, RTAP_UPPER_UNKNOWN);
	return connection->shows_layer ? (enum rtap_upper)connection->layer->carried : RTAP_UPPER_UNKNOWN;
}

static inline void upper_claim(struct rtap_tracker *tracker, struct message *message)
{
	const struct upper_layer *layer = message->connection->layer;

	if (!message->shown.has_key)
		return;
	if (!layer)
		upper_claim_any(tracker, message);
	else if (layer->memory)
		layer->memory->claim(tracker, message);
}

static inline void upper_settled(struct rtap_tracker *tracker, struct message *message)
{
	if (message->awaits_owner && !message->region && message->connection->layer)
		upper_claim(tracker, message);
	if ((!message->shown.complete || message->request_number == REQUEST_AWAITED) && message->shown.verb == RTAP_VERB_SEND && message->stream && !message->evicted &&
	    message->connection->layer && message->connection->layer->incomplete)
		message->connection->layer->incomplete(tracker, message);
	if (message->region)
		message->connection->layer->memory->data_settled(tracker, message);
	/* The SEND of a request may wait for the end of the request. */
	if (message->request && message->request->response == message)
		message->connection->layer->response_settled(tracker, message);
	else if (message->request && message->request->message == message && message->connection->layer->request_settled)
		message->connection->layer->request_settled(tracker, message);
}

static inline void upper_lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss)
{
	const struct upper_memory *memory = message->request_number ? message->connection->layer->memory : NULL;

	if (memory)
		memory->lost(tracker, message, loss);
}

static inline void upper_written(const struct message *message)
{
	const struct upper_layer *layer = message->connection->layer;

	if (message->shown.kind == RTAP_KIND_WRITE && !message->region && layer && layer->memory && layer->memory->written)
		layer->memory->written(message);
}

/* Only for messages that the layer holds. */
static inline void upper_detach(struct message *message)
{
	struct request *request = message->request;

	if (message->connection->layer->detach)
		message->connection->layer->detach(message);
	if (request->message == message)
		request->message = NULL;
	if (request->response_message == message)
		request->response_message = NULL;
	message->request = NULL;
}

static inline void upper_discard(struct message *message)
{
	if (message->region)
		message->connection->layer->memory->unclaim(message);
	if (!message->request)
		return;
	if (message->request->response == message)
		message->request->response = NULL;
	else
		upper_detach(message);
	message->request = NULL;
}

/* Whether it waits for the end of its request. */
static inline bool upper_holds(const struct message *message)
{
	return message->request && !message->stream;
}

static inline void upper_release(struct rtap_tracker *tracker, struct message *message)
{
	if (message->connection->layer->release)
		message->connection->layer->release(tracker, message);
}

#endif
