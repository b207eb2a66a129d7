/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding a device or end port by name, GUID or GID.
 */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rdmatap/device.h>

#include "capture/devices/sysfs.h"

bool rtap_guid_parse(const char *text, uint64_t *guid)
{
	bool is_number = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned most = strchr(text, ':') ? 4 : 16, groups = strchr(text, ':') ? 4 : 1;

	*guid = 0;
	if (is_number)
		text += 2;
	while (groups--) {
		uint64_t group = 0;
		unsigned digits = 0;

		for (; isxdigit((unsigned char)*text) && digits < most; text++, digits++)
			group = group << 4 | (uint64_t)(isdigit((unsigned char)*text) ? *text - '0' : tolower((unsigned char)*text) - 'a' + 10);
		/* leading zeros may be missing if the text is recognisable as a number */
		if (!digits || (most == 16 && digits < 16 && !is_number) || *text != (groups ? ':' : '\0'))
			return false;
		text += groups != 0;
		*guid = (most == 16 ? 0 : *guid << 16) | group;
	}
	return true;
}

bool rtap_p_key_index(const struct rtap_p_keys *p_keys, uint16_t value, uint32_t *index)
{
	bool found = false;

	for (size_t i = 0; i < p_keys->count; i++) {
		const struct rtap_p_key *p_key = &p_keys->p_keys[i];

		if (p_key->value == (value | 0x8000)) {
			*index = p_key->index;
			return true;
		}
		if (p_key->value == value && !found) {
			*index = p_key->index;
			found = true;
		}
	}
	return found;
}

/* A search: the text searched for and the matches so far. */
struct search {
	const char *what;
	struct rtap_end_port *found;
	struct rtap_error *error;
	enum rtap_lookup result;
	char names[512]; /* of all that were found */
};

static void search_begin(struct search *search, const char *what, struct rtap_end_port *found, struct rtap_error *error)
{
	*search = (struct search){ .what = what, .found = found, .error = error, .result = RTAP_LOOKUP_NONE };
	*found = (struct rtap_end_port){ SIZE_MAX, SIZE_MAX, NULL };
}

static void search_add(struct search *search, const struct rtap_device *device, const struct rtap_end_port *match)
{
	size_t used = strlen(search->names);
	const char *separator = used ? ", " : "";

	if (match->port == SIZE_MAX)
		snprintf(search->names + used, sizeof search->names - used, "%s%s", separator, device->name);
	else
		snprintf(search->names + used, sizeof search->names - used, "%s%s/%u", separator, device->name,
			 device->port_numbers[match->port]);
	search->result = search->result == RTAP_LOOKUP_NONE ? RTAP_LOOKUP_FOUND : RTAP_LOOKUP_AMBIGUOUS;
	*search->found = *match;
}

static enum rtap_lookup search_end(struct search *search)
{
	if (search->result == RTAP_LOOKUP_NONE)
		rtap_error_set(search->error, RTAP_ERROR_NOT_FOUND,
			       "%s: no RDMA device or port here has it (rdmatap devices -v shows what they have)", search->what);
	else if (search->result == RTAP_LOOKUP_AMBIGUOUS)
		rtap_error_set(search->error, RTAP_ERROR_NOT_FOUND, "%s: ambiguous, several have it: %s (ask by name)", search->what, search->names);
	else if (search->result == RTAP_LOOKUP_FAILED)
		rtap_error_set(search->error, RTAP_ERROR_MEMORY, "out of memory");
	return search->result;
}

static enum rtap_lookup find_port_number(const struct rtap_device *device, const char *text,
					 struct rtap_end_port *found, struct rtap_error *error)
{
	uint32_t number;

	for (size_t i = 0; sysfs_is_number(text, UINT8_MAX, &number) && i < device->port_count; i++) {
		if (device->port_numbers[i] == number) {
			found->port = i;
			return RTAP_LOOKUP_FOUND;
		}
	}
	if (!device->port_count)
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s/%s: the device has no ports", device->name, text);
	else if (device->port_count == 1)
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s/%s: the device has no such port (it has only %u)", device->name, text,
			       device->port_numbers[0]);
	else
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s/%s: the device has no such port (it has %u to %u)", device->name, text,
			       device->port_numbers[0], device->port_numbers[device->port_count - 1]);
	return RTAP_LOOKUP_NONE;
}

