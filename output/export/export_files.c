/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Effects of NFSv3 and NFSv4 operations on names and contents. RFC 1813, section 3.3; RFC 8881, section 18;
 * RFC 7862, section 15.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/rpc/nfs.h"
#include "output/export/export_calls.h"
#include "output/export/export_contents.h"
#include "output/export/export_files.h"
#include "output/export/export_queue.h"
#include "output/packet/printer.h"

#define DEFAULT_MEMORY (64u << 20)

/* NFSv4's current and saved file handle: a node, or a name in a directory whose handle is not known yet. */
struct place {
	struct node *node;
	struct node *directory;
	struct kept name;
};

struct export_files {
	struct calls calls;
	struct export_queue queue;
	struct disk disk;
	struct names names;
	struct contents contents;
	struct server *server;
	struct place current, saved;
	const struct call_operation *opened; /* an OPEN that creates a file, whose node is not known yet */
	uint64_t exchanges, dropped, nameless, uncalled;
	uint64_t nameless_bytes; /* bytes of their data, as far as known */
	bool is_placed;          /* some data of the current exchange have a file and an offset, present or missing */
	bool (*stopped)(void);
};

static struct piece piece_of(const struct export_files *export, struct kept kept)
{
	return calls_piece(&export->calls, kept);
}

static struct node *node_of(struct export_files *export, struct kept handle)
{
	return names_of_handle(&export->names, export->server, piece_of(export, handle));
}

/* The node of a place; if only its name is known, it is looked up or created. NULL: none. */
static struct node *resolve(struct export_files *export, struct place *place)
{
	struct piece name = piece_of(export, place->name);

	if (!place->node && place->directory && name.bytes) {
		place->node = names_find(&export->names, place->directory, name);
		if (!place->node)
			place->node = names_make(&export->names, place->directory, name);
	}
	return place->node;
}

static struct node *current(struct export_files *export)
{
	return resolve(export, &export->current);
}

/* Sets the current handle to that of a name in the current directory. */
static void go_to_name(struct export_files *export, struct kept name)
{
	export->current = (struct place){ NULL, current(export), name };
}

static void go_to(struct export_files *export, struct node *node)
{
	export->current = (struct place){ node, NULL, { 0 } };
}

static void identify(struct export_files *export, struct node *node, const struct call_attributes *attributes)
{
	if (node)
		contents_stamp(&export->contents, node, attributes->has_stamp, attributes->stamp);
	if (node && attributes->has_size) {
		node->reported_size = attributes->size;
		contents_reported_size(&export->contents, node, attributes->size);
	}
	if (node && attributes->has_fsid && attributes->has_fileid)
		names_identify(&export->names, node, attributes->fsid, attributes->fileid);
}

/* A reply that found or created a name returned its handle. */
static struct node *learn(struct export_files *export, struct node *directory, struct kept name, struct kept handle,
			  const struct call_attributes *attributes)
{
	struct node *node = node_of(export, handle);
	struct piece called = piece_of(export, name);

	if (!node)
		return directory ? names_find(&export->names, directory, called) : NULL;
	if (attributes)
		identify(export, node, attributes);
	if (directory && called.bytes)
		node = names_bind(&export->names, directory, called, node);
	return node;
}

/* GETFH: the handle of a place known by name only. */
static void learn_current(struct export_files *export, struct kept handle)
{
	struct place *place = &export->current;
	struct piece piece = piece_of(export, handle);

	if (!piece.bytes)
		return;
	if (place->node && !place->node->handles && !names_knows_handle(&export->names, export->server, piece)) {
		names_add_handle(&export->names, place->node, piece);
		return;
	}
	if (!place->node || !place->directory)
		go_to(export, learn(export, place->directory, place->name, handle, NULL));
}

/* A file that a CREATE or OPEN created or truncated. */
static void create(struct export_files *export, struct node *node, const struct call_operation *call)
{
	bool set_size = call->has_size && (export->calls.protocol == CALLS_NFS3 || !call->size);

	if (!node)
		return;
	if (call->is_new && !node->entry) {
		contents_resize(&export->contents, node, 0);
		set_size = call->has_size;
	}
	if (set_size)
		contents_resize(&export->contents, node, call->size);
}

