/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `rdmatap export --files`: images of block devices, rebuilt from what commands of storage protocols read and wrote:
 * DIR/block/<target>/<namespace or LUN>.img; and files that paths name: DIR/smb/<server>/<share>/<path>. Sparse; each byte has its value after
 * the last command, in the order of responses.
 */
#ifndef OUTPUT_EXPORT_EXPORT_IMAGES_H
#define OUTPUT_EXPORT_EXPORT_IMAGES_H

#include <sys/queue.h>

#include <rdmatap/message.h>

#include "output/export/export_paths.h"
#include "output/export/export_unseen.h"
#include "output/packet/printer.h"
#include "reassembly/block_effect.h"

struct image;

STAILQ_HEAD(image_list, image);

SLIST_HEAD(destroyed_list, destroyed);

TAILQ_HEAD(copied_list, copied);

/* Targets whose name is not known. All zero: none. */
#define NAMELESS_ADDRESSES 63

struct nameless {
	struct unseen_changes changes; /* by commands on them: "ADDRESS/UNIT", "ADDRESS": of all units */
	struct unseen_changes unplaced; /* by commands on targets with a name, on blocks of unknown size */
	unsigned images;               /* by address */
	char *addresses[NAMELESS_ADDRESSES];
	unsigned address_count;
};

/* Parts of copies, in the order of responses. */
struct copies {
	struct copied_list list;
	uint64_t count;
	uint64_t given_up;           /* times that the list was emptied because of the limit of work */
};

struct images {
	struct disk *disk;
	uint64_t max_memory, memory; /* bytes, of images and their ranges */
	unsigned count;
	struct image_list all;       /* of devices, in the order of their first commands */
	struct disk_entry *block;    /* the directory; NULL: not created yet */
	struct image_list all_files;
	struct paths paths;          /* of files; with the same disk */
	uint64_t commands;
	uint64_t file_operations;
	uint64_t unplaced;           /* of these, on blocks of unknown size */
	uint64_t commandless;        /* responses without a captured command */
	uint64_t refused;            /* commands whose image was not created: too many images, or out of memory */
	uint64_t unreported;         /* ranges not recorded for lack of memory: missing ones among them are not reported */
	/* Private. */
	struct destroyed_list destroyed; /* units whose contents are unknown after a command */
	unsigned destroyed_count;
	struct copies copies;
	struct nameless nameless;
	struct unseen_changes unseen; /* of files whose path is not known */
	uint64_t gaps, gap_frame;    /* requests of files that are missing, and a frame after the last of them */
	uint64_t extents, added;     /* of all images; those added since frames were cleared */
	uint64_t newest, horizon;    /* newest response; the order of commands up to this frame is no longer known; 0: of none */
	uint64_t captured, made;     /* bytes written: captured, and not captured (zeros, copies) */
	uint64_t passed;             /* extents and copies that commands passed */
};

/* No images yet. The disk is borrowed; `max_memory` in bytes, and as much for paths. */
void images_init(struct images *images, struct disk *disk, uint64_t max_memory);

/* Applies a command. Errors are those of the disk. */
void images_take(struct images *images, const struct block_effect *effect);

/* Passes the ranges that commands read or wrote and whose bytes are unknown to `print`, until it returns anything but 0. */
int images_missing(struct images *images, int (*print)(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length,
							    enum rtap_missing_reason reason), void *owner);

void images_fini(struct images *images);

#endif
