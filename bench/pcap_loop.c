/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Captures N packets by libpcap on a device of its own, counting them or writing them to a file. For measuring its module rdmasniff. */
#include "config.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct loop {
	pcap_t *capture;
	pcap_dumper_t *file; /* NULL: packets are only counted */
	uint64_t wanted, packets;
};

static void take(u_char *owner, const struct pcap_pkthdr *header, const u_char *bytes)
{
	struct loop *loop = (struct loop *)(void *)owner;

	if (loop->file)
		pcap_dump((u_char *)loop->file, header, bytes);
	if (++loop->packets == loop->wanted)
		pcap_breakloop(loop->capture);
}

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "pcap_loop: %s: %s\n", what, why);
	return 2;
}

int main(int argc, char **argv)
{
	struct loop loop = { .wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 0 };
	char text[PCAP_ERRBUF_SIZE];

	if (argc < 4 || argc > 5 || !loop.wanted) {
		fprintf(stderr, "usage: pcap_loop DEVICE PACKETS SNAPLEN [FILE]\n");
		return 2;
	}
	loop.capture = pcap_create(argv[1], text);
	if (!loop.capture)
		return fail(argv[1], text);
	if (pcap_set_snaplen(loop.capture, atoi(argv[3])) || pcap_activate(loop.capture) < 0)
		return fail(argv[1], pcap_geterr(loop.capture));
	if (argc == 5 && !(loop.file = pcap_dump_open(loop.capture, argv[4])))
		return fail(argv[4], pcap_geterr(loop.capture));
	if (pcap_loop(loop.capture, -1, take, (u_char *)&loop) == PCAP_ERROR)
		return fail(argv[1], pcap_geterr(loop.capture));
	if (loop.file)
		pcap_dump_close(loop.file);
	pcap_close(loop.capture);
	printf("%" PRIu64 " packets\n", loop.packets);
	return 0;
}
