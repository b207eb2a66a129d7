/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/management/cm_private.h"
#include "dissect/iwarp/mpa_setup.h"
#include "dissect/infiniband/upper.h"

/* After the header, if S is set. RFC 6581, section 9. */
#define ENHANCED_LENGTH 4
#define ENHANCED_PEER 0, 1
#define ENHANCED_RTR_SEND 1, 1
#define ENHANCED_IRD 2, 14
#define ENHANCED_RTR_WRITE 16, 1
#define ENHANCED_RTR_READ 17, 1
#define ENHANCED_ORD 18, 14

static const uint8_t request_key[MPA_KEY_LENGTH] = "MPA ID Req Frame";
static const uint8_t reply_key[MPA_KEY_LENGTH] = "MPA ID Rep Frame";

bool mpa_is_setup(const struct cursor *cursor)
{
	return cursor->captured >= MPA_KEY_LENGTH &&
	       (!memcmp(cursor->next, request_key, MPA_KEY_LENGTH) || !memcmp(cursor->next, reply_key, MPA_KEY_LENGTH));
}

bool mpa_may_be_setup(const uint8_t *bytes, uint32_t length)
{
	if (length > MPA_KEY_LENGTH)
		length = MPA_KEY_LENGTH;
	return !memcmp(bytes, request_key, length) || !memcmp(bytes, reply_key, length);
}

static void read_enhanced(const uint8_t *data, struct rtap_mpa_facts *facts)
{
	facts->enhanced = true;
	facts->peer_to_peer = bits(data, ENHANCED_PEER);
	facts->rtr_send = bits(data, ENHANCED_RTR_SEND);
	facts->rtr_write = bits(data, ENHANCED_RTR_WRITE);
	facts->rtr_read = bits(data, ENHANCED_RTR_READ);
	facts->ird = (uint16_t)bits(data, ENHANCED_IRD);
	facts->ord = (uint16_t)bits(data, ENHANCED_ORD);
}

static void read_rpc_private(const uint8_t *data, uint32_t length, struct rtap_mpa_facts *facts)
{
	struct rpcrdma_private message;

	if (!rpcrdma_find_private(data, length, &message))
		return;
	facts->upper = RTAP_UPPER_RPCRDMA;
	facts->remote_invalidation = message.remote_invalidation;
	facts->send_size = message.send_size;
	facts->receive_size = message.receive_size;
}

enum result mpa_read_setup(struct cursor *cursor, struct rtap_mpa_facts *facts)
{
	const uint8_t *header, *data;
	struct cursor left;
	enum result result;

	memset(facts, 0, sizeof *facts);
	facts->present = true;
	facts->is_reply = !memcmp(cursor->next, reply_key, MPA_KEY_LENGTH);
	result = cursor_take(cursor, MPA_SETUP_LENGTH, &header);
	if (result != OK)
		return TRUNCATED;
	facts->markers = bits(header, MPA_SETUP_MARKERS);
	facts->crc = bits(header, MPA_SETUP_CRC);
	facts->rejected = facts->is_reply && bits(header, MPA_SETUP_REJECT);
	facts->revision = (uint8_t)bits(header, MPA_SETUP_REVISION);
	facts->private_length = (uint16_t)bits(header, MPA_SETUP_PD_LENGTH);
	facts->length = MPA_SETUP_LENGTH + (uint32_t)facts->private_length;
	left = *cursor;
	if (bits(header, MPA_SETUP_ENHANCED) && facts->revision >= 2 && facts->private_length >= ENHANCED_LENGTH &&
	    cursor_take(&left, ENHANCED_LENGTH, &data) == OK)
		read_enhanced(data, facts);
	read_rpc_private(cursor->next, cursor->captured < facts->private_length ? cursor->captured : facts->private_length, facts);
	return cursor_take(cursor, facts->private_length, &data) == OK ? OK : TRUNCATED;
}
