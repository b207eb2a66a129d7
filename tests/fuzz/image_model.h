/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices and a file system that execute the records of fuzz_images.c. A read, and a copy of its source, sees the bytes at its request or at
 * its response; everything else happens at the response.
 */
#ifndef RDMATAP_TESTS_FUZZ_IMAGE_MODEL_H
#define RDMATAP_TESTS_FUZZ_IMAGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reassembly/file_effect.h"

#define MODEL_ROOM 36864      /* bytes of a device, and the most of a file */
#define MODEL_TARGETS 2       /* with names; as many addresses */
#define MODEL_UNITS 3         /* the last one has a name */
#define MODEL_IMAGES (2 * MODEL_TARGETS * MODEL_UNITS) /* by target's name, then by address */
#define MODEL_FILES 24
#define MODEL_PATH 512
#define MODEL_IDS 2
#define MODEL_ACTIONS 64
#define MODEL_RECORD 8

/* Options, byte 0 of an input. */
enum {
	MODEL_SERIAL = 1,         /* each command is answered and reported before the next one is sent */
	MODEL_IN_ORDER = 2,       /* reported in the order of responses */
	MODEL_WILD = 4,           /* some effects are not what happened */
	MODEL_SHARED = 32,        /* both targets have the second address, and none the first one */
	MODEL_ADDRESSES = 64,     /* commands have addresses */
};

/* Byte 0 of a record, below its flags. */
enum {
	MODEL_READ, MODEL_WRITTEN, MODEL_REPEATED, MODEL_COPIED, MODEL_ZEROED, MODEL_SPOILED, MODEL_COPIED_AGAIN, MODEL_WRITTEN_AGAIN,
	MODEL_FILE_READ, MODEL_FILE_WRITTEN, MODEL_FILE_SPOILED, MODEL_CREATED, MODEL_RESIZED, MODEL_SIZE_SEEN, MODEL_RENAMED, MODEL_UNSEEN,
	MODEL_KINDS,
};

/* Byte 4 of MODEL_FILE_SPOILED. */
enum { MODEL_BOUNDED = 1, MODEL_BOUNDED_ZEROS = 2, MODEL_BOUNDED_END = 4 };
#define MODEL_FIRST_OF_FILES MODEL_FILE_READ

/* Flags of byte 0: parts of the data that were not captured; of MODEL_SPOILED: what became of the bytes; of MODEL_UNSEEN: by id. */
enum { MODEL_NO_FIRST = 16, MODEL_NO_MIDDLE = 32, MODEL_CUT = 64, MODEL_NOT_KEPT = 128, MODEL_GARBAGE = 16, MODEL_BY_ID = 16, MODEL_ANY_SIZE = 32 };

enum model_known { MODEL_IS_UNKNOWN, MODEL_IS_KNOWN, MODEL_MAY_BE_KNOWN };

/* An image of a device, or what should be in it. */
struct model_image {
	bool is_used;
	uint64_t end;
	uint8_t touched[MODEL_ROOM]; /* by a command with this range */
	uint8_t known[MODEL_ROOM];   /* if all is serial: enum model_known */
};

struct model_file {
	uint8_t bytes[MODEL_ROOM];
	uint8_t known[MODEL_ROOM];   /* if all is serial: whether the capture has the byte */
	uint64_t size;
	uint64_t found;              /* frame in which its path is used for the first time; 0: it is created */
	char first_path[MODEL_PATH];
	char path[2][MODEL_PATH];    /* in the model, and as reported; empty: none any more */
	bool is_unchecked;
	void *image;                 /* the owner's */
};

struct model_action {
	const uint8_t *record;
	unsigned index, kind;
	uint64_t request, response, reported; /* reported: the order of the reports */
	uint64_t offset, length;
	bool is_late;                /* reads at the response */
	/* of devices */
	unsigned target, address, unit, source_unit, part; /* part: of a command with several */
	bool is_nameless, to_end, is_all;
	uint64_t source;
	/* of files */
	struct model_file *file;
	char path[MODEL_PATH], new_path[MODEL_PATH + 16]; /* at the time of the response */
	bool is_aside;               /* MODEL_CREATED: what was at the path has the new path now */
	bool is_by_id, is_skipped;
	bool is_bounded, is_zeroed;  /* MODEL_FILE_SPOILED: only bytes before the end change; to_end: the end, too */
	unsigned id;
	uint64_t size;
	uint8_t *bytes;              /* on the heap; `length` read or written, MODEL_PERIOD with MODEL_REPEATED */
};

#define MODEL_PERIOD 48

struct model {
	uint8_t options;
	unsigned count, file_count;
	struct model_action actions[MODEL_ACTIONS];
	uint8_t devices[MODEL_TARGETS][MODEL_UNITS][MODEL_ROOM];
	struct model_image images[MODEL_IMAGES];
	struct model_file files[MODEL_FILES];
	struct model_file *ids[MODEL_IDS];
	bool has_nameless;
};

/* Runs the records. */
void model_run(struct model *model, uint8_t options, const uint8_t *records, size_t length);

void model_fini(struct model *model);

/* Whether a byte of the data of the action was captured; if not, whether the capture cut it. */
bool model_is_captured(const struct model_action *action, uint64_t at, bool *is_cut);

/* Number of the image of an action's unit. */
unsigned model_image_of(const struct model_action *action);

/* Applies a change of paths: `which`: in the model, or in what was reported. */
void model_move(struct model *model, unsigned which, const char *from, const char *to);

#endif
