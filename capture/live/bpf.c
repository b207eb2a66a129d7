/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <rdmatap/source.h>

#include "capture/live/bpf.h"
#include "capture/link_type.h"

/* Must not be less than the captured length of any frame. */
#define SNAP_LENGTH 0x7fffffff

/* Maximum number of words tried to find the position of an error in a filter. */
#define MOST_TRIES 64

/* The filter for one link type. */
struct program {
	SLIST_ENTRY(program) link;
	uint32_t link_type;
	enum rtap_status status; /* FAILED: the link type cannot be filtered */
	struct rtap_error error;
	struct bpf_program code;
};

struct rtap_bpf {
	char *text;
	SLIST_HEAD(, program) programs; /* the last one used comes first */
};

/* Link types that libpcap knows by name but whose headers it cannot look into. */
static const uint32_t without_bpf[] = { RTAP_LINK_ERF, RTAP_LINK_IPOIB, RTAP_LINK_INFINIBAND };

/*
 * Link types tried for a first opinion. Expressions about some links ("wlan", "vpi", "sio", "ifname") have a meaning
 * on these only; whatever compiles for one of them is no syntax error.
 */
static const int trial_dlts[] = {
	DLT_EN10MB, DLT_RAW, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_IEEE802_11_RADIO, DLT_PFLOG, DLT_SUNATM, DLT_MTP2, DLT_PPP,
	DLT_NULL, DLT_IPNET, DLT_JUNIPER_ETHER, DLT_ARCNET,
};

/*
 * How to compile. Loopback headers have an address family, and that of IPv6 depends on the operating system: libpcap checks for all of
 * them only when compiling for a file.
 */
static pcap_t *open_for(int dlt)
{
	const struct pcap_file_header header = {
		.magic = 0xa1b2c3d4, .version_major = 2, .version_minor = 4, .snaplen = SNAP_LENGTH, .linktype = link_type_of_dlt(dlt),
	};
	char reason[PCAP_ERRBUF_SIZE], bytes[sizeof header];
	pcap_t *handle;
	FILE *file;

	if (dlt != DLT_NULL && dlt != DLT_LOOP)
		return pcap_open_dead(dlt, SNAP_LENGTH);
	memcpy(bytes, &header, sizeof header);
	file = fmemopen(bytes, sizeof bytes, "r");
	if (!file)
		return NULL;
	handle = pcap_fopen_offline(file, reason);
	if (!handle)
		fclose(file);
	return handle; /* reads nothing any more */
}

static enum rtap_status compile(struct bpf_program *code, int dlt, const char *text, bool optimize, struct rtap_error *error)
{
	pcap_t *handle = open_for(dlt);
	enum rtap_status status = RTAP_STATUS_OK;

	memset(code, 0, sizeof *code);
	if (!handle) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	if (pcap_compile(handle, code, text, optimize && bpf_may_optimize(text), PCAP_NETMASK_UNKNOWN)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s", pcap_geterr(handle));
		status = RTAP_STATUS_FAILED;
	}
	pcap_close(handle);
	return status;
}

/* Whether it compiles for any link type; else *first is the first reason. */
static bool is_valid(const char *text, struct rtap_error *first)
{
	struct rtap_error ignored;
	struct bpf_program code;

	for (size_t i = 0; i < sizeof trial_dlts / sizeof trial_dlts[0]; i++) {
		if (!compile(&code, trial_dlts[i], text, false, i ? &ignored : first)) {
			pcap_freecode(&code);
			return true;
		}
	}
	return false;
}

static size_t word_length(const char *text)
{
	return strcspn(text, " \t\n()");
}

static bool is_connector(const char *word, size_t length)
{
	static const char *const connectors[] = { "and", "or", "not", "&&", "||", "!" };

	for (size_t i = 0; i < sizeof connectors / sizeof connectors[0]; i++)
		if (strlen(connectors[i]) == length && !strncmp(word, connectors[i], length))
			return true;
	return false;
}

/* libpcap reports no position: the word after the longest beginning of the text that compiles. Returns its offset. */
static size_t suspect(const char *text)
{
	char beginning[BPF_TEXT_MAX + 1];
	struct rtap_error ignored;
	size_t valid = 0, at = 0;

	for (unsigned tries = 0; text[at] && tries < MOST_TRIES; tries++) {
		at += strspn(text + at, " \t\n()");
		at += word_length(text + at);
		memcpy(beginning, text, at);
		beginning[at] = '\0';
		if (is_valid(beginning, &ignored))
			valid = at;
	}
	for (at = valid;; at += word_length(text + at)) {
		at += strspn(text + at, " \t\n()");
		if (!text[at] || !is_connector(text + at, word_length(text + at)))
			return at;
	}
}

