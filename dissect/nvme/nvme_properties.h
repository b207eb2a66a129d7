/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of controller properties: the value in Property Set, and in the response to Property Get. Base, 3.1.3.
 */
#ifndef DISSECT_NVME_NVME_PROPERTIES_H
#define DISSECT_NVME_NVME_PROPERTIES_H

/*
 * X(name, offset of the property, first bit, width, shown as, filter name, label, names): a property, then its parts. Reserved bits are not
 * listed: the value has them.
 */
#define NVME_PROPERTIES(X) \
	X(capabilities, 0x00, 0, 64, RTAP_HEX, "prop_get.ccap", "Controller Capabilities", NULL) \
	X(cqr, 0x00, 16, 1, RTAP_BOOL, "prop_get.ccap.cqr", "Contiguous Queues Required", NULL) \
	X(wrr, 0x00, 17, 1, RTAP_BOOL, "prop_get.ccap.ams.wrr", "Weighted Round Robin with Urgent Priority Class", NULL) \
	X(vendor_arbitration, 0x00, 18, 1, RTAP_BOOL, "prop_get.ccap.ams.vs", "Vendor Specific Arbitration", NULL) \
	X(stride, 0x00, 32, 4, RTAP_DEC, "prop_get.ccap.dstrd", "Doorbell Stride (log2 - 2)", NULL) \
	X(subsystem_reset, 0x00, 36, 1, RTAP_BOOL, "prop_get.ccap.nssrs", "NVM Subsystem Reset Supported", NULL) \
	X(css, 0x00, 37, 8, RTAP_HEX, "prop_get.ccap.css", "Command Sets Supported", NULL) \
	X(boot, 0x00, 45, 1, RTAP_BOOL, "prop_get.ccap.bps", "Boot Partition Support", NULL) \
	X(mpsmin, 0x00, 48, 4, RTAP_DEC, "prop_get.ccap.mpsmin", "Memory Page Size Minimum (log2 - 12)", NULL) \
	X(mpsmax, 0x00, 52, 4, RTAP_DEC, "prop_get.ccap.mpsmax", "Memory Page Size Maximum (log2 - 12)", NULL) \
	X(persistent_region, 0x00, 56, 1, RTAP_BOOL, "prop_get.ccap.pmrs", "Persistent Memory Region Supported", NULL) \
	X(memory_buffer, 0x00, 57, 1, RTAP_BOOL, "prop_get.ccap.cmbs", "Controller Memory Buffer Supported", NULL) \
	X(version, 0x08, 0, 32, RTAP_HEX, "prop_get.vs", "Version", NULL) \
	X(tertiary, 0x08, 0, 8, RTAP_DEC, "prop_get.vs.ter", "Tertiary Version", NULL) \
	X(minor, 0x08, 8, 8, RTAP_DEC, "prop_get.vs.mnr", "Minor Version", NULL) \
	X(major, 0x08, 16, 16, RTAP_DEC, "prop_get.vs.mjr", "Major Version", NULL) \
	X(configuration, 0x14, 0, 32, RTAP_HEX, "prop_get_set.cc", "Controller Configuration", NULL) \
	X(enable, 0x14, 0, 1, RTAP_HEX32, "prop_get_set.cc.en", "Enable", NULL) \
	X(selected_css, 0x14, 4, 3, RTAP_HEX32, "prop_get_set.cc.css", "I/O Command Set Selected", nvme_command_set_selections) \
	X(page_size, 0x14, 7, 4, RTAP_DEC, "prop_get_set.cc.mps", "Memory Page Size (log2 - 12)", NULL) \
	X(arbitration, 0x14, 11, 3, RTAP_HEX32, "prop_get_set.cc.ams", "Arbitration Mechanism Selected", nvme_arbitration_names) \
	X(shutdown, 0x14, 14, 2, RTAP_HEX32, "prop_get_set.cc.shn", "Shutdown Notification", nvme_shutdown_requests) \
	X(submission_size, 0x14, 16, 4, RTAP_DEC, "prop_get_set.cc.iosqes", "I/O Submission Queue Entry Size (log2)", NULL) \
	X(completion_size, 0x14, 20, 4, RTAP_DEC, "prop_get_set.cc.iocqes", "I/O Completion Queue Entry Size (log2)", NULL) \
	X(status, 0x1c, 0, 32, RTAP_HEX, "prop_get_set.csts", "Controller Status", NULL) \
	X(ready, 0x1c, 0, 1, RTAP_HEX32, "prop_get_set.csts.rdy", "Ready", NULL) \
	X(fatal, 0x1c, 1, 1, RTAP_HEX32, "prop_get_set.csts.cfs", "Controller Fatal Status", NULL) \
	X(shutdown_status, 0x1c, 2, 2, RTAP_HEX32, "prop_get_set.csts.shst", "Shutdown Status", nvme_shutdown_names) \
	X(reset_occurred, 0x1c, 4, 1, RTAP_HEX32, "prop_get_set.csts.nssro", "NVM Subsystem Reset Occurred", NULL) \
	X(paused, 0x1c, 5, 1, RTAP_HEX32, "prop_get_set.csts.pp", "Processing Paused", NULL)

#endif
