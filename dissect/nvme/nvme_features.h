/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of features: dword 11 of Set Features, and dword 0 of the response to Get Features. Base, 5.27.1; NVM, 4.1.3.
 */
#ifndef DISSECT_NVME_NVME_FEATURES_H
#define DISSECT_NVME_NVME_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, feature, first bit, width, shown as, filter name, label): every bit that is not reserved. */
#define NVME_FEATURES(X) \
	X(arb_burst, 0x01, 0, 3, RTAP_HEX32, "arb.ab", "Arbitration Burst (log2)") \
	X(arb_low, 0x01, 8, 8, RTAP_HEX32, "arb.lpw", "Low Priority Weight less 1") \
	X(arb_medium, 0x01, 16, 8, RTAP_HEX32, "arb.mpw", "Medium Priority Weight less 1") \
	X(arb_high, 0x01, 24, 8, RTAP_HEX32, "arb.hpw", "High Priority Weight less 1") \
	X(power_state, 0x02, 0, 5, RTAP_HEX32, "pm.ps", "Power State") \
	X(power_hint, 0x02, 5, 3, RTAP_HEX32, "pm.wh", "Workload Hint") \
	X(lba_ranges, 0x03, 0, 6, RTAP_HEX32, "lbart.lbarn", "Number of LBA Ranges less 1") \
	X(threshold, 0x04, 0, 16, RTAP_HEX32, "tt.tmpth", "Temperature Threshold (K)") \
	X(threshold_sensor, 0x04, 16, 4, RTAP_HEX32, "tt.tmpsel", "Temperature Sensor") \
	X(threshold_type, 0x04, 20, 2, RTAP_HEX32, "tt.thpsel", "Threshold Type") \
	X(recovery_limit, 0x05, 0, 16, RTAP_HEX32, "erec.tler", "Time Limited Error Recovery (100 ms)") \
	X(recovery_error, 0x05, 16, 1, RTAP_BOOL, "erec.dulbe", "Error of Deallocated or Unwritten Blocks") \
	X(write_cache, 0x06, 0, 1, RTAP_BOOL, "vwce.wce", "Volatile Write Cache Enable") \
	X(coalescing, 0x08, 0, 8, RTAP_HEX32, "irqc.thr", "Aggregation Threshold less 1") \
	X(coalescing_time, 0x08, 8, 8, RTAP_HEX32, "irqc.time", "Aggregation Time (100 us)") \
	X(vector, 0x09, 0, 16, RTAP_HEX32, "irqv.iv", "Interrupt Vector") \
	X(vector_coalescing, 0x09, 16, 1, RTAP_BOOL, "irqv.cd", "Coalescing Disable") \
	X(atomicity, 0x0a, 0, 1, RTAP_BOOL, "wan.dn", "Disable Normal") \
	X(event_smart, 0x0b, 0, 8, RTAP_HEX32, "aec.smart", "SMART and Health Critical Warnings") \
	X(event_namespace, 0x0b, 8, 1, RTAP_BOOL, "aec.ns", "Namespace Attribute Notices") \
	X(event_firmware, 0x0b, 9, 1, RTAP_BOOL, "aec.fwa", "Firmware Activation Notices") \
	X(event_telemetry, 0x0b, 10, 1, RTAP_BOOL, "aec.tel", "Telemetry Log Notices") \
	X(event_ana, 0x0b, 11, 1, RTAP_BOOL, "aec.ana", "Asymmetric Namespace Access Change Notices") \
	X(event_latency, 0x0b, 12, 1, RTAP_BOOL, "aec.plat", "Predictable Latency Event Notices") \
	X(event_lba, 0x0b, 13, 1, RTAP_BOOL, "aec.lba", "LBA Status Information Notices") \
	X(event_endurance, 0x0b, 14, 1, RTAP_BOOL, "aec.eg", "Endurance Group Event Notices") \
	X(event_discovery, 0x0b, 31, 1, RTAP_BOOL, "aec.disc", "Discovery Log Page Change Notices") \
	X(transition, 0x0c, 0, 1, RTAP_BOOL, "apst.apste", "Autonomous Power State Transition Enable") \
	X(keep_alive, 0x0f, 0, 32, RTAP_DEC, "kat.kato", "Keep Alive Timeout (ms)") \
	X(thermal2, 0x10, 0, 16, RTAP_HEX32, "hctm.tmt2", "Thermal Management Temperature 2 (K)") \
	X(thermal1, 0x10, 16, 16, RTAP_HEX32, "hctm.tmt1", "Thermal Management Temperature 1 (K)") \
	X(permissive, 0x11, 0, 1, RTAP_HEX32, "nops.noppme", "Non-Operational Power State Permissive Mode") \
	X(interval, 0x15, 0, 16, RTAP_HEX32, "lbasi.lsiri", "LBA Status Information Report Interval (100 ms)") \
	X(interval_poll, 0x15, 16, 16, RTAP_HEX32, "lbasi.lsipi", "LBA Status Information Poll Interval (100 ms)") \
	X(sanitize, 0x17, 0, 1, RTAP_BOOL, "san.nodrm", "No-Deallocate Response Mode") \
	X(endurance_group, 0x18, 0, 16, RTAP_HEX32, "eg.endgid", "Endurance Group Identifier") \
	X(endurance_warnings, 0x18, 16, 8, RTAP_HEX32, "eg.egcw", "Endurance Group Critical Warnings") \
	X(combination, 0x19, 0, 9, RTAP_HEX32, "iocsp.iocsci", "I/O Command Set Combination Index") \
	X(spinup, 0x1a, 0, 1, RTAP_BOOL, "spinup.spinup", "Spinup Control") \
	X(progress, 0x80, 0, 8, RTAP_HEX32, "swp.pbslc", "Pre-boot Software Load Count") \
	X(extended_host, 0x81, 0, 1, RTAP_BOOL, "hid.exhid", "Extended Host Identifier") \
	X(mask_preempted, 0x82, 1, 1, RTAP_BOOL, "rsrvn.regpre", "Mask Registration Preempted") \
	X(mask_released, 0x82, 2, 1, RTAP_BOOL, "rsrvn.resrel", "Mask Reservation Released") \
	X(mask_reservation, 0x82, 3, 1, RTAP_BOOL, "rsrvn.resrpe", "Mask Reservation Preempted") \
	X(persistence, 0x83, 0, 1, RTAP_BOOL, "rsrvp.ptpl", "Persist Through Power Loss") \
	X(protection, 0x84, 0, 3, RTAP_HEX32, "nswp.wps", "Write Protection State")

