/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sequences of capture files, with tcpdump's file names.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/struct_size.h"
#include "capture/file/series.h"
#include "capture/file/writer.h"

#define NS_A_SECOND 1000000000
#define NAME_SIZE 4096

struct rtap_series {
	struct rtap_writer *writer; /* NULL: the next file could not be opened, or the series has ended */
	struct rtap_series_options options;
	int64_t begun_ns;        /* the file's beginning, by the frames' clock */
	unsigned digits;         /* minimum digits of a number */
	uint64_t number;         /* number of the current file, counting files started by size */
	uint64_t files_by_time;  /* number of files started by time */
	uint64_t clamped_times;     /* of files that are closed */
	uint64_t files;          /* begun so far */
	uint64_t frames;         /* in the file */
	struct writer_place place; /* where the file before ended */
	char *current;           /* the name of the file last opened */
	char **kept;             /* with `numbered` and `rotate_files`: names of the latest files, that of number N at N - 1 mod rotate_files */
	size_t kept_room;
	char name[];             /* as given by the user */
};

static unsigned digits_of(unsigned files)
{
	unsigned digits = 0;

	for (unsigned highest = files ? files - 1 : 0; highest; highest /= 10)
		digits++;
	return digits;
}

/* Length of the name before its suffix, including that of a compression: 1 for "a.pcapng.gz". */
static size_t stem_length(const char *name)
{
	static const char *const compressions[] = { ".gz", ".zst", ".lz4" };
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	size_t length = strlen(base);
	const char *dot;

	for (size_t i = 0; i < sizeof compressions / sizeof compressions[0]; i++) {
		size_t more = strlen(compressions[i]);

		if (length > more && !strcmp(base + length - more, compressions[i])) {
			length -= more;
			break;
		}
	}
	dot = memrchr(base, '.', length);
	return (size_t)(base - name) + (dot && dot != base ? (size_t)(dot - base) : length);
}

/* NAME_NNNNN_YYYYmmddHHMMSS.SUFFIX */
bool series_numbered_name(const char *name, uint64_t number, int64_t time_ns, char *result, size_t size)
{
	time_t seconds = (time_t)(time_ns / NS_A_SECOND);
	size_t stem = stem_length(name);
	char time_text[32];
	struct tm local;

	if (!localtime_r(&seconds, &local) || !strftime(time_text, sizeof time_text, "%Y%m%d%H%M%S", &local))
		return false;
	return (size_t)snprintf(result, size, "%.*s_%05llu_%s%s", (int)stem, name, (unsigned long long)number, time_text, name + stem) < size;
}

/* False: the name is too long, or the pattern produces an empty text. */
static bool make_name(const struct rtap_series *series, char name[NAME_SIZE])
{
	time_t seconds = (time_t)(series->begun_ns / NS_A_SECOND);
	struct tm local;
	size_t length;

	if (series->options.numbered)
		return series_numbered_name(series->name, series->files + 1, series->begun_ns, name, NAME_SIZE);
	if (series->options.rotate_seconds) {
		length = localtime_r(&seconds, &local) ? strftime(name, NAME_SIZE, series->name, &local) : 0;
		if (!length)
			return false;
	} else {
		length = strlen(series->name);
		if (length >= NAME_SIZE)
			return false;
		memcpy(name, series->name, length + 1);
	}
	if (!series->options.rotate_bytes || (!series->number && !series->digits))
		return true;
	return (size_t)snprintf(name + length, NAME_SIZE - length, "%0*llu", (int)series->digits, (unsigned long long)series->number) <
	       NAME_SIZE - length;
}

/* Removes an existing file with the name of a later file of the ring, which may have another owner; it would be overwritten anyway. */
static bool remove_old(const char *name)
{
	struct stat found;

	return !lstat(name, &found) && S_ISREG(found.st_mode) && !unlink(name);
}

static enum rtap_status open_file(struct rtap_series *series, const char *name, struct rtap_error *error)
{
	const struct rtap_series_options *options = &series->options;
	enum rtap_status status = writer_open_like(&series->writer, name, series->name, options->link_type, options->unbuffered,
						   options->source, error);

	if (status)
		return status;
	writer_set_comments(series->writer, options->comments, options->comment_count);
	writer_set_as_frames_come(series->writer, options->as_frames_come);
	writer_continue(series->writer, &series->place);
	if (options->has_group)
		status = writer_hand_over(series->writer, (uid_t)-1, options->group, error);
	if (!status && options->has_mode)
		status = writer_set_mode(series->writer, options->mode, error);
	series->frames = 0;
	return status;
}

