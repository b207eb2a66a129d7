/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <rdmatap/writer.h>

#include "dissect/engine/cursor.h"
#include "output/export/tcp_writer.h"

#define ETHERNET_HEADER 14
#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define TCP_HEADER 20
#define SYN_OPTIONS 8
#define LARGEST_HEADERS (ETHERNET_HEADER + IPV6_HEADER + TCP_HEADER + SYN_OPTIONS)
#define PROTOCOL_TCP 6
#define HOPS 64

/* Dynamic ports (RFC 6335, 6) come first, then those below, without the well-known ones. */
#define FIRST_PORT 49152
#define LOWEST_PORT 1024
#define PORTS (65536 - LOWEST_PORT)

/* Largest scale of RFC 7323, 2.3; data are acknowledged long before the window is full. */
#define WINDOW 65535
#define WINDOW_SHIFT 14
#define MOST_UNACKNOWLEDGED (1u << 20)

enum flag { FIN = 0x01, SYN = 0x02, PSH = 0x08, ACK = 0x10 };

enum side { CLIENT, SERVER };

struct connection {
	struct tcp_writer_ends ends;
	uint16_t client_port;
	uint32_t next[2];         /* by side: next sequence number to send */
	uint32_t acknowledged[2]; /* by side: acknowledged by the other side */
};

struct tcp_writer {
	struct rtap_writer *file;
	struct connection *connections[PORTS]; /* by client port */
	uint64_t frames;
	int64_t now_ns;                        /* of the last frame */
	bool failed;
	uint8_t frame[LARGEST_HEADERS + TCP_WRITER_SEGMENT];
};

enum rtap_status tcp_writer_open(struct tcp_writer **writer, const char *name, struct rtap_error *error)
{
	const struct rtap_writer_options options = { .size = sizeof options, .link_type = RTAP_LINK_ETHERNET };
	struct tcp_writer *opened = calloc(1, sizeof *opened);

	*writer = NULL;
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	if (rtap_writer_open(&opened->file, name, &options, error) != RTAP_STATUS_OK) {
		free(opened);
		return RTAP_STATUS_FAILED;
	}
	*writer = opened;
	return RTAP_STATUS_OK;
}

static void store16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void store32(uint8_t *p, uint32_t value)
{
	store16(p, value >> 16);
	store16(p + 2, value);
}

