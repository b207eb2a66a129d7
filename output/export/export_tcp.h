/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC messages as RPC over TCP (RFC 5531, section 11), in a capture file that any tool reads: one record a message, in the order
 * of their completion, between the addresses that they were captured between.
 */
#ifndef OUTPUT_EXPORT_EXPORT_TCP_H
#define OUTPUT_EXPORT_EXPORT_TCP_H

#include <rdmatap/error.h>

#include "reassembly/upper/rpc_exchange.h"

/* A message may be filled up with at most so many bytes: what a hole's length says may be a lie. */
#define EXPORT_TCP_MOST_FILLED (16u << 20)

struct export_tcp;

struct export_tcp_counters {
	uint64_t messages;  /* written */
	uint64_t filled;    /* of these, with zeros in their holes */
	uint64_t dropped;   /* when export_tcp_heed() said so */
	uint64_t left_out;  /* for bytes that are missing */
	uint64_t held_times; /* packets whose times the file cannot hold */
	uint64_t misplaced; /* of those written: told so late that others, which were complete only later, stand before them */
};

/*
 * Creates the file: pcapng or pcap by its name, as rtap_writer_open() does. `fill_holes`: messages with missing bytes are
 * written with zeros in their place. Messages wait for those that are told later but were complete earlier, as long as
 * the bytes of all that wait are no more than `memory`.
 */
enum rtap_status export_tcp_open(struct export_tcp **export, const char *name, bool fill_holes, uint64_t memory, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* As soon as `stopped` says so nothing more is written but what makes the file whole. */
void export_tcp_heed(struct export_tcp *export, bool (*stopped)(void));

/* Takes the call and the reply, whichever are present. After FAILED only export_tcp_close() may be called. */
enum rtap_status export_tcp_exchange(struct export_tcp *export, const struct rpc_exchange *exchange, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Takes one of them: for who knows of the call before there is a reply. */
enum rtap_status export_tcp_part(struct export_tcp *export, const struct rpc_exchange *exchange, bool is_reply, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Writes what waits, closes and frees, also after a failure, which is not told again. *counters is what was done; it may be
 * NULL. NULL is OK.
 */
enum rtap_status export_tcp_close(struct export_tcp *export, struct export_tcp_counters *counters, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
