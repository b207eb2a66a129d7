/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of device management. IBTA vol. 1, 16.3.3.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

#define ROW(name, label, at, width, show) { name, label, at, width, RTAP_##show, 0, NULL, NULL, NULL }
/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }

static const struct rtap_field io_unit_info_fields[] = {
	{ "infiniband.dm.iounitinfo.changeid", "Change_ID", 0, 16, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	ROW("infiniband.dm.iounitinfo.maxcontrollers", "Max Controllers", 16, 8, DEC),
	ROW("infiniband.dm.iounitinfo.reserved0", "Reserved", 24, 6, HEX),
	ROW("infiniband.dm.iounitinfo.diagdeviceid", "Diag Device ID", 30, 1, HEX),
	ROW("infiniband.dm.iounitinfo.optionrom", "Option ROM", 31, 1, HEX),
	ROW("infiniband.dm.iounitinfo.controllerlist", "Controller List", 32, 1024, BYTES),
};

static bool derive_idstring(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return mad_derive_text(packet, layer, value, 64, 64);
}

static const struct rtap_field io_controller_profile_fields[] = {
	{ "infiniband.dm.iocontrollerprofile.guid", "GUID", 0, 64, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	ROW("infiniband.dm.iocontrollerprofile.vendorid", "VendorID", 64, 24, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved0", "Reserved", 88, 8, HEX),
	ROW("infiniband.dm.iocontrollerprofile.deviceid", "DeviceID", 96, 32, HEX),
	ROW("infiniband.dm.iocontrollerprofile.deviceversion", "Device Version", 128, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved1", "Reserved", 144, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.subsystemvendorid", "Subsystem VendorID", 160, 24, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved2", "Reserved", 184, 8, HEX),
	ROW("infiniband.dm.iocontrollerprofile.subsystemid", "SubsystemID", 192, 32, HEX),
	ROW("infiniband.dm.iocontrollerprofile.ioclass", "IO Class", 224, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.iosubclass", "IO Subclass", 240, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.protocol", "Protocol", 256, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.protocolversion", "Protocol Version", 272, 16, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved3", "Reserved", 288, 32, HEX),
	ROW("infiniband.dm.iocontrollerprofile.sendmessagedepth", "Send Message Queue Depth", 320, 16, DEC),
	ROW("infiniband.dm.iocontrollerprofile.reserved4", "Reserved", 336, 8, HEX),
	ROW("infiniband.dm.iocontrollerprofile.rdmareaddepth", "RDMA Read Queue Depth", 344, 8, DEC),
	ROW("infiniband.dm.iocontrollerprofile.sendmessagesize", "Send Message Size", 352, 32, DEC),
	ROW("infiniband.dm.iocontrollerprofile.rdmatransfersize", "RDMA Transfer Size", 384, 32, DEC),
	ROW("infiniband.dm.iocontrollerprofile.controlleroperations", "Controller Operations Capability Mask", 416, 8, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved5", "Reserved", 424, 8, HEX),
	ROW("infiniband.dm.iocontrollerprofile.serviceentries", "Service Entries", 432, 8, DEC),
	ROW("infiniband.dm.iocontrollerprofile.reserved6", "Reserved", 440, 64, HEX),
	ROW("infiniband.dm.iocontrollerprofile.reserved7", "Reserved", 504, 8, HEX),
	{ "infiniband.dm.iocontrollerprofile.idstring", "ID String", 512, 512, RTAP_TEXT, 0, NULL, derive_idstring, NULL },
};

static bool derive_servicename(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return mad_derive_text(packet, layer, value, 0, 40);
}

static const struct rtap_field service_entry_fields[] = {
	{ "infiniband.dm.serviceentry.servicename", "Service Name", 0, 320, RTAP_TEXT, RTAP_REPEATS, NULL, derive_servicename, NULL },
	UNIT("infiniband.dm.serviceentry.serviceid", "Service ID", 320, 64, HEX),
};

MAD_PART(io_unit_info_protocol, "infiniband.dm.iounitinfo", "IOUnitInfo", "IBTA vol. 1, 16.3.3.3", 132, io_unit_info_fields)
MAD_PART(io_controller_profile_protocol, "infiniband.dm.iocontrollerprofile", "IOControllerProfile",
	 "IBTA vol. 1, 16.3.3.4", 128, io_controller_profile_fields)
MAD_PART(service_entry_protocol, "infiniband.dm.serviceentry", "ServiceEntry", "IBTA vol. 1, 16.3.3.5", 48, service_entry_fields)
