/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture as one HTML page with tables and plots. It takes what the tracker tells beside the counts (output/stats/stats.h): of each
 * connection as many points as a plot needs, and of its RPCs the bars of a time line. doc/stats.md says what is left out.
 */
#ifndef OUTPUT_REPORT_REPORT_H
#define OUTPUT_REPORT_REPORT_H

#include <rdmatap/anomaly.h>
#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "output/stats/findings.h"
#include "output/packet/format.h"
#include "output/report/report_points.h"
#include "output/stats/stats.h"

/* Connections that are plotted; those that points are kept of, because it is not known before the end which those will be. */
#define REPORT_PLOTTED 8
#define REPORT_TRACES 32

/* Rows of a table. */
#define REPORT_ROWS 500

/* What a packet is in a plot of PSNs. X(identifier, class of the style sheet, plural in words). The first three are dots. */
#define REPORT_SERIES(X) \
	X(REQUESTS, "req", "requests") X(RESPONSES, "res", "READ and atomic responses") X(ACKS, "ack", "acknowledgements") \
	X(GAP, "gap", "behind packets not seen") X(LATE, "late", "late (out of order)") X(DUPLICATE, "dup", "duplicates") \
	X(AGAIN, "again", "retransmissions") X(RNR, "rnr", "RNR NAKs") X(NAK, "nak", "NAKs") X(CNP, "cnp", "CNPs")

enum report_series {
#define REPORT_SERIES_ENUM(identifier, name, words) REPORT_##identifier,
	REPORT_SERIES(REPORT_SERIES_ENUM)
#undef REPORT_SERIES_ENUM
	REPORT_SERIES_COUNT
};

#define REPORT_DOTS REPORT_GAP

/* A packet. The spot's place: how far its number is from the first one of its sequence, without wrapping round. */
struct report_packet {
	struct report_spot spot;
	uint64_t frame;
	uint32_t number;            /* PSN, or sequence number of TCP */
};

/* What one end numbers: its requests, and what the other end answered to them. TCP: its segments, and what was acknowledged of them. */
struct report_sequence {
	bool begun;
	uint32_t first, last;       /* numbers */
	int64_t place;              /* of `last` */
	struct report_points series[REPORT_SERIES_COUNT]; /* of report_packet */
};

/* An RPC. The spot's time: of the call; its place: nanoseconds to the end of the reply, or negative: there was none. */
struct report_call {
	struct report_spot spot;
	uint64_t frame, reply_frame; /* first ones of the call and the reply; 0: not known */
	const char *name;           /* of what it does; NULL: a procedure without one */
	const char *status;         /* of an error: name, or NULL: only a number */
	uint32_t program, version, procedure, xid;
	bool program_known, failed;
	bool read_chunks, write_chunks, reply_chunk;
};

/* Time lost to a recovery. The spot's time: of what made good for it; its place: nanoseconds lost. */
struct report_recovery {
	struct report_spot spot;
	uint64_t frame, connection;
	bool from_a;                /* who sent again; TCP's windows: who was held up */
	uint8_t cause;              /* enum rtap_recovery, or RTAP_RECOVERY_COUNT more than enum tcp_recovery_cause */
	uint8_t attempt;            /* 0: until the response to the last attempt, or not known */
};

/* What is kept of one connection. */
struct report_trace {
	uint64_t number;            /* of the connection */
	uint64_t first_frame;       /* points are kept from here on */
	uint64_t missed;            /* packets of the connection before that */
	struct report_sequence sequences[2]; /* a's, b's */
	struct report_points calls; /* of report_call */
};

/* A packet by which a connection is set up or ended: CM, MPA, a Terminate of iWARP, or TCP with SYN, FIN or RST. */
struct report_signal {
	uint64_t frame;
	int64_t time_ns;
	uint8_t source[16], destination[16];
	uint8_t address_length;     /* 4, 16; 2: LIDs; 0: not known */
	bool is_tcp;
	uint16_t source_port, destination_port; /* TCP */
	uint8_t label_length;
	char label[119];            /* ends with a zero byte */
};

#define REPORT_SIGNALS 2048
#define REPORT_PENDING 1024

struct report {
	struct stats *stats;        /* borrowed */
	struct report_trace *traces[REPORT_TRACES];
	unsigned trace_count, trace_limit;
	struct report_trace *last;  /* looked up last */
	uint64_t refused;           /* times that the system had no memory for a trace or signals */
	struct report_signal *signals; /* in order of frames; NULL: none */
	unsigned signal_count;
	uint64_t signals_seen;
	struct report_points recoveries; /* of report_recovery */
	struct { uint64_t number; struct report_call call; } pending[REPORT_PENDING]; /* calls, by the numbers of their messages */
};

/* What the page says of its input. Everything is borrowed. */
struct report_input {
	const char *const *names;   /* of files */
	size_t name_count;
	const struct rtap_source *source;
	const char *failure;        /* why the input was not read to its end, or not all of it; NULL: it was */
	bool interrupted;           /* reading was */
	const uint64_t *anomalies;  /* by enum rtap_anomaly_code */
	struct rtap_tracker_counters counters;
};

/* Keeps points in at most max_memory bytes, but those of one connection in any case. NULL: memory is out. The stats are borrowed. */
struct report *report_create(struct stats *stats, uint64_t max_memory);

/* What rtap_tracker_frame() has made of a frame, behind stats_packet(). */
void report_packet(struct report *report, const struct rtap_packet *packet);

/* The tracker's callback. */
void report_merge(struct report *report, uint64_t from, uint64_t into, bool turned);

/* Frees. NULL is ignored. */
void report_destroy(struct report *report);

/* How much a connection matters: bytes, and every anomaly as much as so many of them. */
#define REPORT_ANOMALY_BYTES 4096
uint64_t report_weight(const struct stats_connection *connection);

/* The trace of a connection; NULL: there is none. */
static inline struct report_trace *report_trace_of(const struct report *report, uint64_t number)
{
	for (unsigned i = 0; i < report->trace_count; i++)
		if (report->traces[i]->number == number)
			return report->traces[i];
	return NULL;
}

#endif
