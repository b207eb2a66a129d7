/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC exchanges wait in a queue, which orders them by their replies, and then have their effect on contents (export_contents.h), as those without
 * a call may have had.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/rpc/nfs.h"
#include "output/export/export_contents.h"
#include "output/export/export_files.h"
#include "output/export/export_image_files.h"
#include "output/export/export_images.h"
#include "output/export/export_queue.h"
#include "output/packet/printer.h"

#define DEFAULT_MEMORY (64u << 20)

struct export_files {
	struct export_queue queue;
	struct disk disk;
	struct contents contents;
	struct images images;
	struct server *server;   /* of the current exchange */
	uint64_t exchanges, dropped, unnamed, orphans;
	uint64_t unnamed_bytes; /* bytes of their data, as far as known */
	bool (*stopped)(void);
};

static struct node *file_of(struct name_node *name)
{
	return (struct node *)name;
}

struct export_files *export_files_open(const char *directory, const struct export_files_options *options, struct rtap_error *error)
{
	struct export_files *export = calloc(1, sizeof *export);
	uint64_t memory = options && options->max_memory ? options->max_memory : DEFAULT_MEMORY;

	if (!export) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", directory);
		return NULL;
	}
	if (disk_open(&export->disk, directory, error) != RTAP_STATUS_OK) {
		free(export);
		return NULL;
	}
	export->stopped = options ? options->stopped : NULL;
	export->queue.max_memory = memory / 2;
	contents_init(&export->contents, &export->disk, memory / 4);
	images_init(&export->images, &export->disk, memory / 8);
	return export;
}

static bool is_stopped(const struct export_files *export)
{
	return export->stopped && export->stopped();
}

/* Data of a call that the capture truncated before its file or even its program. */
static void note_unnamed(struct export_files *export, const struct rpc_exchange *exchange)
{
	const struct rpc_part *call = &exchange->call;

	if (!call->present || !call->missing_count || call->missing[0].reason != RTAP_MISSING_SNAPPED)
		return;
	export->unnamed++;
	export->unnamed_bytes += call->data_length + exchange->reply.data_length;
}

/* A call that was not fully captured may have changed the contents of any file. */
static void doubt_all(struct export_files *export, const struct rpc_exchange *exchange)
{
	uint64_t frame = exchange->reply.present ? exchange->reply.last_frame : exchange->call.last_frame;

	export->server->doubt++;
	if (frame > export->server->doubt_frame)
		export->server->doubt_frame = frame;
}

/* Whether only the reply shows what was called: the call, or the chunk with its header, was not captured. */
static bool is_orphan(const struct rpc_exchange *exchange)
{
	const struct rpc_part *call = &exchange->call;

	if (!exchange->reply.present || (call->present && call->facts.program_known))
		return false;
	return !call->present || (call->missing_count && call->missing[0].reason == RTAP_MISSING_NOT_CAPTURED);
}

/* Applies the change that the reply shows. */
static void apply_orphan(struct export_files *export, const struct rpc_exchange *exchange)
{
	struct reply_operation reply;
	const struct call_attributes *attributes = &reply.attributes;
	enum calls_effect effect = calls_effect(exchange, &reply);
	struct node *node = NULL;

	if (effect == CALLS_HARMLESS)
		return;
	if (effect != CALLS_ANY)
		node = file_of(name_tree_of_id(&export->contents.tree, &export->server->name, attributes->fsid, attributes->fileid));
	if (!node) {
		doubt_all(export, exchange);
		return;
	}
	if (effect == CALLS_WRITE)
		contents_unseen_write(&export->contents, node, attributes->size, reply.count);
	else
		contents_unseen_resize(&export->contents, node, attributes->size);
	nfs_names_identify(&export->contents.walk, &node->name, attributes);
}

static bool may_change(const struct rtap_rpc_facts *facts)
{
	return facts->version != 3 || facts->procedure == NFS3_WRITE || facts->procedure == NFS3_SETATTR || facts->procedure == NFS3_CREATE;
}

