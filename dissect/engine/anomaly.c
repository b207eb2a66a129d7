/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/anomaly.h"

void packet_anomaly(struct rtap_packet *packet, enum rtap_anomaly_code code, uint8_t layer, uint32_t offset)
{
	packet->anomalies_found++;
	if (packet->anomaly_count < RTAP_MAX_ANOMALIES)
		packet->anomalies[packet->anomaly_count++] = (struct rtap_anomaly){ (uint8_t)code, layer, offset };
}

const char *rtap_anomaly_name(enum rtap_anomaly_code code)
{
	static const char *const names[] = {
#define NAME(identifier, name, meaning) name,
		RTAP_ANOMALIES(NAME)
#undef NAME
	};

	return (unsigned)code < RTAP_ANOMALY_CODES ? names[code] : "unknown";
}

const char *rtap_anomaly_meaning(enum rtap_anomaly_code code)
{
	static const char *const meanings[] = {
#define MEANING(identifier, name, meaning) meaning,
		RTAP_ANOMALIES(MEANING)
#undef MEANING
	};

	return (unsigned)code < RTAP_ANOMALY_CODES ? meanings[code] : "unknown";
}
