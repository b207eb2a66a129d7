/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <rdmatap/visitor.h>

#include "dissect/engine/protocol.h"
#include "dissect/filter/filter_suggest.h"
#include "output/packet/csv.h"
#include "output/packet/fields.h"
#include "output/packet/text.h"

struct column_visitor {
	struct rtap_visitor visitor;
	const struct fields_format *fields;
	enum occurrence occurrence;
	struct line *line;
	char *start;   /* of the column's text */
	unsigned seen;
};

static void add_value(struct column_visitor *column, const struct rtap_field *field, const struct rtap_value *value)
{
	if (column->seen++) {
		if (column->occurrence == OCCURRENCE_FIRST)
			return;
		if (column->occurrence == OCCURRENCE_LAST && !column->line->cut)
			column->line->next = column->start;
		else
			line_char(column->line, column->fields->aggregator);
	}
	/* tshark's word for no bytes at all; empty text is just empty */
	if (field->show == RTAP_BYTES && !value->data.length)
		line_text(column->line, "<MISSING>");
	else
		line_value(column->line, field, value);
}

static void visited(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
		    const struct rtap_value *value, const struct rtap_place *place)
{
	(void)id;
	(void)place;
	add_value((struct column_visitor *)visitor, field, value);
}

/* The values of one field in one layer: read directly if the table permits, else by a visit limited to this field. */
static void add_field(struct column_visitor *column, const struct rtap_packet *packet, const struct rtap_layer *layer,
		      const struct column_field *wanted)
{
	const struct rtap_field *field = wanted->field;
	rtap_field_id id = wanted->id;
	struct rtap_value value = { 0 };

	if (!wanted->in_units && (field->derive || !(field->flags & RTAP_UNPLACED))) {
		if (rtap_layer_field(packet, layer, field, &value))
			add_value(column, field, &value);
		return;
	}
	column->fields->wanted[id / 64] |= UINT64_C(1) << (id % 64);
	rtap_layer_visit(packet, layer, &column->visitor);
	column->fields->wanted[id / 64] = 0;
}

/* Whether a packet has a layer with a field of the column. */
static bool has_layer(const struct column *column, const struct rtap_packet *packet)
{
	for (unsigned i = 0; i < column->field_count; i++)
		if (packet_has(packet, column->fields[i].protocol))
			return true;
	return false;
}

/* ICMP quotes the packet that it is about. */
static bool starts_quote(const struct rtap_layer *layer)
{
	return layer->protocol == PROTOCOL_ICMP || layer->protocol == PROTOCOL_ICMPV6;
}

static void write_values(struct column_visitor *visitor, const struct column *column, const struct rtap_packet *packet)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;

	for (const struct rtap_layer *layer = packet->layers; layer < end; layer++) {
		if (column->is_end && starts_quote(layer))
			break;
		for (unsigned i = 0; i < column->field_count; i++)
			if (column->fields[i].protocol == layer->protocol)
				add_field(visitor, packet, layer, &column->fields[i]);
	}
}

/*
 * Doubles the quotes inside a quoted value, like RFC 4180 and tshark since 4.2. A " in text is already escaped; its backslash becomes the
 * second quote.
 */
static void double_quotes(struct line *line, char *begin, char quote)
{
	size_t more = 0;

	for (char *p = begin; p < line->next; p++)
		if (quote == '"' && *p == '\\' && p + 1 < line->next) {
			*p = p[1] == quote ? quote : *p;
			p++;
		} else {
			more += quote == '\'' && *p == quote;
		}
	if (more > (size_t)(line->end - line->next))
		line->cut = true;
	if (!more || line->cut)
		return;
	line->next += more;
	for (char *to = line->next; more; ) {
		char c = to[-1 - (ptrdiff_t)more];

		*--to = c;
		if (c != quote)
			continue;
		*--to = c;
		more--;
	}
}

/* Makes a cell of CSV of the text since `begin`. */
static void make_cell(struct line *line, char *begin, char separator)
{
	char *end = line->next;
	size_t length = (size_t)(end - begin);

	if (line->cut || (!memchr(begin, separator, length) && !memchr(begin, '\\', length) && !memchr(begin, '"', length)))
		return;
	csv_cell(line, begin, length, separator, true);
	memmove(begin, end, (size_t)(line->next - end));
	line->next = begin + (line->next - end);
}

