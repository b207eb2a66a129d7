/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"
#include "dissect/management/cm.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/packet/colour.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

#define COUNT_COLUMNS 16 /* of a number after a name, with what separates them */

void end_address(const struct rtap_end *end, struct line *line)
{
	line_address(line, end->address, end->address_length);
}

/* Service ids of IP ports: IBTA vol. 1, A11.3. */
static const char *ip_protocol(uint64_t service_id)
{
	if (service_id >> 24 != 1)
		return NULL;
	switch (service_id >> 16 & 0xff) {
	case 0x06: return "tcp";
	case 0x11: return "udp";
	case 0x3f: return "ib";
	default: return NULL;
	}
}

static void service(const struct rtap_connection *connection, struct line *line)
{
	const char *protocol = ip_protocol(connection->service_id);

	if (!protocol) {
		line_hex(line, connection->service_id, 16);
		return;
	}
	line_text(line, protocol);
	line_text(line, " port ");
	line_dec(line, connection->service_id & 0xffff);
}

/* How a connection and its ends were learned. */
static const struct { const char *name, *text; } ways[] = {
	{ "inferred", ", inferred" }, { "cm", ", by CM" }, { "mpa", ", by MPA" }, { "tcp", "" },
};

static unsigned how_learned(const struct rtap_connection *connection)
{
	if (connection->transport == RTAP_TRANSPORT_IWARP || connection->transport == RTAP_TRANSPORT_TCP)
		return connection->learned_by_mpa ? 2 : 3;
	return connection->learned_by_cm;
}

void end_address_json(const char *key, const struct rtap_end *end, struct line *line)
{
	object_key(line, key);
	line_char(line, '"');
	end_address(end, line);
	line_char(line, '"');
}

static void json_end(const char *key, const struct rtap_end *end, struct line *line)
{
	object_key(line, key);
	line_char(line, '{');
	end_address_json("addr", end, line);
	if (end->port_known)
		object_number(line, "port", end->port);
	if (end->qpn_known)
		object_number(line, "qpn", end->qpn);
	if (end->psn_known)
		object_number(line, "psn", end->psn);
	if (end->last_psn_known)
		object_number(line, "last_psn", end->last_psn);
	line_char(line, '}');
}

const char *reject_reason_name(uint32_t reason)
{
	return rtap_name_of(cm_reject_reasons, reason);
}

/* NULL: unknown. */
static const char *reason_of(const struct rtap_connection *connection, const struct rtap_life_event *event)
{
	if (!strcmp(event->name, "apr"))
		return rtap_name_of(cm_path_statuses, event->reason);
	if (connection->transport == RTAP_TRANSPORT_UD)
		return rtap_name_of(cm_sidr_statuses, event->reason);
	return reject_reason_name(event->reason);
}

