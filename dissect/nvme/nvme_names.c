/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of commands and of status codes. Base, figures 88 to 104; NVM, chapter 3; Zoned Namespace Command Set 1.1, chapter 3.
 */
#include "config.h"

#include "dissect/nvme/nvme_names.h"

const struct rtap_name nvme_admin_names[] = {
	{ 0x00, "Delete I/O Submission Queue" }, { 0x01, "Create I/O Submission Queue" }, { 0x02, "Get Log Page" },
	{ 0x04, "Delete I/O Completion Queue" }, { 0x05, "Create I/O Completion Queue" }, { 0x06, "Identify" }, { 0x08, "Abort" },
	{ 0x09, "Set Features" }, { 0x0a, "Get Features" }, { 0x0c, "Asynchronous Event Request" }, { 0x0d, "Namespace Management" },
	{ 0x10, "Firmware Commit" }, { 0x11, "Firmware Image Download" }, { 0x14, "Device Self-test" }, { 0x15, "Namespace Attachment" },
	{ 0x18, "Keep Alive" }, { 0x19, "Directive Send" }, { 0x1a, "Directive Receive" }, { 0x1c, "Virtualization Management" },
	{ 0x1d, "NVMe-MI Send" }, { 0x1e, "NVMe-MI Receive" }, { 0x20, "Capacity Management" }, { 0x21, "Discovery Information Management" },
	{ 0x22, "Fabric Zoning Receive" }, { 0x24, "Lockdown" }, { 0x25, "Fabric Zoning Lookup" }, { 0x29, "Fabric Zoning Send" },
	{ 0x7c, "Doorbell Buffer Config" }, { 0x7f, "Fabrics Command" }, { 0x80, "Format NVM" }, { 0x81, "Security Send" },
	{ 0x82, "Security Receive" }, { 0x84, "Sanitize" }, { 0x86, "Get LBA Status" }, { 0, NULL },
};

const struct rtap_name nvme_io_names[] = {
	{ 0x00, "Flush" }, { 0x01, "Write" }, { 0x02, "Read" }, { 0x04, "Write Uncorrectable" }, { 0x05, "Compare" }, { 0x08, "Write Zeroes" },
	{ 0x09, "Dataset Management" }, { 0x0c, "Verify" }, { 0x0d, "Reservation Register" }, { 0x0e, "Reservation Report" },
	{ 0x11, "Reservation Acquire" }, { 0x12, "I/O Management Receive" }, { 0x15, "Reservation Release" }, { 0x18, "Cancel" },
	{ 0x19, "Copy" }, { 0x1d, "I/O Management Send" }, { 0x79, "Zone Management Send" }, { 0x7a, "Zone Management Receive" },
	{ 0x7d, "Zone Append" }, { 0x7f, "Fabrics Command" }, { 0, NULL },
};

/*
 * Without knowledge of the queue. Controllers over Fabrics refuse admin commands that create and delete queues (Base, 3.1.2.1.2): 00, 01,
 * 04 and 05 are I/O commands.
 */
const struct rtap_name nvme_either_names[] = {
	{ 0x00, "Flush" }, { 0x01, "Write" }, { 0x02, "Read or Get Log Page" }, { 0x04, "Write Uncorrectable" }, { 0x05, "Compare" },
	{ 0x06, "Identify" }, { 0x08, "Write Zeroes or Abort" }, { 0x09, "Dataset Management or Set Features" }, { 0x0a, "Get Features" },
	{ 0x0c, "Verify or Asynchronous Event Request" }, { 0x0d, "Reservation Register or Namespace Management" },
	{ 0x0e, "Reservation Report" }, { 0x10, "Firmware Commit" }, { 0x11, "Reservation Acquire or Firmware Image Download" },
	{ 0x12, "I/O Management Receive" }, { 0x14, "Device Self-test" }, { 0x15, "Reservation Release or Namespace Attachment" },
	{ 0x18, "Keep Alive" }, { 0x19, "Copy or Directive Send" }, { 0x1a, "Directive Receive" }, { 0x1c, "Virtualization Management" },
	{ 0x1e, "NVMe-MI Receive" }, { 0x20, "Capacity Management" }, { 0x21, "Discovery Information Management" }, { 0x22, "Fabric Zoning Receive" },
	{ 0x24, "Lockdown" }, { 0x25, "Fabric Zoning Lookup" }, { 0x29, "Fabric Zoning Send" }, { 0x79, "Zone Management Send" },
	{ 0x7a, "Zone Management Receive" }, { 0x7d, "Zone Append" }, { 0x7f, "Fabrics Command" }, { 0x80, "Format NVM" },
	{ 0x81, "Security Send" }, { 0x82, "Security Receive" }, { 0x84, "Sanitize" }, { 0x86, "Get LBA Status" }, { 0, NULL },
};

