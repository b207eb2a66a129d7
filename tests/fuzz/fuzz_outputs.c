/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From end to end: a capture file in, one of the outputs out, by way of the source, a display filter and the tracker. What is
 * written is well-formed text or JSON Lines; what is saved comes back. What is written of packets that were dissected ahead and
 * kept as snapshots on their way, as several threads do it, is the same.
 * Input: byte 0 chooses the output, byte 1 options, byte 2 the limit of memory and the columns, byte 3 is the length of a
 * display filter's text, which follows; the rest is a file. With bit 7 of byte 0 the rest is two files, which are merged after a survey of their
 * clocks, and the length of the second one in 4 bytes.
 */
#include "config.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

#include <rdmatap/filter.h>
#include <rdmatap/tracker.h>

#include "capture/source.h"
#include "capture/file/writer.h"
#include "dissect/dissect.h"
#include "dissect/engine/packet_snapshot.h"
#include "output/check/check_form.h"
#include "output/compare/canon.h"
#include "output/message/columns.h"
#include "output/message/connections.h"
#include "output/export/export_files.h"
#include "output/export/export_tcp.h"
#include "output/packet/fields.h"
#include "output/packet/hex.h"
#include "output/packet/json.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/packet/printer.h"
#include "output/report/report.h"
#include "output/report/report_calls.h"
#include "output/report/report_page.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"
#include "output/stats/stats_text.h"
#include "output/packet/text.h"
#include "reassembly/clock_survey.h"
#include "reassembly/state.h"
#include "reassembly/tracker.h"
#include "reassembly/upper/rpc_layer.h"

#include "harness.h"
#include "text_checks.h"

#define HEADER_LENGTH 4
#define TWO_FILES 0x80
#define MOST_FILES 2
/* One connection may exceed a small limit: by its largest ring of recent packets, which is 1 MiB, and by its structs. */
#define SLACK ((UINT64_C(1) << 20) + (UINT64_C(1) << 16))
#define COLUMN_SETS 16

/* Byte 0; those from JSON on, up to SAVE, write JSON Lines. */
enum output {
	TEXT, TREE, HEX, FIELDS, MESSAGES, CONNECTIONS, CANON, STATS, REPORT, JSON, JSON_MESSAGES, JSON_CONNECTIONS, JSON_CANON, JSON_STATS,
	SAVE, EXPORT, FILES, OUTPUTS,
};

/* Byte 1. */
enum {
	CHECK_ICRC = 0x01, NO_HEURISTICS = 0x02, KEEP_BYTES = 0x04, CHECKSUMS = 0x08,
	PACKETS = 0x10,   /* of canon; of stats: a time series; of exports: holes are filled; of what is saved: compressed */
	PCAP = 0x20,      /* of what is saved */
	SMALL_BLOCKS = 0x40, IN_DROPS = 0x80,
};

struct run {
	enum output output;
	uint8_t options;
	struct printer printer;
	struct rtap_filter *filter;
	struct rtap_tracker *tracker;
	struct text_format text;
	struct json_format json;
	struct format *format; /* of packets; NULL: not shown */
	struct canon *canon;
	bool checks;       /* rules, with the connections */
	struct check check;
	struct stats *stats;
	struct report *report;
	uint64_t anomalies[RTAP_ANOMALY_CODES];
	const struct rtap_source *source;
	struct export_tcp *export;
	struct export_files *files;
	struct rtap_writer *writer;
	uint64_t saved;
	uLong saved_bytes; /* CRC of what was saved */
	bool merges;       /* several files */
	bool ahead;        /* packets are dissected a batch ahead, and kept as snapshots until they are taken and shown */
	uint64_t *snapshot; /* those of the batch */
	size_t snapshot_room;
	uLong written;     /* CRC of what was written */
};

/* What outputs that take a file descriptor write to, for the process's life. */
static int file = -1;
static char directory[] = "/dev/shm/rdmatap-fuzz-XXXXXX";

static const struct clock_listing relative = { .form = CLOCK_RELATIVE };

static void write_message(const void *what, struct line *line)
{
	const struct rtap_message *message = what;

	message_text(message, &relative, false, line);
	if (message->bytes.bytes)
		hex_write(message->bytes.bytes, message->bytes.length, line);
}

