/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams as packets, and the live device that receives them. This program has functions of libibumad's names,
 * which it is linked with before the library: so what the kernel would do can be set here.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <string.h>

#include "capture/live.h"
#include "capture/umad/mad_frame.h"
#include "dissect/engine/packet.h"
#include "tests/frame_kit.h"
#include "tests/sysfs_kit.h"

#define MESSAGES 4

/* libibumad as it is seen from here. */
static struct {
	bool open;
	unsigned opened, closed;
	struct registered {
		uint8_t class, version, rmpp_version;
		unsigned long methods;
	} agents[64];
	unsigned agent_count, unregistered;
	uint8_t taken_class;        /* in this class `taken_method` cannot be registered */
	unsigned taken_method;
	struct ib_user_mad headers[MESSAGES]; /* to be received; length: of the datagram */
	uint8_t *messages[MESSAGES];
	unsigned message_count, received, short_reads;
	int failure;                /* errno of the next receive; 0: none */
	struct ib_user_mad sent;
	uint8_t sent_mad[256];
	int sent_length, sent_timeout, sent_agent;
} umad;

int umad_init(void)
{
	return 0;
}

int umad_open_port(const char *ca_name, int portnum)
{
	if (strcmp(ca_name, "mlx5_0") || portnum != 1) {
		errno = EACCES;
		return -EIO;
	}
	umad.open = true;
	umad.opened++;
	return 7;
}

int umad_close_port(int portid)
{
	cr_assert(portid == 7 && umad.open);
	umad.open = false;
	umad.closed++;
	return 0;
}

size_t umad_size(void)
{
	return sizeof(struct ib_user_mad);
}

void *umad_get_mad(void *buffer)
{
	return ((struct ib_user_mad *)buffer)->data;
}

ib_mad_addr_t *umad_get_mad_addr(void *buffer)
{
	return &((struct ib_user_mad *)buffer)->addr;
}

int umad_get_pkey(void *buffer)
{
	return umad_get_mad_addr(buffer)->pkey_index;
}

int umad_set_pkey(void *buffer, int pkey_index)
{
	umad_get_mad_addr(buffer)->pkey_index = (uint16_t)pkey_index;
	return 0;
}

int umad_status(void *buffer)
{
	return (int)((struct ib_user_mad *)buffer)->status;
}

static int add_agent(int class, int version, int rmpp_version, const long *mask)
{
	unsigned long methods = mask ? (unsigned long)mask[0] : 0;

	if (class == umad.taken_class && methods >> umad.taken_method & 1)
		return -EPERM;
	umad.agents[umad.agent_count] = (struct registered){ (uint8_t)class, (uint8_t)version, (uint8_t)rmpp_version, methods };
	return (int)umad.agent_count++;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[16 / sizeof(long)])
{
	(void)portid;
	return add_agent(mgmt_class, mgmt_version, rmpp_version, method_mask);
}

int umad_register_oui(int portid, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3], long method_mask[16 / sizeof(long)])
{
	(void)portid;
	cr_assert_eq(oui[1], 0x14);
	return add_agent(mgmt_class, 1, rmpp_version, method_mask);
}

int umad_unregister(int portid, int agentid)
{
	(void)portid;
	(void)agentid;
	umad.unregistered++;
	return 0;
}

int umad_recv(int portid, void *buffer, int *length, int timeout_ms)
{
	struct ib_user_mad *header = buffer;
	int needed;

	(void)portid;
	if (umad.failure) {
		errno = umad.failure;
		return -umad.failure;
	}
	if (umad.received == umad.message_count)
		return timeout_ms ? -ETIMEDOUT : -EWOULDBLOCK;
	needed = (int)umad.headers[umad.received].length;
	if (needed > *length) {
		umad.short_reads++;
		*length = needed;
		errno = ENOSPC;
		return -ENOSPC;
	}
	*header = umad.headers[umad.received];
	memcpy(header->data, umad.messages[umad.received], (size_t)needed);
	*length = needed;
	umad.received++;
	return 0;
}

int umad_send(int portid, int agentid, void *buffer, int length, int timeout_ms, int retries)
{
	(void)portid;
	(void)retries;
	memcpy(&umad.sent, buffer, sizeof umad.sent);
	memcpy(umad.sent_mad, umad_get_mad(buffer), (size_t)length);
	umad.sent_length = length;
	umad.sent_timeout = timeout_ms;
	umad.sent_agent = agentid;
	return 0;
}

