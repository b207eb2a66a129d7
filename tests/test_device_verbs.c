/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of a device from libibverbs. This program has functions of libibverbs' names, which it is linked with before
 * the library.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "output/devices.h"
#include "tests/sysfs_kit.h"

static struct {
	int list_failure, open_failure, query_failure, qp_failure; /* errno; 0: none */
	bool knows_no_more;                            /* only the attributes that old devices report */
	bool spreads_no_raw_packets;
	unsigned lists, opened;
} verbs;

static struct ibv_device device = { .name = "mlx5_0" };
static struct ibv_device other = { .name = "mlx5_00" };
static struct verbs_context context;

struct ibv_device **ibv_get_device_list(int *count)
{
	static struct ibv_device *list[] = { &other, &device, NULL };

	(void)count;
	errno = verbs.list_failure;
	verbs.lists += !verbs.list_failure;
	return verbs.list_failure ? NULL : list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	(void)list;
	verbs.lists--;
}

const char *ibv_get_device_name(struct ibv_device *which)
{
	return which->name;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *which)
{
	static struct ibv_pd pd;

	(void)which;
	return &pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	(void)pd;
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *which, int entries, void *owner, struct ibv_comp_channel *channel, int vector)
{
	static struct ibv_cq cq;

	(void)which, (void)entries, (void)owner, (void)channel, (void)vector;
	return &cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted)
{
	static struct ibv_qp qp;

	(void)pd;
	cr_expect_eq(wanted->qp_type, IBV_QPT_RAW_PACKET);
	errno = verbs.qp_failure;
	return verbs.qp_failure ? NULL : &qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	return 0;
}

static int query_device(struct ibv_context *which, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attributes,
			size_t size)
{
	(void)which;
	(void)input;
	cr_assert_eq(size, sizeof *attributes);
	memset(attributes, 0, sizeof *attributes);
	attributes->orig_attr.max_qp_wr = 32768;
	attributes->orig_attr.max_sge = 30;
	attributes->orig_attr.max_cqe = 4194303;
	attributes->orig_attr.vendor_id = 0x2c9;
	attributes->orig_attr.vendor_part_id = 4115;
	attributes->orig_attr.max_qp = 262144;
	attributes->orig_attr.max_cq = 16777216;
	attributes->orig_attr.max_mr = 1048576;
	if (verbs.knows_no_more)
		return verbs.query_failure;
	attributes->orig_attr.device_cap_flags = IBV_DEVICE_MANAGED_FLOW_STEERING | IBV_DEVICE_RAW_MULTI;
	attributes->raw_packet_caps = IBV_RAW_PACKET_CAP_SCATTER_FCS | IBV_RAW_PACKET_CAP_IP_CSUM;
	attributes->completion_timestamp_mask = UINT64_MAX;
	attributes->hca_core_clock = 156250;
	attributes->rss_caps.max_rwq_indirection_table_size = 2048;
	attributes->rss_caps.supported_qpts = verbs.spreads_no_raw_packets ? 1u << IBV_QPT_UD : 1u << IBV_QPT_RAW_PACKET;
	return verbs.query_failure;
}

static int query_port(struct ibv_context *which, uint8_t number, struct ibv_port_attr *attributes, size_t size)
{
	(void)which;
	memset(attributes, 0, size);
	attributes->subnet_timeout = (uint8_t)(16 + number);
	attributes->active_mtu = IBV_MTU_1024;
	attributes->max_mtu = IBV_MTU_4096;
	return number == 2 ? EINVAL : 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *which)
{
	cr_assert_eq(which, &device);
	errno = verbs.open_failure;
	if (verbs.open_failure)
		return NULL;
	context = (struct verbs_context){ .query_port = query_port, .query_device_ex = query_device, .sz = sizeof context };
	context.context.device = which;
	context.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs.opened++;
	return &context.context;
}

int ibv_close_device(struct ibv_context *which)
{
	cr_assert_eq(which, &context.context);
	verbs.opened--;
	return 0;
}

static struct rtap_devices *devices;

static void set_up(void)
{
	struct rtap_error error;

	cr_assert_eq(rtap_devices_open(&devices, sysfs_unpack("hca"), &error), RTAP_STATUS_OK, "%s", error.text);
}

static void tear_down(void)
{
	rtap_devices_close(devices);
	sysfs_remove();
	cr_expect_eq(verbs.opened, 0);
	cr_expect_eq(verbs.lists, 0);
}

TestSuite(device_verbs, .init = set_up, .fini = tear_down, .timeout = HANG_SECONDS);

Test(device_verbs, a_device_is_queried_for_values_missing_in_sysfs)
{
	const struct rtap_device_verbs *reported = rtap_devices_verbs(devices, 0);

	cr_assert(reported->valid);
	cr_expect_null(reported->failure);
	cr_expect_eq(reported->capabilities,
		     RTAP_VERBS_MANAGED_FLOW_STEERING | RTAP_VERBS_SCATTER_FCS | RTAP_VERBS_IP_CHECKSUM | RTAP_VERBS_TIME_STAMPS);
	cr_expect(reported->core_clock_khz.known && reported->core_clock_khz.value == 156250);
	cr_expect(reported->max_receives.known && reported->max_receives.value == 32768);
	cr_expect(reported->max_sges.known && reported->max_sges.value == 30);
	cr_expect(reported->max_completions.known && reported->max_completions.value == 4194303);
	cr_expect(reported->max_rss_queues.known && reported->max_rss_queues.value == 2048);
	cr_expect(reported->subnet_timeouts[0].known && reported->subnet_timeouts[0].value == 17);
	cr_expect_not(reported->subnet_timeouts[1].known, "the port cannot be queried");
	cr_expect(reported->path_mtus[0].known && reported->path_mtus[0].value == 1024);
	cr_expect(reported->max_path_mtus[0].known && reported->max_path_mtus[0].value == 4096);
	cr_expect_not(reported->path_mtus[1].known);
	cr_expect(reported->vendor.known && reported->vendor.value == 0x2c9);
	cr_expect(reported->part.known && reported->part.value == 4115);
	cr_expect_eq(reported->max_queue_pairs.value, 262144);
}

