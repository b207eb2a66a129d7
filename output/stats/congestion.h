/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion: traffic classes of packets (DSCP, ECN, VLAN priority), the rate of a direction before and after congestion notification
 * packets (CNPs), and flow control frames (PAUSE and PFC).
 */
#ifndef OUTPUT_STATS_CONGESTION_H
#define OUTPUT_STATS_CONGESTION_H

#include "dissect/engine/packet.h"
#include "dissect/engine/protocol.h"

/* Kinds of packets that may have separate classes; a segment is an iWARP TCP segment with data. X(identifier, name) */
#define CONGESTION_KINDS(X) X(REQUEST, "request") X(RESPONSE, "response") X(ACK, "ack") X(CNP, "cnp") X(SEGMENT, "segment")

enum congestion_kind {
#define CONGESTION_KIND_ENUM(identifier, name) CONGESTION_##identifier,
	CONGESTION_KINDS(CONGESTION_KIND_ENUM)
#undef CONGESTION_KIND_ENUM
	CONGESTION_KIND_COUNT
};

const char *congestion_kind_name(enum congestion_kind kind);

/*
 * A packet's class, by which networks select queues: the byte with DSCP and ECN (RFC 2474, RFC 3168), and the priority code point of
 * the outermost VLAN tag (IEEE 802.1Q, 9.6).
 */
#define CLASS_ECN(class) ((class) & 3)
#define CLASS_DSCP(class) ((class) >> 2 & 0x3f)
#define CLASS_HAS_DSCP 0x0100u
#define CLASS_PCP(class) ((class) >> 9 & 7)
#define CLASS_HAS_PCP 0x1000u
#define ECN_CE 3

#define CONGESTION_KEY(kind, class) ((uint32_t)(kind) << 16 | (class))
#define CONGESTION_CLASS(key) ((uint16_t)(key))
#define CONGESTION_KIND(key) ((enum congestion_kind)((key) >> 16))

/* Number of packets of one kind and class. */
struct congestion_row {
	uint32_t key;                       /* CONGESTION_KEY() */
	uint64_t packets;
};

/* The class of a direction's first packet, usually that of most packets, with the number of packets of each kind. */
struct congestion_usual {
	uint16_t class;
	uint64_t packets[CONGESTION_KIND_COUNT];
};

#define CONGESTION_ROWS 32

/* Packets of other classes; rows grow up to CONGESTION_ROWS. */
struct congestion {
	uint64_t other;                     /* packets of further classes */
	uint8_t count, room;
	struct congestion_row rows[];
};

/* Minimum duration of rate measurements before and after a CNP. */
#define CONGESTION_WINDOW_NS INT64_C(1000000)

/* CNPs within this time of the first form one storm. */
#define CONGESTION_STORM_NS INT64_C(100000000)

/* Bytes sent by a direction at two times: the rate since the earlier one covers the last one to two windows. */
struct congestion_window {
	int64_t end_ns;                     /* a packet at or after this time begins a new window; 0: no packet yet */
	int64_t begin_ns, before_ns;        /* of this window and the previous one */
	uint64_t begin_bytes, before_bytes; /* sent until these times */
};

/* CNPs that were sent within CONGESTION_STORM_NS. */
struct congestion_storm {
	int64_t begin_ns;
	uint64_t count, first_frame, last_frame;
};

struct congestion_cnps {
	struct congestion_storm last_storm, worst_storm; /* of CNPs sent by this end */
	/* CNPs received by this end, at least a window apart: its rate before and after */
	bool pending;                       /* the rate after the last CNP is not known yet */
	int64_t last_ns;
	uint64_t bytes;                     /* sent until last_ns */
	uint64_t rate_before;               /* bytes per second */
	uint64_t measured, not_slower;
	uint64_t before_sum, after_sum;     /* of `measured` rates */
	uint64_t first_frame, last_frame, frame; /* of CNPs after which the rate did not fall; of the pending CNP */
};

/* Priorities of PFC, and the whole link. */
#define PAUSE_PRIORITIES 8
#define PAUSE_LINK PAUSE_PRIORITIES

