/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Synthetic TCP connections: writes messages as segments of connections from handshake to FIN (RFC 9293) to a capture file of Ethernet
 * frames.
 */
#ifndef OUTPUT_EXPORT_TCP_WRITER_H
#define OUTPUT_EXPORT_TCP_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/error.h>

/* Largest payload of a segment; with its headers it fits into an IPv4 packet. */
#define TCP_WRITER_SEGMENT 65000

struct tcp_writer;

/* The ends of a connection; only those of its first message are used. */
struct tcp_writer_ends {
	uint64_t stream;          /* number of the connection, from 1; determines the client's port, 49152 for the first */
	uint8_t address_length;   /* of both: 4 or 16 */
	uint8_t client[16], server[16];
	uint16_t server_port;
	bool client_is_a;         /* the client is end a of the connection */
};

/* Creates the file, like rtap_writer_open(). */
enum rtap_status tcp_writer_open(struct tcp_writer **writer, const char *name, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Appends bytes to one direction of a connection and opens it first if it is new. Times must not decrease. After FAILED only
 * tcp_writer_close() may be called.
 * At most 64,512 connections are open; one is closed when another needs its port.
 */
enum rtap_status tcp_writer_send(struct tcp_writer *writer, const struct tcp_writer_ends *ends, bool from_a, int64_t time_ns,
				 const uint8_t *bytes, uint32_t length, struct rtap_error *error) __attribute__((warn_unused_result));

/* Number of packets whose time stamp the file format cannot represent. */
uint64_t tcp_writer_clamped_times(const struct tcp_writer *writer);

/* Closes all connections and the file, and frees, also after a failure, which is not returned again. NULL is ignored. */
enum rtap_status tcp_writer_close(struct tcp_writer *writer, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
