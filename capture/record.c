/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "capture/record.h"

bool record_name_is_pcapng(const char *name, enum compression *compression)
{
	static const char pcapng[] = ".pcapng";
	size_t length;

	*compression = compression_of_name(name, &length);
	return length >= sizeof pcapng - 1 && !memcmp(name + length - (sizeof pcapng - 1), pcapng, sizeof pcapng - 1);
}

enum record_form record_form_of(const char *name)
{
	enum compression compression;

	return record_name_is_pcapng(name, &compression) ? RECORD_PCAPNG : RECORD_PCAP;
}