const struct rtap_name nvme_fabrics_names[] = {
	{ 0x00, "Property Set" }, { 0x01, "Connect" }, { 0x04, "Property Get" }, { 0x05, "Authentication Send" },
	{ 0x06, "Authentication Receive" }, { 0x08, "Disconnect" }, { 0, NULL },
};

/* An opcode that only admin queues have, or only I/O queues. */
static enum nvme_space space_of(uint8_t opcode)
{
	switch (opcode) {
	case NVME_FLUSH: case NVME_WRITE: case NVME_WRITE_UNCORRECTABLE: case NVME_COMPARE: case NVME_RESERVATION_REPORT: case NVME_ZONE_SEND:
	case NVME_ZONE_RECEIVE: case NVME_ZONE_APPEND:
		return NVME_SPACE_IO;
	case NVME_IDENTIFY: case NVME_GET_FEATURES: case NVME_KEEP_ALIVE: case 0x10: case 0x14: case 0x1a: case 0x1c: case 0x1e: case 0x20:
	case 0x21: case 0x22: case 0x24: case 0x25: case 0x29: case 0x80: case 0x81: case 0x82: case 0x84: case 0x86:
		return NVME_SPACE_ADMIN;
	default: return NVME_SPACE_UNKNOWN;
	}
}

uint32_t nvme_code(const uint8_t *command, uint8_t queue)
{
	uint8_t opcode = command[0];

	if (opcode == NVME_FABRICS)
		return NVME_CODE(NVME_SPACE_FABRICS, command[4]);
	return NVME_CODE(queue == NVME_SPACE_UNKNOWN ? space_of(opcode) : queue, opcode);
}

const char *nvme_command_name(uint32_t code)
{
	static const struct rtap_name *const names[] = {
		[NVME_SPACE_UNKNOWN] = nvme_either_names, [NVME_SPACE_ADMIN] = nvme_admin_names, [NVME_SPACE_IO] = nvme_io_names,
		[NVME_SPACE_FABRICS] = nvme_fabrics_names,
	};

	return rtap_name_of(names[NVME_CODE_SPACE(code)], code & 0xff);
}

const struct rtap_name nvme_status_type_names[] = {
	{ 0, "generic" }, { 1, "command specific" }, { 2, "media and data integrity" }, { 3, "path" }, { 7, "vendor specific" }, { 0, NULL },
};

