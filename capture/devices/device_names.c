/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of device and port values.
 */
#include "config.h"

#include <rdmatap/device.h>

/* The name at an index of a table, NULL beyond its end. */
static const char *name_at(const char *const *names, size_t count, uint64_t index)
{
	return index < count ? names[index] : NULL;
}

#define NAME_AT(names, index) name_at(names, sizeof(names) / sizeof *(names), index)

/* IBTA vol. 1, 14.2.5.3; from 4 on Linux: include/rdma/ib_verbs.h, enum rdma_node_type */
const char *rtap_node_type_name(uint64_t node_type)
{
	static const char *const names[] = { NULL, "CA", "switch", "router", "RNIC", "usNIC", "usNIC UDP", "unspecified" };

	return NAME_AT(names, node_type);
}

/* IBTA vol. 1, 14.2.5.6, PortState; 5: Linux */
const char *rtap_port_state_name(uint64_t state)
{
	static const char *const names[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER" };

	return NAME_AT(names, state);
}

/* IBTA vol. 1, 14.2.5.6, PortPhysicalState */
const char *rtap_physical_state_name(uint64_t state)
{
	static const char *const names[] = {
		NULL, "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "PhyTest",
	};

	return NAME_AT(names, state);
}

const char *rtap_device_transport_name(enum rtap_device_transport transport)
{
	static const char *const names[] = {
		[RTAP_DEVICE_INFINIBAND] = "InfiniBand", [RTAP_DEVICE_ROCE] = "RoCE",
		[RTAP_DEVICE_IWARP] = "iWARP", [RTAP_DEVICE_MIXED] = "mixed",
	};

	return NAME_AT(names, transport);
}

const char *rtap_gid_type_name(enum rtap_gid_type type)
{
	static const char *const names[] = {
		[RTAP_GID_INFINIBAND] = "InfiniBand", [RTAP_GID_ROCE_V1] = "RoCE v1", [RTAP_GID_ROCE_V2] = "RoCE v2",
	};

	return NAME_AT(names, type);
}

/* enum rtap_verbs_capability */
const char *rtap_verbs_capability_name(unsigned bit)
{
	static const char *const names[] = {
		"managed flow steering", "C-VLAN stripping", "scatter FCS", "IP checksum", "delay drop", "time stamps",
	};

	return NAME_AT(names, bit);
}

/* IBTA vol. 1, 14.2.5.6, CapabilityMask */
const char *rtap_capability_name(unsigned bit)
{
	static const char *const names[] = {
		[1] = "IsSM", [2] = "IsNoticeSupported", [3] = "IsTrapSupported", [4] = "IsOptionalIPDSupported",
		[5] = "IsAutomaticMigrationSupported", [6] = "IsSLMappingSupported", [7] = "IsMKeyNVRAM", [8] = "IsPKeyNVRAM",
		[9] = "IsLEDInfoSupported", [10] = "IsSMdisabled", [11] = "IsSystemImageGUIDSupported",
		[12] = "IsPKeySwitchExternalPortTrapSupported", [14] = "IsExtendedSpeedsSupported",
		[15] = "IsCapabilityMask2Supported", [16] = "IsCommunicationManagementSupported",
		[17] = "IsSNMPTunnelingSupported", [18] = "IsReinitSupported", [19] = "IsDeviceManagementSupported",
		[20] = "IsVendorClassSupported", [21] = "IsDRNoticeSupported", [22] = "IsCapabilityMaskNoticeSupported",
		[23] = "IsBootManagementSupported", [24] = "IsLinkRoundTripLatencySupported",
		[25] = "IsClientReregistrationSupported", [26] = "IsOtherLocalChangesNoticeSupported",
		[27] = "IsLinkSpeedWidthPairsTableSupported", [28] = "IsVendorSpecificMadsTableSupported",
		[29] = "IsMcastPkeyTrapSuppressionSupported", [30] = "IsMulticastFDBTopSupported", [31] = "IsHierarchyInfoSupported",
	};

	return NAME_AT(names, bit);
}
