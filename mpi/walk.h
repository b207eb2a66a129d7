/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Going over the records of a stretch of a capture file, to divide them into parts.
 */
#ifndef MPI_WALK_H
#define MPI_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>

#include "capture/file/record_search.h"
#include "capture/source.h"

/* What describes the frames of a file: the header of a pcap, sections and interfaces of a pcapng; neighbours are one span. */
struct descriptions {
	struct stream_span *spans;
	size_t count, room;
};

struct walk {
	const char *name;              /* borrowed */
	struct shared_file *file;      /* borrowed */
	uint64_t size;                 /* of the file */
	uint64_t piece;                /* least bytes of a part */
	struct record_search search;
	struct descriptions descriptions; /* those before `end` */
	struct source_part *parts;     /* their `first` and `latest_ns` count from the first of them */
	size_t count, room;
	uint64_t end;                  /* of the records of the parts */
	uint64_t frames;               /* of the parts */
	int64_t latest_ns;             /* of these; INT64_MIN: none */
	bool is_broken;                /* what follows `end` is no record */
	bool has_failed;               /* out of memory, or too many descriptions */
};

/* Learns the format from the beginning of the file; descriptions are those among the first frames. False: this file cannot be divided. */
bool walk_begin(struct walk *walk) __attribute__((warn_unused_result));

/* Finds where a record begins, probably, from `from` on, which is before `limit`. UINT64_MAX: nowhere. */
uint64_t walk_search(const struct walk *walk, uint64_t from, uint64_t limit);

/* Replaces the descriptions: those of the file before the next walk. */
void walk_describe(struct walk *walk, const struct stream_span *spans, size_t count);

/*
 * Replaces the parts by those from a record on, up to `limit`; where no record ends there, up to the end of one beyond. The descriptions
 * are those before it; those found are added.
 */
void walk_records(struct walk *walk, uint64_t from, uint64_t limit);

/* The reason why the file is broken at `end`; `frames`: of the file before it. */
void walk_explain(struct walk *walk, uint64_t frames, struct rtap_error *error);

void walk_fini(struct walk *walk);

#endif
