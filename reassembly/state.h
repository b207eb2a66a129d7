/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions of connections, PSN streams and messages being reassembled. PSNs are stored unwrapped, as 64-bit numbers.
 * Positions in a message's payload count from MESSAGE_ORIGIN at the packet with PSN `origin`, because the first packet seen
 * is not necessarily the message's first.
 */
#ifndef REASSEMBLY_STATE_H
#define REASSEMBLY_STATE_H

#include <sys/queue.h>

#include <rdmatap/tracker.h>

#include "base/heap.h"
#include "reassembly/store/budget.h"
#include "reassembly/store/spare_blocks.h"
#include "reassembly/store/coverage.h"
#include "reassembly/frame_result.h"
#include "reassembly/stream/ip_fragments.h"
#include "reassembly/iwarp/iwarp_view.h"
#include "reassembly/management/mad_exchange.h"
#include "base/map.h"
#include "base/multimap.h"
#include "reassembly/management/rmpp.h"
#include "reassembly/block_effect.h"
#include "reassembly/file_effect.h"
#include "reassembly/upper/request.h"
#include "reassembly/stream/tcp_stream.h"
#include "reassembly/store/tree.h"

#define MESSAGE_ORIGIN (UINT64_C(1) << 40)
/*
 * A gap is given up when the stream is this many PSNs past it. Packets with PSNs further away belong to another
 * conversation.
 */
#define PSN_WINDOW 65536
#define PSN_MASK 0xffffffu

/* What is kept of a packet to recognise a repeat. */
struct recent_packet {
	uint32_t psn;        /* PSN in bits 0 to 23, capture point in bits 24 to 30. RECENT_NONE: empty */
	uint32_t time_us;    /* low 32 bits */
	uint32_t digest;     /* CRC-32 of the payload; 0: not computed */
	uint16_t first_id, last_id; /* IPv4 identifications of the first copy and of the last retransmission */
};

#define RECENT_NONE UINT32_MAX

/* A retransmission, kept to recognise a copy that the network made of it. */
struct recent_repeat {
	uint32_t psn;
	uint16_t id;         /* IPv4 identification */
};

#define RECENT_REPEATS 16

/* The packets of the last PSNs. The ring grows with the number outstanding. */
struct recent {
	struct recent_packet *packets;
	uint32_t room;       /* 0 or a power of two */
	uint32_t holds;      /* consecutive PSNs that have slots of their own */
	uint64_t known_from; /* PSN: before the ring grew, packets below it may have lost their slots to later ones */
	uint8_t turn_shift;  /* see slot_of() in infiniband/psn.c */
	uint32_t id_steps;   /* one bit for each of the last packets except repeats: whether the IPv4 identification increased */
	uint16_t last_id;
	uint32_t arrived;    /* packets except repeats, modulo 2^32 */
	int64_t first_ns;    /* when the first one arrived */
	uint32_t repeat_count;
	struct recent_repeat repeats[RECENT_REPEATS]; /* ring; the next one is at repeats[repeat_count % RECENT_REPEATS] */
};

/* PSNs from `begin` up to but excluding `end`, unwrapped. */
struct psn_range {
	uint64_t begin, end;
};

/* Missing requests or READ responses, of which later ones were seen or acknowledged. */
struct psn_gap {
	uint64_t begin, end; /* PSNs, unwrapped */
	struct psn_range answered_by_data; /* requests: READs and atomics, as responses show; it can exceed the gap */
	int64_t time_ns;     /* when the gap was noticed */
	uint32_t arrived;    /* packets that arrived before the first one sent after the gap */
	bool is_open;        /* requests: none sent after it has arrived: an answer showed the gap. Open gaps are the last ones */
	bool is_requested;   /* responses: of a READ that was captured; otherwise the PSNs may belong to other requests */
	int64_t since_ns;    /* requests: when the first packet sent after it arrived; responses: when the response before it
				did; INT64_MIN: unknown */
};

/* Sorted and disjoint. */
struct psn_gaps {
	struct psn_gap *list;
	uint32_t count, room;
};

/* Acknowledgements kept to recognise repeats. */
#define RECENT_ACKS 16

/* Those in a row have different places, whether their PSNs, their IPv4 identifications or both count up. A copy has the same place. */
#define RECENT_ACK_PLACE(psn, id) ((4 * (psn) + (id)) % RECENT_ACKS)

struct recent_ack {
	uint32_t psn, msn, point;
	uint8_t syndrome;
	uint16_t id;         /* IPv4 identification; 0 without one */
	int64_t time_ns;     /* 0: empty */
};