/* The opened file is now known by its handle, or at least by its name. */
static void finish_open(struct export_files *export)
{
	const struct call_operation *opened = export->opened;

	export->opened = NULL;
	if (opened)
		create(export, current(export), opened);
}

static void write(struct export_files *export, struct node *node, const struct call_operation *call, const struct reply_operation *reply)
{
	struct contents_data data = { &export->calls.exchange->call, call->data.at, call->data.length };

	if (!node || !call->has_offset)
		return;
	export->is_placed = true;
	if (!call->data.there) {
		/* the call is truncated before its data: bytes after the stream are missing */
		if (!call->has_length)
			return;
		data.at = data.part->length;
		data.length = call->length;
	}
	if (reply->has_count && reply->count < data.length)
		data.length = reply->count;
	if (data.length)
		contents_put(&export->contents, node, call->offset, &data, true);
}

static enum rtap_missing_reason reason_of_reply(const struct rpc_part *reply)
{
	return reply->present && reply->missing_count ? (enum rtap_missing_reason)reply->missing[0].reason : RTAP_MISSING_NOT_CAPTURED;
}

/* Data in the reply have already been reported. */
static void read_done(struct export_files *export, struct node *node, const struct call_operation *call,
		      const struct reply_operation *reply)
{
	const struct call_attributes *attributes = &reply->attributes;
	bool is_certain = reply->has_count || attributes->has_size;
	uint64_t length = call->length, there = reply->count;

	if (!node || !call->has_offset)
		return;
	export->is_placed = true;
	if (reply->pieces)
		return;
	if (!reply->has_count)
		there = attributes->size > call->offset ? attributes->size - call->offset : 0;
	if (is_certain && there < length)
		length = there;
	/* a READ_PLUS at the end of the file has no contents */
	if (length && !(reply->eof && export->calls.protocol == CALLS_NFS4 && call->number == NFS4_READ_PLUS))
		contents_miss(&export->contents, node, call->offset, length, is_certain, reason_of_reply(&export->calls.exchange->reply));
}

static void remove_name(struct export_files *export, struct node *directory, struct kept name)
{
	struct piece piece = piece_of(export, name);

	if (directory && piece.bytes)
		names_unbind(&export->names, directory, piece);
}

static void rename_name(struct export_files *export, struct node *from, struct node *to, const struct call_operation *call)
{
	struct piece old = piece_of(export, call->name), new = piece_of(export, call->to_name);

	if (from && to && old.bytes && new.bytes)
		names_rename(&export->names, from, old, to, new);
}

static void nfs3_done(struct export_files *export, const struct call_operation *call, const struct reply_operation *reply)
{
	struct node *node = node_of(export, call->handle), *directory = node_of(export, call->directory);

	bool changes = call->number == NFS3_WRITE || (call->number == NFS3_SETATTR && call->has_size);

	identify(export, directory, &reply->directory);
	if (node && reply->before.has_size && (changes || call->number == NFS3_SETATTR || call->number == NFS3_COMMIT))
		contents_reported_size(&export->contents, node, reply->before.size);
	if (node && changes)
		contents_settle(&export->contents, node, reply->before.has_stamp, reply->before.stamp);
	switch ((enum nfs3_procedure)call->number) {
	case NFS3_LOOKUP:
	case NFS3_MKDIR:
	case NFS3_SYMLINK:
	case NFS3_MKNOD:
		if (reply->handle.there)
			learn(export, directory, call->name, reply->handle, &reply->attributes);
		return;
	case NFS3_CREATE:
		node = learn(export, directory, call->name, reply->handle, &reply->attributes);
		/* the handle of the new object is optional */
		if (!node && directory && piece_of(export, call->name).bytes)
			node = names_make(&export->names, directory, piece_of(export, call->name));
		create(export, node, call);
		return;
	case NFS3_FSINFO:
		/* requested when a file system is mounted: even without MOUNT this is its root */
		if (node)
			names_be_root(&export->names, node);
		break;
	case NFS3_SETATTR:
		if (node && call->has_size)
			contents_resize(&export->contents, node, call->size);
		break;
	case NFS3_READ:
		read_done(export, node, call, reply);
		break;
	case NFS3_WRITE:
		write(export, node, call, reply);
		break;
	case NFS3_REMOVE:
	case NFS3_RMDIR:
		remove_name(export, directory, call->name);
		return;
	case NFS3_RENAME:
		rename_name(export, directory, node_of(export, call->to_directory), call);
		return;
	case NFS3_LINK:
		if (node && directory && piece_of(export, call->name).bytes)
			names_bind(&export->names, directory, piece_of(export, call->name), node);
		return;
	default:
		break;
	}
	identify(export, node, &reply->attributes);
}

