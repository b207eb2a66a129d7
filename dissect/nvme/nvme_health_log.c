/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of Get Log Page: state of the device, its endurance groups and NVM sets. Base, 5.16.1.
 */
#include "config.h"

#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_structure.h"

/* Base, 5.16.1.7. */
static const struct rtap_name test_names[] = { { 0, "none" }, { 1, "short" }, { 2, "extended" }, { 0xe, "vendor specific" }, { 0, NULL } };

static const struct rtap_field test_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.selftest.csto", "Current Self-test Operation", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.selftest.csto.st", "Operation", NVME_BITS(0, 0, 4), RTAP_HEX, test_names),
	NVME_RESERVED("nvme.cmd.get_logpage.selftest.rsvd0_4", NVME_BITS(0, 4, 4)),
	NVME_WHOLE("nvme.cmd.get_logpage.selftest.cstc", "Current Self-test Completion", NVME_BYTES(1, 1)),
	NVME_ROW("nvme.cmd.get_logpage.selftest.cstc.pcnt", "Completed (%)", NVME_BITS(1, 0, 7), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.selftest.rsvd1_7", NVME_BITS(1, 7, 1)),
	NVME_RESERVED("nvme.cmd.get_logpage.selftest.rsvd2", NVME_BYTES(2, 2)),
};

NVME_STRUCTURE(test_log, TEST_LOG, "nvme.cmd.get_logpage.selftest", "NVMe Device Self-test", "Base, 5.16.1.7", 4, PROTOCOL_NVME_TEST_RESULTS)

static const struct rtap_name test_result_names[] = {
	{ 0, "no error" }, { 1, "aborted by Device Self-test" }, { 2, "aborted by a reset" }, { 3, "aborted: namespace removed" },
	{ 4, "aborted by Format NVM" }, { 5, "fatal or unknown error" }, { 6, "failed in an unknown segment" }, { 7, "segments failed" },
	{ 8, "aborted" }, { 9, "aborted by Sanitize" }, { 0xf, "unused" }, { 0, NULL },
};
static const struct rtap_name test_code_names[] = { { 1, "short" }, { 2, "extended" }, { 0xe, "vendor specific" }, { 0, NULL } };

static const struct rtap_field test_results_fields[] = {
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.selftest.res.status", "Device Self-test Status", NVME_BYTES(0, 1)),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.status.result", "Result", NVME_BITS(0, 0, 4), RTAP_HEX, test_result_names),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.status.type", "Test", NVME_BITS(0, 4, 4), RTAP_HEX, test_code_names),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.sn", "Segment Number", NVME_BYTES(1, 1), RTAP_DEC, NULL),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.selftest.res.vdi", "Valid Diagnostic Information", NVME_BYTES(2, 1)),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.vdi.nsid", "Namespace Identifier Valid", NVME_BITS(2, 0, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.vdi.flba", "Failing LBA Valid", NVME_BITS(2, 1, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.vdi.sct", "Status Code Type Valid", NVME_BITS(2, 2, 1), RTAP_BOOL, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.vdi.sc", "Status Code Valid", NVME_BITS(2, 3, 1), RTAP_BOOL, NULL),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.selftest.res.rsvd2_4", NVME_BITS(2, 4, 4)),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.selftest.res.rsvd3", NVME_BYTES(3, 1)),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.poh", "Power On Hours", NVME_BYTES(4, 8), RTAP_DEC, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.nsid", "Namespace Identifier", NVME_BYTES(12, 4), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.flba", "Failing LBA", NVME_BYTES(16, 8), RTAP_HEX, NULL),
	NVME_EACH_WHOLE("nvme.cmd.get_logpage.selftest.res.sct", "Status Code Type", NVME_BYTES(24, 1)),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.sct.ai", "Type", NVME_BITS(24, 0, 3), RTAP_HEX, nvme_status_type_names),
	NVME_EACH_RESERVED("nvme.cmd.get_logpage.selftest.res.rsvd24_3", NVME_BITS(24, 3, 5)),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.sc", "Status Code", NVME_BYTES(25, 1), RTAP_HEX, NULL),
	NVME_EACH("nvme.cmd.get_logpage.selftest.res.vs", "Vendor Specific", NVME_BYTES(26, 2), RTAP_HEX, NULL),
};

