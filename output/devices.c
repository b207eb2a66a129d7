/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One function, show_device(), traverses the attributes of a device, for JSON and for the full text.
 */
#include "config.h"

#include "output/devices.h"
#include "output/packet/json.h"
#include "output/packet/object.h"

/* The output form of values. Keys are those of JSON. */
struct style {
	void (*text)(struct line *line, unsigned depth, const char *key, const char *text); /* NULL: unknown */
	void (*number)(struct line *line, unsigned depth, const char *key, struct rtap_count number);
	void (*hex)(struct line *line, unsigned depth, const char *key, struct rtap_count number, unsigned digits);
	void (*gid)(struct line *line, unsigned depth, const char *key, const uint8_t gid[16]);
	void (*yes)(struct line *line, unsigned depth, const char *key, bool value);
	/* A list of `count` elements; a row contains values, a group contains rows and lists. */
	void (*begin_list)(struct line *line, unsigned depth, const char *key, size_t count);
	void (*end_list)(struct line *line);
	void (*begin_row)(struct line *line, unsigned depth);
	void (*end_row)(struct line *line);
	void (*begin_group)(struct line *line, unsigned depth);
	void (*end_group)(struct line *line);
	/* A list element that is only text. */
	void (*item)(struct line *line, unsigned depth, const char *text);
};

/* Values of one row of the full text are on one line. */
#define IN_ROW 0x100

static void json_text(struct line *line, unsigned depth, const char *key, const char *text)
{
	(void)depth;
	if (!text)
		return;
	object_key(line, key);
	json_string(line, (const uint8_t *)text, strlen(text));
}

static void json_number(struct line *line, unsigned depth, const char *key, struct rtap_count number)
{
	(void)depth;
	if (number.known)
		object_number(line, key, number.value);
}

static void json_hex(struct line *line, unsigned depth, const char *key, struct rtap_count number, unsigned digits)
{
	(void)depth;
	if (number.known)
		object_hex(line, key, number.value, digits);
}

static void json_gid(struct line *line, unsigned depth, const char *key, const uint8_t gid[16])
{
	(void)depth;
	object_key(line, key);
	line_char(line, '"');
	line_ipv6(line, gid);
	line_char(line, '"');
}

static void json_yes(struct line *line, unsigned depth, const char *key, bool value)
{
	(void)depth;
	object_bool(line, key, value);
}

static void json_begin_list(struct line *line, unsigned depth, const char *key, size_t count)
{
	(void)depth;
	(void)count;
	object_key(line, key);
	line_char(line, '[');
}

static void json_end_list(struct line *line)
{
	line_char(line, ']');
}

static void json_next(struct line *line)
{
	if (line->next[-1] != '[')
		line_char(line, ',');
}

static void json_begin_object(struct line *line, unsigned depth)
{
	(void)depth;
	json_next(line);
	line_char(line, '{');
}

static void json_end_object(struct line *line)
{
	line_char(line, '}');
}

static void json_item(struct line *line, unsigned depth, const char *text)
{
	(void)depth;
	json_next(line);
	json_string(line, (const uint8_t *)text, strlen(text));
}

static const struct style json_style = {
	json_text, json_number, json_hex, json_gid, json_yes, json_begin_list, json_end_list, json_begin_object, json_end_object,
	json_begin_object, json_end_object, json_item,
};

static void indent(struct line *line, unsigned depth)
{
	while (depth--)
		line_bytes(line, "  ", 2);
}

/* "key: ", or in a row "key " with a comma before it. */
static void tree_key(struct line *line, unsigned depth, const char *key)
{
	if (!(depth & IN_ROW))
		indent(line, depth);
	else if (line->next[-1] != ' ')
		line_bytes(line, ", ", 2);
	for (; *key; key++)
		line_char(line, *key == '_' ? ' ' : *key);
	line_text(line, depth & IN_ROW ? " " : ": ");
}

static void tree_end(struct line *line, unsigned depth)
{
	if (!(depth & IN_ROW))
		line_char(line, '\n');
}

static void tree_text(struct line *line, unsigned depth, const char *key, const char *text)
{
	if (!text && depth & IN_ROW)
		return;
	tree_key(line, depth, key);
	if (text)
		line_escaped(line, (const uint8_t *)text, strlen(text));
	else
		line_text(line, "unknown");
	tree_end(line, depth);
}

