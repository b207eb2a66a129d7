/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A packet being checked, and the rules' state of its connection.
 */
#ifndef OUTPUT_CHECK_SUBJECT_H
#define OUTPUT_CHECK_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/map.h"
#include "dissect/engine/packet.h"
#include "output/check/setup.h"
#include "output/check/violation.h"

/* Groups of rules that keep state of a connection. */
enum check_group { CHECK_GROUP_IB, CHECK_GROUP_RPCRDMA, CHECK_GROUP_IWARP, CHECK_GROUP_STORAGE, CHECK_GROUP_SMB, CHECK_GROUPS };

/* State of a connection: one block of memory for each group, allocated with the group's first packet. */
struct check_connection {
	uint64_t number;
	TAILQ_ENTRY(check_connection) link;     /* by use */
	struct setup *setup;                    /* owned; NULL: its communication management was not captured */
	bool was_sought;                        /* setup */
	bool had_gap;                           /* a packet before the current one was not captured */
	bool had_unknown;                       /* a SEND of it is of no known protocol */
	bool has_acknowledged[2];
	uint32_t acknowledged[2];               /* highest PSN, or sequence number after the bytes, that each end acknowledged of the other end */
	bool has_tcp_end[2];
	uint32_t tcp_end[2];                    /* sequence number after the last captured byte of each end */
	void *groups[CHECK_GROUPS];
	size_t sizes[CHECK_GROUPS];
};

struct check_memory {
	struct map connections;
	TAILQ_HEAD(check_connections, check_connection) by_use; /* used last comes first */
	uint64_t max_memory, memory; /* bytes */
	uint64_t evictions;          /* connections evicted because of the limit: their rules restart */
};

struct subject {
	struct violations *violations;
	struct check_memory *memory;
	const struct rtap_packet *packet;
	struct check_connection *connection; /* NULL: unknown */
	unsigned sender;             /* index of the sender: 0 for end a of the connection */
	/*
	 * It acknowledges bytes of the other end that are captured later, if at all: the capture has the two directions in another order, so that
	 * what the other end sent before this packet is not known. TCP alone shows it.
	 */
	bool is_ahead;
	bool is_beyond, is_behind;   /* TCP: bytes of its sender before it were not captured yet; bytes after it were captured earlier */
	bool is_late;                /* it shows FPDUs of earlier segments after later ones */
	bool is_gap;                 /* packets before this one were not captured, or not all of its FPDUs are shown; set by ib_sequence_packet() too */
};

/* Initialises an empty memory. */
void check_memory_init(struct check_memory *memory, uint64_t max_memory);

/* The connection of this number, created if necessary. NULL: number 0, or out of memory. */
struct check_connection *check_memory_connection(struct check_memory *memory, uint64_t number);
/* Stores a copy of the negotiated parameters. NULL: unknown. */
void check_memory_set_up(struct check_memory *memory, struct check_connection *connection, const struct setup *setup);
/* The connection may be another one than the one that was set up: forgets the parameters. */
void check_memory_forget_setup(struct check_memory *memory, struct check_connection *connection);
/* Frees the state of a connection. */
void check_memory_discard(struct check_memory *memory, uint64_t number);
void check_memory_fini(struct check_memory *memory);

/* The block of a group, zero when it is made. NULL: no connection, or out of memory. */
void *subject_state(struct subject *subject, enum check_group group, size_t size);

/* Reports that the packet breaks a rule. The rest, as for printf(), describes the violation. */
void subject_break(const struct subject *subject, enum check_rule_number rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An earlier packet of either end that turned out to have broken a rule. */
struct check_origin {
	uint64_t frame;
	int64_t time_ns;
	bool by_other;
};

/*
 * A message above the limit that the other end set, of which a later packet must show that it was sent in spite of it: a capture can have the
 * two directions in another order, so that a message that raises the limit is captured after the one that it allowed.
 */
struct check_excess {
	bool is_set;
	bool is_received;            /* the other end had it when it sent the message that this packet shows */
	uint32_t psn;                /* InfiniBand */
	struct check_origin origin;  /* as of a packet of the other end */
};

/* Records that the packet is above the limit. TCP: one that acknowledges bytes captured later is not recorded. */
void subject_exceed(const struct subject *subject, struct check_excess *excess);
/* The packet is a message of the other end that may change the limit. Whether the excess is proven; if not, it is forgotten. */
bool subject_proves(const struct subject *subject, struct check_excess *excess);

/* Records what the packet acknowledges. */
void subject_take_acknowledgement(const struct subject *subject);
/* InfiniBand: whether the sender acknowledged this PSN in an earlier packet, so that it sent this one with knowledge of it. */
bool subject_acknowledged(const struct subject *subject, uint32_t psn);
/* Whether all of the packet is after the PSN, or the bytes, that the other end acknowledged. */
bool subject_is_after(const struct subject *subject, uint32_t acknowledged);
/* Whether the other end acknowledged the packet in an earlier packet: what it sent in response may have been captured before, too. */
bool subject_is_acknowledged(const struct subject *subject);

void subject_break_at(const struct subject *subject, const struct check_origin *origin, enum check_rule_number rule, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