static void json_life(const struct rtap_connection *connection, struct line *line)
{
	object_key(line, "life");
	line_char(line, '[');
	for (uint32_t i = 0; i < connection->life_count; i++) {
		const struct rtap_life_event *event = &connection->life[i];

		if (i)
			line_char(line, ',');
		line_char(line, '{');
		object_text(line, "event", event->name);
		object_number(line, "frame", event->frame);
		object_time(line, "time", event->time_ns);
		if (event->reason)
			object_number(line, "reason", event->reason);
		if (event->reason && reason_of(connection, event))
			object_text(line, "reason_name", reason_of(connection, event));
		if (event->repeats) {
			object_number(line, "repeats", event->repeats);
			object_time(line, "last_time", event->last_ns);
		}
		if (event->unanswered)
			object_bool(line, "unanswered", true);
		if (event->by_length) {
			object_key(line, "by");
			line_char(line, '"');
			line_address(line, event->by, event->by_length);
			line_char(line, '"');
		}
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void json_private(const struct rtap_connection *connection, int side, const char *key, struct line *line)
{
	if (!connection->has_private[side])
		return;
	object_key(line, key);
	line_char(line, '{');
	object_bool(line, "remote_invalidation", connection->remote_invalidation[side]);
	object_number(line, "send_size", connection->send_size[side]);
	object_number(line, "receive_size", connection->receive_size[side]);
	line_char(line, '}');
}

void connection_json_open(const struct rtap_connection *connection, struct line *line)
{
	line_char(line, '{');
	object_number(line, "connection", connection->number);
	object_text(line, "transport", rtap_transport_name((enum rtap_transport)connection->transport));
	if (connection->has_service) {
		object_key(line, "service");
		line_char(line, '"');
		service(connection, line);
		line_char(line, '"');
	}
	if (connection->layer)
		object_text(line, "layer", connection->layer);
	object_text(line, "learned", ways[how_learned(connection)].name);
	json_end("a", &connection->a, line);
	json_end("b", &connection->b, line);
	if (connection->path_mtu)
		object_number(line, "path_mtu", connection->path_mtu);
	json_private(connection, 0, "a_private", line);
	json_private(connection, 1, "b_private", line);
	object_number(line, "first_frame", connection->first_frame);
	object_number(line, "last_frame", connection->last_frame);
	object_time(line, "time", connection->time_ns);
	object_time(line, "time_end", connection->time_end_ns);
	json_life(connection, line);
	object_number(line, "packets", connection->packets);
	object_number(line, "messages", connection->messages);
	object_number(line, "bytes", connection->bytes);
	object_key(line, "anomalies");
	line_char(line, '{');
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		if (connection->anomaly_counts[i])
			object_number(line, rtap_connection_anomaly_name((enum rtap_connection_anomaly)i), connection->anomaly_counts[i]);
	line_char(line, '}');
}

void connection_json(const struct rtap_connection *connection, struct line *line)
{
	connection_json_open(connection, line);
	line_bytes(line, "}\n", 2);
}

char *end_put_short(char *to, const struct rtap_end *end)
{
	bool is_numbered = end->qpn_known || end->port_known, in_brackets = is_numbered && end->address_length == 16;

	if (in_brackets)
		*to++ = '[';
	to = line_put_address(to, end->address, end->address_length);
	if (in_brackets)
		*to++ = ']';
	if (end->qpn_known)
		return line_put_hex(line_put(to, ":0x"), end->qpn, 1);
	return end->port_known ? line_put_dec(line_put(to, ":"), end->port) : to;
}

/* Writes the address to `to`, at most END_MOST bytes. Returns the end of the text. */
static char *end_put(char *to, const struct rtap_end *end)
{
	to = line_put_address(to, end->address, end->address_length);
	if (end->port_known)
		to = line_put_dec(line_put(to, " port "), end->port);
	return end->qpn_known ? line_put_hex(line_put(to, " qp 0x"), end->qpn, 6) : to;
}

void end_text(const struct rtap_end *end, struct line *line)
{
	char spare[END_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, end_put(begin, end));
}

void anomaly_counts_text(const uint64_t anomaly_counts[RTAP_CONNECTION_ANOMALY_COUNT], struct line *line)
{
	const char *before = " [";

	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++) {
		if (!anomaly_counts[i])
			continue;
		line_text(line, before);
		line_text(line, rtap_connection_anomaly_name((enum rtap_connection_anomaly)i));
		line_char(line, ' ');
		line_dec(line, anomaly_counts[i]);
		before = ", ";
	}
	if (before[0] == ',')
		line_char(line, ']');
}

static void text_ends(const struct rtap_connection *connection, struct line *line)
{
	char spare[2 * END_MOST], *begin = line_begin(line, spare, sizeof spare);
	char *to = end_put_short(begin, &connection->a);

	line_end(line, begin, end_put_short(line_put(to, " > "), &connection->b));
}

static void put_time(const struct clock_listing *times, int64_t time_ns, struct line *line)
{
	char spare[CLOCK_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, clock_put_listed(begin, times, time_ns));
}

static void text_life(const struct rtap_connection *connection, const struct clock_listing *listing, bool is_coloured, struct line *line)
{
	/* the connection's own line is before its events */
	struct clock_listing times = { listing->form, listing->digits, listing->first_ns, true, connection->time_ns };

	for (uint32_t i = 0; i < connection->life_count; i++) {
		const struct rtap_life_event *event = &connection->life[i];
		const char *reason = event->reason ? reason_of(connection, event) : NULL;
		enum colour colour = !is_coloured ? COLOUR_NONE : event->reason ? COLOUR_ERROR : event->unanswered ? COLOUR_LOSS : COLOUR_NONE;

		colour_begin(colour, line);
		line_text(line, "    ");
		put_time(&times, event->time_ns, line);
		times.previous_ns = event->time_ns;
		line_text(line, " frame ");
		line_dec(line, event->frame);
		line_char(line, ' ');
		line_text(line, event->name);
		if (event->by_length) {
			line_text(line, " by ");
			line_address(line, event->by, event->by_length);
		}
		if (event->reason) {
			line_text(line, " reason ");
			line_dec(line, event->reason);
		}
		if (event->reason && reason) {
			line_text(line, ": ");
			line_text(line, reason);
		}
		if (event->repeats) {
			line_text(line, ", sent ");
			line_dec(line, event->repeats + 1);
			line_text(line, " times in ");
			units_time(event->last_ns - event->time_ns, line);
		}
		if (event->unanswered)
			line_text(line, ", unanswered");
		line_char(line, '\n');
		colour_end(colour, line);
	}
}

/* An anomaly of the connection. */
static enum colour colour_of(const struct rtap_connection *connection)
{
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		if (connection->anomaly_counts[i])
			return COLOUR_LOSS;
	return COLOUR_NONE;
}

/* "    retransmission 1, gap 2", on as many lines as they need. */
static void text_anomalies(const uint64_t counts[RTAP_CONNECTION_ANOMALY_COUNT], enum colour colour, struct line *line)
{
	const char *begin = line->next, *before = "    ";

	colour_begin(colour, line);
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++) {
		const char *name = rtap_connection_anomaly_name((enum rtap_connection_anomaly)i);

		if (!counts[i])
			continue;
		if (line->next - begin + (ptrdiff_t)strlen(name) > LINE_COLUMNS - COUNT_COLUMNS) {
			line_text(line, ",\n");
			begin = line->next;
			before = "    ";
		}
		line_text(line, before);
		line_text(line, name);
		line_char(line, ' ');
		line_dec(line, counts[i]);
		before = ", ";
	}
	if (before[0] == ',')
		line_char(line, '\n');
	colour_end(colour, line);
}

