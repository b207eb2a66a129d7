/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A user of the library: only its public headers and its shared object. Fails if a public function is not exported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/rdmatap.h>

static int failures;

static void expect(bool is_so, const char *what)
{
	if (!is_so) {
		printf("not so: %s\n", what);
		failures++;
	}
}

#define EXPECT(condition) expect(condition, #condition)

static rtap_field_id field(const char *name)
{
	rtap_field_id id = UINT16_MAX;

	if (rtap_field_find(name, &id, 1) != 1)
		expect(false, name);
	return id;
}

/* An empty packet; without memory the test ends. */
static struct rtap_packet *new_packet(void)
{
	struct rtap_packet *packet;
	struct rtap_error error;

	if (rtap_packet_open(&packet, NULL, &error) != RTAP_STATUS_OK) {
		printf("%s\n", error.text);
		exit(1);
	}
	return packet;
}

static unsigned long count_matches(struct rtap_source *source, const struct rtap_filter *filter)
{
	struct rtap_batch *batch;
	struct rtap_packet *packet = new_packet();
	struct rtap_error error;
	unsigned long matches = 0;

	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count; i++) {
			rtap_dissect(packet, &batch->frames[i]);
			matches += rtap_filter_match(filter, packet);
		}
		rtap_batch_release(batch);
	}
	rtap_packet_close(packet);
	return matches;
}

