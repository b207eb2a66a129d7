/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_WALK_H
#define DISSECT_FILTER_FILTER_WALK_H

#include <rdmatap/visitor.h>

#include "dissect/filter/filter_internal.h"

/* Looks at the values of an operand one after another. */
struct filter_walk {
	struct rtap_visitor visitor; /* first: the visitor's calls get at the rest by it */
	const struct rtap_filter *filter;
	const struct rtap_packet *packet;
	const struct filter_record *record; /* NULL: of a packet */
	const struct filter_operand *operand;
	void (*take)(struct filter_walk *walk, const struct filter_item *item);
	uint32_t *combinations_left; /* of values; 0: the walk ends */
	bool done;                   /* no further value can change anything */
};

void filter_walk(struct filter_walk *walk);

/* Negative, 0 or positive, as left is less than, equal to or greater than right. */
static inline int filter_compare_numbers(uint64_t left, bool left_negative, uint64_t right, bool right_negative)
{
	int order = (left > right) - (left < right);

	if (left_negative != right_negative)
		return left_negative ? -1 : 1;
	return left_negative ? -order : order;
}

#endif
