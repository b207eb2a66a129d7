/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The call's operations are collected first. Those of the reply are matched to them by position: a COMPOUND runs until the first
 * operation that fails. If the reply is missing, the operation is assumed to have succeeded: most do, and the bytes that a client
 * wrote should not be lost.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/rpc/xdr_walk.h"
#include "reassembly/upper/nfs_calls.h"
#include "reassembly/upper/nfs_names.h"

#define MOUNT_MNT 1
#define MAX_OPERATIONS 1024
#define MAX_KEPT (16u << 20)

enum { GUARDED = 1, EXCLUSIVE, EXCLUSIVE4_1 }; /* NFSv3's and v4's create modes */
enum { CONTENT_DATA, CONTENT_HOLE };
enum { OPEN_CREATE = 1 };
enum { NF3REG = 1 };        /* ftype3: a regular file */
enum { NFS4_COMPOUND = 1 }; /* the procedure */

struct call_sink {
	struct xdr_sink sink;
	struct calls *calls;
};

struct reply_sink {
	struct xdr_sink sink;
	struct nfs_names *names;
	struct calls *calls;    /* of names */
	uint32_t at;            /* operations started */
	bool is_open;           /* an operation is started and not reported yet */
	bool whole_known;       /* COMPOUND: its status and count were read */
	uint32_t whole, expected;
	struct reply_operation reply;
	struct reply_entry entry;
	uint32_t content;
	uint64_t offset;        /* of READ_PLUS data content */
};

/* Copies bytes that are valid only during the callback. */
static struct kept keep(struct calls *calls, const struct xdr_value *decoded)
{
	struct kept kept = { calls->kept_used, decoded->data.length, decoded->data.bytes != NULL };
	uint8_t *larger;

	if (!kept.there || kept.length > MAX_KEPT - calls->kept_used)
		return (struct kept){ 0 };
	larger = array_reserve(calls->kept, &calls->kept_room, calls->kept_used + kept.length, 4096, MAX_KEPT, 1);
	if (!larger)
		return (struct kept){ 0 };
	calls->kept = larger;
	if (kept.length)
		memcpy(calls->kept + kept.at, decoded->data.bytes, kept.length);
	calls->kept_used += kept.length;
	return kept;
}

/* Rows that the callbacks below use; others are skipped. */
static const uint16_t name_rows[] = {
	NFS_FHANDLE, NFS_NAME, NFS_COMPONENT, NFS_FATTR3_FSID, NFS_FSID_MAJOR, NFS_FSID_MINOR, NFS_FATTR3_FILEID, NFS_FILEID4, NFS_ENTRY3_FILEID,
	NFS_ENTRYPLUS_FILEID, NFS_ENTRY3_NAME, NFS_ENTRYPLUS_NAME, NFS_ENTRY_NAME, NFS_COOKIE4, NFS_OPS_COUNT,
};
static const uint16_t content_rows[] = {
	NFS_OFFSET3, NFS_OFFSET4, NFS_COUNT3, NFS_COUNT4, NFS_LENGTH4, NFS_WRITE_LENGTH, NFS_SET_SIZE, NFS_SIZE4, NFS_OPENTYPE, NFS_CREATEMODE,
	NFS_CREATEMODE4, NFS_DATA, NFS_FATTR3_SIZE, NFS_WCC_SIZE, NFS_CTIME_SEC, NFS_CTIME_NSEC, NFS_CHANGEID4, NFS_READ_EOF, NFS_EOF,
	NFS_CALLBACK_IDS, NFS_CONTENT_TYPE,
};

static void want(struct calls *calls, const uint16_t *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		calls->wanted[rows[i] / 64] |= UINT64_C(1) << rows[i] % 64;
}

bool calls_has_names3(uint32_t procedure)
{
	static const uint32_t with_names = 1u << NFS3_LOOKUP | 1u << NFS3_CREATE | 1u << NFS3_MKDIR | 1u << NFS3_SYMLINK |
					   1u << NFS3_MKNOD | 1u << NFS3_REMOVE | 1u << NFS3_RMDIR | 1u << NFS3_RENAME | 1u << NFS3_LINK |
					   1u << NFS3_READDIR | 1u << NFS3_READDIRPLUS | 1u << NFS3_FSINFO;

	return procedure < 32 && (with_names >> procedure & 1);
}

