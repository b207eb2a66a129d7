/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion: the traffic classes that packets are sent in (DSCP, ECN, priority of the VLAN tag), how fast a direction is before and
 * after congestion notifications (CNPs), and frames by which a port holds up its neighbour (PAUSE and PFC).
 */
#ifndef OUTPUT_STATS_CONGESTION_H
#define OUTPUT_STATS_CONGESTION_H

#include <rdmatap/packet.h>

#include "dissect/engine/protocol.h"

/* Kinds of packets that may have classes of their own; a segment is one of iWARP with data. X(identifier, name) */
#define CONGESTION_KINDS(X) X(REQUEST, "request") X(RESPONSE, "response") X(ACK, "ack") X(CNP, "cnp") X(SEGMENT, "segment")

enum congestion_kind {
#define CONGESTION_KIND_ENUM(identifier, name) CONGESTION_##identifier,
	CONGESTION_KINDS(CONGESTION_KIND_ENUM)
#undef CONGESTION_KIND_ENUM
	CONGESTION_KIND_COUNT
};

const char *congestion_kind_name(enum congestion_kind kind);

/*
 * A packet's class: what networks choose queues by. The byte with DSCP and ECN (RFC 2474, RFC 3168), and the priority code point of
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

/* How many packets of a kind had a class. */
struct congestion_row {
	uint32_t key;                       /* CONGESTION_KEY() */
	uint64_t packets;
};

/* The class of a direction's first packet, which is that of most: how many packets of each kind had it. */
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

/* How long before and after a CNP the rate is measured, at least. */
#define CONGESTION_WINDOW_NS INT64_C(1000000)

/* CNPs within this time of the first are of one storm. */
#define CONGESTION_STORM_NS INT64_C(100000000)

/* What a direction had sent at two times: the rate since the earlier is that of the last one to two windows. */
struct congestion_window {
	int64_t end_ns;                     /* a packet from here on begins a new window; 0: there was none */
	int64_t begin_ns, before_ns;        /* of this window and the one before it */
	uint64_t begin_bytes, before_bytes; /* sent until then */
};

/* CNPs that were sent within CONGESTION_STORM_NS. */
struct congestion_storm {
	int64_t begin_ns;
	uint64_t count, first_frame, last_frame;
};

struct congestion_cnps {
	struct congestion_storm last_storm, worst_storm; /* of CNPs that this end sent */
	/* CNPs that this end was sent, those a window or more apart: its rate before and after */
	bool pending;                       /* the rate after the last one is not known yet */
	int64_t last_ns;
	uint64_t bytes;                     /* sent until then */
	uint64_t rate_before;               /* bytes a second */
	uint64_t measured, not_slower;
	uint64_t before_sum, after_sum;     /* of `measured` rates */
	uint64_t first_frame, last_frame, frame; /* of CNPs after which the rate did not fall; of the pending one */
};

/* Priorities of PFC, and the whole link. */
#define PAUSE_PRIORITIES 8
#define PAUSE_LINK PAUSE_PRIORITIES

/* What a PAUSE or PFC frame says. */
struct congestion_pause {
	uint64_t frame;                     /* number */
	int64_t time_ns;
	uint64_t bits_per_second;           /* of the link; 0: not known */
	uint32_t interface;
	uint8_t source[6];                  /* MAC address */
	uint16_t enabled;                   /* a bit for each priority, bit PAUSE_LINK: all of the link */
	uint16_t quanta[PAUSE_PRIORITIES + 1]; /* of 512 bit times each; 0: go on */
};

/* False: it is no such frame, or the capture cut it off. */
bool congestion_pause_of(const struct rtap_packet *packet, struct congestion_pause *pause);

/* What a port asked of its neighbour, of one priority. */
struct congestion_port {
	uint8_t source[6];
	uint8_t priority;                   /* or PAUSE_LINK */
	uint32_t interface;
	uint64_t frames, first_frame, last_frame;
	uint64_t pauses;                    /* of the frames, those with quanta; the others say to go on */
	uint64_t quanta;                    /* as asked for; what a later frame cut short is in it */
	uint64_t paused_ns;                 /* while the link's speed was known */
	uint64_t unknown_speed;             /* pauses without it: not in paused_ns */
	int64_t begin_ns, end_ns;           /* of the pause under way; end_ns 0: none */
};

#define CONGESTION_PORTS 64

/* All of a capture. */
struct congestion_ports {
	struct congestion_port ports[CONGESTION_PORTS];
	unsigned count;
	uint64_t frames, first_frame, last_frame; /* of PAUSE and PFC; frames of further ports too */
	uint64_t other;                     /* priorities in frames of further ports */
};

struct stats;
struct stats_direction;

static inline bool congestion_is_marked(uint16_t class)
{
	return CLASS_ECN(class) == ECN_CE;
}

uint16_t congestion_priority_of(const struct rtap_packet *packet);

/* Without the priority. Of InfiniBand and RoCE v1 it is only whether the network marked the packet. */
static inline uint16_t congestion_class_of(const struct rtap_packet *packet)
{
	/* on InfiniBand and RoCE v1 classes are service levels and priorities, and the BTH has the mark (IBTA vol. 1, A10) */
	if (!packet->source_address || packet->ib.has_grh || packet->ib.has_lrh)
		return packet->ib.fecn ? ECN_CE : 0;
	return (uint16_t)(CLASS_HAS_DSCP | packet->traffic_class);
}

/* Whether there is a priority to be added to that. */
static inline bool congestion_has_priority(const struct rtap_packet *packet)
{
	_Static_assert(PROTOCOL_VLAN / 64 == PROTOCOL_SERVICE_VLAN / 64, "one word has both");
	return packet->protocols[PROTOCOL_VLAN / 64] & (UINT64_C(1) << PROTOCOL_VLAN % 64 | UINT64_C(1) << PROTOCOL_SERVICE_VLAN % 64);
}

/* A packet of the direction that is not of the usual class. */
void congestion_note(struct stats *stats, struct stats_direction *direction, uint32_t key);

/* All kinds and classes of a direction, one after the other: `at` begins as 0. False: that were all. */
bool congestion_next(const struct stats_direction *direction, unsigned *at, struct congestion_row *row);

/* A packet of so many bytes, which are counted already, is behind the direction's window. */
void congestion_begin_window(struct stats_direction *direction, int64_t time_ns, uint32_t bytes);

/* A CNP for congestion on the way from `slowed`. */
void congestion_note_cnp(struct stats *stats, struct stats_direction *sender, struct stats_direction *slowed, uint64_t frame, int64_t time_ns);

void congestion_note_pause(struct stats *stats, const struct congestion_pause *pause);

/* The time paused of a port and priority until the capture's end at `last_ns`; 0: the link's speed is not known. */
uint64_t congestion_paused_ns(const struct congestion_port *port, int64_t last_ns);

/* The class of most of a direction's packets but CNPs, and how many they are; 0 packets: there is none. */
uint64_t congestion_main_class(const struct stats_direction *direction, uint16_t *class);

/* Whether all packets are in the default class (DSCP 0, no VLAN tag), and none was marked. */
bool congestion_is_default(const struct stats_direction *direction);

/* What was counted of a direction goes into another. */
void congestion_merge(struct stats *stats, struct stats_direction *direction, const struct stats_direction *other);

void congestion_destroy(struct stats *stats, struct stats_direction *direction);

#endif