/* The state of a requester's retransmissions: reassembly/infiniband/recovery.h. */
struct recovery {
	bool running;        /* the last request was a retransmission */
	bool nak_unused;     /* nothing was retransmitted since the last NAK requested it */
	bool answers_again;  /* the last READ response was a retransmission */
	uint8_t nak_cause;   /* enum rtap_recovery: the cause reported by that NAK */
	uint8_t cause;       /* of the last attempt */
	uint8_t attempt;     /* attempts without progress; 255: 255 or more */
	uint64_t first, end; /* PSNs of the last attempt: its first request; after its last request */
	uint64_t acknowledged; /* stream->acknowledged at the start of the attempt */
	uint64_t awaited;    /* PSN of the response that ends the recovery; 0: none */
	uint64_t answers_end; /* PSN after the last READ response */
	uint64_t later_psn;  /* highest PSN of the responses since the last attempt; 0: none */
	int64_t later_ns;    /* when it was seen */
	int64_t nak_ns;      /* when the packets that the NAK requested may be retransmitted */
	int64_t since_ns;    /* when the retransmitted packets were first seen or first missed; INT64_MIN: unknown */
	int64_t again_ns;    /* when the last request was retransmitted */
	int64_t counted_ns;  /* time lost is counted up to this time */
};

/* READ responses that were requested again may be captured out of order by up to this many packets. */
#define NEEDED_AHEAD 14

TAILQ_HEAD(message_list, message);

