/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include <rdmatap/visitor.h>

#include "output/first_ids.h"
#include "output/json.h"

/* A value of a repeating field. */
struct json_repeat {
	const struct rtap_field *field;
	struct rtap_value value;
	rtap_field_id id; /* the first of its name */
	bool written;
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

static void write_value(struct line *line, const struct rtap_field *field, const struct rtap_value *value)
{
	if (field->show == RTAP_TEXT) {
		json_string(line, value->data.bytes, value->data.length);
	} else if (rtap_field_json_type(field)[0] == 'n') {
		line_dec(line, value->number);
	} else {
		line_char(line, '"');
		line_value(line, field, value);
		line_char(line, '"');
	}
}

static void write_key(struct line *line, const struct rtap_field *field, unsigned occurrence)
{
	line_bytes(line, ",\"", 2);
	line_text(line, field->name);
	if (occurrence > 1) {
		line_char(line, '#');
		line_dec(line, occurrence);
	}
	line_bytes(line, "\":", 2);
}

static void keep(struct json_format *json, rtap_field_id id, const struct rtap_field *field, const struct rtap_value *value)
{
	if (json->repeat_count == json->repeat_room) {
		size_t room = json->repeat_room ? json->repeat_room * 2 : 64;
		struct json_repeat *larger = realloc(json->repeats, room * sizeof *larger);

		if (!larger) {
			json->lost++;
			return;
		}
		json->repeats = larger;
		json->repeat_room = room;
	}
	json->repeats[json->repeat_count++] = (struct json_repeat){ field, *value, id, false };
}

static void write_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			const struct rtap_value *value, const struct rtap_place *place)
{
	struct json_visitor *json_visitor = (struct json_visitor *)visitor;
	struct json_format *json = json_visitor->json;

	(void)place;
	id = json->first_ids[id];
	if (field->flags & RTAP_REPEATS) {
		keep(json, id, field, value);
		return;
	}
	if (json->occurrences[id] < UINT8_MAX)
		json->occurrences[id]++;
	write_key(json_visitor->line, field, json->occurrences[id]);
	write_value(json_visitor->line, field, value);
}

static void write_repeats(struct json_format *json, struct line *line)
{
	for (size_t i = 0; i < json->repeat_count; i++) {
		const struct rtap_field *field = json->repeats[i].field;
		char before = '[';

		if (json->repeats[i].written)
			continue;
		write_key(line, field, 1);
		for (size_t j = i; j < json->repeat_count; j++) {
			if (json->repeats[j].id != json->repeats[i].id)
				continue;
			line_char(line, before);
			write_value(line, json->repeats[j].field, &json->repeats[j].value);
			json->repeats[j].written = true;
			before = ',';
		}
		line_char(line, ']');
	}
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

	memset(json->occurrences, 0, rtap_field_count());
	json->repeat_count = 0;
	rtap_packet_visit(packet, &visitor.visitor);
	write_repeats(json, line);
	/* the first key's comma is the object's brace */
	if (line->next > start)
		*start = '{';
	line_text(line, "}\n");
}

int json_format_init(struct json_format *json, bool check_icrc)
{
	*json = (struct json_format){ .format.packet = write_packet, .check_icrc = check_icrc };
	json->occurrences = calloc(rtap_field_count(), 1);
	json->first_ids = json->own_first_ids = first_ids_create();
	if (!json->occurrences || !json->first_ids)
		return -ENOMEM;
	return 0;
}

int json_format_share(struct json_format *json, const struct json_format *of)
{
	*json = (struct json_format){ .format = of->format, .check_icrc = of->check_icrc, .first_ids = of->first_ids };
	json->occurrences = calloc(rtap_field_count(), 1);
	return json->occurrences ? 0 : -ENOMEM;
}

void json_format_fini(struct json_format *json)
{
	free(json->own_first_ids);
	free(json->occurrences);
	free(json->repeats);
}
