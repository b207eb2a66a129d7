/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/packet/first_ids.h"

struct named {
	const char *name;
	rtap_field_id id;
};

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

/* Looking each name up in all tables would take longer than a small capture. */
rtap_field_id *first_ids_create(void)
{
	size_t count = rtap_field_count();
	struct named *fields = malloc(count * sizeof *fields);
	rtap_field_id *first = malloc(count * sizeof *first);

	if (!fields || !first) {
		free(first);
		first = NULL;
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		fields[i] = (struct named){ rtap_field_by_id((rtap_field_id)i)->name, (rtap_field_id)i };
	qsort(fields, count, sizeof *fields, by_name);
	for (size_t i = 0; i < count; i++)
		first[fields[i].id] = i && !strcmp(fields[i].name, fields[i - 1].name) ? first[fields[i - 1].id] : fields[i].id;
out:
	free(fields);
	return first;
}
