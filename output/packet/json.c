/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/engine/visit.h"
#include "output/packet/first_ids.h"
#include "output/packet/json.h"

/* Form of a value. TIME: seconds, and as another member nanoseconds; NAMED: a number that may have a name, which is another member. */
enum json_kind { OTHER, NUMBER, SECONDS, TIME, NAMED };

#define KEY_TEXT (3 * ROW_STEP)
#define NANOSECONDS_KEY ",\"frame.time_ns\":"

/* The key of a field; several protocols may share a name. */
struct json_key {
	char text[KEY_TEXT]; /* ,"name": */
	uint8_t length;
	enum json_kind kind : 8;
	rtap_field_id first; /* the first field of the same name */
	char unused[ROW_STEP - 4]; /* aligns keys for fast copies */
};

/* A value of a repeated field. */
struct json_repeat {
	const struct rtap_field *field;
	struct rtap_value value; /* of a text, `number` is its place in `texts` */
	uint32_t next;       /* index of the next of its name; 0: none */
	rtap_field_id id;
	bool is_first;       /* of its name */
};

struct json_visitor {
	struct rtap_visitor visitor;
	struct json_format *json;
	struct line *line;
};

/* Length and code of a well-formed sequence that line_utf8_length() finds unsafe on a terminal; 0 if it is none. */
static size_t unsafe_utf8(const uint8_t *bytes, size_t length, unsigned *code)
{
	if (length >= 2 && bytes[0] == 0xc2 && (bytes[1] & 0xe0) == 0x80) {
		*code = bytes[1];
		return 2;
	}
	if (length >= 2 && bytes[0] == 0xd8 && bytes[1] == 0x9c) {
		*code = 0x061c;
		return 2;
	}
	if (length >= 3 && bytes[0] == 0xe2 && (bytes[1] & 0xfe) == 0x80 && (bytes[2] & 0xc0) == 0x80) {
		*code = 0x2000u | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
		return 3;
	}
	return 0;
}

void json_string(struct line *line, const uint8_t *bytes, size_t length)
{
	line_char(line, '"');
	for (size_t i = 0; i < length && !line->cut;) {
		uint8_t byte = bytes[i];
		size_t sequence = line_plain_length(bytes + i, length - i);
		unsigned code = byte < 0x80 ? byte : 0xfffd;

		if (!sequence && byte >= 0x80)
			sequence = line_utf8_length(bytes + i, length - i);
		if (sequence) {
			line_bytes(line, (const char *)bytes + i, sequence);
		} else if (byte == '"' || byte == '\\') {
			line_char(line, '\\');
			line_char(line, (char)byte);
		} else {
			sequence = unsafe_utf8(bytes + i, length - i, &code);
			line_text(line, "\\u");
			line_hex_digits(line, code, 4);
		}
		i += sequence ? sequence : 1;
	}
	line_char(line, '"');
}

static void write_value(struct line *line, const struct json_key *key, const struct rtap_field *field, const struct rtap_value *value)
{
	if (key->kind == NUMBER || key->kind == NAMED) {
		line_dec(line, value->number);
	} else if (field->show == RTAP_TEXT) {
		json_string(line, value->data.bytes, value->data.length);
	} else {
		line_char(line, '"');
		line_value(line, field, value);
		line_char(line, '"');
	}
}

static inline void write_simple(struct line *line, const struct json_key *key, uint64_t number)
{
	char spare[KEY_TEXT + LINE_SHORT + 2 + sizeof NANOSECONDS_KEY + LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare), *to = begin + key->length;

	memcpy(begin, key->text, ROW_STEP);
	if (key->length > ROW_STEP)
		memcpy(begin + ROW_STEP, key->text + ROW_STEP, KEY_TEXT - ROW_STEP);
	if (key->kind == NUMBER) {
		to = line_put_dec(to, number);
	} else {
		*to = '"';
		to = line_put_seconds(to + 1, (int64_t)number);
		*to++ = '"';
	}
	if (key->kind == TIME) {
		to = line_put(to, NANOSECONDS_KEY);
		if ((int64_t)number < 0)
			*to++ = '-';
		to = line_put_dec(to, (int64_t)number < 0 ? -number : number);
	}
	line_end(line, begin, to);
}