/* A message to be received; each byte depends on its offset. */
static struct ib_user_mad *add_message(uint8_t class, uint8_t method, uint32_t length)
{
	uint8_t *message = calloc(1, length);
	struct ib_user_mad *header = &umad.headers[umad.message_count];

	for (uint32_t i = 24; i < length; i++)
		message[i] = (uint8_t)(i * 7 >> 3);
	message[0] = 1;
	message[1] = class;
	message[2] = 1;
	message[3] = method;
	*header = (struct ib_user_mad){ .length = length, .addr = { .qpn = htobe32(1), .lid = htobe16(0x21), .sl = 3, .pkey_index = 1 } };
	umad.messages[umad.message_count++] = message;
	return header;
}

static struct live_device *device;
static struct batch_pool *pool;
static struct rtap_error error;

static void set_up(void)
{
	setenv("RDMATAP_SYSFS", sysfs_unpack("hca"), 1);
	pool = batch_pool_create(64 << 10);
}

static void tear_down(void)
{
	if (device)
		device->operations->close(device);
	batch_pool_release(pool);
	for (unsigned i = 0; i < umad.message_count; i++)
		free(umad.messages[i]);
	cr_expect_eq(umad.opened, umad.closed);
	cr_expect_eq(umad.unregistered, umad.agent_count);
	sysfs_remove();
}

TestSuite(umad, .init = set_up, .fini = tear_down, .timeout = HANG_SECONDS);

static void open_device(const char *classes, uint32_t snap_length)
{
	const struct rtap_live_options options = { .size = sizeof options, .mad_classes = classes, .snap_length = snap_length };

	cr_assert_eq(live_umad.open(&device, "mlx5_0/1", &options, &error), RTAP_STATUS_OK, "%s", error.text);
}

static struct batch *receive(enum rtap_status expected)
{
	struct batch *batch = batch_get(pool);

	cr_assert_eq(device->operations->receive(device, batch, 1, &error), expected, "%s", error.text);
	return batch;
}

/* Dissects a frame and checks the properties of every frame. */
static void dissect(struct kit *kit, const struct rtap_frame *frame)
{
	const struct rtap_context context = { .check_icrc = true };

	cr_assert_eq(frame->link_type, RTAP_LINK_ERF);
	kit_dissect(kit, RTAP_LINK_ERF, frame->bytes, frame->captured_length, frame->wire_length, &context);
	cr_expect_eq(kit->packet.ib.icrc_status, RTAP_CRC_GOOD);
	cr_expect_not(kit_has_anomaly(kit, RTAP_ANOMALY_BAD_VCRC));
	cr_expect_eq(kit->packet.ib.opcode, 0x64);
}

Test(umad, a_datagram_becomes_a_packet_with_the_addresses_that_it_had)
{
	struct batch *batch;
	struct kit kit;
	const struct rtap_frame *frame;

	open_device(NULL, 0);
	add_message(0x04, 0x81, 256)->addr.path_bits = 0;
	batch = receive(RTAP_STATUS_OK);
	cr_assert_eq(batch->shared.count, 1);
	frame = &batch->shared.frames[0];
	cr_expect_eq(frame->wire_length, 16 + 8 + 12 + 8 + 256 + 4 + 2);
	dissect(&kit, frame);
	cr_expect_eq(frame->bytes[16 + 1], 0x32, "SL 3, a BTH follows");
	cr_expect_eq(memcmp(frame->bytes + 16 + 2, "\x00\x07", 2), 0, "the port's LID");
	cr_expect_eq(memcmp(frame->bytes + 16 + 6, "\x00\x21", 2), 0, "the sender's LID");
	cr_expect_eq(memcmp(frame->bytes + 24 + 2, "\x80\x01", 2), 0, "the P_Key at the index");
	cr_expect_eq(kit.packet.ib.dest_qpn, 1);
	cr_expect_eq(memcmp(frame->bytes + 36, "\x80\x01\x00\x00\x00\x00\x00\x01", 8), 0, "Q_Key and source of queue pair 1");
	cr_expect_eq(memcmp(frame->bytes + 44, umad.messages[0], 256), 0);
	kit_free(&kit);
	rtap_batch_release(&batch->shared);
}

