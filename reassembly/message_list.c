/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/message_list.h"

static struct message *message_of(const struct tree_node *node)
{
	return (struct message *)((uintptr_t)node - offsetof(struct message, by_psn));
}

static int by_psn(const struct tree_node *a, const struct tree_node *b)
{
	uint64_t left = message_of(a)->low, right = message_of(b)->low;

	return left < right ? -1 : left > right;
}

static int begins_by(const struct tree_node *node, const void *psn)
{
	return message_of(node)->low <= *(const uint64_t *)psn ? -1 : 1;
}

static __attribute__((noinline)) void index_message(struct psn_stream *stream, struct message *message)
{
	struct tree tree = { .root = stream->index, .order = by_psn };

	tree_insert(&tree, &message->by_psn);
	stream->index = tree.root;
}

/* Search steps after which the stream gets an index. */
#define MOST_PASSED 64

struct message *message_list_find_earlier(struct psn_stream *stream, uint64_t psn, struct message *from)
{
	struct message *message = from ? from : stream->tail;
	struct tree tree = { .order = by_psn };
	struct tree_node *later;

	for (unsigned i = 0; !stream->index && i < MOST_PASSED; i++) {
		if (message->low <= psn && message->after->low > psn)
			return message;
		message = message->low > psn ? message->before : message->after;
		if (!message)
			return NULL;
	}
	if (!stream->index)
		for (message = stream->head; message; message = message->after)
			index_message(stream, message);
	tree.root = stream->index;
	later = tree_at_or_after(&tree, begins_by, &psn);
	return later ? message_of(later)->before : stream->tail;
}

/* Most search steps for the position of a late message in the ring of unacknowledged ones. */
#define MOST_PASSED_UNACKED 256

/* Usually it is the newest. */
static void link_unacked(struct psn_stream *stream, struct message *message)
{
	struct message *first = stream->unacked, *before;

	if (!first) {
		stream->unacked = message->unacked_before = message->unacked_after = message;
		return;
	}
	before = first->unacked_before;
	for (unsigned i = 0; before->low > message->low && i < MOST_PASSED_UNACKED; i++) {
		if (before == first) {
			stream->unacked = message;
			before = first->unacked_before;
			break;
		}
		before = before->unacked_before;
	}
	message->unacked_before = before;
	message->unacked_after = before->unacked_after;
	message->unacked_after->unacked_before = before->unacked_after = message;
}

void message_list_enter(struct psn_stream *stream, struct message *message, struct message *before)
{
	message->stream = stream;
	message->before = before;
	message->after = before ? before->after : stream->head;
	*(message->after ? &message->after->before : &stream->tail) = message;
	*(before ? &before->after : &stream->head) = message;
	if (!stream->unanswered || stream->unanswered == message->after)
		stream->unanswered = message;
	if (stream->index)
		index_message(stream, message);
	if (stream->reliable && (message->shown.verb == RTAP_VERB_SEND || message->shown.verb == RTAP_VERB_WRITE))
		link_unacked(stream, message);
	stream->in_flight++;
}

void message_list_unindex(struct psn_stream *stream, struct message *message)
{
	struct tree tree = { .root = stream->index, .order = by_psn };

	tree_remove(&tree, &message->by_psn);
	stream->index = tree.root;
}