static void write_message_json(const void *what, struct line *line)
{
	message_json(what, line);
}

static void write_connection(const void *what, struct line *line)
{
	connection_text(what, &relative, false, false, line);
}

static void write_connection_json(const void *what, struct line *line)
{
	connection_json(what, line);
}

static void take_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	if (run->filter && !message->wanted)
		return;
	if (run->canon)
		canon_message(run->canon, message);
	if (run->stats)
		stats_message(run->stats, message);
	if (run->report)
		report_message(run->report, message);
	if (run->output == MESSAGES || run->output == JSON_MESSAGES)
		REQUIRE(!printer_write(&run->printer, run->output == MESSAGES ? write_message : write_message_json, message));
}

static void count_operation(void *owner, const struct rtap_operation *operation)
{
	stats_operation(((struct run *)owner)->stats, operation);
}

static void write_operation(const void *what, struct line *line)
{
	operation_text(what, &relative, false, line);
}

static void write_operation_json(const void *what, struct line *line)
{
	operation_json(what, line);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;

	REQUIRE(operation->layer && (!operation->id || *operation->id) && operation->connection && (operation->request_frame || operation->response_frame));
	REQUIRE(!operation->complete || !operation->missing_count);
	if (!run->filter || operation->wanted)
		REQUIRE(!printer_write(&run->printer, run->output == MESSAGES ? write_operation : write_operation_json, operation));
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct run *run = owner;

	if (run->canon)
		canon_connection(run->canon, connection);
	if (run->checks)
		check_connection_over(&run->check, connection->number);
	if (run->stats)
		stats_connection(run->stats, connection);
	if (run->output == CONNECTIONS || run->output == JSON_CONNECTIONS)
		REQUIRE(!printer_write(&run->printer, run->output == CONNECTIONS ? write_connection : write_connection_json, connection));
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct run *run = owner;

	if (run->stats)
		stats_merge(run->stats, from, into, turned);
	if (run->canon)
		canon_merge(run->canon, from, into, turned);
	if (run->checks)
		check_merge(&run->check, from, into);
	if (run->report)
		report_merge(run->report, from, into, turned);
}

static void take_exchange(void *owner, const struct rpc_exchange *exchange)
{
	struct run *run = owner;
	struct rtap_error error;

	if (run->export)
		REQUIRE(export_tcp_exchange(run->export, exchange, &error) == RTAP_STATUS_OK);
	if (!run->files)
		return;
	export_files_exchange(run->files, exchange);
	REQUIRE(!export_files_has_failed(run->files));
}

static bool is_wanted(void *owner, const struct rtap_packet *packet)
{
	return rtap_filter_match(((struct run *)owner)->filter, packet);
}

/* One pcap file holds one link type, and pcapng has 16 bits for it. */
static void save(struct run *run, const struct rtap_frame *frame)
{
	struct rtap_error error;

	if (!run->writer) {
		static const char *const likes[] = { "a.pcapng", "a.pcap", "a.pcapng.gz", "a.pcap.gz" };
		const char *like = likes[!!(run->options & PCAP) + 2 * !!(run->options & PACKETS)];
		char name[64];

		snprintf(name, sizeof name, "/proc/self/fd/%d", file);
		REQUIRE(writer_open_like(&run->writer, name, like, frame->link_type, false, NULL, &error) == RTAP_STATUS_OK);
	}
	if (rtap_writer_write(run->writer, frame, &error) != RTAP_STATUS_OK) {
		REQUIRE(run->options & PCAP || frame->link_type > UINT16_MAX);
		return;
	}
	run->saved++;
	run->saved_bytes = crc32_z(run->saved_bytes, (const uint8_t *)&frame->wire_length, sizeof frame->wire_length);
	run->saved_bytes = crc32_z(run->saved_bytes, frame->bytes, frame->captured_length);
}

static void show(struct run *run, const struct rtap_packet *packet)
{
	size_t size = run->ahead ? packet_snapshot_size(packet) : 0;
	struct rtap_packet restored;
	uint8_t *snapshot;

	if (!size) {
		REQUIRE(!printer_packet(&run->printer, run->format, packet));
		return;
	}
	snapshot = malloc(size);
	REQUIRE(snapshot != NULL && packet_snapshot_take(packet, snapshot) <= size);
	packet_snapshot_restore(snapshot, packet->frame, &restored);
	REQUIRE(!printer_packet(&run->printer, run->format, &restored));
	free(snapshot);
}

