/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include <rdmatap/source.h>

#include "dissect/dissect.h"
#include "dissect/rpc/rpc_status.h"
#include "output/packet/fields.h"
#include "output/packet/hex.h"
#include "output/packet/json.h"
#include "output/message/messages.h"
#include "output/packet/text.h"
#include "output/packet/tree.h"
#include "tests/frame_kit.h"

/* One frame of a capture in testdata and its packet. */
struct opened {
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_packet packet;
};

static void frame_open(struct opened *opened, const char *file, size_t number, const struct rtap_context *context)
{
	char path[512];
	const char *name = path;
	struct rtap_error error;

	snprintf(path, sizeof path, "%s/%s", TESTDATA, file);
	cr_assert_eq(rtap_source_open_files(&opened->source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(rtap_source_read_batch(opened->source, &opened->batch, &error), RTAP_STATUS_OK);
	cr_assert_geq(opened->batch->count, number);
	dissect_frame(&opened->batch->frames[number - 1], context, &opened->packet);
}

static void frame_close(struct opened *opened)
{
	rtap_batch_release(opened->batch);
	rtap_source_close(opened->source);
}

static const struct rtap_context no_context;
static char output[1u << 20];

/* The format's output for the packet (the header if it is NULL), with a final zero byte. */
static const char *formatted(struct format *format, const struct rtap_packet *packet)
{
	struct line line;

	line_init(&line, output, sizeof output - 1);
	if (packet)
		format->packet(format, packet, &line);
	else
		format->header(format, &line);
	cr_assert(!line.cut);
	*line.next = 0;
	return output;
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part);
}

TestSuite(json, .timeout = HANG_SECONDS);

Test(json, strings_are_escaped_and_stay_utf8)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{ "", "\"\"" },
		{ "plain / 'text'", "\"plain / 'text'\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\"\"", "\"\\\"\\\"\"" },
		{ "eight by\\", "\"eight by\\\\\"" },
		{ "\neight by", "\"\\u000aeight by\"" },
		{ "eight bytes\x7f and more", "\"eight bytes\\u007f and more\"" },
		{ "\x01\n\t\x1f\x7f", "\"\\u0001\\u000a\\u0009\\u001f\\u007f\"" },
		{ "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"" },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\"\xe2\x82\xac \xf0\x9f\x98\x80\"" },
		{ "\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"" },
		/* well-formed, but it would steer a terminal */
		{ "\xc2\x85|\xc2\x9b", "\"\\u0085|\\u009b\"" },
		{ "\xe2\x80\x8e\xe2\x80\xae\xe2\x81\xa6", "\"\\u200e\\u202e\\u2066\"" },
		/* not UTF-8: a continuation alone, too short, overlong, surrogate, above U+10FFFF, never used */
		{ "\x80", "\"\\ufffd\"" },
		{ "\xc3", "\"\\ufffd\"" },
		{ "\xc3(", "\"\\ufffd(\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" },
		{ "\xe2\x80", "\"\\ufffd\\ufffd\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
		{ "\xff\xfe", "\"\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t length = strlen(cases[i].bytes);
		uint8_t *block = malloc(length ? length : 1);
		struct line line;

		memcpy(block, cases[i].bytes, length);
		line_init(&line, output, sizeof output - 1);
		json_string(&line, block, length);
		*line.next = 0;
		cr_expect_str_eq(output, cases[i].text);
		free(block);
	}
}

Test(json, a_zero_byte_in_text_is_kept)
{
	struct line line;

	line_init(&line, output, sizeof output - 1);
	json_string(&line, (const uint8_t *)"a\0b", 3);
	*line.next = 0;
	cr_expect_str_eq(output, "\"a\\u0000b\"");
}

Test(json, values_have_the_types_that_the_documentation_names)
{
	static const struct {
		const char *file;
		size_t frame;
		const char *has, *lacks;
	} cases[] = {
		{ "rpcrdma-headers.pcap", 3, "{\"frame.number\":3,\"frame.time_epoch\":\"1700000000.002000002\",", "data.data" },
		{ "rpcrdma-headers.pcap", 3, "\"ip.src\":\"10.1.2.3\"", "#2" },
		{ "rpcrdma-headers.pcap", 3, "\"infiniband.bth.a\":1,", "true" },
		{ "rpcrdma-headers.pcap", 3, "\"rpcordma.rdma_handle\":[2864381953]", "infiniband.reth" },
		{ "rpcrdma-headers.pcap", 3, "\"rpcordma.rdma_offset\":[\"0x00007f0000001000\"]", "crc.status" },
		{ "rpcrdma-headers.pcap", 5, "\"rpcordma.rdma_length\":[1,1001,2001,3001,4001]", "rpcordma.rdma_length#2" },
		{ "tunnels.pcap", 1, "\"ip.src\":\"172.16.0.1\"", "ip.src#3" },
		{ "tunnels.pcap", 1, "\"ip.src#2\":\"10.1.2.3\"", "infiniband.bth.psn#2" },
		/* two protocols have fields of this name */
		{ "tunnels.pcap", 68, "\"ip.version\":6,", "\"ip.version\":4" },
		{ "tunnels.pcap", 68, "\"ip.version#2\":4,", "ip.version#4" },
		{ "ipv6.pcap", 5, "\"ipv6.opt.length\":[4,12,12]", "\"ipv6.opt.length\":[12" },
		{ "tunnels.pcap", 1, "\"eth.dst#2\":\"02:00:00:00:00:02\"", "rdmatap.anomaly" },
	};
	struct json_format json;

	cr_assert_eq(json_format_init(&json, false), 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct opened opened;
		const char *text;

		frame_open(&opened, cases[i].file, cases[i].frame, &no_context);
		text = formatted(&json.format, &opened.packet);
		cr_expect(has(text, cases[i].has), "%s lacks %s", text, cases[i].has);
		cr_expect(!has(text, cases[i].lacks), "%s has %s", text, cases[i].lacks);
		cr_expect_eq(strlen(text), strcspn(text, "\n") + 1, "is not one line");
		frame_close(&opened);
	}
	json_format_fini(&json);
}

Test(json, anomalies_are_an_array_of_names)
{
	static const uint8_t short_frame[] = { 1, 2, 3 };
	struct json_format json;
	struct kit kit;

	cr_assert_eq(json_format_init(&json, false), 0);
	kit_dissect(&kit, RTAP_LINK_ETHERNET, short_frame, sizeof short_frame, 60, &no_context);
	cr_expect(has(formatted(&json.format, &kit.packet), "\"rdmatap.anomaly\":[\"truncated\"]"), "%s", output);
	kit_free(&kit);
	json_format_fini(&json);
}

Test(json, crc_status_is_there_with_check_icrc_only)
{
	const struct rtap_context checking = { .check_icrc = true };

	for (int check = 0; check < 2; check++) {
		struct json_format json;
		struct opened opened;

		cr_assert_eq(json_format_init(&json, check), 0);
		frame_open(&opened, "roce-v2-opcodes.pcap", 1, check ? &checking : &no_context);
		cr_expect_eq(has(formatted(&json.format, &opened.packet), "\"infiniband.invariant.crc.status\":\"good\""), check);
		frame_close(&opened);
		json_format_fini(&json);
	}
}

TestSuite(format, .timeout = HANG_SECONDS);

Test(format, a_cut_call_leaves_no_trace_in_the_next)
{
	static const struct {
		const char *file;
		size_t frame;
	} frames[] = { { "rpcrdma-headers.pcap", 5 }, { "tunnels.pcap", 60 }, { "rpcrdma-rpc.pcap", 20 } };
	const struct rtap_context checking = { .check_icrc = true };
	struct text_format line_text, tree, hex;
	struct json_format json;
	struct fields_format fields;
	struct format *formats[] = { &line_text.format, &tree.format, &hex.format, &json.format, &fields.format };
	struct rtap_error error;

	text_format_init(&line_text);
	text_format_init(&tree);
	text_format_init(&hex);
	line_text.colour = tree.tree = hex.hex = true;
	line_text.clock.form = CLOCK_DELTA_SHOWN;
	cr_assert_eq(json_format_init(&json, true), 0);
	fields_format_init(&fields);
	cr_assert_eq(fields_format_option(&fields, "occurrence=l", &error), RTAP_STATUS_OK);
	cr_assert_eq(fields_format_option(&fields, "quote=d", &error), RTAP_STATUS_OK);
	cr_assert_eq(fields_format_add(&fields, "ip.addr", &error), RTAP_STATUS_OK);
	cr_assert_eq(fields_format_add(&fields, "rpcordma.rdma_handle", &error), RTAP_STATUS_OK);
	cr_assert_eq(fields_format_add(&fields, "arp.opcode", &error), RTAP_STATUS_OK);
	for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
		for (size_t j = 0; j < sizeof formats / sizeof formats[0]; j++) {
			struct opened opened;
			char *whole;
			size_t length;

			/* shown once before, so that time differences, which depend on shown packets, are equal from here on */
			frame_open(&opened, frames[i].file, frames[i].frame, &checking);
			formatted(formats[j], &opened.packet);
			whole = strdup(formatted(formats[j], &opened.packet));
			length = strlen(whole);
			for (size_t room = 0; room < length; room += 1 + length / 500) {
				char *block = malloc(room ? room : 1);
				struct line line;

				line_init(&line, block, room);
				formats[j]->packet(formats[j], &opened.packet, &line);
				cr_assert(line.cut, "format %zu fits %zu bytes into %zu", j, length, room);
				cr_assert_leq(line.next, block + room);
				free(block);
				cr_assert_str_eq(formatted(formats[j], &opened.packet), whole);
			}
			free(whole);
			frame_close(&opened);
		}
	}
	json_format_fini(&json);
	fields_format_fini(&fields);
	text_format_fini(&tree);
}

TestSuite(fields, .timeout = HANG_SECONDS);

Test(fields, columns_are_written_as_the_options_say)
{
	static const struct {
		const char *file;
		size_t frame;
		const char *options[4], *names[4];
		const char *header, *row;
	} cases[] = {
		{ "tunnels.pcap", 1, { NULL }, { "frame.number", "ip.src" }, "", "1\t172.16.0.1,10.1.2.3\n" },
		{ "tunnels.pcap", 1, { "occurrence=f" }, { "ip.src", "ip.dst" }, "", "172.16.0.1\t172.16.0.2\n" },
		{ "tunnels.pcap", 1, { "occurrence=l" }, { "ip.src", "ip.dst" }, "", "10.1.2.3\t10.4.5.6\n" },
		{ "tunnels.pcap", 1, { "occurrence=l", "occurrence=a" }, { "ip.src" }, "", "172.16.0.1,10.1.2.3\n" },
		{ "tunnels.pcap", 1, { NULL }, { "ip.addr" }, "", "172.16.0.1,172.16.0.2,10.1.2.3,10.4.5.6\n" },
		{ "tunnels.pcap", 1, { "occurrence=f" }, { "eth.addr" }, "", "0c:42:a1:00:00:02\n" },
		{ "tunnels.pcap", 1, { "occurrence=l" }, { "eth.addr" }, "", "02:00:00:00:00:01\n" },
		{ "tunnels.pcap", 1, { "aggregator=/s", "separator=," }, { "udp.port", "ip.ttl" }, "", "53248 4789 49443 4791,64 64\n" },
		{ "tunnels.pcap", 1, { "aggregator=;", "separator=/s" }, { "ip.src", "ip.dst" }, "",
		  "172.16.0.1;10.1.2.3 172.16.0.2;10.4.5.6\n" },
		{ "tunnels.pcap", 1, { "quote=d", "header=y" }, { "ip.src", "arp.opcode", "ip.ttl" }, "ip.src\tarp.opcode\tip.ttl\n",
		  "\"172.16.0.1,10.1.2.3\"\t\t\"64,64\"\n" },
		{ "tunnels.pcap", 1, { "quote=s", "header=n", "occurrence=l" }, { "ip.src", "arp.opcode" }, "", "'10.1.2.3'\t\n" },
		{ "tunnels.pcap", 1, { "quote=s", "quote=n" }, { "ip.src" }, "", "172.16.0.1,10.1.2.3\n" },
		{ "tunnels.pcap", 1, { NULL }, { "ip.ttl", "ip.ttl" }, "", "64,64\t64,64\n" },
		{ "tunnels.pcap", 1, { NULL }, { "arp.opcode" }, "", "\n" },
		{ "tunnels.pcap", 1, { "separator=/t" }, { "vxlan.vni", "infiniband.bth.psn" }, "", "1193046\t4\n" },
		{ "rpcrdma-headers.pcap", 5, { "occurrence=f" }, { "rpcordma.rdma_length", "rpcordma.rdma_handle" }, "", "1\t0xaabb0000\n" },
		{ "rpcrdma-headers.pcap", 5, { "occurrence=l" }, { "rpcordma.rdma_length", "rpcordma.rdma_handle" }, "", "4001\t0xaabb0004\n" },
		{ "rpcrdma-headers.pcap", 5, { "aggregator=|" }, { "rpcordma.rdma_length" }, "", "1|1001|2001|3001|4001\n" },
		{ "roce-v2-opcodes.pcap", 1, { NULL }, { "infiniband.invariant.crc.status" }, "", "good\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fields_format fields;
		struct rtap_error error;
		struct opened opened;

		fields_format_init(&fields);
		for (size_t j = 0; j < 4 && cases[i].options[j]; j++)
			cr_assert_eq(fields_format_option(&fields, cases[i].options[j], &error), RTAP_STATUS_OK);
		for (size_t j = 0; j < 4 && cases[i].names[j]; j++)
			cr_assert_eq(fields_format_add(&fields, cases[i].names[j], &error), RTAP_STATUS_OK, "%s", error.text);
		frame_open(&opened, cases[i].file, cases[i].frame, &no_context);
		cr_expect_str_eq(formatted(&fields.format, NULL), cases[i].header);
		cr_expect_str_eq(formatted(&fields.format, &opened.packet), cases[i].row);
		frame_close(&opened);
		fields_format_fini(&fields);
	}
}

Test(fields, invalid_input_is_rejected_with_advice)
{
	static const char *const options[] = { "", "=", "foo", "header", "header=", "header=yes", "header=x", "separator=", "separator=ab",
					       "aggregator=", "occurrence=x", "occurrence=", "quote=x", "quote=dd", "bogus=y",
					       "averyveryverylongname=y", "Header=y" };
	static const struct {
		const char *name, *advice;
	} names[] = {
		{ "", "rdmatap fields lists them" }, { "zzzzzzzzzz", "rdmatap fields lists them" },
		{ "infiniband.bth.pns", "did you mean infiniband.bth.psn?" }, { "infiniband", "is a protocol, not a field" },
		{ "udp", "is a protocol, not a field" }, { "IP.SRC", "did you mean ip.src?" },
	};
	struct fields_format fields;
	struct rtap_error error;

	fields_format_init(&fields);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		cr_expect_eq(fields_format_option(&fields, options[i], &error), RTAP_STATUS_FAILED, "%s", options[i]);
		cr_expect(has(error.text, "not understood"));
	}
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		cr_expect_eq(fields_format_add(&fields, names[i].name, &error), RTAP_STATUS_FAILED);
		cr_expect(has(error.text, names[i].advice), "%s: %s", names[i].name, error.text);
	}
	cr_expect_eq(fields.column_count, 0);
	fields_format_fini(&fields);
}