const struct rtap_name nvme_generic_status_names[] = {
	{ 0x00, "Successful Completion" }, { 0x01, "Invalid Command Opcode" }, { 0x02, "Invalid Field in Command" }, { 0x03, "Command ID Conflict" },
	{ 0x04, "Data Transfer Error" }, { 0x05, "Aborted due to Power Loss Notification" }, { 0x06, "Internal Error" },
	{ 0x07, "Command Abort Requested" }, { 0x08, "Aborted due to SQ Deletion" }, { 0x09, "Aborted due to Failed Fused Command" },
	{ 0x0a, "Aborted due to Missing Fused Command" }, { 0x0b, "Invalid Namespace or Format" }, { 0x0c, "Command Sequence Error" },
	{ 0x0d, "Invalid SGL Segment Descriptor" }, { 0x0e, "Invalid Number of SGL Descriptors" }, { 0x0f, "Data SGL Length Invalid" },
	{ 0x10, "Metadata SGL Length Invalid" }, { 0x11, "SGL Descriptor Type Invalid" }, { 0x12, "Invalid Use of Controller Memory Buffer" },
	{ 0x13, "PRP Offset Invalid" }, { 0x14, "Atomic Write Unit Exceeded" }, { 0x15, "Operation Denied" }, { 0x16, "SGL Offset Invalid" },
	{ 0x18, "Host Identifier Inconsistent Format" }, { 0x19, "Keep Alive Timer Expired" }, { 0x1a, "Keep Alive Timeout Invalid" },
	{ 0x1b, "Aborted due to Preempt and Abort" }, { 0x1c, "Sanitize Failed" }, { 0x1d, "Sanitize In Progress" },
	{ 0x1e, "SGL Data Block Granularity Invalid" }, { 0x1f, "Command Not Supported for Queue in CMB" }, { 0x20, "Namespace is Write Protected" },
	{ 0x21, "Command Interrupted" }, { 0x22, "Transient Transport Error" }, { 0x23, "Prohibited by Command and Feature Lockdown" },
	{ 0x24, "Admin Command Media Not Ready" }, { 0x80, "LBA Out of Range" }, { 0x81, "Capacity Exceeded" }, { 0x82, "Namespace Not Ready" },
	{ 0x83, "Reservation Conflict" }, { 0x84, "Format In Progress" }, { 0x85, "Invalid Value Size" }, { 0x86, "Invalid Key Size" },
	{ 0x87, "KV Key Does Not Exist" }, { 0x88, "Unrecovered Error" }, { 0x89, "Key Exists" }, { 0, NULL },
};

const struct rtap_name nvme_specific_status_names[] = {
	{ 0x00, "Completion Queue Invalid" }, { 0x01, "Invalid Queue Identifier" }, { 0x02, "Invalid Queue Size" },
	{ 0x03, "Abort Command Limit Exceeded" }, { 0x05, "Asynchronous Event Request Limit Exceeded" }, { 0x06, "Invalid Firmware Slot" },
	{ 0x07, "Invalid Firmware Image" }, { 0x08, "Invalid Interrupt Vector" }, { 0x09, "Invalid Log Page" }, { 0x0a, "Invalid Format" },
	{ 0x0b, "Firmware Activation Requires Conventional Reset" }, { 0x0c, "Invalid Queue Deletion" }, { 0x0d, "Feature Identifier Not Saveable" },
	{ 0x0e, "Feature Not Changeable" }, { 0x0f, "Feature Not Namespace Specific" }, { 0x10, "Firmware Activation Requires NVM Subsystem Reset" },
	{ 0x11, "Firmware Activation Requires Controller Level Reset" }, { 0x12, "Firmware Activation Requires Maximum Time Violation" },
	{ 0x13, "Firmware Activation Prohibited" }, { 0x14, "Overlapping Range" }, { 0x15, "Namespace Insufficient Capacity" },
	{ 0x16, "Namespace Identifier Unavailable" }, { 0x18, "Namespace Already Attached" }, { 0x19, "Namespace Is Private" },
	{ 0x1a, "Namespace Not Attached" }, { 0x1b, "Thin Provisioning Not Supported" }, { 0x1c, "Controller List Invalid" },
	{ 0x1d, "Device Self-test In Progress" }, { 0x1e, "Boot Partition Write Prohibited" }, { 0x1f, "Invalid Controller Identifier" },
	{ 0x20, "Invalid Secondary Controller State" }, { 0x21, "Invalid Number of Controller Resources" }, { 0x22, "Invalid Resource Identifier" },
	{ 0x23, "Sanitize Prohibited While Persistent Memory Region is Enabled" }, { 0x24, "ANA Group Identifier Invalid" },
	{ 0x25, "ANA Attach Failed" }, { 0x26, "Insufficient Capacity" }, { 0x27, "Namespace Attachment Limit Exceeded" },
	{ 0x28, "Prohibition of Command Execution Not Supported" }, { 0x29, "I/O Command Set Not Supported" },
	{ 0x2a, "I/O Command Set Not Enabled" }, { 0x2b, "I/O Command Set Combination Rejected" }, { 0x2c, "Invalid I/O Command Set" },
	{ 0x2d, "Identifier Unavailable" }, { 0x2f, "Invalid Discovery Information" }, { 0x30, "Zoning Data Structure Locked" },
	{ 0x31, "Zoning Data Structure Not Found" }, { 0x32, "Insufficient Discovery Resources" }, { 0x33, "Requested Function Disabled" },
	{ 0x34, "ZoneGroup Originator Invalid" }, { 0x80, "Conflicting Attributes" }, { 0x81, "Invalid Protection Information" },
	{ 0x82, "Attempted Write to Read Only Range" }, { 0x83, "Command Size Limit Exceeded" }, { 0xb6, "Invalid Zone Operation Request" },
	{ 0xb7, "ZRWA Resources Unavailable" }, { 0xb8, "Zoned Boundary Error" },
	{ 0xb9, "Zone Is Full" }, { 0xba, "Zone Is Read Only" }, { 0xbb, "Zone Is Offline" }, { 0xbc, "Zone Invalid Write" },
	{ 0xbd, "Too Many Active Zones" }, { 0xbe, "Too Many Open Zones" }, { 0xbf, "Invalid Zone State Transition" }, { 0, NULL },
};

