/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of the replies to RPC calls, for rpc.reqframe: a call is shown before its reply is read, so that the files are read
 * twice if somebody asks for it by name.
 */
#ifndef CLI_REPLIES_H
#define CLI_REPLIES_H

#include "cli/cli.h"

/* All zero is none. */
struct replies {
	struct rtap_reply *list; /* in the order of the calls' frames */
	size_t count, room;
	bool failed;
};

/* Whether -e or -Y names the field. */
bool replies_wanted(const struct options *options);

/* Reads the inputs, which are read again later: files, no pipes. False: an error is printed, or an interrupt came. */
bool replies_collect(struct replies *replies, const struct options *options);

void replies_fini(struct replies *replies);

#endif
