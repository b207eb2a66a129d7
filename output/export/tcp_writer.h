/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP connections that never were: messages become segments of connections from handshake to FIN, as RFC 9293 would have
 * them, in a capture file of Ethernet frames.
 */
#ifndef OUTPUT_EXPORT_TCP_WRITER_H
#define OUTPUT_EXPORT_TCP_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/error.h>

/* Payload of a segment: with its headers it fits into an IPv4 packet. */
#define TCP_WRITER_SEGMENT 65000

struct tcp_writer;

/* Who talks; taken from a connection's first message. */
struct tcp_writer_ends {
	uint64_t stream;          /* number of the connection, from 1: tells its client's port, 49152 for the first */
	uint8_t address_length;   /* of both: 4 or 16 */
	uint8_t client[16], server[16];
	uint16_t server_port;
	bool client_is_a;         /* the connection's ends are told apart as a and b */
};

/* Creates the file, as rtap_writer_open() does. */
enum rtap_status tcp_writer_open(struct tcp_writer **writer, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Appends bytes to one direction of a connection; opens it first if they are its first ones. Times may not go back. After
 * FAILED only tcp_writer_close() may be called.
 * 64,512 connections can be open; the one whose port another needs is closed.
 */
enum rtap_status tcp_writer_send(struct tcp_writer *writer, const struct tcp_writer_ends *ends, bool from_a, int64_t time_ns,
				 const uint8_t *bytes, uint32_t length, struct rtap_error *error) __attribute__((warn_unused_result));

/* How many packets had a time that the file cannot hold. */
uint64_t tcp_writer_held_times(const struct tcp_writer *writer);

/* Closes all connections and the file, and frees, also after a failure, which is not told again. NULL is OK. */
enum rtap_status tcp_writer_close(struct tcp_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
