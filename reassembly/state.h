/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What connections, PSN streams and messages in the making are. PSNs are kept unwrapped, as 64-bit numbers, and
 * positions in a message's payload count from MESSAGE_ORIGIN at the packet with PSN `origin`, because the first packet
 * seen need not be the message's first.
 */
#ifndef REASSEMBLY_STATE_H
#define REASSEMBLY_STATE_H

#include <rdmatap/tracker.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/coverage.h"
#include "reassembly/stream/ip_fragments.h"
#include "reassembly/iwarp/iwarp_view.h"
#include "reassembly/management/mad_exchange.h"
#include "reassembly/store/map.h"
#include "reassembly/management/rmpp.h"
#include "reassembly/upper/rpc_answers.h"
#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/stream/tcp_stream.h"
#include "reassembly/store/tree.h"

#define MESSAGE_ORIGIN (UINT64_C(1) << 40)
/* PSNs that a stream can be past a hole before it is given up; packets further off belong to another conversation. */
#define PSN_WINDOW 65536
#define PSN_MASK 0xffffffu

/* What is remembered of a packet, to know it again. */
struct recent_packet {
	uint32_t psn;        /* of the wire; bits 24 to 31: interface. RECENT_NONE: none */
	uint32_t time_us;    /* the lower bits */
	uint32_t digest;     /* CRC-32 of its payload; 0 if not worked out */
	uint16_t first_id, last_id; /* IPv4 identifications of the first copy and of the last one that was sent again */
};

#define RECENT_NONE UINT32_MAX

/* The packets of the last PSNs; room grows with what is outstanding. */
struct recent {
	struct recent_packet *packets;
	uint32_t room;       /* 0 or a power of two */
	uint32_t id_steps;   /* of the last packets that were no repeats: whether their IPv4 identifications went forward, a bit each */
	uint16_t last_id;
	uint32_t arrived;    /* packets that were no repeats, modulo 2^32 */
};

/* Requests that were not seen though later ones were. */
struct psn_gap {
	uint64_t begin, end; /* PSNs, unwrapped */
	int64_t time_ns;     /* when it was noticed */
	uint32_t arrived;    /* packets before that */
	int64_t since_ns;    /* of responses: when the one before them was seen; INT64_MIN: not known */
};

/* In order, apart from each other. */
struct psn_gaps {
	struct psn_gap *list;
	uint32_t count, room;
};

/* Acknowledgements remembered, to know them again. */
#define RECENT_ACKS 4

struct recent_ack {
	uint32_t psn, msn, interface;
	uint8_t syndrome;
	uint16_t id;         /* IPv4 identification; 0 without one */
	int64_t time_ns;     /* 0: none */
};

/* How a requester sends again what was lost: reassembly/infiniband/recovery.h. */
struct recovery {
	bool running;        /* the last request was a retransmission */
	bool nak_unused;     /* nothing was sent again since the last NAK that asks for it */
	bool answers_again;  /* the last READ response was a retransmission */
	uint8_t nak_cause;   /* enum rtap_recovery: by that NAK */
	uint8_t cause;       /* of the last attempt */
	uint8_t attempt;     /* how many there were without progress; 255: or more */
	uint64_t first, end; /* PSNs of the last attempt: of its first request, and after its last one */
	uint64_t acknowledged; /* stream->acknowledged when it began */
	uint64_t awaited;    /* PSN of the response with which it ends; 0: none */
	uint64_t answers_end; /* PSN after the last READ response */
	uint64_t later_psn;  /* the highest of the responses since the last attempt; 0: there were none */
	int64_t later_ns;    /* when it was seen */
	int64_t nak_ns;      /* when what the NAK asked for may be sent again */
	int64_t since_ns;    /* when what is sent again was seen first, or missed; INT64_MIN: not known */
	int64_t counted_ns;  /* time lost is counted up to here */
};

/* So far READ responses that were asked for again may be captured in another order. */
#define NEEDED_AHEAD 14