static void apply_call(struct export_files *export, const struct rpc_exchange *exchange)
{
	uint64_t unreadable = export->contents.walk.calls.unreadable;

	calls_walk(&export->contents.walk, &export->server->name, exchange);
	export->exchanges++;
	if (export->contents.is_placed)
		return;
	if (export->contents.walk.calls.unreadable != unreadable)
		note_unnamed(export, exchange);
	if (export->contents.walk.calls.call_cut && may_change(&exchange->call.facts))
		doubt_all(export, exchange);
}

static void apply(struct export_files *export, const struct rpc_exchange *exchange)
{
	name_tree_trim(&export->contents.tree);
	contents_begin(&export->contents, exchange);
	export->server = (struct server *)name_tree_server(&export->contents.tree, &exchange->server);
	if (!export->server)
		export->contents.tree.refused++;
	else if (is_orphan(exchange))
		apply_orphan(export, exchange);
	else
		apply_call(export, exchange);
}

static void apply_waiting(struct export_files *export, bool all)
{
	const struct rpc_exchange *exchange;

	while (!export->disk.failed && (exchange = export_queue_next(&export->queue, all))) {
		if (is_stopped(export))
			export->dropped++;
		else
			apply(export, exchange);
		export_queue_drop(&export->queue);
	}
}

void export_files_exchange(void *owner, const struct rpc_exchange *exchange)
{
	bool has_reply_only = is_orphan(exchange);
	struct export_files *export = owner;
	struct reply_operation reply;

	if (export->disk.failed)
		return;
	export->orphans += !exchange->call.present && exchange->reply.present;
	if (has_reply_only ? calls_effect(exchange, &reply) == CALLS_HARMLESS : !calls_is_about_files(exchange)) {
		if (!exchange->call.facts.program_known)
			note_unnamed(export, exchange);
		return;
	}
	if (is_stopped(export)) {
		export->dropped++;
		return;
	}
	/* out of memory: process it without waiting */
	if (!export_queue_add(&export->queue, exchange))
		apply(export, exchange);
	apply_waiting(export, false);
}

/* Frames become times, between which there is room for responses that were captured late, and for the commands that one response answers. */
#define TIMES_OF_FRAME (UINT64_C(2) * FILE_EFFECT_SHIFTS * FILE_EFFECT_PARTS)

static struct block_effect at_times(const struct block_effect *effect, int16_t shift, uint8_t part)
{
	struct block_effect later = *effect;

	later.request_frame *= TIMES_OF_FRAME;
	later.response_frame = effect->response_frame * TIMES_OF_FRAME + (uint64_t)((int64_t)shift * FILE_EFFECT_PARTS + part);
	return later;
}

void export_files_blocks(void *owner, const struct block_effect *effect)
{
	const struct block_effect later = at_times(effect, 0, 0);
	struct export_files *export = owner;

	if (is_stopped(export))
		export->dropped++;
	else if (!export->disk.failed)
		images_take(&export->images, &later);
}

void export_files_operation(void *owner, const struct file_effect *effect)
{
	struct export_files *export = owner;
	struct file_effect later = *effect;

	later.bytes = at_times(&effect->bytes, effect->shift, effect->part);
	if (effect->first)
		later.first = effect->first * TIMES_OF_FRAME + TIMES_OF_FRAME / 2 - 1;
	if (is_stopped(export))
		export->dropped++;
	else if (!export->disk.failed)
		images_take_file(&export->images, &later);
}

bool export_files_has_failed(const struct export_files *export)
{
	return export->disk.failed;
}

enum rtap_status export_files_flush(struct export_files *export)
{
	struct name_node *name;

	apply_waiting(export, true);
	TAILQ_FOREACH(name, &export->contents.tree.nodes, link)
		if (!export->disk.failed)
			contents_finish(&export->contents, file_of(name));
	return export->disk.failed ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
}

