/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUTPUT_EXPORT_EXPORT_SQLITE_VIEWS_H
#define OUTPUT_EXPORT_EXPORT_SQLITE_VIEWS_H

/* SQL: indexes, and views for common questions; rdmatap-export(1) describes them. */
extern const char export_sqlite_views[];

#endif