struct message {
	struct rtap_message shown;
	TAILQ_ENTRY(message) link;         /* in its stream, by PSN */
	TAILQ_ENTRY(message) unacked;      /* in its stream's list of unacknowledged messages, if `is_unacked` */
	/* Read for every frame to decide whether the message can be reported: kept together for the cache. */
	TAILQ_ENTRY(message) waiting;      /* in the tracker's list */
	struct psn_stream *stream;         /* NULL: settled, the message no longer changes */
	struct connection *connection;
	/*
	 * Of an upper layer. A SEND that carries a response: its request, until it is settled. Other messages are not reported before it has
	 * ended: a message of the layer itself, or the SEND of the request.
	 */
	struct request *request;
	struct mad_exchange *exchange;     /* management request that waits for its response */
	struct rmpp_transfer *transfer;    /* management transfer that waits for segments */
	struct message **reference; /* of an upper layer over TCP and UDP: the pointer to it while it waits for its response
				       or end; NULL: none */
	struct message *partner;           /* of an upper layer: the request of this response, or the response to this request */
	uint64_t place;                    /* rank in the waiting list; ranks differ by the messages in between; 0: not computed */
	uint64_t queued_ns;                /* when it entered the waiting list, by the budget's clock */
	int64_t active_ns;                 /* when its last packet was seen, repeats included */
	int64_t answered_ns;
	int64_t taken_ns;                  /* of a response: time of its last retransmission before the first acknowledgement; 0: none */
	uint64_t answered_at;              /* stream->packets at that time */
	struct operation *operation;       /* of an upper layer, reported with this message; NULL: none */
	bool has_first, has_last, answered, evicted;
	/*
	 * Its bytes are kept, not only which of them are present: of a SEND of several packets; of a READ or WRITE if its region keeps bytes
	 * (region.keep_bytes: the layer needs them, as RPC does for exchanges with payload), or may be named later. If the owner wants the bytes of
	 * all messages, tracker->keep says so. bytes_dropped: they were, for lack of memory.
	 */
	bool bytes_wanted : 1, bytes_dropped : 1;
	bool begin_unknown : 1;            /* READ: only a request for the rest of it was seen; shown are address and length from `low` on */
	bool came_late : 1;                /* READ: later requests were seen before its request, which may have been sent again */
	bool begun_by_first : 1;           /* READ: its First or Only was captured before its request */
	bool follows_end : 1;              /* READ: it begins after the last packet of a settled message */
	bool is_uncounted : 1;             /* SEND or WRITE: stream->msn counts the messages before it, but not this one */
	bool is_in_doubt : 1;              /* SEND or WRITE: a response may be its acknowledgement, or one of packets before its last one */
	bool request_cut : 1;              /* READ or atomic: the capture truncated what its request names */
	bool ends_with_immediate : 1;      /* the last packet has immediate data, which the capture may have truncated */
	bool awaits_owner : 1;             /* READ or WRITE without `region`, because packets were missing that can arrive late */
	bool has_landed : 1;               /* its data was copied to `region` and other regions of the request */
	bool keeps_ahead : 1;              /* in the tracker's list `ahead` */
	bool reserves : 1;                 /* it only keeps a place for a message of an upper layer */
	bool is_upper : 1;                 /* of an upper layer itself, with a request */
	bool is_response : 1;              /* of an upper layer: `partner` is the request */
	bool is_no_response : 1;           /* of an upper layer: it ends no request, whatever was not captured */
	bool leads_response : 1;           /* of an upper layer: a SEND that is part of the response after it */
	bool torn : 1;                     /* iWARP: stream bytes were lost after its last segment */
	bool awaits_ack : 1;               /* iWARP: settled, and in the list of ddp_half (`link`) */
	bool is_unacked : 1;
	bool is_half : 1;                  /* in the list `half` of its connection */
	bool recovers : 1;                 /* iWARP: `recovering` of a ddp_half */
	bool gathers : 1;                  /* it had a transfer and is not settled */
	bool sink_is_new : 1;              /* iWARP: no READ seen earlier had the same sink */
	bool announces : 1;                /* WRITE: it is an announcement of NCCL, if the connection carries that */
	bool touched;                      /* in the tracker's list `touched` */
	bool begun_by_response;            /* the request was captured after a response */
	bool has_own_ack;                  /* the acknowledgement is that of its last packet, not of a later one */
	size_t deferred;                   /* index in the tracker's heap of deferred messages, plus 1; 0: not in it */
	uint64_t due_ns;                   /* with `deferred`: when to check whether it is finished, by the budget's clock */
	uint32_t sink_stag;                /* iWARP: sink STag of a READ; request identifier of an atomic */
	uint64_t low, high;                /* PSNs of the first and last packet seen, unwrapped */
	uint64_t end;                      /* PSN after the last packet; 0: unknown */
	uint64_t origin;
	uint64_t memory;                   /* bytes of its coverages, charged to the connection; once settled, to tracker->messages */
	struct region *region;             /* region that it reads or writes; iWARP: or where its data was placed; NULL: unknown */
	TAILQ_ENTRY(message) claimed;      /* in the list of its request; if keeps_ahead is set, in the tracker's list `ahead` */
	uint64_t request_number;           /* of the request that it belongs to, also when that has ended; 0: none */
	union {
		struct rtap_item item; /* storage of shown.items if there is only one */
		struct {
			uint64_t data_frame; /* READ: the first frame with data, if operations are wanted; 0: none */
			int64_t data_ns;     /* its time */
		};
	};
	union {
		uint64_t sink_offset;
		uint64_t sizes; /* of a short WRITE with immediate data that can end a transfer of NCCL: sum of the sizes in it, plus 1; 0: unknown */
	};
	uint64_t reported_end;             /* iWARP and management: position after the last byte of its segments, captured or not */
	struct message **slot;             /* iWARP: the pointer to this message while it is being reassembled; NULL: none */
	union {
		uint64_t end_frame;        /* iWARP, while it is being reassembled: frame with the last byte of its last FPDU */
		uint64_t ack_at;           /* iWARP, then: the message is acknowledged when this stream offset is */
		struct {
			/*
			 * Responses requested again that the requester still lacks, counted from `low`; empty if equal. A
			 * READ has at most 2^23.
			 */
			uint64_t begin : 24, end : 24;
			uint64_t has_come : 1; /* the first of them was captured */
			uint64_t ahead : NEEDED_AHEAD; /* one bit for each packet after `begin` that was captured */
		} needed;
	};
	SLIST_ENTRY(message) touched_link;
	TAILQ_ENTRY(message) half;
	/* A message kept for reuse has empty coverages. The members above are cleared on reuse. */
	struct coverage coverage, cut;     /* bytes present; bytes that the capture truncated */
	struct tree_node by_psn;           /* in its stream's index, if the stream has one */
};

#define PSN_GIVEN_UP_GAPS 4

/* What identifies a request. */
struct first_request {
	bool is_known, has_reth; /* has_reth: r_key, virtual_address and length are valid */
	bool came_again;         /* after its acknowledgement; which of the two acknowledgements is next shows whether it is another one */
	uint8_t verb;
	uint32_t r_key;
	uint64_t psn, virtual_address, length;
};

