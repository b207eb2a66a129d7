/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A user of the library: only its public headers and its shared object. Fails if a public function is not exported.
 */
#include <stdio.h>

#include <rdmatap/filter.h>
#include <rdmatap/source.h>
#include <rdmatap/visitor.h>

static unsigned long count_matches(struct rtap_source *source, const struct rtap_filter *filter)
{
	struct rtap_batch *batch;
	struct rtap_error error;
	unsigned long matches = 0;

	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count; i++) {
			struct rtap_packet packet;

			rtap_dissect(&batch->frames[i], NULL, &packet);
			matches += rtap_filter_match(filter, &packet);
		}
		rtap_batch_release(batch);
	}
	return matches;
}

int main(void)
{
	const char *name = TESTDATA "/roce-rping-v4.pcap";
	struct rtap_filter *filter = NULL;
	struct rtap_source *source = NULL;
	struct rtap_error error;
	unsigned long acknowledgements = 0;

	if (rtap_filter_compile(&filter, "infiniband.bth.opcode == \"RC Acknowledge\"", NULL, &error) != RTAP_STATUS_OK ||
	    rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		fprintf(stderr, "%s\n", error.text);
	else
		acknowledgements = count_matches(source, filter);
	rtap_source_close(source);
	rtap_filter_destroy(filter);
	printf("%lu acknowledgements\n", acknowledgements);
	return acknowledgements == 40 ? 0 : 1;
}
