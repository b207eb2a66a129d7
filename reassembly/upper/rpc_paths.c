/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/engine/protocol.h"
#include "dissect/rpc/nfs_handle.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_walk.h"
#include "reassembly/upper/nfs_calls.h"
#include "reassembly/upper/rpc_names.h"
#include "reassembly/upper/rpc_paths.h"
#include "reassembly/upper/rpc_state.h"

#define MOUNT_MNT 1
#define CALLS_SHARE 32   /* part of the memory limit */
#define MOST_LENGTH 4096 /* bytes kept of a call; most have a few hundred */
#define LEAST_REPLY 12   /* bytes of a truncated reply that show whether the call succeeded */

/* A call with names. */
struct kept_call {
	TAILQ_ENTRY(kept_call) link; /* the oldest first */
	uint64_t hash, frame;        /* frame: that shows it */
	struct rtap_rpc_facts facts;
	struct rtap_end server;
	uint32_t length;             /* at least that of the header */
	uint8_t bytes[];             /* header and arguments */
};

struct rpc_paths {
	struct map calls;
	TAILQ_HEAD(, kept_call) order;
	struct budget_entry entry;
};

struct call_key {
	uint64_t frame;
	uint32_t xid;
};

static uint64_t hash_of(const struct call_key *key)
{
	return map_hash((const uint64_t[]){ key->frame, key->xid }, 2);
}

static bool is_call(const void *value, const void *wanted)
{
	const struct kept_call *call = value;
	const struct call_key *key = wanted;

	return call->frame == key->frame && call->facts.xid == key->xid;
}

static struct rpc_paths *paths_of(struct rtap_tracker *tracker)
{
	struct rpc_state *state = rpc_state_of(tracker);

	if (state->paths)
		return state->paths;
	state->paths = memory_new_zeroed(1, sizeof *state->paths);
	if (!state->paths)
		return NULL;
	TAILQ_INIT(&state->paths->order);
	state->paths->entry.apart = true;
	return state->paths;
}

static uint64_t memory_of(const struct kept_call *call)
{
	return sizeof *call + call->length + sizeof(struct map_slot);
}

static void drop_call(struct rtap_tracker *tracker, struct rpc_paths *paths, struct kept_call *call)
{
	map_remove(&paths->calls, call->hash, call);
	TAILQ_REMOVE(&paths->order, call, link);
	budget_give(&tracker->budget, &paths->entry, memory_of(call));
	free(call);
}

/* The message from its XID to the last byte that the packet shows; NULL: too long to keep. */
static const uint8_t *message_of(const struct rtap_packet *packet, const struct rtap_layer *body,
				 const struct rtap_rpc_facts *facts, uint32_t *length)
{
	*length = facts->header_length + body->length;
	return facts->header_length && facts->header_length <= body->offset ? layer_bytes(packet, body) - facts->header_length : NULL;
}

static void keep_call(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_layer *body,
		      const struct rtap_rpc_facts *facts, const struct rtap_end *server)
{
	struct rpc_paths *paths = paths_of(tracker);
	struct call_key key = { packet->frame->number, facts->xid };
	uint32_t length;
	const uint8_t *bytes = message_of(packet, body, facts, &length);
	struct kept_call *call;

	if (!bytes || facts->header_length > MOST_LENGTH)
		return;
	/* the names are at the beginning */
	if (length > MOST_LENGTH)
		length = MOST_LENGTH;
	call = paths ? memory_new(sizeof *call + length) : NULL;
	if (!call) {
		tracker->counters.evictions++;
		return;
	}
	call->hash = hash_of(&key);
	call->frame = key.frame;
	call->facts = *facts;
	call->server = *server;
	call->length = length;
	memcpy(call->bytes, bytes, length);
	if (!map_add(&paths->calls, call->hash, call)) {
		tracker->counters.evictions++;
		free(call);
		return;
	}
	TAILQ_INSERT_TAIL(&paths->order, call, link);
	budget_charge(&tracker->budget, &paths->entry, memory_of(call));
	while (paths->entry.bytes > tracker->budget.limit / CALLS_SHARE) {
		drop_call(tracker, paths, TAILQ_FIRST(&paths->order));
		tracker->counters.evictions++;
	}
}

