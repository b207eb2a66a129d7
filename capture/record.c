/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "capture/record.h"

bool record_name_is_pcapng(const char *name, bool *compressed)
{
	static const char gz[] = ".gz", pcapng[] = ".pcapng";
	size_t length = strlen(name);

	*compressed = length >= sizeof gz - 1 && !strcmp(name + length - (sizeof gz - 1), gz);
	if (*compressed)
		length -= sizeof gz - 1;
	return length >= sizeof pcapng - 1 && !memcmp(name + length - (sizeof pcapng - 1), pcapng, sizeof pcapng - 1);
}

enum record_form record_form_of(const char *name)
{
	bool compressed;

	return record_name_is_pcapng(name, &compressed) ? RECORD_PCAPNG : RECORD_PCAP;
}