NVME_ELEMENTS(test_results, TEST_RESULTS, "nvme.cmd.get_logpage.selftest.res", "NVMe Self-test Results", "Base, 5.16.1.7", 28, false)

#define COUNTER(name, label, at) { name, label, NVME_BYTES(at, 16), RTAP_BYTES, 0, NULL, NULL, NULL }

static const struct rtap_field endurance_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.egroup.cw", "Critical Warning", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.egroup.cw.asc", "Spare Capacity Below Threshold", NVME_BITS(0, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.egroup.rsvd0_1", NVME_BITS(0, 1, 1)),
	NVME_ROW("nvme.cmd.get_logpage.egroup.cw.rd", "Reliability Degraded", NVME_BITS(0, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.egroup.cw.ro", "All Namespaces Are Read-Only", NVME_BITS(0, 3, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.egroup.rsvd0_4", NVME_BITS(0, 4, 4)),
	NVME_WHOLE("nvme.cmd.get_logpage.egroup.egfeat", "Endurance Group Features", NVME_BYTES(1, 1)),
	NVME_ROW("nvme.cmd.get_logpage.egroup.egfeat.egrmedia", "Rotational Media", NVME_BITS(1, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.egroup.rsvd1_1", NVME_BITS(1, 1, 7)),
	NVME_RESERVED("nvme.cmd.get_logpage.egroup.rsvd2", NVME_BYTES(2, 1)),
	NVME_ROW("nvme.cmd.get_logpage.egroup.as", "Available Spare (%)", NVME_BYTES(3, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.egroup.ast", "Available Spare Threshold (%)", NVME_BYTES(4, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.egroup.pu", "Percentage Used", NVME_BYTES(5, 1), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.egroup.did", "Domain Identifier", NVME_BYTES(6, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.egroup.rsvd8", "Reserved", NVME_BYTES(8, 24), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	COUNTER("nvme.cmd.get_logpage.egroup.ee", "Endurance Estimate (GB)", 32),
	COUNTER("nvme.cmd.get_logpage.egroup.dur", "Data Units Read (GB)", 48),
	COUNTER("nvme.cmd.get_logpage.egroup.duw", "Data Units Written (GB)", 64),
	COUNTER("nvme.cmd.get_logpage.egroup.muw", "Media Units Written (GB)", 80),
	COUNTER("nvme.cmd.get_logpage.egroup.hrc", "Host Read Commands", 96),
	COUNTER("nvme.cmd.get_logpage.egroup.hwc", "Host Write Commands", 112),
	COUNTER("nvme.cmd.get_logpage.egroup.mdie", "Media and Data Integrity Errors", 128),
	COUNTER("nvme.cmd.get_logpage.egroup.ele", "Error Information Log Entries", 144),
	COUNTER("nvme.cmd.get_logpage.egroup.tegcap", "Total Capacity (bytes)", 160),
	COUNTER("nvme.cmd.get_logpage.egroup.uegcap", "Unallocated Capacity (bytes)", 176),
	{ "nvme.cmd.get_logpage.egroup.rsvd192", "Reserved", NVME_BYTES(192, 320), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(endurance_log, ENDURANCE_LOG, "nvme.cmd.get_logpage.egroup", "NVMe Endurance Group Information", "Base, 5.16.1.10", 512,
	PROTOCOL_PAYLOAD)

/* Base, 5.16.1.11. */
static const struct rtap_name window_names[] = { { 0, "none" }, { 1, "deterministic" }, { 2, "non-deterministic" }, { 0, NULL } };

static const struct rtap_field latency_log_fields[] = {
	NVME_WHOLE("nvme.cmd.get_logpage.pred_lat.status", "Status", NVME_BYTES(0, 1)),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.status.ws", "Window", NVME_BITS(0, 0, 3), RTAP_HEX, window_names),
	NVME_RESERVED("nvme.cmd.get_logpage.pred_lat.rsvd0_3", NVME_BITS(0, 3, 5)),
	NVME_RESERVED("nvme.cmd.get_logpage.pred_lat.rsvd1", NVME_BYTES(1, 1)),
	NVME_WHOLE("nvme.cmd.get_logpage.pred_lat.etype", "Event Type", NVME_BYTES(2, 2)),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.etype.rw", "Deterministic Window Reads Warning", NVME_BITS(2, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.etype.ww", "Deterministic Window Writes Warning", NVME_BITS(2, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.etype.tw", "Deterministic Window Time Warning", NVME_BITS(2, 2, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.pred_lat.rsvd2_3", NVME_BITS(2, 3, 11)),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.etype.atve", "Left the Window: Value Exceeded", NVME_BITS(3, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.etype.atde", "Left the Window: Deterministic Excursion", NVME_BITS(3, 7, 1), RTAP_BOOL, NULL),
	{ "nvme.cmd.get_logpage.pred_lat.rsvd4", "Reserved", NVME_BYTES(4, 28), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_rt", "Deterministic Window Reads, Typical (4 KiB)", NVME_BYTES(32, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_wt", "Deterministic Window Writes, Typical (optimal write size)", NVME_BYTES(40, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_tm", "Deterministic Window Time, Maximum (ms)", NVME_BYTES(48, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.ndwin_tmh", "Non-Deterministic Window Time, Minimum High (ms)", NVME_BYTES(56, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.ndwin_tml", "Non-Deterministic Window Time, Minimum Low (ms)", NVME_BYTES(64, 8), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.pred_lat.rsvd72", "Reserved", NVME_BYTES(72, 56), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_re", "Deterministic Window Reads, Estimate (4 KiB)", NVME_BYTES(128, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_we", "Deterministic Window Writes, Estimate (optimal write size)", NVME_BYTES(136, 8), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.pred_lat.dtwin_te", "Deterministic Window Time, Estimate (ms)", NVME_BYTES(144, 8), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.pred_lat.rsvd152", "Reserved", NVME_BYTES(152, 360), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(latency_log, LATENCY_LOG, "nvme.cmd.get_logpage.pred_lat", "NVMe Predictable Latency Per NVM Set", "Base, 5.16.1.11", 512,
	PROTOCOL_PAYLOAD)

/* Numbers of NVM sets or endurance groups with events, of which 0 is none. */
static const struct rtap_field latency_events_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.pred_lat_aggreg.ne", "Number of Entries", NVME_BYTES(0, 8), RTAP_DEC, NULL),
};
static const struct rtap_field latency_sets_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.pred_lat_aggreg.nset", "NVM Set Identifier", NVME_BYTES(0, 2), RTAP_HEX, NULL),
};
static const struct rtap_field endurance_events_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.egroup_agreg.ne", "Number of Entries", NVME_BYTES(0, 8), RTAP_DEC, NULL),
};
static const struct rtap_field endurance_groups_fields[] = {
	NVME_EACH("nvme.cmd.get_logpage.egroup_agreg.eg", "Endurance Group Identifier", NVME_BYTES(0, 2), RTAP_HEX, NULL),
};

NVME_STRUCTURE(latency_events, LATENCY_EVENTS, "nvme.cmd.get_logpage.pred_lat_aggreg", "NVMe Predictable Latency Event Aggregate", "Base, 5.16.1.12",
	8, PROTOCOL_NVME_LATENCY_SETS)
NVME_ELEMENTS(latency_sets, LATENCY_SETS, "nvme.cmd.get_logpage.pred_lat_aggreg.sets", "NVMe NVM Sets with Events", "Base, 5.16.1.12", 2, true)
NVME_STRUCTURE(endurance_events, ENDURANCE_EVENTS, "nvme.cmd.get_logpage.egroup_agreg", "NVMe Endurance Group Event Aggregate", "Base, 5.16.1.15",
	8, PROTOCOL_NVME_ENDURANCE_GROUPS)
NVME_ELEMENTS(endurance_groups, ENDURANCE_GROUPS, "nvme.cmd.get_logpage.egroup_agreg.groups", "NVMe Endurance Groups with Events",
	"Base, 5.16.1.15", 2, true)

static const struct rtap_field rotational_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.rotational.endgid", "Endurance Group Identifier", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.rotational.numa", "Number of Actuators", NVME_BYTES(2, 2), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.rotational.nrs", "Nominal Rotational Speed (rpm)", NVME_BYTES(4, 2), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.rotational.rsvd6", NVME_BYTES(6, 2)),
	NVME_ROW("nvme.cmd.get_logpage.rotational.spinc", "Spinup Count", NVME_BYTES(8, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.rotational.fspinc", "Failed Spinup Count", NVME_BYTES(12, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.rotational.ldc", "Load Count", NVME_BYTES(16, 4), RTAP_DEC, NULL),
	NVME_ROW("nvme.cmd.get_logpage.rotational.fldc", "Failed Load Count", NVME_BYTES(20, 4), RTAP_DEC, NULL),
	{ "nvme.cmd.get_logpage.rotational.rsvd24", "Reserved", NVME_BYTES(24, 488), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(rotational_log, ROTATIONAL_LOG, "nvme.cmd.get_logpage.rotational", "NVMe Rotational Media Information", "Base, 5.16.1.22", 512,
	PROTOCOL_PAYLOAD)

/* Base, 5.16.1.25. */
static const struct rtap_name sanitize_names[] = {
	{ 0, "never sanitized" }, { 1, "completed" }, { 2, "in progress" }, { 3, "failed" },
	{ 4, "completed, deallocated after No-Deallocate" }, { 0, NULL },
};

static const struct rtap_field sanitize_log_fields[] = {
	NVME_ROW("nvme.cmd.get_logpage.sanitize.sprog", "Progress (of 65,536)", NVME_BYTES(0, 2), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.get_logpage.sanitize.sstat", "Status", NVME_BYTES(2, 2)),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.sstat.mrst", "Most Recent Operation", NVME_BITS(2, 0, 3), RTAP_HEX16, sanitize_names),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.sstat.cop", "Completed Overwrite Passes", NVME_BITS(2, 3, 5), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.sstat.gde", "Global Data Erased", NVME_BITS(3, 0, 1), RTAP_BOOL, NULL),
	NVME_RESERVED("nvme.cmd.get_logpage.sanitize.rsvd3_1", NVME_BITS(3, 1, 7)),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.scdw10", "Dword 10 of Sanitize", NVME_BYTES(4, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.eto", "Estimated Time for Overwrite (s)", NVME_BYTES(8, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.etbe", "Estimated Time for Block Erase (s)", NVME_BYTES(12, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.etce", "Estimated Time for Crypto Erase (s)", NVME_BYTES(16, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.etond", "Estimated Time for Overwrite, No-Deallocate (s)", NVME_BYTES(20, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.etbend", "Estimated Time for Block Erase, No-Deallocate (s)", NVME_BYTES(24, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.get_logpage.sanitize.etcend", "Estimated Time for Crypto Erase, No-Deallocate (s)", NVME_BYTES(28, 4), RTAP_HEX, NULL),
	{ "nvme.cmd.get_logpage.sanitize.rsvd32", "Reserved", NVME_BYTES(32, 480), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(sanitize_log, SANITIZE_LOG, "nvme.cmd.get_logpage.sanitize", "NVMe Sanitize Status", "Base, 5.16.1.25", 512, PROTOCOL_PAYLOAD)
