/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/packet/first_ids.h"

rtap_field_id *first_ids_create(void)
{
	size_t count = rtap_field_count();
	rtap_field_id *first = malloc(count * sizeof *first);

	for (size_t i = 0; first && i < count; i++)
		rtap_field_find(rtap_field_by_id((rtap_field_id)i)->name, &first[i], 1);
	return first;
}
