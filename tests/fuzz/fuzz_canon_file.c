/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Canonical text read back and compared: with itself, and with a text made from it by turning one byte, or with another.
 * Input: options (1: packets, 2: order, 4: fold retransmissions, 8: JSON, 16: counts only, 32: the second half is the other text,
 * 64: tolerances, 128: names, pairs and an address), which byte to turn, then the text.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/compare/diff_show.h"
#include "output/message/columns.h"
#include "output/packet/format.h"
#include "output/packet/printer.h"

#include "harness.h"

static void compare(const struct canon_file *a, const struct canon_file *b, struct canon_treatments *treatments, uint8_t options,
		    bool equal)
{
	static int fd = -1;
	struct diff_totals totals;
	struct diff_show show;
	struct columns columns = { .form = COLUMNS_JSON };
	struct printer printer;

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY);
	if (printer_init(&printer, fd, false))
		return;
	if (options & 16)
		diff_show_stat(&show, &printer, "a", "b");
	else if (options & 8)
		REQUIRE(!diff_show_records(&show, &printer, "a", "b", &columns));
	else
		diff_show_text(&show, &printer, "a", "b", false);
	if (diff_compare(a, b, treatments, &show.form, &totals))
		abort();
	if (diff_show_end(&show, &totals) || (equal && diff_differs(&totals)))
		abort();
	diff_show_fini(&show);
	printer_fini(&printer);
}

static enum rtap_status read_text(struct canon_file *file, const char *text, size_t length, struct canon_treatments *treatments, bool map)
{
	struct rtap_error error;

	return canon_file_read(file, &(struct canon_text){ .name = "text", .text = text, .length = length, .map = map }, treatments, &error);
}

static void add_rules(struct diff_rules *rules, uint8_t options)
{
	static const char *const tolerances[][2] = { { "tolerance", "latency=5%" }, { "tolerance", "length=2" } };
	static const char *const names[][2] = {
		{ "ignore", "rpcordma.rdma_handle" }, { "only", "kind" }, { "only", "length" }, { "skip", "kind=mad" }, { "map", "10.0.0.3=10.0.0.2" },
	};
	struct rtap_error error;

	for (size_t i = 0; options & 64 && i < sizeof tolerances / sizeof *tolerances; i++)
		if (diff_rules_add(rules, tolerances[i][0], tolerances[i][1], &error) != RTAP_STATUS_OK)
			abort();
	for (size_t i = 0; options & 128 && i < sizeof names / sizeof *names; i++)
		if (diff_rules_add(rules, names[i][0], names[i][1], &error) != RTAP_STATUS_OK)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diff_rules rules = { .level = CANON_MESSAGES };
	struct canon_treatments treatments = { .rules = &rules };
	struct canon_file first, second, turned_file;
	char *text, *turned;
	size_t length, turned_length;
	enum rtap_status status;

	if (size < 4)
		return 0;
	length = size - 3;
	text = malloc(length);
	turned = malloc(length);
	if (!text || !turned)
		goto out;
	rules.level = data[0] & 1 ? CANON_PACKETS : CANON_MESSAGES;
	rules.order = data[0] & 2;
	rules.fold_retransmissions = data[0] & 4;
	add_rules(&rules, data[0]);
	memcpy(text, data + 3, length);
	turned_length = data[0] & 32 ? length - length / 2 : length;
	length = data[0] & 32 ? length / 2 : length;
	memcpy(turned, data[0] & 32 ? text + length : text, turned_length);
	turned[((size_t)data[1] << 8 | data[2]) % turned_length] ^= 1;
	status = read_text(&first, text, length, &treatments, true);
	/* with a map, a text in which both have its addresses differs from itself unless both are mapped */
	if (read_text(&second, text, length, &treatments, data[0] & 128) != status)
		abort();
	if (status == RTAP_STATUS_OK) {
		compare(&first, &second, &treatments, data[0], true);
		if (read_text(&turned_file, turned, turned_length, &treatments, false) == RTAP_STATUS_OK)
			compare(&first, &turned_file, &treatments, data[0], false);
		canon_file_fini(&turned_file);
	}
	canon_file_fini(&first);
	canon_file_fini(&second);
out:
	canon_treatments_fini(&treatments);
	diff_rules_fini(&rules);
	free(text);
	free(turned);
	return 0;
}
