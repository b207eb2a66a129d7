/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocols by their numbers, and the numbers of their fields.
 */
#include "config.h"

#include "dissect/engine/protocol.h"

const struct protocol *protocols[PROTOCOL_COUNT];
rtap_field_id protocol_first_ids[PROTOCOL_COUNT + 1];
uint16_t protocol_row_counts[PROTOCOL_COUNT];

static uint16_t count_rows_with_values(const struct rtap_protocol *table)
{
	size_t count = table->field_count;

	while (count && table->fields[count - 1].flags & RTAP_UNPLACED && !table->fields[count - 1].derive)
		count--;
	return (uint16_t)count;
}

void protocol_register(const struct protocol *const all[PROTOCOL_COUNT])
{
	for (uint16_t i = 0; i < PROTOCOL_COUNT; i++) {
		protocols[i] = all[i];
		protocol_row_counts[i] = count_rows_with_values(&all[i]->table);
		protocol_first_ids[i + 1] = (rtap_field_id)(protocol_first_ids[i] + all[i]->table.field_count);
	}
}
