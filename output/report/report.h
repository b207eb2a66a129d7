/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture as one HTML page with tables and plots. In addition to the statistics (output/stats/stats.h) it keeps, for each connection,
 * as many points as a plot needs, and the bars of its RPCs' time line. doc/stats.md describes what is omitted.
 */
#ifndef OUTPUT_REPORT_REPORT_H
#define OUTPUT_REPORT_REPORT_H

#include <rdmatap/anomaly.h>
#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "output/stats/congestion.h"
#include "output/stats/findings.h"
#include "output/packet/format.h"
#include "output/report/report_points.h"
#include "output/report/report_throughput.h"
#include "output/stats/stats.h"

struct join_form;

/* Connections plotted; connections with points, more than are plotted because the choice is only made at the end. */
#define REPORT_PLOTTED 8
#define REPORT_TRACES 32

/* Rows of a table. */
#define REPORT_ROWS 500

/* Kinds of packets in a plot of PSNs. X(identifier, class of the style sheet, plural in words). The first three are dots. */
#define REPORT_SERIES(X) \
	X(REQUESTS, "req", "requests") X(RESPONSES, "res", "READ and atomic responses") X(ACKS, "ack", "acknowledgements") \
	X(GAP, "gap", "after packets not seen") X(LATE, "late", "late (out of order)") X(DUPLICATE, "dup", "duplicates") \
	X(AGAIN, "again", "retransmissions") X(RNR, "rnr", "RNR NAKs") X(NAK, "nak", "NAKs") X(CNP, "cnp", "CNPs")

enum report_series {
#define REPORT_SERIES_ENUM(identifier, name, words) REPORT_##identifier,
	REPORT_SERIES(REPORT_SERIES_ENUM)
#undef REPORT_SERIES_ENUM
	REPORT_SERIES_COUNT
};

#define REPORT_DOTS REPORT_GAP

/* A packet. The spot's place: distance of its number from the first one of the sequence, without wrap-around. */
struct report_packet {
	struct report_spot spot;
	uint64_t frame;
	uint32_t number;            /* PSN, or sequence number of TCP */
	uint8_t opcode;             /* InfiniBand */
};

/* The sequence numbers of one end: its requests and their responses. TCP: its segments and their acknowledgements. */
struct report_sequence {
	bool begun;
	uint32_t first, last;       /* numbers */
	int64_t place;              /* of `last` */
	struct report_points series[REPORT_SERIES_COUNT]; /* struct report_packet */
};

/*
 * An RPC, or an operation of another layer. The spot's time: of the request; its place: nanoseconds to the end of the response, negative: none
 * was seen. Texts are cut to their arrays.
 */
struct report_call {
	struct report_spot spot;
	uint64_t frame, reply_frame; /* first frames of request and response; 0: unknown */
	char kind[40];              /* "nvme Read" */
	char id[24];                /* what pairs request and response; "": unknown */
	char status[32];            /* of an error; "": it has no name */
	bool failed;
	bool has_reads, has_writes; /* the responder moved data by RDMA READs, by RDMA WRITEs */
	bool has_reply_chunk;
};

#define REPORT_PAUSE RTAP_RECOVERY_COUNT
#define REPORT_WAIT (RTAP_RECOVERY_COUNT + 1)

/*
 * Time lost to a recovery, a pause, or a wait of an operation for data or its response. The spot's time: the end of the loss; its place:
 * nanoseconds lost.
 */
struct report_recovery {
	struct report_spot spot;
	uint64_t frame, connection;
	bool from_a;                /* end that retransmitted; TCP windows: end that was blocked */
	uint8_t cause;              /* enum rtap_recovery; REPORT_PAUSE: a pause, without a connection; REPORT_WAIT */
	uint8_t attempt;            /* 0: up to the response to the last attempt, or unknown */
};

/* Data of one connection. */
struct report_trace {
	uint64_t number;            /* of the connection */
	uint64_t first_frame;       /* first frame with a point */
	uint64_t missed;            /* packets of the connection before first_frame */
	struct report_sequence sequences[2]; /* a's, b's */
	struct report_points calls; /* struct report_call */
	struct report_throughput throughput;
};

/* A packet that sets up or ends a connection: CM, MPA, an iWARP Terminate, or TCP with SYN, FIN or RST. */
struct report_signal {
	uint64_t frame;
	int64_t time_ns;
	uint8_t source[16], destination[16];
	uint8_t address_length;     /* 4, 16; 2: LIDs; 0: unknown */
	bool is_tcp;
	uint16_t source_port, destination_port; /* TCP */
	uint8_t label_length;
	char label[119];            /* NUL-terminated */
};

#define REPORT_SIGNALS 2048
#define REPORT_PENDING 1024

struct report {
	struct stats *stats;        /* borrowed */
	struct report_trace *traces[REPORT_TRACES];
	unsigned trace_count, trace_limit;
	struct report_trace *last;  /* the one looked up last */
	uint64_t refused;           /* failed allocations of traces or signals */
	struct report_signal *signals; /* in frame order; NULL: none */
	unsigned signal_count;
	uint64_t signals_seen;
	struct report_points recoveries; /* struct report_recovery */
	struct { uint64_t number; uint32_t lost_us; struct report_call call; } pending[REPORT_PENDING]; /* calls by message number */
};

/* Description of the input on the page. Everything is borrowed. */
struct report_input {
	const char *const *names;   /* of files */
	size_t name_count;
	const struct rtap_source *source;
	const char *failure;        /* why the input was not read completely; NULL: it was */
	bool interrupted;           /* an interrupt ended reading */
	const uint64_t *anomalies;  /* by enum rtap_anomaly_code */
	struct rtap_tracker_counters counters;
	const struct join_form *join; /* of several capture points; NULL: there is one */
};

/* Limits points to max_memory bytes, but always keeps those of one connection. `stats` is borrowed. NULL: out of memory. */
struct report *report_create(struct stats *stats, uint64_t max_memory);

/* Adds a packet of rtap_tracker_frame(). Call it after stats_packet(). */
void report_packet(struct report *report, const struct rtap_packet *packet);

/* The tracker's callback. */
void report_merge(struct report *report, uint64_t from, uint64_t into, bool turned);

/* Frees. NULL is ignored. */
void report_destroy(struct report *report);

/* Rank of a connection: its bytes, plus a number of bytes for each anomaly. */
#define REPORT_ANOMALY_BYTES 4096
uint64_t report_weight(const struct stats_connection *connection);

/* The trace of a connection; NULL: none. */
static inline struct report_trace *report_trace_of(const struct report *report, uint64_t number)
{
	for (unsigned i = 0; i < report->trace_count; i++)
		if (report->traces[i]->number == number)
			return report->traces[i];
	return NULL;
}

#endif