static void write_column(struct fields_format *fields, const struct column *column, const struct rtap_packet *packet,
			 struct line *line)
{
	struct column_visitor visitor = {
		.visitor = { .field = visited, .wanted = fields->wanted },
		.fields = fields,
		.occurrence = column->is_end ? OCCURRENCE_LAST : fields->occurrence,
		.line = line,
	};
	char *quoted = line->next;

	if (fields->quote)
		line_char(line, fields->quote);
	visitor.start = line->next;
	if (column->write)
		column->write(fields, packet, line);
	else if (has_layer(column, packet))
		write_values(&visitor, column, packet);
	if (fields->is_csv)
		make_cell(line, visitor.start, fields->separator);
	if (!fields->quote)
		return;
	double_quotes(line, visitor.start, fields->quote);
	/* like tshark, absent values are not quoted */
	if (visitor.seen || column->write)
		line_char(line, fields->quote);
	else
		line->next = quoted;
}

static void write_packet(struct format *format, const struct rtap_packet *packet, struct line *line)
{
	struct fields_format *fields = (struct fields_format *)format;

	for (size_t i = 0; i < fields->column_count; i++) {
		if (i)
			line_char(line, fields->separator);
		write_column(fields, &fields->columns[i], packet, line);
	}
	line_char(line, '\n');
	if (format->shown && !line->cut)
		format->shown(format, packet->frame->time_ns);
}

static void write_header(struct format *format, struct line *line)
{
	const struct fields_format *fields = (const struct fields_format *)format;

	for (size_t i = 0; fields->with_header && i < fields->column_count; i++) {
		if (i)
			line_char(line, fields->separator);
		line_text(line, fields->columns[i].name);
	}
	if (fields->with_header)
		line_char(line, '\n');
}

void fields_format_init(struct fields_format *fields)
{
	*fields = (struct fields_format){
		.format = { .packet = write_packet, .header = write_header },
		.separator = '\t',
		.aggregator = ',',
	};
}

void fields_format_fini(struct fields_format *fields)
{
	free(fields->columns);
	free(fields->wanted);
}

int fields_format_share(struct fields_format *fields, const struct fields_format *of)
{
	*fields = *of;
	fields->wanted = calloc(rtap_field_count() / 64 + 1, sizeof *fields->wanted);
	return fields->wanted ? 0 : -ENOMEM;
}

void fields_format_unshare(struct fields_format *fields)
{
	free(fields->wanted);
}

static void explain_unknown(const char *name, struct rtap_error *error)
{
	const char *meant = filter_suggest_field(name);
	uint16_t protocol;

	if (rtap_protocol_find(name, &protocol, 1))
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %s: is a protocol, not a field (rdmatap fields %s lists its fields)", name, name);
	else if (meant && rtap_field_find(meant, NULL, 0))
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %s: no such field (did you mean %s?)", name, meant);
	else
		rtap_error_set(error, RTAP_ERROR_INVALID, "-e %s: no such field (rdmatap fields lists them)", name);
}

static void note_shown(struct format *format, int64_t time_ns)
{
	clock_shown(&((struct fields_format *)format)->clock, time_ns);
}

static void write_time(struct fields_format *fields, const struct rtap_packet *packet, struct line *line)
{
	char text[CLOCK_MOST], *start = text;
	struct line time;

	line_init(&time, text, sizeof text);
	clock_write(&fields->clock, packet->frame, &time);
	while (start < time.next && *start == ' ')
		start++;
	line_bytes(line, start, (size_t)(time.next - start));
}

static void write_nanoseconds(struct fields_format *fields, const struct rtap_packet *packet, struct line *line)
{
	int64_t time = packet->frame->time_ns;

	(void)fields;
	if (time < 0)
		line_char(line, '-');
	line_dec(line, time < 0 ? -(uint64_t)time : (uint64_t)time);
}

