/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics by HTTP (libmicrohttpd, loaded when it is needed).
 */
#ifndef CLI_METRICS_SERVER_H
#define CLI_METRICS_SERVER_H

#include <stddef.h>

#include "output/stats/metrics.h"

struct metrics_server;

/* Whether `target` is [ADDRESS]:PORT, not a file. */
bool metrics_server_is_address(const char *target);

/* Binds ADDRESS:PORT, [ADDRESS]:PORT or :PORT (loopback address). NULL: failed; an error was printed. */
struct metrics_server *metrics_server_open(const char *address);

/* Sets the response to /metrics, in each format; takes ownership of the texts. The first call starts the server's thread. */
void metrics_server_publish(struct metrics_server *server, char *texts[METRICS_FORMATS], const size_t lengths[METRICS_FORMATS]);

/* NULL is ignored. */
void metrics_server_close(struct metrics_server *server);

#endif