TestSuite(layer_tree, .timeout = HANG_SECONDS);

Test(layer_tree, bits_stand_where_they_are_in_the_header)
{
	/* LRH with VL 10, version 5, SL 9, reserved 2, LNH 2, and reserved 22 before the length of 8 words; BTH with many bits */
	static const uint8_t frame[32] = {
		0xa5, 0x9a, 0x12, 0x34, 0xb0, 0x08, 0x56, 0x78, 0x04, 0xb5, 0xff, 0xfe, 0xbf, 0x01, 0x23, 0x45, 0xd5, 0x00, 0x00, 0x09,
	};
	static const char *const rows[] = {
		"    1010 .... = Virtual Lane: 0x0a\n",
		"    .... 0101 = Link Version: 5\n",
		"    1001 .... = Service Level: 9\n",
		"    .... 10.. = Reserved: 2\n",
		"    .... ..10 = Link Next Header: IBA local (0x02)\n",
		"    1011 0... = Reserved: 22\n",
		"    .... .000 0000 1000 = Packet Length: 8\n",
		"    Opcode: RC SEND Only (4)\n",
		"    1... .... = Solicited Event: True\n",
		"    .0.. .... = Migration Request: False\n",
		"    ..11 .... = Pad Count: 3\n",
		"    .... 0101 = Header Version: 5\n",
		"    Partition Key: 65534\n",
		"    1... .... = Forward Congestion Notification: True\n",
		"    ..11 1111 = Reserved: 63\n",
		"    Destination Queue Pair: 0x012345\n",
		"    1... .... = Acknowledge Request: True\n",
		"    .101 0101 = Reserved: 85\n",
		"    Packet Sequence Number: 9\n",
	};
	struct line line;
	struct kit kit;

	kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, sizeof frame, sizeof frame, &no_context);
	line_init(&line, output, sizeof output - 1);
	tree_write(NULL, &kit.packet, &line);
	*line.next = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		cr_expect(has(output, rows[i]), "%s lacks %s", output, rows[i]);
	kit_free(&kit);
}

