/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Components of capturing with raw-packet queue pairs, without a device. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_clock.h"
#include "capture/verbs/verbs_flow.h"
#include "capture/verbs/verbs_ring.h"
#include "capture/verbs/verbs_shrink.h"
#include "capture/verbs/verbs_tuning.h"

#define SECOND INT64_C(1000000000)

TestSuite(verbs_parts, .timeout = HANG_SECONDS);

Test(verbs_parts, ports_rates_are_lanes_times_speed)
{
	/* IBTA vol. 1, 14.2.5.6: LinkWidthActive, LinkSpeedActive, LinkSpeedExtActive as libibverbs reports them */
	static const struct {
		uint8_t width, speed;
		unsigned gbps;
	} cases[] = {
		{ 1, 1, 2 }, { 2, 1, 10 }, { 2, 4, 40 }, { 1, 32, 25 }, { 2, 32, 100 }, { 2, 64, 200 }, { 2, 128, 400 }, { 16, 64, 100 },
		{ 4, 128, 800 }, { 8, 1, 30 }, { 2, 16, 56 }, { 0, 32, 0 }, { 2, 0, 0 }, { 3, 32, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_assert_eq(verbs_port_gbps(cases[i].width, cases[i].speed), cases[i].gbps, "%u lanes code, %u",
			     cases[i].width, cases[i].speed);
}

Test(verbs_parts, sizes_follow_from_limits_and_wishes)
{
	static const struct {
		const char *tuning;
		struct verbs_limits limits;
		struct verbs_sizes sizes;
	} cases[] = {
		/* 25 Gb/s for 2 ms in frames of 512 bytes are 12207, 16384 as a power of two: 25 MB of 1536 bytes */
		{ NULL, { 32768, 1 << 20, 4, 25, 1500, 0, 0, false, 0 }, { 1, 16384, 1024, 42, 16385, 1536, 1536, 1536, false } },
		/* 9000 bytes: half of 64 MB hold no more than 2048 */
		{ NULL, { 32768, 1 << 20, 4, 25, 9000, 0, 0, false, 0 }, { 1, 2048, 512, 14, 2049, 9088, 9088, 9088, false } },
		{ NULL, { 32768, 1 << 20, 4, 25, 0, 0, 0, false, 0 }, { 1, 2048, 512, 14, 2049, 9280, 9280, 9280, false } },
		/* 20 ms of 100 Gb/s are 250 MB, of 400 Gb/s more than 512 MiB; no more than may be locked, but for 64 MiB */
		{ NULL, { 32768, 1 << 20, 4, 100, 9000, 0, 0, false, 0 }, { 1, 8192, 1024, 26, 8193, 9088, 9088, 9088, false } },
		{ NULL, { 32768, 1 << 20, 4, 400, 9000, 0, 0, false, 0 }, { 1, 16384, 1024, 57, 16385, 9088, 9088, 9088, false } },
		{ NULL, { 32768, 1 << 20, 4, 400, 9000, 0, 0, false, 128 << 20 }, { 1, 4096, 1024, 14, 4097, 9088, 9088, 9088, false } },
		{ NULL, { 32768, 1 << 20, 4, 100, 9000, 0, 0, false, 1 << 20 }, { 1, 2048, 512, 14, 2049, 9088, 9088, 9088, false } },
		/* a device that has less, at 100 Gb/s: 250 MB */
		{ NULL, { 512, 512, 1, 100, 1500, 0, 0, false, 0 }, { 1, 512, 128, 1271, 512, 1536, 1536, 1536, false } },
		{ NULL, { 1000, 1 << 20, 1, 100, 1500, 0, 0, false, 0 }, { 1, 512, 128, 1271, 513, 1536, 1536, 1536, false } },
		/* a snap length keeps the rest away from memory, if a receive may have two parts */
		{ NULL, { 32768, 1 << 20, 2, 25, 9000, 0, 64, false, 0 }, { 1, 16384, 1024, 1024, 16385, 9088, 64, 64, true } },
		{ NULL, { 32768, 1 << 20, 2, 25, 9000, 0, 64, true, 0 }, { 1, 16384, 1024, 256, 16385, 9088, 256, 256, true } },
		{ NULL, { 32768, 1 << 20, 1, 25, 9000, 0, 64, false, 0 }, { 1, 2048, 512, 14, 2049, 9088, 9088, 9088, false } },
		{ NULL, { 32768, 1 << 20, 2, 25, 9000, 0, 20000, false, 0 }, { 1, 2048, 512, 14, 2049, 9088, 9088, 9088, false } },
		/* what is asked for */
		{ "depth=64,block=16,frame=64", { 32768, 1 << 20, 1, 25, 9000, 64 << 10, 0, false, 0 },
		  { 1, 64, 16, 64, 65, 64, 64, 64, false } },
		{ "depth=100,block=1024", { 32768, 1 << 20, 1, 25, 1500, 1 << 20, 0, false, 0 },
		  { 1, 96, 16, 42, 97, 1536, 1536, 1536, false } },
		{ "depth=4096,frame=2048,cqe=8000", { 32768, 1 << 20, 1, 25, 1500, 16 << 20, 0, false, 0 },
		  { 1, 4096, 1024, 8, 8000, 2048, 2048, 2048, false } },
		/* a depth alone bounds the memory: (128 + 4 x 32) x 9088 bytes */
		{ "depth=128", { 32768, 1 << 20, 1, 25, 9000, 0, 0, false, 0 }, { 1, 128, 32, 8, 129, 9088, 9088, 9088, false } },
		/* so does the memory alone */
		{ NULL, { 32768, 1 << 20, 1, 25, 9000, 4 << 20, 0, false, 0 }, { 1, 128, 32, 14, 129, 9088, 9088, 9088, false } },
		/* as many receives as the completion queue has entries */
		{ NULL, { 32768, 4096, 4, 100, 1500, 0, 0, false, 0 }, { 1, 4096, 1024, 158, 4096, 1536, 1536, 1536, false } },
		/* several queues share what one would have */
		{ "queues=4", { 32768, 1 << 20, 4, 25, 1500, 0, 0, false, 0 }, { 4, 4096, 1024, 42, 4097, 1536, 1536, 1536, false } },
		{ "queues=16,depth=4096", { 32768, 1 << 20, 4, 25, 1500, 256 << 20, 0, false, 0 },
		  { 16, 4096, 1024, 170, 4097, 1536, 1536, 1536, false } },
		/* smaller blocks, if some are left out */
		{ "depth=4096,shrink=1000", { 32768, 1 << 20, 1, 25, 1500, 16 << 20, 0, false, 0 },
		  { 1, 4096, 256, 42, 4097, 1536, 1536, 1536, false } },
		{ "ms=1", { 32768, 1 << 20, 1, 25, 1500, 0, 0, false, 0 }, { 1, 8192, 1024, 42, 8193, 1536, 1536, 1536, false } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct verbs_tuning tuning;
		struct verbs_sizes sizes;
		struct rtap_error error;

		cr_assert_eq(verbs_tuning_parse(&tuning, cases[i].tuning, &error), RTAP_STATUS_OK, "%s", error.text);
		cr_assert_eq(verbs_sizes_derive(&sizes, &tuning, &cases[i].limits, &error), RTAP_STATUS_OK, "%zu: %s", i, error.text);
		cr_assert(!memcmp(&sizes, &cases[i].sizes, sizeof sizes),
			  "%zu: depth %u, block %u, blocks %u, entries %u, frame %u, slot %u, stride %u", i,
			  sizes.depth, sizes.block, sizes.blocks,
			  sizes.cq_entries, sizes.frame_bytes, sizes.slot_bytes, sizes.stride);
	}
}

Test(verbs_parts, more_memory_than_allowed_is_rejected_with_advice)
{
	static const struct {
		const char *tuning;
		uint64_t buffer_bytes;
		const char *says;
	} cases[] = {
		{ "depth=4096,frame=65536", 64 << 20, "4096 receives of 65536 bytes, with spare ones, need 524288 KB, and --buffer-size is 65536 KB "
		  "(--buffer-size 524288K, or a smaller --verbs depth=N or frame=N" },
		{ "depth=4096", 1 << 20, "--buffer-size is 1024 KB" },
		{ "queues=16,depth=4096", 64 << 20, "16 queues of 4096" },
		{ NULL, 65536, "--buffer-size is 64 KB" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct verbs_limits limits = { 32768, 1 << 20, 4, 25, 1500, cases[i].buffer_bytes, 0, false, 0 };
		struct verbs_tuning tuning;
		struct verbs_sizes sizes;
		struct rtap_error error;

		cr_assert_eq(verbs_tuning_parse(&tuning, cases[i].tuning, &error), RTAP_STATUS_OK, "%s", error.text);
		cr_assert_eq(verbs_sizes_derive(&sizes, &tuning, &limits, &error), RTAP_STATUS_FAILED, "%zu", i);
		cr_expect(strstr(error.text, cases[i].says), "%s", error.text);
	}
}

Test(verbs_parts, blocks_come_back_when_the_last_borrower_is_done)
{
	struct verbs_sizes sizes = { .depth = 4, .block = 4, .blocks = 3, .cq_entries = 5, .frame_bytes = 128,
				     .slot_bytes = 64, .stride = 64, .split = true };
	struct verbs_ring *ring = verbs_ring_create(&sizes, true, 0);
	struct verbs_block *blocks[4];

	cr_assert(ring);
	for (int i = 0; i < 3; i++)
		blocks[i] = verbs_block_take(ring);
	cr_assert_null(verbs_block_take(ring));
	cr_assert_eq(blocks[1]->memory, blocks[0]->memory + 4 * 64);
	for (uint32_t i = 0; i < 4; i++) {
		const struct ibv_recv_wr *request = &blocks[1]->requests[i];

		cr_assert_eq(request->wr_id, 4 + i);
		cr_assert_eq(request->num_sge, 2);
		cr_assert_eq(request->sg_list[0].addr, (uintptr_t)(blocks[1]->memory + (size_t)i * 64));
		cr_assert_eq(request->sg_list[0].length, 64);
		/* the discarded rest of all frames goes to one place */
		cr_assert_eq(request->sg_list[1].addr, (uintptr_t)(blocks[0]->memory + 12 * 64));
		cr_assert_eq(request->sg_list[1].length, 64);
		cr_assert_eq(request->next, i < 3 ? &blocks[1]->requests[i + 1] : NULL);
	}
	verbs_block_hold(blocks[1]);
	verbs_block_release(blocks[1]);
	cr_assert_null(verbs_block_take(ring));
	verbs_ring_release(ring); /* blocks are still borrowed */
	blocks[1]->memory[0] = 1;
	blocks[1]->borrowed.give_back(&blocks[1]->borrowed);
	cr_assert_eq(verbs_block_take(ring), blocks[1]);
	for (int i = 0; i < 3; i++)
		verbs_block_release(blocks[i]);
}

/* As in /sys/devices/system/cpu/cpu0/cache of a processor with three levels. */
Test(verbs_parts, the_cache_is_the_largest)
{
	static const char *const sizes[] = { "32K\n", "32K\n", "1024K\n", "36M\n" };
	char folder[64], name[128];

	snprintf(folder, sizeof folder, "test_verbs_cache.%ld", (long)getpid());
	cr_assert_eq(verbs_cache_bytes(folder), 0);
	cr_assert_eq(mkdir(folder, 0777), 0);
	for (int i = 0; i < 4; i++) {
		FILE *file;

		snprintf(name, sizeof name, "%s/index%d", folder, i);
		cr_assert_eq(mkdir(name, 0777), 0);
		strcat(name, "/size");
		file = fopen(name, "w");
		cr_assert(file);
		fputs(sizes[i], file);
		fclose(file);
		cr_expect_eq(verbs_cache_bytes(folder), (i < 2 ? 32 : i < 3 ? 1024 : 36864) << 10, "%d", i);
	}
	for (int i = 3; i >= 0; i--) {
		snprintf(name, sizeof name, "%s/index%d/size", folder, i);
		remove(name);
		*strrchr(name, '/') = 0;
		remove(name);
	}
	cr_assert_eq(remove(folder), 0);
}

/* 4096 receives in blocks of 256; the latest frames had 1024 bytes. The cache has 4 MB, of which a quarter holds 1024 of them. */
Test(verbs_parts, receives_are_left_out_down_to_the_part_of_the_cache)
{
	static const struct {
		uint64_t cache_bytes, peak;
		uint32_t least, queues, left;
	} cases[] = {
		{ 4 << 20, 100, 0, 1, 1024 }, { 4 << 20, 200, 0, 1, 1792 }, { 4 << 20, 600, 0, 1, 4096 }, { 8 << 20, 0, 0, 1, 2048 },
		{ 8 << 20, 0, 0, 2, 1024 }, { 4 << 20, 0, 2000, 1, 2048 }, { 1 << 20, 0, 0, 1, 1024 }, { 0, 0, 0, 1, 4096 }, { 0, 0, 64, 1, 1024 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct verbs verbs = { .tuning = { .least = cases[i].least }, .cache_bytes = cases[i].cache_bytes,
				       .sizes = { .queues = cases[i].queues, .depth = 4096, .block = 256, .stride = 1536 } };
		struct verbs_queue queue = { .posted_count = 16 };

		verbs_shrink_begin(&queue.shrinking, 1);
		queue.shrinking.frame_bytes = 1000;
		verbs_shrink_note(&queue.shrinking, 4096, (unsigned)cases[i].peak, true);
		cr_expect_not(verbs_shrink_leaves(&verbs, &queue), "%zu: at once", i);
		queue.shrinking.burst_ns -= SECOND;
		while (verbs_shrink_leaves(&verbs, &queue))
			queue.posted_count--;
		cr_expect_eq(queue.posted_count * 256, cases[i].left, "%zu: %u", i, queue.posted_count * 256);
		/* more than a quarter of them, of which one poll found only a part */
		verbs_shrink_note(&queue.shrinking, 1024, 200, false);
		cr_expect_not(queue.shrinking.grows, "%zu", i);
		verbs_shrink_note(&queue.shrinking, 1024, 57, true);
		cr_expect(queue.shrinking.grows, "%zu", i);
	}
}

/* A device whose clock runs `ppm` fast, counting with `bits` bits from `start`. */
static uint64_t device_ticks(int64_t since_ns, double khz, double ppm, uint64_t start, uint64_t mask)
{
	return (start + (uint64_t)((double)since_ns * khz / 1e6 * (1 + ppm / 1e6))) & mask;
}

Test(verbs_parts, device_time_becomes_wall_clock_time)
{
	static const struct {
		double khz, ppm;
		uint64_t start, mask;
	} cases[] = {
		{ 156250, 0, 0, (UINT64_C(1) << 48) - 1 },
		{ 156250, 50, 12345, (UINT64_C(1) << 48) - 1 },
		{ 1000000, -80, UINT64_MAX - 5, UINT64_MAX },
		{ 1000000, 30, 0xfffffff0, 0xffffffff },
		{ 78125, 0, (UINT64_C(1) << 40) - 100, (UINT64_C(1) << 40) - 1 },
	};
	const int64_t begin = 1700000000 * SECOND;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct verbs_clock clock;

		verbs_clock_init(&clock, cases[i].mask, (uint64_t)cases[i].khz);
		for (int64_t second = 0; second < 20; second++) {
			verbs_clock_read(&clock, device_ticks(second * SECOND, cases[i].khz, cases[i].ppm, cases[i].start, cases[i].mask),
					 begin + second * SECOND);
			/* frames stamped up to a second before and after; the rate is known from the second reading on */
			for (int64_t off = second ? -SECOND / 2 : 0; off <= SECOND; off += SECOND / 4) {
				int64_t at = second * SECOND + off, reported;

				reported = verbs_clock_to_ns(&clock, device_ticks(at, cases[i].khz, cases[i].ppm,
									      cases[i].start, cases[i].mask));
				cr_assert_leq(llabs(reported - begin - at), second ? 100 : 100000, "%zu: second %ld: off by %ld ns", i, second,
					      reported - begin - at);
			}
		}
	}
}

Test(verbs_parts, a_wall_clock_that_is_set_does_not_bend_the_devices_rate)
{
	const int64_t begin = 1700000000 * SECOND, jump = 3600 * SECOND;
	struct verbs_clock clock;

	verbs_clock_init(&clock, UINT64_MAX, 1000000);
	verbs_clock_read(&clock, 0, begin);
	verbs_clock_read(&clock, (uint64_t)SECOND, begin + SECOND);
	verbs_clock_read(&clock, 2 * (uint64_t)SECOND, begin + 2 * SECOND + jump);
	cr_assert_eq(verbs_clock_to_ns(&clock, 3 * (uint64_t)SECOND), begin + 3 * SECOND + jump);
}

Test(verbs_parts, a_clock_without_a_rate_is_none)
{
	struct verbs_clock clock;

	verbs_clock_init(&clock, UINT64_MAX, 0);
	cr_assert_eq(clock.mask, 0);
}

/* The bytes of a spec as infiniband/verbs.h lays them out. */
Test(verbs_parts, rules_become_specs_in_network_order)
{
	union {
		struct ibv_flow_attr attr;
		uint8_t bytes[VERBS_FLOW_BYTES];
	} encoded = { .attr = { .port = 1 } };
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_ipv4_ext ipv4;
	struct ibv_flow_spec_tcp_udp udp;
	struct ibv_flow_spec_tunnel vxlan;
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 1 }, vni[] = { 0, 1, 2, 3 }, port[] = { 0x12, 0xb7 };
	const uint8_t *at = encoded.bytes + sizeof encoded.attr;
	struct flow_rule rule;
	struct rtap_error error;

	cr_assert_eq(flow_rule_parse(&rule, "eth src=02:00:00:00:00:01 ipv4 flags=1 vxlan vni=0x010203 udp dst=4791",
				     &error), RTAP_STATUS_OK, "%s",
		     error.text);
	cr_assert(verbs_flow_encode(&rule, &encoded.attr));
	cr_assert_eq(encoded.attr.num_of_specs, 5); /* VXLAN brings UDP with it */
	cr_assert_eq(encoded.attr.size, sizeof encoded.attr + sizeof eth + sizeof ipv4 + sizeof udp + sizeof vxlan + sizeof udp);
	memcpy(&eth, at, sizeof eth);
	cr_assert_eq(eth.type, IBV_FLOW_SPEC_ETH);
	cr_assert_eq(eth.size, sizeof eth);
	cr_assert(!memcmp(eth.val.src_mac, mac, 6));
	cr_assert_eq(eth.mask.ether_type, 0);
	memcpy(&ipv4, at + sizeof eth, sizeof ipv4);
	cr_assert_eq(ipv4.type, IBV_FLOW_SPEC_IPV4_EXT);
	cr_assert_eq(ipv4.val.flags, 4); /* the kernel's IB_IPV4_MORE_FRAG */
	cr_assert_eq(ipv4.mask.flags, 7);
	cr_assert_eq(ipv4.mask.src_ip, 0);
	memcpy(&vxlan, at + sizeof eth + sizeof ipv4 + sizeof udp, sizeof vxlan);
	cr_assert_eq(vxlan.type, IBV_FLOW_SPEC_VXLAN_TUNNEL);
	cr_assert(!memcmp(&vxlan.val.tunnel_id, vni, 4));
	memcpy(&udp, at + sizeof eth + sizeof ipv4 + sizeof udp + sizeof vxlan, sizeof udp);
	cr_assert_eq(udp.type, IBV_FLOW_SPEC_UDP | IBV_FLOW_SPEC_INNER);
	cr_assert(!memcmp(&udp.val.dst_port, port, 2));
	cr_assert_eq(udp.mask.dst_port, 0xffff);
	cr_assert_eq(udp.mask.src_port, 0);
}