/* The requests of one direction and the responses to them. */
struct psn_stream {
	struct connection *connection;
	bool started, from_a, reliable;
	bool resized;             /* rings or gaps differ in size from what was charged */
	bool nak;
	bool msn_known;
	bool has_open_gap;        /* the last gap is open */
	bool pmtu_is_presumed;    /* from the PSN of a request after a READ: another request between the two may not have been captured */
	uint64_t low, next;       /* lowest PSN seen; next expected PSN; unwrapped */
	uint64_t acknowledged;    /* all PSNs below it are acknowledged; unwrapped */
	uint64_t given_up;        /* PSNs that were never captured and are no longer expected */
	struct psn_range given_up_gaps[PSN_GIVEN_UP_GAPS]; /* the newest gaps that were given up */
	uint32_t given_up_count;      /* such gaps ever; the next one is at given_up_gaps[given_up_count % PSN_GIVEN_UP_GAPS] */
	uint64_t packets;
	int64_t last_ns;
	uint32_t pmtu;            /* 0: unknown */
	uint32_t in_flight;
	uint64_t nak_psn;         /* PSN that the last NAK requested; valid if `nak` is set */
	struct recent requests, responses;
	struct psn_gaps gaps, response_gaps;
	/*
	 * Lateness of the current packet if it is out of order, since the first later packet (RFC 4737, 4.2 and 4.3). 0:
	 * unknown.
	 */
	uint32_t late_packets;
	int64_t late_ns;
	uint64_t settled_end;     /* PSN after the last settled message; 0: unknown */
	bool settled_is_open;     /* it is a READ of which neither the request nor a Last was seen */
	uint64_t settled_high;    /* PSN after all settled messages: lower PSNs are repeats */
	uint64_t response_low;    /* lowest PSN at which a response may have been seen; valid if response_next is set */
	uint64_t response_next;   /* PSN of the response that would follow the last one; 0: none was seen */
	struct psn_range asked_again; /* PSNs of the responses requested again by a retransmitted READ; may be empty */
	struct psn_range asked_first; /* those of them that were not sent before, because a NAK answered the READ */
	uint64_t fragment_psn;    /* PSN of the newest SEND whose first packet was not seen */
	struct message_list messages;  /* by PSN */
	struct tree_node *index;       /* the same messages as a tree, while many messages arrive out of order; NULL: none */
	struct message *unanswered;    /* where the search for a response's request starts: earlier ones are answered, or came late */
	struct message_list unacked;   /* SENDs and WRITEs that wait for an acknowledgement, by PSN */
	uint64_t early_end;       /* PSN after all PSNs that early responses answer; 0: no early responses */
	struct early_responses *early; /* NULL: none */
	uint32_t msn;             /* of the last acknowledgement; valid if msn_known is set */
	uint64_t msn_psn;         /* it counts the SENDs and WRITEs that end below this PSN */
	uint64_t msn_reads;       /* READs and atomics that begin below this PSN are counted in it */
	struct recent_ack acks[RECENT_ACKS]; /* by RECENT_ACK_PLACE */
	struct recovery recovery;
	struct first_request first; /* the latest with PSN 0 */
};

#define RECENT_FLOW_BITS 6

/* Identifies the packets from one address to one queue pair of another; UD: from one queue pair. */
struct flow_key {
	uint64_t words[6]; /* source and destination address, QPNs, address lengths */
};

/* A response to an unknown request. */
struct pending_response {
	uint64_t frame;
	int64_t time_ns;
	uint64_t original;         /* original value that an atomic returns */
	uint32_t point, psn, msn, crc, captured, wire;
	uint8_t opcode, syndrome, aeth_kind, aeth_value;
	bool has_original;
	uint16_t id;               /* IPv4 identification; 0 without one */
	uint16_t p_key;
	uint8_t *bytes;            /* copy of the payload, if wanted */
};

struct flow {
	struct flow_key key;
	uint64_t hash;
	struct connection *connection; /* NULL: the flow has responses only and the requester is unknown */
	LIST_ENTRY(flow) pending_link; /* in the list of flows with pending responses, if `waits` */
	bool from_a, waits;
	uint32_t icrc_good_on;         /* 1 + interface of the last packet of its sender with a good invariant CRC; 0: none */
	bool last_indexed;             /* in tracker->waiting_flows, by addresses and PSN of the last pending response */
	uint64_t last_words[5];
	struct multimap_link last_link;
	bool port_by_label;            /* `port` is known from communication management */
	uint16_t path_ports[2];        /* UDP source ports of the last data response and the last request; 0: none */
	uint32_t tries;                /* packets whose connection was looked for by their content */
	uint32_t likely_count;         /* as many of them in succession look like responses of connection number `likely` */
	uint64_t likely;
	uint16_t port;                 /* UDP source port of its first packet; 0: not entered in tracker->ports */
	struct multimap_link port_link;
	struct pending_response *pending;
	uint32_t pending_count, pending_room;
	struct budget_entry entry;     /* of the pending responses */
};

