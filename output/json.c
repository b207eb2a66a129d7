/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "dissect/visit.h"
#include "output/first_ids.h"
#include "output/json.h"

/* How a field is written; several protocols may share a name. */
struct json_key {
	rtap_field_id first; /* the first field of the same name */
	bool is_number;
	uint8_t length;
	char text[3 * ROW_STEP]; /* ,"name": */
};

/* A value of a repeating field. */
struct json_repeat {
	const struct rtap_field *field;
	struct rtap_value value;
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
		bool is_control = byte < 0x20 || byte == 0x7f;
		size_t sequence = is_control ? 0 : byte < 0x80 ? 1 : line_utf8_length(bytes + i, length - i);
		unsigned code = is_control ? byte : 0xfffd;

		if (sequence) {
			if (byte == '"' || byte == '\\')
				line_char(line, '\\');
			line_bytes(line, (const char *)bytes + i, sequence);
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
	if (key->is_number) {
		line_dec(line, value->number);
	} else if (field->show == RTAP_TEXT) {
		json_string(line, value->data.bytes, value->data.length);
	} else {
		line_char(line, '"');
		line_value(line, field, value);
		line_char(line, '"');
	}
}

/* A name that comes again is numbered: "ip.src#2". */
static void write_again(struct line *line, const struct json_key *key, const struct rtap_field *field, const struct rtap_value *value,
			unsigned occurrence)
{
	line_bytes(line, key->text, key->length - 2u);
	line_char(line, '#');
	line_dec(line, occurrence);
	line_bytes(line, "\":", 2);
	write_value(line, key, field, value);
}

/* What was not written before with this value; `row`, which may be NULL, is where to keep it. */
static __attribute__((noinline)) void write_new_row(const struct json_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
						    const struct rtap_value *value, struct row *row)
{
	struct json_format *json = visitor->json;
	const struct json_key *key = &json->keys[id];
	const char *start = visitor->line->next;
	struct row_key row_key;

	line_steps(visitor->line, key->text, key->length);
	write_value(visitor->line, key, field, value);
	if (row && row_key_init(&row_key, field, value, 1))
		rows_keep(&json->rows, id, row, &row_key, start, visitor->line);
}

static bool grow_repeats(struct json_format *json)
{
	size_t room = json->repeat_room ? json->repeat_room * 2 : 64;
	struct json_repeat *larger = realloc(json->repeats, room * sizeof *larger);

	if (!larger)
		return false;
	json->repeats = larger;
	json->repeat_room = room;
	return true;
}

/* Keeps a value, behind the others of its name. */
static void keep(struct json_format *json, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value)
{
	rtap_field_id first = json->keys[id].first;
	uint64_t bit = UINT64_C(1) << (first % 64);
	bool is_first = !(json->repeated[first / 64] & bit);

	if (json->repeat_count == json->repeat_room && !grow_repeats(json)) {
		json->lost++;
		return;
	}
	if (!is_first)
		json->repeats[json->latest[first]].next = (uint32_t)json->repeat_count;
	json->repeated[first / 64] |= bit;
	json->latest[first] = (uint32_t)json->repeat_count;
	json->repeats[json->repeat_count++] = (struct json_repeat){ field, *value, 0, id, is_first };
}

/* How often the field's name was seen in this packet, now too. */
static inline unsigned count_occurrence(struct json_format *json, rtap_field_id id)
{
	rtap_field_id first = json->keys[id].first;
	uint64_t *seen = &json->seen[first / 64], bit = UINT64_C(1) << (first % 64);

	if (!(*seen & bit)) {
		*seen |= bit;
		return json->occurrences[first] = 1;
	}
	if (json->occurrences[first] < UINT8_MAX)
		json->occurrences[first]++;
	return json->occurrences[first];
}

static inline __attribute__((always_inline)) void write_field(struct rtap_visitor *visitor, rtap_field_id id,
							      const struct rtap_field *field, const struct rtap_value *value,
							      const struct rtap_place *place)
{
	struct json_visitor *json_visitor = (struct json_visitor *)visitor;
	struct json_format *json = json_visitor->json;
	struct row *row = NULL;
	struct row_key key;
	unsigned occurrence;

	(void)place;
	if (field->flags & RTAP_REPEATS) {
		keep(json, id, field, value);
		return;
	}
	occurrence = count_occurrence(json, id);
	if (occurrence > 1) {
		write_again(json_visitor->line, &json->keys[id], field, value, occurrence);
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

static void write_repeats(const struct json_format *json, struct line *line)
{
	for (size_t i = 0; i < json->repeat_count; i++) {
		const struct json_repeat *repeat = &json->repeats[i];
		const struct json_key *key = &json->keys[repeat->id];

		if (!repeat->is_first)
			continue;
		line_steps(line, key->text, key->length);
		line_char(line, '[');
		for (;;) {
			write_value(line, &json->keys[repeat->id], repeat->field, &repeat->value);
			if (!repeat->next)
				break;
			repeat = &json->repeats[repeat->next];
			line_char(line, ',');
		}
		line_char(line, ']');
	}
}

/* Words of one bit a field. */
static size_t bit_words(void)
{
	return rtap_field_count() / 64 + 1;
}

static void write_packet(struct format *format, const struct rtap_packet *packet, struct line *line)
{
	struct json_format *json = (struct json_format *)format;
	struct json_visitor visitor = {
		.visitor = { .field = write_field, .on_demand = json->check_icrc },
		.json = json,
		.line = line,
	};
	char *start = line->next;

	memset(json->seen, 0, 2 * bit_words() * sizeof json->seen[0]);
	json->repeat_count = 0;
	visit_packet(packet, &visitor.visitor, write_field);
	write_repeats(json, line);
	/* the first key's comma is the object's brace */
	if (line->next > start)
		*start = '{';
	line_text(line, "}\n");
}

/* NULL: no memory. */
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
		keys[i].is_number = rtap_field_json_type(field)[0] == 'n';
		keys[i].length = (uint8_t)(line.next - keys[i].text);
	}
	if (!first_ids) {
		free(keys);
		keys = NULL;
	}
	free(first_ids);
	return keys;
}

static int allocate(struct json_format *json)
{
	bool has_rows = rows_init(&json->rows);

	json->seen = calloc(2 * bit_words(), sizeof json->seen[0]);
	json->repeated = json->seen ? json->seen + bit_words() : NULL;
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
	*json = (struct json_format){ .format = of->format, .check_icrc = of->check_icrc, .keys = of->keys };
	return allocate(json);
}

void json_format_fini(struct json_format *json)
{
	rows_fini(&json->rows);
	free(json->own_keys);
	free(json->seen);
	free(json->occurrences);
	free(json->latest);
	free(json->repeats);
}
