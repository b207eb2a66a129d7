/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares and open files by server: the path of a tree id and of a file id, as TREE_CONNECT and CREATE name them. Paths have slashes and
 * components as name_text.h writes them: "10.0.0.1/share/directory/file".
 */
#ifndef REASSEMBLY_UPPER_SMB_NAMES_H
#define REASSEMBLY_UPPER_SMB_NAMES_H

#include "reassembly/state.h"

struct smb_node;

/* A path as a request showed it. */
struct smb_name {
	uint32_t references;
	char path[];
};

/*
 * What ids stand for: a share, or a file or directory, open under any number of ids, that is renamed with all of them. Two ids are of
 * one file if they were opened by one path.
 */
struct smb_file {
	uint32_t references;
	struct smb_node *node;    /* its place; NULL: a share, or its path is too deep */
	struct smb_name *name;    /* its path, or the last one if it has none any more; NULL: to be made from the node */
	uint64_t renames;         /* of directories before `name` was made */
	uint64_t since;           /* frame of the response that showed it under its path first */
	uint64_t disk_id;         /* on the server's disk; 0: unknown */
	uint64_t size;            /* that the server reported or a request set last */
	bool is_treeless;         /* its path begins with the number of a tree: the share is unknown */
	bool is_aside;            /* deleted or replaced: another file can have its path now */
};

struct smb_key {
	uint64_t words[6];
};

/* State in the tracker. False: out of memory. */
bool smb_names_init(struct rtap_tracker *tracker);
void smb_names_fini(struct rtap_tracker *tracker);

/* Keys of a tree, and of a file by its 16 bytes, for the server at end a or b; of a session on several connections, those of the first one. */
struct smb_key smb_key_of_tree(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session, uint32_t tree);
struct smb_key smb_key_of_file(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session,
			       const uint8_t *id);

/* The same of a file by the resume key that the server gave for it, to name it as the source of copies: [MS-SMB2] 2.2.32.3. */
#define SMB_RESUME_KEY_LENGTH 24
struct smb_key smb_key_of_resume(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session,
				 const uint8_t *resume);

/*
 * A session was set up with the server, which gave this ServerGuid (zero: unknown), or `is_bound`: the connection was bound to a session, maybe
 * one with another address of the server. [MS-SMB2] 3.3.5.5.2.
 */
void smb_session_set(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, const uint64_t guid[2], uint64_t session,
		     bool is_bound);

/* What the key stands for, with a reference for the caller. NULL: unknown. */
struct smb_file *smb_file_find(struct rtap_tracker *tracker, const struct smb_key *key);

/* Returns a reference. NULL is ignored. */
void smb_file_release(struct rtap_tracker *tracker, struct smb_file *file);

/* The key stands for the file, too. */
void smb_key_set(struct rtap_tracker *tracker, const struct smb_key *key, struct smb_file *file);

/* The key stands for the share. */
void smb_share_set(struct rtap_tracker *tracker, const struct smb_key *key, const char *path);

/* A change of what ids stand for: the frames and the time of the request and of its response. */
struct smb_change {
	uint64_t request_frame, response_frame;
	int64_t time_ns;
};

/*
 * The key stands for the file at the path, which the response created (`is_new`) or found: a file that was open under the path before the request is
 * not a new one, unless it had another `disk_id`; nor is one with the same id whose path differs in the case of letters only. Returns it with a
 * reference for the caller; NULL: out of memory.
 */
struct smb_file *smb_file_open(struct rtap_tracker *tracker, const struct smb_key *key, const char *path, bool is_new, uint64_t disk_id,
			       const struct smb_change *change);

/* The same of a file that was renamed to the path, and known only as `before` until then. */
struct smb_file *smb_file_named(struct rtap_tracker *tracker, const struct smb_key *key, const char *before, const char *path,
				const struct smb_change *change);

/* The file, with all below it, has another path; one that was open under that path is replaced. */
void smb_file_rename(struct rtap_tracker *tracker, struct smb_file *file, const char *path, const struct smb_change *change);

/* The key stands for nothing any more. */
void smb_key_drop(struct rtap_tracker *tracker, const struct smb_key *key);

/* The path to show, with a reference for the caller. NULL: out of memory. */
struct smb_name *smb_file_name(struct rtap_tracker *tracker, struct smb_file *file);

/* The path of effects on the file, on the heap. A file that was deleted or replaced has one that no other file has. NULL: out of memory. */
char *smb_file_path(struct rtap_tracker *tracker, struct smb_file *file);

/* The number of requests known to be missing; `more`: counts another one. */
uint64_t smb_names_unseen(struct rtap_tracker *tracker, bool more);

/* Returns a reference. NULL is ignored. */
void smb_name_release(struct smb_name *name);

/*
 * A path on the heap: the components of a name in UTF-16, which backslashes separate, after `before` (NULL: nothing); empty: it is longer than
 * 32,768 bytes. NULL: out of memory.
 */
char *smb_path(const char *before, const uint8_t *utf16, uint32_t length);

/* The address of the server as text. */
#define SMB_SERVER_TEXT 64
const char *smb_server(const struct connection *connection, bool server_is_a, char *text);

/* The same of the server with which the session was set up. */
const char *smb_server_of(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session, char *text);

#endif
