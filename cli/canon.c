/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap canon: converts a capture to text that is reproducible from run to run.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <rdmatap/tracker.h>

#include "cli/canon.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/compare/canon_policy.h"
#include "output/message/columns.h"
#include "output/packet/fields.h"
#include "output/packet/printer.h"

#define CANON_SHARE 2 /* part of --max-memory for the final sort */

struct canonical {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct canon *canon;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	canon_message(((struct canonical *)owner)->canon, message);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	canon_connection(((struct canonical *)owner)->canon, connection);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	canon_merge(((struct canonical *)owner)->canon, from, into, turned);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct canonical *canonical = owner;
	const struct rtap_packet *packet = reader_packet(&canonical->reader, frame);

	canon_packet(canonical->canon, packet);
	reader_count(&canonical->reader, packet);
}

static void print_write_error(struct canonical *canonical, const char *output, int error)
{
	if (error == -EPIPE)
		return;
	if (error == -E2BIG)
		print_error("not enough memory to sort the connections (raise --max-memory, or select a part of the capture with -f)");
	else
		print_error("%s: %s", output, strerror(-error));
	canonical->reader.status = EXIT_ERROR;
}

/* Returns why the text covers only a part of the capture; NULL: it covers everything requested. */
static const char *incomplete(const struct reader *reader)
{
	if (reader->whole)
		return NULL;
	return reader->failure.text[0] ? CANON_UNREADABLE : CANON_INTERRUPTED;
}

int canon_run(const struct options *options, const struct canon_options *form, int fd, const char *output, bool *cut)
{
	struct canonical canonical = { .canon = NULL };
	struct reader *reader = &canonical.reader;
	struct canon_options sized = *form;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - options->max_memory / CANON_SHARE,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.checksums = true,
		.message = take_message,
		.connection = take_connection,
		.merged = take_merge,
		.owner = &canonical,
	};
	int error;

	*cut = false;
	if (!reader_open(reader, options)) {
		*cut = interrupted;
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
		goto out;
	}
	reader->printer.fd = fd;
	sized.max_memory = options->max_memory / CANON_SHARE;
	canonical.canon = canon_create(&sized);
	if (!canonical.canon || rtap_tracker_open(&canonical.tracker, &tracking, NULL)) {
		print_error("out of memory");
		reader->status = EXIT_ERROR;
		goto out;
	}
	reader_run(reader, canonical.tracker, take, &canonical);
	rtap_tracker_finish(canonical.tracker);
	*cut = reader->interrupted;
	error = aborted ? 0 : canon_write(canonical.canon, incomplete(reader), &reader->printer);
	if (!error)
		error = printer_flush(&reader->printer);
	if (error)
		print_write_error(&canonical, output, error);
	reader_report(reader, canonical.tracker);
	if (canon_lost(canonical.canon))
		print_error("%" COUNT " values of a message or packets of a connection were omitted (out of memory, or connection unknown)",
			 COUNTED(canon_lost(canonical.canon), "time", "times"));
out:
	canon_destroy(canonical.canon);
	rtap_tracker_close(canonical.tracker);
	reader_close(reader);
	return reader->status;
}

/* Rejects the argument of `option` if it names a value that is never printed. */
static bool check_value(const struct options *options, const char *option, const char *name)
{
	const char *refusal = canon_keep_refusal(name, options->level);

	if (refusal)
		print_error("%s %s: %s", option, name, refusal);
	return !refusal;
}

static bool check_kept(const struct options *options)
{
	for (size_t i = 0; i < options->keep_count; i++)
		if (!check_value(options, "--keep", options->keep[i]))
			return false;
	return true;
}

/* Whether `name` is a value that is omitted without --keep. */
static bool is_omitted(const char *name)
{
	rtap_field_id ids[MAX_COLUMN_FIELDS];
	struct canon_policy policy;
	size_t count;

	if (canon_policy_own(name, &policy))
		return policy.action == CANON_DROP;
	count = rtap_field_find(name, ids, MAX_COLUMN_FIELDS);
	for (size_t i = 0; i < count && i < MAX_COLUMN_FIELDS; i++)
		if (canon_policy_of(ids[i]).action == CANON_DROP)
			return true;
	return false;
}

/* Columns of -e that are omitted values imply --keep. */
static bool keep_columns(struct options *options)
{
	for (size_t i = 0; i < options->columns.count; i++) {
		const char *name = options->columns.names[i];

		if (!canon_name_known(name))
			continue;
		if (!check_value(options, "-e", name) || (is_omitted(name) && !options_keep(options, name)))
			return false;
	}
	return true;
}

int command_canon(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;
	bool cut;

	if (options_parse(&options, COMMAND_CANON, argc, argv) && check_kept(&options) && keep_columns(&options)) {
		struct canon_options form = { .level = options.level,
					      .keep = { options.keep, options.keep_count },
					      .columns = columns_are_made(&options.columns) ? &options.columns : NULL };

		status = canon_run(&options, &form, STDOUT_FILENO, "standard output", &cut);
	}
	options_fini(&options);
	return status;
}
