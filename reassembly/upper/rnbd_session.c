/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "reassembly/upper/rnbd_session.h"
#include "reassembly/upper/upper_layers.h"

#define MOST_SESSIONS 4096 /* lookup is linear; further sessions stay unknown, which is counted */
#define MOST_DEVICES 1024  /* of a session, likewise */

struct sessions {
	SLIST_HEAD(, rnbd_session) list; /* newest first */
	uint32_t count;
	uint64_t bytes;            /* charged to the tracker's messages */
};

static struct sessions *sessions_of(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_rnbd];
}

bool rnbd_sessions_init(struct rtap_tracker *tracker)
{
	struct sessions *sessions = memory_new_zeroed(1, sizeof *sessions);

	tracker->upper_states[UPPER_rnbd] = sessions;
	return sessions;
}

static void free_devices(struct rnbd_session *session)
{
	struct rnbd_device *device;

	while ((device = SLIST_FIRST(&session->devices))) {
		SLIST_REMOVE_HEAD(&session->devices, link);
		free(device);
	}
}

void rnbd_sessions_fini(struct rtap_tracker *tracker)
{
	struct sessions *sessions = sessions_of(tracker);
	struct rnbd_session *session;

	if (!sessions)
		return;
	while ((session = SLIST_FIRST(&sessions->list))) {
		SLIST_REMOVE_HEAD(&sessions->list, link);
		free_devices(session);
		if (session->target != session->name)
			free(session->target);
		free(session->name);
		free(session);
	}
	budget_give(&tracker->budget, &tracker->messages, sessions->bytes);
	free(sessions);
	tracker->upper_states[UPPER_rnbd] = NULL;
}

static void charge(struct rtap_tracker *tracker, size_t bytes)
{
	budget_charge(&tracker->budget, &tracker->messages, bytes);
	sessions_of(tracker)->bytes += bytes;
}

static bool is_same(const struct rtap_end *a, const struct rtap_end *b)
{
	return a->address_length == b->address_length && !memcmp(a->address, b->address, a->address_length);
}

struct rnbd_session *rnbd_session_find(struct rtap_tracker *tracker, const struct rtap_end *client, const struct rtap_end *server,
				       const uint8_t *uuid)
{
	struct sessions *sessions = sessions_of(tracker);
	struct rnbd_session *session;

	SLIST_FOREACH(session, &sessions->list, link)
		if (uuid ? !memcmp(session->uuid, uuid, RTRS_UUID_LENGTH) :
			   is_same(&session->client, client) && is_same(&session->server, server))
			return session;
	session = sessions->count < MOST_SESSIONS ? memory_new_zeroed(1, sizeof *session) : NULL;
	if (!session) {
		tracker->counters.evictions++;
		return NULL;
	}
	if (uuid)
		memcpy(session->uuid, uuid, RTRS_UUID_LENGTH);
	session->client = *client;
	session->server = *server;
	SLIST_INSERT_HEAD(&sessions->list, session, link);
	sessions->count++;
	charge(tracker, sizeof *session);
	return session;
}

static char *copy_text(struct rtap_tracker *tracker, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = memory_new(size);

	if (!copy) {
		tracker->counters.evictions++;
		return NULL;
	}
	memcpy(copy, text, size);
	charge(tracker, size);
	return copy;
}

/* Clients choose the names of sessions: sessions of two servers can have the same name. */
static bool is_elsewhere(const struct sessions *sessions, const struct rnbd_session *session)
{
	const struct rnbd_session *other;

	SLIST_FOREACH(other, &sessions->list, link)
		if (other != session && other->name && !strcmp(other->name, session->name) && !is_same(&other->server, &session->server))
			return true;
	return false;
}

void rnbd_session_set_name(struct rtap_tracker *tracker, struct rnbd_session *session, const uint8_t *bytes, size_t length)
{
	char text[RNBD_TEXT];
	struct line line;

	if (!session || session->name || !length)
		return;
	line_init(&line, text, sizeof text - 1);
	line_escaped(&line, bytes, length);
	*line.next = '\0';
	session->name = session->target = copy_text(tracker, text);
	if (!session->name || !is_elsewhere(sessions_of(tracker), session))
		return;
	line_char(&line, '@');
	line_address(&line, session->server.address, session->server.address_length);
	*line.next = '\0';
	session->target = copy_text(tracker, text);
	if (!session->target)
		session->target = session->name;
}

void rnbd_session_open(struct rtap_tracker *tracker, struct rnbd_session *session, uint32_t id, const char *name)
{
	const struct rnbd_device *known = session ? rnbd_session_device(session, id) : NULL;
	size_t size = sizeof(struct rnbd_device) + strlen(name) + 1;
	struct rnbd_device *device;

	if (!session || (known && !strcmp(known->name, name)))
		return;
	device = session->device_count < MOST_DEVICES ? memory_new(size) : NULL;
	if (!device) {
		tracker->counters.evictions++;
		return;
	}
	device->id = id;
	memcpy(device->name, name, strlen(name) + 1);
	SLIST_INSERT_HEAD(&session->devices, device, link);
	session->device_count++;
	charge(tracker, size);
}

const struct rnbd_device *rnbd_session_device(const struct rnbd_session *session, uint32_t id)
{
	const struct rnbd_device *device;

	if (!session)
		return NULL;
	SLIST_FOREACH(device, &session->devices, link)
		if (device->id == id)
			break;
	return device;
}

const char *rnbd_target_text(const struct rnbd_session *session, const struct rtap_end *server, char text[RNBD_TEXT])
{
	struct line line;

	if (session && session->target)
		return session->target;
	line_init(&line, text, RNBD_TEXT - 1);
	line_address(&line, server->address, server->address_length);
	*line.next = '\0';
	return text;
}
