/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes that all management classes share. IBTA vol. 1, 13.4.8.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

static const struct rtap_name notice_types[] = {
	{ 0, "fatal" }, { 1, "urgent" }, { 2, "security" }, { 3, "subnet management" }, { 4, "informational" }, { 127, "empty" }, { 0, NULL },
};

#define ROW(name, label, at, width, show) { name, label, at, width, RTAP_##show, 0, NULL, NULL, NULL }
/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }
#define UNIT_NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, RTAP_REPEATS, names, NULL, NULL }

static const struct rtap_field class_port_info_fields[] = {
	ROW("infiniband.classportinfo.baseversion", "BaseVersion", 0, 8, HEX),
	ROW("infiniband.classportinfo.classversion", "ClassVersion", 8, 8, HEX),
	ROW("infiniband.classportinfo.capabilitymask", "CapabilityMask", 16, 16, HEX),
	ROW("infiniband.classportinfo.capabilitymask2", "CapabilityMask2", 32, 27, HEX),
	{ "infiniband.classportinfo.resptimevalue", "RespTimeValue", 59, 5, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	ROW("infiniband.classportinfo.redirectgid", "RedirectGID", 64, 128, IPV6),
	ROW("infiniband.classportinfo.redirecttc", "RedirectTC", 192, 8, HEX),
	ROW("infiniband.classportinfo.redirectsl", "RedirectSL", 200, 4, HEX),
	ROW("infiniband.classportinfo.redirectfl", "RedirectFL", 204, 20, HEX),
	{ "infiniband.classportinfo.redirectlid", "RedirectLID", 224, 16, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	ROW("infiniband.classportinfo.redirectpkey", "RedirectP_Key", 240, 16, HEX),
	ROW("infiniband.classportinfo.reserved", "Reserved", 256, 8, HEX),
	ROW("infiniband.classportinfo.redirectqp", "RedirectQP", 264, 24, HEX),
	{ "infiniband.classportinfo.redirectqkey", "RedirectQ_Key", 288, 32, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	ROW("infiniband.classportinfo.trapgid", "TrapGID", 320, 128, IPV6),
	ROW("infiniband.classportinfo.traptc", "TrapTC", 448, 8, HEX),
	ROW("infiniband.classportinfo.trapsl", "TrapSL", 456, 4, HEX),
	ROW("infiniband.classportinfo.trapfl", "TrapFL", 460, 20, HEX),
	{ "infiniband.classportinfo.traplid", "TrapLID", 480, 16, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	ROW("infiniband.classportinfo.trappkey", "TrapP_Key", 496, 16, HEX),
	ROW("infiniband.classportinfo.traphl", "TrapHL", 512, 8, HEX),
	ROW("infiniband.classportinfo.trapqp", "TrapQP", 520, 24, HEX),
	{ "infiniband.classportinfo.trapqkey", "TrapQ_Key", 544, 32, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field notice_fields[] = {
	UNIT("infiniband.notice.isgeneric", "IsGeneric", 0, 1, HEX),
	UNIT_NAMED("infiniband.notice.type", "Type", 1, 7, HEX, notice_types),
	UNIT("infiniband.notice.producertypevendorid", "ProducerTypeVendorID", 8, 24, HEX),
	UNIT("infiniband.notice.trapnumberdeviceid", "TrapNumberDeviceID", 32, 16, HEX),
	{ "infiniband.notice.issuerlid", "IssuerLID", 48, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.notice.noticetoggle", "NoticeToggle", 64, 1, HEX),
	UNIT("infiniband.notice.noticecount", "NoticeCount", 65, 15, HEX),
	UNIT("infiniband.notice.datadetails", "DataDetails", 80, 432, BYTES),
};

static const struct rtap_field notice_issuer_fields[] = {
	UNIT("infiniband.notice.issuergid", "IssuerGID", 0, 128, IPV6),
};

static const struct rtap_field inform_info_fields[] = {
	UNIT("infiniband.informinfo.gid", "GID", 0, 128, IPV6),
	{ "infiniband.informinfo.lidrangebegin", "LIDRangeBegin", 128, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.informinfo.lidrangeend", "LIDRangeEnd", 144, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.informinfo.reserved0", "Reserved", 160, 16, HEX),
	UNIT("infiniband.informinfo.isgeneric", "IsGeneric", 176, 8, HEX),
	UNIT("infiniband.informinfo.subscribe", "Subscribe", 184, 8, HEX),
	UNIT("infiniband.informinfo.type", "Type", 192, 16, HEX),
	UNIT("infiniband.informinfo.trapnumberdeviceid", "TrapNumberDeviceID", 208, 16, HEX),
	{ "infiniband.informinfo.qpn", "QPN", 224, 24, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.informinfo.reserved1", "Reserved", 248, 3, HEX),
	{ "infiniband.informinfo.resptimevalue", "RespTimeValue", 251, 5, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.informinfo.reserved2", "Reserved", 256, 8, HEX),
	UNIT("infiniband.informinfo.producertypevendorid", "ProducerTypeVendorID", 264, 24, HEX),
};

MAD_PART(class_port_info_protocol, "infiniband.classportinfo", "ClassPortInfo",
	 "IBTA vol. 1, 13.4.8.1", 72, class_port_info_fields)
MAD_PART(notice_protocol, "infiniband.notice", "Notice", "IBTA vol. 1, 13.4.8.2", 64, notice_fields)
MAD_PART(notice_issuer_protocol, "infiniband.notice.issuer", "Notice Issuer", "IBTA vol. 1, 13.4.8.2", 16, notice_issuer_fields)
MAD_PART(inform_info_protocol, "infiniband.informinfo", "InformInfo", "IBTA vol. 1, 13.4.8.3", 36, inform_info_fields)