static void take_packet(struct run *run, const struct rtap_packet *packet)
{
	if (run->stats)
		stats_packet(run->stats, packet);
	if (run->report)
		report_packet(run->report, packet);
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		run->anomalies[packet->anomalies[i].code]++;
	if (run->canon)
		canon_packet(run->canon, packet);
	if (run->checks)
		check_packet(&run->check, packet);
	if (!rtap_filter_match(run->filter, packet))
		return;
	if (run->output == SAVE)
		save(run, packet->frame);
	if (run->format)
		show(run, packet);
}

static void take_batch(struct run *run, const struct rtap_batch *batch)
{
	struct rtap_packet packet;

	for (size_t i = 0; i < batch->count; i++) {
		rtap_tracker_frame(run->tracker, &batch->frames[i], &packet);
		take_packet(run, &packet);
	}
}

static void take_batch_ahead(struct run *run, const struct rtap_batch *batch)
{
	struct rtap_packet packet;
	size_t used = 0;
	uint8_t *snapshot;

	if (run->snapshot_room < batch->count * SNAPSHOT_SIZE) {
		run->snapshot_room = batch->count * SNAPSHOT_SIZE;
		free(run->snapshot);
		run->snapshot = malloc(run->snapshot_room);
		REQUIRE(run->snapshot != NULL);
	}
	snapshot = (uint8_t *)run->snapshot;
	for (size_t i = 0; i < batch->count; i++) {
		tracker_dissect_ahead(run->tracker, &batch->frames[i], &packet);
		used += packet_snapshot_take(&packet, snapshot + used);
	}
	for (size_t i = 0; i < batch->count; i++) {
		snapshot += packet_snapshot_restore(snapshot, &batch->frames[i], &packet);
		tracker_take(run->tracker, &batch->frames[i], &packet);
		take_packet(run, &packet);
	}
}

/* Ends with END or a failure to open; what breaks is reported and read past. */
static void read_file(struct rtap_source *source, void (*take)(struct run *run, const struct rtap_batch *batch), struct run *run)
{
	struct rtap_batch *batch;
	struct rtap_error error;
	enum rtap_status status;

	while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
		REQUIRE(status != RTAP_STATUS_FAILED);
		if (status != RTAP_STATUS_OK)
			continue;
		take(run, batch);
		rtap_batch_release(batch);
	}
}

/* Every sixteenth field, from one on: made once, because finding names takes longer than all the rest. */
static struct fields_format *columns(unsigned set)
{
	static struct fields_format formats[COLUMN_SETS];
	struct fields_format *format = &formats[set];
	struct rtap_error error;

	if (format->column_count)
		return format;
	fields_format_init(format);
	for (size_t id = set; id < rtap_field_count(); id += COLUMN_SETS)
		REQUIRE(fields_format_add(format, rtap_field_by_id((rtap_field_id)id)->name, &error) == RTAP_STATUS_OK);
	return format;
}

static const struct columns json_records = { .form = COLUMNS_JSON };

