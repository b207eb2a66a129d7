/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SCSI commands carried by SRP and iSER: the memory that they name, their operations, and their effects on blocks. The layers parse
 * their headers and pass the values.
 */
#ifndef REASSEMBLY_UPPER_SCSI_H
#define REASSEMBLY_UPPER_SCSI_H

#include "dissect/scsi/scsi.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/scsi_login.h"
#include "reassembly/upper/scsi_units.h"

#define SCSI_TARGET_TEXT 232   /* a name of 223 bytes, RFC 7143, 4.2.7.1, or an address */
#define SCSI_LUNS 64           /* maximum number of LUNs with a known block size, per connection */

/*
 * Where data-out in memory begins that follows data in SENDs. RFC 7145, 6.9: the base is that of all data-out unless the initiator declares
 * TaggedBufferForSolicitedDataOnly. Initiators that do not know the key name the memory of the rest: what the target reads decides.
 */
enum scsi_base {
	SCSI_BASE_UNKNOWN,
	SCSI_BASE_OF_REST,
	SCSI_BASE_OF_ALL,
};

/* A connection's state. */
struct scsi_session {
	struct commands commands;
	const char *layer;         /* static: "srp" */
	struct scsi_units *units;  /* of all connections of the layer */
	char target[SCSI_TARGET_TEXT]; /* printable; empty: unknown */
	bool has_nexus;            /* the login was captured: the next one is valid, and cid for iSCSI */
	uint32_t nexus;            /* CRC-32 of the names of both ends and the session: equal for all connections of a session */
	bool has_cid;
	uint32_t cid;              /* number of the connection in its session */
	struct scsi_login login;  /* iSCSI */
	enum scsi_base base;       /* of iSER */
	uint32_t immediate_at;     /* of SRP: where immediate data begins in SENDs, according to the login; 0: unknown */
	uint32_t most_carried;     /* largest data of a command in its SEND, in bytes */
	uint32_t open_tables;      /* commands whose tables of descriptors the target has not read */
	uint32_t lun_count;
	struct {
		uint64_t lun;
		uint32_t block_size;   /* bytes */
		bool is_sure;          /* from READ CAPACITY */
	} luns[SCSI_LUNS];
};

/* Memory of the initiator, in the order of the data. */
struct scsi_piece {
	uint64_t address;
	uint32_t length, key;
	bool is_out;               /* read by the target */
};

/* A command in a SEND. */
struct scsi_command_unit {
	uint64_t tag, lun;
	const uint8_t *cdb;
	uint32_t cdb_length;       /* 1 or more */
	const struct scsi_piece *pieces;
	uint32_t piece_count;
	struct rtap_span carried;  /* data-out in the SEND, which precedes the data in pieces: as far as it was captured */
	uint32_t carried_length;   /* bytes of it in the SEND */
	uint64_t length;           /* bytes of the data, if the header says so; else 0 */
	bool has_base;             /* the address of data-out in memory is that of scsi_session.base; else of the data that follows `carried` */
	bool has_tables;           /* the pieces are memory with tables of descriptors of the memory, which the target reads first */
	bool has_unsolicited;      /* SENDs with more data-out follow: scsi_take_unsolicited(); one piece is the memory of the rest of data-out */
};

/* The connection's state, new if it has none. `units`: of the layer. NULL: out of memory, which is counted. */
struct scsi_session *scsi_session_make(struct rtap_tracker *tracker, struct connection *connection, const char *layer, struct scsi_units *units);

void scsi_take_command(struct upper_work *work, const struct scsi_command_unit *sent);

/*
 * Processes the data of a READ or WRITE of a command's memory. True: the data has a structure, which is set in the context; the packet must be
 * dissected again.
 */
bool scsi_take_data(struct upper_work *work);

/* Another request with a response, such as task management. `name`: static. `lun`: NULL: no logical unit. `flags`: of the operation. */
void scsi_take_other(struct upper_work *work, uint64_t tag, const char *name, const uint64_t *lun, uint8_t flags);

/* Its response; `code`: SCSI_NO_CODE: the capture truncated it; `result`: static, NULL: the code has no name. */
#define SCSI_NO_CODE (-1)
void scsi_take_other_response(struct upper_work *work, uint64_t tag, int code, bool is_good, const char *result);

/* A request was rejected, for a reason: static. */
void scsi_take_reject(struct upper_work *work, uint64_t tag, const char *reason);

/* A response in a SEND. */
struct scsi_response_unit {
	uint64_t tag;
	struct rtap_span sense;    /* may be empty */
	uint32_t unused_out, unused_in; /* bytes of data-out, of the buffer for data-in, that the command did not need */
	bool is_either;            /* unused_out is of the only direction that the command has, whichever it is */
	uint8_t status;
};

void scsi_take_response(struct upper_work *work, const struct scsi_response_unit *unit);

/* Facts about the command of a response, for the dissection of the packet. */
struct packet_request scsi_known(const struct upper_work *work, uint64_t tag);

/* The same of the command whose data-out is in a SEND. */
struct packet_request scsi_known_of_data(const struct upper_work *work, uint64_t tag);

#endif