static void tree_number(struct line *line, unsigned depth, const char *key, struct rtap_count number)
{
	if (!number.known) {
		tree_text(line, depth, key, NULL);
		return;
	}
	tree_key(line, depth, key);
	line_dec(line, number.value);
	tree_end(line, depth);
}

static void tree_hex(struct line *line, unsigned depth, const char *key, struct rtap_count number, unsigned digits)
{
	if (!number.known) {
		tree_text(line, depth, key, NULL);
		return;
	}
	tree_key(line, depth, key);
	line_hex(line, number.value, digits);
	tree_end(line, depth);
}

static void tree_gid(struct line *line, unsigned depth, const char *key, const uint8_t gid[16])
{
	tree_key(line, depth, key);
	line_ipv6(line, gid);
	tree_end(line, depth);
}

static void tree_yes(struct line *line, unsigned depth, const char *key, bool value)
{
	if (!value)
		return;
	line_bytes(line, ", ", 2);
	line_text(line, key);
	tree_end(line, depth);
}

static void tree_begin_list(struct line *line, unsigned depth, const char *key, size_t count)
{
	tree_key(line, depth, key);
	if (count)
		line->next--; /* the space */
	line_text(line, count ? "\n" : "none\n");
}

static void tree_end_list(struct line *line)
{
	(void)line;
}

static void tree_end_row(struct line *line)
{
	line_char(line, '\n');
}

static void tree_item(struct line *line, unsigned depth, const char *text)
{
	indent(line, depth);
	line_escaped(line, (const uint8_t *)text, strlen(text));
	line_char(line, '\n');
}

static void tree_begin_group(struct line *line, unsigned depth)
{
	(void)line;
	(void)depth;
}

static const struct style tree_style = {
	tree_text, tree_number, tree_hex, tree_gid, tree_yes, tree_begin_list, tree_end_list, indent, tree_end_row,
	tree_begin_group, tree_end_list, tree_item,
};

/* A value by name, or by number if it has no name. */
static void show_named(const struct style *style, struct line *line, unsigned depth, const char *key,
		       struct rtap_count value,
		       const char *(*name_of)(uint64_t value))
{
	const char *name = value.known ? name_of(value.value) : NULL;
	char digits[24];
	struct line text;

	if (value.known && !name) {
		line_init(&text, digits, sizeof digits - 1);
		line_dec(&text, value.value);
		*text.next = 0;
		name = digits;
	}
	style->text(line, depth, key, name);
}

static struct rtap_count known(uint64_t value)
{
	return (struct rtap_count){ true, value };
}

static void show_counters(const struct style *style, struct line *line, unsigned depth, const char *key,
			  const struct rtap_device_counters *counters)
{
	style->begin_list(line, depth, key, counters->count);
	for (size_t i = 0; i < counters->count; i++) {
		char digits[24];
		struct line text;

		line_init(&text, digits, sizeof digits - 1);
		line_dec(&text, counters->counters[i].value);
		*text.next = 0;
		style->begin_row(line, depth + 1);
		style->text(line, IN_ROW, "name", counters->counters[i].name);
		style->text(line, IN_ROW, "value", digits);
		style->end_row(line);
	}
	style->end_list(line);
}

static void show_gids(const struct style *style, struct line *line, unsigned depth, const struct rtap_gids *gids)
{
	style->begin_list(line, depth, "gids", gids->count);
	for (size_t i = 0; i < gids->count; i++) {
		const struct rtap_gid *gid = &gids->gids[i];

		style->begin_row(line, depth + 1);
		style->number(line, IN_ROW, "index", known(gid->index));
		style->gid(line, IN_ROW, "gid", gid->bytes);
		style->text(line, IN_ROW, "type", rtap_gid_type_name(gid->type));
		style->text(line, IN_ROW, "netdev", gid->netdev);
		style->yes(line, IN_ROW, "chosen", gid == gids->chosen);
		style->end_row(line);
	}
	style->end_list(line);
}

static void show_p_keys(const struct style *style, struct line *line, unsigned depth, const struct rtap_p_keys *p_keys)
{
	style->begin_list(line, depth, "p_keys", p_keys->count);
	for (size_t i = 0; i < p_keys->count; i++) {
		style->begin_row(line, depth + 1);
		style->number(line, IN_ROW, "index", known(p_keys->p_keys[i].index));
		style->hex(line, IN_ROW, "p_key", known(p_keys->p_keys[i].value), 4);
		style->end_row(line);
	}
	style->end_list(line);
}

