/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ranks pass to rank 0 for statistics and join, as bytes: facts, one after the other, each with a head. All ranks run the same program on
 * machines of one kind, so that they are passed as they are in memory, but nothing in them is relied on that is not checked.
 */
#ifndef MPI_FACT_H
#define MPI_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/message/message_copy.h"
#include "output/message/operation_copy.h"
#include "output/stats/stats.h"

#define FACT_ALIGNED(size) (((size) + 7) & ~(size_t)7)

enum fact_kind {
	FACT_CREATED, FACT_TIME, FACT_SUM, FACT_PACKET, FACT_RARE_PACKET, FACT_JOINED, FACT_PAUSE, FACT_MESSAGE, FACT_REQUEST, FACT_RESPONSE,
	FACT_OPERATION, FACT_CONNECTION, FACT_MERGED, FACT_RESOLVED, FACT_KIND_COUNT
};

/* Its data follow, in multiples of 8 bytes. */
struct fact_head {
	uint64_t order;           /* by which the facts of all ranks are counted */
	uint32_t kind, size;      /* enum fact_kind; bytes of the data */
};

/*
 * FACT_CREATED has the number of connections that were created. FACT_TIME has the time of the frame before. FACT_SUM has a struct
 * packet_sum, of packets before.
 */

/* Of FACT_RARE_PACKET; FACT_PACKET has STATS_USUAL_FACTS bytes of the facts. */
struct packet_fact {
	struct stats_packet_facts facts;
	struct rtap_tcp_recovery recoveries[];
};

struct connection_fact {
	struct rtap_connection connection;
	struct rtap_life_event life[];
};

/* FACT_REQUEST and FACT_RESPONSE have the messages of the FACT_OPERATION that follows. */

/* Followed by the events of its connection, then by a struct message_copy. Of the connection, it has what statistics of messages need. */
struct message_fact {
	uint32_t life_count;      /* 0: statistics do not need the events */
	uint8_t rnr_retries[2];
	struct rtap_life_event life[];
};

struct operation_fact {
	const char *layer;
	struct operation_copy copy;
};

struct merged_fact {
	uint64_t from, into;
	bool turned;
};

struct resolved_fact {
	uint64_t frame;
	struct rtap_flow_facts flow;
};

/* A static text as its place in the program, which all ranks run; NULL remains. False: it is not of the program. */
bool fact_text_encode(const char **text) __attribute__((warn_unused_result));

/* The reverse, of a fact that is whole. */
const char *fact_text_decode(const char *text);

/* Copies the head at `at`, which is before `end`. False: it says more than there is, or the kind is unknown. */
bool fact_read_head(const uint8_t *at, const uint8_t *end, struct fact_head *head) __attribute__((warn_unused_result));

/*
 * Whether the data, aligned as for any object, are what their kind and their own numbers need, with texts that are of the program or end within
 * them, and values by which tables are indexed. points: number of capture points.
 */
bool fact_is_whole(const struct fact_head *head, const void *data, unsigned points) __attribute__((warn_unused_result));

#endif