bool calls_has_names4(uint32_t number)
{
	static const uint64_t with_names = 1ull << NFS4_CREATE | 1ull << NFS4_GETFH | 1ull << NFS4_LINK | 1ull << NFS4_LOOKUP | 1ull << NFS4_OPEN |
					   1ull << NFS4_READDIR | 1ull << NFS4_REMOVE | 1ull << NFS4_RENAME;

	return number < 64 && (with_names >> number & 1);
}

/* Whether the attributes in an operation can be skipped. */
static bool is_brief(const struct calls *calls, uint32_t number)
{
	if (calls->contents)
		return false;
	if (calls->protocol == CALLS_NFS3)
		return number != NFS3_GETATTR && number != NFS3_READDIR && number != NFS3_FSINFO;
	return number == NFS4_GETATTR ? calls->has_names : number != NFS4_READDIR;
}

/* Whether more than the status of an operation is wanted of its results. */
static bool has_results(const struct calls *calls, uint32_t number)
{
	return calls->protocol != CALLS_NFS4 || !is_brief(calls, number) || number == NFS4_GETFH;
}

/* Whether arguments of an operation are wanted. */
static bool has_arguments(const struct calls *calls, uint32_t number)
{
	static const uint64_t with_names = 1ull << NFS4_PUTFH | 1ull << NFS4_CREATE | 1ull << NFS4_LINK | 1ull << NFS4_LOOKUP | 1ull << NFS4_OPEN |
					   1ull << NFS4_REMOVE | 1ull << NFS4_RENAME;

	return calls->contents || calls->protocol != CALLS_NFS4 || (number < 64 && (with_names >> number & 1));
}

void calls_init(struct nfs_names *names, struct name_tree *tree, bool contents)
{
	*names = (struct nfs_names){ .tree = tree, .calls.contents = contents };
	want(&names->calls, name_rows, sizeof name_rows / sizeof *name_rows);
	if (contents)
		want(&names->calls, content_rows, sizeof content_rows / sizeof *content_rows);
}

static void call_handle(struct calls *calls, struct call_operation *operation, const struct xdr_value *decoded)
{
	struct kept kept = keep(calls, decoded);

	switch (decoded->tag) {
	case NFS_TAG_DIRECTORY:
	case NFS_TAG_FROM:
		operation->directory = kept;
		break;
	case NFS_TAG_TO:
		operation->to_directory = kept;
		break;
	default:
		operation->handle = kept;
		break;
	}
}

static void call_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct calls *calls = ((struct call_sink *)sink)->calls;
	struct call_operation *operation;

	if (!calls->count)
		return;
	operation = &calls->operations[calls->count - 1];
	if (decoded->row == NFS_FHANDLE)
		call_handle(calls, operation, decoded);
	/* the rows after it belong to MOUNT, whose call has only a path */
	if (calls->protocol == CALLS_MOUNT) {
		operation->name = keep(calls, decoded);
		return;
	}
	switch (decoded->row) {
	case NFS_NAME:
	case NFS_COMPONENT:
		*(decoded->tag == NFS_TAG_TO ? &operation->to_name : &operation->name) = keep(calls, decoded);
		break;
	case NFS_OFFSET3:
	case NFS_OFFSET4:
		*(decoded->tag == NFS_TAG_TO ? &operation->to_offset : &operation->offset) = decoded->number;
		operation->has_offset = true;
		break;
	case NFS_COUNT3:
	case NFS_COUNT4:
	case NFS_LENGTH4:
	case NFS_WRITE_LENGTH:
		operation->length = decoded->number;
		operation->has_length = true;
		break;
	case NFS_SET_SIZE:
	case NFS_SIZE4:
		operation->size = decoded->number;
		operation->has_size = true;
		break;
	case NFS_OPENTYPE:
		operation->creates = decoded->number == OPEN_CREATE;
		break;
	case NFS_CREATEMODE:
	case NFS_CREATEMODE4:
		operation->is_new = decoded->number == GUARDED || decoded->number == EXCLUSIVE || decoded->number == EXCLUSIVE4_1;
		break;
	case NFS_DATA:
		operation->data = (struct call_data){ decoded->offset, decoded->number, true };
		break;
	}
}