Test(umad, subnet_management_goes_to_queue_pair_0_on_the_lane_for_it)
{
	struct batch *batch;
	struct kit kit;

	open_device(NULL, 0);
	add_message(0x81, 0x81, 256)->addr.qpn = 0;
	batch = receive(RTAP_STATUS_OK);
	dissect(&kit, &batch->shared.frames[0]);
	cr_expect_eq(kit.packet.ib.dest_qpn, 0);
	cr_expect_eq(batch->shared.frames[0].bytes[16] >> 4, 15);
	cr_expect_eq(memcmp(batch->shared.frames[0].bytes + 36, "\0\0\0\0\0\0\0\0", 8), 0);
	kit_free(&kit);
	rtap_batch_release(&batch->shared);
}

Test(umad, a_global_route_has_both_gids)
{
	struct ib_user_mad *header;
	struct batch *batch;
	struct kit kit;
	const uint8_t *grh;

	open_device(NULL, 0);
	header = add_message(0x04, 0x81, 256);
	header->addr.grh_present = 1;
	header->addr.hop_limit = 9;
	header->addr.traffic_class = 0xa5;
	header->addr.flow_label = htobe32(0x12345);
	memcpy(header->addr.gid, "\xfe\x80\0\0\0\0\0\0\0\x11\x22\x33\x44\x55\x66\x77", 16);
	batch = receive(RTAP_STATUS_OK);
	dissect(&kit, &batch->shared.frames[0]);
	cr_expect(kit.packet.ib.has_grh);
	grh = batch->shared.frames[0].bytes + 24;
	cr_expect_eq(memcmp(grh, "\x6a\x51\x23\x45\x01\x18\x1b\x09", 8), 0);
	cr_expect_eq(memcmp(grh + 8, header->addr.gid, 16), 0);
	cr_expect_eq(memcmp(grh + 24, "\xfe\x80\0\0\0\0\0\0\0\x02\xc9\x03\x00\xa1\xb2\xc1", 16), 0);
	kit_free(&kit);
	rtap_batch_release(&batch->shared);
}

/* Checks the RMPP headers of a message's segments, and their data. */
static void expect_segments(const struct batch *batch, size_t first, const uint8_t *message, uint32_t length, uint32_t header)
{
	uint32_t room = 256 - header, count = (length - header + room - 1) / room, at = header;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *mad = batch->shared.frames[first + i].bytes + 44;
		uint32_t data = length - at < room ? length - at : room;
		uint32_t payload = (uint32_t)mad[32] << 24 | (uint32_t)mad[33] << 16 | (uint32_t)mad[34] << 8 | mad[35];

		cr_expect_eq(mad[25], 1, "data");
		cr_expect_eq(mad[26] & 7, 1 | (i == 0 ? 2 : 0) | (i + 1 == count ? 4 : 0), "segment %u", i);
		cr_expect_eq((uint32_t)mad[30] << 8 | mad[31], i + 1);
		cr_expect_eq(payload, i == 0 ? length - header + count * (header - 36) : i + 1 == count ? data + header - 36 : 0, "segment %u", i);
		cr_expect_eq(memcmp(mad, message, 25), 0);
		cr_expect_eq(memcmp(mad + header, message + at, data), 0, "segment %u", i);
		for (uint32_t j = header + data; j < 256; j++)
			cr_expect_eq(mad[j], 0);
		at += data;
	}
	cr_expect_eq(at, length);
}

Test(umad, a_message_longer_than_the_buffer_becomes_the_segments_that_it_was)
{
	struct batch *batch;

	open_device(NULL, 0);
	add_message(0x03, 0x92, 56 + 200 * 30 + 17);
	add_message(0x06, 0x81, 64 + 192 * 2);
	batch = receive(RTAP_STATUS_OK);
	cr_assert_eq(batch->shared.count, 31 + 2);
	cr_expect_eq(umad.short_reads, 1, "the second one fits after the first");
	expect_segments(batch, 0, umad.messages[0], 56 + 200 * 30 + 17, 56);
	expect_segments(batch, 31, umad.messages[1], 64 + 192 * 2, 64);
	for (size_t i = 0; i < batch->shared.count; i++) {
		struct kit kit;

		dissect(&kit, &batch->shared.frames[i]);
		cr_expect_eq(kit.packet.ib.psn, i);
		kit_free(&kit);
	}
	rtap_batch_release(&batch->shared);
}