/* A request whose response will show which two queue pairs are connected. */
struct expectation {
	uint64_t words[5];             /* addresses as in the response, PSN */
	struct connection *connection;
	uint8_t opcode;                /* of the request */
	bool has_length;               /* it names the length of its response: */
	uint16_t p_key;                /* of the request */
	uint32_t length;
	struct multimap_link link;     /* in tracker->expectations, if it has a connection */
};

struct connection {
	struct rtap_connection shown;
	struct psn_stream streams[2];  /* requests of b; of a */
	struct flow *flows[2];         /* packets of b; of a */
	struct budget_entry entry;
	TAILQ_ENTRY(connection) link;        /* in the tracker's list of all connections */
	TAILQ_ENTRY(connection) asking_link; /* valid with `asks`: in the list of those that had requests while one end was unknown */
	struct expectation *expectations; /* a ring, used while one end is unknown */
	uint32_t expected, expectation_room; /* number of entries written to it */
	uint32_t references;           /* messages not reported yet */
	struct group *group;           /* multicast group that is the destination */
	LIST_ENTRY(connection) group_link;
	struct requests requests;      /* of its upper layer, over RDMA */
	void *upper_state;             /* of its upper layer, over RDMA, which frees it; NULL: none */
	uint32_t outstanding[2];       /* operations that b; that a requested, reported before their response */
	struct ddp *ddp;               /* iWARP */
	struct iwarp_stream *iwarp;    /* source of FPDUs; NULL: ended */
	void *upper_stream;            /* over TCP or UDP: state of the layer's socket callbacks; NULL: over RDMA, or ended */
	struct handshake *handshakes[2]; /* by communication ids of b; of a; both may be the same */
	struct alternate *alternate;   /* paths to which it can migrate; NULL: none */
	struct handshake *resolution;  /* UD: that resolved its queue pair */
	struct handshake *resolved;    /* UD: handshake of its queue pair until its first datagram */
	SLIST_ENTRY(connection) resolved_link; /* in the list of that */
	uint64_t lap_transaction, apr_transaction; /* transaction ids of the last LAP and APR */
	uint8_t end_events[2][2]; /* DREQ, DREP; from b, from a: 1 + the place in its life, 0: none */
	TAILQ_ENTRY(connection) closing_link;
	int64_t closed_ns;
	uint64_t memory;               /* bytes charged for rings and flows */
	struct message_list half;      /* waiting messages that began while only one flow was known */
	bool resized;                  /* rings or flows differ in size from what was charged */
	bool asks;                     /* it is in the tracker's list `asking` */
	bool closed;                   /* no more packets are expected */
	bool retired;                  /* later packets are not accepted */
	bool reported;
	bool leaves;                   /* report it out of order, as soon as no message refers to it */
	bool shows_layer;              /* headers, private data or the user say so too: its SENDs need no proof */
	const struct upper_layer *layer; /* what it carries; NULL: unknown */
};

#define RECENT_DATAGRAM_SETS 128
#define RECENT_DATAGRAMS 4 /* per set */

/* A datagram, kept to recognise a copy from another capture point. */
struct recent_datagram {
	uint64_t hash;                 /* of its ends, position in the sequence and bytes; 0: empty */
	int64_t time_ns;
	uint32_t point;
};

#define UPPER_MOST 16 /* most upper layers */

/* Sets packet->paths of a packet whose layers are final. */
typedef void upper_shown(struct rtap_tracker *tracker, struct rtap_packet *packet);