/* Of one NVM set: X(name, feature, dword of Set Features, first bit, width, shown as, filter name, label), and dword 0 of the response. */
#define NVME_SET_FEATURES(X) \
	X(recovery_set, 0x12, 11, 0, 16, RTAP_HEX32, "dword11.rrl.nvmsetid", "NVM Set Identifier") \
	X(recovery_level, 0x12, 12, 0, 4, RTAP_HEX32, "dword12.rrl.rrl", "Read Recovery Level") \
	X(latency_set, 0x13, 11, 0, 16, RTAP_HEX32, "dword11.plmc.nvmsetid", "NVM Set Identifier") \
	X(latency_enable, 0x13, 12, 0, 1, RTAP_BOOL, "dword12.plmc.ple", "Predictable Latency Enable") \
	X(window_set, 0x14, 11, 0, 16, RTAP_HEX32, "dword11.plmw.nvmsetid", "NVM Set Identifier") \
	X(window, 0x14, 12, 0, 3, RTAP_HEX32, "dword12.plmw.ws", "Window Select")
#define NVME_SET_FEATURE_RESULTS(X) \
	X(recovery_level, 0x12, 0, 4, RTAP_HEX32, "rrl.rrl", "Read Recovery Level") \
	X(latency_enable, 0x13, 0, 1, RTAP_HEX32, "plmc.ple", "Predictable Latency Enable") \
	X(window, 0x14, 0, 3, RTAP_HEX32, "plmw.ws", "Window Select")

/* The number of queues has other names in the command than in the response. */
#define NVME_FEATURE_QUEUES 0x07

static inline bool nvme_has_attributes(uint8_t feature)
{
#define NVME_IS_FEATURE(name, number, low, width, show, filter, label) feature == (number) ||
	return NVME_FEATURES(NVME_IS_FEATURE) NVME_SET_FEATURE_RESULTS(NVME_IS_FEATURE) feature == NVME_FEATURE_QUEUES;
#undef NVME_IS_FEATURE
}

/* Set Features has the value in dword 12, and Set and Get Features the NVM set in dword 11. */
static inline bool nvme_is_of_set(uint8_t feature)
{
	return feature >= 0x12 && feature <= 0x14;
}

#endif