/* Whether results that are not all captured show how many operations succeeded. */
static bool shows_success(const struct rtap_rpc_facts *facts, uint32_t length)
{
	return facts->accepted && !facts->status && length >= LEAST_REPLY;
}

/* Takes an opaque of up to `most` bytes from the front. False: not all of it is there, or it is longer. */
static bool take_opaque(struct rtap_span *rest, uint32_t most, struct rtap_span *piece)
{
	uint32_t length = rest->length >= 4 ? load32(rest->bytes) : UINT32_MAX, padded = 4 + length + -length % 4;

	if (length > most || length > rest->length || padded > rest->length)
		return false;
	*piece = (struct rtap_span){ rest->bytes + 4, length };
	rest->bytes += padded;
	rest->length -= padded;
	return true;
}

static bool take_word(struct rtap_span *rest, uint32_t *word)
{
	if (rest->length < 4)
		return false;
	*word = load32(rest->bytes);
	rest->bytes += 4;
	rest->length -= 4;
	return true;
}

/*
 * The procedures of NFSv3 that most calls with names are. Their arguments begin with a directory and a name, and their results with the status;
 * then there is the handle of the file (LOOKUP), an optional one (CREATE and the like), or none. RFC 1813, 3.3. False: another one.
 */
static bool learn_simple(struct rtap_tracker *tracker, const struct kept_call *call, struct rtap_span results)
{
	struct rtap_span arguments = { call->bytes + call->facts.header_length, call->length - call->facts.header_length };
	struct rtap_span directory, name, handle = { NULL, 0 };
	uint32_t status, follows = 1;

	if (call->facts.program != RPC_PROGRAM_NFS || call->facts.version != 3)
		return false;
	switch ((enum nfs3_procedure)call->facts.procedure) {
	case NFS3_LOOKUP:
	case NFS3_CREATE:
	case NFS3_MKDIR:
	case NFS3_SYMLINK:
	case NFS3_MKNOD:
	case NFS3_REMOVE:
	case NFS3_RMDIR:
		break;
	default:
		return false;
	}
	if (!take_opaque(&arguments, NFS_HANDLE3_MAX, &directory) || !take_opaque(&arguments, MOST_LENGTH, &name) ||
	    !take_word(&results, &status) || status)
		return true;
	if (call->facts.procedure == NFS3_REMOVE || call->facts.procedure == NFS3_RMDIR) {
		rpc_names_removed(tracker, &call->server, directory, name);
		return true;
	}
	if ((call->facts.procedure == NFS3_LOOKUP || take_word(&results, &follows)) && follows &&
	    !take_opaque(&results, NFS_HANDLE3_MAX, &handle))
		return true;
	rpc_names_found(tracker, &call->server, directory, name, handle);
	return true;
}

static void learn(struct rtap_tracker *tracker, const struct kept_call *call, struct rtap_span reply, const struct rtap_rpc_facts *facts)
{
	/* what follows is in other packets, or in chunks */
	struct xdr_extent extents[2][2] = { { { XDR_BYTES, call->bytes, 0, call->length }, { XDR_HOLE, NULL, 0, UINT32_MAX } },
					    { { XDR_BYTES, reply.bytes, 0, reply.length }, { XDR_HOLE, NULL, 0, UINT32_MAX } } };
	const struct rpc_exchange exchange = {
		.server = call->server, .xid = facts->xid,
		.call = { .present = true, .extents = extents[0], .extent_count = 2, .facts = call->facts },
		.reply = { .present = true, .extents = extents[1], .extent_count = 2, .facts = *facts },
	};

	rpc_names_learn(tracker, &exchange);
}

