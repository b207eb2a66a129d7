/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow rules and filters of the simulated device, and its attributes. */
#include "config.h"

#include "tests/flow_kit.h"
#include "tests/verbs_kit.h"

/* Flow rules */

static const char *const roce_rules[] = { "udp dst=4791" };
static const char *const no_rules[] = { "udp dst=1", "eth vlan=5" };
static const char *const either_rules[] = { "tcp", "ipv4 src=10.0.0.1/24 udp src=0xc000/0xf000" };

TestSuite(verbs_rules, .timeout = HANG_SECONDS);

Test(verbs_rules, rules_are_matched_by_the_device_or_in_software)
{
	static const struct {
		enum rtap_flow_type type;
		const char *const *rules;
		size_t rule_count, count;
		const char *described;
	} cases[] = {
		{ RTAP_FLOW_SNIFFER, NULL, 0, 50, "sniffer," },
		{ RTAP_FLOW_SNIFFER, roce_rules, 1, 50, "sniffer with rules matched in software" },
		{ RTAP_FLOW_SNIFFER, no_rules, 2, 0, "sniffer with rules matched in software" },
		{ RTAP_FLOW_SNIFFER, either_rules, 2, 50, "sniffer with rules matched in software" },
		{ RTAP_FLOW_NORMAL, roce_rules, 1, 50, "normal rules" },
		{ RTAP_FLOW_NORMAL, no_rules, 2, 0, "normal rules" },
		{ RTAP_FLOW_NORMAL, either_rules, 2, 50, "normal rules" },
		{ RTAP_FLOW_ALL, NULL, 0, 50, "all," },
		{ RTAP_FLOW_ALL, no_rules, 2, 0, "all with rules matched in software" },
		{ RTAP_FLOW_MULTICAST, NULL, 0, 0, "multicast," },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_verbs_options options = { .flow_type = cases[i].type, .flow_rules = cases[i].rules,
						      .flow_rule_count = cases[i].rule_count };
		struct run run;

		simulate("feed=gen:50:300");
		capture_for(&run, "verbs:sim0", &options, 0, 50, cases[i].count ? 400 : 10);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%zu: %s", i, run.error.text);
		cr_assert_eq(run.count, cases[i].count, "%zu: %zu", i, run.count);
		cr_assert_str_empty(run.reported);
		cr_assert(strstr(run.description, cases[i].described), "%zu: %s", i, run.description);
		run_free(&run);
	}
}

static void write_flow_frames(void)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	name_feed();
	cr_assert_eq(rtap_writer_open(&writer, fed_name, NULL, &error), RTAP_STATUS_OK, "%s", error.text);
	for (size_t i = 0; i < FLOW_FRAME_COUNT; i++) {
		struct rtap_frame frame = { .bytes = flow_frames[i].bytes, .captured_length = flow_frames[i].length,
					    .wire_length = flow_frames[i].length, .link_type = RTAP_LINK_ETHERNET, .time_ns = 1000 };

		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK, "%s", error.text);
	}
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
}

/* Names of the frames of flow_kit.h that were captured, each followed by a space. */
static void name_frames(const struct run *run, char *found)
{
	found[0] = '\0';
	for (size_t n = 0; n < run->count; n++) {
		for (size_t k = 0; k < FLOW_FRAME_COUNT; k++) {
			if (run->frames[n]->captured_length != flow_frames[k].length ||
			    memcmp(run->frames[n]->bytes, flow_frames[k].bytes, flow_frames[k].length))
				continue;
			strcat(found, flow_frames[k].name);
			strcat(found, " ");
		}
	}
}