Test(umad, a_message_that_no_batch_can_hold_is_spread_over_several)
{
	struct live_statistics statistics;
	uint32_t length = 56 + 200 * (BATCH_FRAMES + 500), frames = 0, psn = 0;

	open_device(NULL, 0);
	add_message(0x03, 0x92, length);
	add_message(0x04, 0x81, 256);
	for (unsigned calls = 0; calls < 100; calls++) {
		struct batch *batch = receive(RTAP_STATUS_OK);

		frames += (uint32_t)batch->shared.count;
		for (size_t i = 0; i < batch->shared.count; i++, psn++)
			cr_assert_eq((uint32_t)batch->shared.frames[i].bytes[24 + 10] << 8 | batch->shared.frames[i].bytes[24 + 11], psn);
		rtap_batch_release(&batch->shared);
	}
	cr_expect_eq(frames, BATCH_FRAMES + 500 + 1);
	device->operations->statistics(device, &statistics);
	cr_expect(statistics.received.known && statistics.received.value == frames);
}

Test(umad, a_jumbo_datagram_is_one_packet)
{
	struct batch *batch;
	struct kit kit;

	open_device(NULL, 0);
	add_message(0x04, 0x81, 2048);
	umad.messages[0][0] = 0x80;
	batch = receive(RTAP_STATUS_OK);
	cr_assert_eq(batch->shared.count, 1);
	dissect(&kit, &batch->shared.frames[0]);
	cr_expect_eq(batch->shared.frames[0].wire_length, 50 + 2048);
	kit_free(&kit);
	rtap_batch_release(&batch->shared);
}

Test(umad, datagrams_of_any_length_are_safe)
{
	static const uint8_t classes[] = { 0x01, 0x03, 0x06, 0x32, 0x81 };

	for (size_t i = 0; i < sizeof classes; i++) {
		for (uint32_t length = 1; length < 700; length++) {
			uint8_t *message = calloc(1, length < 256 ? 256 : length), mad[MAD_JUMBO_LENGTH];
			uint32_t count;

			message[1] = classes[i];
			count = mad_segment_count(message, length);
			cr_assert(count >= 1 && count <= 4, "class %02x, %u bytes", classes[i], length);
			for (uint32_t j = 0; j < count; j++)
				cr_assert_eq(mad_segment(message, length, j, mad), 256);
			free(message);
		}
	}
}

Test(umad, a_short_datagram_is_filled_up)
{
	struct batch *batch;
	struct kit kit;

	open_device(NULL, 0);
	add_message(0x04, 0x81, 24);
	batch = receive(RTAP_STATUS_OK);
	cr_assert_eq(batch->shared.count, 1);
	dissect(&kit, &batch->shared.frames[0]);
	kit_free(&kit);
	rtap_batch_release(&batch->shared);
}

Test(umad, the_snap_length_cuts_and_keeps_the_true_length)
{
	struct batch *batch;

	open_device(NULL, 64);
	add_message(0x04, 0x81, 256);
	batch = receive(RTAP_STATUS_OK);
	cr_expect_eq(batch->shared.frames[0].captured_length, 64);
	cr_expect_eq(batch->shared.frames[0].wire_length, 306);
	rtap_batch_release(&batch->shared);
}

Test(umad, a_request_without_response_is_reported_and_the_capture_goes_on)
{
	struct batch *batch;

	open_device(NULL, 0);
	add_message(0x04, 0x01, 256)->status = ETIMEDOUT;
	umad.messages[0][17] = 0x12;
	add_message(0x04, 0x81, 256);
	batch = receive(RTAP_STATUS_BROKEN);
	cr_expect_eq(batch->shared.count, 0);
	cr_expect_str_eq(error.text, "umad:mlx5_0/1: no response to method 0x01 of class 0x04, attribute 0x0012, from LID 33");
	rtap_batch_release(&batch->shared);
	batch = receive(RTAP_STATUS_OK);
	cr_expect_eq(batch->shared.count, 1);
	rtap_batch_release(&batch->shared);
}

Test(umad, a_device_that_is_gone_ends_the_capture)
{
	struct batch *batch;

	open_device(NULL, 0);
	umad.failure = ENODEV;
	batch = receive(RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, "No such device"), "%s", error.text);
	rtap_batch_release(&batch->shared);
}

Test(umad, an_interrupted_wait_is_no_failure)
{
	struct batch *batch;

	open_device(NULL, 0);
	umad.failure = EINTR;
	batch = receive(RTAP_STATUS_OK);
	rtap_batch_release(&batch->shared);
}

