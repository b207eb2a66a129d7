/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA devices and end ports from sysfs, against trees modelled on those of real devices in Linux.
 */
#include "config.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/stat.h>

#include <rdmatap/device.h>

#include "tests/sysfs_kit.h"

#define PORT "class/infiniband/mlx5_0/ports/1/"

static struct rtap_devices *devices;
static struct rtap_error error;

static void open_tree(const char *name)
{
	cr_assert_eq(rtap_devices_open(&devices, sysfs_unpack(name), &error), RTAP_STATUS_OK, "%s", error.text);
}

static void close_tree(void)
{
	rtap_devices_close(devices);
	sysfs_remove();
}

static bool is(struct rtap_count count, uint64_t value)
{
	return count.known && count.value == value;
}

static bool says(const char *text, const char *expected)
{
	return expected ? text && !strcmp(text, expected) : !text;
}

TestSuite(devices, .timeout = HANG_SECONDS);

Test(devices, an_infiniband_device_is_reported_in_full)
{
	const struct rtap_device *device;

	open_tree("hca");
	cr_assert_eq(rtap_devices_count(devices), 1);
	device = rtap_devices_device(devices, 0);
	cr_expect(says(device->name, "mlx5_0"));
	cr_expect(is(device->node_type, RTAP_NODE_CA));
	cr_expect(is(device->node_guid, 0x0002c90300a1b2c0));
	cr_expect(is(device->system_image_guid, 0x0002c90300a1b2c3));
	cr_expect(says(device->node_description, "host1 mlx5_0"));
	cr_expect(says(device->firmware, "12.28.2006"));
	cr_expect(says(device->hardware_revision, "0"));
	cr_expect(says(device->board_id, "MT_2180110032"));
	cr_expect(says(device->hca_type, "MT4115"));
	cr_expect_eq(device->transport, RTAP_DEVICE_INFINIBAND);
	cr_expect(is(device->numa_node, 1));
	cr_assert_eq(device->netdev_count, 2);
	cr_expect(says(device->netdevs[1], "ib1"));
	cr_assert_eq(device->port_count, 2);
	cr_expect_eq(device->port_numbers[1], 2);
	cr_expect_eq(rtap_devices_counters(devices, 0)->count, 0);
	close_tree();
}

Test(devices, an_infiniband_port_is_reported_in_full)
{
	const struct rtap_port *port;
	const struct rtap_device_counters *counters;

	open_tree("hca");
	port = rtap_devices_port(devices, 0, 0);
	cr_expect_eq(port->number, 1);
	cr_expect_eq(port->transport, RTAP_DEVICE_INFINIBAND);
	cr_expect(says(port->link_layer, "InfiniBand"));
	cr_expect(is(port->state, RTAP_PORT_ACTIVE));
	cr_expect(is(port->physical_state, 5));
	cr_expect(says(port->rate, "100 Gb/sec (4X EDR)"));
	cr_expect(is(port->rate_mbps, 100000));
	cr_expect(is(port->lid, 7));
	cr_expect(is(port->lmc, 0));
	cr_expect(is(port->sm_lid, 1));
	cr_expect(is(port->sm_sl, 0));
	cr_expect(is(port->capability_mask, 0x2651e848));
	cr_expect(is(port->guid, 0x0002c90300a1b2c1));
	cr_expect(says(port->umad, "umad0"));
	cr_expect(says(port->issm, "issm0"));
	counters = rtap_devices_port_counters(devices, 0, 0);
	cr_assert_eq(counters->count, 2, "without the lifespan");
	cr_expect(says(counters->counters[1].name, "out_of_buffer"));
	cr_expect_eq(counters->counters[1].value, UINT64_C(1) << 63);
	port = rtap_devices_port(devices, 0, 1);
	cr_expect(is(port->rate_mbps, 2500));
	cr_expect(is(port->lid, 0), "0 is known");
	cr_expect(says(port->umad, "umad1"));
	close_tree();
}