static void filter_a_file(void)
{
	const char *name = TESTDATA "/roce-rping-v4.pcap";
	struct rtap_filter *filter = NULL;
	struct rtap_source *source = NULL;
	struct rtap_error error;
	unsigned long acknowledgements = 0;

	if (rtap_filter_open(&filter, "infiniband.bth.opcode == \"RC Acknowledge\"", &error) != RTAP_STATUS_OK ||
	    rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		printf("%s\n", error.text);
	else
		acknowledgements = count_matches(source, filter);
	rtap_source_close(source);
	rtap_filter_close(filter);
	EXPECT(acknowledgements == 40);
}

static bool count_value(void *owner, const struct rtap_field *row, const struct rtap_value *value, const struct rtap_place *place)
{
	unsigned *left = owner;

	(void)row;
	(void)value;
	(void)place;
	return --*left;
}

/* How many values a field has, of the first `most`. */
static unsigned values_of(const struct rtap_packet *packet, rtap_field_id id, unsigned most)
{
	unsigned left = most;

	rtap_packet_values(packet, id, count_value, &left);
	return most - left;
}

static void look_at_packet(const struct rtap_packet *packet)
{
	const struct rtap_ib_facts *ib = rtap_packet_ib(packet);
	const struct rtap_layer *bth;
	uint16_t protocol = 0;
	uint64_t number = 7;
	char text[16], short_text[5];

	EXPECT(rtap_protocol_find("infiniband.bth", &protocol, 1) == 1);
	bth = rtap_packet_layer(packet, protocol, NULL);
	EXPECT(bth && bth->length == 12 && rtap_layer_bytes(packet, bth).length == 12);
	EXPECT(bth && rtap_layer_bytes(packet, bth).bytes == rtap_packet_frame(packet)->bytes + bth->offset);
	EXPECT(bth && !rtap_packet_layer(packet, protocol, bth));

	EXPECT(rtap_packet_number(packet, field("infiniband.bth.psn"), &number) && number == ib->psn);
	EXPECT(rtap_packet_text(packet, field("infiniband.bth.p_key"), text, sizeof text) && !strcmp(text, "65535"));
	EXPECT(!rtap_packet_text(packet, field("infiniband.bth.p_key"), short_text, sizeof short_text) && !strcmp(short_text, "6553"));
	EXPECT(rtap_packet_text(packet, field("ip.src"), text, sizeof text) && strchr(text, '.'));
	EXPECT(!rtap_packet_number(packet, field("ip.src"), &number)); /* no number */
	EXPECT(!rtap_packet_number(packet, field("arp.opcode"), &number) && number == ib->psn); /* not in this packet */
	EXPECT(!rtap_packet_text(packet, field("arp.opcode"), text, sizeof text) && !text[0]);
	EXPECT(!rtap_packet_text(packet, (rtap_field_id)rtap_field_count(), text, sizeof text));
	/* expensive values are computed */
	EXPECT(rtap_packet_text(packet, field("infiniband.invariant.crc.status"), text, sizeof text) && !strcmp(text, "good"));
}

/* Of the chunk lists, a packet has several handles, which only a walk finds. */
static bool look_at_chunks(const struct rtap_packet *packet)
{
	rtap_field_id handle = field("rpcordma.rdma_handle");
	unsigned handles = values_of(packet, handle, 100);
	uint64_t first = 0;

	if (handles < 2)
		return false;
	EXPECT(values_of(packet, handle, 1) == 1);
	EXPECT(rtap_packet_number(packet, handle, &first) && first);
	return true;
}

/* Every frame of a file, one by one, to `take`, until it returns true. */
static bool each_frame(const char *name, bool (*take)(void *owner, const struct rtap_frame *frame), void *owner)
{
	struct rtap_source *source = NULL;
	const struct rtap_frame *frame;
	struct rtap_error error = { .code = RTAP_ERROR_NONE };
	enum rtap_status status = rtap_source_open_files(&source, &name, 1, &error);
	bool done = false;

	EXPECT(status == RTAP_STATUS_OK);
	while (status == RTAP_STATUS_OK && !done) {
		status = rtap_source_read_frame(source, &frame, &error);
		if (status == RTAP_STATUS_OK)
			done = take(owner, frame);
	}
	EXPECT(done || (status == RTAP_STATUS_END && !frame));
	rtap_source_close(source);
	return done;
}

/* The accessors return the values of the fields with Wireshark's names. */
static void look_at_facts(const struct rtap_packet *packet)
{
	uint32_t qpn = 0, wire_length = 0, offset;
	uint16_t source = 0, destination = 0;
	struct rtap_span payload = rtap_packet_payload(packet, &wire_length);
	const struct rtap_frame *frame = rtap_packet_frame(packet);
	size_t layers = rtap_packet_layer_count(packet);
	uint64_t number = 0;
	uint16_t udp = 0, arp = 0;

	EXPECT(rtap_protocol_find("udp", &udp, 1) == 1 && rtap_packet_has(packet, udp));
	EXPECT(rtap_protocol_find("arp", &arp, 1) == 1 && !rtap_packet_has(packet, arp));
	EXPECT(layers > 4 && rtap_packet_layer_at(packet, layers - 1) && !rtap_packet_layer_at(packet, layers));
	EXPECT(!rtap_packet_anomaly_count(packet) && !rtap_packet_anomaly(packet, 0));
	/* Ethernet, IPv4 without options: addresses are at 26 and 30 */
	EXPECT(rtap_packet_source_address(packet).length == 4 && rtap_packet_source_address(packet).bytes == frame->bytes + 26);
	EXPECT(rtap_packet_destination_address(packet).length == 4 && rtap_packet_destination_address(packet).bytes == frame->bytes + 30);
	EXPECT(rtap_packet_ports(packet, &source, &destination) && destination == 4791);
	EXPECT(rtap_packet_number(packet, field("udp.srcport"), &number) && number == source);
	EXPECT(rtap_packet_destination_qpn(packet, &qpn));
	EXPECT(rtap_packet_number(packet, field("infiniband.bth.destqp"), &number) && number == qpn);
	/* a datagram of communication management, to queue pair 1 and from it; the payload is its 256 bytes */
	EXPECT(qpn == 1 && rtap_packet_source_qpn(packet, &qpn) && qpn == 1);
	offset = (uint32_t)(payload.bytes - frame->bytes);
	EXPECT(payload.length == 256 && wire_length == 256 && offset + 256 + 4 == frame->captured_length);
	EXPECT(rtap_packet_ib(packet)->opcode == 0x64 && rtap_packet_mad(packet) && rtap_packet_cm(packet)->attribute == 0x10);
	EXPECT(!rtap_packet_tcp(packet) && !rtap_packet_mpa(packet) && !rtap_packet_rpc(packet) && !rtap_packet_rpcrdma(packet));
	EXPECT(!rtap_packet_flow(packet)); /* only with a tracker */
}

static bool take_packet(void *owner, const struct rtap_frame *frame)
{
	struct rtap_packet *packet = new_packet();
	bool found;

	(void)owner;
	rtap_dissect(packet, frame);
	found = rtap_packet_ib(packet) && rtap_packet_ib(packet)->has_bth;
	if (found) {
		look_at_packet(packet);
		look_at_facts(packet);
	}
	rtap_packet_close(packet);
	return found;
}

static bool take_chunks(void *owner, const struct rtap_frame *frame)
{
	struct rtap_packet *packet = new_packet();
	bool found;

	(void)owner;
	rtap_dissect(packet, frame);
	found = look_at_chunks(packet);
	rtap_packet_close(packet);
	return found;
}

struct summary {
	struct rtap_tracker *tracker;
	struct rtap_packet *packet;
	struct rtap_stats *stats;
	uint64_t frames;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	rtap_stats_message(((struct summary *)owner)->stats, message);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	rtap_stats_connection(((struct summary *)owner)->stats, connection);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	rtap_stats_merged(((struct summary *)owner)->stats, from, into, turned);
}

static bool take_frame(void *owner, const struct rtap_frame *frame)
{
	struct summary *summary = owner;
	struct rtap_stats_totals totals;

	EXPECT(frame->number == ++summary->frames);
	rtap_tracker_frame(summary->tracker, frame, summary->packet);
	rtap_stats_packet(summary->stats, summary->packet);
	rtap_stats_totals(summary->stats, &totals, sizeof totals); /* at any time */
	EXPECT(totals.packets == summary->frames);
	return false;
}

static void look_at_stats(const struct rtap_stats *stats)
{
	struct rtap_stats_direction sent, naks = { 0 };
	struct rtap_stats_operations operations;
	struct rtap_stats_totals totals;
	struct rtap_stats_rpc rpc;
	uint64_t packets = 0, messages = 0, connections = 0;

	rtap_stats_totals(stats, &totals, sizeof totals);
	for (uint64_t number = 0; (number = rtap_stats_next(stats, number)); connections++)
		for (int from_a = 0; from_a < 2; from_a++) {
			EXPECT(rtap_stats_direction(stats, number, from_a, &sent, sizeof sent));
			packets += sent.packets;
			naks.nak_invalid_request += sent.nak_invalid_request;
			naks.nak_access += sent.nak_access;
			naks.nak_operation += sent.nak_operation;
			for (unsigned kind = 0; kind < RTAP_KIND_COUNT; kind++)
				if (rtap_stats_operations(stats, number, from_a, (enum rtap_message_kind)kind, &operations, sizeof operations)) {
					messages += operations.messages;
					EXPECT(operations.size.count == operations.messages);
					EXPECT(operations.size.least <= operations.size.median && operations.size.median <= operations.size.largest);
				}
		}
	EXPECT(connections && connections == totals.connections);
	EXPECT(packets && packets == totals.rdma_packets);
	EXPECT(messages && messages == totals.messages);
	EXPECT(naks.nak_invalid_request == 3 && naks.nak_access == 3 && naks.nak_operation == 3);
	EXPECT(!rtap_stats_direction(stats, connections + 1000000, true, &sent, sizeof sent) && !sent.packets);
	EXPECT(!rtap_stats_direction(stats, 0, true, &sent, sizeof sent));
	EXPECT(!rtap_stats_rpc(stats, rtap_stats_rpc_count(stats), &rpc, sizeof rpc) && !rpc.calls);
}

static void count_a_file(void)
{
	/* memory is the usual: 0 */
	struct summary summary = { .packet = new_packet() };
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.message = take_message,
		.connection = take_connection,
		.merged = merge,
		.owner = &summary,
	};

	EXPECT(rtap_stats_open(&summary.stats, NULL, NULL) == RTAP_STATUS_OK);
	EXPECT(rtap_tracker_open(&summary.tracker, &options, NULL) == RTAP_STATUS_OK);
	if (summary.stats && summary.tracker) {
		each_frame(TESTDATA "/conn_naks.pcap", take_frame, &summary);
		rtap_tracker_finish(summary.tracker);
		EXPECT(summary.frames == 48);
		look_at_stats(summary.stats);
	}
	rtap_packet_close(summary.packet);
	rtap_tracker_close(summary.tracker);
	rtap_stats_close(summary.stats);
}