struct message {
	struct rtap_message shown;
	struct message *before, *behind;   /* in its stream, by PSN */
	struct message *unacked_before, *unacked_after; /* in its stream's list of those; NULL: it is not in it */
	/* whether it can be told is asked with each frame: what that depends on stands together */
	struct message *waiting_before, *waiting_behind; /* in the order of first frames */
	struct psn_stream *stream;         /* NULL: settled, nothing changes any more */
	struct connection *connection;
	struct rpc_call *call;             /* it is an RPC call or reply that is not concluded */
	struct mad_exchange *exchange;     /* it is a request of management whose answer is waited for */
	struct rmpp_transfer *transfer;    /* of management, whose segments are waited for */
	struct message **holder;           /* RPC over TCP and UDP: who points to it, as it waits for its reply or its own end; NULL: nobody */
	struct message *partner;           /* the RPC message that it answers, or that answers it */
	uint64_t place;                    /* among those that wait, which differs from others' by what stands between; 0: not counted */
	uint64_t queued_ns;                /* when it got its place among those that wait, by the budget's clock */
	int64_t active_ns;                 /* when a packet of it was seen, new or not */
	int64_t answered_ns;
	uint64_t answered_at;              /* stream->packets then */
	bool has_first, has_last, answered, evicted;
	bool bytes_wanted : 1, bytes_dropped : 1;
	bool has_landed : 1;               /* what it brought is in `region`, and others of its call */
	bool keeps_ahead : 1;              /* it is in the tracker's list of those */
	bool torn : 1;                     /* iWARP: bytes of the stream were lost since its last segment */
	bool awaits_ack : 1;               /* iWARP: settled, and in ddp_half's list of those, by before and behind */
	bool gathers : 1;                  /* it had a transfer, and is not settled */
	bool sink_is_new : 1;              /* iWARP: no READ that was seen before had the same sink */
	bool touched;                      /* it is in the tracker's list of those */
	bool begun_by_response;            /* the request was captured after a response */
	uint32_t aside;                    /* its place in the tracker's heap of those that stepped aside, plus 1; 0: it is not in it */
	uint32_t sink_stag;                /* iWARP: where a READ's data go; of an atomic the request identifier */
	uint64_t low, high;                /* PSNs of the first and last packet seen, unwrapped */
	uint64_t end;                      /* PSN behind the last packet; 0: not known */
	uint64_t origin;
	uint64_t memory;                   /* of coverages, as accounted: to the connection, once settled to all messages */
	struct rpc_region *region;         /* memory of an RPC that it reads or writes; NULL: none is known; of iWARP: or its data has landed there */
	/* others that belong to the call of its region; of one that keeps_ahead the others that do */
	struct message *claimed_before, *claimed_behind;
	struct rpc_call *replies_to;       /* it carries the reply */
	struct rtap_operation operation;   /* of an RPC that has only one: shown.operations */
	uint64_t sink_offset;
	uint64_t told_end;                 /* iWARP and management: position behind the last byte that its segments tell of, there or not */
	struct message **slot;             /* iWARP: who points to it as one that is under way; NULL: nobody */
	union {
		uint64_t ack_at;           /* iWARP: the stream offset that is acknowledged when it is */
		struct {
			/* responses asked for again that the requester still lacks, from `low` on; the same: none. A READ has at most 2^23 */
			uint64_t begin : 24, end : 24;
			uint64_t has_come : 1; /* the first of them */
			uint64_t ahead : NEEDED_AHEAD; /* a bit for each after `begin` that has come */
		} needed;
	};
	struct message *next_touched;
	struct message *half_before, *half_after; /* in its connection's list of those; NULL: it is not in it */
	/* in one that is kept for reuse they cover nothing; all above is cleared then */
	struct coverage coverage, cut;     /* bytes that are there; bytes that the capture cut off */
	struct tree_node by_psn;           /* in the index of its stream, if that has one */
};

