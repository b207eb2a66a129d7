/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <zlib.h>

#include "output/compare/canon_item.h"

/* Constant names are copied in few instructions; a message has a dozen. */
#define INLINE static inline __attribute__((always_inline))

INLINE void text(struct line *line, const char *name, const char *value)
{
	canon_name(line, name);
	canon_text(line, (const uint8_t *)value, strlen(value));
}

/* One word of a value of several words. */
static void words(struct line *line, const char *name, const char *value)
{
	canon_name(line, name);
	for (; *value; value++)
		line_char(line, *value == ' ' ? '_' : *value);
}

INLINE void number(struct line *line, const char *name, uint64_t value)
{
	canon_name(line, name);
	line_dec(line, value);
}

INLINE void hex(struct line *line, const char *name, uint64_t value, unsigned digits)
{
	canon_name(line, name);
	line_hex(line, value, digits);
}

void canon_send_keep(struct canon_send *send, const struct rtap_message *message)
{
	send->present = true;
	send->connection = message->connection ? message->connection->number : 0;
	send->message = *message;
	if (send->message.missing_count > CANON_SHOWN_HOLES)
		send->message.missing_count = CANON_SHOWN_HOLES;
	if (send->message.missing_count)
		memcpy(send->missing, message->missing, send->message.missing_count * sizeof *send->missing);
	send->message.missing = send->missing;
	send->message.connection = NULL;
}

/* OFFSET+LENGTH:REASON, or OFFSET+?:REASON */
static void missing(const struct rtap_message *message, struct line *line)
{
	if (!message->complete)
		text(line, "complete", "no");
	if (!message->missing_count)
		return;
	canon_name(line, "missing");
	for (uint32_t i = 0; i < message->missing_count && i < CANON_SHOWN_HOLES; i++) {
		const struct rtap_missing *hole = &message->missing[i];

		if (i)
			line_char(line, ',');
		line_dec(line, hole->offset);
		line_char(line, '+');
		if (hole->length_known)
			line_dec(line, hole->length);
		else
			line_char(line, '?');
		line_char(line, ':');
		line_text(line, rtap_missing_reason_name((enum rtap_missing_reason)hole->reason));
	}
}

/*
 * CRC-32 of the message's data. For an RPC message, the XID (the first four bytes) is excluded because it differs in each run: a CRC is
 * linear, so the contribution of these bytes can be removed.
 */
static uint32_t data_crc32(const struct rtap_message *message)
{
	const uint8_t xid[4] = { (uint8_t)(message->xid >> 24), (uint8_t)(message->xid >> 16), (uint8_t)(message->xid >> 8), (uint8_t)message->xid };

	if ((message->kind != RTAP_KIND_RPC_CALL && message->kind != RTAP_KIND_RPC_REPLY) || message->length < sizeof xid)
		return message->crc32;
	return message->crc32 ^ (uint32_t)crc32_combine(crc32(0, xid, sizeof xid), 0, (z_off_t)(message->length - sizeof xid));
}

/* Values that canon omits unless requested. */
static void kept(const struct rtap_message *message, const struct canon_keep *keep, int64_t base_ns, struct line *line)
{
	if (message->has_latency && canon_keeps(keep, "latency")) {
		canon_name(line, "latency");
		line_seconds(line, message->latency_ns);
	}
	if (canon_keeps(keep, "time")) {
		canon_name(line, "time");
		line_seconds(line, message->time_ns - base_ns);
	}
	if (canon_keeps(keep, "frame"))
		number(line, "frame", message->first_frame);
	/* those of management begin with a transaction id, and their fields are compared */
	if (message->has_crc && message->kind != RTAP_KIND_MAD && canon_keeps(keep, "crc32"))
		hex(line, "crc32", data_crc32(message), 8);
}

static void operands(const struct rtap_message *message, struct line *line)
{
	if (message->kind != RTAP_KIND_ATOMIC || message->verb == RTAP_VERB_ATOMIC_WRITE)
		return;
	if (message->request_seen) {
		hex(line, "swap_or_add", message->swap_or_add, 16);
		if (message->verb == RTAP_VERB_COMPARE_SWAP)
			hex(line, "compare", message->compare, 16);
	}
	if (message->complete)
		hex(line, "original", message->original, 16);
}