static void call_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct calls *calls = ((struct call_sink *)sink)->calls;

	(void)name;
	(void)offset;
	if (calls->count == calls->room) {
		struct call_operation *larger = array_reserve(calls->operations, &calls->room, calls->count + 1, 16, MAX_OPERATIONS, sizeof *larger);

		if (!larger) {
			sink->stop = true;
			return;
		}
		calls->operations = larger;
	}
	calls->operations[calls->count++] = (struct call_operation){ .number = number };
	calls->has_names |= calls->protocol == CALLS_NFS4 && calls_has_names4(number);
	sink->brief = is_brief(calls, number);
	/* a walk without values is faster */
	sink->value = has_arguments(calls, number) ? call_value : NULL;
}

static void end_entry(struct reply_sink *reply)
{
	struct calls *calls = reply->calls;

	if (reply->entry.there && reply->at <= calls->count)
		nfs_names_entry(reply->names, &calls->operations[reply->at - 1], &reply->reply, &reply->entry);
	reply->entry.there = false;
}

/* Reports a complete operation. */
static void end_operation(struct reply_sink *reply)
{
	struct calls *calls = reply->calls;

	if (!reply->is_open)
		return;
	end_entry(reply);
	reply->is_open = false;
	/* an unknown status is that of the COMPOUND, which is the last operation's */
	if (!reply->reply.status_known && reply->whole_known) {
		reply->reply.status = reply->at == reply->expected ? reply->whole : 0;
		reply->reply.has_succeeded = !reply->reply.status;
	}
	if (reply->at <= calls->count && !reply->reply.status)
		nfs_names_operation(reply->names, &calls->operations[reply->at - 1], &reply->reply);
}

static void reply_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	struct reply_sink *reply = (struct reply_sink *)sink;

	(void)name;
	if (reply->is_open) {
		reply->reply.status_known = true;
		reply->reply.has_succeeded = !status;
		reply->reply.status = status;
	} else {
		reply->whole = status;
	}
}

/* Attributes of the object, of its directory or of an entry; true if the value was one. */
static bool attribute(struct call_attributes *attributes, const struct xdr_value *decoded)
{
	switch (decoded->row) {
	case NFS_FATTR3_FSID:
	case NFS_FSID_MAJOR:
		attributes->fsid[0] = decoded->number;
		attributes->fsid[1] = 0;
		attributes->has_fsid = true;
		return true;
	case NFS_FSID_MINOR:
		attributes->fsid[1] = decoded->number;
		return true;
	case NFS_FATTR3_FILEID:
	case NFS_FILEID4:
	case NFS_ENTRY3_FILEID:
	case NFS_ENTRYPLUS_FILEID:
		attributes->fileid = decoded->number;
		attributes->has_fileid = true;
		return true;
	case NFS_FATTR3_SIZE:
	case NFS_WCC_SIZE:
	case NFS_SIZE4:
		attributes->size = decoded->number;
		attributes->has_size = true;
		return true;
	case NFS_CTIME_SEC:
		attributes->stamp = decoded->number << 32;
		return true;
	case NFS_CTIME_NSEC:
		attributes->stamp |= decoded->number;
		attributes->has_stamp = true;
		return true;
	case NFS_CHANGEID4:
		attributes->stamp = decoded->number;
		attributes->has_stamp = true;
		return true;
	default:
		return false;
	}
}

static void entry_value(struct reply_sink *reply, const struct xdr_value *decoded)
{
	bool begins = decoded->row == NFS_ENTRY3_FILEID || decoded->row == NFS_ENTRYPLUS_FILEID || decoded->row == NFS_COOKIE4;

	/* NFSv3's fileid precedes the name, as does NFSv4's cookie */
	if (begins) {
		end_entry(reply);
		memset(&reply->entry, 0, sizeof reply->entry);
		reply->entry.there = true;
	}
	if (decoded->row == NFS_ENTRY3_NAME || decoded->row == NFS_ENTRYPLUS_NAME || decoded->row == NFS_ENTRY_NAME)
		reply->entry.name = keep(reply->calls, decoded);
	else if (decoded->row == NFS_FHANDLE)
		reply->entry.handle = keep(reply->calls, decoded);
	else
		attribute(&reply->entry.attributes, decoded);
}

