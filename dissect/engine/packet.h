/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a packet consists of, and what dissection takes from other packets. Users of the library have only the functions of
 * rdmatap/packet.h.
 */
#ifndef DISSECT_ENGINE_PACKET_H
#define DISSECT_ENGINE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/packet.h>

#define RTAP_MAX_LAYERS 64
#define RTAP_MAX_ANOMALIES 8
#define RTAP_MAX_SOURCES 8
#define RTAP_PROTOCOL_WORDS 8 /* with a bit for each protocol */

/*
 * An IP fragment, at which the dissection ended, or the reassembled datagram, in which it continued.
 * RFC 791, 3.2; RFC 8200, 4.5. With nested fragment headers, describes the one reached last.
 */
struct rtap_fragment_facts {
	bool present;            /* the dissection ended here: the packet is a fragment */
	bool whole;              /* the dissection continued in the context's datagram, which is source `datagram_source` */
	bool more;               /* not the datagram's last fragment */
	uint8_t protocol;        /* IP protocol number of the fragmented payload */
	uint8_t layer;           /* index of the layer with the fragment header */
	uint8_t datagram_source;
	uint32_t identification;
	uint32_t header_length;  /* of the IP header up to the fragment header; for a whole datagram: of the first fragment */
	uint32_t datagram_offset; /* of the fragment's first byte in the datagram */
	struct rtap_payload piece;
};

/* An IP datagram reassembled from its fragments. */
struct rtap_datagram {
	struct rtap_span bytes;  /* captured bytes, from the first byte to the first missing one; bytes NULL: none */
	uint32_t wire;           /* length on the wire */
	uint32_t header_length;  /* as in struct rtap_fragment_facts, of the fragment at offset 0 */
	uint8_t protocol;        /* IP protocol number in the fragment at offset 0 */
};

#define RTAP_FPDU_GAPS 4
#define RTAP_FPDU_HEAD 72 /* maximum length of DDP and RDMAP headers together */
#define RTAP_NO_MARKER UINT32_MAX

/* Bytes of an FPDU that were not captured. */
struct rtap_fpdu_gap {
	uint32_t offset, length; /* within the FPDU's bytes */
	uint8_t reason;          /* as passed to the framer */
};

/* How the start of an FPDU was found. */
enum rtap_fpdu_framing {
	RTAP_FPDU_IN_STEP,         /* by lengths, counted from the MPA Request or Reply, or from where resynchronisation was certain */
	RTAP_FPDU_RECOVERED,       /* resynchronised within the stream; confirmed by the CRC */
	RTAP_FPDU_RECOVERED_NO_CRC, /* resynchronised within the stream by consecutive consistent headers; CRCs are not in use */
};

/* One FPDU of a stream. RFC 5044, 4.1. */
struct rtap_fpdu {
	/* as sent, from ULPDU_Length (or the marker immediately before it) through the CRC, including markers; bytes in gaps are 0 */
	struct rtap_span bytes;
	uint64_t stream_offset;   /* of the first byte */
	uint64_t first_frame, last_frame;     /* numbers of the frames with its first and its last byte */
	int64_t first_time_ns, last_time_ns;  /* their times */
	/*
	 * for the last FPDU of a Send: its `message` (if reassembled) and the context for its dissection; for the last one of a
	 * Read Response: a `chunk`; else NULL
	 */
	const struct rtap_context *upper;
	/* offset of the first marker in `bytes`; further ones follow every 512 bytes; RTAP_NO_MARKER or beyond the end: none */
	uint32_t first_marker;
	uint16_t ulpdu_length;
	uint8_t crc_status;       /* enum rtap_crc_status */
	uint8_t framing;          /* enum rtap_fpdu_framing */
	bool skewed_markers;      /* markers as in old stacks: the interval excludes CRC bytes, FPDUPTR is little-endian */
	bool split;               /* `bytes` is a copy of the framer's: the FPDU came in several segments, or before synchronisation */
	uint8_t gap_count;
	struct rtap_fpdu_gap gaps[RTAP_FPDU_GAPS]; /* in order; adjacent ones have different reasons */
	uint8_t head[RTAP_FPDU_HEAD]; /* the ULPDU's first bytes without the marker within them; filled only if there is one */
};