Test(layer_tree, a_frame_may_be_cut_anywhere)
{
	static const char *const files[] = { "rpcrdma-headers.pcap", "tunnels.pcap", "infiniband-lrh.pcap", "roce-v2-variations.pcap" };
	struct text_format text;

	text_format_init(&text);
	text.tree = text.hex = true;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct opened opened;
		const struct rtap_frame *frame;

		frame_open(&opened, files[i], 5, &no_context);
		frame = &opened.batch->frames[4];
		for (uint32_t captured = 0; captured <= frame->captured_length; captured++) {
			struct kit kit;

			kit_dissect(&kit, frame->link_type, frame->bytes, captured, frame->wire_length, &no_context);
			cr_expect(has(formatted(&text.format, &kit.packet), "    Frame Number: 1\n"));
			kit_free(&kit);
		}
		frame_close(&opened);
	}
	text_format_fini(&text);
}

/*
 * Each bit of a header is turned and turned back, so that every row has values that it had before. A new format for JSON, whose tables
 * take most of the time, is created for one bit of each byte, another bit in the next one; the format that is kept writes all of them.
 */
Test(format, earlier_output_has_no_effect)
{
	static const struct {
		const char *file;
		size_t frame;
	} frames[] = { { "rpcrdma-rpc.pcap", 20 }, { "tunnels.pcap", 60 }, { "infiniband-lrh.pcap", 1 }, { "rpcrdma-headers.pcap", 5 } };
	static char expected[sizeof output];
	struct text_format kept;
	struct json_format json;

	text_format_init(&kept);
	kept.tree = true;
	cr_assert_eq(json_format_init(&json, false), 0);
	for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
		struct opened opened;
		uint8_t bytes[256];
		uint32_t length;

		frame_open(&opened, frames[i].file, frames[i].frame, &no_context);
		length = opened.packet.frame->captured_length < sizeof bytes ? opened.packet.frame->captured_length : sizeof bytes;
		memcpy(bytes, opened.packet.frame->bytes, length);
		for (uint32_t bit = 0; bit < 2 * 8 * length; bit++) {
			struct json_format other;
			struct line line;
			struct kit kit;

			bytes[bit / 16] ^= (uint8_t)(0x80 >> bit / 2 % 8);
			kit_dissect(&kit, opened.packet.frame->link_type, bytes, length, length, &no_context);
			line_init(&line, expected, sizeof expected - 1);
			tree_write(NULL, &kit.packet, &line);
			*line.next++ = '\n';
			*line.next = 0;
			cr_assert_str_eq(formatted(&kept.format, &kit.packet), expected);

			formatted(&json.format, &kit.packet);
			if (bit / 2 % 8 != bit / 16 % 8 || bit / 16 % 3) {
				kit_free(&kit);
				continue;
			}
			cr_assert_eq(json_format_init(&other, false), 0);
			snprintf(expected, sizeof expected, "%s", formatted(&other.format, &kit.packet));
			cr_assert_str_eq(formatted(&json.format, &kit.packet), expected);
			json_format_fini(&other);
			kit_free(&kit);
		}
		frame_close(&opened);
	}
	text_format_fini(&kept);
	json_format_fini(&json);
}