/* "Nov 20, 2026 15:07:38.369165000 UTC" */
static void write_date(struct fields_format *fields, const struct rtap_packet *packet, struct line *line)
{
	int64_t ns = packet->frame->time_ns % 1000000000, second = packet->frame->time_ns / 1000000000;
	time_t time = (time_t)(second - (ns < 0));
	char text[64], nine[9];
	struct tm parts = { 0 };

	(void)fields;
	localtime_r(&time, &parts);
	line_bytes(line, text, strftime(text, sizeof text, "%b %e, %Y %H:%M:%S.", &parts));
	line_put_nine(nine, (uint32_t)(ns < 0 ? ns + 1000000000 : ns));
	line_bytes(line, nine, sizeof nine);
	line_bytes(line, text, strftime(text, sizeof text, " %Z", &parts));
}

static bool is_data(uint16_t protocol)
{
	return protocol == PROTOCOL_PAYLOAD || protocol == PROTOCOL_FLOW || protocol == PROTOCOL_ICRC || protocol_is_trailing(protocol);
}

/* The first word of the highest layer's name: nfs, infiniband. */
static void write_protocol(struct fields_format *fields, const struct rtap_packet *packet, struct line *line)
{
	const char *name = "";

	(void)fields;
	for (const struct rtap_layer *layer = packet->layers; layer < packet->layers + packet->layer_count; layer++) {
		if (!is_data(layer->protocol))
			name = rtap_protocol_by_number(layer->protocol)->name;
		if (starts_quote(layer))
			break;
	}
	line_bytes(line, name, strcspn(name, "."));
}

static void write_info(struct fields_format *fields, const struct rtap_packet *packet, struct line *line)
{
	(void)fields;
	text_info(packet, line);
}

#define SOURCE_FIELDS "eth.src", "sll.src.eth", "ip.src", "ipv6.src", "infiniband.lrh.slid", "infiniband.grh.sgid"
#define DESTINATION_FIELDS "eth.dst", "ip.dst", "ipv6.dst", "infiniband.lrh.dlid", "infiniband.grh.dgid"

/* tshark's names, of the versions up to 4.0 and since 4.2. */
static const struct list_column {
	const char *name;
	void (*write)(struct fields_format *fields, const struct rtap_packet *packet, struct line *line);
	const char *fields[7]; /* up to NULL */
} list_columns[] = {
	{ "frame.time", write_date, { NULL } },
	{ "frame.time_ns", write_nanoseconds, { "frame.time_epoch" } }, /* as JSON has it */
	{ "_ws.col.info", write_info, { NULL } },
	{ "_ws.col.number", NULL, { "frame.number" } },
	{ "_ws.col.packet_length", NULL, { "frame.len" } },
	{ "_ws.col.length", NULL, { "frame.len" } },
	{ "_ws.col.protocol", write_protocol, { NULL } },
	{ "_ws.col.time", write_time, { NULL } },
	{ "_ws.col.source", NULL, { SOURCE_FIELDS } },
	{ "_ws.col.def_src", NULL, { SOURCE_FIELDS } },
	{ "_ws.col.destination", NULL, { DESTINATION_FIELDS } },
	{ "_ws.col.def_dst", NULL, { DESTINATION_FIELDS } },
};

static const struct list_column *find_list_column(const char *name)
{
	for (size_t i = 0; i < sizeof list_columns / sizeof list_columns[0]; i++)
		if (!strcasecmp(name, list_columns[i].name))
			return &list_columns[i];
	return NULL;
}

static void add_named(struct column *column, const char *name)
{
	rtap_field_id ids[MAX_COLUMN_FIELDS];
	size_t found = rtap_field_find(name, ids, MAX_COLUMN_FIELDS);

	for (size_t i = 0; i < found && column->field_count < MAX_COLUMN_FIELDS; i++)
		column->fields[column->field_count++] = (struct column_field){
			rtap_field_by_id(ids[i]), ids[i], rtap_field_protocol(ids[i]),
			rtap_protocol_by_number(rtap_field_protocol(ids[i]))->in_units };
}

enum rtap_status fields_format_add(struct fields_format *fields, const char *name, struct rtap_error *error)
{
	const struct list_column *known = find_list_column(name);
	struct column column = { .name = name, .write = known ? known->write : NULL, .is_end = known && !known->write };
	struct column *larger;