Test(devices, empty_places_of_tables_are_left_out_and_indices_kept)
{
	const struct rtap_gids *gids;
	const struct rtap_p_keys *p_keys;

	open_tree("hca");
	gids = rtap_devices_gids(devices, 0, 0);
	cr_assert_eq(gids->count, 1);
	cr_expect_eq(gids->gids[0].index, 0);
	cr_expect_eq(gids->gids[0].type, RTAP_GID_INFINIBAND);
	cr_expect_eq(gids->chosen, &gids->gids[0]);
	p_keys = rtap_devices_p_keys(devices, 0, 0);
	cr_assert_eq(p_keys->count, 3);
	cr_expect_eq(p_keys->p_keys[2].index, 3);
	cr_expect_eq(p_keys->p_keys[2].value, 0x0002);
	close_tree();
}

Test(devices, a_p_key_is_found_by_its_value)
{
	static const struct rtap_p_key list[] = { { 0, 0xffff }, { 1, 0x0001 }, { 2, 0x8001 }, { 9, 0x0002 } };
	static const struct rtap_p_keys p_keys = { list, 4 };
	static const struct {
		uint16_t value;
		bool found;
		uint32_t index;
	} cases[] = {
		{ 0xffff, true, 0 }, { 0x7fff, true, 0 }, { 0x0001, true, 2 }, { 0x8001, true, 2 }, { 0x0002, true, 9 },
		{ 0x8002, false, 0 }, { 0x0003, false, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t index = 77;

		cr_expect_eq(rtap_p_key_index(&p_keys, cases[i].value, &index), cases[i].found, "0x%04x", cases[i].value);
		cr_expect_eq(index, cases[i].found ? cases[i].index : 77, "0x%04x", cases[i].value);
	}
}

Test(devices, a_switch_has_port_0)
{
	open_tree("switch");
	cr_assert_eq(rtap_devices_device(devices, 0)->port_count, 1);
	cr_expect_eq(rtap_devices_port(devices, 0, 0)->number, 0);
	cr_expect(is(rtap_devices_device(devices, 0)->node_type, RTAP_NODE_SWITCH));
	cr_expect(says(rtap_devices_port(devices, 0, 0)->umad, "umad0"));
	close_tree();
}

Test(devices, roce_gids_have_types_and_netdevs_and_v2_with_ipv4_is_chosen)
{
	const struct rtap_gids *gids;
	const struct rtap_device *device;

	open_tree("roce");
	gids = rtap_devices_gids(devices, 0, 0);
	cr_assert_eq(gids->count, 6);
	cr_expect_eq(gids->gids[4].type, RTAP_GID_ROCE_V1);
	cr_expect_eq(gids->gids[5].type, RTAP_GID_ROCE_V2);
	cr_expect(says(gids->gids[5].netdev, "ens1f0.9"));
	cr_expect_eq(gids->chosen->index, 3);
	/* a soft device: its network interface is known from the GIDs and the parent */
	device = rtap_devices_device(devices, 1);
	cr_expect_eq(device->transport, RTAP_DEVICE_ROCE);
	cr_assert_eq(device->netdev_count, 1);
	cr_expect(says(device->netdevs[0], "eth1"));
	cr_expect(says(device->firmware, NULL));
	cr_expect_not(device->numa_node.known);
	cr_expect_eq(rtap_devices_gids(devices, 1, 0)->chosen->type, RTAP_GID_ROCE_V2, "without IPv4");
	close_tree();
}

Test(devices, an_iwarp_gid_is_no_guid)
{
	open_tree("iwarp");
	cr_assert_eq(rtap_devices_count(devices), 2);
	cr_expect_eq(rtap_devices_device(devices, 0)->transport, RTAP_DEVICE_IWARP);
	cr_expect_not(rtap_devices_port(devices, 0, 0)->guid.known);
	cr_assert_eq(rtap_devices_gids(devices, 0, 0)->count, 1, "though its lower half is zeros");
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->gids[0].type, RTAP_GID_UNKNOWN);
	cr_expect_eq(rtap_devices_p_keys(devices, 0, 0)->count, 0);
	cr_expect_eq(rtap_devices_counters(devices, 1)->counters[0].value, 1001);
	close_tree();
}

Test(devices, ports_and_devices_stand_in_the_order_of_their_numbers)
{
	const struct rtap_device *device;

	open_tree("multi");
	cr_assert_eq(rtap_devices_count(devices), 4);
	cr_expect(says(rtap_devices_device(devices, 0)->name, "many_2"));
	cr_expect(says(rtap_devices_device(devices, 1)->name, "many_10"));
	device = rtap_devices_device(devices, 0);
	cr_assert_eq(device->port_count, 12);
	for (unsigned i = 0; i < 12; i++)
		cr_expect_eq(device->port_numbers[i], i + 1);
	cr_expect(says(rtap_devices_port(devices, 0, 9)->umad, "umad10"));
	cr_expect(says(rtap_devices_port(devices, 0, 1)->umad, NULL), "umad2 is port 1's");
	close_tree();
}

