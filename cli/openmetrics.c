/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/counting.h"
#include "cli/metrics_server.h"
#include "cli/openmetrics.h"
#include "cli/print_error.h"
#include "output/stats/metrics.h"

#define USUAL_INTERVAL_NS INT64_C(15000000000) /* of a file */
#define SERVER_INTERVAL_NS INT64_C(1000000000) /* how old an answer may be */

struct openmetrics {
	struct metrics *metrics;
	const char *file;             /* NULL: by HTTP */
	struct metrics_server *server; /* NULL: a file */
	int64_t interval_ns, due_ns;  /* monotonic clock */
	bool failed;                  /* writing the file failed; an error was printed */
};

struct openmetrics *openmetrics_open(const char *target, int64_t interval_ns)
{
	struct openmetrics *openmetrics = calloc(1, sizeof *openmetrics);
	struct stat found;

	if (openmetrics)
		openmetrics->metrics = metrics_create();
	if (!openmetrics || !openmetrics->metrics) {
		free(openmetrics);
		print_error("out of memory");
		return NULL;
	}
	if (!metrics_server_is_address(target)) {
		/* a device would be replaced too */
		if (!stat(target, &found) && !S_ISREG(found.st_mode)) {
			print_error("--openmetrics %s: not a regular file (name a file that can be replaced, or ADDRESS:PORT)", target);
			openmetrics_close(openmetrics);
			return NULL;
		}
		openmetrics->file = target;
		openmetrics->interval_ns = interval_ns ? interval_ns : USUAL_INTERVAL_NS;
		return openmetrics;
	}
	openmetrics->interval_ns = SERVER_INTERVAL_NS;
	openmetrics->server = metrics_server_open(target);
	if (openmetrics->server)
		return openmetrics;
	openmetrics_close(openmetrics);
	return NULL;
}

static bool write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text += written;
		length -= (size_t)written;
	}
	return true;
}

/* Replaces the file by rename(), so that readers never see a part. The temporary name must not end in .prom. */
static bool replace_file(const char *name, const char *text, size_t length)
{
	size_t size = strlen(name) + sizeof ".new";
	char *other = malloc(size);
	bool done = false;
	int fd;

	if (!other)
		return false;
	snprintf(other, size, "%s.new", name);
	fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0) {
		/* node_exporter runs as another user */
		done = !fchmod(fd, 0644) && write_all(fd, text, length);
		done &= !close(fd);
		done = done && !rename(other, name);
		if (!done)
			(void)!unlink(other);
	}
	free(other);
	return done;
}

static void publish(struct openmetrics *openmetrics, struct counting *counting)
{
	struct rtap_tracker_counters counters;
	char *texts[METRICS_FORMATS] = { NULL };
	size_t lengths[METRICS_FORMATS];

	counting_refresh(counting);
	metrics_update(openmetrics->metrics, counting->stats);
	rtap_tracker_counters(counting->tracker, &counters, sizeof counters);
	for (unsigned i = 0; i < METRICS_FORMATS; i++) {
		if (openmetrics->file && i != METRICS_PROMETHEUS)
			continue;
		if (!metrics_write(openmetrics->metrics, (enum metrics_format)i, counting->stats, counting->reader->source,
				   &counters, &texts[i], &lengths[i])) {
			texts[i] = NULL;
			errno = ENOMEM;
			goto failed;
		}
	}
	if (openmetrics->server) {
		metrics_server_publish(openmetrics->server, texts, lengths);
		return;
	}
	if (replace_file(openmetrics->file, texts[METRICS_PROMETHEUS], lengths[METRICS_PROMETHEUS])) {
		openmetrics->failed = false;
		free(texts[METRICS_PROMETHEUS]);
		return;
	}
failed:
	if (!openmetrics->failed) {
		reader_sync(counting->reader);
		print_error("--openmetrics %s: %s", openmetrics->file ? openmetrics->file : "", strerror(errno));
		counting->reader->status = EXIT_ERROR;
	}
	openmetrics->failed = true;
	for (unsigned i = 0; i < METRICS_FORMATS; i++)
		free(texts[i]);
}

void openmetrics_publish(struct openmetrics *openmetrics, struct counting *counting, bool at_once)
{
	struct timespec now;
	int64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (!at_once && now_ns < openmetrics->due_ns)
		return;
	openmetrics->due_ns = now_ns + openmetrics->interval_ns;
	publish(openmetrics, counting);
}

void openmetrics_merge(struct openmetrics *openmetrics, uint64_t from, uint64_t into, bool turned)
{
	metrics_merge(openmetrics->metrics, from, into, turned);
}

void openmetrics_close(struct openmetrics *openmetrics)
{
	if (!openmetrics)
		return;
	metrics_server_close(openmetrics->server);
	metrics_destroy(openmetrics->metrics);
	free(openmetrics);
}