static void copy(struct export_files *export, const struct call_operation *call, const struct reply_operation *reply)
{
	uint64_t length = call->length;

	/* an asynchronous COPY reports its progress later */
	if (reply->has_count && !reply->is_asynchronous) {
		length = reply->count;
		if (!length)
			return;
	}
	if (current(export))
		contents_copy(&export->contents, resolve(export, &export->saved), call->offset, current(export), call->to_offset, length);
}

/* NFSv4 operations on the contents of the current file. */
static void nfs4_contents(struct export_files *export, struct node *node, const struct call_operation *call,
			  const struct reply_operation *reply)
{
	static const uint64_t changing = 1ull << NFS4_WRITE | 1ull << NFS4_ALLOCATE | 1ull << NFS4_DEALLOCATE | 1ull << NFS4_COPY;

	if ((call->number < 64 && (changing >> call->number & 1)) || call->number == NFS4_CLONE ||
	    (call->number == NFS4_SETATTR && call->has_size))
		contents_settle(&export->contents, node, false, 0);
	switch (call->number) {
	case NFS4_SETATTR:
		if (call->has_size)
			contents_resize(&export->contents, node, call->size);
		break;
	case NFS4_READ:
	case NFS4_READ_PLUS:
		read_done(export, node, call, reply);
		break;
	case NFS4_WRITE:
		write(export, node, call, reply);
		break;
	case NFS4_ALLOCATE:
		contents_allocate(&export->contents, node, call->offset, call->length);
		break;
	case NFS4_DEALLOCATE:
		contents_deallocate(&export->contents, node, call->offset, call->length);
		break;
	case NFS4_COPY:
	case NFS4_CLONE:
		copy(export, call, reply);
		break;
	case NFS4_GETATTR:
		identify(export, node, &reply->attributes);
		break;
	case NFS4_WRITE_SAME:
	case NFS4_LAYOUTCOMMIT: /* data written to other servers */
		contents_unknown(node);
		break;
	}
}

static void nfs4_done(struct export_files *export, const struct call_operation *call, const struct reply_operation *reply)
{
	struct node *node;

	if (call->number == NFS4_GETFH)
		learn_current(export, reply->handle);
	finish_open(export);
	switch (call->number) {
	case NFS4_PUTROOTFH:
		go_to(export, names_root(&export->names, export->server));
		break;
	case NFS4_PUTFH:
		go_to(export, node_of(export, call->handle));
		break;
	case NFS4_LOOKUP:
	case NFS4_CREATE:
		go_to_name(export, call->name);
		break;
	case NFS4_LOOKUPP:
		node = current(export);
		go_to(export, node ? names_parent(node) : NULL);
		break;
	case NFS4_PUTPUBFH:
	case NFS4_OPENATTR:
	case NFS4_SECINFO:
	case NFS4_SECINFO_NO_NAME:
		go_to(export, NULL);
		break;
	case NFS4_OPEN:
		if (call->name.there)
			go_to_name(export, call->name);
		if (call->creates)
			export->opened = call;
		break;
	case NFS4_SAVEFH:
		export->saved = export->current;
		break;
	case NFS4_RESTOREFH:
		export->current = export->saved;
		break;
	case NFS4_REMOVE:
		remove_name(export, current(export), call->name);
		break;
	case NFS4_RENAME:
		rename_name(export, resolve(export, &export->saved), current(export), call);
		break;
	case NFS4_LINK:
		if (call->name.there && current(export) && resolve(export, &export->saved))
			names_bind(&export->names, current(export), piece_of(export, call->name), resolve(export, &export->saved));
		break;
	default:
		node = current(export);
		if (node)
			nfs4_contents(export, node, call, reply);
		break;
	}
}