Test(devices, ports_of_one_device_may_have_different_transports)
{
	open_tree("multi");
	cr_expect_eq(rtap_devices_device(devices, 2)->transport, RTAP_DEVICE_MIXED);
	cr_expect_eq(rtap_devices_port(devices, 2, 0)->transport, RTAP_DEVICE_INFINIBAND);
	cr_expect_eq(rtap_devices_port(devices, 2, 1)->transport, RTAP_DEVICE_ROCE);
	cr_expect_eq(rtap_devices_device(devices, 3)->transport, RTAP_DEVICE_UNKNOWN, "usNIC is on Ethernet and no RoCE");
	close_tree();
}

Test(devices, values_are_cached_until_they_are_invalidated)
{
	open_tree("hca");
	cr_expect(is(rtap_devices_port(devices, 0, 0)->lid, 7));
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 1);
	cr_expect_eq(rtap_devices_p_keys(devices, 0, 0)->count, 3);
	cr_expect_eq(rtap_devices_port_counters(devices, 0, 0)->counters[0].value, 3);
	sysfs_write("0x9\n", PORT "lid");
	sysfs_write("fe80:0000:0000:0000:0002:c903:00a1:b2cf\n", PORT "gids/1");
	sysfs_write("0x8005\n", PORT "pkeys/2");
	sysfs_write("4\n", PORT "hw_counters/duplicate_request");
	cr_expect(is(rtap_devices_port(devices, 0, 0)->lid, 7));
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 1);
	cr_expect_eq(rtap_devices_p_keys(devices, 0, 0)->count, 3);
	cr_expect_eq(rtap_devices_port_counters(devices, 0, 0)->counters[0].value, 4, "counters are never kept");
	rtap_devices_invalidate(devices, 0, 0, RTAP_PORT_P_KEYS);
	cr_expect(is(rtap_devices_port(devices, 0, 0)->lid, 7));
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 1);
	cr_expect_eq(rtap_devices_p_keys(devices, 0, 0)->count, 4);
	rtap_devices_invalidate(devices, 0, 0, RTAP_PORT_ATTRIBUTES);
	cr_expect(is(rtap_devices_port(devices, 0, 0)->lid, 9));
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 1);
	rtap_devices_invalidate(devices, 0, 0, RTAP_PORT_GIDS);
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 2);
	cr_expect(is(rtap_devices_port(devices, 0, 1)->lid, 0));
	close_tree();
}

Test(devices, nothing_is_read_before_it_is_requested)
{
	open_tree("hca");
	sysfs_write("0x9\n", PORT "lid");
	cr_expect(is(rtap_devices_port(devices, 0, 0)->lid, 9));
	close_tree();
}

Test(devices, invalid_values_are_unknown)
{
	const struct rtap_device *device;
	const struct rtap_port *port;

	open_tree("hostile");
	cr_assert_eq(rtap_devices_count(devices), 6);
	device = rtap_devices_device(devices, 0);
	cr_expect_not(device->node_type.known, "empty");
	cr_expect_not(device->node_guid.known, "too short");
	cr_expect_not(device->system_image_guid.known, "too long");
	cr_expect(says(device->firmware, NULL), "too long");
	cr_expect(says(device->hardware_revision, NULL), "a link to itself");
	cr_expect(says(device->board_id, NULL), "a folder");
	cr_expect(says(device->hca_type, NULL), "white space");
	cr_expect_not(device->numa_node.known, "near no node");
	cr_assert_eq(device->port_count, 1, "others are no numbers of ports");
	port = rtap_devices_port(devices, 0, 0);
	cr_expect(is(port->state, 9));
	cr_expect_not(port->physical_state.known);
	cr_expect(says(port->link_layer, NULL));
	cr_expect_not(port->rate_mbps.known);
	cr_expect_not(port->lid.known);
	cr_expect_not(port->lmc.known);
	cr_expect_not(port->sm_lid.known);
	cr_expect_not(port->sm_sl.known);
	cr_expect_not(port->guid.known);
	cr_expect(says(port->umad, NULL));
	cr_expect_eq(rtap_devices_gids(devices, 0, 0)->count, 1);
	cr_expect_eq(rtap_devices_p_keys(devices, 0, 0)->count, 0);
	cr_expect_eq(rtap_devices_port_counters(devices, 0, 0)->count, 0);
	for (size_t i = 1; i < 6; i++) {
		device = rtap_devices_device(devices, i);
		cr_expect_not(device->node_type.known, "%s", device->name);
		cr_expect_leq(device->port_count, 1, "%s", device->name);
	}
	close_tree();
}