const struct rtap_name nvme_fabrics_status_names[] = {
	{ 0x80, "Incompatible Format" }, { 0x81, "Controller Busy" }, { 0x82, "Connect Invalid Parameters" }, { 0x83, "Connect Restart Discovery" },
	{ 0x84, "Connect Invalid Host" }, { 0x85, "Invalid Queue Type" }, { 0x90, "Discovery Restart" }, { 0x91, "Authentication Required" },
	{ 0, NULL },
};

const struct rtap_name nvme_media_status_names[] = {
	{ 0x80, "Write Fault" }, { 0x81, "Unrecovered Read Error" }, { 0x82, "End-to-end Guard Check Error" },
	{ 0x83, "End-to-end Application Tag Check Error" }, { 0x84, "End-to-end Reference Tag Check Error" }, { 0x85, "Compare Failure" },
	{ 0x86, "Access Denied" }, { 0x87, "Deallocated or Unwritten Logical Block" }, { 0x88, "End-to-end Storage Tag Check Error" }, { 0, NULL },
};

const struct rtap_name nvme_path_status_names[] = {
	{ 0x00, "Internal Path Error" }, { 0x01, "Asymmetric Access Persistent Loss" }, { 0x02, "Asymmetric Access Inaccessible" },
	{ 0x03, "Asymmetric Access Transition" }, { 0x60, "Controller Pathing Error" }, { 0x70, "Host Pathing Error" },
	{ 0x71, "Command Aborted By Host" }, { 0, NULL },
};

const char *nvme_status_name(uint32_t code, uint16_t status)
{
	uint64_t number = status & 0xff;
	const char *name;

	switch (status >> 8 & 7) {
	case 0: return rtap_name_of(nvme_generic_status_names, number);
	case 1:
		name = NVME_CODE_SPACE(code) == NVME_SPACE_FABRICS ? rtap_name_of(nvme_fabrics_status_names, number) : NULL;
		return name ? name : rtap_name_of(nvme_specific_status_names, number);
	case 2: return rtap_name_of(nvme_media_status_names, number);
	case 3: return rtap_name_of(nvme_path_status_names, number);
	default: return NULL;
	}
}

/* Controller properties: Base, 3.1.3.5 and 3.1.3.6. */
const struct rtap_name nvme_command_set_selections[] = { { 0, "NVM Command Set" }, { 6, "all supported" }, { 7, "admin only" }, { 0, NULL } };
const struct rtap_name nvme_arbitration_names[] = {
	{ 0, "round robin" }, { 1, "weighted round robin with urgent priority class" }, { 7, "vendor specific" }, { 0, NULL },
};
const struct rtap_name nvme_shutdown_requests[] = { { 0, "none" }, { 1, "normal" }, { 2, "abrupt" }, { 0, NULL } };
const struct rtap_name nvme_shutdown_names[] = { { 0, "none" }, { 1, "occurring" }, { 2, "complete" }, { 0, NULL } };