/* Options of an earlier version are accepted, those of a later one if its additional members are zero; options without a size are rejected. */
static void look_at_sizes(void)
{
	struct {
		struct rtap_stats_options options;
		uint64_t added;
	} later = { { .size = sizeof later, .max_memory = 1 << 20 }, 0 };
	struct rtap_stats_options earlier = { .size = sizeof(size_t), .max_memory = 1 }, unset = { .max_memory = 1 };
	struct {
		struct rtap_stats_totals totals;
		uint64_t added;
	} filled = { .added = 7 };
	struct rtap_stats *stats;
	struct rtap_error error;
	uint64_t first[2] = { 7, 7 };

	EXPECT(rtap_stats_open(&stats, &later.options, &error) == RTAP_STATUS_OK);
	rtap_stats_totals(stats, &filled.totals, sizeof filled);
	EXPECT(!filled.added && !filled.totals.packets);
	rtap_stats_totals(stats, (struct rtap_stats_totals *)first, sizeof first[0]);
	EXPECT(!first[0] && first[1] == 7);
	rtap_stats_close(stats);
	later.added = 1;
	EXPECT(rtap_stats_open(&stats, &later.options, &error) == RTAP_STATUS_FAILED && !stats && error.code == RTAP_ERROR_UNSUPPORTED);
	EXPECT(rtap_stats_open(&stats, &unset, &error) == RTAP_STATUS_FAILED && !stats && error.code == RTAP_ERROR_INVALID);
	EXPECT(rtap_stats_open(&stats, &earlier, &error) == RTAP_STATUS_OK);
	rtap_stats_close(stats);
}