/* One direction's requests, and the responses to them. */
struct psn_stream {
	struct connection *connection;
	bool started, from_a, reliable;
	bool resized;             /* rings or gaps take other memory than was accounted */
	bool nak;
	bool msn_known;
	uint64_t low, next;       /* lowest PSN seen; the one expected next; unwrapped */
	uint64_t acknowledged;    /* PSNs below it were; unwrapped */
	uint64_t lost;            /* PSNs given up that were never seen */
	uint64_t packets;
	int64_t last_ns;
	uint32_t pmtu;            /* 0: not known */
	uint32_t in_flight;
	uint64_t nak_psn;         /* that a NAK asked for; valid with nak */
	struct recent requests, responses;
	struct psn_gaps gaps, response_gaps;
	/* How late the packet at hand is if it is out of order: since the first one after it came (RFC 4737, 4.2 and 4.3). 0: not known. */
	uint32_t late_packets;
	int64_t late_ns;
	uint64_t settled_end;     /* PSN behind the last message that went, if that is known; 0: not known */
	uint64_t settled_high;    /* PSN behind all that went: what comes below it again is a repeat */
	uint64_t response_next;   /* PSN of the response that would go on from the last one */
	uint64_t asked_again, asked_again_end; /* PSNs of the responses that a READ sent again asked for; the same: none */
	uint64_t fragment_psn;    /* of the newest SEND of which the beginning was not seen */
	struct message *head, *tail;   /* by PSN */
	struct tree_node *index;       /* the same messages as a tree, while they are many and come in no order; NULL: there is none */
	struct message *unanswered;    /* where to look for what a response answers: those before it are answered, or came late */
	struct message *unacked;       /* SENDs and WRITEs that wait for an acknowledgement: the first one, in a ring by PSN; NULL: none */
	uint64_t early_end;       /* PSN behind all that early responses answer; 0: there are none */
	struct early_responses *early; /* NULL: none so far */
	uint32_t msn;             /* of the last acknowledgement; valid with msn_known */
	uint32_t next_ack;             /* place of the next one in: */
	struct recent_ack acks[RECENT_ACKS];
	struct recovery recovery;
};

#define RECENT_FLOW_BITS 6

/* The packets from one address to one queue pair of another; UD: from one queue pair. */
struct flow_key {
	uint64_t words[6]; /* source and destination address, QPNs, lengths of the addresses */
};

/* A response to a request that is not yet known. */
struct pending_response {
	uint64_t frame;
	int64_t time_ns;
	uint64_t original;         /* of an atomic */
	uint32_t interface, psn, msn, crc, captured, wire;
	uint8_t opcode, syndrome, aeth_kind, aeth_value;
	bool has_original;
	uint16_t id;               /* IPv4 identification; 0 without one */
	uint8_t *bytes;            /* a copy, if bytes are wanted */
};

struct flow {
	struct flow_key key;
	uint64_t hash;
	struct connection *connection; /* NULL: responses only so far, whose requester was not found */
	struct flow *pending_before, *pending_behind; /* of those that wait */
	bool from_a, waits;
	uint32_t icrc_good_on;         /* 1 + interface on which a right invariant CRC of its sender was seen last; 0: none */
	bool last_indexed;             /* by the addresses and PSN of the last one that is pending */
	uint64_t last_hash, last_words[5];
	struct flow *last_before, *last_behind; /* others with these words */
	bool port_by_label;            /* port: by communication management */
	uint16_t path_ports[2];        /* UDP source ports of the last data response and the last request; 0: none yet */
	uint16_t port;                 /* UDP source port of its first packet; 0: not entered in tracker->ports */
	uint64_t port_hash;
	struct flow *port_before, *port_behind; /* others between these addresses with that port */
	struct pending_response *pending;
	uint32_t pending_count, pending_room;
	struct budget_holder holder;   /* of what is pending */
};