/* The FPDUs that end in one TCP segment. Walk them with iwarp_next_fpdu(). */
struct rtap_fpdus {
	const struct rtap_fpdu *list; /* NULL: they are contiguous, from `offset` in source 0 */
	uint32_t count;
	uint32_t offset, length;
	uint8_t crc_status, framing;  /* of all of them if `list` is NULL */
};

#define PACKET_REQUEST_DETAILS 8 /* commands of a compound whose details are kept */

/* Facts about a SEND from the state of an upper layer other than RPC: its queue, and the request that it answers. */
struct packet_request {
	bool queue_known, is_known, has_details;
	uint8_t queue_kind;          /* the layer's own; may be known without the number */
	uint16_t queue;
	uint32_t code, detail;       /* with is_known: identifies the kind of request, in the layer's own numbers */
	uint16_t details[PACKET_REQUEST_DETAILS]; /* the same of each command of a compound, in the order of the responses */
	uint64_t frame;              /* of the request; 0: unknown */
	int64_t time_ns;
	const char *name;            /* static: of the request, where the layer's lines of responses need it; NULL: unknown */
	const char *where;           /* static: text before the number of the frame; NULL: " [to " */
};

/*
 * Paths of files that a packet's calls are about. `ordinal`: number of the file handle in the body of the layer, from 0. A path is printable
 * and ends with the file's name; if it is too long, "..." replaces its begin.
 */
#define PACKET_PATHS 4
#define PACKET_PATH_MOST 120

struct packet_path {
	uint8_t layer, ordinal;
	uint8_t at, length;          /* in packet_paths.text */
};

struct packet_paths {
	struct packet_path list[PACKET_PATHS];
	char text[248];
};

/* The network of an InfiniBand packet which carries IP or Ethernet: the members of struct rtap_packet before the inner headers were read. */
struct packet_carrier {
	bool present;
	uint8_t address_length, traffic_class;
	uint16_t ip_id, source_port, destination_port;
	const uint8_t *source_address, *destination_address;
};

/* The headers of one frame and the facts read from them. Filled by dissect_frame(). */
struct rtap_packet {
	const struct rtap_frame *frame;
	struct {
		const uint8_t *bytes;
		uint32_t captured, wire;
	} sources[RTAP_MAX_SOURCES];
	uint8_t source_count;
	uint8_t layer_count;
	uint8_t anomaly_count;       /* stored in `anomalies`; further ones are only counted */
	uint32_t anomalies_found;
	uint64_t protocols[RTAP_PROTOCOL_WORDS]; /* protocols present, one bit each */
	/* addresses of the innermost network header, after packet_restore_carrier() of the one that carries BTH; NULL without one */
	const uint8_t *source_address, *destination_address;
	uint8_t address_length;      /* 4 or 16 */
	uint8_t traffic_class;       /* DSCP and ECN of the innermost IP header */
	uint16_t ip_id;              /* identification, if the innermost network header is IPv4; else 0 */
	uint16_t source_port, destination_port;
	uint8_t path_count;          /* in `paths` */
	uint8_t upper;               /* enum rtap_upper: protocol as which its SEND was dissected, if its header is present */
	struct packet_request request; /* from the context */
	struct rtap_fragment_facts fragment;
	struct packet_carrier carrier;
	struct rtap_ib_facts ib;
	struct rtap_mad_facts mad;
	struct rtap_cm_facts cm;
	struct rtap_tcp_facts tcp;
	struct rtap_payload payload;
	struct rtap_mpa_facts mpa;
	struct rtap_fpdus fpdus;
	struct rtap_rpcrdma_facts rpcrdma;
	struct rtap_rpc_facts rpc;
	struct rtap_flow_facts flow;
	struct rtap_anomaly anomalies[RTAP_MAX_ANOMALIES];
	struct rtap_layer layers[RTAP_MAX_LAYERS];
	struct packet_paths paths;
};