/* Contents of a PAUSE or PFC frame. */
struct congestion_pause {
	uint64_t frame;                     /* number */
	int64_t time_ns;
	uint64_t bits_per_second;           /* of the link; 0: unknown */
	uint32_t interface;
	uint8_t source[6];                  /* MAC address */
	uint16_t enabled;                   /* one bit per priority; bit PAUSE_LINK: the whole link */
	uint16_t quanta[PAUSE_PRIORITIES + 1]; /* of 512 bit times; 0: resume */
};

/* Parses a PAUSE or PFC frame. False: not such a frame, or truncated by the capture. */
bool congestion_pause_of(const struct rtap_packet *packet, struct congestion_pause *pause);

/* Pauses that a port requested from its neighbour, for one priority. */
struct congestion_port {
	uint8_t source[6];
	uint8_t priority;                   /* or PAUSE_LINK */
	uint32_t interface;
	uint64_t frames, first_frame, last_frame;
	uint64_t pauses;                    /* frames with quanta; the others resume */
	uint64_t quanta;                    /* requested, including those that a later frame cancelled */
	uint64_t paused_ns;                 /* while the link speed was known */
	uint64_t unknown_speed;             /* pauses with unknown link speed: not in paused_ns */
	int64_t begin_ns, end_ns;           /* of the current pause; end_ns 0: none */
};

#define CONGESTION_PORTS 64

/* All of a capture. */
struct congestion_ports {
	struct congestion_port ports[CONGESTION_PORTS];
	unsigned count;
	uint64_t frames, first_frame, last_frame; /* of PAUSE and PFC, including frames of ports beyond the table */
	uint64_t other;                     /* priorities in frames of ports beyond the table */
};

struct stats;
struct stats_direction;

static inline bool congestion_is_marked(uint16_t class)
{
	return CLASS_ECN(class) == ECN_CE;
}

uint16_t congestion_priority_of(const struct rtap_packet *packet);

/* The class without the priority. For InfiniBand and RoCE v1: only whether the network marked the packet. */
static inline uint16_t congestion_class_of(const struct rtap_packet *packet)
{
	/* InfiniBand and RoCE v1 use service levels and priorities, and mark congestion in the BTH (IBTA vol. 1, A10) */
	if (!packet->source_address || packet->ib.has_grh || packet->ib.has_lrh)
		return packet->ib.fecn ? ECN_CE : 0;
	return (uint16_t)(CLASS_HAS_DSCP | packet->traffic_class);
}

/* Whether the packet's class has a priority. */
static inline bool congestion_has_priority(const struct rtap_packet *packet)
{
	_Static_assert(PROTOCOL_VLAN / 64 == PROTOCOL_SERVICE_VLAN / 64, "one word has both");
	return packet->protocols[PROTOCOL_VLAN / 64] & (UINT64_C(1) << PROTOCOL_VLAN % 64 | UINT64_C(1) << PROTOCOL_SERVICE_VLAN % 64);
}

/* Counts packets that are not of the direction's usual class. */
void congestion_note(struct stats *stats, struct stats_direction *direction, uint32_t key, uint64_t packets);

/* Iterates over all kinds and classes of a direction; initialise *at to 0. False: no more. */
bool congestion_next(const struct stats_direction *direction, unsigned *at, struct congestion_row *row);

/* Begins a new window at a packet after the end of the current one; its `bytes` are already counted. */
void congestion_begin_window(struct stats_direction *direction, int64_t time_ns, uint32_t bytes);

/* Counts a CNP for congestion on the path from `slowed`. */
void congestion_note_cnp(struct stats *stats, struct stats_direction *sender, struct stats_direction *slowed, uint64_t frame, int64_t time_ns);

void congestion_note_pause(struct stats *stats, const struct congestion_pause *pause);

/* Time paused of a port and priority until the end of the capture at `last_ns`; 0: the link speed is unknown. */
uint64_t congestion_paused_ns(const struct congestion_port *port, int64_t last_ns);

/* Sets the most frequent class of a direction's packets other than CNPs and returns its number of packets; 0: none. */
uint64_t congestion_main_class(const struct stats_direction *direction, uint16_t *class);

/* Whether all packets have the default class (DSCP 0, no VLAN tag) and none is marked. */
bool congestion_is_default(const struct stats_direction *direction);

/* Adds the counts of `other` to `direction`. */
void congestion_merge(struct stats *stats, struct stats_direction *direction, const struct stats_direction *other);

void congestion_destroy(struct stats *stats, struct stats_direction *direction);

#endif