/* The transmission of a message. */
static void carriage(const struct rtap_message *message, struct line *line)
{
	number(line, "packets", message->frames);
	if (message->repeats)
		number(line, "repeats", message->repeats);
	missing(message, line);
	if (message->outcome)
		words(line, "status", rtap_outcome_name((enum rtap_outcome)message->outcome));
	if (message->has_key) {
		canon_name(line, "key");
		canon_key(line, RTAP_IDENTITY_RKEY, message->r_key, message->virtual_address);
	}
	if (message->has_immediate)
		hex(line, "immediate", message->immediate, 8);
	if (message->has_invalidate) {
		canon_name(line, "invalidates");
		canon_reference(line, RTAP_IDENTITY_RKEY, message->invalidated_r_key);
	}
}

void canon_item_verb(const struct rtap_message *message, const struct canon_keep *keep, int64_t base_ns, struct line *line)
{
	const char *kind = rtap_message_kind_name((enum rtap_message_kind)message->kind);
	const char *verb = rtap_verb_name((enum rtap_verb)message->verb);

	text(line, "kind", kind);
	if (message->kind == RTAP_KIND_ATOMIC)
		text(line, "verb", verb);
	number(line, "length", message->length);
	carriage(message, line);
	operands(message, line);
	kept(message, keep, base_ns, line);
}

static void operations(const struct rtap_message *message, struct line *line)
{
	bool failed = false;

	if (!message->item_count)
		return;
	canon_name(line, "operations");
	for (uint32_t i = 0; i < message->item_count; i++) {
		const struct rtap_item *operation = &message->items[i];

		if (i)
			line_char(line, ',');
		if (operation->name)
			line_text(line, operation->name);
		else
			line_dec(line, operation->number);
		failed |= operation->has_status && operation->status;
	}
	if (!failed)
		return;
	canon_name(line, "operation_status");
	for (uint32_t i = 0; i < message->item_count; i++) {
		const struct rtap_item *operation = &message->items[i];

		if (i)
			line_char(line, ',');
		if (!operation->has_status)
			line_char(line, '-');
		else if (operation->status_name)
			line_text(line, operation->status_name);
		else
			line_dec(line, operation->status);
	}
}

static void rpc_status(const struct rtap_message *message, struct line *line)
{
	if (message->rdma_error)
		number(line, "rdma_error", message->rdma_error);
	if (!message->has_rpc_status)
		return;
	canon_name(line, "rpc_status");
	if (!message->rpc_accepted) {
		line_text(line, "denied:");
		line_dec(line, message->rpc_status);
	} else if (message->rpc_status || !message->has_status) {
		line_text(line, "accepted:");
		line_dec(line, message->rpc_status);
	} else if (message->status_name) {
		line_text(line, message->status_name);
	} else {
		line_dec(line, message->status);
	}
}

/* Missing bytes of an RPC that are present in its SEND are missing from a chunk. */
static void rpc_carriage(const struct rtap_message *message, const struct rtap_message *send, struct line *line)
{
	if (!send) {
		missing(message, line);
		return;
	}
	number(line, "inline", send->length);
	if (message->complete || !send->complete) {
		carriage(send, line);
	} else {
		struct rtap_message both = *send;

		both.complete = false;
		both.missing = message->missing;
		both.missing_count = message->missing_count;
		carriage(&both, line);
	}
}

void canon_item_rpc(const struct rtap_message *message, const struct rtap_message *send, const struct canon_keep *keep, int64_t base_ns,
		    struct line *line)
{
	text(line, "kind", rtap_message_kind_name((enum rtap_message_kind)message->kind));
	if (message->program_known) {
		number(line, "program", message->program);
		number(line, "version", message->version);
		if (!message->item_count)
			number(line, "procedure", message->procedure);
	}
	operations(message, line);
	rpc_status(message, line);
	number(line, "length", message->length);
	canon_name(line, "xid");
	canon_reference(line, RTAP_IDENTITY_XID, message->xid);
	if (!message->partner)
		text(line, "answered", message->kind == RTAP_KIND_RPC_REPLY ? "nothing" : "no");
	rpc_carriage(message, send, line);
	if (message->read_chunks)
		number(line, "read_chunks", message->read_chunks);
	if (message->write_chunks)
		number(line, "write_chunks", message->write_chunks);
	if (message->reply_chunk)
		text(line, "reply_chunk", "yes");
	kept(message, keep, base_ns, line);
}