/* Repeated names are numbered: "ip.src#2". */
static void write_again(struct line *line, const struct json_key *key, const struct rtap_field *field, const struct rtap_value *value,
			unsigned occurrence)
{
	line_bytes(line, key->text, key->length - 2u);
	line_char(line, '#');
	line_dec(line, occurrence);
	line_bytes(line, "\":", 2);
	write_value(line, key, field, value);
}

/* ,"infiniband.bth.opcode_name":"RC SEND Only" */
static void write_name(struct line *line, const struct rtap_field *field, uint64_t number)
{
	const char *name = rtap_name_of(field->names, number);

	if (!name)
		return;
	line_bytes(line, ",\"", 2);
	line_text(line, field->name);
	line_bytes(line, "_name\":", 7);
	json_string(line, (const uint8_t *)name, strlen(name));
}

/* Writes a value that is not cached; `row`, which may be NULL, is its cache slot. */
static __attribute__((noinline)) void write_new_row(const struct json_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
						    const struct rtap_value *value, struct row *row)
{
	struct json_format *json = visitor->json;
	const struct json_key *key = &json->keys[id];
	const char *start = visitor->line->next;
	struct row_key row_key;

	line_steps(visitor->line, key->text, key->length);
	write_value(visitor->line, key, field, value);
	if (key->kind == NAMED)
		write_name(visitor->line, field, value->number);
	if (row && row_key_init(&row_key, field, value, 1))
		rows_keep(&json->rows, id, row, &row_key, start, visitor->line);
}

static __attribute__((noinline)) bool grow_repeats(struct json_format *json)
{
	struct json_repeat *larger = array_grow(json->repeats, &json->repeat_room, json->repeat_room + 1, sizeof *larger);

	if (larger)
		json->repeats = larger;
	return larger;
}

/* Copies a text, which the visit need not keep. False: out of memory. */
static bool keep_text(struct json_format *json, struct rtap_value *value)
{
	size_t after = json->text_length + value->data.length;
	uint8_t *texts = array_grow(json->texts, &json->text_room, after, 1);

	if (!texts)
		return false;
	json->texts = texts;
	if (value->data.length)
		memcpy(texts + json->text_length, value->data.bytes, value->data.length);
	value->number = json->text_length;
	json->text_length = after;
	return true;
}

/* Stores a value after the others of its name. */
static void keep(struct json_format *json, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value)
{
	rtap_field_id first = json->keys[id].first;
	uint64_t bit = UINT64_C(1) << (first % 64);
	bool is_first = !(json->seen[first / 64] & bit);
	struct rtap_value kept = *value;

	if ((json->repeat_count == json->repeat_room && !grow_repeats(json)) || (field->show == RTAP_TEXT && !keep_text(json, &kept))) {
		json->lost++;
		return;
	}
	if (!is_first)
		json->repeats[json->latest[first]].next = (uint32_t)json->repeat_count;
	json->seen[first / 64] |= bit;
	json->latest[first] = (uint32_t)json->repeat_count;
	json->repeats[json->repeat_count++] = (struct json_repeat){ field, kept, 0, id, is_first };
}

/* Whether the field's name is new in this packet. */
static inline bool is_first(struct json_format *json, const struct json_key *key)
{
	uint64_t *seen = &json->seen[key->first / 64], before = *seen;

	*seen |= UINT64_C(1) << (key->first % 64);
	return *seen != before;
}

/* Number of occurrences including this one, from the second on. */
static unsigned count_again(struct json_format *json, const struct json_key *key)
{
	uint64_t *again = &json->again[key->first / 64], bit = UINT64_C(1) << (key->first % 64);
	uint8_t *count = &json->occurrences[key->first];

	if (!(*again & bit))
		*count = 1;
	*again |= bit;
	if (*count < UINT8_MAX)
		++*count;
	return *count;
}

