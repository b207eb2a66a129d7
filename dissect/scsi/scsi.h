/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SCSI, as SRP and iSER carry it: command descriptor blocks, status, sense data. Numbers are big-endian. SPC-5 (INCITS 502), SBC-4 (INCITS
 * 506), SAM-5.
 */
#ifndef DISSECT_SCSI_SCSI_H
#define DISSECT_SCSI_SCSI_H

#include "dissect/engine/protocol.h"

#define SCSI_CDB_LENGTH 16   /* of the field in both transports; longer ones continue after it */

enum scsi_status { SCSI_GOOD = 0x00, SCSI_CHECK_CONDITION = 0x02, SCSI_TASK_ABORTED = 0x40 };
enum scsi_sense_key { SCSI_MEDIUM_ERROR = 0x3, SCSI_HARDWARE_ERROR = 0x4, SCSI_ABORTED_COMMAND = 0xb };

enum scsi_opcode {
	SCSI_REQUEST_SENSE = 0x03, SCSI_FORMAT_UNIT = 0x04, SCSI_REASSIGN_BLOCKS = 0x07, SCSI_READ_6 = 0x08, SCSI_WRITE_6 = 0x0a,
	SCSI_INQUIRY = 0x12, SCSI_MODE_SELECT_6 = 0x15,
	SCSI_MODE_SENSE_6 = 0x1a, SCSI_START_STOP = 0x1b, SCSI_VERIFY_10 = 0x2f, SCSI_SYNCHRONIZE_10 = 0x35, SCSI_LOG_SELECT = 0x4c,
	SCSI_VERIFY_16 = 0x8f, SCSI_SYNCHRONIZE_16 = 0x91, SCSI_MAINTENANCE_IN = 0xa3, SCSI_VERIFY_12 = 0xaf,
	SCSI_READ_CAPACITY_10 = 0x25, SCSI_READ_10 = 0x28, SCSI_WRITE_10 = 0x2a, SCSI_WRITE_AND_VERIFY_10 = 0x2e, SCSI_WRITE_SAME_10 = 0x41,
	SCSI_UNMAP = 0x42, SCSI_SANITIZE = 0x48, SCSI_LOG_SENSE = 0x4d, SCSI_MODE_SELECT_10 = 0x55, SCSI_MODE_SENSE_10 = 0x5a,
	SCSI_RESERVE_10 = 0x56, SCSI_RELEASE_10 = 0x57, SCSI_PERSISTENT_RESERVE_IN = 0x5e, SCSI_PERSISTENT_RESERVE_OUT = 0x5f, SCSI_VARIABLE = 0x7f, SCSI_EXTENDED_COPY = 0x83,
	SCSI_READ_16 = 0x88, SCSI_COMPARE_AND_WRITE = 0x89, SCSI_WRITE_16 = 0x8a, SCSI_ORWRITE_16 = 0x8b,
	SCSI_WRITE_AND_VERIFY_16 = 0x8e, SCSI_WRITE_SAME_16 = 0x93, SCSI_WRITE_ATOMIC_16 = 0x9c, SCSI_SERVICE_IN_16 = 0x9e,
	SCSI_PRE_FETCH_10 = 0x34, SCSI_WRITE_LONG_10 = 0x3f, SCSI_XDWRITE_10 = 0x50, SCSI_XPWRITE_10 = 0x51, SCSI_XDWRITEREAD_10 = 0x53,
	SCSI_ATA_16 = 0x85, SCSI_PRE_FETCH_16 = 0x90, SCSI_ZBC_OUT = 0x94, SCSI_WRITE_STREAM_16 = 0x9a, SCSI_SERVICE_OUT_16 = 0x9f, SCSI_ATA_12 = 0xa1,
	SCSI_REPORT_LUNS = 0xa0, SCSI_READ_12 = 0xa8,
	SCSI_RECEIVE_DIAGNOSTIC = 0x1c, SCSI_SEND_DIAGNOSTIC = 0x1d, SCSI_READ_DEFECT_10 = 0x37, SCSI_WRITE_BUFFER = 0x3b, SCSI_READ_BUFFER = 0x3c,
	SCSI_READ_LONG_10 = 0x3e, SCSI_XDREAD_10 = 0x52, SCSI_RECEIVE_COPY = 0x84, SCSI_READ_DEFECT_12 = 0xb7,
	SCSI_WRITE_12 = 0xaa, SCSI_WRITE_AND_VERIFY_12 = 0xae,
};

/* Service actions of SCSI_EXTENDED_COPY: SPC-4, 6.4 and 6.5; SBC-4, 5.58. */
enum { SCSI_COPY_LID1 = 0x00, SCSI_COPY_LID4 = 0x01, SCSI_WRITE_USING_TOKEN = 0x11 };

#define SCSI_READ_CAPACITY_16 0x10 /* service action of SCSI_SERVICE_IN_16 */
#define SCSI_REGISTER_AND_MOVE 0x07 /* of SCSI_PERSISTENT_RESERVE_OUT: has different parameters */

/* Effect of a command on blocks. CHANGES: the result depends on more than its data; UNMAPS and the next ones have no LBA. */
enum scsi_effect { SCSI_NONE, SCSI_READS, SCSI_WRITES, SCSI_SAME, SCSI_COMPARES_AND_WRITES, SCSI_CHANGES, SCSI_UNMAPS, SCSI_CHANGES_ALL,
		   SCSI_COPIES, SCSI_PASTES };

struct scsi_command {
	const char *name;         /* static; NULL: it has none */
	uint8_t opcode;
	uint8_t effect;           /* enum scsi_effect */
	bool has_blocks;          /* the command transfers or changes blocks: `lba` and `blocks` name them, and `is_unmapped` is valid */
	uint8_t action;           /* service action of SCSI_EXTENDED_COPY */
	bool is_unmapped;         /* WRITE SAME that deallocates, or has no data: zeros */
	bool has_range;           /* `lba` and `blocks` are valid */
	uint64_t lba;
	uint32_t blocks;
};

/* Reads a CDB of which `length` bytes were captured, at least 1. */
void scsi_read_command(const uint8_t *cdb, uint32_t length, struct scsi_command *command);

extern const struct rtap_name scsi_maintenance_names[]; /* service actions of SCSI_MAINTENANCE_IN */
extern const struct rtap_name scsi_long_names[];        /* of SCSI_VARIABLE, with 32 bytes */
extern const struct rtap_name scsi_opcode_names[], scsi_status_names[], scsi_sense_key_names[], scsi_additional_names[], scsi_vpd_page_names[];

/* Sense data; bytes that are not there make a part unknown. SPC-5, 4.4. */
struct scsi_sense {
	bool has_key, has_code;
	uint8_t key;
	uint16_t code;            /* ASC and ASCQ */
};

/* rtap_field.derive of a response: the frame of its command, and the time since then. False: unknown. */
bool scsi_request_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool scsi_request_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);

void scsi_read_sense(const uint8_t *sense, uint32_t length, struct scsi_sense *found);

/* The LUN of an address of eight bytes; methods other than peripheral and flat are shown as they are. SAM-5, 4.7. */
uint64_t scsi_lun(const uint8_t *address);

#endif
