/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The least that a reader of captures can do with libpcap: look at the first byte of every frame. A yardstick. */
#include "config.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char text[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const u_char *bytes;
	uint64_t frames = 0;
	unsigned sum = 0;
	pcap_t *capture;
	int result;

	if (argc != 2) {
		fprintf(stderr, "usage: read_loop FILE\n");
		return 2;
	}
	capture = pcap_open_offline(argv[1], text);
	if (!capture) {
		fprintf(stderr, "read_loop: %s\n", text);
		return 2;
	}
	while ((result = pcap_next_ex(capture, &header, &bytes)) == 1) {
		frames++;
		if (header->caplen)
			sum += bytes[0];
	}
	if (result == PCAP_ERROR)
		fprintf(stderr, "read_loop: %s\n", pcap_geterr(capture));
	pcap_close(capture);
	printf("%" PRIu64 " frames, sum %u\n", frames, sum);
	return result == PCAP_ERROR ? 2 : 0;
}
