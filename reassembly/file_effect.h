/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The effect of an operation on a file identified by its path.
 */
#ifndef REASSEMBLY_FILE_EFFECT_H
#define REASSEMBLY_FILE_EFFECT_H

#include "reassembly/block_effect.h"

enum file_effect_kind {
	FILE_DATA,      /* `bytes` were read or written */
	FILE_RESIZED,   /* the file now has `size` bytes: created, truncated or extended */
	FILE_SIZE_SEEN, /* the server reported a size of `size` bytes */
	FILE_RENAMED,   /* the file or directory was moved to `new_path`; what was there before is there no more */
	/*
	 * Some file below `path` was changed (empty: of any server), by a request that was not captured or whose file id is unknown. `bytes`: its
	 * range; of length 0: of any size
	 */
	FILE_UNSEEN,
};

/* In the name of a file that was deleted or replaced, before a number that makes it unique; names have no control characters. */
#define FILE_ASIDE_MARK '\1'

#define FILE_EFFECT_PARTS 64
#define FILE_EFFECT_SHIFTS 1024

/* Borrowed for the call. All but FILE_DATA and FILE_UNSEEN are reported in the order of responses. */
struct file_effect {
	const char *path;            /* components as reassembly/upper/name_text.h writes them, with slashes between them; server and share first */
	enum file_effect_kind kind;
	uint64_t size;               /* of FILE_DATA: that the server reported last; 0: unknown */
	const char *new_path;
	const char *source;          /* of FILE_DATA with BLOCK_COPIED: the path of the file that has the bytes from bytes.source on */
	const char *via;             /* of FILE_UNSEEN: the path that is_of_id has; NULL: unknown */
	uint64_t first;              /* of FILE_UNSEEN without `via`: frame of the response that opened the file first; 0: unknown */
	uint64_t disk_id;            /* of the file on the server's disk, if CREATE's response had it; 0: unknown */
	bool is_of_id;               /* `path` is that of a file id, or of a tree id, because the file's is unknown */
	bool is_new;                 /* of FILE_RESIZED: the file did not exist before */
	bool is_bounded;             /* of FILE_DATA: only bytes before the end of the file changed; with bytes.to_end the end, too */
	uint64_t unseen;             /* requests known to be missing up to this one */
	int16_t shift;               /* the response was sent so many places after the one in response_frame; magnitude below FILE_EFFECT_SHIFTS */
	uint8_t part;                /* of the commands that one response answers, the place: they were executed in this order; below FILE_EFFECT_PARTS */
	struct block_effect bytes;   /* target and unit are not used; the frames and the time: of all kinds */
};

typedef void file_take_effect(void *owner, const struct file_effect *effect);

#endif
