/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RTRS, the transport of RNBD: messages of a client and a server. Numbers are little-endian, immediate data is big-endian. Layouts: Linux,
 * drivers/infiniband/ulp/rtrs.
 *
 * A request is an RDMA WRITE with immediate data into a chunk of the server's memory: the data that the client writes, the message of
 * RTRS's user, the request header. The immediate data names the chunk and the position of the header in it.
 */
#ifndef DISSECT_RNBD_RTRS_H
#define DISSECT_RNBD_RTRS_H

#include "dissect/engine/protocol.h"

/* Types of immediate data. */
enum rtrs_immediate { RTRS_IMM_REQUEST = 0, RTRS_IMM_RESPONSE = 1, RTRS_IMM_RESPONSE_INVALIDATES = 2, RTRS_IMM_HEARTBEAT = 8,
	RTRS_IMM_HEARTBEAT_ACK = 9 };

static inline enum rtrs_immediate rtrs_immediate_type(uint32_t immediate)
{
	return (enum rtrs_immediate)(immediate >> 28);
}

/* Of a request: the buffer's number in the high bits, as many as the queue depth needs, then the header's position in the buffer. */
static inline uint32_t rtrs_request_place(uint32_t immediate)
{
	return immediate & 0xfffffff;
}

/* Of a response. */
static inline uint32_t rtrs_response_buffer(uint32_t immediate)
{
	return immediate & 0x7ffff;
}

static inline uint32_t rtrs_response_errno(uint32_t immediate)
{
	return immediate >> 19 & 0x1ff;
}

/* Bits of a position in a buffer, for a queue depth; 0: no such depth. */
static inline unsigned rtrs_place_bits(uint32_t queue_depth)
{
	unsigned bits = 0;

	while (bits < 16 && (queue_depth ? queue_depth - 1 : 0) >> bits)
		bits++;
	return queue_depth && queue_depth <= 65536 ? 28 - bits : 0;
}

#define RTRS_LEAST_PLACE_BITS 12

enum rtrs_type { RTRS_INFO_REQUEST = 0, RTRS_INFO_RESPONSE = 1, RTRS_WRITE = 2, RTRS_READ = 3, RTRS_RKEY = 4 };

#define RTRS_INFO_REQUEST_LENGTH 272
#define RTRS_NAME_AT 2             /* bytes, of an information request */
#define RTRS_NAME_LENGTH 255
#define RTRS_INFO_RESPONSE_LENGTH 8 /* before its descriptors */
#define RTRS_WRITE_LENGTH 4
#define RTRS_READ_LENGTH 8         /* before its descriptors */
#define RTRS_RKEY_LENGTH 8
#define RTRS_DESCRIPTOR_LENGTH 16
#define RTRS_MOST_DESCRIPTORS 4096 /* of a request, for which they are searched */

#define RTRS_TYPE 0, 16
#define RTRS_USER_LENGTH 16, 16
#define RTRS_READ_FLAGS 32, 16
#define RTRS_READ_COUNT 48, 16
#define RTRS_INFO_COUNT 16, 16
#define RTRS_RKEY_BUFFER 16, 16
#define RTRS_DESCRIPTOR_ADDRESS 0, 64
#define RTRS_DESCRIPTOR_KEY 64, 32
#define RTRS_DESCRIPTOR_BYTES 96, 32

/* A request, in the last bytes of its WRITE. */
struct rtrs_request {
	enum rtrs_type type;       /* RTRS_WRITE or RTRS_READ */
	const uint8_t *header;     /* borrowed */
	const uint8_t *user;       /* the user's message; NULL: incomplete */
	uint32_t user_length;
	const uint8_t *descriptors; /* RTRS_READ: memory for the data */
	uint32_t descriptor_count;
	uint64_t data_length;      /* bytes of data to be written or read */
	uint32_t tail_length;      /* of the message and the header, with descriptors */
};

/*
 * Finds the header in the last `length` bytes of a WRITE of `total` bytes (0: unknown) with that immediate data. Its type, its lengths and
 * the position in the immediate data must agree. False: it is not a request, or the header is not among the bytes.
 */
bool rtrs_find_request(const uint8_t *tail, uint32_t length, uint64_t total, uint32_t immediate, struct rtrs_request *request);

/* Whether the user's message agrees with the request too: proof of a request without knowledge of the connection. */
bool rtrs_request_proves_itself(const struct rtrs_request *request, uint64_t total);

/* Whether the bytes at the cursor are an information request or response. */
bool rtrs_recognise(const struct cursor *payload);

/* Whether a SEND with that immediate data is a response that has a new key. */
bool rtrs_is_rkey_response(const uint8_t *payload, uint32_t length, uint32_t immediate);

#endif