Test(umad, everything_is_registered_except_classes_of_kernel_modules)
{
	open_device(NULL, 0);
	cr_expect_gt(umad.agent_count, 15);
	for (unsigned i = 0; i < umad.agent_count; i++) {
		const struct registered *agent = &umad.agents[i];

		cr_expect_neq(agent->methods, 0);
		if (agent->class == 0x03)
			cr_expect(agent->version == 2 && agent->rmpp_version == 1 && agent->methods == 0x003c0046);
		cr_expect(agent->class != 0x06 && agent->class != 0x07, "class 0x%02x, of ib_srpt and ib_cm", agent->class);
	}
	cr_expect_str_eq(device->interface.name, "mlx5_0/1");
	cr_expect(strstr(device->interface.description, "left to the kernel, unless --mad-classes names them: 0x06 0x07;"), "%s",
		  device->interface.description);
}

Test(umad, classes_of_kernel_modules_are_registered_when_named)
{
	open_device("6,7", 0);
	cr_assert_eq(umad.agent_count, 2);
	cr_expect(umad.agents[0].class == 0x06 && umad.agents[0].version == 1);
	cr_expect(umad.agents[1].class == 0x07 && umad.agents[1].version == 2 && umad.agents[1].rmpp_version == 0 && umad.agents[1].methods == 0x8);
	cr_expect_null(strstr(device->interface.description, "left to the kernel"), "%s", device->interface.description);
}

Test(umad, methods_of_other_programs_are_skipped_and_reported)
{
	umad.taken_class = 0x04;
	umad.taken_method = 2;
	open_device("0x04,7", 0);
	cr_assert_eq(umad.agent_count, 2);
	cr_expect_eq(umad.agents[0].methods, 0x2, "what is left of the class");
	cr_expect_eq(umad.agents[1].methods, 0x8);
	cr_expect(strstr(device->interface.description, "classes:methods 0x04:1 0x07:3; refused, others have them: 0x04:2;"), "%s",
		  device->interface.description);
}

Test(umad, nothing_that_can_be_registered_is_a_failure)
{
	const struct rtap_live_options options = { .size = sizeof options, .mad_classes = "7" };

	umad.taken_class = 0x07;
	umad.taken_method = 3;
	cr_expect_eq(live_umad.open(&device, "mlx5_0", &options, &error), RTAP_STATUS_FAILED);
	cr_expect_null(device);
	cr_expect(strstr(error.text, "no agent could be registered"), "%s", error.text);
}

Test(umad, lists_of_classes_are_read_strictly)
{
	static const char *const bad[] = { "", "3,", ",3", "3:", "3:0", "3:32", "256", "x", "3+1", "3:1+", "3:1,,4", "-1", "3 4", "0x" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const struct rtap_live_options options = { .size = sizeof options, .mad_classes = bad[i] };

		cr_expect_eq(live_umad.open(&device, "mlx5_0/1", &options, &error), RTAP_STATUS_FAILED, "\"%s\"", bad[i]);
	}
}

Test(umad, a_port_that_cannot_be_opened_has_an_error_with_the_cause)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{ "mlx5_0/2", "umad1 cannot be opened: Permission denied (be root" },
		{ "mlx5_0/3", "no such port" },
		{ "mlx5_1", "no such RDMA device" },
	};
	const struct rtap_live_options options = { .size = sizeof options, .mad_classes = NULL };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cr_expect_eq(live_umad.open(&device, cases[i].name, &options, &error), RTAP_STATUS_FAILED);
		cr_expect(strstr(error.text, cases[i].says), "%s", error.text);
	}
}

