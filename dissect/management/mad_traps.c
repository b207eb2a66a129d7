/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data details of subnet traps, after the fixed part of the notice. IBTA vol. 1, 14.2.5.1; 68 and 69: 15.2.5.14.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"

/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }

static const struct rtap_field trap_gid_fields[] = {
	UNIT("infiniband.trap.gid.reserved0", "Reserved", 0, 48, HEX),
	UNIT("infiniband.trap.gidaddr", "GIDADDR", 48, 128, IPV6),
	UNIT("infiniband.trap.gid.reserved1", "Reserved", 176, 256, BYTES),
};

static const struct rtap_field trap_path_fields[] = {
	UNIT("infiniband.trap.comp_mask", "COMP_MASK", 0, 64, HEX),
	UNIT("infiniband.trap.wait_for_repath", "WAIT_FOR_REPATH", 64, 1, HEX),
	UNIT("infiniband.trap.path.reserved0", "Reserved", 65, 7, HEX),
	UNIT("infiniband.trap.path_rec", "PATH_REC", 72, 360, BYTES),
};

static const struct rtap_field trap_switch_fields[] = {
	{ "infiniband.trap.lidaddr", "LIDADDR", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.switch.reserved0", "Reserved", 16, 416, BYTES),
};

static const struct rtap_field trap_port_fields[] = {
	UNIT("infiniband.trap.port.reserved0", "Reserved", 0, 16, HEX),
	{ "infiniband.trap.lidaddr", "LIDADDR", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.portno", "PORTNO", 32, 8, HEX),
	UNIT("infiniband.trap.port.reserved1", "Reserved", 40, 392, BYTES),
};

static const struct rtap_field trap_change_fields[] = {
	UNIT("infiniband.trap.change.reserved0", "Reserved", 0, 16, HEX),
	{ "infiniband.trap.lidaddr", "LIDADDR", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.change.reserved1", "Reserved", 32, 8, HEX),
	UNIT("infiniband.trap.change.reserved2", "Reserved", 40, 7, HEX),
	UNIT("infiniband.trap.otherlocalchanges", "OtherLocalChanges", 47, 1, HEX),
	UNIT("infiniband.trap.capabilitymask", "CAPABILITYMASK", 48, 32, HEX),
	UNIT("infiniband.trap.change.reserved3", "Reserved", 80, 8, HEX),
	UNIT("infiniband.trap.change.reserved4", "Reserved", 88, 5, HEX),
	UNIT("infiniband.trap.linkspeecenabledchange", "LinkSpeedEnabledChange", 93, 1, HEX),
	UNIT("infiniband.trap.linkwidthenabledchange", "LinkWidthEnabledChange", 94, 1, HEX),
	UNIT("infiniband.trap.nodedescriptionchange", "NodeDescriptionChange", 95, 1, HEX),
	UNIT("infiniband.trap.change.reserved5", "Reserved", 96, 336, BYTES),
};

static const struct rtap_field trap_image_fields[] = {
	UNIT("infiniband.trap.image.reserved0", "Reserved", 0, 16, HEX),
	{ "infiniband.trap.lidaddr", "LIDADDR", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.image.reserved1", "Reserved", 32, 16, HEX),
	{ "infiniband.trap.systemimageguid", "SYSTEMIMAGEGUID", 48, 64, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.image.reserved2", "Reserved", 112, 320, BYTES),
};

static const struct rtap_field trap_m_key_fields[] = {
	UNIT("infiniband.trap.bad_m_key.reserved0", "Reserved", 0, 16, HEX),
	{ "infiniband.trap.lidaddr", "LIDADDR", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.trap.drslid", "DRSLID", 32, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.method", "METHOD", 48, 8, HEX),
	UNIT("infiniband.trap.bad_m_key.reserved1", "Reserved", 56, 8, HEX),
	UNIT("infiniband.trap.attributeid", "ATTRIBUTEID", 64, 16, HEX),
	UNIT("infiniband.trap.attributemodifier", "ATTRIBUTEMODIFIER", 80, 32, HEX),
	UNIT("infiniband.trap.mkey", "MKEY", 112, 64, HEX),
	UNIT("infiniband.trap.bad_m_key.reserved2", "Reserved", 176, 8, HEX),
	UNIT("infiniband.trap.drnotice", "DRNotice", 184, 1, HEX),
	UNIT("infiniband.trap.drpathtruncated", "DRPathTruncated", 185, 1, HEX),
	UNIT("infiniband.trap.drhopcount", "DRHopCount", 186, 6, HEX),
	UNIT("infiniband.trap.drnoticereturnpath", "DRNoticeReturnPath", 192, 240, BYTES),
};

static const struct rtap_field trap_keys_fields[] = {
	UNIT("infiniband.trap.bad_key.reserved0", "Reserved", 0, 16, HEX),
	{ "infiniband.trap.lidaddr1", "LIDADDR1", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.trap.lidaddr2", "LIDADDR2", 32, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.key", "KEY", 48, 32, HEX),
	UNIT("infiniband.trap.sl", "SL", 80, 4, HEX),
	UNIT("infiniband.trap.bad_key.reserved1", "Reserved", 84, 4, HEX),
	UNIT("infiniband.trap.qp1", "QP1", 88, 24, HEX),
	UNIT("infiniband.trap.bad_key.reserved2", "Reserved", 112, 8, HEX),
	UNIT("infiniband.trap.qp2", "QP2", 120, 24, HEX),
	UNIT("infiniband.trap.gidaddr1", "GIDADDR1", 144, 128, IPV6),
	UNIT("infiniband.trap.gidaddr2", "GIDADDR2", 272, 128, IPV6),
	UNIT("infiniband.trap.bad_key.reserved3", "Reserved", 400, 32, HEX),
};

static const struct rtap_field trap_switch_key_fields[] = {
	{ "infiniband.trap.datavalid", "DataValid", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.trap.lidaddr1", "LIDADDR1", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.trap.lidaddr2", "LIDADDR2", 32, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.pkey", "PKEY", 48, 16, HEX),
	UNIT("infiniband.trap.sl", "SL", 64, 4, HEX),
	UNIT("infiniband.trap.bad_switch_key.reserved0", "Reserved", 68, 4, HEX),
	UNIT("infiniband.trap.qp1", "QP1", 72, 24, HEX),
	UNIT("infiniband.trap.bad_switch_key.reserved1", "Reserved", 96, 8, HEX),
	UNIT("infiniband.trap.qp2", "QP2", 104, 24, HEX),
	UNIT("infiniband.trap.gidaddr1", "GIDADDR1", 128, 128, IPV6),
	UNIT("infiniband.trap.gidaddr2", "GIDADDR2", 256, 128, IPV6),
	{ "infiniband.trap.swlidaddr", "SWLIDADDR", 384, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.trap.portno", "PORTNO", 400, 8, HEX),
	UNIT("infiniband.trap.bad_switch_key.reserved2", "Reserved", 408, 24, HEX),
};

MAD_PART(trap_gid_protocol, "infiniband.trap.gid", "Trap Data, GID", "IBTA vol. 1, 14.2.5.1", 54, trap_gid_fields)
MAD_PART(trap_path_protocol, "infiniband.trap.path", "Trap Data, Path", "IBTA vol. 1, 15.2.5.14", 54, trap_path_fields)
MAD_PART(trap_switch_protocol, "infiniband.trap.switch", "Trap Data, Switch", "IBTA vol. 1, 14.2.5.1", 54, trap_switch_fields)
MAD_PART(trap_port_protocol, "infiniband.trap.port", "Trap Data, Port", "IBTA vol. 1, 14.2.5.1", 54, trap_port_fields)
MAD_PART(trap_change_protocol, "infiniband.trap.change", "Trap Data, Local Change",
	 "IBTA vol. 1, 14.2.5.1", 54, trap_change_fields)
MAD_PART(trap_image_protocol, "infiniband.trap.image", "Trap Data, SystemImageGUID",
	 "IBTA vol. 1, 14.2.5.1", 54, trap_image_fields)
MAD_PART(trap_m_key_protocol, "infiniband.trap.bad_m_key", "Trap Data, M_Key", "IBTA vol. 1, 14.2.5.1", 54, trap_m_key_fields)
MAD_PART(trap_keys_protocol, "infiniband.trap.bad_key", "Trap Data, P_Key or Q_Key",
	 "IBTA vol. 1, 14.2.5.1", 54, trap_keys_fields)
MAD_PART(trap_switch_key_protocol, "infiniband.trap.bad_switch_key", "Trap Data, P_Key at a Switch",
	 "IBTA vol. 1, 14.2.5.1", 54, trap_switch_key_fields)