static void open_output(struct run *run, unsigned set)
{
	struct rtap_error error;

	switch (run->output) {
	case TEXT: case TREE: case HEX:
		text_format_init(&run->text);
		run->text.tree = run->output == TREE;
		run->text.hex = run->output == HEX;
		run->text.clock.form = (enum clock_form)(set % (CLOCK_UTC_DATE + 1));
		run->format = &run->text.format;
		break;
	case FIELDS:
		run->format = &columns(set)->format;
		break;
	case JSON:
		REQUIRE(!json_format_init(&run->json, run->options & CHECK_ICRC));
		run->format = &run->json.format;
		break;
	case CANON: case JSON_CANON:
		run->canon = canon_create(&(struct canon_options){
			.level = run->options & PACKETS ? CANON_PACKETS : CANON_MESSAGES, .columns = run->output == JSON_CANON ? &json_records : NULL });
		REQUIRE(run->canon != NULL);
		break;
	case STATS: case JSON_STATS: case REPORT:
		run->stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20, .interval_ns = run->options & PACKETS ? 1000000 : 0,
			.lives = run->output == REPORT });
		REQUIRE(run->stats != NULL);
		if (run->output == REPORT)
			REQUIRE((run->report = report_create(run->stats, 1 << 20)) != NULL);
		break;
	case CONNECTIONS: case JSON_CONNECTIONS:
		run->checks = true;
		check_memory_init(&run->check.memory, UINT64_C(4096) << set);
		run->check.violations.most = 3;
		memset(run->check.violations.is_checked, true, sizeof run->check.violations.is_checked);
		break;
	case EXPORT:
		REQUIRE(export_tcp_open(&run->export, "/dev/null", run->options & PACKETS, 1 << 16, &error) == RTAP_STATUS_OK);
		break;
	case FILES:
		strcpy(directory + sizeof directory - sizeof "XXXXXX", "XXXXXX");
		REQUIRE(mkdtemp(directory) != NULL);
		run->files = export_files_open(directory, &(struct export_files_options){ .max_memory = 1 << 16 }, &error);
		REQUIRE(run->files != NULL);
		break;
	default:
		break;
	}
	REQUIRE(!printer_init(&run->printer, file, false));
	if (run->format)
		REQUIRE(!printer_packet(&run->printer, run->format, NULL));
}

static void open_tracker(struct run *run, unsigned memory)
{
	const struct rtap_dissect_options dissect = {
		.size = sizeof dissect, .check_icrc = run->options & CHECK_ICRC, .no_heuristics = run->options & NO_HEURISTICS,
	};
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = UINT64_C(4096) << memory,
		.dissect = &dissect,
		.bytes = run->options & KEEP_BYTES, .checksums = run->options & CHECKSUMS,
		.owner = run,
	};

	if (run->output < SAVE && !run->format) {
		options.message = take_message;
		options.connection = take_connection;
		options.merged = take_merge;
		if (run->output == MESSAGES || run->output == JSON_MESSAGES)
			options.operation = take_operation;
		if (run->stats) {
			options.operation = count_operation;
			options.cheap_operations = true;
		}
	}
	if (run->filter)
		options.wanted = is_wanted;
	REQUIRE(rtap_tracker_open(&run->tracker, &options, NULL) == RTAP_STATUS_OK);
	if (run->merges)
		REQUIRE(tracker_join_captures(run->tracker, source_clock(run->source, 1)->reference == 0));
	if (run->output == TEXT || run->output == FIELDS)
		tracker_show_files(run->tracker);
	if (run->output > SAVE)
		rpc_layer_report_exchanges(run->tracker, take_exchange, run, true);
}

static bool write_record(void *owner, stats_form *form, const struct stats_record *record)
{
	REQUIRE(!printer_write(&((struct run *)owner)->printer, form, record));
	return true;
}

static void write_stats(struct run *run, const struct findings *findings)
{
	static const char *const inputs[] = { "one", "other" };
	bool failed = false;
	struct stats_view view = {
		.inputs = inputs, .input_count = run->merges ? MOST_FILES : 1, .most = 3, .all_connections = run->options & KEEP_BYTES,
	};

	if (run->output == JSON_STATS)
		stats_write_all(run->stats, findings, &stats_json_form, write_record, run);
	else
		REQUIRE(stats_write_text(run->stats, findings, &view, write_record, run, &failed) && !failed);
}

static void write_violations(struct run *run)
{
	const struct violations *violations = &run->check.violations;
	struct violation_record record = { .violations = violations };

	REQUIRE(run->check.memory.memory <= run->check.memory.max_memory);
	violations_sort(&run->check.violations);
	for (size_t i = 0; i < violations->count; i++) {
		record.violation = &violations->list[i];
		REQUIRE(record.violation->frame && violations->counts[record.violation->rule] >= violations->kept[record.violation->rule]);
		REQUIRE(!printer_write(&run->printer, run->output == CONNECTIONS ? violation_text : violation_json, &record));
	}
}