TestSuite(text, .timeout = HANG_SECONDS);

Test(text, notes_follow_the_line)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	static const uint8_t comment_bytes[] = "say \"hi\"\033[31m\n";
	const struct rtap_span comments[] = { { (const uint8_t *)"one", 3 }, { comment_bytes, sizeof comment_bytes - 1 } };
	struct text_format text;
	struct kit kit;

	text_format_init(&text);
	text.clock.form = CLOCK_EPOCH;
	kit_dissect(&kit, RTAP_LINK_ETHERNET, bytes, sizeof bytes, 60, &no_context);
	kit.frame.comments = comments;
	kit.frame.comment_count = 2;
	cr_expect_str_eq(formatted(&text.format, &kit.packet),
			 "    1    0.000000000 link type 1 len 60 [truncated] [3 of 60 B] # one # say \\\"hi\\\"\\x1b[31m\\n\n");
	text.colour = true;
	cr_expect(!strncmp(formatted(&text.format, &kit.packet), "\033[31m    1 ", 11) && has(output, "\033[0m\n"), "%s", output);
	kit_free(&kit);
}

Test(text, a_packet_without_anomalies_has_no_colour)
{
	struct text_format text;
	struct opened opened;

	text_format_init(&text);
	text.colour = true;
	frame_open(&opened, "tunnels.pcap", 1, &no_context);
	cr_expect(!strchr(formatted(&text.format, &opened.packet), '\033'));
	frame_close(&opened);
}

