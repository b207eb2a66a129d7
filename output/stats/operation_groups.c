/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "output/message/connections.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/stats/operation_groups.h"

#define KEY_ROOM 4352       /* an address, a colon and a path */
#define MOST_SHOWN (UINT64_MAX / 200) /* 2.9 years in nanoseconds */

static const char *const names[] = {
#define GROUPING_NAME(identifier, name) [OPERATION_BY_##identifier] = name,
	OPERATION_GROUPINGS(GROUPING_NAME)
#undef GROUPING_NAME
};

enum operation_by operation_by_find(const char *name)
{
	if (!strcmp(name, "procedure"))
		return OPERATION_BY_NAME;
	for (unsigned i = OPERATION_BY_NONE + 1; i < OPERATION_BY_COUNT; i++)
		if (!strcmp(name, names[i]))
			return (enum operation_by)i;
	return OPERATION_BY_NONE;
}

static const char *text_value(const struct rtap_operation *operation, const char *name)
{
	for (uint32_t i = 0; i < operation->value_count; i++)
		if (operation->values[i].type == RTAP_VALUE_TEXT && !strcmp(operation->values[i].name, name))
			return operation->values[i].text;
	return NULL;
}

/* Nothing is written if the key is unknown. */
static void write_key(enum operation_by by, const struct rtap_operation *operation, struct line *line)
{
	const struct rtap_connection *connection = operation->connection;
	const struct rtap_end *client = operation->from_a ? &connection->a : &connection->b;
	const struct rtap_end *server = operation->from_a ? &connection->b : &connection->a;
	const char *text = NULL;

	switch (by) {
	case OPERATION_BY_CLIENT:
		end_address(client, line);
		break;
	case OPERATION_BY_SERVER:
		end_address(server, line);
		break;
	case OPERATION_BY_EXPORT:
		text = text_value(operation, "export");
		if (text) {
			end_address(server, line);
			line_char(line, ':');
		}
		break;
	case OPERATION_BY_NAME:
		line_text(line, operation->layer);
		line_char(line, ' ');
		text = operation->name ? operation->name : "unknown";
		break;
	case OPERATION_BY_OBJECT:
		text = operation->object;
		break;
	case OPERATION_BY_LAYER:
		text = operation->layer;
		break;
	case OPERATION_BY_NONE:
	case OPERATION_BY_COUNT:
		break;
	}
	if (text)
		line_text(line, text);
}

struct group_key {
	const char *text;
	size_t length;
};

static bool has_key(const void *value, const void *key)
{
	const struct operation_group *group = value;
	const struct group_key *sought = key;

	return group->length == sought->length && !memcmp(group->key, sought->text, sought->length);
}

static uint64_t hash_of(const struct group_key *key)
{
	uint64_t hash = key->length;

	for (size_t at = 0; at < key->length; at += sizeof hash) {
		uint64_t words[2] = { hash, 0 };
		size_t left = key->length - at;

		memcpy(&words[1], key->text + at, left < sizeof hash ? left : sizeof hash);
		hash = map_hash(words, 2);
	}
	return hash;
}

static struct operation_group *create(struct operation_groups *groups, const struct group_key *key)
{
	struct operation_group *group = calloc(1, sizeof *group + key->length);

	if (!group)
		return NULL;
	group->is_known = key->length;
	group->length = key->length;
	memcpy(group->key, key->text, key->length);
	group->order = groups->count++;
	SLIST_INSERT_HEAD(&groups->all, group, link);
	groups->memory += sizeof *group + key->length + 3 * sizeof(struct map_slot);
	return group;
}

static struct operation_group *rest_of(struct operation_groups *groups)
{
	groups->refused++;
	if (!groups->rest) {
		groups->rest = create(groups, &(struct group_key){ "", 0 });
		if (groups->rest)
			groups->rest->is_rest = true;
	}
	return groups->rest;
}

static struct operation_group *find(struct operation_groups *groups, const struct group_key *key)
{
	uint64_t hash = hash_of(key);
	struct operation_group *group = map_find(&groups->map, hash, has_key, key);

	if (group)
		return group;
	group = groups->memory < groups->max_memory / 2 ? create(groups, key) : NULL;
	if (!group)
		return rest_of(groups);
	if (!map_add(&groups->map, hash, group)) {
		SLIST_REMOVE_HEAD(&groups->all, link);
		groups->count--;
		free(group);
		return rest_of(groups);
	}
	return group;
}

void operation_groups_add(struct operation_groups *groups, const struct rtap_operation *operation)
{
	char text[KEY_ROOM];
	struct operation_group *group;
	struct line line;

	/* half for keys, a quarter for values of which percentiles are exact, a quarter for counters */
	groups->values.most = groups->max_memory / 2;
	groups->values.most_by_values = groups->max_memory / 4;
	line_init(&line, text, sizeof text);
	write_key(groups->by, operation, &line);
	group = find(groups, &(struct group_key){ text, (size_t)(line.next - text) });
	if (!group)
		return;
	if (!group->count || operation->time_ns < group->time_ns)
		group->time_ns = operation->time_ns;
	if (!group->count || operation->time_end_ns > group->time_end_ns)
		group->time_end_ns = operation->time_end_ns;
	group->count++;
	group->failed += operation->has_status && !operation->ok;
	group->unanswered += operation->request_frame && !operation->response_frame && !operation->one_way;
	group->bytes += operation->has_data_bytes ? operation->data_bytes : 0;
	group->time_lost_us += operation->time_lost_us;
	if (operation->has_latency)
		histogram_add(&group->latencies, (uint64_t)operation->latency_ns, &groups->values);
}

