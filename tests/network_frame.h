/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A good frame of link, network or tunnel headers. The values of its fields are what tshark 4.0 prints of the same bytes.
 */
#ifndef TESTS_NETWORK_FRAME_H
#define TESTS_NETWORK_FRAME_H

#include <rdmatap/frame.h>

struct network_frame {
	const char *name;
	uint32_t link_type;
	uint32_t headers;    /* bytes without which some header is not whole; 0: not to be tried */
	const char *bytes;   /* hexadecimal */
	const char *summary; /* the one-line text */
	const char *fields;  /* "name=value", all occurrences joined by commas; nothing after "=": the field is not there */
};

#endif
