/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A dissection that continues after the headers with more context has the same result as one with that context from the start: for each
 * frame of testdata/, whole and truncated.
 */
#include "config.h"

#include <glob.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/source.h>

#include "dissect/dissect.h"
#include "dissect/engine/protocol.h"
#include "dissect/management/cm.h"
#include "dissect/management/mad.h"

#define SNAPS 6

static const char *name;
static unsigned compared;

/* An RPC-over-RDMA header without chunks (RFC 8166, 4.1), and a call of NFS version 3's NULL (RFC 5531, 9; RFC 1813). */
static const uint8_t message[] = {
	0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

#define MESSAGE { message, sizeof message }
#define HEADER 28

static const struct rtap_context none = { .stop_at_tcp = true };

static void compare(const struct rtap_packet *continued, const struct rtap_packet *whole)
{
	uint64_t number = whole->frame->number;
	uint32_t captured = whole->frame->captured_length;

	compared++;
	cr_assert_eq(continued->layer_count, whole->layer_count, "%s, frame %lu, %u bytes: %u and %u layers", name, (unsigned long)number,
		     captured, continued->layer_count, whole->layer_count);
	for (uint8_t i = 0; i < whole->layer_count; i++) {
		const struct rtap_layer *a = &continued->layers[i], *b = &whole->layers[i];

		cr_assert(a->protocol == b->protocol && a->source == b->source && a->offset == b->offset && a->length == b->length,
			  "%s, frame %lu, %u bytes: layer %u", name, (unsigned long)number, captured, i);
	}
	cr_assert_eq(continued->anomalies_found, whole->anomalies_found, "%s, frame %lu, %u bytes", name, (unsigned long)number, captured);
	cr_assert_eq(continued->anomaly_count, whole->anomaly_count);
	for (uint8_t i = 0; i < whole->anomaly_count; i++)
		cr_assert(continued->anomalies[i].code == whole->anomalies[i].code && continued->anomalies[i].layer == whole->anomalies[i].layer);
	cr_assert_arr_eq(continued->protocols, whole->protocols, sizeof whole->protocols);
	cr_assert_eq(continued->source_count, whole->source_count, "%s, frame %lu, %u bytes", name, (unsigned long)number, captured);
	cr_assert_eq(continued->payload.offset, whole->payload.offset);
	cr_assert_eq(continued->payload.captured, whole->payload.captured);
	cr_assert_eq(continued->rpcrdma.present, whole->rpcrdma.present);
	cr_assert_eq(continued->rpcrdma.length, whole->rpcrdma.length);
	cr_assert_eq(continued->rpc.present, whole->rpc.present);
	cr_assert_eq(continued->rpc.xid, whole->rpc.xid);
	cr_assert_eq(continued->rpc.has_body, whole->rpc.has_body);
	cr_assert_eq(continued->cm.consumer, whole->cm.consumer);
	cr_assert_eq(continued->mad.record_count, whole->mad.record_count);
	cr_assert_eq(continued->fragment.present, whole->fragment.present);
	cr_assert_eq(continued->fragment.whole, whole->fragment.whole);
}

static void check(const struct rtap_frame *frame, const struct rtap_context *context,
		  void (*go_on)(struct rtap_packet *packet, const struct rtap_context *context))
{
	struct rtap_packet continued, whole;

	dissect_frame(frame, &none, &continued);
	go_on(&continued, context);
	dissect_frame(frame, context, &whole);
	compare(&continued, &whole);
}

/* Connected queue pairs; state asks for no other content than RPC-over-RDMA where there is another protocol. */
static void check_payload(const struct rtap_packet *packet)
{
	static const struct rtap_context contexts[] = {
		{ .stop_at_tcp = true, .upper = RTAP_UPPER_RPCRDMA },
		{ .stop_at_tcp = true, .upper = RTAP_UPPER_RPCRDMA, .message = MESSAGE },
		{ .stop_at_tcp = true, .message = MESSAGE, .message_wire = 500 },
		{ .stop_at_tcp = true, .chunk = MESSAGE, .chunk_header = HEADER },
		{ .stop_at_tcp = true, .rpc_follows = true },
	};

	for (size_t i = 0; i < sizeof contexts / sizeof contexts[0]; i++)
		check(packet->frame, &contexts[i], packet_dissect_payload);
}

static void check_private(const struct rtap_packet *packet)
{
	for (uint8_t consumer = 0; consumer < RTAP_CM_CONSUMER_COUNT; consumer++)
		check(packet->frame, &(struct rtap_context){ .stop_at_tcp = true, .cm_consumer = consumer }, packet_dissect_private);
}

static void check_datagram(const struct rtap_packet *packet)
{
	const struct rtap_fragment_facts *fragment = &packet->fragment;
	const struct rtap_context context = {
		.stop_at_tcp = true,
		.datagram = {
			.bytes = { packet->sources[fragment->piece.source].bytes + fragment->piece.offset, fragment->piece.captured },
			.wire = fragment->piece.wire, .header_length = 20, .protocol = fragment->protocol,
		},
	};

	check(packet->frame, &context, packet_dissect_datagram);
}

static const struct rtap_context reply = { .stop_at_tcp = true, .rpc_known = true, .rpc_program = 100003, .rpc_version = 3, .rpc_procedure = 1 };

static void check_segment(const struct rtap_packet *packet)
{
	check(packet->frame, &(struct rtap_context){ .stop_at_tcp = false }, packet_dissect_segment);
	check(packet->frame, &(struct rtap_context){ .not_iwarp = true }, packet_dissect_segment);
}

/* The layer after the last UDP header is RPC, plain data, or missing. */
static bool is_datagram(const struct rtap_packet *packet)
{
	for (uint8_t i = packet->layer_count; i-- > 0;)
		if (packet->layers[i].protocol == PROTOCOL_UDP)
			return packet->payload.captured && (i + 1 == packet->layer_count || packet->layers[i + 1].protocol == PROTOCOL_RPC ||
							    packet->layers[i + 1].protocol == PROTOCOL_PAYLOAD);
	return false;
}

static void check_frame(const struct rtap_frame *frame)
{
	const struct rtap_context records = { .stop_at_tcp = true, .records = MESSAGE };
	struct rtap_packet packet;

	dissect_frame(frame, &none, &packet);
	if (packet.ib.has_bth && !packet.ib.has_deth && !packet_has(&packet, PROTOCOL_IPOIB))
		check_payload(&packet);
	if (packet.cm.present && (packet.cm.attribute == CM_REP || packet.cm.attribute == CM_REJ))
		check_private(&packet);
	if (packet.mad.rmpp && packet.mad.rmpp_type == RMPP_DATA && !packet.mad.record_count)
		check(frame, &records, packet_dissect_records);
	if (packet.fragment.present && packet.fragment.piece.captured)
		check_datagram(&packet);
	if (packet.tcp.present && packet.tcp.payload.captured && !packet.ib.has_bth)
		check_segment(&packet);
	if (!packet.ib.has_bth && !packet.tcp.present && is_datagram(&packet))
		check(frame, &reply, packet_dissect_udp);
}

static void check_file(void)
{
	struct rtap_source *source;
	const struct rtap_frame *frame;
	struct rtap_error error;

	if (rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		return;
	while (rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK) {
		struct rtap_frame cut = *frame;

		check_frame(frame);
		for (uint32_t i = 1; i < SNAPS; i++) {
			cut.captured_length = (uint32_t)((uint64_t)frame->captured_length * i / SNAPS);
			check_frame(&cut);
		}
	}
	rtap_source_close(source);
}

TestSuite(dissect, .timeout = HANG_SECONDS);

Test(dissect, continues_as_it_would_have_gone_on)
{
	glob_t files;

	cr_assert_eq(glob(TESTDATA "/*.pcap", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		name = files.gl_pathv[i];
		check_file();
	}
	globfree(&files);
	cr_assert_gt(compared, 10000u);
}
