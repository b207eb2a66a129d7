/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The effect of a storage command on the blocks of a device.
 */
#ifndef REASSEMBLY_BLOCK_EFFECT_H
#define REASSEMBLY_BLOCK_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

struct coverage;

enum block_effect_kind {
	BLOCK_READ,    /* the data are the contents of the blocks */
	BLOCK_WRITTEN, /* the data was written */
	BLOCK_REPEATED, /* one block of data was written to all */
	BLOCK_COPIED,  /* other blocks were copied */
	BLOCK_ZEROED,  /* zeros were written, or the blocks were deallocated */
	BLOCK_SPOILED, /* the command failed, or its response was not seen: the contents of the blocks are unknown */
	BLOCK_UNSEEN,  /* the command of a successful response was not captured; all else is unset */
};

/* Borrowed for the call. */
struct block_effect {
	const char *target;          /* name of the subsystem or target, printable; or its address */
	const char *address;         /* of the target, printable; NULL: not given */
	bool is_nameless;            /* the name of the target is not known: `target` is its address, and can be any target there */
	uint64_t unit;               /* namespace or LUN, or the number of a device */
	const char *name;            /* of the unit, printable; NULL: it has only its number */
	enum block_effect_kind kind;
	uint64_t offset, length;     /* bytes of the device */
	uint64_t request_frame, response_frame; /* 0: not seen */
	int64_t time_ns;             /* when the command was sent */
	/* READ, WRITTEN, REPEATED: the captured data, at positions from 0; the data truncated by the capture. NULL: none */
	const struct coverage *data, *cut;
	uint64_t period;             /* REPEATED: bytes of the data that `data` has */
	uint64_t source, source_unit; /* COPIED: offset and unit of the source */
	bool to_end;                 /* `length` is unknown: up to the end of the device */
};

typedef void block_take_effect(void *owner, const struct block_effect *effect);

#define BLOCK_ALL_UNITS UINT64_MAX /* `unit` of SPOILED: all that are known of the target */

#endif
