/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/engine/protocol.h"
#include "dissect/infiniband/ib.h"
#include "dissect/management/cm.h"
#include "output/packet/colour.h"

bool colour_parse(const char *argument, enum colour_when *when)
{
	static const char *const names[] = { [COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never" };

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(argument, names[i])) {
			*when = (enum colour_when)i;
			return true;
		}
	}
	return false;
}

bool colour_is_wanted(enum colour_when when, bool is_terminal)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return is_terminal && !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb");
}

enum colour colour_of_packet(const struct rtap_packet *packet)
{
	const struct rtap_ib_facts *ib = &packet->ib;

	if (packet->anomalies_found || (ib->has_aeth && ib->aeth_kind != RTAP_AETH_ACK) || packet->mpa.rejected || packet->cm.attribute == CM_REJ)
		return COLOUR_ERROR;
	if (ib->has_bth && ib_opcodes[ib->opcode].class == IB_CONGESTION)
		return COLOUR_CONGESTION;
	if (packet->flow.analysis > RTAP_PSN_IN_ORDER && packet->flow.analysis != RTAP_PSN_CAPTURED_TWICE)
		return COLOUR_LOSS;
	switch ((enum rtap_tcp_analysis)packet->flow.tcp_analysis) {
	case RTAP_TCP_GAP:
	case RTAP_TCP_OUT_OF_ORDER:
	case RTAP_TCP_RETRANSMISSION:
	case RTAP_TCP_OVERLAP:
	case RTAP_TCP_WINDOW_PROBE:
		return COLOUR_LOSS;
	default:
		return COLOUR_NONE;
	}
}

void colour_begin(enum colour colour, struct line *line)
{
	static const char *const begins[] = { [COLOUR_ERROR] = "\033[31m", [COLOUR_LOSS] = "\033[33m", [COLOUR_CONGESTION] = "\033[35m" };

	if (colour != COLOUR_NONE)
		line_text(line, begins[colour]);
}

void colour_end(enum colour colour, struct line *line)
{
	bool has_newline = !line->cut && line->next[-1] == '\n';

	if (colour == COLOUR_NONE)
		return;
	if (has_newline)
		line->next--;
	line_text(line, "\033[0m");
	if (has_newline)
		line_char(line, '\n');
}