static void show_capabilities(const struct style *style, struct line *line, unsigned depth, struct rtap_count mask)
{
	style->hex(line, depth, "capability_mask", mask, 8);
	style->begin_list(line, depth, "capabilities", mask.known ? (size_t)__builtin_popcountll(mask.value) : 0);
	for (unsigned bit = 0; mask.known && bit < 32; bit++) {
		const char *name = rtap_capability_name(bit);
		char number[] = { 'b', 'i', 't', ' ', (char)('0' + bit / 10), (char)('0' + bit % 10), 0 };

		if (mask.value >> bit & 1)
			style->item(line, depth + 1, name ? name : number);
	}
	style->end_list(line);
}

static void show_port(const struct style *style, struct line *line, unsigned depth, const struct shown_port *shown)
{
	const struct rtap_port *port = shown->port;

	style->begin_group(line, depth);
	style->number(line, depth, "number", known(port->number));
	depth++;
	if (shown->gid)
		style->number(line, depth, "gid_index", known(shown->gid->index));
	style->text(line, depth, "transport", rtap_device_transport_name(port->transport));
	style->text(line, depth, "link_layer", port->link_layer);
	show_named(style, line, depth, "state", port->state, rtap_port_state_name);
	show_named(style, line, depth, "physical_state", port->physical_state, rtap_physical_state_name);
	style->text(line, depth, "rate", port->rate);
	style->number(line, depth, "rate_mbps", port->rate_mbps);
	style->number(line, depth, "lid", port->lid);
	style->number(line, depth, "lmc", port->lmc);
	style->number(line, depth, "sm_lid", port->sm_lid);
	style->number(line, depth, "sm_sl", port->sm_sl);
	style->number(line, depth, "subnet_timeout", shown->subnet_timeout);
	style->number(line, depth, "path_mtu", shown->path_mtu);
	style->number(line, depth, "max_path_mtu", shown->max_path_mtu);
	style->text(line, depth, "netdev", port->netdev);
	style->number(line, depth, "netdev_mtu", port->netdev_mtu);
	show_capabilities(style, line, depth, port->capability_mask);
	style->hex(line, depth, "guid", port->guid, 16);
	style->text(line, depth, "umad", port->umad);
	style->text(line, depth, "issm", port->issm);
	show_gids(style, line, depth, shown->gids);
	show_p_keys(style, line, depth, shown->p_keys);
	show_counters(style, line, depth, "hw_counters", shown->counters);
	show_counters(style, line, depth, "cm_counters", shown->cm_counters);
	style->end_group(line);
}

static const char *yes_or_no(uint64_t value)
{
	return value ? "yes" : "no";
}

static void show_verbs(const struct style *style, struct line *line, const struct rtap_device_verbs *verbs)
{
	if (!verbs->valid) {
		style->text(line, 1, "verbs_trouble", verbs->failure);
		return;
	}
	style->begin_list(line, 1, "verbs_capabilities", (size_t)__builtin_popcount(verbs->capabilities));
	for (unsigned bit = 0; bit < 32; bit++)
		if (verbs->capabilities >> bit & 1)
			style->item(line, 2, rtap_verbs_capability_name(bit));
	style->end_list(line);
	style->number(line, 1, "core_clock_khz", verbs->core_clock_khz);
	style->number(line, 1, "max_receives", verbs->max_receives);
	style->number(line, 1, "max_sges", verbs->max_sges);
	style->number(line, 1, "max_completions", verbs->max_completions);
	style->number(line, 1, "max_rss_queues", verbs->max_rss_queues);
	show_named(style, line, 1, "raw_packet_queue_pairs", verbs->raw_packet, yes_or_no);
	style->hex(line, 1, "vendor", verbs->vendor, 6);
	style->hex(line, 1, "part", verbs->part, 4);
	style->number(line, 1, "max_queue_pairs", verbs->max_queue_pairs);
	style->number(line, 1, "max_completion_queues", verbs->max_completion_queues);
	style->number(line, 1, "max_memory_regions", verbs->max_memory_regions);
}

