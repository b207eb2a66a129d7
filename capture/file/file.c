/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file/file.h"

/* Bytes sufficient to identify every format. */
#define MAGIC_LENGTH 12

static const struct magic {
	uint8_t length;
	char bytes[9];
	const struct file_format *format;
	const char *refusal;
} magics[] = {
	{ 4, "\xa1\xb2\xc3\xd4", &pcap_format, NULL },
	{ 4, "\xd4\xc3\xb2\xa1", &pcap_format, NULL },
	{ 4, "\xa1\xb2\x3c\x4d", &pcap_format, NULL },
	{ 4, "\x4d\x3c\xb2\xa1", &pcap_format, NULL },
	{ 4, "\x0a\x0d\x0d\x0a", &pcapng_format, NULL },
#define PCAP_VARIANT(name) "is a modified pcap file (" name ") that is not read (convert it: editcap -F pcapng FILE NEW)"
	{ 4, "\xa1\xb2\xcd\x34", NULL, PCAP_VARIANT("Kuznetzov's, of old Linux systems") },
	{ 4, "\x34\xcd\xb2\xa1", NULL, PCAP_VARIANT("Kuznetzov's, of old Linux systems") },
	{ 4, "\xa1\xb2\x34\xcd", NULL, PCAP_VARIANT("Mesquita's") },
	{ 4, "\xcd\x34\xb2\xa1", NULL, PCAP_VARIANT("Mesquita's") },
	{ 4, "\xa1\x2b\x3c\x4d", NULL, PCAP_VARIANT("Navtel's") },
	{ 4, "\x4d\x3c\x2b\xa1", NULL, PCAP_VARIANT("Navtel's") },
	{ 4, "\x1c\x00\x01\xac", NULL, PCAP_VARIANT("IXIA's, hardware time stamps") },
	{ 4, "\xac\x01\x00\x1c", NULL, PCAP_VARIANT("IXIA's, hardware time stamps") },
	{ 4, "\x1c\x00\x01\xab", NULL, PCAP_VARIANT("IXIA's, software time stamps") },
	{ 4, "\xab\x01\x00\x1c", NULL, PCAP_VARIANT("IXIA's, software time stamps") },
	{ 4, "\xa1\xb2\xc3\xcb", NULL, "is a compiled BPF program, no capture" },
	{ 4, "\xcb\xc3\xb2\xa1", NULL, "is a compiled BPF program, no capture" },
#undef PCAP_VARIANT
#define OTHER_FORMAT(name) "is a " name " file, which is not read (convert it: editcap -F pcapng FILE NEW)"
	{ 8, "snoop\0\0\0", NULL, OTHER_FORMAT("snoop") },
	{ 8, "btsnoop\0", NULL, OTHER_FORMAT("btsnoop") },
	{ 8, "TRSNIFF ", NULL, OTHER_FORMAT("Sniffer") },
	{ 4, "RTSS", NULL, OTHER_FORMAT("Network Monitor") },
	{ 4, "GMBU", NULL, OTHER_FORMAT("Network Monitor") },
#undef OTHER_FORMAT
#define PACKED(name) "is compressed with " name ", which is not read (unpack it first)"
	{ 4, "\x02\x21\x4c\x18", NULL, PACKED("the old format of lz4") },
	{ 6, "\xfd" "7zXZ\0", NULL, PACKED("xz") },
	{ 3, "BZh", NULL, PACKED("bzip2") },
	{ 4, "PK\3\4", NULL, PACKED("zip") },
#undef PACKED
};

/*
 * Makes room after `end`. Unread bytes move to the start of the block, or of another one if frames of a batch
 * still point into this one. Blocks grow step by step as they fill up, never because of a length field.
 */
static bool make_room(struct file *file, size_t need)
{
	size_t unread = file->end - file->begin, size = batch_pool_block_size(file->pool);
	struct batch_block *old = file->block, *block = old;

	if (old && old->size - file->end >= need - unread && old->size - file->end >= old->size / 8)
		return true;
	if (unread >= size)
		size = unread * 2 < need ? unread * 2 : need;
	if (!old || size > old->size || old->size > size * 2 || !batch_block_is_unshared(old)) {
		block = batch_block_get(file->pool, size);
		if (!block)
			return false;
	}
	if (unread)
		memmove(block->bytes, old->bytes + file->begin, unread);
	if (block != old)
		batch_block_release(old);
	file->block = block;
	file->begin = 0;
	file->end = unread;
	return true;
}

/* Reads more, as stream_read(); need: contiguous bytes required, more than are available. */
static enum rtap_status fill(struct file *file, size_t need, size_t *got, struct rtap_error *reason)
{
	enum rtap_status status;

