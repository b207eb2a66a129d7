/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <rdmatap/packet.h>
#include <rdmatap/visitor.h>
#include <rdmatap/filter.h>
#include <rdmatap/source.h>
#include <rdmatap/writer.h>

const char *rtap_anomaly_name(enum rtap_anomaly_code code)
{
	static const char *const names[] = {
#define NAME(identifier, name, meaning) name,
		RTAP_ANOMALIES(NAME)
#undef NAME
	};

	return names[code];
}

const char *rtap_anomaly_meaning(enum rtap_anomaly_code code)
{
	static const char *const meanings[] = {
#define MEANING(identifier, name, meaning) meaning,
		RTAP_ANOMALIES(MEANING)
#undef MEANING
	};

	return meanings[code];
}