/* What is only reported at the end. */
static void finish_output(struct run *run)
{
	static struct findings findings;
	struct rtap_error error;

	rtap_tracker_finish(run->tracker);
	REQUIRE(run->tracker->budget.peak <= run->tracker->budget.limit + SLACK);
	if (run->canon)
		REQUIRE(!canon_write(run->canon, NULL, &run->printer));
	if (run->checks)
		write_violations(run);
	if (run->stats) {
		findings_gather(&findings, run->stats);
	}
	if (run->report) {
		struct report_input input = {
			.source = run->source, .anomalies = run->anomalies,
		};

		rtap_tracker_counters(run->tracker, &input.counters, sizeof input.counters);
		REQUIRE(!report_write(run->report, &findings, &input, &run->printer));
	} else if (run->stats) {
		write_stats(run, &findings);
	}
	if (run->files) {
		REQUIRE(export_files_flush(run->files) == RTAP_STATUS_OK);
		REQUIRE(!export_files_print_missing(run->files, &run->printer));
	}
	REQUIRE(export_files_close(run->files, &error) == RTAP_STATUS_OK);
	REQUIRE(export_tcp_close(run->export, NULL, &error) == RTAP_STATUS_OK);
	REQUIRE(rtap_writer_close(run->writer, &error) == RTAP_STATUS_OK);
	REQUIRE(!printer_flush(&run->printer));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void take_back(struct run *run, const struct rtap_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct rtap_frame *frame = &batch->frames[i];

		REQUIRE(run->saved--);
		run->saved_bytes = crc32_z(run->saved_bytes, (const uint8_t *)&frame->wire_length, sizeof frame->wire_length);
		run->saved_bytes = crc32_z(run->saved_bytes, frame->bytes, frame->captured_length);
	}
}

static void check_saved(struct run *run, const uint8_t *bytes, size_t length)
{
	struct rtap_span written = { bytes, (uint32_t)length };
	uLong saved_bytes = run->saved_bytes;
	struct rtap_source_counters counters;
	struct rtap_source *source;
	struct rtap_error error;

	if (source_open_memory(&source, &written, 1, 0, 0, &error) != RTAP_STATUS_OK) {
		/* gzip'd nothing: the first frame did not fit into the format */
		REQUIRE(!run->saved);
		return;
	}
	run->saved_bytes = 0;
	read_file(source, take_back, run);
	REQUIRE(run->saved == 0 && run->saved_bytes == saved_bytes);
	rtap_source_counters(source, &counters, sizeof counters);
	REQUIRE(counters.bad_lengths == 0);
	rtap_source_close(source);
}

static void check_written(struct run *run)
{
	off_t length = lseek(file, 0, SEEK_END);
	char *text;

	REQUIRE(length >= 0);
	if (!length)
		return;
	text = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, file, 0);
	REQUIRE(text != MAP_FAILED);
	run->written = crc32_z(0, (const uint8_t *)text, (size_t)length);
	if (run->output == SAVE)
		check_saved(run, (const uint8_t *)text, (size_t)length);
	else
		check_lines(text, (size_t)length, run->output >= JSON && run->output <= JSON_STATS,
			    run->output == FIELDS || run->output == FILES || run->output == REPORT);
	munmap(text, (size_t)length);
}

static void run_output(struct run *run, unsigned memory, unsigned set, struct rtap_source *source)
{
	if (file < 0)
		file = memfd_create("output", MFD_CLOEXEC);
	REQUIRE(file >= 0 && !ftruncate(file, 0) && lseek(file, 0, SEEK_SET) == 0);
	run->source = source;
	open_output(run, set);
	open_tracker(run, memory);
	read_file(source, run->ahead ? take_batch_ahead : take_batch, run);
	finish_output(run);
	check_written(run);
	if (run->output == FILES)
		REQUIRE(!nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS));
	rtap_tracker_close(run->tracker);
	report_destroy(run->report);
	stats_destroy(run->stats);
	canon_destroy(run->canon);
	check_fini(&run->check);
	json_format_fini(&run->json);
	text_format_fini(&run->text);
	printer_fini(&run->printer);
	free(run->snapshot);
}

static enum rtap_status open_files(struct rtap_source **source, const struct rtap_span *files, size_t count, uint8_t options)
{
	struct rtap_error error;

	return source_open_memory(source, files, count, options & SMALL_BLOCKS ? 100 : 0, options & IN_DROPS ? 61 : 0, &error);
}

static void survey_batch(struct clock_survey *survey, size_t file_number, const struct rtap_batch *batch)
{
	struct clock_survey_packet identified;
	struct rtap_packet packet;

	for (size_t i = 0; i < batch->count; i++) {
		dissect_frame(&batch->frames[i], NULL, &packet);
		if (clock_survey_identify(&packet, clock_survey_mask(survey), &identified))
			clock_survey_take(survey, file_number, &identified);
	}
}