	if (!make_room(file, need)) {
		rtap_error_set(reason, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	status = stream_read(file->stream, file->block->bytes + file->end, file->block->size - file->end, got, reason);
	file->end += *got;
	return status;
}

/* Reads until `need` bytes are available. END: the input ends before that. */
static enum rtap_status open_fill(struct file *file, size_t need, struct rtap_error *reason)
{
	enum rtap_status status = RTAP_STATUS_OK;
	size_t got;

	while (!status && file->end - file->begin < need)
		status = fill(file, need, &got, reason);
	return status;
}

static enum rtap_status detect_format(struct file *file, struct rtap_error *reason)
{
	enum rtap_status status = open_fill(file, MAGIC_LENGTH, reason);
	const uint8_t *bytes = file->block ? file->block->bytes : NULL;
	size_t length = file->end;

	if (status && status != RTAP_STATUS_END)
		return RTAP_STATUS_FAILED;
	if (!length) {
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "is empty");
		return RTAP_STATUS_FAILED;
	}
	for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
		if (length < magics[i].length || memcmp(bytes, magics[i].bytes, magics[i].length))
			continue;
		file->format = magics[i].format;
		if (file->format)
			return RTAP_STATUS_OK;
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "%s", magics[i].refusal);
		return RTAP_STATUS_FAILED;
	}
	if (length < 4)
		rtap_error_set(reason, RTAP_ERROR_FORMAT, "is not a capture file: it has %zu bytes only", length);
	else
		rtap_error_set(reason, RTAP_ERROR_FORMAT,
			       "is not a capture file that rdmatap reads (pcap, pcapng): it begins with %02x %02x %02x %02x",
			       bytes[0], bytes[1], bytes[2], bytes[3]);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status open_format(struct file *file, struct rtap_error *reason)
{
	enum rtap_status status = detect_format(file, reason);
	size_t need = 0;

	if (status || !file->format->open)
		return status;
	do {
		status = open_fill(file, need, reason);
		if (status == RTAP_STATUS_END)
			rtap_error_set(reason, RTAP_ERROR_FORMAT, "the file ends inside its header, after %zu bytes", file->end - file->begin);
		if (status)
			return RTAP_STATUS_FAILED;
		status = file->format->open(file, &need, reason);
	} while (!status && need > file->end - file->begin);
	return status;
}

enum rtap_status file_open(struct file **file, const char *name, struct stream *stream, struct batch_pool *pool,
			   struct source_metadata *metadata, struct rtap_error *error)
{
	struct rtap_error reason;

	*file = calloc(1, sizeof **file);
	if (!*file) {
		stream_close(stream);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	(*file)->stream = stream;
	(*file)->pool = pool;
	(*file)->metadata = metadata;
	(*file)->name = name;
	if (!open_format(*file, &reason))
		return RTAP_STATUS_OK;
	rtap_error_set(error, reason.code, "%s: %s", name, reason.text);
	file_close(*file);
	*file = NULL;
	return RTAP_STATUS_FAILED;
}

/* The message for an error at `begin`, in the frame after those already read. */
static enum rtap_status report_fault(struct file *file, enum rtap_status status, const struct rtap_error *reason,
				   struct rtap_error *error)
{
	rtap_error_set(error, reason->code, "%s: frame %" PRIu64 ": at byte %" PRIu64 "%s: %s", file->name, file->frame_count + 1,
		       file->offset, stream_is_compressed(file->stream) ? " of the inflated data" : "", reason->text);
	file->finished = true;
	return status;
}

static enum rtap_status report_end(struct file *file, size_t need, struct rtap_error *error)
{
	struct rtap_error reason;
	size_t left = file->end - file->begin;

	file->finished = true;
	if (!left)
		return RTAP_STATUS_END;
	rtap_error_set(&reason, RTAP_ERROR_FORMAT, "the file ends inside this %s, %zu bytes after its start where %zu are needed",
		       file->format->unit, left, need);
	return report_fault(file, RTAP_STATUS_BROKEN, &reason, error);
}

enum rtap_status file_read(struct file *file, struct batch *batch, struct rtap_error *error)
{
	size_t need, got;
	struct rtap_error reason;
	enum rtap_status status;

	while (!file->finished) {
		status = file->format->read(file, batch, &need, &reason);
		if (batch->shared.count) {
			/* The next call finds and reports an error after these frames. */
			batch->block = batch_block_hold(file->block);
			file->frame_count += batch->shared.count;
			return RTAP_STATUS_OK;
		}
		if (status)
			return report_fault(file, status, &reason, error);
		if (need <= file->end - file->begin)
			continue;
		status = fill(file, need, &got, &reason);
		if (status == RTAP_STATUS_END)
			return report_end(file, need, error);
		if (status)
			return report_fault(file, status, &reason, error);
		if (!got)
			return RTAP_STATUS_OK;
	}
	return RTAP_STATUS_END;
}

struct kept_block *file_take_kept(struct file *file, uint64_t frames)
{
	struct kept_block *taken = file->first_kept;

	if (!taken || taken->before > frames)
		return NULL;
	file->first_kept = taken->next;
	if (!file->first_kept)
		file->last_kept = NULL;
	taken->next = NULL;
	return taken;
}

void file_close(struct file *file)
{
	struct kept_block *kept;

	if (!file)
		return;
	if (file->format && file->format->close)
		file->format->close(file);
	batch_block_release(file->block);
	stream_close(file->stream);
	while ((kept = file_take_kept(file, UINT64_MAX)))
		free(kept);
	free(file);
}