static void reply_data(struct reply_sink *reply, const struct xdr_value *decoded, bool there)
{
	struct calls *calls = reply->calls;
	const struct call_operation *call = &calls->operations[reply->at - 1];
	const struct call_data data = { decoded->offset, decoded->number, there };
	bool plus = calls->protocol == CALLS_NFS4 && call->number == NFS4_READ_PLUS;
	bool reads = calls->protocol == CALLS_NFS3 ? call->number == NFS3_READ : plus || call->number == NFS4_READ;
	struct name_node *node;

	if (!reads || (reply->reply.status_known && reply->reply.status))
		return;
	reply->reply.pieces++;
	node = calls->protocol == CALLS_NFS3 ? name_tree_of_handle(reply->names->tree, reply->names->server, calls_piece(calls, call->handle)) :
					       nfs_names_current(reply->names);
	if (node)
		reply->names->data_read(reply->names, node, call, &reply->reply, plus ? reply->offset : call->offset, &data);
}

/* Attributes of a started operation's object, not of a directory entry or its directory. */
static void result_value(struct reply_sink *reply, const struct xdr_value *decoded)
{
	struct calls *calls = reply->calls;

	switch (decoded->row) {
	case NFS_FHANDLE:
		reply->reply.handle = keep(calls, decoded);
		break;
	case NFS_COUNT3:
	case NFS_COUNT4:
		reply->reply.count = decoded->number;
		reply->reply.has_count = true;
		break;
	case NFS_READ_EOF:
	case NFS_EOF:
		reply->reply.eof = decoded->number;
		break;
	case NFS_CALLBACK_IDS:
		reply->reply.is_asynchronous = decoded->number;
		break;
	case NFS_CONTENT_TYPE:
		reply->content = (uint32_t)decoded->number;
		break;
	case NFS_OFFSET4:
		reply->offset = decoded->number;
		break;
	case NFS_LENGTH4:
		reply->reply.count = decoded->number;
		reply->reply.has_count = true;
		if (reply->content == CONTENT_HOLE && calls->operations[reply->at - 1].number == NFS4_READ_PLUS)
			reply_data(reply, decoded, false);
		break;
	case NFS_DATA:
		reply_data(reply, decoded, true);
		break;
	default:
		attribute(&reply->reply.attributes, decoded);
		break;
	}
}

static void reply_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct reply_sink *reply = (struct reply_sink *)sink;
	struct calls *calls = reply->calls;

	if (!reply->is_open) {
		if (calls->protocol == CALLS_NFS4 && decoded->row == NFS_OPS_COUNT) {
			reply->expected = (uint32_t)decoded->number;
			reply->whole_known = true;
		}
		return;
	}
	if (calls->protocol == CALLS_MOUNT) {
		if (decoded->row == NFS_FHANDLE)
			reply->reply.handle = keep(calls, decoded);
		return;
	}
	/* the fileid of an entry precedes the first value with the entry's tag */
	if (decoded->tag == NFS_TAG_ENTRY || decoded->row == NFS_ENTRY3_FILEID || decoded->row == NFS_ENTRYPLUS_FILEID) {
		entry_value(reply, decoded);
		return;
	}
	if (decoded->tag == NFS_TAG_DIRECTORY)
		attribute(&reply->reply.directory, decoded);
	else if (decoded->tag == NFS_TAG_BEFORE)
		attribute(&reply->reply.before, decoded);
	else
		result_value(reply, decoded);
}

static void reply_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct reply_sink *reply = (struct reply_sink *)sink;
	struct calls *calls = reply->calls;

	(void)name;
	(void)offset;
	end_operation(reply);
	/* the reply does not match the call: ignore the rest */
	if (reply->at >= calls->count || (calls->operations[reply->at].number != number && number != NFS4_ILLEGAL)) {
		sink->stop = true;
		return;
	}
	reply->at++;
	reply->is_open = true;
	sink->brief = is_brief(calls, number);
	sink->value = has_results(calls, number) ? reply_value : NULL;
	memset(&reply->reply, 0, sizeof reply->reply);
}

/* `left`: bytes after the last item; may be NULL. */
static enum result walk_bytes(const struct rpc_part *part, const struct rtap_context *context, struct xdr_sink *sink, uint64_t *left)
{
	struct rtap_rpc_facts facts = { 0 };
	struct xdr xdr;
	enum result result;