	for (size_t i = 0; known && known->fields[i]; i++)
		add_named(&column, known->fields[i]);
	if (!known)
		add_named(&column, name);
	if (!column.field_count && !column.write) {
		explain_unknown(name, error);
		return RTAP_STATUS_FAILED;
	}
	if (!fields->wanted)
		fields->wanted = calloc(rtap_field_count() / 64 + 1, sizeof *fields->wanted);
	larger = realloc(fields->columns, (fields->column_count + 1) * sizeof *larger);
	if (larger)
		fields->columns = larger;
	if (!fields->wanted || !larger) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "-e %s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	fields->columns[fields->column_count++] = column;
	fields->shows_lines |= column.write == write_info;
	if (column.write == write_time)
		fields->format.shown = note_shown;
	return RTAP_STATUS_OK;
}

void fields_format_csv(struct fields_format *fields)
{
	fields->is_csv = fields->with_header = true;
	fields->separator = ',';
}

enum rtap_status fields_format_add_line(struct fields_format *fields, struct rtap_error *error)
{
	static const char *const names[] = {
		"frame.number", "frame.time_epoch", "frame.time_ns", "_ws.col.def_src", "tcp.srcport", "rdmatap.srcqp", "_ws.col.def_dst",
		"tcp.dstport", "infiniband.bth.destqp", "infiniband.bth.psn", "_ws.col.protocol", "frame.len", "_ws.col.info",
	};
	enum rtap_status status = RTAP_STATUS_OK;

	for (size_t i = 0; i < sizeof names / sizeof names[0] && status == RTAP_STATUS_OK; i++)
		status = fields_format_add(fields, names[i], error);
	return status;
}

bool fields_format_mark(const struct fields_format *fields, uint64_t *wanted, const char **other)
{
	for (size_t i = 0; i < fields->column_count; i++) {
		const struct column *column = &fields->columns[i];

		*other = column->name;
		if (column->is_end || !column->field_count)
			return false;
		for (unsigned j = 0; j < column->field_count; j++)
			wanted[column->fields[j].id / 64] |= UINT64_C(1) << (column->fields[j].id % 64);
	}
	return true;
}

/* "/t", "/s" or the character itself. */
static bool parse_character(const char *value, char *character)
{
	if (!strcmp(value, "/t"))
		*character = '\t';
	else if (!strcmp(value, "/s"))
		*character = ' ';
	else if (value[0] && !value[1])
		*character = value[0];
	else
		return false;
	return true;
}

/* Index in `letters` of the single letter in `value`, or -1. */
static int parse_letter(const char *value, const char *letters)
{
	const char *found = value[0] && !value[1] ? strchr(letters, value[0]) : NULL;

	return found ? (int)(found - letters) : -1;
}

static bool apply_option(struct fields_format *fields, const char *name, const char *value)
{
	static const char quotes[] = { '"', '\'', 0 };
	int letter;

	if (!strcmp(name, "separator"))
		return parse_character(value, &fields->separator);
	if (!strcmp(name, "aggregator"))
		return parse_character(value, &fields->aggregator);
	if (!strcmp(name, "header")) {
		letter = parse_letter(value, "ny");
		fields->with_header = letter == 1;
	} else if (!strcmp(name, "occurrence")) {
		letter = parse_letter(value, "afl");
		fields->occurrence = letter < 0 ? OCCURRENCE_ALL : (enum occurrence)letter;
	} else if (!strcmp(name, "quote")) {
		letter = parse_letter(value, "dsn");
		fields->quote = quotes[letter < 0 ? 2 : letter];
	} else {
		return false;
	}
	return letter >= 0;
}

enum rtap_status fields_format_option(struct fields_format *fields, const char *argument, struct rtap_error *error)
{
	const char *equals = strchr(argument, '=');
	char name[16] = "";

	if (equals && (size_t)(equals - argument) < sizeof name) {
		memcpy(name, argument, (size_t)(equals - argument));
		if (apply_option(fields, name, equals + 1))
			return RTAP_STATUS_OK;
	}
	rtap_error_set(error, RTAP_ERROR_INVALID, "-E %s: not understood (header=y|n, separator=/t|/s|CHARACTER, occurrence=a|f|l, "
		       "aggregator=,|/s|CHARACTER, quote=d|s|n)", argument);
	return RTAP_STATUS_FAILED;
}