void canon_item_refusal(const struct rtap_packet *packet, const struct canon_keep *keep, struct line *line)
{
	static const char *const codes[RTAP_NAK_COUNT] = { "sequence_error", "invalid_request", "remote_access_error",
					     "remote_operational_error", "invalid_rd_request" };
	unsigned code = packet->ib.aeth_value;
	bool not_ready = packet->ib.aeth_kind == RTAP_AETH_RNR_NAK;

	text(line, "kind", "refusal");
	canon_name(line, "nak");
	if (not_ready)
		line_text(line, "rnr");
	else if (code < RTAP_NAK_COUNT)
		line_text(line, codes[code]);
	else
		line_dec(line, code);
	if (not_ready)
		number(line, "rnr_timer", code);
	if (canon_keeps(keep, "frame"))
		number(line, "frame", packet->frame->number);
}

static void private_data(const struct rtap_connection *connection, int side, const char *name, struct line *line)
{
	if (!connection->has_private[side])
		return;
	canon_name(line, name);
	line_text(line, connection->remote_invalidation[side] ? "remote_invalidation," : "");
	line_text(line, "send:");
	line_dec(line, connection->send_size[side]);
	line_text(line, ",receive:");
	line_dec(line, connection->receive_size[side]);
}

/* Anomalies that no message, refusal or packet of the connection shows, other than those caused by the capture. */
static void anomalies(const struct rtap_connection *connection, struct line *line)
{
	static const uint8_t shown[] = {
		RTAP_CONNECTION_ANOMALY_DIFFERING_REPEAT, RTAP_CONNECTION_ANOMALY_CNP, RTAP_CONNECTION_ANOMALY_BAD_ICRC,
		RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH, RTAP_CONNECTION_ANOMALY_RESYNCHRONISED,
	};
	bool any = false;

	for (size_t i = 0; i < sizeof shown; i++) {
		if (!connection->anomaly_counts[shown[i]])
			continue;
		if (any)
			line_char(line, ',');
		else
			canon_name(line, "anomalies");
		any = true;
		line_text(line, rtap_connection_anomaly_name((enum rtap_connection_anomaly)shown[i]));
		line_char(line, ':');
		line_dec(line, connection->anomaly_counts[shown[i]]);
	}
}

void canon_item_setup(const struct rtap_connection *connection, struct line *line)
{
	bool is_tcp = connection->transport == RTAP_TRANSPORT_IWARP || connection->transport == RTAP_TRANSPORT_TCP;

	if (is_tcp)
		text(line, "learned", connection->learned_by_mpa ? "mpa" : "tcp");
	else
		text(line, "learned", connection->learned_by_cm ? "cm" : "inferred");
	/* messages over TCP do not count retransmitted segments */
	if (is_tcp && connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_RETRANSMISSION])
		number(line, "repeats", connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_RETRANSMISSION]);
	if (connection->path_mtu)
		number(line, "path_mtu", connection->path_mtu);
	if (connection->life_count)
		canon_name(line, "life");
	for (uint32_t i = 0; i < connection->life_count; i++) {
		if (i)
			line_char(line, ',');
		line_text(line, connection->life[i].name);
	}
	for (uint32_t i = 0; i < connection->life_count; i++) {
		if (!connection->life[i].reason)
			continue;
		number(line, "reject_reason", connection->life[i].reason);
		break;
	}
	private_data(connection, 0, "client_private", line);
	private_data(connection, 1, "server_private", line);
	anomalies(connection, line);
}

void canon_item_end(const char *name, const struct rtap_end *end, struct line *line)
{
	canon_name(line, name);
	switch (end->address_length) {
	case 2:
		line_text(line, "lid:");
		line_dec(line, (uint64_t)end->address[0] << 8 | end->address[1]);
		break;
	case 4:
	case 16:
		line_ip(line, end->address, end->address_length);
		break;
	default:
		line_text(line, "unknown");
		break;
	}
}

/* Service ids of IP ports: IBTA vol. 1, A11.3. */
static void service(const struct rtap_connection *connection, struct line *line)
{
	uint64_t id = connection->service_id;

	canon_name(line, "service");
	if (id >> 24 != 1 || (id >> 16 & 0xff) != 6) {
		line_hex(line, id, 16);
		return;
	}
	line_text(line, "tcp:");
	line_dec(line, id & 0xffff);
}

void canon_item_role(const struct rtap_connection *connection, struct line *line)
{
	text(line, "transport", rtap_transport_name((enum rtap_transport)connection->transport));
	if (connection->has_service)
		service(connection, line);
	canon_item_end("client", &connection->a, line);
	canon_item_end("server", &connection->b, line);
}