Test(umad, a_sender_shares_the_port_and_sends_to_where_the_packet_goes)
{
	struct mad_envelope envelope = {
		.destination_lid = 0x45, .destination_qpn = 1, .q_key = 0x80010000, .p_key = 0x8001, .service_level = 5, .source_qpn = 1,
		.global = true, .hop_limit = 3, .flow_label = 0xabcde, .destination_gid = { 0xfe, 0x80, [15] = 9 },
	};
	uint8_t mad[256] = { 1, 0x04, 1, 0x01, [255] = 0x77 }, bytes[MAD_FRAME_LENGTH(256)];
	struct rtap_frame frame = { .bytes = bytes, .link_type = RTAP_LINK_ERF };
	struct rtap_sender *sender;
	uint64_t lost;
	size_t sent;

	open_device("4", 0);
	add_message(0x04, 0x81, 256);
	cr_assert_eq(live_umad.open_sender(&sender, "mlx5_0", &error), RTAP_STATUS_OK);
	cr_expect_eq(umad.opened, 1);
	frame.captured_length = frame.wire_length = mad_frame_make(bytes, &envelope, mad, sizeof mad, 0, 0);
	cr_expect_eq(sender->operations->send(sender, &frame, 1, &sent, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_expect_eq(umad.agent_count, 1, "the agent of the capture");
	cr_expect_eq(umad.sent_length, 256);
	cr_expect_eq(umad.sent_timeout, 1000);
	cr_expect_eq(memcmp(umad.sent_mad, mad, sizeof mad), 0);
	cr_expect(be16toh(umad.sent.addr.lid) == 0x45 && be32toh(umad.sent.addr.qpn) == 1 && be32toh(umad.sent.addr.qkey) == 0x80010000);
	cr_expect(umad.sent.addr.sl == 5 && umad.sent.addr.pkey_index == 1 && umad.sent.addr.grh_present && umad.sent.addr.hop_limit == 3);
	cr_expect(be32toh(umad.sent.addr.flow_label) == 0xabcde && !memcmp(umad.sent.addr.gid, envelope.destination_gid, 16));
	cr_expect_eq(sender->operations->flush(sender, &lost, &error), RTAP_STATUS_OK);
	cr_expect_eq(umad.received, 0, "the response is the capture's");
	/* messages without a response are not waited for, and need an agent of their class */
	mad[1] = 0x07;
	mad[3] = 0x03;
	mad_frame_make(bytes, &envelope, mad, sizeof mad, 0, 0);
	cr_expect_eq(sender->operations->send(sender, &frame, 1, &sent, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_expect_eq(umad.sent_timeout, 0);
	cr_expect_eq(umad.sent_agent, 1);
	cr_expect_eq(umad.agents[1].methods, 0);
	sender->operations->close(sender);
	cr_expect_eq(umad.closed, 0, "the capture goes on");
}

Test(umad, only_senders_wait_for_responses)
{
	struct mad_envelope envelope = { .destination_qpn = 1 };
	uint8_t mad[256] = { 1, 0x04, 1, 0x01 }, bytes[MAD_FRAME_LENGTH(256)];
	struct rtap_frame frames[3] = { { .bytes = bytes, .link_type = RTAP_LINK_ERF } };
	struct rtap_sender *sender;
	uint64_t lost;
	size_t sent;

	frames[0].captured_length = frames[0].wire_length = mad_frame_make(bytes, &envelope, mad, sizeof mad, 0, 0);
	frames[1] = frames[2] = frames[0];
	cr_assert_eq(live_umad.open_sender(&sender, "mlx5_0", &error), RTAP_STATUS_OK);
	add_message(0x03, 0x81, 8000);
	add_message(0x04, 0x01, 256)->status = ETIMEDOUT;
	add_message(0x04, 0x81, 256);
	add_message(0x04, 0x81, 256);
	cr_expect_eq(sender->operations->send(sender, frames, 3, &sent, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_expect_eq(sender->operations->flush(sender, &lost, &error), RTAP_STATUS_OK);
	cr_expect_eq(umad.received, 3, "a response that is longer than the buffer, a request that nobody answered, and a response");
	cr_expect_eq(lost, 0);
	sender->operations->close(sender);
}

Test(umad, only_whole_datagrams_are_sent)
{
	struct mad_envelope envelope = { .destination_qpn = 1 };
	uint8_t mad[256] = { 1, 0x04, 1, 0x01 }, bytes[MAD_FRAME_LENGTH(256)];
	struct rtap_frame frame = { .bytes = bytes, .link_type = RTAP_LINK_ERF };
	struct rtap_sender *sender;
	uint32_t whole = mad_frame_make(bytes, &envelope, mad, sizeof mad, 0, 0);
	size_t sent;

	cr_assert_eq(live_umad.open_sender(&sender, "mlx5_0", &error), RTAP_STATUS_OK);
	for (uint32_t length = 0; length < whole; length++) {
		uint8_t *exact = malloc(length + 1);

		memcpy(exact + 1, bytes, length);
		frame.bytes = exact + 1;
		frame.captured_length = frame.wire_length = length;
		cr_expect_eq(sender->operations->send(sender, &frame, 1, &sent, &error),
			     length < whole - 2 ? RTAP_STATUS_FAILED : RTAP_STATUS_OK, "%u", length);
		cr_expect_not(length < whole - 2 && error.code == RTAP_ERROR_CLOSED);
		free(exact);
	}
	sender->operations->close(sender);
}
