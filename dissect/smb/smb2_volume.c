/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What QUERY_INFO returns of a file system. [MS-FSCC] 2.5.
 */
#include "config.h"

#include "dissect/smb/smb2_class.h"

#define FS_BIT(name, label, at, bit) { name, label, (at) * 8 + (bit), 1, RTAP_BOOL, RTAP_LITTLE, NULL, NULL, NULL }

SMB2_DERIVE_TIME(derive_created, 0)

/* 2.5.9. */
static const struct rtap_field fs_volume_fields[] = {
	SMB2_TIME_ROWS("smb.create.time", "Created", 0, derive_created, 0),
	CLASS_ROW("smb.volume.serial", "Volume Serial Number", 8, 4, RTAP_HEX, NULL),
	CLASS_ROW("smb.volume.label.len", "Label Length", 12, 4, RTAP_DEC, NULL),
	SMB2_ROW("fs_volume.supports_objects", "Supports Objects", 16, 1, RTAP_DEC, NULL), SMB2_RESERVED("fs_volume.reserved", 17, 1),
	CLASS_TEXT("smb.volume.label", "Label"),
};

CLASS_VISIT_NAME(fs_volume, 12, 18)
CLASS_STRUCTURE(fs_volume, "smb2.fs_volume_info", "FileFsVolumeInformation", "2.5.9", 18)

#define UNIT_ROWS(at) \
	CLASS_ROW("smb.fs_sector_per_unit", "Sectors per Unit", at, 4, RTAP_DEC, NULL), \
	CLASS_ROW("smb.fs_bytes_per_sector", "Bytes per Sector", (at) + 4, 4, RTAP_DEC, NULL)

/* 2.5.8. */
static const struct rtap_field fs_size_fields[] = {
	CLASS_ROW("smb.alloc_size64", "Total Allocation Units", 0, 8, RTAP_DEC, NULL), CLASS_ROW("smb.free_alloc_units", "Free Units", 8, 8, RTAP_DEC, NULL),
	UNIT_ROWS(16),
};
SMB2_NO_VISIT(fs_size)
CLASS_STRUCTURE(fs_size, "smb2.fs_size_info", "FileFsSizeInformation", "2.5.8", 24)

/* 2.5.4. */
static const struct rtap_field fs_full_size_fields[] = {
	CLASS_ROW("smb.alloc_size64", "Total Allocation Units", 0, 8, RTAP_DEC, NULL),
	CLASS_ROW("smb.caller_free_alloc_units", "Caller's Free Units", 8, 8, RTAP_DEC, NULL),
	CLASS_ROW("smb.actual_free_alloc_units", "Actual Free Units", 16, 8, RTAP_DEC, NULL), UNIT_ROWS(24),
};
SMB2_NO_VISIT(fs_full_size)
CLASS_STRUCTURE(fs_full_size, "smb2.fs_full_size_info", "FileFsFullSizeInformation", "2.5.4", 32)