void connection_text(const struct rtap_connection *connection, const struct clock_listing *times, bool is_coloured, bool is_wide,
		     struct line *line)
{
	enum colour colour = is_coloured ? colour_of(connection) : COLOUR_NONE;
	char *begin, *spare;

	colour_begin(colour, line);
	begin = line->next;
	line->after_ends = NULL;
	line_char(line, '#');
	line_dec(line, connection->number);
	line_char(line, ' ');
	put_time(times, connection->time_ns, line);
	line_char(line, ' ');
	line_text(line, rtap_transport_name((enum rtap_transport)connection->transport));
	line_char(line, ' ');
	text_ends(connection, line);
	if (connection->has_service) {
		line_text(line, ", ");
		service(connection, line);
	}
	spare = line->next;
	line_text(line, ways[how_learned(connection)].text);
	line_spare(line, spare, LINE_SPARE_LOWER);
	line_text(line, ", ");
	line_count(line, connection->packets, "packet", "packets");
	line_text(line, ", ");
	line_count(line, connection->messages, "message", "messages");
	line_text(line, ", ");
	units_bytes(connection->bytes, line);
	if (connection->time_end_ns != connection->time_ns) {
		line_text(line, " in ");
		units_time(connection->time_end_ns - connection->time_ns, line);
	}
	if (!is_wide)
		line_fit(line, begin);
	line->spare_count = 0;
	line_char(line, '\n');
	colour_end(colour, line);
	text_anomalies(connection->anomaly_counts, colour, line);
	text_life(connection, times, is_coloured, line);
}
