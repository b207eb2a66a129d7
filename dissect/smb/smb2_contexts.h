/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of CREATE: a name and data, whose layout the name gives. [MS-SMB2] 2.2.13.2, 2.2.14.2.
 */
#ifndef DISSECT_SMB_SMB2_CONTEXTS_H
#define DISSECT_SMB_SMB2_CONTEXTS_H

#include "dissect/smb/smb2_parts.h"

/* Rows of the contexts, in this order the last ones of both tables: the same in requests and responses. */
enum smb2_context_row {
	SMB2_CONTEXT_ID, SMB2_CONTEXT_NAME, SMB2_CONTEXT_DATA, SMB2_LEASE_KEY, SMB2_LEASE_STATE, SMB2_LEASE_FLAGS, SMB2_LEASE_DURATION,
	SMB2_LEASE_PARENT, SMB2_LEASE_EPOCH, SMB2_DURABLE_TIMEOUT, SMB2_DURABLE_FLAGS, SMB2_DURABLE_GUID, SMB2_DURABLE_FILE, SMB2_MAXIMAL_STATUS,
	SMB2_MAXIMAL_ACCESS, SMB2_DISK_FILE, SMB2_WARP_TIME, SMB2_ALLOCATION, SMB2_CONTEXT_ROWS
};

/* The name of four characters and its meaning, or all bytes of a longer name; then the parts of the first context of each kind. */
#define SMB2_CONTEXT_FIELDS \
	SMB2_FOUND_NUMBER("create.context", "Context", 32, RTAP_HEX32, RTAP_REPEATS, smb2_context_names), \
	SMB2_FOUND("create.context_name", "Context", RTAP_BYTES, RTAP_REPEATS | RTAP_COMPARED, NULL), \
	SMB2_FOUND("create.context_data", "Context Data", RTAP_BYTES, RTAP_REPEATS, NULL), \
	SMB2_FOUND("lease.lease_key", "Lease Key", RTAP_BYTES, 0, NULL), \
	SMB2_FOUND_NUMBER("lease.lease_state", "Lease State", 32, RTAP_HEX, 0, NULL), \
	SMB2_FOUND_NUMBER("lease.lease_flags", "Lease Flags", 32, RTAP_HEX, 0, NULL), \
	SMB2_FOUND_NUMBER("lease.lease_duration", "Lease Duration", 64, RTAP_HEX, 0, NULL), \
	SMB2_FOUND("lease.parent_lease_key", "Parent Lease Key", RTAP_BYTES, 0, NULL), \
	SMB2_FOUND_NUMBER("lease.lease_oplock", "Lease Epoch", 16, RTAP_HEX, 0, NULL), \
	SMB2_FOUND_NUMBER("dh2x.timeout", "Timeout of the Durable Handle", 32, RTAP_DEC, RTAP_COMPARED, NULL), \
	SMB2_FOUND_NUMBER("dh2x.flags", "Flags of the Durable Handle", 32, RTAP_HEX, 0, NULL), \
	SMB2_FOUND("dh2x.create_guid", "Create GUID", RTAP_BYTES, 0, NULL), \
	SMB2_FOUND("create.reconnect_fid", "File Id to Reconnect", RTAP_BYTES, RTAP_IS_HANDLE, NULL), \
	SMB2_FOUND_NUMBER("mxac_status", "Status of the Maximal Access", 32, RTAP_HEX, 0, smb_status_names), \
	SMB2_FOUND_NUMBER("mxac_access", "Maximal Access", 32, RTAP_HEX, 0, NULL), \
	SMB2_FOUND("qfid_fid", "File Id on Disk", RTAP_BYTES, RTAP_IGNORED, NULL), \
	SMB2_FOUND_NUMBER("twrp_timestamp", "Snapshot", 64, RTAP_SECONDS, 0, NULL), \
	SMB2_FOUND_NUMBER("create.allocation_size", "Allocation Size", 64, RTAP_DEC, 0, NULL)

extern const struct rtap_name smb2_context_names[];

/* Shows the contexts whose offset and length the body has at `at`; `rows`: number of rows of its table. */
void smb2_show_contexts(const struct smb2_walk *walk, size_t rows, uint32_t at, bool is_response);

#endif
