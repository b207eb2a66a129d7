/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/clock_piece.h"

int64_t clock_piece_ahead_ns(const struct clock_piece *piece, int64_t time_ns)
{
	int64_t elapsed_ns, ahead_ns, gained_ns;

	if (__builtin_sub_overflow(time_ns, piece->time_ns, &elapsed_ns))
		elapsed_ns = time_ns < piece->time_ns ? INT64_MIN : INT64_MAX;
	/* drifts are far below 1 */
	gained_ns = (int64_t)(piece->drift * (double)elapsed_ns);
	if (__builtin_add_overflow(piece->ahead_ns, gained_ns, &ahead_ns))
		return gained_ns < 0 ? INT64_MIN : INT64_MAX;
	return ahead_ns;
}