enum rtap_lookup rtap_devices_find_name(struct rtap_devices *devices, const char *name, bool whole,
					struct rtap_end_port *found,
					struct rtap_error *error)
{
	const char *slash = strrchr(name, '/');
	size_t length = slash ? (size_t)(slash - name) : strlen(name);

	*found = (struct rtap_end_port){ SIZE_MAX, SIZE_MAX, NULL };
	for (size_t i = 0; i < rtap_devices_count(devices); i++) {
		const struct rtap_device *device = rtap_devices_device(devices, i);

		if (!device) {
			rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
			return RTAP_LOOKUP_FAILED;
		}
		if (strlen(device->name) != length || strncmp(device->name, name, length))
			continue;
		found->device = i;
		if (slash)
			return find_port_number(device, slash + 1, found, error);
		if (!whole && !device->port_count) {
			rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s: the device has no ports", name);
			return RTAP_LOOKUP_NONE;
		}
		found->port = whole ? SIZE_MAX : 0;
		return RTAP_LOOKUP_FOUND;
	}
	rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "%s: there is no such RDMA device (rdmatap devices lists them)", name);
	return RTAP_LOOKUP_NONE;
}

enum rtap_lookup rtap_devices_find_node_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error)
{
	struct search search;
	char what[64];

	snprintf(what, sizeof what, "node GUID 0x%016" PRIx64, guid);
	search_begin(&search, what, found, error);
	for (size_t i = 0; i < rtap_devices_count(devices) && search.result != RTAP_LOOKUP_FAILED; i++) {
		const struct rtap_device *device = rtap_devices_device(devices, i);

		if (!device)
			search.result = RTAP_LOOKUP_FAILED;
		else if (device->node_guid.known && device->node_guid.value == guid)
			search_add(&search, device, &(struct rtap_end_port){ i, SIZE_MAX, NULL });
	}
	return search_end(&search);
}

/* Calls `match` with each end port; it sets the match's gid. */
static enum rtap_lookup search_ports(struct rtap_devices *devices, struct search *search, const void *key,
				     bool (*match)(struct rtap_devices *devices, struct search *search,
						   struct rtap_end_port *port, const void *key))
{
	for (size_t i = 0; i < rtap_devices_count(devices) && search->result != RTAP_LOOKUP_FAILED; i++) {
		const struct rtap_device *device = rtap_devices_device(devices, i);

		if (!device)
			search->result = RTAP_LOOKUP_FAILED;
		for (size_t j = 0; search->result != RTAP_LOOKUP_FAILED && j < device->port_count; j++) {
			struct rtap_end_port port = { i, j, NULL };

			if (match(devices, search, &port, key))
				search_add(search, device, &port);
		}
	}
	return search_end(search);
}

static bool has_guid(struct rtap_devices *devices, struct search *search, struct rtap_end_port *port, const void *key)
{
	const struct rtap_port *attributes = rtap_devices_port(devices, port->device, port->port);
	const uint64_t *guid = key;

	if (!attributes)
		search->result = RTAP_LOOKUP_FAILED;
	return attributes && attributes->guid.known && attributes->guid.value == *guid;
}

enum rtap_lookup rtap_devices_find_port_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error)
{
	struct search search;
	char what[64];

	snprintf(what, sizeof what, "port GUID 0x%016" PRIx64, guid);
	search_begin(&search, what, found, error);
	return search_ports(devices, &search, &guid, has_guid);
}

static bool has_gid(struct rtap_devices *devices, struct search *search, struct rtap_end_port *port, const void *key)
{
	const struct rtap_gids *gids = rtap_devices_gids(devices, port->device, port->port);

	if (!gids)
		search->result = RTAP_LOOKUP_FAILED;
	for (size_t i = 0; gids && i < gids->count; i++) {
		const struct rtap_gid *gid = &gids->gids[i];

		if (memcmp(gid->bytes, key, sizeof gid->bytes))
			continue;
		if (!port->gid || (gid->type == RTAP_GID_ROCE_V2 && port->gid->type != RTAP_GID_ROCE_V2))
			port->gid = gid;
	}
	return port->gid;
}

enum rtap_lookup rtap_devices_find_gid(struct rtap_devices *devices, const uint8_t gid[16],
				       struct rtap_end_port *found, struct rtap_error *error)
{
	char what[INET6_ADDRSTRLEN + sizeof "GID "] = "GID ";
	struct search search;

	inet_ntop(AF_INET6, gid, what + strlen(what), INET6_ADDRSTRLEN);
	search_begin(&search, what, found, error);
	return search_ports(devices, &search, gid, has_gid);
}