void operation_groups_fini(struct operation_groups *groups)
{
	struct operation_group *group;

	while ((group = SLIST_FIRST(&groups->all))) {
		SLIST_REMOVE_HEAD(&groups->all, link);
		histogram_fini(&group->latencies, &groups->values);
		free(group);
	}
	map_fini(&groups->map);
	groups->rest = NULL;
	groups->count = 0;
}

static uint64_t rank_of(const struct operation_group *group, enum operation_groups_sort sort)
{
	switch (sort) {
	case OPERATION_GROUPS_BY_LATENCY: return histogram_percentile(&group->latencies, 990);
	case OPERATION_GROUPS_BY_BYTES: return group->bytes;
	case OPERATION_GROUPS_BY_COUNT: return group->count;
	default: return group->latencies.sum;
	}
}

/* The largest first, otherwise in the order in which they occurred. */
static int compare(const void *left, const void *right)
{
	const struct operation_group *a = *(const struct operation_group *const *)left, *b = *(const struct operation_group *const *)right;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

const struct operation_group **operation_groups_sorted(struct operation_groups *groups, enum operation_groups_sort sort)
{
	const struct operation_group **sorted = calloc(groups->count + 1, sizeof *sorted);
	struct operation_group *group;
	size_t count = 0;

	if (!sorted)
		return NULL;
	SLIST_FOREACH(group, &groups->all, link) {
		group->rank = rank_of(group, sort);
		sorted[count++] = group;
	}
	qsort(sorted, count, sizeof *sorted, compare);
	return sorted;
}

/* The key is last: it has any length. */
#define NUMBER(title) { title, false, false }
#define COLUMNS(identifier, name) [OPERATION_BY_##identifier] = { \
	NUMBER("count"), NUMBER("failed"), NUMBER("unanswered"), NUMBER("bytes"), NUMBER("p50"), NUMBER("p99"), NUMBER("max"), NUMBER("total"), \
	NUMBER("lost"), { "first", true, false }, { name, true, false }, { NULL, false, false }, \
},
static const struct stats_table_column columns[OPERATION_BY_COUNT][12] = { OPERATION_GROUPINGS(COLUMNS) };

static void add_time(struct stats_table *table, uint64_t time_ns)
{
	stats_table_time(table, (int64_t)(time_ns > MOST_SHOWN ? MOST_SHOWN : time_ns));
}

static void add_clock(struct stats_table *table, const struct clock_listing *times, int64_t time_ns)
{
	struct line *line = stats_table_begin(table);
	char text[CLOCK_MOST];

	if (times)
		line_bytes(line, text, (size_t)(clock_put_listed(text, times, time_ns) - text));
	stats_table_end(table);
}

static void add_key(struct stats_table *table, const struct operation_group *group)
{
	struct line *line = stats_table_begin(table);

	if (group->is_known)
		line_escaped(line, (const uint8_t *)group->key, group->length);
	else
		line_text(line, group->is_rest ? "(others)" : "(unknown)");
	stats_table_end(table);
}

void operation_groups_table(struct stats_table *table, const struct operation_groups *groups, const struct operation_group *const *sorted,
			    uint64_t count, const struct clock_listing *times)
{
	static const unsigned permilles[] = { 500, 990 };

	stats_table_init(table, NULL, columns[groups->by]);
	for (uint64_t i = 0; i < count; i++) {
		const struct operation_group *group = sorted[i];
		uint64_t percentiles[2];

		histogram_percentiles(&group->latencies, permilles, 2, percentiles);
		stats_table_number(table, group->count);
		stats_table_number(table, group->failed);
		stats_table_number(table, group->unanswered);
		stats_table_bytes(table, group->bytes);
		add_time(table, percentiles[0]);
		add_time(table, percentiles[1]);
		add_time(table, group->latencies.largest);
		add_time(table, group->latencies.sum);
		add_time(table, group->time_lost_us * 1000);
		add_clock(table, times, group->time_ns);
		add_key(table, group);
	}
}

static void json_time(const char *key, uint64_t time_ns, struct line *line)
{
	object_seconds(line, key, ns_signed(time_ns));
}

void operation_group_json(const struct operation_groups *groups, const struct operation_group *group, struct line *line)
{
	static const unsigned permilles[] = { 500, 990 };
	uint64_t percentiles[2];

	line_char(line, '{');
	object_text(line, "by", names[groups->by]);
	if (group->is_known) {
		object_key(line, "key");
		json_string(line, (const uint8_t *)group->key, group->length);
	}
	if (group->is_rest)
		object_bool(line, "others", true);
	object_number(line, "count", group->count);
	object_time(line, "time", group->time_ns);
	object_time(line, "time_end", group->time_end_ns);
	object_number(line, "failed", group->failed);
	object_number(line, "unanswered", group->unanswered);
	object_number(line, "data_bytes", group->bytes);
	if (group->latencies.count) {
		histogram_percentiles(&group->latencies, permilles, 2, percentiles);
		json_time("latency_p50", percentiles[0], line);
		json_time("latency_p99", percentiles[1], line);
		json_time("latency_max", group->latencies.largest, line);
		json_time("latency_total", group->latencies.sum, line);
	}
	json_time("time_lost", group->time_lost_us * 1000, line);
	line_bytes(line, "}\n", 2);
}