static inline __attribute__((always_inline)) void write_field(struct rtap_visitor *visitor, rtap_field_id id,
							      const struct rtap_field *field, const struct rtap_value *value,
							      const struct rtap_place *place)
{
	struct json_visitor *json_visitor = (struct json_visitor *)visitor;
	struct json_format *json = json_visitor->json;
	const struct json_key *json_key = &json->keys[id];
	struct row *row = NULL;
	struct row_key key;

	(void)place;
	if (field->flags & RTAP_REPEATS) {
		keep(json, id, field, value);
		return;
	}
	if (!is_first(json, json_key)) {
		write_again(json_visitor->line, json_key, field, value, count_again(json, json_key));
		return;
	}
	if (json_key->kind == NUMBER || json_key->kind == SECONDS || json_key->kind == TIME) {
		write_simple(json_visitor->line, json_key, value->number);
		return;
	}
	if (row_key_init(&key, field, value, 1)) {
		row = rows_find(&json->rows, id, &key);
		if (row && row_is(row, &key)) {
			rows_copy(&json->rows, id, row, json_visitor->line);
			return;
		}
	}
	write_new_row(json_visitor, id, field, value, row);
}

/* Writes the rows of a run that is not cached. */
static __attribute__((noinline)) void write_new_run(struct rtap_visitor *visitor, const struct rtap_packet *packet,
						    const struct rtap_layer *layer, const uint8_t *header, struct row_run *run)
{
	struct json_visitor *json_visitor = (struct json_visitor *)visitor;
	struct json_format *json = json_visitor->json;
	const struct rtap_field *field = visit_row(layer, run->first);
	const char *start = json_visitor->line->next;

	visit_rows(packet, layer, visitor, field, field + run->rows, run->first, write_field, NULL);
	runs_keep(&json->runs, run, header, 1, json->seen[run->first / 64] & run_fields(run), start, json_visitor->line);
}

/* Writes the rows of a run, unless one of its names is repeated. */
static inline __attribute__((always_inline)) size_t write_rows(struct rtap_visitor *visitor, const struct rtap_packet *packet,
							       const struct rtap_layer *layer, const uint8_t *header, rtap_field_id id)
{
	struct json_visitor *json_visitor = (struct json_visitor *)visitor;
	struct json_format *json = json_visitor->json;
	struct row_run *run = runs_at(&json->runs, id, layer);
	uint64_t *seen = &json->seen[id / 64], words[2];
	struct run_text *text;
	size_t rows;

	if (!run || *seen & run_fields(run))
		return 0;
	rows = run->rows;
	run_words(run, header, words);
	text = run_find(run, words);
	if (text && run_is(text, words, 1)) {
		*seen |= text->after;
		run_copy(run, text, json_visitor->line);
	} else {
		write_new_run(visitor, packet, layer, header, run);
	}
	return rows;
}