	/* nothing is inserted: the extents do not change */
	xdr_init(&xdr, (struct xdr_extent *)(uintptr_t)part->extents, part->extent_count, part->extent_count);
	result = rpc_read_header(&xdr, context, &facts);
	if (result != OK)
		return result;
	if (!facts.has_body || !rpc_program_of_body(&facts))
		return MALFORMED;
	result = rpc_body_walk(rpc_program_of_body(&facts), &facts, &xdr, sink);
	if (left)
		*left = part->length - xdr.position;
	return result;
}

static enum result walk_part(const struct rpc_part *part, const struct rtap_context *context, struct xdr_sink *sink)
{
	return walk_bytes(part, context, sink, NULL);
}

static bool find_protocol(const struct rpc_exchange *exchange, enum calls_protocol *protocol)
{
	const struct rtap_rpc_facts *facts = &exchange->call.facts;

	/* the program determines the client: in a capture that began late the connection's ends may be swapped */
	if (!exchange->call.present || !facts->present || facts->is_callback)
		return false;
	if (facts->program == RPC_PROGRAM_MOUNT && facts->procedure == MOUNT_MNT)
		*protocol = CALLS_MOUNT;
	else if (facts->program == RPC_PROGRAM_NFS && facts->version == 3 && facts->procedure)
		*protocol = CALLS_NFS3;
	else if (facts->program == RPC_PROGRAM_NFS && facts->version == 4 && facts->procedure)
		*protocol = CALLS_NFS4;
	else
		return false;
	return true;
}

bool calls_is_about_files(const struct rpc_exchange *exchange)
{
	enum calls_protocol protocol;

	return find_protocol(exchange, &protocol);
}

/* The rows of MOUNT are others. */
static const uint64_t *wanted_of(const struct calls *calls)
{
	return calls->protocol == CALLS_MOUNT ? NULL : calls->wanted;
}

/*
 * Parses the reply. *decoded: number of operations read from it; *done: number of operations that are assumed to have succeeded. True: the
 * reply has their number.
 */
static bool walk_reply(struct nfs_names *names, uint32_t *decoded, uint32_t *done)
{
	struct calls *calls = &names->calls;
	const struct rpc_exchange *exchange = calls->exchange;
	struct rtap_context context = { 0 };
	struct reply_sink reply = {
		.sink = { .operation = reply_operation, .status = reply_status, .value = reply_value, .handles = true },
		.names = names, .calls = calls,
	};
	enum result result;

	rpc_set_call(&context, &exchange->call.facts);
	context.rpc_known = true;
	reply.sink.wanted = wanted_of(calls);
	result = walk_part(&exchange->reply, &context, &reply.sink);

	end_operation(&reply);
	*decoded = reply.at;
	*done = calls->count;
	if (result != OK)
		calls->unreadable++;
	if (result == OK && !reply.sink.stop)
		*done = *decoded;
	else if (reply.whole_known && reply.expected < *done)
		*done = reply.expected;
	/* the last operation in the reply failed */
	if (reply.whole_known && reply.whole && *done && *done == reply.expected)
		--*done;
	return reply.whole_known;
}

/* A part whose RPC header was not captured can be of any kind. */
static bool is_rejected(const struct rpc_part *reply)
{
	return reply->present && reply->facts.header_length && (!reply->facts.accepted || reply->facts.status);
}

static void walk(struct nfs_names *names, const struct rpc_exchange *exchange)
{
	struct calls *calls = &names->calls;
	struct call_sink call = { .sink = { .operation = call_operation, .value = call_value, .handles = true }, .calls = calls };
	struct reply_operation unreported = { 0 };
	uint32_t decoded = 0, done;

	if (!find_protocol(exchange, &calls->protocol))
		return;
	call.sink.wanted = wanted_of(calls);
	calls->exchange = exchange;
	calls->count = calls->kept_used = 0;
	calls->call_cut = calls->has_names = false;
	/* a call that was rejected or arrived incomplete */
	if (exchange->rdma_error || is_rejected(&exchange->reply))
		return;
	if (walk_part(&exchange->call, &(struct rtap_context){ 0 }, &call.sink) != OK || call.sink.stop) {
		calls->unreadable++;
		calls->call_cut = true;
	}
	done = calls->count;
	if (exchange->reply.present)
		unreported.has_succeeded = walk_reply(names, &decoded, &done);
	for (uint32_t i = decoded; i < done; i++)
		nfs_names_operation(names, &calls->operations[i], &unreported);
}

