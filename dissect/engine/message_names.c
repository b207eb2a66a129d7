/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <rdmatap/message.h>
#include <rdmatap/operation.h>

static const char *name_at(const char *const *names, size_t count, size_t index)
{
	return index < count ? names[index] : "unknown";
}

#define NAME(identifier, name) name,
#define NAMES(function, type, LIST) \
	const char *function(type value) \
	{ \
		static const char *const names[] = { LIST(NAME) }; \
\
		return name_at(names, sizeof names / sizeof *names, value); \
	}

NAMES(rtap_message_kind_name, enum rtap_message_kind, RTAP_MESSAGE_KINDS)
NAMES(rtap_verb_name, enum rtap_verb, RTAP_VERBS)
NAMES(rtap_outcome_name, enum rtap_outcome, RTAP_OUTCOMES)
NAMES(rtap_missing_reason_name, enum rtap_missing_reason, RTAP_MISSING_REASONS)
NAMES(rtap_connection_anomaly_name, enum rtap_connection_anomaly, RTAP_CONNECTION_ANOMALIES)
NAMES(rtap_carried_name, enum rtap_carried, RTAP_CARRIERS)
NAMES(rtap_operation_part_name, enum rtap_operation_part, RTAP_OPERATION_PARTS)

const char *rtap_transport_name(enum rtap_transport transport)
{
	static const char *const names[] = { "RC", "UC", "UD", "XRC", "iwarp", "TCP", "UDP" };

	return name_at(names, sizeof names / sizeof *names, transport);
}
