/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture as trace events for chrome://tracing and Perfetto, in the JSON Object Format of the Trace Event Format: a process for each
 * connection, with tracks for the messages and operations of each direction and for recoveries; a process for the pauses of each port.
 * Times are microseconds with three decimals since the first frame.
 */
#ifndef OUTPUT_EXPORT_EXPORT_TRACE_H
#define OUTPUT_EXPORT_EXPORT_TRACE_H

#include <stdbool.h>

#include <rdmatap/error.h>
#include <rdmatap/message.h>
#include <rdmatap/operation.h>

#include "dissect/engine/packet.h"
#include "output/stats/congestion.h"

struct export_trace;

/* Creates the file; an existing one is replaced. "-" is standard output. `begin_ns` is set by the first call of export_trace_begin(). */
enum rtap_status export_trace_open(struct export_trace **trace, const char *name, struct rtap_error *error) __attribute__((warn_unused_result));

/* Sets the time of the current frame. Call it before adding events of the frame. */
void export_trace_begin(struct export_trace *trace, int64_t time_ns);

/* Add an event. After a failure, which export_trace_close() reports, nothing more is added. RPC messages are ignored: their operations are added. */
void export_trace_message(struct export_trace *trace, const struct rtap_message *message);
void export_trace_operation(struct export_trace *trace, const struct rtap_operation *operation);
/* The end of a connection: its name. */
void export_trace_connection(struct export_trace *trace, const struct rtap_connection *connection);
/* Recoveries that end with the packet. */
void export_trace_packet(struct export_trace *trace, const struct rtap_packet *packet);
void export_trace_pause(struct export_trace *trace, const struct congestion_pause *pause);
/* Two connections are one: `from` keeps its events, and is named as a part of `into`. */
void export_trace_merge(struct export_trace *trace, uint64_t from, uint64_t into);

/* Whether an event could not be written. */
bool export_trace_failed(const struct export_trace *trace);

/* Ends the JSON text, closes and frees. FAILED: the file is incomplete. NULL is ignored. */
enum rtap_status export_trace_close(struct export_trace *trace, struct rtap_error *error);

#endif