/* The simulated device matches frames with its specs by its own code. */
Test(verbs_rules, a_rule_means_the_same_to_the_device_and_in_software)
{
	write_flow_frames();
	for (size_t i = 0; i < FLOW_MATCH_COUNT; i++) {
		for (int type = RTAP_FLOW_SNIFFER; type <= RTAP_FLOW_NORMAL; type++) {
			struct rtap_live_options live = { .size = sizeof live, .wake_ms = 1,
				.verbs = VERBS(.flow_type = (enum rtap_flow_type)type, .flow_rules = &flow_matches[i].rule,
					       .flow_rule_count = 1, .flow_dont_trap = true) };
			struct rtap_source *source;
			struct run run = { .opened = RTAP_STATUS_OK };
			char found[256];
			size_t wanted = 0;

			for (const char *at = flow_matches[i].frames; *at; at++)
				wanted += *at == ' ';
			simulate("feed=file:%s", fed_name);
			run.frames = calloc(MOST_FRAMES, sizeof run.frames[0]);
			run.batches = calloc(MOST_FRAMES, sizeof run.batches[0]);
			cr_assert_eq(rtap_source_open_live(&source, "verbs:sim0", &live, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
			/* if no frame is expected, the test can only wait */
			read_all(&run, source, wanted ? wanted : 1, wanted ? 5000 : 20);
			rtap_source_close(source);
			name_frames(&run, found);
			cr_assert_str_eq(found, flow_matches[i].frames, "%s by %s: %s", flow_matches[i].rule,
					 type ? "device" : "software", found);
			run_free(&run);
		}
	}
	unlink(fed_name);
}

static const char *const udp_rules[] = { "udp dst=4791" };

Test(verbs_rules, supported_parts_of_a_filter_are_offloaded_and_nothing_is_lost)
{
	static const struct {
		const char *filter;
		enum rtap_flow_type type;
		const char *const *rules;
		size_t rule_count;
		const char *frames;
		uint64_t received;
		const char *note;
	} cases[] = {
		{ "udp dst port 4791", RTAP_FLOW_NORMAL, NULL, 0, "roce options six ", 4,
		  "the device matched, before the filter was applied by "
		  "software: udp dst=4791\n" },
		{ "udp dst port 4791 and ip src 10.0.0.9", RTAP_FLOW_NORMAL, NULL, 0, "options ", 1,
		  ": ipv4 src=10.0.0.9 udp dst=4791\n" },
		{ "ip src 10.0.0.9", RTAP_FLOW_NORMAL, udp_rules, 1, "options ", 1, ": ipv4 src=10.0.0.9 udp dst=4791\n" },
		{ "len > 1", RTAP_FLOW_NORMAL, udp_rules, 1, "roce vlan options six ", 4, "applied by software only: rules of NICs" },
		{ "ip6", RTAP_FLOW_NORMAL, udp_rules, 1, "six ", 1, ": eth type=0x86dd udp dst=4791\n" },
		{ "arp", RTAP_FLOW_NORMAL, udp_rules, 1, "", 4, "applied by software only: no packet can match" },
		{ "udp dst port 4791", RTAP_FLOW_SNIFFER, NULL, 0, "roce options six ", 10, "only rules of --flow-type normal" },
	};

	write_flow_frames();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_live_options options = { .size = sizeof options, .wake_ms = 1, .capture_filter = cases[i].filter,
			.verbs = VERBS(.flow_type = cases[i].type, .flow_rules = cases[i].rules,
				       .flow_rule_count = cases[i].rule_count, .flow_offload = true) };
		char found[256];
		struct run run;

		simulate("feed=file:%s", fed_name);
		capture_received(&run, "verbs:sim0", &options, cases[i].received, FLOW_FRAME_COUNT, 5000);
		cr_assert_eq(run.opened, RTAP_STATUS_OK, "%s: %s", cases[i].filter, run.error.text);
		name_frames(&run, found);
		cr_expect_str_eq(found, cases[i].frames, "%s: %s", cases[i].filter, found);
		cr_expect(strstr(run.notes, cases[i].note), "%s: %s", cases[i].filter, run.notes);
		/* how much reached the program shows that the device did it */
		cr_expect_eq(run.interface.received, cases[i].received, "%s: %lu", cases[i].filter, run.interface.received);
		run_free(&run);
	}
	unlink(fed_name);
}

/* What is known of devices */

static void write_file(const char *folder, const char *file, const char *text)
{
	char name[256];
	FILE *stream;

	snprintf(name, sizeof name, "%s/%s", folder, file);
	/* folders on the way */
	for (char *at = name + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		cr_assert(!mkdir(name, 0777) || errno == EEXIST, "%s", name);
	}
	stream = fopen(name, "w");
	cr_assert(stream, "%s", name);
	fputs(text, stream);
	fclose(stream);
}

#define PORT_FILE(name) "class/infiniband/sim0/ports/1/" name

static void write_port(const char *folder, const char *lid, const char *gid, const char *p_key)
{
	write_file(folder, PORT_FILE("lid"), lid);
	write_file(folder, PORT_FILE("gids/0"), gid);
	write_file(folder, PORT_FILE("pkeys/0"), p_key);
}

/* LID, last byte of the GID, P_Key. */
static void expect_port(struct rtap_devices *devices, unsigned lid, unsigned gid, unsigned p_key, const char *when)
{
	cr_assert_eq(rtap_devices_port(devices, 0, 0)->lid.value, lid, "%s: %lu", when, rtap_devices_port(devices, 0, 0)->lid.value);
	cr_assert_eq(rtap_devices_gids(devices, 0, 0)->gids[0].bytes[15], gid, "%s", when);
	cr_assert_eq(rtap_devices_p_keys(devices, 0, 0)->p_keys[0].value, p_key, "%s", when);
}

Test(verbs_rules, changed_attributes_are_queried_again)
{
	static const char before[] = "fe80:0000:0000:0000:0000:0000:0000:0001\n", after[] = "fe80:0000:0000:0000:0000:0000:0000:0002\n";
	static const struct {
		const char *event;
		unsigned lid, gid, p_key; /* known afterwards; before it is 1, 1, 0x8001, now 2, 2, 0x8002 */
	} cases[] = {
		{ "lid_change", 2, 1, 0x8001 }, { "sm_change", 2, 1, 0x8001 }, { "client_reregister", 2, 1, 0x8001 },
		{ "port_error", 2, 1, 0x8001 }, { "port_active", 2, 1, 0x8001 }, { "gid_change", 2, 2, 0x8001 },
		{ "p_key_change", 1, 1, 0x8002 }, { "qp_fatal", 1, 1, 0x8001 },
	};
	char folder[64], command[128];

	snprintf(folder, sizeof folder, "test_verbs_devices.%ld", (long)getpid());
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_live_options options = { .size = sizeof options, .wake_ms = 50 };
		struct rtap_devices *devices;
		struct run run;

		write_port(folder, "0x1\n", before, "0x8001\n");
		cr_assert_eq(rtap_devices_open(&devices, folder, &run.error), RTAP_STATUS_OK, "%s", run.error.text);
		expect_port(devices, 1, 1, 0x8001, "at first");
		write_port(folder, "0x2\n", after, "0x8002\n");
		expect_port(devices, 1, 1, 0x8001, "as it was");
		options.verbs = VERBS(.devices = devices);
		simulate("feed=gen:500:64,event=%s@100", cases[i].event);
		capture_by(&run, "verbs:sim0", &options, 500, 400);
		cr_assert_eq(run.count, 500, "%s: %zu", cases[i].event, run.count);
		expect_port(devices, cases[i].lid, cases[i].gid, cases[i].p_key, cases[i].event);
		rtap_devices_close(devices);
		run_free(&run);
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}
