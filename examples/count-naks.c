/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the NAKs in captures, by their codes, and the RNR NAKs: packets, fields by id, names of values.
 *
 *	cc count-naks.c $(pkg-config --cflags --libs rdmatap) -o count-naks
 *	./count-naks FILE...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rdmatap/rdmatap.h>

#define SYNDROME_RNR 1 /* IBTA vol. 1, 9.7.5.2.2: the kinds of syndromes */
#define SYNDROME_NAK 3
#define CODES 32

struct counts {
	unsigned long naks[CODES], rnr;
};

static void count(struct counts *counts, const struct rtap_packet *packet, rtap_field_id kind, rtap_field_id code)
{
	uint64_t number;

	if (!rtap_packet_number(packet, kind, &number))
		return;
	if (number == SYNDROME_RNR)
		counts->rnr++;
	else if (number == SYNDROME_NAK && rtap_packet_number(packet, code, &number) && number < CODES)
		counts->naks[number]++;
}

static void print(const struct counts *counts, rtap_field_id code)
{
	const struct rtap_field *field = rtap_field_by_id(code);

	for (unsigned i = 0; i < CODES; i++) {
		const char *name = rtap_name_of(field->names, i);

		if (counts->naks[i])
			printf("%lu NAK %u (%s)\n", counts->naks[i], i, name ? name : "reserved");
	}
	printf("%lu RNR NAK\n", counts->rnr);
}

int main(int argc, char **argv)
{
	struct rtap_source *source = NULL;
	struct rtap_packet *packet = NULL;
	const struct rtap_frame *frame;
	struct counts counts = { { 0 }, 0 };
	enum rtap_status status;
	struct rtap_error error;
	rtap_field_id kind, code;
	int result = EXIT_FAILURE;

	if (argc < 2) {
		fprintf(stderr, "usage: count-naks FILE...\n");
		return EXIT_FAILURE;
	}
	if (!rtap_field_find("infiniband.aeth.syndrome.opcode", &kind, 1) ||
	    !rtap_field_find("infiniband.aeth.syndrome.error_code", &code, 1))
		return EXIT_FAILURE;
	status = rtap_packet_open(&packet, NULL, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_source_open_files(&source, (const char *const *)argv + 1, (size_t)argc - 1, &error);
	if (status == RTAP_STATUS_OK)
		status = rtap_source_read_frame(source, &frame, &error);
	while (status == RTAP_STATUS_OK) {
		rtap_dissect(packet, frame);
		count(&counts, packet, kind, code);
		status = rtap_source_read_frame(source, &frame, &error);
	}
	if (status == RTAP_STATUS_END) {
		print(&counts, code);
		result = EXIT_SUCCESS;
	} else {
		fprintf(stderr, "count-naks: %s\n", error.text);
	}
	rtap_packet_close(packet);
	rtap_source_close(source);
	return result;
}
