/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A SCSI command from its SEND to its response, and the memory that it names: descriptors, tables of descriptors (SRP), data in SENDs that
 * precedes the data in memory (iSER).
 */
#ifndef REASSEMBLY_UPPER_SCSI_MEMORY_H
#define REASSEMBLY_UPPER_SCSI_MEMORY_H

#include "reassembly/upper/scsi.h"

#define SCSI_FEW 3
#define SCSI_UNNAMED 3         /* pieces of memory of a command with unsolicited data: of iSER */

struct scsi_request {
	struct command command;
	struct scsi_command cdb;
	uint64_t lun;
	uint64_t length;           /* bytes of data that pieces and SEND have */
	uint8_t other_flags;       /* with is_other: enum rtap_operation_flag */
	bool is_other;             /* not a SCSI command: `cdb` has only its name, the two members below its result */
	bool has_lun;
	bool is_good;
	const char *result;        /* static; NULL: without a name */
	const char *rejected;      /* iSCSI: the reason of a Reject, which takes the place of a response if there is none; static. NULL: none */
	bool has_status;
	uint8_t status;
	struct scsi_sense sense;
	struct coverage carried;   /* data-out in SENDs, if it is wanted or not all in the command's SEND; at least its ranges */
	uint64_t carried_length;   /* bytes of data-out before those in memory */
	bool carried_is_whole;     /* all of them were captured in the command's SEND */
	bool has_unsolicited;      /* data-out follows in further SENDs */
	bool awaits_base;          /* data-out in memory begins at the address of its piece or after `carried_length` bytes: the piece has both */
	bool awaits_tables;        /* the pieces and regions are those of tables of descriptors */
	bool awaits_last;          /* the last of them was not seen: the next members are the memory, and all bytes of data-out */
	struct scsi_piece unnamed[SCSI_UNNAMED];
	uint32_t unnamed_count;
	uint64_t out_length;
	struct scsi_piece *pieces; /* `few`, or on the heap */
	uint32_t piece_count;
	struct scsi_piece few[SCSI_FEW];
	uint16_t structures[2];    /* enum protocol_number of its data in, of its data out */
	struct coverage gathered;  /* such data, in one piece */
	uint64_t shown_length;     /* bytes of it that packets have shown */
};

static inline struct scsi_session *scsi_session_of(const struct scsi_request *request)
{
	return request->command.request.connection->upper_state;
}

/* Whether its data has the size of blocks. */
bool scsi_reads_capacity(const struct scsi_command *cdb);

/* Sets the memory that the command names, and which of its bytes are kept. */
void scsi_memory_name(struct upper_work *work, struct scsi_request *request, const struct scsi_command_unit *sent);

/* Keeps the memory of a command until the SENDs with its data have shown where the data in memory begins. */
void scsi_memory_keep(struct scsi_request *request, const struct scsi_command_unit *sent);

/*
 * Data-out in a SEND of its own: `data` as far as it was captured, `length` bytes from `offset` of the data. After the last one the target
 * reads the rest.
 */
void scsi_take_unsolicited(struct upper_work *work, uint64_t tag, uint64_t offset, struct rtap_span data, uint32_t length, bool is_last);

/* Adds data-out in a SEND; its bytes only if they are wanted. */
void scsi_memory_carry(struct upper_work *work, struct scsi_request *request, uint64_t offset, struct rtap_span data);

/* The same of the packets that the SEND has, which need not be all; the data begin at `position` of its coverage, whose bytes are kept. */
void scsi_memory_carry_present(struct upper_work *work, struct scsi_request *request, uint64_t position);

/*
 * A READ of a command with awaits_base, which can show where its data-out begins: the memory is named again then. False: it does not, and is
 * assigned to no command.
 */
bool scsi_memory_find_base(struct upper_work *work, struct scsi_request *request);

/* The target has read a table of descriptors: these are the memory from here on. */
void scsi_memory_take_table(struct upper_work *work, struct scsi_request *request);

#endif
