/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/file/file.h"
#include "capture/file/pcapng.h"
#include "capture/file/pcapng_keep.h"
#include "capture/file/pcapng_options.h"
#include "capture/tick.h"

/* Queues the block after the frames that precede it. */
static void queue(struct file *file, struct kept_block *block, uint64_t frames)
{
	block->before = frames;
	if (file->last_kept)
		file->last_kept->next = block;
	else
		file->first_kept = block;
	file->last_kept = block;
}

/* A block with room for its body. NULL and *failed: out of memory; NULL only: it is counted as left out. */
static struct kept_block *make(struct file *file, uint32_t type, size_t length, bool *failed)
{
	struct kept_blocks *kept = &file->metadata->kept;
	bool full;
	struct kept_block *made = kept_blocks_make(kept, type, (uint32_t)((length + 3) & ~(size_t)3), &full);

	*failed = !made && !full;
	kept->left_out += full;
	return made;
}

static void swap_u16(uint8_t *at)
{
	uint8_t first = at[0];

	at[0] = at[1];
	at[1] = first;
}

static void swap_u32(uint8_t *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof number);
	number = __builtin_bswap32(number);
	memcpy(at, &number, sizeof number);
}

static uint16_t u16_at(const uint8_t *at)
{
	uint16_t number;

	memcpy(&number, at, sizeof number);
	return number;
}

static uint32_t u32_at(const uint8_t *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof number);
	return number;
}

/* Settles the options from `fixed` on, and reduces the length to the end of what is kept of them. False: they do not fit. */
static bool settle_options(struct file *file, struct kept_block *made, uint32_t fixed, enum pcapng_options_of of)
{
	uint8_t *options = made->body + fixed;
	uint32_t length = made->length - fixed;

	if (!pcapng_options_fit((struct rtap_span){ options, length }, file->swapped))
		return false;
	made->length = fixed + pcapng_options_settle(options, length, of, file->swapped, &file->metadata->options_left_out);
	return true;
}

/* Records up to one of type 0, then options. draft-ietf-opsawg-pcapng, 4.5. False: it is malformed. */
static bool settle_names(struct file *file, struct kept_block *made)
{
	const uint32_t length = made->length;
	uint32_t at = 0, size, type;
	uint8_t *body = made->body;

	do {
		if (length - at < 4)
			return false;
		if (file->swapped) {
			swap_u16(body + at);
			swap_u16(body + at + 2);
		}
		type = u16_at(body + at);
		size = 4 + ((u16_at(body + at + 2) + 3u) & ~3u);
		if (size > length - at)
			return false;
		at += size;
	} while (type);
	return settle_options(file, made, at, PCAPNG_OPTIONS_OF_NAMES);
}

/* Type, length, secrets, options. 4.7. */
static bool settle_secrets(struct file *file, struct kept_block *made)
{
	uint8_t *body = made->body;
	uint32_t size;

	if (made->length < 8)
		return false;
	if (file->swapped) {
		swap_u32(body);
		swap_u32(body + 4);
	}
	size = u32_at(body + 4);
	if (size > made->length - 8)
		return false;
	return settle_options(file, made, 8 + ((size + 3) & ~3u), PCAPNG_OPTIONS_OF_SECRETS);
}

/* Puts the body into host byte order. False: it is malformed. */
static bool settle_body(struct file *file, struct kept_block *made)
{
	switch (made->type) {
	case PCAPNG_NAMES: return settle_names(file, made);
	case PCAPNG_SECRETS: return settle_secrets(file, made);
	case PCAPNG_CUSTOM:
		if (made->length >= 4 && file->swapped)
			swap_u32(made->body);
		return made->length >= 4;
	default: return true;
	}
}

