/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages and connections as lines of text and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_MESSAGE_MESSAGES_H
#define OUTPUT_MESSAGE_MESSAGES_H

#include <rdmatap/message.h>

#include "dissect/engine/line.h"
#include "output/packet/clock.h"

/* One line with its newline. Times are in the form of `times`. Unless `is_wide`, a long line is shortened: dissect/engine/line_fit.h. */
void message_text(const struct rtap_message *message, const struct clock_listing *times, bool is_wide, struct line *line);
void message_json(const struct rtap_message *message, struct line *line);

/* Members of a missing range: offset, length if it is known, reason. */
void missing_json(const struct rtap_missing *missing, struct line *line);

/* Members of RPC: the program with its name, if known, version and procedure. */
void program_json(uint32_t program, uint32_t version, uint32_t procedure, struct line *line);

#endif