static void write_unnamed(const void *what, struct line *line)
{
	const uint64_t *length = what;

	line_text(line, "?\t0\t");
	line_dec(line, *length);
	line_char(line, '\t');
	line_text(line, rtap_missing_reason_name(RTAP_MISSING_SNAPPED));
	line_char(line, '\n');
}

/* A line of the list. */
struct missing_line {
	const struct disk_entry *entry;
	struct range range;
};

static void write_missing(const void *what, struct line *line)
{
	const struct missing_line *missing = what;

	disk_line_path(missing->entry, line);
	line_char(line, '\t');
	line_dec(line, missing->range.begin);
	line_char(line, '\t');
	line_dec(line, missing->range.end - missing->range.begin);
	line_char(line, '\t');
	line_text(line, rtap_missing_reason_name((enum rtap_missing_reason)(missing->range.state - RANGE_MISSING)));
	line_char(line, '\n');
}

/*
 * Prints the missing ranges of a file; adjacent ones with one reason are merged. Bytes outside of all ranges were never captured and are
 * also missing.
 */
static int print_missing_of(const struct node *node, struct printer *printer)
{
	struct missing_line line = { node->entry, { 0 } };
	int result = 0;

	for (uint64_t at = 0; at < node->entry->size && !result;) {
		bool known;
		struct range range = ranges_at(&node->ranges, at, &known);

		if (!known)
			range.state = RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED;
		if (range.end > node->entry->size)
			range.end = node->entry->size;
		at = range.end;
		if (range.state == line.range.state && range.begin == line.range.end) {
			line.range.end = range.end;
			continue;
		}
		if (line.range.state >= RANGE_MISSING)
			result = printer_write(printer, write_missing, &line);
		line.range = range;
	}
	if (line.range.state >= RANGE_MISSING && !result)
		result = printer_write(printer, write_missing, &line);
	return result;
}

static int print_missing_block(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length, enum rtap_missing_reason reason)
{
	struct missing_line line = { entry, { offset, offset + length, (uint8_t)(RANGE_MISSING + reason) } };

	return printer_write(owner, write_missing, &line);
}

int export_files_print_missing(struct export_files *export, struct printer *printer)
{
	struct name_node *name;
	int result = 0;

	TAILQ_FOREACH(name, &export->contents.tree.nodes, link) {
		const struct node *node = file_of(name);

		if (result || is_stopped(export))
			break;
		if (node->entry && !node->entry->is_directory)
			result = print_missing_of(node, printer);
	}
	if (!result)
		result = images_missing(&export->images, print_missing_block, printer);
	if (export->unnamed_bytes && !result && !is_stopped(export))
		result = printer_write(printer, write_unnamed, &export->unnamed_bytes);
	return result;
}

struct export_files_counts export_files_count(const struct export_files *export)
{
	return (struct export_files_counts){
		.exchanges = export->exchanges,
		.dropped = export->dropped,
		.unreadable = export->contents.walk.calls.unreadable,
		.unnamed = export->unnamed,
		.orphans = export->orphans,
		.evicted = export->contents.tree.evicted,
		.refused = export->contents.tree.refused + export->images.refused,
		.unreported = export->contents.unreported + export->images.unreported,
		.block_commands = export->images.commands,
		.file_operations = export->images.file_operations,
		.unplaced = export->images.unplaced,
		.commandless = export->images.commandless,
		.too_far = export->disk.too_far,
		.unsettled = export->contents.tree.unsettled,
		.on_directories = export->contents.on_directories,
		.late = export->queue.late,
		.not_copied = export->contents.not_copied,
	};
}

enum rtap_status export_files_close(struct export_files *export, struct rtap_error *error)
{
	enum rtap_status status;

	if (!export)
		return RTAP_STATUS_OK;
	export_queue_fini(&export->queue);
	contents_fini(&export->contents);
	images_fini(&export->images);
	status = disk_close(&export->disk, error);
	free(export);
	return status;
}