static enum rtap_status try_text(const char *text, struct rtap_error *error)
{
	struct rtap_error first;
	size_t at;

	if (is_valid(text, &first))
		return RTAP_STATUS_OK;
	at = suspect(text);
	rtap_error_set(error, first.code, "capture filter \"%s\": %s; column %zu: %s%.*s%s (see pcap-filter(7))", text, first.text, at + 1,
		       text[at] ? "\"" : "the end", (int)word_length(text + at), text + at, text[at] ? "\"" : "");
	return RTAP_STATUS_FAILED;
}

enum rtap_status rtap_bpf_open(struct rtap_bpf **bpf, const char *text, struct rtap_error *error)
{
	enum rtap_status status;

	*bpf = NULL;
	if (strnlen(text, BPF_TEXT_MAX + 1) > BPF_TEXT_MAX) {
		rtap_error_set(error, RTAP_ERROR_INVALID,
			       "the capture filter is longer than %d bytes (use a display filter, or fewer terms)", BPF_TEXT_MAX);
		return RTAP_STATUS_FAILED;
	}
	status = try_text(text, error);
	if (status)
		return status;
	*bpf = calloc(1, sizeof **bpf);
	if (*bpf)
		(*bpf)->text = strdup(text);
	if (!*bpf || !(*bpf)->text) {
		rtap_bpf_close(*bpf);
		*bpf = NULL;
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	return RTAP_STATUS_OK;
}

static void compile_program(struct program *program, const char *text)
{
	const char *name = rtap_link_type_name(program->link_type);
	int dlt = link_type_to_dlt(program->link_type);
	struct rtap_error reason, ignored;

	program->status = RTAP_STATUS_FAILED;
	for (size_t i = 0; i < sizeof without_bpf / sizeof without_bpf[0]; i++) {
		if (program->link_type == without_bpf[i]) {
			rtap_error_set(&program->error, RTAP_ERROR_UNSUPPORTED,
				       "link type %u (%s): this link type has no BPF; use -Y", program->link_type, name ? name : "unknown");
			return;
		}
	}
	/*
	 * The optimizer reports an error if nothing can pass. With several link types in one input this is not an
	 * error: such a filter just passes no frame of this link type.
	 */
	if (!compile(&program->code, dlt, text, true, &reason) || !compile(&program->code, dlt, text, false, &ignored)) {
		program->status = RTAP_STATUS_OK;
		return;
	}
	rtap_error_set(&program->error, reason.code, "capture filter \"%s\" on link type %u (%s): %s (use -Y)", text, program->link_type,
		       name ? name : "unknown", reason.text);
}

/* The program for a link type, moved to the front; NULL if out of memory. */
static struct program *find_program(struct rtap_bpf *bpf, uint32_t link_type)
{
	struct program *program;

	SLIST_FOREACH(program, &bpf->programs, link)
		if (program->link_type == link_type)
			break;
	if (program) {
		SLIST_REMOVE(&bpf->programs, program, program, link);
	} else {
		program = calloc(1, sizeof *program);
		if (!program)
			return NULL;
		program->link_type = link_type;
		compile_program(program, bpf->text);
	}
	SLIST_INSERT_HEAD(&bpf->programs, program, link);
	return program;
}

enum rtap_status rtap_bpf_match(struct rtap_bpf *bpf, const struct rtap_frame *frame, bool *match, struct rtap_error *error)
{
	struct program *program = SLIST_FIRST(&bpf->programs);

	*match = false;
	if (!program || program->link_type != frame->link_type)
		program = find_program(bpf, frame->link_type);
	if (!program) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	if (program->status) {
		if (error)
			*error = program->error;
		return program->status;
	}
	*match = bpf_filter(program->code.bf_insns, frame->bytes, frame->wire_length, frame->captured_length);
	return RTAP_STATUS_OK;
}

void rtap_bpf_close(struct rtap_bpf *bpf)
{
	struct program *program;

	if (!bpf)
		return;
	while ((program = SLIST_FIRST(&bpf->programs))) {
		SLIST_REMOVE_HEAD(&bpf->programs, link);
		pcap_freecode(&program->code);
		free(program);
	}
	free(bpf->text);
	free(bpf);
}