struct rtap_tracker {
	struct rtap_tracker_options options;
	block_take_effect *take_effect; /* NULL: effects of commands on blocks are not wanted */
	file_take_effect *take_file_effect; /* NULL: effects of operations on files are not wanted */
	void *effect_owner, *file_effect_owner;
	const struct upper_layer *const *layers; /* all layers, NULL-terminated */
	void *upper_states[UPPER_MOST]; /* of the layers, by enum upper_number */
	struct rtap_context context;   /* what the options say */
	struct rtap_context alone;     /* the same, for dissecting a frame without state */
	struct rtap_tracker_counters counters;
	struct budget budget;
	struct ip_fragments fragments;
	struct tcp_streams tcp;
	struct mad_exchanges exchanges; /* of management */
	struct rmpp rmpp;
	struct map groups;             /* multicast */
	uint64_t open_requests;        /* requests whose regions are found by key and address */
	uint64_t last_request;         /* number of the request created last */
	struct map flows, handshakes, services;
	struct map alternates;         /* alternate paths, by addresses and queue pair */
	struct multimap expectations;
	struct map icrc_senders;       /* senders with known invariant CRC state */
	const struct rtap_frame *batch; /* batch of frames being processed; NULL: unknown */
	size_t batch_count;
	struct multimap waiting_flows; /* by addresses and PSN of the last pending response */
	struct multimap ports;         /* flows by addresses and UDP source port */
	uint64_t ports_fit, ports_differ; /* connections paired by other evidence: ports as their queue pairs give; two ports */
	struct flow *recent_flows[1 << RECENT_FLOW_BITS]; /* cache of flows found last */
	struct captured_copies *copies; /* NULL: the frames come from one file */
	struct recent_datagram recent_datagrams[RECENT_DATAGRAM_SETS][RECENT_DATAGRAMS]; /* the set is selected by the hash of the bytes */
	TAILQ_HEAD(connection_list, connection) connections; /* by number */
	TAILQ_HEAD(, connection) closing; /* in the order of closing */
	TAILQ_HEAD(, connection) asking; /* connections with requests of which one end may be unknown, newest first */
	LIST_HEAD(, flow) pending_flows; /* the newest first */
	struct message_list waiting;   /* in the order of first frames */
	struct message *last_placed;   /* places are computed up to this message; NULL: none */
	struct message *last_late;     /* the latest one that was added before others, while it waits; NULL: none */
	struct message *last_ready;    /* up to this message nothing changes any more, and places are computed; NULL: none known */
	struct {
		struct heap heap;      /* deferred messages, by due_ns */
		uint64_t due_ns;       /* of the first one; UINT64_MAX: empty */
	} deferred;
	bool finishes;                 /* the input has ended: deferred messages are sorted before they are reported */
	struct message_list spare;     /* free list, by `link` */
	uint32_t spare_count;
	struct spare_blocks spare_operations, spare_commands; /* free lists: of reassembly/operation.c; of requests of upper layers */
	struct budget_entry messages; /* the messages in memory */
	struct iwarp_view view;        /* FPDUs of the current frame */
	bool wanted_ahead;             /* the current FPDU was shown in an earlier frame, and that frame is wanted */
	SLIST_HEAD(, message) touched; /* messages, those of upper layers too, that FPDUs of the current frame belong to */
	/*
	 * Messages being reassembled that keep their bytes although they may not be needed: SENDs, and READs and WRITEs of
	 * memory that no call has named yet. Sorted by when they began to keep bytes; `bytes` is their total.
	 */
	struct {
		struct message_list list;
		uint64_t bytes;
	} ahead;
	uint8_t *shown_bytes;          /* of the SEND that the last frame completed: its packet borrows them; NULL: none */
	uint64_t connection_number;
	int64_t now_ns;
	int64_t due_ns;                /* time before which no connection that closed or that its upper layer looks after needs processing */
	unsigned keep;                 /* enum coverage_keep for all payloads */
	bool reports;                  /* messages or operations are wanted */
	bool any_order;                /* messages may be reported in another order than that of their first frames */
	uint64_t patience_ns;          /* longest time that a message delays later ones; 0: until it is given up */
	int64_t idle_check_ns;         /* capture time: before it, idle connections have nothing to settle for the first message */
	bool wants_data;               /* the data of requests is wanted: for messages, operations or by an upper layer itself */
	bool omits_details;            /* operations need no CRC-32 of what they carry, and no missing ranges */
	bool examines;                 /* packets of messages: options.wanted, or operations are wanted */
	uint64_t operation_number;     /* of the last operation reported */
	upper_shown *shows_files;      /* sets packet->paths; NULL: not wanted */
	struct rpc_names *names;       /* of the files that operations work on; NULL: none learned */
};

/* Where the batch that a frame is in ends; NULL: it is in none. */
static inline const struct rtap_frame *tracker_batch_end(const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	const struct rtap_frame *end = tracker->batch ? tracker->batch + tracker->batch_count : NULL;

	return end && frame >= tracker->batch && frame < end ? end : NULL;
}

#endif