/* A request whose response will tell which queue pair belongs to which. */
struct expectation {
	uint64_t hash;
	uint64_t words[5];             /* addresses as the response will have them, PSN */
	struct connection *connection;
	struct expectation *same_before, *same_behind; /* others with these words */
};

/* RPC calls in order. */
struct rpc_call_list {
	struct rpc_call *first, *last;
	uint32_t count;
};

/*
 * Regions of a connection's RPC calls that are known by key and address. Nearly all are found in the few calls that wait for their
 * replies; the tree is for the others.
 */
struct rpc_regions {
	struct tree tree;
	struct rpc_call *listed[2];    /* calls with regions that are not in the tree, newest first: those that wait for their reply; the others */
	uint32_t waiting;              /* how many the first are */
	uint64_t reply_psn[2];         /* the highest of a reply to calls of b; of a */
};

struct connection {
	struct rtap_connection shown;
	struct psn_stream streams[2];  /* requests of b; of a */
	struct flow *flows[2];         /* packets of b; of a */
	struct budget_holder holder;
	struct connection *before, *behind; /* all that are there, by number */
	struct expectation *expectations; /* a ring, while one end is unknown */
	uint32_t expected, expectation_room; /* how many were put into it */
	uint32_t references;           /* messages that are not told yet */
	struct group *group;           /* multicast group that it goes to */
	struct connection *next_of_group, *before_in_group;
	struct rpc_call_list calls[2]; /* RPC over RDMA: those that wait for their reply; those whose reply is not settled */
	bool has_answered;             /* a call of those had a reply */
	uint32_t credits;              /* the most that either end has asked for or granted; RFC 8166, 3.3.1 */
	struct rpc_regions regions;    /* of those calls */
	struct rpc_answers answers;    /* of RPC calls that are over */
	struct ddp *ddp;               /* iWARP */
	struct iwarp_stream *iwarp;    /* that FPDUs come from; NULL: ended */
	struct rpc_conversation *rpc;  /* over TCP or UDP; NULL: ended */
	struct handshake *handshakes[2]; /* by the communication ids of b; of a; can be one */
	struct handshake *resolution;  /* UD: of the request for its queue pair */
	struct handshake *resolved;    /* UD: of its queue pair, while no datagram of it was seen; linked by: */
	struct connection *next_resolved;
	uint64_t lap_transaction, apr_transaction; /* of the last ones */
	struct connection *closing_before, *closing_behind;
	struct connection *answering_before, *answering_behind;
	int64_t closed_ns;
	uint64_t memory;               /* of rings and flows, as accounted */
	struct message *half;          /* its messages that began while one of its flows was known, and wait: a ring; NULL: none */
	bool resized;                  /* they take other memory now */
	bool closed;                   /* no more packets are expected */
	bool retired;                  /* and none are taken any more */
	bool told;
	bool leaves;                   /* it is reported as soon as no message needs it, before its turn */
	uint8_t upper;                 /* enum rtap_upper */
	const struct upper_layer *layer; /* that it carries; NULL: not known */
};

#define RECENT_DATAGRAM_SETS 128
#define RECENT_DATAGRAMS 4 /* of a set */

/* A datagram, to know it again when another interface has it too. */
struct recent_datagram {
	uint64_t hash;                 /* of its ends, its place in the sequence and its bytes; 0: none */
	int64_t time_ns;
	uint32_t interface;
};

/* A message that stepped aside, and when to see whether it is over, by the budget's clock. */
struct message_aside {
	uint64_t due_ns;
	struct message *message;
};

