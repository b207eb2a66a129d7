/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The paths of files that operations work on: a tree of names, filled from the calls and replies in the order in which operations are
 * reported. Only if operations are wanted. It has at most an eighth of the memory limit.
 */
#ifndef REASSEMBLY_UPPER_RPC_NAMES_H
#define REASSEMBLY_UPPER_RPC_NAMES_H

#include "dissect/engine/line.h"
#include "reassembly/state.h"
#include "reassembly/upper/name_tree.h"
#include "reassembly/upper/rpc_carriers.h"

/* Whether a file has a name and, if it is a directory, its file system is known, so that its attributes need not be read. */
bool rpc_names_identified(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle);

/* Adds the names in a call and its reply. Failed allocations and evicted names are counted as evictions. */
void rpc_names_learn(struct rtap_tracker *tracker, const struct rpc_exchange *exchange);

/* The same for an NFSv3 procedure that found or created a name in a directory (`handle`: of the file, or absent), or removed it. */
void rpc_names_found(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span directory, struct rtap_span name,
		     struct rtap_span handle);
void rpc_names_removed(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span directory, struct rtap_span name);

/*
 * Appends the path of a file: nothing for the server's NFSv4 root, otherwise "/" and the path from its root. A file without a known path
 * is "fh:" and the hash of its handle; so is a directory on the way to it. `handle` absent: the NFSv4 root.
 */
void rpc_names_path(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, struct line *line);

/*
 * Writes the path of a file to the end of `text`, or its end after "..." if the path is longer; returns where it begins. The end of `text`: no
 * name of the file is known, and it is not a root. A directory without a known path is "fh:" and the hash of its handle.
 */
const char *rpc_names_tail(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, char text[PACKET_PATH_MOST]);

/*
 * Appends the file system that a file is in: the path that was mounted, if MOUNT was seen; NFSv4: the path of the directory where the file
 * system begins, "/" if no border is known. False: unknown.
 */
bool rpc_names_export(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, struct line *line);

void rpc_names_fini(struct rtap_tracker *tracker);

#endif