Test(devices, files_that_never_end_are_not_waited_for)
{
	char path[256];

	open_tree("hca");
	snprintf(path, sizeof path, "%s/%s", sysfs_root, PORT "lid");
	remove(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof path, "%s/%s", sysfs_root, PORT "rate");
	remove(path);
	cr_assert_eq(symlink("/dev/zero", path), 0);
	cr_expect_not(rtap_devices_port(devices, 0, 0)->lid.known);
	cr_expect(says(rtap_devices_port(devices, 0, 0)->rate, NULL));
	close_tree();
}

Test(devices, a_machine_without_the_subsystem_is_distinguished_from_one_without_devices)
{
	char path[256];

	strcpy(sysfs_root, "/tmp/rdmatap-sysfs-XXXXXX");
	cr_assert(mkdtemp(sysfs_root));
	cr_expect_eq(rtap_devices_open(&devices, sysfs_root, &error), RTAP_STATUS_END);
	cr_expect_null(devices);
	cr_expect(strstr(error.text, "no RDMA subsystem"), "%s", error.text);
	snprintf(path, sizeof path, "%s/class", sysfs_root);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/class/infiniband", sysfs_root);
	mkdir(path, 0755);
	cr_expect_eq(rtap_devices_open(&devices, sysfs_root, &error), RTAP_STATUS_OK);
	cr_expect_eq(rtap_devices_count(devices), 0);
	close_tree();
}

Test(devices, are_found_by_name)
{
	static const struct {
		const char *name;
		bool whole;
		enum rtap_lookup result;
		size_t device, port;
		const char *says;
	} cases[] = {
		{ "many_2", false, RTAP_LOOKUP_FOUND, 0, 0, NULL },
		{ "many_2", true, RTAP_LOOKUP_FOUND, 0, SIZE_MAX, NULL },
		{ "many_2/12", false, RTAP_LOOKUP_FOUND, 0, 11, NULL },
		{ "many_10/1", true, RTAP_LOOKUP_FOUND, 1, 0, NULL },
		{ "many_2/13", false, RTAP_LOOKUP_NONE, 0, SIZE_MAX, "no such port (it has 1 to 12)" },
		{ "many_2/", false, RTAP_LOOKUP_NONE, 0, SIZE_MAX, "no such port" },
		{ "many_2/01", false, RTAP_LOOKUP_NONE, 0, SIZE_MAX, "no such port" },
		{ "many_2/1/1", false, RTAP_LOOKUP_NONE, SIZE_MAX, SIZE_MAX, "no such RDMA device" },
		{ "many", false, RTAP_LOOKUP_NONE, SIZE_MAX, SIZE_MAX, "no such RDMA device" },
		{ "", false, RTAP_LOOKUP_NONE, SIZE_MAX, SIZE_MAX, "no such RDMA device" },
		{ "../../..", false, RTAP_LOOKUP_NONE, SIZE_MAX, SIZE_MAX, "no such RDMA device" },
	};

	open_tree("multi");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_end_port found;

		cr_expect_eq(rtap_devices_find_name(devices, cases[i].name, cases[i].whole, &found, &error), cases[i].result, "%s", cases[i].name);
		cr_expect_eq(found.device, cases[i].device, "%s", cases[i].name);
		cr_expect_eq(found.port, cases[i].port, "%s", cases[i].name);
		if (cases[i].says)
			cr_expect(strstr(error.text, cases[i].says), "%s: %s", cases[i].name, error.text);
	}
	close_tree();
}