/* Stores the name of the opened file, and deletes the oldest file beyond the limit. False: out of memory. */
static bool keep_name(struct rtap_series *series, const char *name)
{
	const struct rtap_series_options *options = &series->options;
	size_t place;
	char **larger;

	free(series->current);
	series->current = strdup(name);
	series->files++;
	if (!options->numbered || !options->rotate_files || !series->current)
		return series->current;
	place = (series->files - 1) % options->rotate_files;
	larger = array_grow(series->kept, &series->kept_room, place + 1, sizeof *larger);
	if (!larger)
		return false;
	series->kept = larger;
	if (series->files > options->rotate_files) {
		/* another program may have moved it */
		(void)!unlink(series->kept[place]);
		free(series->kept[place]);
	}
	series->kept[place] = strdup(name);
	return series->kept[place];
}

static enum rtap_status open_next(struct rtap_series *series, bool is_first, struct rtap_error *error)
{
	struct rtap_error reason;
	char name[NAME_SIZE];

	if (!make_name(series, name)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s: the name of a file made of this is too long or empty", series->name);
		return RTAP_STATUS_FAILED;
	}
	if (open_file(series, name, &reason) &&
	    (is_first || reason.code != RTAP_ERROR_PERMISSION || !remove_old(name) || open_file(series, name, &reason))) {
		if (error)
			*error = reason;
		return RTAP_STATUS_FAILED;
	}
	if (keep_name(series, name))
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
	return RTAP_STATUS_FAILED;
}

static void release(struct rtap_series *series)
{
	for (size_t i = 0; i < series->files && i < series->options.rotate_files && i < series->kept_room; i++)
		free(series->kept[i]);
	free(series->kept);
	free(series->current);
	free(series);
}

enum rtap_status rtap_series_open(struct rtap_series **series, const char *name, const struct rtap_series_options *given,
				  struct rtap_error *error)
{
	struct rtap_series *opened;

	*series = NULL;
	opened = calloc(1, sizeof *opened + strlen(name) + 1);
	if (!opened) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	strcpy(opened->name, name);
	if (struct_size_take(&opened->options, sizeof opened->options, given, error))
		goto failed;
	opened->begun_ns = opened->options.time_ns;
	opened->digits = opened->options.rotate_bytes ? digits_of(opened->options.rotate_files) : 0;
	if (open_next(opened, true, error))
		goto failed;
	*series = opened;
	return RTAP_STATUS_OK;
failed:
	(void)!rtap_writer_close(opened->writer, NULL);
	release(opened);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status close_file(struct rtap_series *series, bool is_last, struct rtap_error *error)
{
	struct rtap_writer *full = series->writer;
	enum rtap_status status;

	if (!full)
		return RTAP_STATUS_OK;
	series->writer = NULL;
	series->place = writer_place(full);
	if (is_last)
		writer_set_last(full);
	series->clamped_times += rtap_writer_clamped_times(full);
	status = rtap_writer_close(full, error);
	if (series->options.closed)
		series->options.closed(series->options.owner, series->current, is_last);
	return status;
}

/* END: as many files as wanted have been written. */
static enum rtap_status begin_next(struct rtap_series *series, struct rtap_error *error)
{
	enum rtap_status status = close_file(series, false, error);

	if (status)
		return status;
	if (series->options.stop_files && series->files >= series->options.stop_files)
		return RTAP_STATUS_END;
	return open_next(series, false, error);
}

/* Intervals since an early midnight, local time. */
static int64_t number_of_interval(const struct rtap_series *series, int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_A_SECOND);
	struct tm local;
	int64_t shift = localtime_r(&seconds, &local) ? local.tm_gmtoff : 0;

	return (int64_t)((uint64_t)(seconds + shift) / series->options.rotate_seconds);
}

/* Whether a frame of this time belongs to a later file. */
static bool is_too_late(const struct rtap_series *series, int64_t time_ns)
{
	int64_t seconds;

	/* in whole seconds, like the names; files may have times of any size */
	if (!series->options.rotate_seconds || time_ns < series->begun_ns)
		return false;
	if (series->options.at_multiples)
		return number_of_interval(series, time_ns) != number_of_interval(series, series->begun_ns);
	seconds = time_ns / NS_A_SECOND - series->begun_ns / NS_A_SECOND;
	return (uint64_t)seconds >= series->options.rotate_seconds;
}

/* Whether this was the last file started by time. */
static bool is_last_by_time(const struct rtap_series *series)
{
	const struct rtap_series_options *options = &series->options;

	return !options->numbered && !options->rotate_bytes && options->rotate_files && series->files_by_time + 1 >= options->rotate_files;
}

