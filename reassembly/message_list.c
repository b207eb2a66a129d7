/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/message_list.h"

void message_list_init(struct psn_stream *stream)
{
	TAILQ_INIT(&stream->messages);
	TAILQ_INIT(&stream->unacked);
}

void message_list_move(struct psn_stream *stream, struct psn_stream *from)
{
	message_list_init(stream);
	TAILQ_CONCAT(&stream->messages, &from->messages, link);
	TAILQ_CONCAT(&stream->unacked, &from->unacked, unacked);
}

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
	struct message *message = from ? from : TAILQ_LAST(&stream->messages, message_list);
	struct tree tree = { .order = by_psn };
	struct tree_node *later;

	for (unsigned i = 0; !stream->index && i < MOST_PASSED; i++) {
		if (message->low <= psn && TAILQ_NEXT(message, link)->low > psn)
			return message;
		message = message->low > psn ? TAILQ_PREV(message, message_list, link) : TAILQ_NEXT(message, link);
		if (!message)
			return NULL;
	}
	if (!stream->index)
		TAILQ_FOREACH(message, &stream->messages, link)
			index_message(stream, message);
	tree.root = stream->index;
	later = tree_at_or_after(&tree, begins_by, &psn);
	return later ? TAILQ_PREV(message_of(later), message_list, link) : TAILQ_LAST(&stream->messages, message_list);
}

/* Most search steps for the position of a late message in the list of unacknowledged ones. */
#define MOST_PASSED_UNACKED 256

/* Usually it is the newest. */
static void link_unacked(struct psn_stream *stream, struct message *message)
{
	struct message *before = TAILQ_LAST(&stream->unacked, message_list);

	for (unsigned i = 0; before && before->low > message->low && i < MOST_PASSED_UNACKED; i++)
		before = TAILQ_PREV(before, message_list, unacked);
	if (before)
		TAILQ_INSERT_AFTER(&stream->unacked, before, message, unacked);
	else
		TAILQ_INSERT_HEAD(&stream->unacked, message, unacked);
	message->is_unacked = true;
}

void message_list_enter(struct psn_stream *stream, struct message *message, struct message *before)
{
	message->stream = stream;
	if (before)
		TAILQ_INSERT_AFTER(&stream->messages, before, message, link);
	else
		TAILQ_INSERT_HEAD(&stream->messages, message, link);
	if (!stream->unanswered || stream->unanswered == TAILQ_NEXT(message, link))
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