static void show_device(const struct style *style, struct line *line, const struct shown_device *shown)
{
	const struct rtap_device *device = shown->device;

	style->text(line, 0, "name", device->name);
	show_named(style, line, 1, "node_type", device->node_type, rtap_node_type_name);
	style->text(line, 1, "transport", rtap_device_transport_name(device->transport));
	style->hex(line, 1, "node_guid", device->node_guid, 16);
	style->hex(line, 1, "system_image_guid", device->system_image_guid, 16);
	style->text(line, 1, "node_description", device->node_description);
	style->text(line, 1, "firmware", device->firmware);
	style->text(line, 1, "hardware_revision", device->hardware_revision);
	style->text(line, 1, "board_id", device->board_id);
	style->text(line, 1, "hca_type", device->hca_type);
	style->number(line, 1, "numa_node", device->numa_node);
	style->begin_list(line, 1, "netdevs", device->netdev_count);
	for (size_t i = 0; i < device->netdev_count; i++)
		style->item(line, 2, device->netdevs[i]);
	style->end_list(line);
	show_counters(style, line, 1, "hw_counters", shown->counters);
	if (shown->verbs)
		show_verbs(style, line, shown->verbs);
	style->begin_list(line, 1, "ports", shown->port_count);
	for (size_t i = 0; i < shown->port_count; i++)
		show_port(style, line, 2, &shown->ports[i]);
	style->end_list(line);
}

void device_json(const struct shown_device *shown, struct line *line)
{
	line_char(line, '{');
	show_device(&json_style, line, shown);
	line_text(line, "}\n");
}

void device_tree(const struct shown_device *shown, struct line *line)
{
	show_device(&tree_style, line, shown);
}

/* Ends a line of text that may have no values: "name: ". */
static void end_pieces(struct line *line)
{
	if (line->next[-1] == ' ')
		line->next--;
	line_char(line, '\n');
}

/* A part of a line of text with the separator before it. */
static void piece(struct line *line, const char *label, const char *text)
{
	if (!text)
		return;
	if (line->next[-1] != ' ')
		line_bytes(line, ", ", 2);
	line_text(line, label);
	line_escaped(line, (const uint8_t *)text, strlen(text));
}

static void number_piece(struct line *line, const char *label, struct rtap_count number)
{
	if (!number.known)
		return;
	piece(line, label, "");
	line_dec(line, number.value);
}

static void guid_piece(struct line *line, const char *label, struct rtap_count guid)
{
	if (!guid.known)
		return;
	piece(line, label, "");
	line_hex(line, guid.value, 16);
}

static void named_piece(struct line *line, struct rtap_count value, const char *(*name_of)(uint64_t value),
			const char *label)
{
	const char *name = value.known ? name_of(value.value) : NULL;

	if (name)
		piece(line, "", name);
	else
		number_piece(line, label, value);
}

static void port_text(const struct rtap_device *device, const struct shown_port *shown, struct line *line)
{
	const struct rtap_port *port = shown->port;
	const struct rtap_gid *gid = shown->gid ? shown->gid : shown->gids->chosen;

	line_bytes(line, "  ", 2);
	line_escaped(line, (const uint8_t *)device->name, strlen(device->name));
	line_char(line, '/');
	line_dec(line, port->number);
	line_bytes(line, ": ", 2);
	piece(line, "", device->transport == RTAP_DEVICE_MIXED ? rtap_device_transport_name(port->transport) : NULL);
	named_piece(line, port->state, rtap_port_state_name, "state ");
	named_piece(line, port->physical_state, rtap_physical_state_name, "physical state ");
	piece(line, "", port->rate);
	if (port->transport == RTAP_DEVICE_INFINIBAND) {
		number_piece(line, "LID ", port->lid);
		number_piece(line, "SM LID ", port->sm_lid);
	}
	guid_piece(line, "GUID ", port->guid);
	if (gid) {
		number_piece(line, "GID ", known(gid->index));
		line_char(line, ' ');
		line_ipv6(line, gid->bytes);
		piece(line, "", rtap_gid_type_name(gid->type));
		piece(line, "", gid->netdev);
	}
	piece(line, "", port->umad);
	end_pieces(line);
}

void device_text(const struct shown_device *shown, struct line *line)
{
	const struct rtap_device *device = shown->device;

	line_escaped(line, (const uint8_t *)device->name, strlen(device->name));
	line_bytes(line, ": ", 2);
	named_piece(line, device->node_type, rtap_node_type_name, "node type ");
	piece(line, "", rtap_device_transport_name(device->transport));
	guid_piece(line, "node GUID ", device->node_guid);
	piece(line, "", device->hca_type);
	piece(line, "firmware ", device->firmware);
	piece(line, "board ", device->board_id);
	for (size_t i = 0; i < device->netdev_count; i++)
		piece(line, "", device->netdevs[i]);
	end_pieces(line);
	for (size_t i = 0; i < shown->port_count; i++)
		port_text(device, &shown->ports[i], line);
}