void calls_walk(struct nfs_names *names, struct name_server *server, const struct rpc_exchange *exchange)
{
	nfs_names_begin(names, server);
	walk(names, exchange);
	nfs_names_end(names);
}

/* Data of a reply parsed as that of an assumed procedure. */
struct guess {
	struct xdr_sink sink;
	struct reply_operation reply;
	uint32_t operations, status, type; /* the last status, and NFSv3's ftype3 of the object */
	bool changes;           /* an NFSv4 operation that changes contents succeeded */
	bool is_change;         /* the last operation started is one */
};

static void guess_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct guess *guess = (struct guess *)sink;

	if (decoded->tag == NFS_TAG_DIRECTORY)
		return;
	if (decoded->row == NFS_COUNT3) {
		guess->reply.count = decoded->number;
		guess->reply.has_count = true;
	} else if (decoded->row == NFS_FATTR3_TYPE) {
		guess->type = (uint32_t)decoded->number;
	}
	attribute(decoded->tag == NFS_TAG_BEFORE ? &guess->reply.before : &guess->reply.attributes, decoded);
}

static void guess_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct guess *guess = (struct guess *)sink;

	(void)name;
	(void)offset;
	guess->operations++;
	guess->is_change = number == NFS4_WRITE || number == NFS4_SETATTR || number == NFS4_OPEN || number == NFS4_ALLOCATE ||
				number == NFS4_DEALLOCATE || number == NFS4_COPY || number == NFS4_CLONE || number == NFS4_WRITE_SAME;
}

static void guess_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	struct guess *guess = (struct guess *)sink;

	(void)name;
	guess->status = status;
	if (guess->operations && guess->is_change && !status)
		guess->changes = true;
}

static bool is_reply_of(const struct rpc_part *part, uint32_t version, uint32_t procedure, struct guess *guess)
{
	const struct rtap_context context = {
		.rpc_known = true, .rpc_program = RPC_PROGRAM_NFS, .rpc_version = version, .rpc_procedure = procedure,
	};
	uint64_t left = 0;

	*guess = (struct guess){ .sink = { .operation = guess_operation, .status = guess_status, .value = guess_value } };
	return walk_bytes(part, &context, &guess->sink, &left) == OK && !left;
}

enum calls_effect calls_effect(const struct rpc_exchange *exchange, struct reply_operation *reply)
{
	/* replies of procedures that do not change contents have other forms, or concern directories */
	static const struct { uint32_t procedure; enum calls_effect effect; } of_nfs3[] = {
		{ NFS3_WRITE, CALLS_WRITE }, { NFS3_SETATTR, CALLS_RESIZE }, { NFS3_CREATE, CALLS_RESIZE },
	};
	const struct rpc_part *part = &exchange->reply;
	struct guess guess;

	if (exchange->rdma_error || is_rejected(part))
		return CALLS_HARMLESS;
	/* without the call it is unknown whether RPCSEC_GSS wraps the results */
	if (!part->complete || !part->facts.header_length || part->facts.flavor == RPCSEC_GSS)
		return CALLS_ANY;
	for (size_t i = 0; i < sizeof of_nfs3 / sizeof *of_nfs3; i++) {
		if (!is_reply_of(part, 3, of_nfs3[i].procedure, &guess))
			continue;
		if (guess.status || (guess.reply.attributes.has_fileid && guess.type != NF3REG))
			return CALLS_HARMLESS;
		*reply = guess.reply;
		return guess.reply.attributes.has_fileid ? of_nfs3[i].effect : CALLS_ANY;
	}
	return is_reply_of(part, 4, NFS4_COMPOUND, &guess) && guess.changes ? CALLS_ANY : CALLS_HARMLESS;
}

void calls_fini(struct nfs_names *names)
{
	free(names->calls.kept);
	free(names->calls.operations);
	names->calls.kept = NULL;
	names->calls.operations = NULL;
}
