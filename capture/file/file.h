/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_FILE_FILE_H
#define CAPTURE_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>

#include "capture/batch.h"
#include "capture/source_metadata.h"
#include "capture/file/stream.h"

/* Maximum captured bytes of a frame: a larger length is treated as corruption. */
#define FILE_MAX_CAPTURED (16u * 1024 * 1024)

/*
 * Maximum frames per batch of a file: enough to make passing batches between threads cheap; few enough that their results are
 * still in the processor's cache when they are used and are written soon.
 */
#define FILE_BATCH_FRAMES 512

/* One capture file being read. */
struct file {
	const char *name;           /* borrowed */
	struct stream *stream;
	struct batch_pool *pool;    /* borrowed */
	struct source_metadata *metadata;      /* borrowed */
	const struct file_format *format;
	struct batch_block *block;
	size_t begin, end;          /* in the block: bytes read and not yet used */
	uint64_t offset;            /* of `begin` in the (inflated) input */
	uint64_t frame_count;       /* read so far */
	struct kept_block *first_kept, *last_kept; /* those read and not yet taken, by the frames before them */
	bool finished;              /* the end or the error has been reported */
	/* Called with each block of pcapng that describes others: sections, interfaces, their statistics. NULL: not. */
	void (*describes)(void *owner, uint64_t offset, uint32_t length);
	void *owner;                /* of that */
	bool swapped;               /* the numbers of the file or section are not in host byte order */
	union {
		struct {
			uint32_t link_type, interface;
			uint32_t fraction_ns; /* unit of a time stamp's fraction in nanoseconds */
			bool mixed_lengths;   /* version 2.3: the two lengths may be swapped */
		} pcap;
		struct {
			struct pcapng_interface *interfaces; /* of the current section */
			size_t interface_count, interface_room;
			uint64_t settled; /* 1 + offset of the block whose options are in host byte order already; 0: none */
		} pcapng;
	};
};

/* A capture file format. */
struct file_format {
	/* Name of a unit, for messages about truncation. */
	const char *unit;
	/*
	 * Reads the start of the file. *need: as in read(). FAILED: the file cannot be read, see the reason.
	 * May be NULL.
	 */
	enum rtap_status (*open)(struct file *file, size_t *need, struct rtap_error *reason);
	/*
	 * Appends frames to the batch while there are complete units between begin and end and room in the batch, and
	 * advances `begin`. *need: size of the next unit in bytes, as far as known. BROKEN: the data at `begin` is
	 * invalid, see the reason; FAILED: out of memory.
	 */
	enum rtap_status (*read)(struct file *file, struct batch *batch, size_t *need, struct rtap_error *reason);
	/* Frees what the format holds. May be NULL. */
	void (*close)(struct file *file);
};

extern const struct file_format pcap_format, pcapng_format;

/*
 * Opens a capture file on the stream and takes ownership of the stream, also on failure. The name is for messages, borrowed.
 * FAILED: *file is NULL.
 */
enum rtap_status file_open(struct file **file, const char *name, struct stream *stream, struct batch_pool *pool,
			   struct source_metadata *metadata, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Appends frames to an empty batch: those available without waiting for more, with bytes, lengths, link type, interface,
 * time_ns and comments. OK without a frame: a signal interrupted the wait. BROKEN is returned once, then END.
 */
enum rtap_status file_read(struct file *file, struct batch *batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Takes the next block kept for copies of the file, if at most so many frames of the file precede it. NULL: none. */
struct kept_block *file_take_kept(struct file *file, uint64_t frames);

/* Closes and frees. NULL is ignored. */
void file_close(struct file *file);

/* Advances past `count` used bytes. */
static inline void file_advance(struct file *file, size_t count)
{
	file->begin += count;
	file->offset += count;
}

static inline uint16_t file_u16(const struct file *file, const uint8_t *bytes)
{
	uint16_t value;

	__builtin_memcpy(&value, bytes, sizeof value);
	return file->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t file_u32(const struct file *file, const uint8_t *bytes)
{
	uint32_t value;

	__builtin_memcpy(&value, bytes, sizeof value);
	return file->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t file_u64(const struct file *file, const uint8_t *bytes)
{
	uint64_t value;

	__builtin_memcpy(&value, bytes, sizeof value);
	return file->swapped ? __builtin_bswap64(value) : value;
}

#endif
