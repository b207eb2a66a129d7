/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/file/writer.h"
#include "capture/source.h"
#include "harness.h"

/* Reads every byte that frames and comments say they have. */
static unsigned touch(const struct rtap_batch *batch)
{
	unsigned sum = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct rtap_frame *frame = &batch->frames[i];

		if (frame->captured_length > frame->wire_length)
			abort();
		for (uint32_t j = 0; j < frame->captured_length; j++)
			sum += frame->bytes[j];
		for (uint32_t j = 0; j < frame->comment_count; j++)
			for (uint32_t k = 0; k < frame->comments[j].length; k++)
				sum += frame->comments[j].bytes[k];
	}
	return sum;
}

/* Writes the frames, and what is kept of a pcapng file. A link type may not fit into the file. */
static void copy_batch(struct rtap_writer **writer, const struct rtap_source *source, const struct rtap_batch *batch)
{
	struct rtap_error error;

	if (!*writer) {
		if (writer_open_like(writer, "/dev/null", "a.pcapng", 1, false, source, &error))
			abort();
		writer_set_as_frames_come(*writer, true);
		writer_set_last(*writer);
	}
	for (size_t i = 0; i < batch->count; i++)
		(void)!rtap_writer_write(*writer, &batch->frames[i], &error);
}

static void read_to_end(const struct rtap_span *files, size_t count, size_t block_size, size_t step, bool copies)
{
	struct rtap_writer *writer = NULL;
	struct rtap_source *source;
	struct rtap_batch *batch, *before = NULL;
	struct rtap_error error;
	enum rtap_status status;
	volatile unsigned sum = 0;

	if (source_open_memory(&source, files, count, block_size, step, &error))
		return;
	if (copies)
		source_keep_blocks(source);
	while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
		if (status == RTAP_STATUS_FAILED)
			abort();
		/* One batch stays held while the next is read: its bytes must stay as they are. */
		if (before)
			sum += touch(before);
		rtap_batch_release(before);
		before = batch;
		if (copies && batch)
			copy_batch(&writer, source, batch);
	}
	for (size_t i = 0; i < rtap_source_note_count(source); i++)
		sum += (unsigned)strlen(rtap_source_note(source, i));
	(void)!rtap_writer_close(writer, NULL);
	rtap_source_close(source);
	if (before)
		sum += touch(before);
	rtap_batch_release(before);
	(void)sum;
}

/* The first two bytes choose the block size, how the bytes arrive, and whether a copy is written; the rest is a file, or two to be merged. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtap_span files[2];
	size_t block_size, step;
	uint8_t *copy;

	if (size < 2)
		return 0;
	block_size = data[0] & 0x80 ? 0 : 64 + data[0];
	step = data[1] & 0x3f;
	copy = malloc(size - 2);
	if (!copy)
		return 0;
	memcpy(copy, data + 2, size - 2);
	files[0] = (struct rtap_span){ copy, (uint32_t)(size - 2) };
	read_to_end(files, 1, block_size, step, data[1] & 0x40);
	if (data[1] & 0x80) {
		files[0].length = (uint32_t)(size - 2) / 2;
		files[1] = (struct rtap_span){ copy + files[0].length, (uint32_t)(size - 2) - files[0].length };
		read_to_end(files, 2, block_size, step, data[1] & 0x40);
	}
	free(copy);
	return 0;
}
