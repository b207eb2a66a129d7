/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares and open files by server: the path of a tree id and of a file id, as TREE_CONNECT and CREATE name them. Paths have slashes and
 * components as name_text.h writes them: "10.0.0.1/share/directory/file".
 */
#ifndef REASSEMBLY_UPPER_SMB_NAMES_H
#define REASSEMBLY_UPPER_SMB_NAMES_H

#include "reassembly/state.h"

/* A path. Evicted when memory is short, unless a request still refers to it. */
struct smb_name {
	struct budget_entry entry;
	uint32_t references;
	bool is_mapped;
	uint64_t hash;
	uint64_t key[6];
	char path[];
};

struct smb_key {
	uint64_t words[6];
};

/* State in the tracker. False: out of memory. */
bool smb_names_init(struct rtap_tracker *tracker);
void smb_names_fini(struct rtap_tracker *tracker);

/* Keys of a tree, and of a file by its 16 bytes, for the server at end a or b. */
struct smb_key smb_key_of_tree(const struct connection *connection, bool server_is_a, uint64_t session, uint32_t tree);
struct smb_key smb_key_of_file(const struct connection *connection, bool server_is_a, uint64_t session, const uint8_t *id);

/* The name, with a reference for the caller. NULL: unknown. */
struct smb_name *smb_name_find(struct rtap_tracker *tracker, const struct smb_key *key);

/* Stores the path for the key. */
void smb_name_set(struct rtap_tracker *tracker, const struct smb_key *key, const char *path);

/* Removes the key and its path. */
void smb_name_drop(struct rtap_tracker *tracker, const struct smb_key *key);

/* The number of requests known to be missing; `more`: counts another one. */
uint64_t smb_names_unseen(struct rtap_tracker *tracker, bool more);

/* Returns a reference. NULL is ignored. */
void smb_name_release(struct smb_name *name);

/*
 * A path on the heap: the components of a name in UTF-16, which backslashes separate, after `before` (NULL: nothing). NULL: out of memory.
 */
char *smb_path(const char *before, const uint8_t *utf16, uint32_t length);

/* The address of the server as text. */
#define SMB_SERVER_TEXT 64
const char *smb_server(const struct connection *connection, bool server_is_a, char *text);

#endif