static void survey_file(struct clock_survey *survey, size_t number, const struct rtap_span *span, uint8_t options)
{
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_error error;
	enum rtap_status status;

	REQUIRE(open_files(&source, span, 1, options) == RTAP_STATUS_OK);
	while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
		if (status != RTAP_STATUS_OK)
			continue;
		survey_batch(survey, number, batch);
		if (!number && options & IN_DROPS)
			clock_survey_go_on_thinned(survey);
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
	clock_survey_end_file(survey, number);
}

/* As cli/clocks.c does it. A file's reference is an earlier one, which has none itself. */
static void survey_clocks(struct rtap_source *merged, const struct rtap_span *files, size_t count, uint8_t options)
{
	struct clock_survey *survey = clock_survey_create(count, 1 << 26);

	REQUIRE(survey != NULL);
	for (size_t i = 0; i < count; i++)
		survey_file(survey, i, &files[i], options);
	clock_survey_begin_whole(survey);
	for (size_t i = 0; i < count; i++)
		if (clock_survey_is_shared(survey, i))
			survey_file(survey, i, &files[i], options);
	for (size_t i = 0; i < count; i++) {
		struct source_clock clock = { .reference = clock_survey_reference(survey, i) };
		const struct clock_piece *pieces;

		clock.count = clock_survey_pieces(survey, i, &pieces);
		REQUIRE(clock.count <= CLOCK_PIECES);
		memcpy(clock.pieces, pieces, clock.count * sizeof *pieces);
		REQUIRE(clock.reference <= i && clock_survey_reference(survey, clock.reference) == clock.reference);
		REQUIRE(clock.reference < i || clock.count != 1);
		source_set_clock(merged, i, &clock);
	}
	clock_survey_destroy(survey);
}

/* As the input says; false: it cannot be read at all. */
static bool run_files(struct run *run, const uint8_t *data, const struct rtap_span *files, size_t count)
{
	struct rtap_source *source;

	if (open_files(&source, files, count, run->options) != RTAP_STATUS_OK)
		return false;
	run->merges = count > 1;
	if (run->merges)
		survey_clocks(source, files, count, run->options);
	run_output(run, data[2] & 15, data[2] >> 4, source);
	rtap_source_close(source);
	return true;
}

/* A block of just this size: reading outside of it is seen. */
static struct rtap_span copy_of(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length + !length);

	REQUIRE(copy != NULL);
	memcpy(copy, bytes, length);
	return (struct rtap_span){ copy, (uint32_t)length };
}

/* Returns how many files there are. */
static size_t split(const uint8_t *bytes, size_t length, bool is_two, struct rtap_span files[MOST_FILES])
{
	uint32_t second;

	if (!is_two || length < sizeof second) {
		files[0] = copy_of(bytes, length);
		return 1;
	}
	length -= sizeof second;
	memcpy(&second, bytes + length, sizeof second);
	second %= (uint32_t)length + 1;
	files[0] = copy_of(bytes, length - second);
	files[1] = copy_of(bytes + length - second, second);
	return 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER_LENGTH || size - HEADER_LENGTH < data[3] || size > 1 << 17)
		return 0;

	struct run run = { .output = (data[0] & ~TWO_FILES) % OUTPUTS, .options = data[1] };
	struct run again = { .output = run.output, .options = run.options, .ahead = true };
	struct rtap_span files[MOST_FILES];
	size_t before = HEADER_LENGTH + data[3], count = split(data + before, size - before, data[0] & TWO_FILES, files);
	struct rtap_error error;
	char filter[256] = "";

	memcpy(filter, data + HEADER_LENGTH, data[3]);
	if (*filter && rtap_filter_open(&run.filter, filter, &error) != RTAP_STATUS_OK)
		goto out;
	again.filter = run.filter;
	if (run_files(&run, data, files, count) && run.output < SAVE)
		REQUIRE(run_files(&again, data, files, count) && again.written == run.written);
out:
	rtap_filter_close(run.filter);
	while (count)
		free((void *)(uintptr_t)files[--count].bytes);
	return 0;
}
