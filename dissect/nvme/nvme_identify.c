/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Identify. Base, 5.17.2; NVM, 4.1.5.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

#define POWER_STATES 263 /* bytes: their number less 1 */
#define POWER_STATE 32
#define CONTROLLER 2048  /* bytes before the power states */
#define LBA_FORMATS 25   /* bytes: their number less 1 */
#define LBA_FORMAT 4
#define NAMESPACE 128    /* bytes before the formats */

static const struct rtap_name controller_names[] = {
	{ 0, "not reported" }, { 1, "I/O" }, { 2, "discovery" }, { 3, "administrative" }, { 0, NULL },
};

/* Base, 5.17.2.1. */
static const struct rtap_name discovery_names[] = { { 0, "not reported" }, { 1, "direct" }, { 2, "central" }, { 0, NULL } };

NVME_TEXT(sn, 4, 20)
NVME_TEXT(mn, 24, 40)
NVME_TEXT(subnqn, 768, NVME_NQN_LENGTH)

static const struct rtap_field controller_fields[] = {
	NVME_ROW("nvme.cmd.identify.ctrl.vid", "PCI Vendor ID", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ssvid", "PCI Subsystem Vendor ID", NVME_BYTES(2, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.identify.ctrl.sn", "Serial Number", NVME_BYTES(4, 20), RTAP_TEXT, 0, NULL, derive_sn, NULL },
	{ "nvme.cmd.identify.ctrl.mn", "Model Number", NVME_BYTES(24, 40), RTAP_TEXT, 0, NULL, derive_mn, NULL },
	{ "nvme.cmd.identify.ctrl.fr", "Firmware Revision", NVME_BYTES(64, 8), RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ctrl.rab", "Recommended Arbitration Burst (log2)", NVME_BYTES(72, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ieee", "IEEE OUI", NVME_BYTES(73, 3), RTAP_HEX32, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.cmic", "Multi-Path I/O and Namespace Sharing Capabilities", NVME_BYTES(76, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.cmic.mp", "Multiple Ports", NVME_BITS(76, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cmic.mc", "Multiple Controllers", NVME_BITS(76, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cmic.sriov", "SR-IOV Virtual Function", NVME_BITS(76, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cmic.ana", "Asymmetric Namespace Access Reporting", NVME_BITS(76, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd76_4", NVME_BITS(76, 4, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.mdts", "Maximum Data Transfer Size (log2 of pages)", NVME_BYTES(77, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cntlid", "Controller ID", NVME_BYTES(78, 2), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.ver", "Version", NVME_BYTES(80, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.ver.ter", "Tertiary Version", NVME_BYTES(80, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ver.min", "Minor Version", NVME_BYTES(81, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ver.mjr", "Major Version", NVME_BYTES(82, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rtd3r", "RTD3 Resume Latency (us)", NVME_BYTES(84, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rtd3e", "RTD3 Entry Latency (us)", NVME_BYTES(88, 4), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.oaes", "Optional Asynchronous Events Supported", NVME_BYTES(92, 4)),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd92", NVME_BYTES(92, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.nan", "Namespace Attribute Notices", NVME_BITS(93, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.fan", "Firmware Activation Notices", NVME_BITS(93, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd93_2", NVME_BITS(93, 2, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.ana", "Asymmetric Namespace Access Change Notices", NVME_BITS(93, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.ple", "Predictable Latency Event Aggregate Log Change Notices", NVME_BITS(93, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.lba", "LBA Status Information Notices", NVME_BITS(93, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.ege", "Endurance Group Event Aggregate Log Change Notices", NVME_BITS(93, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.nss", "Normal NVM Subsystem Shutdown", NVME_BITS(93, 7, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd94", NVME_BITS(94, 0, 11)),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.zdc", "Zone Descriptor Changed Notices", NVME_BITS(95, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd95_4", NVME_BITS(95, 4, 3)),
	NVME_ROW("nvme.cmd.identify.ctrl.oaes.disc", "Discovery Log Page Change Notices", NVME_BITS(95, 7, 1), RTAP_BOOL, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.ctratt", "Controller Attributes", NVME_BYTES(96, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.hi_128", "128-bit Host Identifier", NVME_BITS(96, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.nopspm", "Non-Operational Power State Permissive Mode", NVME_BITS(96, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.nvmset", "NVM Sets", NVME_BITS(96, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.rrl", "Read Recovery Levels", NVME_BITS(96, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.eg", "Endurance Groups", NVME_BITS(96, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.plm", "Predictable Latency Mode", NVME_BITS(96, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.tbkas", "Traffic Based Keep Alive", NVME_BITS(96, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.ng", "Namespace Granularity", NVME_BITS(96, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.sqa", "SQ Associations", NVME_BITS(97, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.uuidl", "UUID List", NVME_BITS(97, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.mds", "Multi-Domain Subsystem", NVME_BITS(97, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.fcm", "Fixed Capacity Management", NVME_BITS(97, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.vcm", "Variable Capacity Management", NVME_BITS(97, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.deg", "Delete Endurance Group", NVME_BITS(97, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.dnvms", "Delete NVM Set", NVME_BITS(97, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.ctratt.elbas", "Extended LBA Formats", NVME_BITS(97, 7, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd98", NVME_BYTES(98, 2)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.rrls", "Read Recovery Levels Supported", NVME_BYTES(100, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls0", "Read Recovery Level 0", NVME_BITS(100, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls1", "Read Recovery Level 1", NVME_BITS(100, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls2", "Read Recovery Level 2", NVME_BITS(100, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls3", "Read Recovery Level 3", NVME_BITS(100, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls4", "Read Recovery Level 4", NVME_BITS(100, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls5", "Read Recovery Level 5", NVME_BITS(100, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls6", "Read Recovery Level 6", NVME_BITS(100, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls7", "Read Recovery Level 7", NVME_BITS(100, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls8", "Read Recovery Level 8", NVME_BITS(101, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls9", "Read Recovery Level 9", NVME_BITS(101, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls10", "Read Recovery Level 10", NVME_BITS(101, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls11", "Read Recovery Level 11", NVME_BITS(101, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls12", "Read Recovery Level 12", NVME_BITS(101, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls13", "Read Recovery Level 13", NVME_BITS(101, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls14", "Read Recovery Level 14", NVME_BITS(101, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rrls.rrls15", "Read Recovery Level 15", NVME_BITS(101, 7, 1), RTAP_BOOL, NULL),
	{ "nvme.cmd.identify.ctrl.rsvd102", "Reserved", NVME_BYTES(102, 9), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ctrl.cntrltype", "Controller Type", NVME_BYTES(111, 1), RTAP_HEX, controller_names),
	{ "nvme.cmd.identify.ctrl.fguid", "FRU Globally Unique Identifier", NVME_BYTES(112, 16), RTAP_BYTES, RTAP_PARTS | RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ctrl.fguid.vse", "Vendor Specific Extension Identifier", NVME_BYTES(112, 8), RTAP_HEX64, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.fguid.oui", "Organizationally Unique Identifier", NVME_BYTES(120, 3), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.fguid.ei", "Extension Identifier", NVME_BYTES(123, 5), RTAP_HEX64, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.crdt1", "Command Retry Delay Time 1 (100 ms)", NVME_BYTES(128, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.crdt2", "Command Retry Delay Time 2 (100 ms)", NVME_BYTES(130, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.crdt3", "Command Retry Delay Time 3 (100 ms)", NVME_BYTES(132, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl.rsvd134", "Reserved", NVME_BYTES(134, 119), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_WHOLE("nvme.cmd.identify.ctrl.mi.nvmsr", "NVM Subsystem Report", NVME_BYTES(253, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.nvmsr.nvmesd", "NVMe Storage Device", NVME_BITS(253, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.nvmsr.nvmee", "NVMe Enclosure", NVME_BITS(253, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd253_2", NVME_BITS(253, 2, 6)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.mi.vwci", "VPD Write Cycle Information", NVME_BYTES(254, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.vwci.vwcr", "VPD Write Cycles Remaining", NVME_BITS(254, 0, 7), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.vwci.vwcrv", "VPD Write Cycles Remaining Valid", NVME_BITS(254, 7, 1), RTAP_BOOL, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.mi.mec", "Management Endpoint Capabilities", NVME_BYTES(255, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.mec.smbusme", "SMBus Management Endpoint", NVME_BITS(255, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.mi.mec.pcieme", "PCIe Management Endpoint", NVME_BITS(255, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd255_2", NVME_BITS(255, 2, 6)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.oacs", "Optional Admin Command Support", NVME_BYTES(256, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.sec", "Security Send and Receive", NVME_BITS(256, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.fmt", "Format NVM", NVME_BITS(256, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.fw", "Firmware Download and Commit", NVME_BITS(256, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.nsmgmt", "Namespace Management", NVME_BITS(256, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.stst", "Device Self-test", NVME_BITS(256, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.dtv", "Directives", NVME_BITS(256, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.mi", "NVMe-MI Send and Receive", NVME_BITS(256, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.vm", "Virtualization Management", NVME_BITS(256, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.db", "Doorbell Buffer Config", NVME_BITS(257, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.sec.lba", "Get LBA Status", NVME_BITS(257, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oacs.lock", "Command and Feature Lockdown", NVME_BITS(257, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd257_3", NVME_BITS(257, 3, 5)),
	NVME_ROW("nvme.cmd.identify.ctrl.acl", "Abort Command Limit less 1", NVME_BYTES(258, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.aerl", "Asynchronous Event Request Limit less 1", NVME_BYTES(259, 1), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.frmw", "Firmware Updates", NVME_BYTES(260, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.frmw.fro", "First Slot Read-Only", NVME_BITS(260, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.frmw.fsn", "Number of Slots", NVME_BITS(260, 1, 3), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.frmw.anr", "Activation Without Reset", NVME_BITS(260, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.frmw.smud", "Multiple Update Detection", NVME_BITS(260, 5, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd260_6", NVME_BITS(260, 6, 2)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.lpa", "Log Page Attributes", NVME_BYTES(261, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.smrt", "SMART Log Page per Namespace", NVME_BITS(261, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.cmds", "Commands Supported and Effects Log Page", NVME_BITS(261, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.elp", "Extended Data of Get Log Page", NVME_BITS(261, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.tel", "Telemetry Log Pages and Notices", NVME_BITS(261, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.ple", "Persistent Event Log", NVME_BITS(261, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.slp", "Supported Log Pages Log Page", NVME_BITS(261, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.lpa.da4", "Telemetry Data Area 4", NVME_BITS(261, 6, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd261_7", NVME_BITS(261, 7, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.elpe", "Error Log Page Entries less 1", NVME_BYTES(262, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.npss", "Number of Power States less 1", NVME_BYTES(263, 1), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.avscc", "Admin Vendor Specific Command Configuration", NVME_BYTES(264, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.avscc.std", "Standard Format", NVME_BITS(264, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd264_1", NVME_BITS(264, 1, 7)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.apsta", "Autonomous Power State Transition Attributes", NVME_BYTES(265, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.apsta.aut", "Autonomous Power State Transitions", NVME_BITS(265, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd265_1", NVME_BITS(265, 1, 7)),
	NVME_ROW("nvme.cmd.identify.ctrl.wctemp", "Warning Composite Temperature Threshold (K)", NVME_BYTES(266, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cctemp", "Critical Composite Temperature Threshold (K)", NVME_BYTES(268, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.mtfa", "Maximum Time for Firmware Activation (100 ms)", NVME_BYTES(270, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.hmpre", "Host Memory Buffer Preferred Size (4 KiB)", NVME_BYTES(272, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.hmmin", "Host Memory Buffer Minimum Size (4 KiB)", NVME_BYTES(276, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl.tnvmcap", "Total NVM Capacity", NVME_BYTES(280, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ctrl.unvmcap", "Unallocated NVM Capacity", NVME_BYTES(296, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_WHOLE("nvme.cmd.identify.ctrl.rpmbs", "Replay Protected Memory Block Support", NVME_BYTES(312, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.rpmbs.nu", "Number of Units", NVME_BITS(312, 0, 3), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rpmbs.au", "Authentication Method", NVME_BITS(312, 3, 3), RTAP_HEX32, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd312_6", NVME_BITS(312, 6, 10)),
	NVME_ROW("nvme.cmd.identify.ctrl.rpmbs.ts", "Total Size less 1 (128 KiB)", NVME_BYTES(314, 1), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.rpmbs.as", "Access Size less 1 (512 bytes)", NVME_BYTES(315, 1), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.edstt", "Extended Device Self-test Time (min)", NVME_BYTES(316, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.dsto", "Device Self-test Options", NVME_BYTES(318, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.dsto.mds", "One Self-test at a Time in the Subsystem", NVME_BITS(318, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd318_1", NVME_BITS(318, 1, 7)),
	NVME_ROW("nvme.cmd.identify.ctrl.fwug", "Firmware Update Granularity (4 KiB)", NVME_BYTES(319, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.kas", "Keep Alive Granularity (100 ms)", NVME_BYTES(320, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.hctma", "Host Controlled Thermal Management Attributes", NVME_BYTES(322, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.hctma.sup", "Host Controlled Thermal Management", NVME_BITS(322, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd322_1", NVME_BITS(322, 1, 15)),
	NVME_ROW("nvme.cmd.identify.ctrl.mntmt", "Minimum Thermal Management Temperature (K)", NVME_BYTES(324, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.mxtmt", "Maximum Thermal Management Temperature (K)", NVME_BYTES(326, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.sanicap", "Sanitize Capabilities", NVME_BYTES(328, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.sanicap.ces", "Crypto Erase", NVME_BITS(328, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sanicap.bes", "Block Erase", NVME_BITS(328, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sanicap.ows", "Overwrite", NVME_BITS(328, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd328_3", NVME_BITS(328, 3, 26)),
	NVME_ROW("nvme.cmd.identify.ctrl.sanicap.ndi", "No-Deallocate Inhibited", NVME_BITS(331, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sanicap.nodmmas", "No-Deallocate Modifies Media After Sanitize", NVME_BITS(331, 6, 2), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.hmmminds", "Host Memory Buffer Minimum Descriptor Entry Size (4 KiB)", NVME_BYTES(332, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.hmmaxd", "Host Memory Maximum Descriptor Entries", NVME_BYTES(336, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nsetidmax", "NVM Set Identifier Maximum", NVME_BYTES(338, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.endgidmax", "Endurance Group Identifier Maximum", NVME_BYTES(340, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anatt", "ANA Transition Time (s)", NVME_BYTES(342, 1), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.anacap", "Asymmetric Namespace Access Capabilities", NVME_BYTES(343, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.osr", "Optimized State", NVME_BITS(343, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.nosr", "Non-Optimized State", NVME_BITS(343, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.isr", "Inaccessible State", NVME_BITS(343, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.plsr", "Persistent Loss State", NVME_BITS(343, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.csr", "Change State", NVME_BITS(343, 4, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd343_5", NVME_BITS(343, 5, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.panagrpid", "ANA Group of a Namespace Does Not Change", NVME_BITS(343, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anacap.nzpanagrpid", "ANA Group of a Namespace Can Be Set", NVME_BITS(343, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.anagrpmax", "ANA Group Identifier Maximum", NVME_BYTES(344, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nanagrpid", "Number of ANA Group Identifiers", NVME_BYTES(348, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.pels", "Persistent Event Log Size (64 KiB)", NVME_BYTES(352, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.domainid", "Domain Identifier", NVME_BYTES(356, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl.rsvd358", "Reserved", NVME_BYTES(358, 10), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ctrl.megcap", "Maximum Endurance Group Capacity", NVME_BYTES(368, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ctrl.rsvd384", "Reserved", NVME_BYTES(384, 128), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_WHOLE("nvme.cmd.identify.ctrl.sqes", "Submission Queue Entry Size", NVME_BYTES(512, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.sqes.mins", "Required (log2)", NVME_BITS(512, 0, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sqes.maxs", "Maximum (log2)", NVME_BITS(512, 4, 4), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.cqes", "Completion Queue Entry Size", NVME_BYTES(513, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.cqes.mins", "Required (log2)", NVME_BITS(513, 0, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cqes.maxs", "Maximum (log2)", NVME_BITS(513, 4, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.maxcmd", "Maximum Outstanding Commands", NVME_BYTES(514, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nn", "Number of Namespaces", NVME_BYTES(516, 4), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.oncs", "Optional NVM Command Support", NVME_BYTES(520, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.ccs", "Compare", NVME_BITS(520, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.wus", "Write Uncorrectable", NVME_BITS(520, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.dsms", "Dataset Management", NVME_BITS(520, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.wzs", "Write Zeroes", NVME_BITS(520, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.nzfs", "Save and Select in Features", NVME_BITS(520, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.ress", "Reservations", NVME_BITS(520, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.tstmps", "Timestamp", NVME_BITS(520, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.vers", "Verify", NVME_BITS(520, 7, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.oncs.copy", "Copy", NVME_BITS(521, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd521_1", NVME_BITS(521, 1, 7)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.fuses", "Fused Operation Support", NVME_BYTES(522, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.fuses.cws", "Compare and Write", NVME_BITS(522, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd522_1", NVME_BITS(522, 1, 15)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.fna", "Format NVM Attributes", NVME_BYTES(524, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.fna.fall", "Format of all Namespaces", NVME_BITS(524, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.fna.seall", "Secure Erase of all Namespaces", NVME_BITS(524, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.fna.ces", "Cryptographic Erase", NVME_BITS(524, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.fna.bcast", "No Broadcast Namespace", NVME_BITS(524, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd524_4", NVME_BITS(524, 4, 4)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.vwc", "Volatile Write Cache", NVME_BYTES(525, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.vwc.cp", "Present", NVME_BITS(525, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.vwc.cfb", "Flush Behavior", NVME_BITS(525, 1, 2), RTAP_HEX, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd525_3", NVME_BITS(525, 3, 5)),
	NVME_ROW("nvme.cmd.identify.ctrl.awun", "Atomic Write Unit Normal less 1", NVME_BYTES(526, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.awupf", "Atomic Write Unit Power Fail less 1", NVME_BYTES(528, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.nvscc", "I/O Vendor Specific Command Configuration", NVME_BYTES(530, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.nvscc.std", "Standard Format", NVME_BITS(530, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd530_1", NVME_BITS(530, 1, 7)),
	NVME_WHOLE("nvme.cmd.identify.ctrl.nwpc", "Namespace Write Protection Capabilities", NVME_BYTES(531, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.nwpc.wpss", "No Write Protect and Write Protect States", NVME_BITS(531, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nwpc.wppcs", "Write Protect Until Power Cycle State", NVME_BITS(531, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nwpc.pwpss", "Permanent Write Protect State", NVME_BITS(531, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd531_3", NVME_BITS(531, 3, 5)),
	NVME_ROW("nvme.cmd.identify.ctrl.acwu", "Atomic Compare and Write Unit less 1", NVME_BYTES(532, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.cdfs", "Copy Descriptor Formats Supported", NVME_BYTES(534, 2), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.sgls", "SGL Support", NVME_BYTES(536, 4)),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.sgls", "SGLs Supported", NVME_BITS(536, 0, 2), RTAP_HEX32, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.kdbs", "Keyed Data Block", NVME_BITS(536, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd536_3", NVME_BITS(536, 3, 5)),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.sdt", "Descriptor Threshold", NVME_BYTES(537, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.bbd", "Bit Bucket", NVME_BITS(538, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.bufmptr", "Contiguous Metadata Buffer", NVME_BITS(538, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.lsgl", "SGL Longer Than the Data", NVME_BITS(538, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.kmptr", "SGL Segment in Metadata Pointer", NVME_BITS(538, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.offs", "Address Is an Offset", NVME_BITS(538, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.sgls.tdbd", "Transport Data Block", NVME_BITS(538, 5, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd538_6", NVME_BITS(538, 6, 10)),
	NVME_ROW("nvme.cmd.identify.ctrl.mnan", "Maximum Number of Allowed Namespaces", NVME_BYTES(540, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl.maxdna", "Maximum Domain Namespace Attachments", NVME_BYTES(544, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ctrl.maxcna", "Maximum I/O Controller Namespace Attachments", NVME_BYTES(560, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl.rsvd564", "Reserved", NVME_BYTES(564, 204), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ctrl.subnqn", "Subsystem NQN", NVME_BYTES(768, 256), RTAP_TEXT, 0, NULL, derive_subnqn, NULL },
	{ "nvme.cmd.identify.ctrl.rsvd1024", "Reserved", NVME_BYTES(1024, 768), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ctrl.nvmeof", "Fabrics Attributes", NVME_BYTES(1792, 256), RTAP_BYTES, RTAP_PARTS | RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.ioccsz", "I/O Queue Command Capsule Size (16 bytes)", NVME_BYTES(1792, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.iorcsz", "I/O Queue Response Capsule Size (16 bytes)", NVME_BYTES(1796, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.icdoff", "In Capsule Data Offset (16 bytes)", NVME_BYTES(1800, 2), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.nvmeof.fcatt", "Fabrics Controller Attributes", NVME_BYTES(1802, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.fcatt.dcm", "Static Controller Model", NVME_BITS(1802, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd1802_1", NVME_BITS(1802, 1, 7)),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.msdbd", "Maximum SGL Data Block Descriptors", NVME_BYTES(1803, 1), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.cmd.identify.ctrl.nvmeof.ofcs", "Optional Fabrics Commands", NVME_BYTES(1804, 2)),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.ofcs.dcs", "Disconnect", NVME_BITS(1804, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd1804_1", NVME_BITS(1804, 1, 7)),
	NVME_RESERVED("nvme.cmd.identify.ctrl.rsvd1805", NVME_BYTES(1805, 1)),
	NVME_ROW("nvme.cmd.identify.ctrl.nvmeof.dctype", "Discovery Controller Type", NVME_BYTES(1806, 1), RTAP_HEX, discovery_names),
	{ "nvme.cmd.identify.ctrl.rsvd1807", "Reserved", NVME_BYTES(1807, 241), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(controller, CONTROLLER, "nvme.cmd.identify.ctrl", "NVMe Identify Controller", "Base, 5.17.2.1", CONTROLLER, PROTOCOL_NVME_POWER_STATES)

/* Base, figure 276. */
static const struct rtap_field power_states_fields[] = {
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.mp", "Maximum Power", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd2", NVME_BYTES(2, 1)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.mxps", "Maximum Power Scale (0: 10 mW, 1: 0.1 mW)", NVME_BITS(3, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.nops", "Non-Operational State", NVME_BITS(3, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd3_2", NVME_BITS(3, 2, 6)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.enlat", "Entry Latency (us)", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.exlat", "Exit Latency (us)", NVME_BYTES(8, 4), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.rrt", "Relative Read Throughput", NVME_BITS(12, 0, 5), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd12_5", NVME_BITS(12, 5, 3)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.rrl", "Relative Read Latency", NVME_BITS(13, 0, 5), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd13_5", NVME_BITS(13, 5, 3)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.rwt", "Relative Write Throughput", NVME_BITS(14, 0, 5), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd14_5", NVME_BITS(14, 5, 3)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.rwl", "Relative Write Latency", NVME_BITS(15, 0, 5), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd15_5", NVME_BITS(15, 5, 3)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.idlp", "Idle Power", NVME_BYTES(16, 2), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd18", NVME_BITS(18, 0, 6)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.ips", "Idle Power Scale", NVME_BITS(18, 6, 2), RTAP_HEX, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd19", NVME_BYTES(19, 1)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.actp", "Active Power", NVME_BYTES(20, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.apw", "Active Power Workload", NVME_BITS(22, 0, 3), RTAP_HEX, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.ctrl.psds.psd.rsvd22_3", NVME_BITS(22, 3, 3)),
	NVME_EACH("nvme.cmd.identify.ctrl.psds.psd.aps", "Active Power Scale", NVME_BITS(22, 6, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.identify.ctrl.psds.psd.rsvd23", "Reserved", NVME_BYTES(23, 9), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
};

/* The byte at `at` of the structure that ends where the cursor is, plus 1. */
static uint32_t count_in(const struct parse *parse, uint32_t length, uint32_t at)
{
	return parse->cursor.next[(int32_t)at - (int32_t)length] + 1u;
}

/* Limits the layer to the elements that there are: the rest is unused. */
static enum result parse_counted(struct parse *parse, uint16_t protocol, uint32_t length)
{
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

static enum result parse_power_states(struct parse *parse)
{
	uint32_t count = count_in(parse, CONTROLLER, POWER_STATES);

	return parse_counted(parse, PROTOCOL_NVME_POWER_STATES, (count < 32 ? count : 32) * POWER_STATE);
}

static void visit_power_states(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_units(packet, layer, visitor, POWER_STATE);
}

const struct protocol nvme_power_states_protocol = {
	.table = { "nvme.cmd.identify.ctrl.psds.psd", "NVMe Power States", "Base, figure 276", POWER_STATE, FIELDS(power_states_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_power_states,
	.visit = visit_power_states,
};

static const struct rtap_name deallocated_names[] = { { 0, "not reported" }, { 1, "zeros" }, { 2, "ones" }, { 0, NULL } };

static const struct rtap_field namespace_fields[] = {
	NVME_ROW("nvme.cmd.identify.ns.nsze", "Namespace Size (blocks)", NVME_BYTES(0, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.ncap", "Namespace Capacity (blocks)", NVME_BYTES(8, 8), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nuse", "Namespace Utilization (blocks)", NVME_BYTES(16, 8), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns.nsfeat", "Namespace Features", NVME_BYTES(24, 1)),
	NVME_ROW("nvme.cmd.identify.ns.nsfeat.thinp", "Thin Provisioning", NVME_BITS(24, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nsfeat.nsabp", "Atomic Parameters of the Namespace", NVME_BITS(24, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nsfeat.dae", "Deallocated or Unwritten Block Error", NVME_BITS(24, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nsfeat.uidreuse", "Identifiers Are Not Used Again", NVME_BITS(24, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nsfeat.optperf", "Preferred Granularities and Alignments", NVME_BITS(24, 4, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd24_5", NVME_BITS(24, 5, 3)),
	NVME_ROW("nvme.cmd.identify.ns.nlbaf", "Number of LBA Formats less 1", NVME_BYTES(25, 1), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ns.flbas", "Formatted LBA Size", NVME_BYTES(26, 1), RTAP_DEC, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ns.flbas.low", "LBA Format, low bits", NVME_BITS(26, 0, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.flbas.extended", "Metadata After the Data", NVME_BITS(26, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.flbas.high", "LBA Format, high bits", NVME_BITS(26, 5, 2), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd26_7", NVME_BITS(26, 7, 1)),
	NVME_WHOLE("nvme.cmd.identify.ns.mc", "Metadata Capabilities", NVME_BYTES(27, 1)),
	NVME_ROW("nvme.cmd.identify.ns.mc.extended", "After the Data", NVME_BITS(27, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.mc.separate", "In a Separate Buffer", NVME_BITS(27, 1, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd27_2", NVME_BITS(27, 2, 6)),
	NVME_WHOLE("nvme.cmd.identify.ns.dpc", "Data Protection Capabilities", NVME_BYTES(28, 1)),
	NVME_ROW("nvme.cmd.identify.ns.dpc.type1", "Type 1", NVME_BITS(28, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dpc.type2", "Type 2", NVME_BITS(28, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dpc.type3", "Type 3", NVME_BITS(28, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dpc.first", "In the First Bytes of Metadata", NVME_BITS(28, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dpc.last", "In the Last Bytes of Metadata", NVME_BITS(28, 4, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd28_5", NVME_BITS(28, 5, 3)),
	NVME_WHOLE("nvme.cmd.identify.ns.dps", "Data Protection Type Settings", NVME_BYTES(29, 1)),
	NVME_ROW("nvme.cmd.identify.ns.dps.type", "Protection Type", NVME_BITS(29, 0, 3), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dps.first", "In the First Bytes of Metadata", NVME_BITS(29, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd29_4", NVME_BITS(29, 4, 4)),
	NVME_WHOLE("nvme.cmd.identify.ns.nmic", "Multi-Path I/O and Sharing", NVME_BYTES(30, 1)),
	NVME_ROW("nvme.cmd.identify.ns.nmic.shared", "Shared", NVME_BITS(30, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd30_1", NVME_BITS(30, 1, 7)),
	NVME_WHOLE("nvme.cmd.identify.ns.rescap", "Reservation Capabilities", NVME_BYTES(31, 1)),
	NVME_ROW("nvme.cmd.identify.ns.rescap.ptpl", "Persist Through Power Loss", NVME_BITS(31, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.wex", "Write Exclusive", NVME_BITS(31, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.eac", "Exclusive Access", NVME_BITS(31, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.wero", "Write Exclusive, Registrants Only", NVME_BITS(31, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.earo", "Exclusive Access, Registrants Only", NVME_BITS(31, 4, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.wear", "Write Exclusive, All Registrants", NVME_BITS(31, 5, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.eaar", "Exclusive Access, All Registrants", NVME_BITS(31, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.rescap.iekey", "Ignore Existing Key as of 1.3", NVME_BITS(31, 7, 1), RTAP_BOOL, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns.fpi", "Format Progress Indicator", NVME_BYTES(32, 1)),
	NVME_ROW("nvme.cmd.identify.ns.fpi.remaining", "Percentage Remaining", NVME_BITS(32, 0, 7), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.fpi.supported", "Supported", NVME_BITS(32, 7, 1), RTAP_BOOL, NULL),
	NVME_WHOLE("nvme.cmd.identify.ns.dlfeat", "Deallocate Features", NVME_BYTES(33, 1)),
	NVME_ROW("nvme.cmd.identify.ns.dlfeat.read", "Read Behavior of Deallocated Blocks", NVME_BITS(33, 0, 3), RTAP_DEC, deallocated_names),
	NVME_ROW("nvme.cmd.identify.ns.dlfeat.wzds", "Deallocate in Write Zeroes", NVME_BITS(33, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.identify.ns.dlfeat.guard", "Guard of Deallocated Blocks Is a CRC", NVME_BITS(33, 4, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd33_5", NVME_BITS(33, 5, 3)),
	NVME_ROW("nvme.cmd.identify.ns.nawun", "Atomic Write Unit Normal less 1", NVME_BYTES(34, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nawupf", "Atomic Write Unit Power Fail less 1", NVME_BYTES(36, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nacwu", "Atomic Compare and Write Unit less 1", NVME_BYTES(38, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nabsn", "Atomic Boundary Size Normal less 1", NVME_BYTES(40, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nabo", "Atomic Boundary Offset", NVME_BYTES(42, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nabspf", "Atomic Boundary Size Power Fail less 1", NVME_BYTES(44, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.noiob", "Optimal I/O Boundary (blocks)", NVME_BYTES(46, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ns.nvmcap", "NVM Capacity", NVME_BYTES(48, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ns.npwg", "Preferred Write Granularity less 1", NVME_BYTES(64, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.npwa", "Preferred Write Alignment less 1", NVME_BYTES(66, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.npdg", "Preferred Deallocate Granularity less 1", NVME_BYTES(68, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.npda", "Preferred Deallocate Alignment less 1", NVME_BYTES(70, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.nows", "Optimal Write Size less 1", NVME_BYTES(72, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.mssrl", "Maximum Single Source Range Length", NVME_BYTES(74, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.mcl", "Maximum Copy Length", NVME_BYTES(76, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.msrc", "Maximum Source Range Count less 1", NVME_BYTES(80, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd81", NVME_BYTES(81, 1)),
	NVME_ROW("nvme.cmd.identify.ns.nulbaf", "Number of Unique Capability LBA Formats less 1", NVME_BYTES(82, 1), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ns.rsvd83", "Reserved", NVME_BYTES(83, 9), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.identify.ns.anagrpid", "ANA Group Identifier", NVME_BYTES(92, 4), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd96", NVME_BYTES(96, 3)),
	NVME_WHOLE("nvme.cmd.identify.ns.nsattr", "Namespace Attributes", NVME_BYTES(99, 1)),
	NVME_ROW("nvme.cmd.identify.ns.nsattr.wp", "Write Protected", NVME_BITS(99, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.identify.ns.rsvd99_1", NVME_BITS(99, 1, 7)),
	NVME_ROW("nvme.cmd.identify.ns.nvmsetid", "NVM Set Identifier", NVME_BYTES(100, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ns.endgid", "Endurance Group Identifier", NVME_BYTES(102, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ns.nguid", "Namespace Globally Unique Identifier", NVME_BYTES(104, 16), RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.cmd.identify.ns.eui64", "IEEE Extended Unique Identifier", NVME_BYTES(120, 8), RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_STRUCTURE(namespace, NAMESPACE, "nvme.cmd.identify.ns", "NVMe Identify Namespace", "NVM, 4.1.5.1", NAMESPACE, PROTOCOL_NVME_LBA_FORMATS)

static const struct rtap_name performance_names[] = { { 0, "best" }, { 1, "better" }, { 2, "good" }, { 3, "degraded" }, { 0, NULL } };

static const struct rtap_field lba_formats_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.identify.ns.lbaf", "LBA Format", NVME_BYTES(0, 4)),
	NVME_EACH("nvme.cmd.identify.ns.lbaf.ms", "Metadata Size", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ns.lbaf.lbads", "LBA Data Size (log2)", NVME_BYTES(2, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.identify.ns.lbaf.rp", "Relative Performance", NVME_BITS(3, 0, 2), RTAP_DEC, performance_names),
	NVME_EACH_RESERVED("nvme.cmd.identify.ns.lbaf.rsvd3_2", NVME_BITS(3, 2, 6)),
};

static enum result parse_lba_formats(struct parse *parse)
{
	uint32_t count = count_in(parse, NAMESPACE, LBA_FORMATS);

	return parse_counted(parse, PROTOCOL_NVME_LBA_FORMATS, (count < 64 ? count : 64) * LBA_FORMAT);
}

static void visit_lba_formats(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_units(packet, layer, visitor, LBA_FORMAT);
}

const struct protocol nvme_lba_formats_protocol = {
	.table = { "nvme.cmd.identify.ns.lbafs", "NVMe LBA Formats", "NVM, 4.1.5.1", LBA_FORMAT, FIELDS(lba_formats_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_lba_formats,
	.visit = visit_lba_formats,
};

static const struct rtap_field namespace_list_fields[] = {
	NVME_EACH("nvme.cmd.identify.nslist.nsid", "Namespace Identifier", NVME_BYTES(0, 4), RTAP_HEX, NULL),
};

NVME_ELEMENTS(namespace_list, NAMESPACE_LIST, "nvme.cmd.identify.nslist", "NVMe Namespace List", "Base, 4.4.2", 4, true)

static const struct rtap_field controller_nvm_fields[] = {
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.vsl", "Verify Size Limit (log2 of pages)", NVME_BYTES(0, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.wzsl", "Write Zeroes Size Limit (log2 of pages)", NVME_BYTES(1, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.wusl", "Write Uncorrectable Size Limit (log2 of pages)", NVME_BYTES(2, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.dmrl", "Dataset Management Ranges Limit", NVME_BYTES(3, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.dmrsl", "Dataset Management Range Size Limit", NVME_BYTES(4, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.identify.ctrl_nvm.dmsl", "Dataset Management Size Limit", NVME_BYTES(8, 8), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrl_nvm.rsvd16", "Reserved", NVME_BYTES(16, 4080), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(controller_nvm, CONTROLLER_NVM, "nvme.cmd.identify.ctrl_nvm", "NVMe Identify Controller, NVM Command Set",
	"NVM, 4.1.5.4", 4096, PROTOCOL_PAYLOAD)

/* A list of identifiers, after their number. */
static const struct rtap_field controller_list_fields[] = {
	NVME_ROW("nvme.cmd.identify.ctrllist.count", "Number of Identifiers", NVME_BYTES(0, 2), RTAP_DEC, NULL),
	{ "nvme.cmd.identify.ctrllist.cntlid", "Controller Identifier", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static enum result parse_controller_list(struct parse *parse)
{
	uint32_t length = 2;

	if (parse->cursor.captured >= 2)
		length += (uint32_t)little_bits(parse->cursor.next, NVME_BYTES(0, 2)) * 2;
	return structure_parse(parse, PROTOCOL_NVME_CONTROLLER_LIST, length, PROTOCOL_PAYLOAD);
}

static void visit_controller_list(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);

	for (uint32_t at = 2; at + 2 <= layer->length; at += 2)
		visit_field(visitor, layer, PROTOCOL_NVME_CONTROLLER_LIST, 1, &(struct rtap_value){ .number = little_bits(bytes + at, 0, 16) },
			    layer->offset + at, 2);
}

const struct protocol nvme_controller_list_protocol = {
	.table = { "nvme.cmd.identify.ctrllist", "NVMe Controller List", "Base, 4.4.1", 2, FIELDS(controller_list_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_controller_list,
	.visit = visit_controller_list,
	.summary = structure_summary,
};

/* Descriptors: a type, a length, the identifier. Base, 5.17.2.3. */
static const struct rtap_name descriptor_names[] = {
	{ 1, "EUI64" }, { 2, "NGUID" }, { 3, "UUID" }, { 4, "command set" }, { 0, NULL },
};

enum { ROW_FIRST_IDENTIFIER = 3 };

static const struct rtap_field namespace_descriptors_fields[] = {
	NVME_EACH("nvme.cmd.identify.nsdesc.nidt", "Type", NVME_BYTES(0, 1), RTAP_DEC, descriptor_names),
	NVME_EACH("nvme.cmd.identify.nsdesc.nidl", "Length", NVME_BYTES(1, 1), RTAP_DEC, NULL),
	NVME_EACH_RESERVED("nvme.cmd.identify.nsdesc.rsvd2", NVME_BYTES(2, 2)),
	{ "nvme.cmd.identify.nsdesc.eui64", "EUI64", 0, 64, RTAP_EUI64, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.identify.nsdesc.nguid", "NGUID", 0, 128, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.identify.nsdesc.uuid", "UUID", 0, 128, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "nvme.cmd.identify.nsdesc.csi", "Command Set", 0, 8, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

#define DESCRIPTOR 4

static const uint8_t identifier_lengths[] = { 0, 8, 16, 16, 1 }; /* by type */

/* Up to a type of 0, which ends the list. */
static enum result parse_namespace_descriptors(struct parse *parse)
{
	const struct cursor *cursor = &parse->cursor;
	uint32_t length = 0;

	while (length + DESCRIPTOR <= cursor->captured && cursor->next[length])
		length += DESCRIPTOR + cursor->next[length + 1];
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, PROTOCOL_NVME_NAMESPACE_DESCRIPTORS, length, PROTOCOL_PAYLOAD);
}

static void visit_namespace_descriptors(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	struct rtap_layer unit = *layer;

	for (uint32_t at = 0, length; at + DESCRIPTOR <= layer->length; at += DESCRIPTOR + length) {
		uint8_t type = bytes[at];

		length = bytes[at + 1];
		unit.offset = layer->offset + at;
		unit.length = DESCRIPTOR;
		visit_unit(packet, &unit, visitor);
		if (type && type < sizeof identifier_lengths && length == identifier_lengths[type] && at + DESCRIPTOR + length <= layer->length)
			visit_field(visitor, layer, PROTOCOL_NVME_NAMESPACE_DESCRIPTORS, ROW_FIRST_IDENTIFIER + type - 1u,
				    &(struct rtap_value){ .data = { bytes + at + DESCRIPTOR, length } }, layer->offset + at + DESCRIPTOR, length);
	}
}

const struct protocol nvme_namespace_descriptors_protocol = {
	.table = { "nvme.cmd.identify.nsdesc", "NVMe Namespace Identification Descriptors", "Base, 5.17.2.3", DESCRIPTOR,
		   FIELDS(namespace_descriptors_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_namespace_descriptors,
	.visit = visit_namespace_descriptors,
	.summary = structure_summary,
};
