/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exports RPC messages as RPC over TCP (RFC 5531, section 11) to a capture file: one record per message, in order of completion, with
 * the captured addresses.
 */
#ifndef OUTPUT_EXPORT_EXPORT_TCP_H
#define OUTPUT_EXPORT_EXPORT_TCP_H

#include <rdmatap/error.h>

#include "reassembly/upper/rpc_exchange.h"

/* Most bytes that fill the holes of a message: the length of a hole is untrusted. */
#define EXPORT_TCP_MOST_FILLED (16u << 20)

struct export_tcp;

struct export_tcp_counters {
	uint64_t messages;  /* written */
	uint64_t filled;    /* of these, with holes filled with zeros */
	uint64_t dropped;   /* at an interrupt, see export_tcp_set_stopped() */
	uint64_t left_out;  /* omitted because bytes are missing */
	uint64_t clamped_times; /* packets whose time stamp the file format cannot represent */
	uint64_t misplaced; /* of those written: reported so late that they follow messages completed after them */
};

/*
 * Creates the file: pcapng or pcap by its name, like rtap_writer_open(). `fill_holes`: messages with missing bytes are written with
 * zeros in place of these. Messages wait for earlier ones that are reported later, as long as all waiting messages take at most `memory`
 * bytes.
 */
enum rtap_status export_tcp_open(struct export_tcp **export, const char *name, bool fill_holes, uint64_t memory, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Sets an interrupt check: once `stopped` returns true, only what completes the file is written. */
void export_tcp_set_stopped(struct export_tcp *export, bool (*stopped)(void));

/* Exports the call and the reply, if present. After FAILED only export_tcp_close() may be called. */
enum rtap_status export_tcp_exchange(struct export_tcp *export, const struct rpc_exchange *exchange, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Exports one of them, so that a call can be exported before its reply is known. */
enum rtap_status export_tcp_part(struct export_tcp *export, const struct rpc_exchange *exchange, bool is_reply, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Writes waiting messages, closes and frees, also after a failure, which is not returned again. Sets *counters, which may be NULL.
 * `export` may be NULL.
 */
enum rtap_status export_tcp_close(struct export_tcp *export, struct export_tcp_counters *counters, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
