/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reply frames of RPC calls, for rpc.reqframe. A call is printed before its reply is read, so the files are read twice if this field is
 * requested by name.
 */
#ifndef CLI_REPLIES_H
#define CLI_REPLIES_H

#include "cli/cli.h"

/* Zero-initialised: empty. */
struct replies {
	struct rtap_reply *list; /* in the order of the calls' frames */
	size_t count, room;
	bool failed;
};

/* Whether -e or -Y names the field. */
bool replies_wanted(const struct options *options);

/* First pass over the inputs, which must be regular files. False: failed, and an error was printed, or interrupted. */
bool replies_collect(struct replies *replies, const struct options *options);

void replies_fini(struct replies *replies);

#endif
