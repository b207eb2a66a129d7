/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings for programs that use the library: rdmatap/stats.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <rdmatap/stats.h>

#include "base/struct_size.h"
#include "dissect/engine/line.h"
#include "output/stats/findings.h"
#include "output/stats/finding_text.h"

#define TEXT_ROOM 1024

struct rtap_findings {
	struct findings found;
	char (*texts)[TEXT_ROOM];
};

_Static_assert((int)RTAP_SEVERITY_ERROR == (int)FINDING_ERROR && (int)RTAP_SEVERITY_WARNING == (int)FINDING_WARNING &&
	       (int)RTAP_SEVERITY_NOTE == (int)FINDING_NOTE, "severities are weights");

enum rtap_status rtap_findings_open(struct rtap_findings **findings, const struct rtap_stats *stats, struct rtap_error *error)
{
	const struct stats *counts = (const struct stats *)stats;
	struct rtap_findings *opened = calloc(1, sizeof *opened);

	*findings = NULL;
	if (opened) {
		findings_gather(&opened->found, counts);
		opened->texts = calloc(opened->found.count + 1, sizeof *opened->texts);
	}
	if (!opened || !opened->texts) {
		rtap_findings_close(opened);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	for (unsigned i = 0; i < opened->found.count; i++) {
		struct line line;

		line_init(&line, opened->texts[i], TEXT_ROOM - 1);
		finding_text(counts, &opened->found.list[i], &(struct finding_style){ .form = CLOCK_ABSOLUTE }, &line);
		*line.next = 0;
	}
	*findings = opened;
	return RTAP_STATUS_OK;
}

void rtap_findings_close(struct rtap_findings *findings)
{
	if (!findings)
		return;
	free(findings->texts);
	free(findings);
}

uint64_t rtap_findings_total(const struct rtap_findings *findings)
{
	return findings->found.found;
}

bool rtap_findings_get(const struct rtap_findings *findings, size_t index, struct rtap_finding *finding, size_t size)
{
	const struct finding *found;
	struct rtap_finding filled;

	memset(finding, 0, size);
	if (index >= findings->found.count)
		return false;
	found = &findings->found.list[index];
	filled = (struct rtap_finding){
		.rule = found->rule->name,
		.text = findings->texts[index],
		.severity = (enum rtap_severity)found->rule->weight,
		.connection = found->connection,
		.has_direction = found->direction >= 0,
		.from_a = found->direction == 0,
		.count = found->count,
		.of = found->of,
		.time_lost_ns = finding_time_lost(found),
		.first_frame = found->first_frame,
		.last_frame = found->last_frame,
	};
	struct_size_give(finding, size, &filled, sizeof filled);
	return true;
}

const char *rtap_severity_name(enum rtap_severity severity)
{
	return (unsigned)severity <= RTAP_SEVERITY_NOTE ? finding_weight_name((enum finding_weight)severity) : "unknown";
}
