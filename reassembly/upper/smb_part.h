/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command of an SMB request, with the contents of its response.
 */
#ifndef REASSEMBLY_UPPER_SMB_PART_H
#define REASSEMBLY_UPPER_SMB_PART_H

#include "dissect/smb/smb.h"
#include "reassembly/store/coverage.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/smb_fragments.h"
#include "reassembly/upper/smb_names.h"

struct file_effect;

/* Actions of CREATE: [MS-SMB2] 2.2.14. */
#define SMB_OPENED 1
#define SMB_CREATED 2

/* Memory that an RDMA channel names. */
struct smb_piece {
	uint64_t address;
	uint32_t key, length;
};

/* A range that COPYCHUNK copies. */
struct smb_chunk {
	uint64_t source, offset;
	uint32_t length;
};

/* Changes of contents other than WRITE, and other than a new size. */
enum smb_change_kind { SMB_CHANGES_NOTHING, SMB_ZEROES, SMB_COPIES, SMB_SHORTENS };

struct smb_part {
	uint64_t id, session;
	uint64_t offset, length;  /* with has_range, or of a change: of the file; UINT64_MAX: up to its end */
	uint64_t interim_frame;   /* of the interim response (STATUS_PENDING); 0: none */
	uint64_t answer_frame;    /* of the first fragment of the response */
	uint64_t end_frame;       /* of its last one, or of a later response that was captured before: struct file_effect */
	int16_t shift;            /* with end_frame */
	int64_t answer_ns;        /* when it ended */
	uint64_t size;            /* with has_size: of the file: CREATE's response, SET_INFO */
	uint64_t disk_id;         /* of CREATE's response: of the file on the server's disk; 0: unknown */
	uint64_t moved;           /* bytes read or written, by the response */
	uint32_t tree, status;
	uint32_t detail;          /* control code of IOCTL, class of QUERY_INFO and SET_INFO */
	uint32_t action;          /* of CREATE's response */
	bool overwrites;          /* CREATE: the file is empty afterwards */
	uint32_t inline_length;   /* data in the request or response */
	uint32_t inline_seen;     /* bytes of it that were captured, if packets of the message are missing; else the same */
	uint16_t command, charge, granted;
	uint8_t changes;          /* enum smb_change_kind */
	bool is_treeless;         /* likewise `path` */
	bool has_range, has_size, is_answered, has_file, is_related;
	uint8_t file_id[SMB2_FILE_ID_LENGTH];
	char *path;               /* name in CREATE, TREE_CONNECT or a rename; on the heap; NULL: none */
	struct smb_file *file;    /* of the file id, or of CREATE's; a share; NULL: unknown */
	struct smb_name *name;    /* its path at that time */
	struct smb_file *source;  /* of a copy: the file whose bytes were copied, from `source_at` on or by `chunks`; NULL: unknown */
	uint64_t source_at;
	struct smb_chunk *chunks; /* on the heap, if they are not one range of the source and one of the copy; `offset` and `length` have all of them */
	uint32_t chunk_count;
	const struct smb_part *creates; /* CREATE of the compound whose file it works on; NULL: none */
	struct coverage data;     /* in the request or response, if it is wanted */
	struct smb_piece *pieces; /* on the heap */
	uint32_t piece_count;
};

/* What was captured of a message of which packets are missing. */
struct smb_seen {
	bool lacks_packets;
	uint32_t wire;            /* bytes of the message */
	struct coverage present;
};

struct smb_request {
	struct command command;
	struct smb_part *parts;   /* in order; on the heap, or `only` */
	struct smb_part only;
	uint32_t part_count;
	uint64_t first_frame;     /* of its first fragment */
	int64_t first_ns;
	uint64_t response_frame;  /* of the first fragment of the last response */
	uint32_t sends;           /* fragments */
	/* of several fragments of the request and of the last response: bytes before the first one that the capture truncated; UINT64_MAX: none */
	uint64_t whole_until[2];
	struct smb_seen seen[2];  /* of the request and of the last response */
	struct smb_lost lost;     /* of fragments, except the SENDs that completed the request and the response */
	bool has_details;         /* some command has a class that its response needs: struct packet_request */
	bool has_more;            /* the capture truncated it before its last command */
	bool has_credits;
	uint32_t credits;         /* remaining SMB Direct credits of the requester */
	uint64_t waited_ns;       /* for SMB Direct credits, between fragments of the request or the response */
	bool is_last_credit;      /* no SMB credit was left after it */
	uint64_t unseen;          /* requests to any server that are known to be missing up to this one */
};

/* The fields of every header. */
void smb_part_begin(struct smb_part *part, const uint8_t *header);

/* Fills part `index` of the request. The parts before it are filled. */
void smb_part_of_request(struct upper_work *work, struct smb_request *request, uint32_t index, const uint8_t *header, struct rtap_span body);

/* Fills the values of the response, which the message has. */
void smb_part_answer(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request, struct smb_part *part,
		     const uint8_t *header, struct rtap_span body);

/* Adds data of a message that was captured after a missing packet: `present` has its bytes, the command's header is at `at`. */
void smb_part_add_rest(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct rtap_span body, uint64_t at,
		       const struct coverage *present);

/* The same from a part that has only a response. */
void smb_part_take_answer(struct upper_work *work, struct smb_request *request, struct smb_part *part, struct smb_part *answer);

/* Its file, under the path that the request named. NULL: unknown, or it has none. */
const char *smb_part_path(const struct smb_part *part);

/* The file of a part on which it works, under its present path, on the heap. NULL: likewise. */
char *smb_part_file_path(struct rtap_tracker *tracker, const struct smb_part *part);

/* The file is unknown, or only the path in its tree is: reports a change of it as one of any file. `first`: the effect's. */
void smb_part_report_unseen(struct rtap_tracker *tracker, const struct request *request, const struct smb_part *part, struct file_effect *effect);

/* Also the path of a file whose path is not known: "10.0.0.1/by-id/" and the id. */
#define SMB_PATH_OF_ID (SMB_SERVER_TEXT + 2 * SMB2_FILE_ID_LENGTH + 16)
void smb_part_path_of_id(struct rtap_tracker *tracker, const struct request *request, const struct smb_part *part, char *text);

void smb_part_fini(struct rtap_tracker *tracker, struct smb_part *part);

#endif