/* Adds 16-bit words to a checksum that is folded later. RFC 1071. */
static uint64_t add_words(uint64_t sum, const uint8_t *bytes, uint32_t length)
{
	for (; length >= 4; bytes += 4, length -= 4)
		sum += load32(bytes);
	if (length >= 2)
		sum += load16(bytes);
	if (length % 2)
		sum += (uint64_t)bytes[length - 1] << 8;
	return sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* A locally administered MAC address derived from the IP address. */
static void put_mac(uint8_t *p, const uint8_t *address, uint8_t address_length)
{
	p[0] = 2;
	p[1] = 0;
	memcpy(p + 2, address + address_length - 4, 4);
}

/* Ethernet and IP headers before `length` bytes of TCP. Returns their length. */
static uint32_t put_network(uint8_t *frame, const struct tcp_writer_ends *ends, enum side from, uint32_t length)
{
	const uint8_t *source = from == CLIENT ? ends->client : ends->server;
	const uint8_t *destination = from == CLIENT ? ends->server : ends->client;
	uint8_t *ip = frame + ETHERNET_HEADER;

	put_mac(frame, destination, ends->address_length);
	put_mac(frame + 6, source, ends->address_length);
	if (ends->address_length == 4) {
		store16(frame + 12, 0x0800);
		memset(ip, 0, IPV4_HEADER);
		ip[0] = 0x45;
		store16(ip + 2, IPV4_HEADER + length);
		ip[6] = 0x40; /* never fragmented, so it needs no identification: RFC 6864, 4.1 */
		ip[8] = HOPS;
		ip[9] = PROTOCOL_TCP;
		memcpy(ip + 12, source, 4);
		memcpy(ip + 16, destination, 4);
		store16(ip + 10, fold(add_words(0, ip, IPV4_HEADER)));
		return ETHERNET_HEADER + IPV4_HEADER;
	}
	store16(frame + 12, 0x86dd);
	store32(ip, 0x60000000);
	store16(ip + 4, length);
	ip[6] = PROTOCOL_TCP;
	ip[7] = HOPS;
	memcpy(ip + 8, source, 16);
	memcpy(ip + 24, destination, 16);
	return ETHERNET_HEADER + IPV6_HEADER;
}

/* The segment's largest payload (RFC 9293, 3.2) and the scale of its window (RFC 7323, 2.2). */
static void put_syn_options(uint8_t *p)
{
	static const uint8_t scale[] = { 1, 3, 3, WINDOW_SHIFT };

	p[0] = 2;
	p[1] = 4;
	store16(p + 2, TCP_WRITER_SEGMENT);
	memcpy(p + 4, scale, sizeof scale);
}

/* Both addresses, the protocol and the length count: RFC 9293, 3.1; RFC 8200, 8.1. */
static uint64_t add_pseudo_header(const struct tcp_writer_ends *ends, uint32_t length)
{
	uint64_t sum = add_words(PROTOCOL_TCP + (uint64_t)length, ends->client, ends->address_length);

	return add_words(sum, ends->server, ends->address_length);
}

/* Writes a segment that acknowledges everything the other side has sent. */
static enum rtap_status emit(struct tcp_writer *writer, struct connection *connection, enum side from, unsigned flags,
			     const uint8_t *bytes, uint32_t length, struct rtap_error *error)
{
	enum side to = from == CLIENT ? SERVER : CLIENT;
	const uint16_t ports[] = { connection->client_port, connection->ends.server_port };
	uint32_t header = TCP_HEADER + (flags & SYN ? SYN_OPTIONS : 0);
	uint32_t network = put_network(writer->frame, &connection->ends, from, header + length);
	uint8_t *tcp = writer->frame + network;
	struct rtap_frame frame = { .bytes = writer->frame, .captured_length = network + header + length,
				    .wire_length = network + header + length, .link_type = RTAP_LINK_ETHERNET,
				    .number = ++writer->frames, .time_ns = writer->now_ns };

	memset(tcp, 0, TCP_HEADER);
	store16(tcp, ports[from]);
	store16(tcp + 2, ports[to]);
	store32(tcp + 4, connection->next[from]);
	if (flags & ACK) {
		store32(tcp + 8, connection->next[to]);
		connection->acknowledged[to] = connection->next[to];
	}
	tcp[12] = (uint8_t)(header / 4 << 4);
	tcp[13] = (uint8_t)flags;
	store16(tcp + 14, WINDOW);
	if (flags & SYN)
		put_syn_options(tcp + TCP_HEADER);
	if (length)
		memcpy(tcp + header, bytes, length);
	store16(tcp + 16, fold(add_words(add_pseudo_header(&connection->ends, header + length), tcp, header + length)));
	connection->next[from] += length + (flags & (SYN | FIN) ? 1 : 0);
	if (rtap_writer_write(writer->file, &frame, error) == RTAP_STATUS_OK)
		return RTAP_STATUS_OK;
	writer->failed = true;
	return RTAP_STATUS_FAILED;
}

/* Writes three segments without payload. */
static enum rtap_status emit_three(struct tcp_writer *writer, struct connection *connection, const unsigned flags[3],
				   struct rtap_error *error)
{
	static const enum side from[] = { CLIENT, SERVER, CLIENT };

	for (int i = 0; i < 3; i++)
		if (emit(writer, connection, from[i], flags[i], NULL, 0, error) != RTAP_STATUS_OK)
			return RTAP_STATUS_FAILED;
	return RTAP_STATUS_OK;
}

static enum rtap_status end_connection(struct tcp_writer *writer, struct connection *connection, struct rtap_error *error)
{
	return emit_three(writer, connection, (const unsigned[]){ FIN | ACK, FIN | ACK, ACK }, error);
}

static enum rtap_status begin_connection(struct tcp_writer *writer, struct connection **connection, const struct tcp_writer_ends *ends,
					 uint16_t client_port, struct rtap_error *error)
{
	if (*connection && end_connection(writer, *connection, error) != RTAP_STATUS_OK)
		return RTAP_STATUS_FAILED;
	if (!*connection)
		*connection = malloc(sizeof **connection);
	if (!*connection) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		writer->failed = true;
		return RTAP_STATUS_FAILED;
	}
	/* initial sequence numbers unlikely to overlap those of a former connection with the same ports */
	**connection = (struct connection){ .ends = *ends, .client_port = client_port,
					    .next = { (uint32_t)ends->stream << 8, (uint32_t)ends->stream << 8 | 0x80000000 } };
	return emit_three(writer, *connection, (const unsigned[]){ SYN, SYN | ACK, ACK }, error);
}

enum rtap_status tcp_writer_send(struct tcp_writer *writer, const struct tcp_writer_ends *ends, bool from_a, int64_t time_ns,
				 const uint8_t *bytes, uint32_t length, struct rtap_error *error)
{
	uint32_t index = (uint32_t)((FIRST_PORT - LOWEST_PORT + (ends->stream - 1) % PORTS) % PORTS);
	struct connection **connection = &writer->connections[index];
	enum rtap_status status = RTAP_STATUS_OK;
	enum side from, to;

	writer->now_ns = time_ns;
	if (!*connection || (*connection)->ends.stream != ends->stream)
		status = begin_connection(writer, connection, ends, (uint16_t)(LOWEST_PORT + index), error);
	if (status)
		return status;
	from = from_a == (*connection)->ends.client_is_a ? CLIENT : SERVER;
	to = from == CLIENT ? SERVER : CLIENT;
	while (!status && length) {
		uint32_t part = length < TCP_WRITER_SEGMENT ? length : TCP_WRITER_SEGMENT;

		status = emit(writer, *connection, from, part == length ? PSH | ACK : ACK, bytes, part, error);
		bytes += part;
		length -= part;
		if (!status && (*connection)->next[from] - (*connection)->acknowledged[from] > MOST_UNACKNOWLEDGED)
			status = emit(writer, *connection, to, ACK, NULL, 0, error);
	}
	return status;
}

uint64_t tcp_writer_clamped_times(const struct tcp_writer *writer)
{
	return rtap_writer_clamped_times(writer->file);
}

enum rtap_status tcp_writer_close(struct tcp_writer *writer, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK, close_status;

	if (!writer)
		return RTAP_STATUS_OK;
	for (uint32_t i = 0; i < PORTS; i++) {
		struct connection *connection = writer->connections[(FIRST_PORT - LOWEST_PORT + i) % PORTS];

		if (connection && !writer->failed)
			status = end_connection(writer, connection, error);
		free(connection);
	}
	close_status = rtap_writer_close(writer->file, status ? NULL : error);
	free(writer);
	return status ? status : close_status;
}