/* Each failure has the code of its kind, and names are unique. */
static void look_at_errors(void)
{
	static const struct {
		const char *name;
		enum rtap_error_code code;
	} files[] = {
		{ "/nonexistent/file.pcap", RTAP_ERROR_NOT_FOUND }, { TESTDATA "/README.md", RTAP_ERROR_FORMAT }, { TESTDATA, RTAP_ERROR_FORMAT },
	};
	struct rtap_source *source;
	struct rtap_filter *filter;
	struct rtap_writer *writer;
	struct rtap_devices *devices;
	struct rtap_error error;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		EXPECT(rtap_source_open_files(&source, &files[i].name, 1, &error) == RTAP_STATUS_FAILED);
		EXPECT(!source && error.code == files[i].code && *error.text);
	}
	EXPECT(rtap_filter_open(&filter, "infiniband.bth.psn ==", &error) == RTAP_STATUS_FAILED);
	EXPECT(!filter && error.code == RTAP_ERROR_INVALID && error.column == 22);
	EXPECT(rtap_writer_open(&writer, "/nonexistent/file.pcap", NULL, &error) == RTAP_STATUS_FAILED);
	EXPECT(!writer && error.code == RTAP_ERROR_NOT_FOUND);
	EXPECT(rtap_devices_open(&devices, "/nonexistent", &error) != RTAP_STATUS_OK);
	EXPECT(!devices && error.code == RTAP_ERROR_NOT_FOUND);
	rtap_error_set(&error, RTAP_ERROR_BUSY, "%d", 7);
	EXPECT(error.code == RTAP_ERROR_BUSY && !strcmp(error.text, "7"));
	rtap_error_set(NULL, RTAP_ERROR_BUSY, "nowhere");
	for (unsigned i = 0; i < RTAP_ERROR_COUNT; i++)
		for (unsigned j = 0; j <= i; j++)
			EXPECT(!strcmp(rtap_error_name((enum rtap_error_code)i), rtap_error_name((enum rtap_error_code)j)) == (i == j));
	EXPECT(!strcmp(rtap_error_name(RTAP_ERROR_COUNT), "unknown"));
}

int main(void)
{
	look_at_errors();
	look_at_sizes();
	filter_a_file();
	EXPECT(each_frame(TESTDATA "/roce-rping-v4.pcap", take_packet, NULL));
	EXPECT(each_frame(TESTDATA "/rpcrdma-headers.pcap", take_chunks, NULL));
	count_a_file();
	return failures ? 1 : 0;
}