struct rtap_tracker {
	struct rtap_tracker_options options;
	const struct upper_layer *const *layers; /* all, NULL ends them */
	rpc_take_exchange *exchange;   /* NULL: nobody wants RPC exchanges */
	bool payload;                  /* exchanges hold the bytes of all chunks */
	struct rtap_context alone;     /* what is known of any frame by itself */
	struct rtap_tracker_counters counters;
	struct budget budget;
	struct ip_fragments fragments;
	struct tcp_streams tcp;
	struct rpc_carriers carriers;  /* RPC over TCP and UDP */
	struct mad_exchanges exchanges; /* of management */
	struct rmpp rmpp;
	struct rmpp_progress transfer; /* of management, that the frame at hand is part of */
	struct map groups;             /* multicast */
	struct map calls;              /* RPC over RDMA */
	uint64_t calls_with_regions;   /* that are known by key and address */
	struct map flows, expectations, handshakes, services;
	struct map icrc_senders;       /* whose invariant CRCs were seen */
	const struct rtap_frame *batch; /* that frames come from; NULL: not known */
	size_t batch_count;
	bool replays;                  /* responses that waited for their requester are taken */
	bool icrc_ignored;             /* that of the frame at hand is wrong, and not held against it */
	struct map waiting_flows;      /* by the addresses and PSN of the last response that is pending */
	struct map ports;              /* flows by addresses and UDP source port */
	uint64_t ports_fit, ports_differ; /* connections known by other signs, whose ports are one and the same, by their queue pairs, or not */
	struct flow *recent_flows[1 << RECENT_FLOW_BITS]; /* found last */
	struct captured_copies *copies; /* NULL: the frames are of one file */
	struct recent_datagram recent_datagrams[RECENT_DATAGRAM_SETS][RECENT_DATAGRAMS]; /* a set is found by what the bytes are */
	struct connection *first_connection, *last_connection;
	struct connection *first_closing, *last_closing; /* in the order in which they closed */
	struct connection *first_answering, *last_answering; /* that answers are remembered of, in the order of the latest */
	struct flow *pending_flows;
	struct message *first_waiting, *last_waiting; /* in the order of first frames */
	struct message *last_placed;   /* up to it their places are counted; NULL: none is */
	struct message *last_ready;    /* up to it nothing changes any more, and places are counted; NULL: that of none is known */
	struct {
		struct message_aside *heap; /* the one that is due first at its top */
		uint32_t count, room;
		uint64_t due_ns;       /* of the first one; UINT64_MAX: there is none */
	} aside;
	bool finishes;                 /* the input has ended: they are put in order before they are reported */
	struct message *spare;         /* for reuse, by `behind` */
	uint32_t spare_count;
	struct rpc_call *spare_call;   /* likewise */
	struct spare_operations *spare_operations; /* and memory for those of a COMPOUND */
	uint32_t spare_calls, spare_operation_count; /* how many they are */
	struct budget_holder messages; /* the messages in memory */
	struct message *completed;     /* by the frame at hand */
	struct message *cut;           /* a SEND that is over with it, of which the capture cut off something */
	struct message *touched;       /* the message that the frame at hand is part of */
	struct message *touched_rpc;   /* the RPC message that it brought */
	struct rpc_call *read_call;    /* whose read chunks it completed; NULL: none. Valid until the call ends */
	struct connection *asked;      /* whose request the frame at hand is; NULL: none that is known */
	struct iwarp_view view;        /* FPDUs for the frame at hand */
	bool wanted_ahead;             /* the FPDU being taken was shown in an earlier frame, which is wanted */
	struct message *first_touched; /* messages that its FPDUs are part of, and the RPC messages that they brought */
	/*
	 * Messages under way that keep their bytes, though nobody may ask for them: the SENDs, and the READs and WRITEs of memory
	 * that no call has named yet. In the order in which they began to, and what they take together.
	 */
	struct {
		struct message *first, *last;
		uint64_t bytes;
	} ahead;
	struct coverage gathered;      /* an RPC message that chunks carried, for the frame at hand */
	uint64_t connection_number;
	int64_t now_ns;
	int64_t due_ns;                /* before it no connection closed, or answered, long enough ago for anything to be done */
	unsigned keep;                 /* enum coverage_keep for all payloads */
};

#endif
