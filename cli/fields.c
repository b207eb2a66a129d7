/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap fields: lists the fields for filters and output.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/column_options.h"
#include "cli/fields.h"
#include "cli/foreign_options.h"
#include "cli/print_error.h"
#include "output/message/record_filter.h"
#include "output/packet/object.h"
#include "output/packet/printer.h"

enum { OPTION_JSON = 256 };

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

static const char letters[] = ":T:e:";

const char *fields_letters(const struct option **options)
{
	*options = long_options;
	return letters;
}

/* A field to write. */
struct listed {
	const struct rtap_field *field;
	const char *section, *type, *json_type;
};

static void write_text(const void *what, struct line *line)
{
	const struct listed *listed = what;
	const struct rtap_field *field = listed->field;
	const char *const cells[] = { field->name, "\t", listed->type, "\t", listed->json_type,
				      field->flags & RTAP_REPEATS ? " array" : "", "\t", field->label, "\t", listed->section, "\n" };

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		line_text(line, cells[i]);
}

static void write_json(const void *what, struct line *line)
{
	const struct listed *listed = what;
	const struct rtap_field *field = listed->field;

	line_char(line, '{');
	object_text(line, "name", field->name);
	object_text(line, "type", listed->type);
	object_text(line, "json_type", listed->json_type);
	object_bool(line, "array", field->flags & RTAP_REPEATS);
	object_text(line, "label", field->label);
	object_text(line, "section", listed->section);
	line_bytes(line, "}\n", 2);
}

static int write_field(struct printer *printer, const struct columns *columns, const struct listed *listed)
{
	if (columns_are_made(columns))
		return printer_write(printer, columns_write_record, &(struct columns_record){ columns, write_json, listed });
	return printer_write(printer, write_text, listed);
}

/* Lists keys of records (operation.latency), for -Y of their commands. Returns their number, or -errno. */
static int list_keys(const struct columns *columns, const char *prefix, struct printer *printer)
{
	struct record_filter_key key;
	int count = 0, result = 0;

	for (; !result && record_filter_key(prefix, (size_t)count, &key); count++) {
		struct rtap_field field = { .name = key.name, .label = key.meaning, .flags = key.is_array ? RTAP_REPEATS : 0 };
		struct listed listed = { &field, "doc/json.md", key.type, key.json_type };

		result = write_field(printer, columns, &listed);
	}
	return result ? result : count;
}

/* Lists the fields whose names begin with the prefix. Returns their number, or -errno. */
static int list(const struct columns *columns, const char *prefix, struct printer *printer)
{
	int count = 0, result = columns->form == COLUMNS_CSV ? printer_write(printer, columns_write_header, columns) : 0;

	for (size_t id = 0; !result && id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);
		struct listed listed = { field, NULL, rtap_field_type(field), rtap_field_json_type(field) };

		if (strncmp(listed.field->name, prefix, strlen(prefix)))
			continue;
		listed.section = listed.field->section ? listed.field->section : rtap_protocol_by_number(rtap_field_protocol((rtap_field_id)id))->section;
		result = write_field(printer, columns, &listed);
		count++;
	}
	/* without a prefix, fields of packets only */
	if (!result && *prefix && !count)
		return list_keys(columns, prefix, printer);
	return result ? result : count;
}

static bool parse(struct columns *columns, int argc, char **argv)
{
	int letter;

	opterr = 0;
	while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (letter == OPTION_JSON) {
			columns->form = COLUMNS_JSON;
		} else if (letter == ':' || letter == '?') {
			foreign_print_option(argv[optind - 1], letter == ':', argv[0], long_options);
			return false;
		} else if (!column_option_take(columns, letter, optarg)) {
			return false;
		}
	}
	if (optind + 1 < argc) {
		print_error("fields: takes at most one PREFIX, such as infiniband.bth");
		return false;
	}
	return column_options_check(columns, "fields") && columns_complete(columns, "fields", NULL);
}

int command_fields(int argc, char **argv)
{
	struct columns columns = { .form = COLUMNS_TEXT };
	struct printer printer = { .buffer = NULL };
	int count, result;

	if (!parse(&columns, argc, argv))
		return EXIT_ERROR;
	result = printer_init(&printer, STDOUT_FILENO, false);
	count = result ? result : list(&columns, optind < argc ? argv[optind] : "", &printer);
	result = count < 0 ? count : printer_flush(&printer);
	printer_fini(&printer);
	if (result && result != -EPIPE) {
		print_error("%s%s", result == -ENOMEM ? "" : "standard output: ", strerror(-result));
		return EXIT_ERROR;
	}
	if (count)
		return EXIT_DONE;
	print_error("fields: none begins with %s", argv[optind]);
	return EXIT_ERROR;
}
