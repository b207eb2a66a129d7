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

/* Captured bytes of one frame beyond which a length is taken for damage. */
#define FILE_MAX_CAPTURED (16u * 1024 * 1024)

/*
 * Frames that a batch of a file gets at most: some, so that handing batches to another thread costs little; few, so that what is made
 * of them is still in a processor's cache when it is taken up again, and can be written out soon.
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
	size_t begin, end;          /* in the block: bytes that are read and not used */
	uint64_t offset;            /* in the (inflated) input: of `begin` */
	uint64_t frame_count;       /* read so far */
	bool finished;              /* the end or the fault has been told */
	bool swapped;               /* the numbers of the file, or section, are not in this machine's byte order */
	union {
		struct {
			uint32_t link_type, interface;
			uint32_t fraction_ns; /* a time stamp's fraction counts so many nanoseconds */
			bool mixed_lengths;   /* version 2.3: the two lengths may have changed places */
		} pcap;
		struct {
			struct pcapng_interface *interfaces; /* of the section */
			size_t interface_count, interface_room;
		} pcapng;
	};
};

/* A format of capture files. */
struct file_format {
	/* What one unit of it is called when it is cut off. */
	const char *unit;
	/*
	 * Reads what stands at the file's beginning. *need: as in read(). FAILED: the file cannot be read, see the reason.
	 * May be NULL.
	 */
	enum rtap_status (*open)(struct file *file, size_t *need, struct rtap_error *reason);
	/*
	 * Appends frames to the batch for as long as there are whole units between begin and end and room in the
	 * batch, moving `begin` on. *need: how many bytes the next unit takes, as far as can be seen. BROKEN: what
	 * stands at `begin` cannot be right, see the reason; FAILED: memory is out.
	 */
	enum rtap_status (*read)(struct file *file, struct batch *batch, size_t *need, struct rtap_error *reason);
	/* Frees what the format holds. May be NULL. */
	void (*close)(struct file *file);
};

extern const struct file_format pcap_format, pcapng_format;

/*
 * Opens a capture file on the stream, which it takes over, also when it fails. The name is for messages, borrowed.
 * FAILED: *file is NULL.
 */
enum rtap_status file_open(struct file **file, const char *name, struct stream *stream, struct batch_pool *pool,
			   struct source_metadata *metadata, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Appends frames to an empty batch: those that are there without waiting for more, with bytes, lengths, link type,
 * interface, time_ns and comments. OK without a frame: a signal interrupted the wait. BROKEN is told once, then END.
 */
enum rtap_status file_read(struct file *file, struct batch *batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Closes and frees. NULL is ignored. */
void file_close(struct file *file);

/* Passes `count` used bytes. */
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
