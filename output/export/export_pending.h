/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ranges of a file that WRITEs and changes of the size without a reply may still change: such a call can be executed after calls that were sent
 * and answered later.
 */
#ifndef OUTPUT_EXPORT_EXPORT_PENDING_H
#define OUTPUT_EXPORT_EXPORT_PENDING_H

#include "output/export/export_contents.h"

/* ranges_set(), or ranges_fill() if only_unknown, of ranges of a node, whose memory counts. False: nothing changed. */
bool pending_set_ranges(struct name_tree *tree, struct ranges *ranges, uint64_t begin, uint64_t end, unsigned state, bool only_unknown);

/* The current call, which has no reply, may change the range at any time. */
void pending_add(struct contents *contents, struct node *node, uint64_t begin, uint64_t end, enum pending_state state);

/* The current call, which has no reply, may give a file of `before` bytes the size `size` at any time. */
void pending_add_size(struct contents *contents, struct node *node, uint64_t before, uint64_t size);

/* The reply shows the size that the current call found or left. */
void pending_confirm_size(struct contents *contents, struct node *node, uint64_t size);

/* Known bytes were stored in the range: those that may have been changed since, or still be, become missing. */
void pending_doubt(struct contents *contents, struct node *node, uint64_t begin, uint64_t end);

/* Data of a READ, not stored yet: where they are the bytes of a WRITE without a reply, it changes nothing any more. */
void pending_confirm(struct contents *contents, struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length);

#endif
