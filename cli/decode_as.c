/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "cli/decode_as.h"
#include "cli/option_values.h"
#include "cli/print_error.h"

/* KEY=NUMBER,PROTOCOL */
static bool parse_decode_as(const char *spec, struct rtap_decode_as *decode_as)
{
	static const struct {
		const char *key, *protocol;
		uint64_t most;
		struct rtap_decode_as meaning;
	} forms[] = {
#define UPPER_FORM(identifier, name) { "qp", name, 0xffffff, { RTAP_DECODE_QPN, 0, RTAP_UPPER_##identifier } },
		RTAP_UPPERS(UPPER_FORM)
#undef UPPER_FORM
		{ "udp", "rocev2", 0xffff, { RTAP_DECODE_UDP_PORT, 0, 0 } },
	};
	const char *equals = strchr(spec, '='), *comma = strchr(spec, ',');
	char number_text[24];
	uint64_t number;

	if (!equals || !comma || comma < equals || (size_t)(comma - equals) > sizeof number_text)
		return false;
	memcpy(number_text, equals + 1, (size_t)(comma - equals - 1));
	number_text[comma - equals - 1] = 0;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		size_t length = strlen(forms[i].key);

		if ((size_t)(equals - spec) != length || strncmp(spec, forms[i].key, length) || strcmp(comma + 1, forms[i].protocol) ||
		    !option_number_parse(number_text, forms[i].most, &number))
			continue;
		*decode_as = forms[i].meaning;
		decode_as->number = (uint32_t)number;
		return true;
	}
	return false;
}

bool decode_as_add(struct options *options, const char *spec)
{
	if (options->dissect.decode_as_count == MAX_DECODE_AS) {
		print_error("--decode-as %s: more than %d of them", spec, MAX_DECODE_AS);
		return false;
	}
	if (!parse_decode_as(spec, &options->decode_as[options->dissect.decode_as_count])) {
		print_error("--decode-as %s: not understood (udp=PORT,rocev2 or qp=NUMBER,PROTOCOL, one of" RTAP_UPPERS(UPPER_CHOICE) ")", spec);
		return false;
	}
	options->dissect.decode_as_count++;
	return true;
}