/* The frame that shows an RPC call, and the one that shows its reply. */
struct rtap_reply {
	uint64_t call_frame, frame;
};

/* Knowledge from other packets. All zero: nothing is known. Borrowed for the call. */
struct rtap_context {
	const struct rtap_decode_as *decode_as;
	size_t decode_as_count;
	bool check_icrc;      /* recompute the CRCs of each packet and report wrong ones as anomalies */
	bool no_heuristics;   /* recognise protocols by ports, types and decode_as only, never by content */
	uint8_t upper;        /* enum rtap_upper: the protocol on this queue pair */
	bool rpc_known;       /* the call of an RPC reply is known: the three below are valid */
	uint32_t rpc_program, rpc_version, rpc_procedure;
	uint32_t rpc_flavor, rpc_gss_procedure, rpc_gss_service; /* of the call's credential */
	uint64_t rpc_call_frame; /* the frame that shows this call; 0: unknown, though the values above are known */
	int64_t rpc_call_time_ns; /* of that frame */
	const struct rtap_reply *replies; /* of all answered calls, in the order of the calls' frames; NULL: unknown */
	size_t reply_count;
	uint32_t rpc_callback_program; /* the program number of the NFSv4 callback on this connection, if known; 0: none */
	uint8_t cm_consumer;  /* enum rtap_cm_consumer: from the REQ that a REP or REJ answers */
	struct rtap_datagram datagram; /* completed by this packet: dissected as a source of its own after the fragment header */
	struct rtap_span message; /* reassembled bytes that end in this packet: dissected as the next source instead of its payload */
	uint32_t message_wire; /* length of `message` on the wire if the capture truncated it; 0: not truncated */
	/* data of an RMPP transaction completed by this segment: dissected as the next source instead of the segment's own data */
	struct rtap_span records;
	/* an RPC message carried in chunks: dissected after this packet's RPC-over-RDMA header, READ response or WRITE */
	struct rtap_span chunk;
	uint32_t chunk_header; /* bytes of `chunk` before the message: its RPC-over-RDMA header, not shown twice; 0: none */
	uint16_t chunk_protocol; /* enum protocol_number of `chunk`, in a READ response or WRITE; 0: an RPC message */
	uint16_t written;     /* enum protocol_number of the data of a WRITE; 0: unknown */
	struct packet_request request; /* facts from the connection's upper layer; all zero: none */
	bool rpc_follows;     /* a later packet completes the RPC message of this RPC-over-RDMA header, and shows it */
	bool stop_at_tcp;     /* do not dissect TCP payload: the caller dissects again once it knows the stream's protocol */
	bool not_iwarp;       /* this TCP stream is known to carry another protocol */
	bool is_iwarp;        /* this TCP stream carries FPDUs: `fpdus` has those that end in this segment; no heuristics */
	const struct rtap_fpdu *fpdus; /* in stream order; their bytes are in the frame or live as long as it does */
	uint32_t fpdu_count;
};

/* A packet of a user of the library; rtap_packet_open() returns a pointer to the first member. */
struct opened_packet {
	struct rtap_packet packet;
	struct rtap_context context;
};

/* The context that the options of a user describe. FAILED: see struct_size_take(). */
enum rtap_status packet_context(const struct rtap_dissect_options *options, struct rtap_context *context, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The addresses and ports are again those of the network that carries BTH, though its message carries others. */
static inline void packet_restore_carrier(struct rtap_packet *packet)
{
	const struct packet_carrier *carrier = &packet->carrier;

	if (__builtin_expect(!carrier->present, 1))
		return;
	packet->address_length = carrier->address_length;
	packet->traffic_class = carrier->traffic_class;
	packet->ip_id = carrier->ip_id;
	packet->source_port = carrier->source_port;
	packet->destination_port = carrier->destination_port;
	packet->source_address = carrier->source_address;
	packet->destination_address = carrier->destination_address;
}

/* Returns whether the packet has a header of the protocol (its number in the registry). */
static inline bool packet_has(const struct rtap_packet *packet, uint16_t protocol)
{
	return packet->protocols[protocol / 64] >> (protocol % 64) & 1;
}

#endif