/* An array element with the separator before it. */
static void write_item(const struct json_format *json, struct line *line, char before, const struct json_key *key, const struct json_repeat *repeat)
{
	struct rtap_value value = repeat->value;
	char spare[1 + LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	if (key->kind == NUMBER || key->kind == NAMED) {
		*begin = before;
		line_end(line, begin, line_put_dec(begin + 1, repeat->value.number));
	} else {
		line_char(line, before);
		if (repeat->field->show == RTAP_TEXT)
			value.data.bytes = json->texts + value.number;
		write_value(line, key, repeat->field, &value);
	}
}

static void write_repeats(const struct json_format *json, struct line *line)
{
	for (size_t i = 0; i < json->repeat_count; i++) {
		const struct json_repeat *repeat = &json->repeats[i];
		const struct json_key *key = &json->keys[repeat->id];

		if (!repeat->is_first)
			continue;
		line_steps(line, key->text, key->length);
		write_item(json, line, '[', key, repeat);
		while (repeat->next) {
			repeat = &json->repeats[repeat->next];
			write_item(json, line, ',', &json->keys[repeat->id], repeat);
		}
		line_char(line, ']');
	}
}

/* Words of a bit map with one bit per field. */
static size_t bit_words(void)
{
	return rtap_field_count() / 64 + 1;
}

static void write_packet(struct format *format, const struct rtap_packet *packet, struct line *line)
{
	struct json_format *json = (struct json_format *)format;
	struct json_visitor visitor = {
		.visitor = { .field = write_field, .wanted = json->wanted, .on_demand = json->check_icrc },
		.json = json,
		.line = line,
	};
	char *start = line->next;

	memset(json->seen, 0, 2 * bit_words() * sizeof json->seen[0]);
	json->repeat_count = json->text_length = 0;
	if (json->wanted)
		rtap_packet_visit(packet, &visitor.visitor);
	else
		visit_packet(packet, &visitor.visitor, write_field, write_rows);
	write_repeats(json, line);
	/* the comma of the first key is replaced by the object's brace */
	if (line->next > start)
		*start = '{';
	else
		line_char(line, '{');
	line_text(line, "}\n");
}

static enum json_kind kind_of(const struct rtap_field *field)
{
	if (rtap_field_json_type(field)[0] == 'n')
		return field->names && field->show != RTAP_BOOL ? NAMED : NUMBER;
	if (field->show != RTAP_SECONDS)
		return OTHER;
	return strcmp(field->name, "frame.time_epoch") ? SECONDS : TIME;
}

/* NULL: out of memory. */
static struct json_key *keys_create(void)
{
	rtap_field_id *first_ids = first_ids_create();
	struct json_key *keys = malloc(rtap_field_count() * sizeof *keys);

	for (size_t i = 0; first_ids && keys && i < rtap_field_count(); i++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)i);
		struct line line;

		line_init(&line, keys[i].text, sizeof keys[i].text);
		line_bytes(&line, ",\"", 2);
		line_text(&line, field->name);
		line_bytes(&line, "\":", 2);
		assert(!line.cut);
		keys[i].first = first_ids[i];
		keys[i].kind = kind_of(field);
		keys[i].length = (uint8_t)(line.next - keys[i].text);
	}
	if (!first_ids) {
		free(keys);
		keys = NULL;
	}
	free(first_ids);
	return keys;
}

/* Run state is indexed by the fields' own ids, not by the first ids of their names. */
static bool init_runs(struct json_format *json)
{
	rtap_field_id *first_ids = malloc(rtap_field_count() * sizeof *first_ids);
	bool done = false;

	for (size_t i = 0; first_ids && json->keys && i < rtap_field_count(); i++)
		first_ids[i] = json->keys[i].first;
	if (first_ids && json->keys)
		done = runs_init(&json->runs, first_ids);
	free(first_ids);
	return done;
}

static int allocate(struct json_format *json)
{
	bool has_rows = rows_init(&json->rows) && init_runs(json);

	json->seen = calloc(2 * bit_words(), sizeof json->seen[0]);
	json->again = json->seen ? json->seen + bit_words() : NULL;
	json->occurrences = calloc(rtap_field_count(), 1);
	json->latest = calloc(rtap_field_count(), sizeof *json->latest);
	return json->keys && has_rows && json->seen && json->occurrences && json->latest ? 0 : -ENOMEM;
}

int json_format_init(struct json_format *json, bool check_icrc)
{
	*json = (struct json_format){ .format.packet = write_packet, .check_icrc = check_icrc };
	json->keys = json->own_keys = keys_create();
	return allocate(json);
}

int json_format_share(struct json_format *json, const struct json_format *of)
{
	*json = (struct json_format){ .format = of->format, .check_icrc = of->check_icrc, .wanted = of->wanted, .keys = of->keys };
	return allocate(json);
}

void json_format_fini(struct json_format *json)
{
	rows_fini(&json->rows);
	runs_fini(&json->runs);
	free(json->own_keys);
	free(json->seen);
	free(json->occurrences);
	free(json->latest);
	free(json->repeats);
	free(json->texts);
}