bool pcapng_keep_block(struct file *file, uint32_t type, struct rtap_span body, const uint32_t *interface, uint64_t frames)
{
	struct kept_blocks *kept = &file->metadata->kept;
	struct kept_block *made;
	bool failed;

	if (!kept->wanted)
		return true;
	/* what an unknown block says may be wrong of a copy: the numbers of interfaces change */
	if (type != PCAPNG_NAMES && type != PCAPNG_SECRETS && type != PCAPNG_CUSTOM && type != PCAPNG_JOURNAL) {
		kept->left_out++;
		return true;
	}
	made = make(file, type, body.length, &failed);
	if (!made)
		return !failed;
	made->has_interface = interface;
	if (interface)
		made->interface = *interface;
	memcpy(made->body, body.bytes, body.length);
	if (settle_body(file, made)) {
		queue(file, made, frames);
		return true;
	}
	kept->left_out++;
	free(made);
	return true;
}

bool pcapng_keep_section(struct file *file, struct rtap_span options, uint64_t frames)
{
	struct kept_block *made;
	bool failed;

	if (!file->metadata->kept.wanted)
		return true;
	made = make(file, PCAPNG_SECTION, options.length, &failed);
	if (!made)
		return !failed;
	memcpy(made->body, options.bytes, options.length);
	queue(file, made, frames);
	return true;
}

/* A time as two halves, in place: ticks become nanoseconds. */
static void convert_time(const struct tick *tick, uint8_t *halves)
{
	bool held;
	int64_t ns = tick_to_ns(tick, (uint64_t)u32_at(halves) << 32 | u32_at(halves + 4), &held);
	const uint64_t since = ns < 0 ? 0 : (uint64_t)ns;
	const uint32_t converted[] = { (uint32_t)(since >> 32), (uint32_t)since };

	memcpy(halves, converted, sizeof converted);
}

bool pcapng_keep_statistics(struct file *file, uint32_t number, const struct tick *tick, const uint8_t *body, struct rtap_span options, uint64_t frames)
{
	const uint32_t halves[] = { file_u32(file, body + 4), file_u32(file, body + 8) };
	struct pcapng_option option;
	struct rtap_span rest;
	struct kept_block *made;
	bool failed;

	if (!file->metadata->kept.wanted)
		return true;
	made = make(file, PCAPNG_STATISTICS, sizeof halves + options.length, &failed);
	if (!made)
		return !failed;
	made->has_interface = true;
	made->interface = number;
	memcpy(made->body, halves, sizeof halves);
	convert_time(tick, made->body);
	memcpy(made->body + sizeof halves, options.bytes, options.length);
	rest = (struct rtap_span){ made->body + sizeof halves, options.length };
	while (pcapng_options_next(&rest, &option))
		if ((option.code == PCAPNG_ISB_STARTTIME || option.code == PCAPNG_ISB_ENDTIME) && option.length == sizeof halves)
			convert_time(tick, made->body + (option.value - made->body));
	queue(file, made, frames);
	return true;
}

static bool is_kept_elsewhere(const struct pcapng_option *option)
{
	switch (option->code) {
	case PCAPNG_IF_NAME:
	case PCAPNG_IF_DESCRIPTION:
	case PCAPNG_IF_SPEED:
	case PCAPNG_IF_TSRESOL:
	case PCAPNG_IF_FCSLEN:
	case PCAPNG_IF_TSOFFSET:
		return true;
	case PCAPNG_IF_FILTER:
		return option->length && !option->value[0];
	default:
		return false;
	}
}

struct rtap_span pcapng_other_options(uint8_t *options, uint32_t length)
{
	struct rtap_span rest = { options, length };
	struct pcapng_option option;
	uint32_t kept = 0;

	while (pcapng_options_next(&rest, &option)) {
		uint32_t begin = (uint32_t)(option.value - options) - PCAPNG_OPTION_HEADER, size = (uint32_t)(rest.bytes - options) - begin;

		if (is_kept_elsewhere(&option))
			continue;
		memmove(options + kept, options + begin, size);
		kept += size;
	}
	return (struct rtap_span){ options, kept };
}
