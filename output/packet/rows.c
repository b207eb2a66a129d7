/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/packet/rows.h"

_Static_assert(ROW_WAYS == 4, "rows_find() takes two bits of the hash");

bool rows_init(struct rows *rows)
{
	rows->fields = calloc(rtap_field_count(), sizeof *rows->fields);
	rows->misses = calloc(rtap_field_count(), 1);
	return rows->fields && rows->misses;
}

void rows_fini(struct rows *rows)
{
	free(rows->fields);
	free(rows->misses);
}

void rows_keep(const struct rows *rows, rtap_field_id id, struct row *row, const struct row_key *key, const char *start,
	       const struct line *line)
{
	size_t length = (size_t)(line->next - start);

	rows->misses[id]++;
	if (line->cut || length > ROW_TEXT)
		return;
	row->key = *key;
	row->length = (uint16_t)length;
	memcpy(row->text, start, length);
}
