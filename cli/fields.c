/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap fields: lists the fields for filters and output.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fields.h"
#include "cli/print_error.h"

static void print_field(const struct rtap_field *field, const struct rtap_protocol *protocol)
{
	printf("%s\t%s\t%s%s\t%s\t%s\n", field->name, rtap_field_type(field), rtap_field_json_type(field),
	       field->flags & RTAP_REPEATS ? " array" : "", field->label, field->section ? field->section : protocol->section);
}

int command_fields(int argc, char **argv)
{
	const char *prefix = argc > 1 ? argv[1] : "";
	bool found = false;

	if (argc > 2) {
		print_error("fields: takes one PREFIX at the most, such as infiniband.bth");
		return EXIT_ERROR;
	}
	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);

		if (strncmp(field->name, prefix, strlen(prefix)))
			continue;
		print_field(field, rtap_protocol_by_number(rtap_field_protocol((rtap_field_id)id)));
		found = true;
	}
	if (!found) {
		print_error("fields: none begins with %s", prefix);
		return EXIT_ERROR;
	}
	return EXIT_DONE;
}
