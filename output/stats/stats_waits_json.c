/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/message/connections.h"
#include "output/packet/object.h"
#include "output/stats/stats_json_parts.h"
#include "output/stats/stats_waits_json.h"

void stats_waits_host(const char *key, const uint8_t address[16], uint8_t address_length, struct line *line)
{
	struct rtap_end end = { .address_length = address_length };

	memcpy(end.address, address, sizeof end.address);
	end_address_json(key, &end, line);
}

static void members(const struct stats_waits *waits, struct line *line)
{
	static const char *const keys[] = { "receiver_late", "sender_late", "network", "pause" };

	for (int i = 0; i < STATS_DELAY_COUNT; i++) {
		const struct stats_delayed *delays = &waits->delays[i];

		if (!delays->name)
			continue;
		stats_json_object(line, keys[i]);
		object_seconds(line, "time_lost", delays->time_ns);
		object_number(line, "delayed", delays->delayed.count);
		object_seconds(line, "longest", delays->longest_ns);
		if (delays->longest_ns)
			object_number(line, "longest_frame", delays->longest_frame);
		line_char(line, '}');
	}
}

static void transfers(const struct stats_waits *waits, struct line *line)
{
	object_number(line, "transfers", waits->count);
	object_number(line, "data_bytes", waits->bytes);
	object_time(line, "time", waits->begin_ns);
	object_time(line, "time_end", waits->end_ns);
	object_seconds(line, "seconds", stats_waits_span(waits));
}

void stats_waits_json(const struct stats_waits *waits, struct line *line)
{
	stats_json_object(line, "waits");
	transfers(waits, line);
	members(waits, line);
	line_char(line, '}');
}

void stats_job_json(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_job *job = record->what;
	const struct stats_job_host *straggler = job->straggler >= 0 ? &record->jobs->hosts[job->straggler] : NULL;

	stats_json_begin("job", line);
	object_number(line, "job", record->index + 1);
	object_text(line, "layer", job->layer);
	object_number(line, "hosts", job->hosts);
	object_number(line, "links", job->links);
	object_text(line, "shape", stats_shape_name(job->shape));
	transfers(&job->waits, line);
	members(&job->waits, line);
	if (straggler) {
		stats_waits_host("straggler", straggler->address, straggler->address_length, line);
		object_bool(line, "straggler_certain", stats_job_host_is_certain(straggler));
		object_seconds(line, "straggler_late", straggler->own_ns);
	}
	stats_json_end(line);
}

void stats_host_json(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_job_host *host = record->what;

	stats_json_begin("host", line);
	object_number(line, "job", host->job + 1);
	stats_waits_host("host", host->address, host->address_length, line);
	object_number(line, "senders", host->senders);
	object_number(line, "receivers", host->receivers);
	object_number(line, "received", host->received);
	object_number(line, "received_bytes", host->received_bytes);
	object_number(line, "sent", host->sent);
	object_number(line, "sent_bytes", host->sent_bytes);
	object_seconds(line, "late_as_receiver", host->kept_ns[STATS_DELAY_REQUESTER]);
	object_seconds(line, "late_as_sender", host->kept_ns[STATS_DELAY_RESPONDER]);
	object_seconds(line, "receiver_own", host->own[STATS_DELAY_REQUESTER].time_ns);
	object_seconds(line, "sender_own", host->own[STATS_DELAY_RESPONDER].time_ns);
	object_bool(line, "certain", stats_job_host_is_certain(host));
	object_bool(line, "is_straggler", record->jobs->jobs[host->job].straggler == (int)(host - record->jobs->hosts));
	stats_json_end(line);
}