TestSuite(hex, .timeout = HANG_SECONDS);

Test(hex, rows_have_offsets_bytes_and_characters)
{
	static uint8_t bytes[0x10012];
	struct line line;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i + 0x41);
	for (uint32_t length = 0; length <= 33; length++) {
		line_init(&line, output, sizeof output);
		hex_write(bytes, length, &line);
		cr_expect_eq((size_t)(line.next - output), (length + 15) / 16 * 57 + length, "%u bytes", length);
	}
	line_init(&line, output, sizeof output - 1);
	hex_write(bytes, 17, &line);
	*line.next = 0;
	cr_expect_str_eq(output, "0000  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n"
				 "0010  51                                                Q\n");
	line_init(&line, output, sizeof output - 1);
	hex_write(bytes + 0x3a, 8, &line);
	*line.next = 0;
	cr_expect_str_eq(output, "0000  7b 7c 7d 7e 7f 80 81 82                           {|}~....\n");
	line_init(&line, output, sizeof output - 1);
	hex_write(bytes, sizeof bytes, &line);
	*line.next = 0;
	cr_expect(has(output, "\nfff0  ") && has(output, "\n10000  41 42 "), "offsets grow a digit");
}

TestSuite(messages, .timeout = HANG_SECONDS);

Test(messages, errors_of_rpc_over_rdma_have_the_names_of_rfc_8166_and_no_others)
{
	static const char *const names[] = { [1] = "RDMA_ERROR ERR_VERS", [2] = "RDMA_ERROR ERR_CHUNK", [3] = "RDMA_ERROR unknown" };

	for (uint32_t code = 1; code <= 3; code++)
		cr_expect_str_eq(rpc_status_name(&(struct rtap_message){ .kind = RTAP_KIND_RPC_REPLY, .rdma_error = code }), names[code]);
}

Test(messages, a_status_without_a_name_is_no_success)
{
	struct rtap_message reply = { .kind = RTAP_KIND_RPC_REPLY, .rpc_accepted = true, .has_rpc_status = true };

	cr_expect_str_eq(rpc_status_name(&reply), "SUCCESS");
	reply.has_status = true;
	cr_expect_str_eq(rpc_status_name(&reply), "SUCCESS", "a status without names that is 0");
	reply.status = 12345;
	cr_expect_str_eq(rpc_status_name(&reply), "unknown");
}