Test(devices, are_found_by_guid_unless_several_have_it)
{
	struct rtap_end_port found;

	open_tree("multi");
	cr_expect_eq(rtap_devices_find_node_guid(devices, 0xe41d2d0300112200, &found, &error), RTAP_LOOKUP_FOUND);
	cr_expect(found.device == 2 && found.port == SIZE_MAX);
	cr_expect_eq(rtap_devices_find_node_guid(devices, 0x0011223344556600, &found, &error), RTAP_LOOKUP_AMBIGUOUS);
	cr_expect(strstr(error.text, "many_2, many_10"), "%s", error.text);
	cr_expect_eq(rtap_devices_find_node_guid(devices, 0, &found, &error), RTAP_LOOKUP_NONE, "unknown is not 0");
	cr_expect_eq(rtap_devices_find_port_guid(devices, 0x001122334455660c, &found, &error), RTAP_LOOKUP_FOUND);
	cr_expect(found.device == 0 && found.port == 11 && !found.gid);
	cr_expect_eq(rtap_devices_find_port_guid(devices, 0x0011223344556601, &found, &error), RTAP_LOOKUP_AMBIGUOUS);
	cr_expect(strstr(error.text, "many_2/1, many_10/1"), "%s", error.text);
	cr_expect_eq(rtap_devices_find_port_guid(devices, 0, &found, &error), RTAP_LOOKUP_NONE);
	close_tree();
}

Test(devices, a_gid_is_found_with_its_index)
{
	struct rtap_end_port found;
	uint8_t gid[16];

	open_tree("roce");
	cr_assert_eq(inet_pton(AF_INET6, "::ffff:10.9.0.3", gid), 1);
	cr_expect_eq(rtap_devices_find_gid(devices, gid, &found, &error), RTAP_LOOKUP_FOUND);
	cr_expect(found.device == 0 && found.port == 0 && found.gid->index == 5, "that of RoCE v2");
	gid[15]++;
	cr_expect_eq(rtap_devices_find_gid(devices, gid, &found, &error), RTAP_LOOKUP_NONE);
	memset(gid, 0, sizeof gid);
	cr_expect_eq(rtap_devices_find_gid(devices, gid, &found, &error), RTAP_LOOKUP_NONE);
	close_tree();
}

Test(devices, guids_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "0002:c903:00a1:b2c0", true }, { "0x0002c90300a1b2c0", true }, { "0002c90300a1b2c0", true }, { "0X0002C90300A1B2C0", true },
		{ "", false }, { "0x", false }, { "2:c903:a1:b2c0", true }, { "0x2c90300a1b2c0", true }, { "2c90300a1b2c0", false },
		{ "0002:c903:00a1", false }, { "0002:c903:00a1:b2c01", false },
		{ "0002:c903:00a1b2c0", false }, { ":0002:c903:00a1:b2c0", false }, { "0002:c903:00a1:b2c0:", false },
		{ "0002::c903:00a1:b2c0", false }, { "00:02c9:0300:a1b2:c0", false }, { "0002:c903:00a1:b2cg", false }, { "-002c90300a1b2c0", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t guid;

		cr_expect_eq(rtap_guid_parse(cases[i].text, &guid), cases[i].good, "%s", cases[i].text);
		if (cases[i].good)
			cr_expect_eq(guid, 0x0002c90300a1b2c0, "%s", cases[i].text);
	}
}

static void expect_no_port(size_t device, size_t port)
{
	cr_expect_null(rtap_devices_port(devices, device, port));
	cr_expect_null(rtap_devices_gids(devices, device, port));
	cr_expect_null(rtap_devices_p_keys(devices, device, port));
	cr_expect_null(rtap_devices_port_counters(devices, device, port));
	rtap_devices_invalidate(devices, device, port, RTAP_PORT_ALL);
}

Test(devices, indices_beyond_the_last_find_nothing)
{
	static const size_t beyond[] = { 1, 2, 1000, SIZE_MAX };
	size_t ports;

	open_tree("hca");
	cr_assert_eq(rtap_devices_count(devices), 1);
	ports = rtap_devices_device(devices, 0)->port_count;
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		cr_expect_null(rtap_devices_device(devices, beyond[i]));
		cr_expect_null(rtap_devices_counters(devices, beyond[i]));
		cr_expect_null(rtap_devices_verbs(devices, beyond[i]));
		expect_no_port(beyond[i], 0);
		expect_no_port(0, beyond[i] < ports ? ports : beyond[i]);
	}
	cr_expect_not_null(rtap_devices_port(devices, 0, 0));
	close_tree();
}
