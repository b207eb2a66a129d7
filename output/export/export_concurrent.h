/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of a file that were outstanding together: the server executes such calls in any order, which replies do not show (RFC 1813, 3.3.7;
 * RFC 8881, 18.32). Where both stored bytes, these are known only if they are the same.
 */
#ifndef OUTPUT_EXPORT_EXPORT_CONCURRENT_H
#define OUTPUT_EXPORT_EXPORT_CONCURRENT_H

#include "output/export/export_contents.h"

/* The current call, which has a reply, stored bytes in the range. */
void concurrent_note_write(struct contents *contents, const struct node *node, uint64_t begin, uint64_t end);

/* ... or set the size. */
void concurrent_note_size(struct contents *contents, const struct node *node, uint64_t size);

/*
 * The part of a range that another WRITE can have changed after the current one, which stores `bytes` there (before they are stored). Of several
 * parts, the range from the first to the last; begin == end: none.
 */
struct range concurrent_with_write(const struct contents *contents, const struct node *node, uint64_t offset, const uint8_t *bytes, uint64_t length);

/* The least size that was set together with the current call: if after it, what it stored beyond that is gone. UINT64_MAX: none was set. */
uint64_t concurrent_least_size(const struct contents *contents, const struct node *node);

/* Whether the order of the current call, which sets the size, and of another change matters. */
bool concurrent_with_size(const struct contents *contents, const struct node *node, uint64_t size);

#endif
