/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/join/join_point.h"
#include "output/packet/json.h"
#include "output/packet/object.h"

void join_point_json(const char *key, const char *name, struct line *line)
{
	object_key(line, key);
	json_string(line, (const uint8_t *)name, strlen(name));
}

void join_point_json_between(const struct join_form *form, unsigned from, unsigned to, struct line *line)
{
	object_key(line, "between");
	line_char(line, '[');
	json_string(line, (const uint8_t *)form->names[from], strlen(form->names[from]));
	line_char(line, ',');
	json_string(line, (const uint8_t *)form->names[to], strlen(form->names[to]));
	line_char(line, ']');
}

void join_point_frame(unsigned point, uint64_t frame, struct line *line)
{
	line_dec(line, point + 1);
	line_char(line, ':');
	line_dec(line, frame);
}