static enum rtap_status rotate_by_time(struct rtap_series *series, int64_t time_ns, struct rtap_error *error)
{
	enum rtap_status status;

	if (is_last_by_time(series)) {
		status = close_file(series, false, error);
		return status ? status : RTAP_STATUS_END;
	}
	series->files_by_time++;
	series->begun_ns = time_ns;
	series->number = 0;
	return begin_next(series, error);
}

static enum rtap_status rotate(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_error *error)
{
	const struct rtap_series_options *options = &series->options;

	if (is_too_late(series, frame->time_ns))
		return rotate_by_time(series, frame->time_ns, error);
	if (options->stop_bytes && writer_size(series->writer) >= options->stop_bytes)
		return RTAP_STATUS_END;
	if ((options->rotate_bytes && writer_size(series->writer) > options->rotate_bytes) ||
	    (options->rotate_frames && series->frames >= options->rotate_frames)) {
		series->number++;
		if (options->rotate_files && series->number >= options->rotate_files)
			series->number = 0;
		if (options->numbered)
			series->begun_ns = frame->time_ns;
		return begin_next(series, error);
	}
	return RTAP_STATUS_OK;
}

enum rtap_status series_write_of(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_batch *batch,
				 struct rtap_error *error)
{
	enum rtap_status status = series->writer ? rotate(series, frame, error) : RTAP_STATUS_END;

	if (!status)
		status = writer_write_of(series->writer, frame, batch, error);
	series->frames += !status;
	return status;
}

/* Returns whether no new file is due within the batch. */
static bool fits_whole(const struct rtap_series *series, const struct batch *batch)
{
	const struct rtap_series_options *options = &series->options;

	return series->writer && !options->rotate_seconds &&
	       (!options->rotate_frames || series->frames + batch->shared.count <= options->rotate_frames) &&
	       (!options->stop_bytes || writer_size(series->writer) + batch->record_bytes < options->stop_bytes) &&
	       (!options->rotate_bytes || writer_size(series->writer) + batch->record_bytes <= options->rotate_bytes);
}

enum rtap_status rtap_series_write_batch(struct rtap_series *series, struct rtap_batch *batch, size_t count, size_t *written,
					 struct rtap_error *error)
{
	struct batch *own = (struct batch *)batch;
	enum rtap_status status = RTAP_STATUS_OK;

	*written = 0;
	if (own->records && count == batch->count && fits_whole(series, own) &&
	    writer_write_records(series->writer, own, &status, error)) {
		*written = status ? 0 : count;
		series->frames += *written;
		return status;
	}
	batch_unpack(own);
	while (!status && *written < count) {
		status = series_write_of(series, &batch->frames[*written], batch, error);
		*written += !status;
	}
	return status;
}

enum rtap_status rtap_series_write(struct rtap_series *series, const struct rtap_frame *frame, struct rtap_error *error)
{
	return series_write_of(series, frame, NULL, error);
}

/* Whether a file that begins at this time has another name. */
static bool changes_name(struct rtap_series *series, int64_t time_ns)
{
	char now[NAME_SIZE], then[NAME_SIZE];
	int64_t begun_ns = series->begun_ns;
	uint64_t number = series->number;
	bool changes = make_name(series, now);

	series->begun_ns = time_ns;
	series->number = 0;
	changes = changes && make_name(series, then) && strcmp(now, then);
	series->begun_ns = begun_ns;
	series->number = number;
	return changes;
}

enum rtap_status series_advance(struct rtap_series *series, int64_t time_ns, struct rtap_error *error)
{
	if (!series->writer)
		return RTAP_STATUS_END;
	if (!is_too_late(series, time_ns) || !(is_last_by_time(series) || changes_name(series, time_ns)))
		return RTAP_STATUS_OK;
	return rotate_by_time(series, time_ns, error);
}

enum rtap_status rtap_series_flush(struct rtap_series *series, struct rtap_error *error)
{
	return series->writer ? rtap_writer_flush(series->writer, error) : RTAP_STATUS_OK;
}

enum rtap_status rtap_series_hand_over(struct rtap_series *series, uid_t user, gid_t group, struct rtap_error *error)
{
	return series->writer ? writer_hand_over(series->writer, user, group, error) : RTAP_STATUS_OK;
}

uint64_t rtap_series_clamped_times(const struct rtap_series *series)
{
	return series->clamped_times + (series->writer ? rtap_writer_clamped_times(series->writer) : 0);
}

enum rtap_status rtap_series_close(struct rtap_series *series, struct rtap_error *error)
{
	enum rtap_status status;

	if (!series)
		return RTAP_STATUS_OK;
	status = close_file(series, true, error);
	release(series);
	return status;
}
