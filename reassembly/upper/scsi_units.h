/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Logical units: their target, the size of their blocks, by connection; their designators, which INQUIRY shows in VPD page 83h (SPC-5, 7.7.6) and with
 * which EXTENDED COPY names them (SPC-4, 6.4.5.6).
 */
#ifndef REASSEMBLY_UPPER_SCSI_UNITS_H
#define REASSEMBLY_UPPER_SCSI_UNITS_H

#include "reassembly/state.h"

struct scsi_units;
struct scsi_session;
struct request;

/* NULL: out of memory. The second one frees what the first one returned, or nothing. */
struct scsi_units *scsi_units_create(void);
void scsi_units_destroy(struct scsi_units *units, struct rtap_tracker *tracker);

/* Takes the designators of a unit from the first `length` bytes of page 83h. `target`: the name or address of the target. */
void scsi_units_learn(struct scsi_units *units, struct rtap_tracker *tracker, const char *target, uint64_t lun, const uint8_t *page, uint64_t length);

/* The unit of a designator, which begins with four bytes of header. False: unknown, or several units have it. */
bool scsi_units_find(const struct scsi_units *units, const char *target, const uint8_t *designator, uint64_t *lun);

/* The name of a request's target or, if it is unknown, its address, which is written to SCSI_TARGET_TEXT bytes. */
const char *scsi_target(const struct scsi_session *session, const struct request *request, char *text);

/* Bytes of a block of a logical unit; 0: unknown. */
uint32_t scsi_block_size(const struct scsi_session *session, uint64_t lun);
/* `is_sure`: from READ CAPACITY; a size that is no power of two, or less than 512, is ignored. */
void scsi_note_block_size(struct scsi_session *session, uint64_t lun, uint32_t size, bool is_sure);

#endif
