/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kinds of live devices: finding one by name, listing them.
 */
#include "config.h"

#include <string.h>

#include "capture/live.h"

static const struct live_kind *const kinds[] = { &live_verbs, &live_pcap, &live_umad };

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* The kind before the colon; *rest: the text after it. NULL: no kind. */
static const struct live_kind *named_kind(const char *name, const char **rest)
{
	const char *colon = strchr(name, ':');

	for (size_t i = 0; colon && i < KIND_COUNT; i++) {
		if (strlen(kinds[i]->name) != (size_t)(colon - name) || strncmp(kinds[i]->name, name, (size_t)(colon - name)))
			continue;
		*rest = colon + 1;
		return kinds[i];
	}
	return NULL;
}

enum rtap_status live_find(const char *name, const struct live_kind **kind, const char **rest, struct rtap_error *error)
{
	*kind = named_kind(name, rest);
	if (!*kind) {
		*rest = name;
		for (size_t i = 0; i < KIND_COUNT && !*kind; i++)
			if (!kinds[i]->missing && kinds[i]->knows(name))
				*kind = kinds[i];
	}
	if (!*kind) {
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s: there is no such device (rdmatap -D lists what there is)", name);
		return RTAP_STATUS_FAILED;
	}
	if ((*kind)->missing) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: %s", name, (*kind)->missing);
		return RTAP_STATUS_FAILED;
	}
	if (!**rest && !(*kind)->unnamed) {
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s: the name of the device is missing (rdmatap -D lists what there is)", name);
		return RTAP_STATUS_FAILED;
	}
	return RTAP_STATUS_OK;
}

/* Passes on an entry of a listing with its kind. */
struct listing {
	const char *kind;
	void (*take)(void *owner, const struct rtap_live_entry *entry);
	void *owner;
};

static void take_entry(void *owner, struct rtap_live_entry *entry)
{
	const struct listing *listing = owner;

	entry->kind = listing->kind;
	listing->take(listing->owner, entry);
}

enum rtap_status rtap_live_list(void (*take)(void *owner, const struct rtap_live_entry *entry), void *owner,
				struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	for (size_t i = 0; i < KIND_COUNT; i++) {
		struct listing listing = { kinds[i]->name, take, owner };

		if (!kinds[i]->missing && kinds[i]->list(take_entry, &listing, error))
			status = RTAP_STATUS_BROKEN;
	}
	return status;
}

enum rtap_status rtap_sender_open(struct rtap_sender **sender, const char *name, struct rtap_error *error)
{
	const struct live_kind *kind;
	const char *rest;

	*sender = NULL;
	if (live_find(name, &kind, &rest, error))
		return RTAP_STATUS_FAILED;
	if (kind->open_sender)
		return kind->open_sender(sender, rest, error);
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: frames cannot be sent on this kind of device", name);
	return RTAP_STATUS_FAILED;
}

uint32_t rtap_sender_link_type(const struct rtap_sender *sender)
{
	return sender->link_type;
}

enum rtap_status rtap_sender_send(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count, size_t *sent,
				  struct rtap_error *error)
{
	return sender->operations->send(sender, frames, count, sent, error);
}

enum rtap_status rtap_sender_compute_checksums(struct rtap_sender *sender, struct rtap_error *error)
{
	if (sender->operations->compute_checksums)
		return sender->operations->compute_checksums(sender, error);
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "only RDMA devices (verbs:DEVICE) compute checksums of what is sent");
	return RTAP_STATUS_FAILED;
}

enum rtap_status rtap_sender_flush(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error)
{
	return sender->operations->flush(sender, lost, error);
}

void rtap_sender_close(struct rtap_sender *sender)
{
	if (sender)
		sender->operations->close(sender);
}