static void operation_done(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply)
{
	struct export_files *export = (struct export_files *)calls;
	struct node *node;

	switch (calls->protocol) {
	case CALLS_MOUNT:
		node = node_of(export, reply->handle);
		if (node)
			names_be_root(&export->names, node);
		break;
	case CALLS_NFS3:
		nfs3_done(export, call, reply);
		break;
	case CALLS_NFS4:
		nfs4_done(export, call, reply);
		break;
	}
}

static void data_read(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply, uint64_t offset,
		      const struct call_data *data)
{
	struct export_files *export = (struct export_files *)calls;
	struct node *node = calls->protocol == CALLS_NFS3 ? node_of(export, call->handle) : current(export);
	const struct contents_data bytes = { &calls->exchange->reply, data->at, data->length };
	uint64_t asked_end = call->offset + call->length, length = data->length;

	if (!node || !call->has_offset)
		return;
	export->is_placed = true;
	contents_settle(&export->contents, node, reply->attributes.has_stamp, reply->attributes.stamp);
	if (data->there) {
		contents_put(&export->contents, node, offset, &bytes, false);
		return;
	}
	/* a hole may extend beyond the requested range */
	if (offset >= asked_end)
		return;
	contents_zero(&export->contents, node, offset, length < asked_end - offset ? length : asked_end - offset);
}

static bool is_dots(struct piece name)
{
	return name.length && name.length <= 2 && name.bytes[0] == '.' && name.bytes[name.length - 1] == '.';
}

/* A directory entry gives a name to a handle, or else to the fileid of a file without a name. */
static void entry_listed(struct calls *calls, const struct call_operation *call, const struct reply_operation *reply,
			 const struct reply_entry *entry)
{
	struct export_files *export = (struct export_files *)calls;
	struct node *directory = calls->protocol == CALLS_NFS3 ? node_of(export, call->directory) : current(export), *node;
	struct call_attributes attributes = entry->attributes;

	if (!directory || !entry->name.there || is_dots(piece_of(export, entry->name)))
		return;
	identify(export, directory, &reply->directory);
	if (entry->handle.there) {
		learn(export, directory, entry->name, entry->handle, &attributes);
		return;
	}
	if (!attributes.has_fsid && directory->has_id)
		memcpy(attributes.fsid, directory->fsid, sizeof attributes.fsid);
	else if (!attributes.has_fsid)
		return;
	node = attributes.has_fileid ? names_nameless(&export->names, export->server, attributes.fsid, attributes.fileid) : NULL;
	if (node && node != directory)
		names_bind(&export->names, directory, piece_of(export, entry->name), node);
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
	export->calls.done = operation_done;
	export->calls.data = data_read;
	export->calls.entry = entry_listed;
	export->queue.max_memory = memory / 2;
	names_init(&export->names, &export->disk, memory - memory / 2);
	export->contents.disk = &export->disk;
	export->contents.names = &export->names;
	return export;
}

static bool is_stopped(const struct export_files *export)
{
	return export->stopped && export->stopped();
}

/* Data of a call that the capture truncated before its file or even its program. */
static void note_nameless(struct export_files *export, const struct rpc_exchange *exchange)
{
	const struct rpc_part *call = &exchange->call;

	if (!call->present || !call->missing_count || call->missing[0].reason != RTAP_MISSING_SNAPPED)
		return;
	export->nameless++;
	export->nameless_bytes += call->data_length + exchange->reply.data_length;
}

/* A call that was not fully captured may have changed the contents of any file. */
static void doubt_all(struct export_files *export, const struct rpc_exchange *exchange)
{
	uint64_t frame = exchange->reply.present ? exchange->reply.last_frame : exchange->call.last_frame;

	export->server->doubt++;
	if (frame > export->server->doubt_frame)
		export->server->doubt_frame = frame;
}