/* 2.5.10. */
static const struct rtap_field fs_device_fields[] = {
	CLASS_ROW("smb.device.type", "Device Type", 0, 4, RTAP_HEX, NULL),
	{ "smb.device", "Device Characteristics", 32, 32, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	FS_BIT("smb.device.removable", "Removable", 4, 0), FS_BIT("smb.device.read_only", "Read Only", 4, 1), FS_BIT("smb.device.floppy", "Floppy", 4, 2),
	FS_BIT("smb.device.write_once", "Write Once", 4, 3), FS_BIT("smb.device.remote", "Remote", 4, 4), FS_BIT("smb.device.mounted", "Mounted", 4, 5),
	FS_BIT("smb.device.virtual", "Virtual", 4, 6), SMB2_BITS("fs_device.reserved", "Reserved", 4, 7, 1, RTAP_HEX),
	FS_BIT("smb.device.secure_open", "Secure Open", 4, 8), SMB2_BITS("fs_device.reserved2", "Reserved", 4, 9, 3, RTAP_HEX),
	FS_BIT("smb.device.ts", "Terminal Services", 4, 12), FS_BIT("smb.device.webdav", "WebDAV", 4, 13),
	SMB2_BITS("fs_device.reserved3", "Reserved", 4, 14, 3, RTAP_HEX), FS_BIT("smb.device.aat", "Allows AppContainer Traversal", 4, 17),
	FS_BIT("smb.device.portable", "Portable", 4, 18), SMB2_BITS("fs_device.reserved4", "Reserved", 4, 19, 13, RTAP_HEX),
};
SMB2_NO_VISIT(fs_device)
CLASS_STRUCTURE(fs_device, "smb2.fs_device_info", "FileFsDeviceInformation", "2.5.10", 8)

/* 2.5.1. */
static const struct rtap_field fs_attribute_fields[] = {
	{ "smb.fs_attr", "File System Attributes", 0, 32, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	FS_BIT("smb.fs_attr.css", "Case-Sensitive Search", 0, 0), FS_BIT("smb.fs_attr.cpn", "Case Preserved", 0, 1),
	FS_BIT("smb.fs_attr.uod", "Unicode on Disk", 0, 2), FS_BIT("smb.fs_attr.pacls", "Persistent ACLs", 0, 3),
	FS_BIT("smb.fs_attr.fc", "Compression of Files", 0, 4), FS_BIT("smb.fs_attr.vq", "Volume Quotas", 0, 5),
	FS_BIT("smb.fs_attr.ssf", "Sparse Files", 0, 6), FS_BIT("smb.fs_attr.srp", "Reparse Points", 0, 7),
	FS_BIT("smb.fs_attr.srs", "Remote Storage", 0, 8), SMB2_BITS("fs_attr.reserved", "Reserved", 0, 9, 6, RTAP_HEX),
	FS_BIT("smb.fs_attr.vis", "Volume Is Compressed", 0, 15), FS_BIT("smb.fs_attr.soids", "Object Ids", 0, 16),
	FS_BIT("smb.fs_attr.se", "Encryption", 0, 17), FS_BIT("smb.fs_attr.ns", "Named Streams", 0, 18),
	FS_BIT("smb.fs_attr.rov", "Read-Only Volume", 0, 19), FS_BIT("smb.fs_attr.swo", "Sequential Write Once", 0, 20),
	FS_BIT("smb.fs_attr.st", "Transactions", 0, 21), FS_BIT("smb.fs_attr.shl", "Hard Links", 0, 22),
	FS_BIT("smb2.fs_attr.eas", "Extended Attributes", 0, 23), FS_BIT("smb2.fs_attr.open_by_id", "Open by File Id", 0, 24),
	FS_BIT("smb2.fs_attr.usn", "USN Journal", 0, 25), FS_BIT("smb.fs_attr.sis", "Integrity Streams", 0, 26),
	FS_BIT("smb.fs_attr.sbr", "Block Reference Counts", 0, 27), FS_BIT("smb.fs_attr.ssv", "Sparse VDL", 0, 28),
	SMB2_BITS("fs_attr.reserved2", "Reserved", 0, 29, 3, RTAP_HEX),
	CLASS_ROW("smb.fs_max_name_len", "Maximum Name Length", 4, 4, RTAP_DEC, NULL), CLASS_ROW("smb.fs_name.len", "Name Length", 8, 4, RTAP_DEC, NULL),
	CLASS_TEXT("smb.fs_name", "File System Name"),
};

CLASS_VISIT_NAME(fs_attribute, 8, 12)
CLASS_STRUCTURE(fs_attribute, "smb2.fs_attribute_info", "FileFsAttributeInformation", "2.5.1", 12)

/* 2.5.6. */
static const struct rtap_field fs_object_id_fields[] = {
	SMB2_GUID("fs_objectid.id", "Object Id", 0, 0), { "smb2.fs_objectid.extended", "Extended Information", 128, 384, RTAP_BYTES, 0, NULL, NULL, NULL },
};
SMB2_NO_VISIT(fs_object_id)
CLASS_STRUCTURE(fs_object_id, "smb2.fs_objectid_info", "FileFsObjectIdInformation", "2.5.6", 64)

/* 2.5.7. */
static const struct rtap_field fs_sector_size_fields[] = {
	SMB2_ROW("fs_sector_size.logical", "Logical Bytes per Sector", 0, 4, RTAP_DEC, NULL),
	SMB2_ROW("fs_sector_size.atomicity", "Physical Bytes per Sector for Atomicity", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("fs_sector_size.performance", "Physical Bytes per Sector for Performance", 8, 4, RTAP_DEC, NULL),
	SMB2_ROW("fs_sector_size.effective", "Effective Physical Bytes per Sector", 12, 4, RTAP_DEC, NULL),
	SMB2_FLAGGED("fs_sector_size.flags", "Flags", 16, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("fs_sector_size.flags.aligned_device", "Aligned Device", 16, 0),
	SMB2_BIT("fs_sector_size.flags.aligned_partition", "Partition Aligned on Device", 16, 1),
	SMB2_BIT("fs_sector_size.flags.no_seek_penalty", "No Seek Penalty", 16, 2), SMB2_BIT("fs_sector_size.flags.trim", "Trim Enabled", 16, 3),
	SMB2_BITS("fs_sector_size.flags.reserved", "Reserved", 16, 4, 28, RTAP_HEX),
	SMB2_ROW("fs_sector_size.sector_offset", "Offset of Sector Alignment", 20, 4, RTAP_DEC, NULL),
	SMB2_ROW("fs_sector_size.partition_offset", "Offset of Partition Alignment", 24, 4, RTAP_DEC, NULL),
};
SMB2_NO_VISIT(fs_sector_size)
CLASS_STRUCTURE(fs_sector_size, "smb2.fs_sector_size_info", "FileFsSectorSizeInformation", "2.5.7", 28)