Test(device_verbs, whether_it_has_raw_packet_queue_pairs_is_tried)
{
	static const struct {
		int failure;
		bool known, value;
	} cases[] = { { 0, true, true }, { EOPNOTSUPP, true, false }, { EINVAL, true, false }, { EPERM, false, false }, { EACCES, false, false } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rtap_device_verbs *reported;

		verbs.qp_failure = cases[i].failure;
		reported = rtap_devices_verbs(devices, 0);
		cr_expect_eq(reported->raw_packet.known, cases[i].known, "%s", strerror(cases[i].failure));
		cr_expect_eq(reported->raw_packet.value, cases[i].value, "%s", strerror(cases[i].failure));
	}
}

Test(device_verbs, a_device_without_any_of_it_has_none)
{
	const struct rtap_device_verbs *reported;

	verbs.knows_no_more = true;
	reported = rtap_devices_verbs(devices, 0);
	cr_assert(reported->valid);
	cr_expect_eq(reported->capabilities, 0);
	cr_expect_not(reported->core_clock_khz.known);
}

Test(device_verbs, a_device_that_spreads_other_packets_has_no_queues_for_raw_ones)
{
	verbs.spreads_no_raw_packets = true;
	cr_expect(rtap_devices_verbs(devices, 0)->max_rss_queues.known);
	cr_expect_eq(rtap_devices_verbs(devices, 0)->max_rss_queues.value, 0);
}

Test(device_verbs, obstacles_are_reported)
{
	static const struct {
		int list_failure, open_failure, query_failure;
		const char *says;
	} cases[] = {
		{ ENOSYS, 0, 0, "cannot be listed by libibverbs: Function not implemented" },
		{ 0, EACCES, 0, "the device cannot be opened: Permission denied" },
		{ 0, 0, EIO, "the device cannot be queried: Input/output error" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rtap_device_verbs *reported;

		verbs.list_failure = cases[i].list_failure;
		verbs.open_failure = cases[i].open_failure;
		verbs.query_failure = cases[i].query_failure;
		reported = rtap_devices_verbs(devices, 0);
		cr_expect_not(reported->valid);
		cr_assert(reported->failure);
		cr_expect(strstr(reported->failure, cases[i].says), "%s", reported->failure);
	}
}

Test(device_verbs, a_device_that_libibverbs_does_not_know_is_reported)
{
	const struct rtap_device_verbs *reported;

	other.name[6] = device.name[5] = '1';
	reported = rtap_devices_verbs(devices, 0);
	cr_expect_not(reported->valid);
	cr_expect(strstr(reported->failure, "no driver for the device"), "%s", reported->failure);
}

/* The output for the device, without the contents of sysfs. */
static void write_device(void (*write)(const struct shown_device *shown, struct line *line), char *text, size_t size)
{
	static const struct rtap_device_counters no_counters;
	static const struct rtap_gids no_gids;
	static const struct rtap_p_keys no_p_keys;
	const struct rtap_device_verbs *reported = rtap_devices_verbs(devices, 0);
	const struct shown_port port = {
		.port = rtap_devices_port(devices, 0, 0), .gids = &no_gids, .p_keys = &no_p_keys, .counters = &no_counters, .cm_counters = &no_counters,
		.subnet_timeout = reported->subnet_timeouts ? reported->subnet_timeouts[0] : (struct rtap_count){ false, 0 },
		.path_mtu = reported->path_mtus ? reported->path_mtus[0] : (struct rtap_count){ false, 0 },
	};
	const struct shown_device shown = { rtap_devices_device(devices, 0), &no_counters, reported, &port, 1 };
	struct line line;

	line_init(&line, text, size - 1);
	write(&shown, &line);
	cr_assert_not(line.cut);
	*line.next = 0;
}

Test(device_verbs, it_is_written_as_json_and_in_full)
{
	char text[8192];

	write_device(device_json, text, sizeof text);
	cr_expect(strstr(text, "\"verbs_capabilities\":[\"managed flow steering\",\"scatter FCS\",\"IP checksum\",\"time stamps\"],"
			 "\"core_clock_khz\":156250,\"max_receives\":32768,\"max_sges\":30,\"max_completions\":4194303,\"max_rss_queues\":2048,"
			 "\"raw_packet_queue_pairs\":\"yes\",\"vendor\":\"0x0002c9\",\"part\":\"0x1013\",\"max_queue_pairs\":262144,"),
		  "%s", text);
	cr_expect(strstr(text, "\"path_mtu\":1024,"), "%s", text);
	cr_expect(strstr(text, "\"subnet_timeout\":17,"), "%s", text);
	cr_expect_null(strstr(text, "trouble"));
	write_device(device_tree, text, sizeof text);
	cr_expect(strstr(text, "\n  verbs capabilities:\n    managed flow steering\n    scatter FCS\n"), "%s", text);
	cr_expect(strstr(text, "\n      subnet timeout: 17\n"), "%s", text);
	verbs.open_failure = EACCES;
	write_device(device_json, text, sizeof text);
	cr_expect(strstr(text, ",\"verbs_trouble\":\"the device cannot be opened: Permission denied\",\"ports\""), "%s", text);
	cr_expect_null(strstr(text, "max_"));
}
