/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of upper layers as lines of text and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_MESSAGE_OPERATIONS_H
#define OUTPUT_MESSAGE_OPERATIONS_H

#include <rdmatap/operation.h>

#include "dissect/engine/line.h"
#include "output/packet/clock.h"

/* One line with its newline. Times are in the form of `times`. Unless `is_wide`, names are shortened where it would be too long. */
void operation_text(const struct rtap_operation *operation, const struct clock_listing *times, bool is_wide, struct line *line);
void operation_json(const struct rtap_operation *operation, struct line *line);

#endif