/* Only the reply was captured: apply the change that it shows. */
static void apply_reply(struct export_files *export, const struct rpc_exchange *exchange)
{
	struct reply_operation reply;
	const struct call_attributes *attributes = &reply.attributes;
	enum calls_effect effect = calls_effect(exchange, &reply);
	struct node *node = NULL;

	if (effect == CALLS_HARMLESS)
		return;
	if (effect != CALLS_ANY)
		node = names_of_id(&export->names, export->server, attributes->fsid, attributes->fileid);
	if (!node) {
		doubt_all(export, exchange);
		return;
	}
	if (effect == CALLS_WRITE)
		contents_unseen_write(&export->contents, node, attributes->size, reply.count);
	else
		contents_unseen_resize(&export->contents, node, attributes->size);
	identify(export, node, attributes);
}

static bool may_change(const struct rtap_rpc_facts *facts)
{
	return facts->version != 3 || facts->procedure == NFS3_WRITE || facts->procedure == NFS3_SETATTR || facts->procedure == NFS3_CREATE;
}

static void apply_call(struct export_files *export, const struct rpc_exchange *exchange)
{
	uint64_t unreadable = export->calls.unreadable;

	calls_walk(&export->calls, exchange);
	export->exchanges++;
	finish_open(export);
	if (export->is_placed)
		return;
	if (export->calls.unreadable != unreadable)
		note_nameless(export, exchange);
	if (export->calls.call_cut && may_change(&exchange->call.facts))
		doubt_all(export, exchange);
}

static void apply(struct export_files *export, const struct rpc_exchange *exchange)
{

	names_trim(&export->names);
	contents_begin(&export->contents, exchange);
	export->server = names_server(&export->names, &exchange->server);
	go_to(export, NULL);
	export->saved = export->current;
	export->is_placed = false;
	if (!export->server)
		export->names.refused++;
	else if (exchange->call.present)
		apply_call(export, exchange);
	else
		apply_reply(export, exchange);
}

static enum rtap_status apply_waiting(struct export_files *export, bool all)
{
	const struct rpc_exchange *exchange;

	while (!export->disk.failed && (exchange = export_queue_next(&export->queue, all))) {
		if (is_stopped(export))
			export->dropped++;
		else
			apply(export, exchange);
		export_queue_drop(&export->queue);
	}
	return export->disk.failed ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
}

enum rtap_status export_files_exchange(struct export_files *export, const struct rpc_exchange *exchange)
{
	struct reply_operation reply;
	bool is_uncalled = !exchange->call.present && exchange->reply.present;

	export->uncalled += is_uncalled;
	if (is_uncalled ? calls_effect(exchange, &reply) == CALLS_HARMLESS : !calls_is_about_files(exchange)) {
		if (!exchange->call.facts.program_known)
			note_nameless(export, exchange);
		return export->disk.failed ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
	}
	/* out of memory: process it without waiting */
	if (!export->disk.failed && !export_queue_add(&export->queue, exchange))
		apply(export, exchange);
	return apply_waiting(export, false);
}

enum rtap_status export_files_flush(struct export_files *export)
{
	enum rtap_status status = apply_waiting(export, true);

	for (struct node *node = export->names.first; node && !export->disk.failed; node = node->next)
		contents_finish(&export->contents, node);
	return export->disk.failed ? RTAP_STATUS_FAILED : status;
}

static void write_nameless(const void *what, struct line *line)
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

int export_files_print_missing(const struct export_files *export, struct printer *printer)
{
	int result = 0;

	for (const struct node *node = export->names.first; node && !result && !is_stopped(export); node = node->next)
		if (node->entry && !node->entry->is_directory)
			result = print_missing_of(node, printer);
	if (export->nameless_bytes && !result && !is_stopped(export))
		result = printer_write(printer, write_nameless, &export->nameless_bytes);
	return result;
}

struct export_files_counts export_files_count(const struct export_files *export)
{
	return (struct export_files_counts){
		.exchanges = export->exchanges,
		.dropped = export->dropped,
		.unreadable = export->calls.unreadable,
		.nameless = export->nameless,
		.uncalled = export->uncalled,
		.forgotten = export->names.forgotten,
		.refused = export->names.refused,
		.unreported = export->contents.unreported,
		.too_far = export->disk.too_far,
		.unsettled = export->names.unsettled,
		.contrary = export->names.contrary,
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
	names_fini(&export->names);
	calls_fini(&export->calls);
	status = disk_close(&export->disk, error);
	free(export);
	return status;
}
