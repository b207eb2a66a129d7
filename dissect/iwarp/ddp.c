/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DDP's headers, tagged and untagged, as fields. RFC 5041, section 4.
 */
#include "config.h"

#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/iwarp_walk.h"

enum row {
	ROW_TAGGED, ROW_LAST, ROW_RESERVED, ROW_VERSION, ROW_RESERVED_ULP, ROW_STAG, ROW_TAGGED_OFFSET, ROW_QN, ROW_MSN, ROW_MO,
};

#define UNIT RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL

static const struct rtap_field ddp_fields[] = {
	[ROW_TAGGED] = { "iwarp_ddp.tagged_flag", "Tagged", 0, 1, RTAP_BOOL, UNIT, "RFC 5041, 4.1" },
	[ROW_LAST] = { "iwarp_ddp.last_flag", "Last", 0, 1, RTAP_BOOL, UNIT, "RFC 5041, 4.1" },
	[ROW_RESERVED] = { "iwarp_ddp.rsvd", "Reserved", 0, 4, RTAP_HEX, UNIT, "RFC 5041, 4.1" },
	[ROW_VERSION] = { "iwarp_ddp.dv", "Version", 0, 2, RTAP_DEC, UNIT, "RFC 5041, 4.1" },
	[ROW_RESERVED_ULP] = { "iwarp_ddp.rsvdulp", "Reserved for the Upper Layer", 0, 40, RTAP_BYTES, UNIT, "RFC 5041, 4.3" },
	[ROW_STAG] = { "iwarp_ddp.stag", "Steering Tag", 0, 32, RTAP_HEX, RTAP_IS_STAG | UNIT, "RFC 5041, 4.2" },
	[ROW_TAGGED_OFFSET] = { "iwarp_ddp.tagged_offset", "Tagged Offset", 0, 64, RTAP_HEX, RTAP_IS_ADDRESS | UNIT, "RFC 5041, 4.2" },
	[ROW_QN] = { "iwarp_ddp.qn", "Queue Number", 0, 32, RTAP_DEC, UNIT, "RFC 5041, 4.3" },
	[ROW_MSN] = { "iwarp_ddp.msn", "Message Sequence Number", 0, 32, RTAP_DEC, RTAP_COMPARED | UNIT, "RFC 5041, 4.3" },
	[ROW_MO] = { "iwarp_ddp.mo", "Message Offset", 0, 32, RTAP_DEC, UNIT, "RFC 5041, 4.3" },
};

static void report(struct iwarp_unit *unit)
{
	const struct rtap_iwarp_facts *facts = &unit->facts;

	if (unit->head_length < 2)
		return;
	iwarp_show(unit, ROW_TAGGED, facts->tagged, 0, 1);
	iwarp_show(unit, ROW_LAST, facts->last, 0, 1);
	iwarp_show(unit, ROW_RESERVED, facts->ddp_reserved, 0, 1);
	iwarp_show(unit, ROW_VERSION, facts->ddp_version, 0, 1);
	if (facts->tagged && unit->head_length >= DDP_TAGGED_LENGTH) {
		iwarp_show(unit, ROW_STAG, facts->stag, 2, 4);
		iwarp_show(unit, ROW_TAGGED_OFFSET, facts->tagged_offset, 6, 8);
	}
	if (!facts->tagged && unit->head_length >= DDP_UNTAGGED_LENGTH) {
		iwarp_show_bytes(unit, ROW_RESERVED_ULP, 1, 5);
		iwarp_show(unit, ROW_QN, facts->qn, 6, 4);
		iwarp_show(unit, ROW_MSN, facts->msn, 10, 4);
		iwarp_show(unit, ROW_MO, facts->mo, 14, 4);
	}
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	iwarp_visit_units(packet, layer, visitor, report);
}

const struct protocol ddp_protocol = {
	.table = { "iwarp_ddp", "Direct Data Placement", "RFC 5041, section 4", 0, FIELDS(ddp_fields) },
	.visit = visit,
};