static void take_reply(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_layer *body,
		       const struct rtap_rpc_facts *facts)
{
	struct rpc_paths *paths = rpc_state_of(tracker)->paths;
	struct call_key key = { facts->call_frame, facts->xid };
	struct kept_call *call = paths && paths->calls.count && facts->call_frame ? map_find(&paths->calls, hash_of(&key), is_call, &key) : NULL;
	const uint8_t *bytes;
	uint32_t length;

	if (!call)
		return;
	bytes = message_of(packet, body, facts, &length);
	if (bytes && shows_success(facts, body->length) &&
	    !learn_simple(tracker, call, (struct rtap_span){ layer_bytes(packet, body), body->length }))
		learn(tracker, call, (struct rtap_span){ bytes, length }, facts);
	drop_call(tracker, paths, call);
}

/* The walk over a call. */
struct call_scan {
	struct xdr_sink sink;
	struct rtap_tracker *tracker;
	struct rtap_packet *packet;
	uint8_t layer;
	uint32_t handles;    /* found */
	bool is_compound, has_names;
	struct rtap_end server;
};

static void add_path(struct call_scan *scan, struct rtap_span handle)
{
	struct packet_paths *paths = &scan->packet->paths;
	uint8_t count = scan->packet->path_count;
	uint32_t ordinal = scan->handles++;
	uint32_t used = count ? (uint32_t)paths->list[count - 1].at + paths->list[count - 1].length : 0;
	char text[PACKET_PATH_MOST];
	const char *path;
	size_t length;

	if (count == PACKET_PATHS || ordinal > UINT8_MAX)
		return;
	path = rpc_names_tail(scan->tracker, &scan->server, handle, text);
	length = (size_t)(text + sizeof text - path);
	if (!length || length > sizeof paths->text - used)
		return;
	memcpy(paths->text + used, path, length);
	paths->list[count] = (struct packet_path){ scan->layer, (uint8_t)ordinal, (uint8_t)used, (uint8_t)length };
	scan->packet->path_count++;
}

/* Whether a client that sends this operation of NFSv4 sends none with names after it. */
static bool is_last(uint32_t number)
{
	static const uint64_t last = 1ull << NFS4_CLOSE | 1ull << NFS4_COMMIT | 1ull << NFS4_DELEGRETURN | 1ull << NFS4_LOCK | 1ull << NFS4_LOCKT |
				     1ull << NFS4_LOCKU | 1ull << NFS4_OPEN_CONFIRM | 1ull << NFS4_OPEN_DOWNGRADE | 1ull << NFS4_READ |
				     1ull << NFS4_SETATTR | 1ull << NFS4_WRITE | 1ull << NFS4_SETCLIENTID | 1ull << NFS4_SETCLIENTID_CONFIRM;

	return number < 64 && (last >> number & 1);
}

static void scan_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct call_scan *scan = (struct call_scan *)sink;

	(void)name;
	(void)offset;
	if (!scan->is_compound)
		return;
	scan->has_names |= calls_has_names4(number);
	/* the handles that an operation needs precede it */
	sink->stop = scan->has_names || is_last(number);
}

static void scan_value(struct xdr_sink *sink, const struct xdr_value *value)
{
	if (value->row == NFS_FHANDLE && value->data.bytes)
		add_path((struct call_scan *)sink, value->data);
}

#define SEQUENCE_ARGUMENTS 32 /* RFC 8881, 18.46.1 */

/*
 * The same for the operations with which most COMPOUNDs begin, without a walk. False: other operations are before those that show whether the
 * call has names.
 */
static bool scan_compound(struct call_scan *scan, struct rtap_span rest)
{
	struct rtap_span piece;
	uint32_t minor_version, count, number, word;

	if (!take_opaque(&rest, UINT32_MAX, &piece) || !take_word(&rest, &minor_version) || !take_word(&rest, &count))
		return true;
	for (; count && take_word(&rest, &number); count--) {
		switch (number) {
		case NFS4_PUTROOTFH:
		case NFS4_SAVEFH:
		case NFS4_RESTOREFH:
			break;
		case NFS4_PUTFH:
			if (!take_opaque(&rest, NFS_HANDLE_MAX, &piece))
				return true;
			add_path(scan, piece);
			break;
		case NFS4_ACCESS:
			if (!take_word(&rest, &word))
				return true;
			break;
		case NFS4_SEQUENCE:
			if (rest.length < SEQUENCE_ARGUMENTS)
				return true;
			rest.bytes += SEQUENCE_ARGUMENTS;
			rest.length -= SEQUENCE_ARGUMENTS;
			break;
		default:
			scan->has_names = calls_has_names4(number);
			return scan->has_names || count == 1 || is_last(number);
		}
	}
	return true;
}

