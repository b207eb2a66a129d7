/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing of recorded connections.
 */
#ifndef OUTPUT_COMPARE_CANON_WRITE_H
#define OUTPUT_COMPARE_CANON_WRITE_H

#include "output/compare/canon_internal.h"

/* Writes the finished groups in their order. incomplete: as in canon_write(). */
int canon_write_groups(const struct canon *canon, const char *incomplete, struct printer *printer) __attribute__((warn_unused_result));

#endif
