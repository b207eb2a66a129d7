/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/packet/clock.h"
#include "output/report/html.h"

static const char *entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

void html_bytes(struct line *line, const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;

	for (size_t i = 0; i < length;) {
		size_t taken = bytes[i] < 0x80 ? 1 : line_utf8_length(bytes + i, length - i);

		if (taken > 1) {
			line_bytes(line, text + i, taken);
		} else if (!taken || bytes[i] < 0x20 || bytes[i] == 0x7f) {
			line_text(line, "\\x");
			line_hex_digits(line, bytes[i], 2);
			taken = 1;
		} else if (entity(text[i])) {
			line_text(line, entity(text[i]));
		} else {
			line_char(line, text[i]);
		}
		i += taken;
	}
}

void html_text(struct line *line, const char *text)
{
	html_bytes(line, text, strlen(text));
}

void html_count(struct line *line, uint64_t number)
{
	uint64_t thousands = 1;

	while (number / thousands >= 1000)
		thousands *= 1000;
	line_dec(line, number / thousands);
	while ((thousands /= 1000) != 0) {
		line_char(line, ',');
		line_dec_padded(line, number / thousands % 1000, 3);
	}
}

void html_counted(struct line *line, uint64_t number, const char *what)
{
	html_count(line, number);
	line_char(line, ' ');
	line_text(line, what);
	if (number != 1)
		line_char(line, 's');
}

void html_fixed(struct line *line, double number, unsigned decimals)
{
	uint64_t parts = 1, scaled;

	if (number < 0) {
		line_char(line, '-');
		number = -number;
	}
	for (unsigned i = 0; i < decimals; i++)
		parts *= 10;
	if (number > 9e18 / (double)parts)
		number = 9e18 / (double)parts;
	scaled = (uint64_t)(number * (double)parts + 0.5);
	line_dec(line, scaled / parts);
	if (!decimals)
		return;
	line_char(line, '.');
	line_dec_padded(line, scaled % parts, decimals);
}

struct html_unit html_time_unit(double largest_ns)
{
	return largest_ns < 1e3 ? (struct html_unit){ 1, "ns" } : largest_ns < 1e6 ? (struct html_unit){ 1e3, "µs" } :
	       largest_ns < 1e9 ? (struct html_unit){ 1e6, "ms" } : (struct html_unit){ 1e9, "s" };
}

struct html_unit html_count_unit(double largest)
{
	return largest < 2e3 ? (struct html_unit){ 1, "" } : largest < 2e6 ? (struct html_unit){ 1e3, "k" } :
	       largest < 2e9 ? (struct html_unit){ 1e6, "M" } : (struct html_unit){ 1e9, "G" };
}

void html_duration(struct line *line, int64_t nanoseconds)
{
	struct html_unit unit = html_time_unit((double)nanoseconds);
	double number = (double)nanoseconds / unit.size;

	html_fixed(line, number, unit.size < 2 ? 0 : number < 10 ? 3 : number < 100 ? 2 : 1);
	line_char(line, ' ');
	line_text(line, unit.name);
}

void html_offset(struct line *line, int64_t nanoseconds)
{
	if (nanoseconds >= 0)
		line_char(line, '+');
	line_seconds(line, nanoseconds);
	line_text(line, " s");
}

void html_moment(struct line *line, int64_t time_ns)
{
	struct clock clock = { .form = CLOCK_UTC_DATE };

	clock_write(&clock, &(struct rtap_frame){ .time_ns = time_ns }, line);
	line_text(line, " UTC");
}

void html_frames(struct line *line, uint64_t first, uint64_t last)
{
	line_text(line, first == last ? "frame " : "frames ");
	line_dec(line, first);
	if (first == last)
		return;
	line_text(line, " to ");
	line_dec(line, last);
}

void html_cell_count(struct line *line, uint64_t number)
{
	line_text(line, number ? "<td class=\"n\"" : "<td class=\"n zero\"");
	if (number >= 1000) {
		line_text(line, " data-v=\"");
		line_dec(line, number);
		line_char(line, '"');
	}
	line_char(line, '>');
	html_count(line, number);
	line_text(line, "</td>");
}

void html_cell_time(struct line *line, bool known, int64_t nanoseconds)
{
	if (!known) {
		line_text(line, "<td class=\"n\" data-v=\"\">–</td>");
		return;
	}
	line_text(line, "<td class=\"n\" data-v=\"");
	line_seconds(line, nanoseconds);
	line_text(line, "\">");
	html_duration(line, nanoseconds);
	line_text(line, "</td>");
}

void html_cell_text(struct line *line, const char *text)
{
	line_text(line, "<td>");
	html_text(line, text);
	line_text(line, "</td>");
}

void html_table(struct line *line, const char *id, const char *caption, const char *const *headings, unsigned count)
{
	line_text(line, "<div class=\"scroll\"><table id=\"");
	line_text(line, id);
	line_text(line, "\"><caption>");
	line_text(line, caption);
	line_text(line, "</caption><thead><tr>");
	for (unsigned i = 0; i < count; i++) {
		const char *bar = strchr(headings[i], '|');

		line_text(line, "<th scope=\"col\" data-key=\"");
		line_bytes(line, headings[i], (size_t)(bar - headings[i]));
		line_text(line, "\">");
		line_text(line, bar + 1);
		line_text(line, "</th>");
	}
	line_text(line, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct line *line)
{
	line_text(line, "</tbody></table></div>\n");
}