/* The handles of a call, and whether it has names. */
static void scan_call(struct call_scan *scan, const struct rtap_layer *body, const struct rtap_rpc_facts *facts)
{
	struct rtap_span arguments = { layer_bytes(scan->packet, body), body->length }, handle;
	struct xdr_extent extents[] = { { XDR_BYTES, arguments.bytes, 0, body->length }, { XDR_HOLE, NULL, 0, UINT32_MAX } };
	uint8_t before = scan->packet->path_count;
	struct xdr xdr;

	if (scan->is_compound && scan_compound(scan, arguments))
		return;
	/* all arguments of NFSv3 begin with a handle; only these two have another one */
	if (!scan->is_compound && facts->procedure != NFS3_RENAME && facts->procedure != NFS3_LINK) {
		if (take_opaque(&arguments, NFS_HANDLE3_MAX, &handle))
			add_path(scan, handle);
		return;
	}
	scan->packet->path_count = before;
	scan->handles = 0;
	scan->sink = (struct xdr_sink){
		.operation = scan_operation, .value = scan_value, .unwanted = ~(UINT64_C(1) << NFS_FHANDLE % 64), .brief = true, .handles = true,
	};
	xdr_init(&xdr, extents, 2, 2);
	if (rpc_body_walk(rpc_program_of_body(facts), facts, &xdr, &scan->sink) != OK)
		return; /* handles found before are valid */
}

static void take_call(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_layer *body, const struct rtap_rpc_facts *facts)
{
	struct call_scan scan; /* `sink` is set where it is used */
	struct rtap_end client;

	scan.tracker = tracker;
	scan.packet = packet;
	scan.layer = (uint8_t)(body - packet->layers);
	scan.handles = 0;
	scan.is_compound = scan.has_names = false;
	packet_ends(packet, &client, &scan.server);
	if (body->protocol == PROTOCOL_MOUNT) {
		scan.has_names = facts->procedure == MOUNT_MNT;
	} else if (facts->version == 3) {
		scan.has_names = calls_has_names3(facts->procedure);
		scan_call(&scan, body, facts);
	} else if (facts->version == 4) {
		scan.is_compound = true;
		scan_call(&scan, body, facts);
	}
	if (scan.has_names)
		keep_call(tracker, packet, body, facts, &scan.server);
}

void rpc_paths_packet(struct rtap_tracker *tracker, struct rtap_packet *packet)
{
	if (!packet_has(packet, PROTOCOL_NFS) && !packet_has(packet, PROTOCOL_MOUNT))
		return;
	/* usually the last layer, and the only one */
	for (uint8_t i = packet->layer_count; i > 0; i--) {
		const struct rtap_layer *layer = &packet->layers[i - 1];
		const struct rtap_rpc_facts *facts;
		struct rtap_rpc_facts own;

		if (layer->protocol != PROTOCOL_NFS && layer->protocol != PROTOCOL_MOUNT)
			continue;
		facts = rpc_layer_facts(packet, layer, &own);
		if (facts->program_known && facts->has_body && !facts->is_callback) {
			if (facts->is_reply)
				take_reply(tracker, packet, layer, facts);
			else
				take_call(tracker, packet, layer, facts);
		}
		if (facts == &packet->rpc)
			return;
	}
}

void rpc_paths_fini(struct rtap_tracker *tracker)
{
	struct rpc_paths *paths = rpc_state_of(tracker)->paths;

	if (!paths)
		return;
	while (!TAILQ_EMPTY(&paths->order))
		drop_call(tracker, paths, TAILQ_FIRST(&paths->order));
	map_fini(&paths->calls);
	free(paths);
	rpc_state_of(tracker)->paths = NULL;
}
