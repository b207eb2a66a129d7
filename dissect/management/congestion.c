/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion control: header and attributes. IBTA vol. 1, annex A10.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/engine/parse.h"

static const struct rtap_name log_types[] = {
	{ 1, "switch" }, { 2, "channel adapter" }, { 0, NULL },
};

#define ROW(name, label, at, width, show) { name, label, at, width, RTAP_##show, 0, NULL, NULL, NULL }
#define NAMED(name, label, at, width, show, names) { name, label, at, width, RTAP_##show, 0, names, NULL, NULL }
/* Rows of headers that may occur several times in a MAD */
#define UNIT(name, label, at, width, show) { name, label, at, width, RTAP_##show, RTAP_REPEATS, NULL, NULL, NULL }

static const struct rtap_field congestion_control_fields[] = {
	ROW("infiniband.cc.cc_key", "CC_Key", 0, 64, HEX),
	ROW("infiniband.cc.log_data", "Congestion Log Data", 64, 256, BYTES),
};

static const struct rtap_field congestion_info_fields[] = {
	ROW("infiniband.cc.congestioninfo.congestioninfo", "CongestionInfo", 0, 16, HEX),
	ROW("infiniband.cc.congestioninfo.controltablecap", "ControlTableCap", 16, 8, DEC),
	ROW("infiniband.cc.congestioninfo.reserved0", "Reserved", 24, 8, HEX),
};

static const struct rtap_field congestion_key_info_fields[] = {
	ROW("infiniband.cc.congestionkeyinfo.cc_key", "CC_Key", 0, 64, HEX),
	ROW("infiniband.cc.congestionkeyinfo.cc_keyprotectbit", "CC_KeyProtectBit", 64, 1, HEX),
	ROW("infiniband.cc.congestionkeyinfo.reserved0", "Reserved", 65, 15, HEX),
	ROW("infiniband.cc.congestionkeyinfo.cc_keyleaseperiod", "CC_KeyLeasePeriod", 80, 16, DEC),
	ROW("infiniband.cc.congestionkeyinfo.cc_keyviolations", "CC_KeyViolations", 96, 16, DEC),
};

static const struct rtap_field congestion_log_switch_fields[] = {
	NAMED("infiniband.cc.log.logtype", "LogType", 0, 8, DEC, log_types),
	ROW("infiniband.cc.log.congestionflags", "CongestionFlags", 8, 8, HEX),
	ROW("infiniband.cc.log.logeventscounter", "LogEventsCounter", 16, 16, DEC),
	{ "infiniband.cc.log.currenttimestamp", "CurrentTimeStamp", 32, 32, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	ROW("infiniband.cc.log.portmap", "PortMap", 64, 256, BYTES),
};

static const struct rtap_field congestion_event_switch_fields[] = {
	{ "infiniband.cc.log.switch.event.slid", "SLID", 0, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cc.log.switch.event.dlid", "DLID", 16, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	UNIT("infiniband.cc.log.switch.event.sl", "SL", 32, 4, DEC),
	UNIT("infiniband.cc.log.switch.event.reserved0", "Reserved", 36, 28, HEX),
	{ "infiniband.cc.log.switch.event.timestamp", "Timestamp", 64, 32, RTAP_DEC, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field congestion_log_ca_fields[] = {
	NAMED("infiniband.cc.log.logtype", "LogType", 0, 8, DEC, log_types),
	ROW("infiniband.cc.log.congestionflags", "CongestionFlags", 8, 8, HEX),
	ROW("infiniband.cc.log.thresholdeventcounter", "ThresholdEventCounter", 16, 16, DEC),
	ROW("infiniband.cc.log.thresholdcongestioneventmap", "ThresholdCongestionEventMap", 32, 16, HEX),
	ROW("infiniband.cc.log.ca.reserved0", "Reserved", 48, 16, HEX),
	{ "infiniband.cc.log.currenttimestamp", "CurrentTimeStamp", 64, 32, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field congestion_event_ca_fields[] = {
	UNIT("infiniband.cc.log.ca.event.localqp", "Local_QP_CN_Entry", 0, 24, HEX),
	UNIT("infiniband.cc.log.ca.event.sl", "SL_CN_Entry", 24, 4, DEC),
	UNIT("infiniband.cc.log.ca.event.servicetype", "Service_Type_CN_Entry", 28, 4, DEC),
	UNIT("infiniband.cc.log.ca.event.remoteqp", "Remote_QP_Number_CN_Entry", 32, 24, HEX),
	UNIT("infiniband.cc.log.ca.event.reserved0", "Reserved", 56, 8, HEX),
	{ "infiniband.cc.log.ca.event.locallid", "Local_LID_CN", 64, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cc.log.ca.event.remotelid", "Remote_LID_CN_Entry", 80, 16, RTAP_HEX, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cc.log.ca.event.timestamp", "Timestamp_CN_Entry", 96, 32, RTAP_DEC, RTAP_REPEATS | RTAP_IGNORED, NULL, NULL, NULL },
};

static const struct rtap_field switch_congestion_setting_fields[] = {
	ROW("infiniband.cc.switchsetting.controlmap", "Control_Map", 0, 32, HEX),
	ROW("infiniband.cc.switchsetting.victimmask", "Victim_Mask", 32, 256, BYTES),
	ROW("infiniband.cc.switchsetting.creditmask", "Credit_Mask", 288, 256, BYTES),
	ROW("infiniband.cc.switchsetting.threshold", "Threshold", 544, 4, DEC),
	ROW("infiniband.cc.switchsetting.reserved0", "Reserved", 548, 4, HEX),
	ROW("infiniband.cc.switchsetting.packetsize", "Packet_Size", 552, 8, DEC),
	ROW("infiniband.cc.switchsetting.csthreshold", "CS_Threshold", 560, 4, DEC),
	ROW("infiniband.cc.switchsetting.reserved1", "Reserved", 564, 12, HEX),
	ROW("infiniband.cc.switchsetting.csreturndelay", "CS_ReturnDelay", 576, 16, HEX),
	ROW("infiniband.cc.switchsetting.markingrate", "Marking_Rate", 592, 16, DEC),
};

static const struct rtap_field switch_port_congestion_setting_fields[] = {
	{ "infiniband.cc.switchportsetting.valid", "Valid", 0, 1, RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.cc.switchportsetting.controltype", "Control_Type", 1, 1, HEX),
	UNIT("infiniband.cc.switchportsetting.reserved0", "Reserved", 2, 2, HEX),
	UNIT("infiniband.cc.switchportsetting.threshold", "Threshold", 4, 4, DEC),
	UNIT("infiniband.cc.switchportsetting.packetsize", "Packet_Size", 8, 8, DEC),
	UNIT("infiniband.cc.switchportsetting.markingrate", "Cong_Parm_Marking_Rate", 16, 16, DEC),
};

static const struct rtap_field ca_congestion_setting_fields[] = {
	ROW("infiniband.cc.casetting.portcontrol", "Port_Control", 0, 16, HEX),
	ROW("infiniband.cc.casetting.controlmap", "Control_Map", 16, 16, HEX),
};

static const struct rtap_field ca_congestion_entry_fields[] = {
	{ "infiniband.cc.casetting.entry.cctitimer", "CCTI_Timer", 0, 16, RTAP_DEC, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	UNIT("infiniband.cc.casetting.entry.cctiincrease", "CCTI_Increase", 16, 8, DEC),
	UNIT("infiniband.cc.casetting.entry.triggerthreshold", "Trigger_Threshold", 24, 8, DEC),
	UNIT("infiniband.cc.casetting.entry.cctimin", "CCTI_Min", 32, 8, DEC),
	UNIT("infiniband.cc.casetting.entry.reserved0", "Reserved", 40, 24, HEX),
};

static const struct rtap_field congestion_control_table_fields[] = {
	ROW("infiniband.cc.table.cctilimit", "CCTI_Limit", 0, 16, DEC),
	ROW("infiniband.cc.table.reserved0", "Reserved", 16, 16, HEX),
};

static const struct rtap_field congestion_table_entry_fields[] = {
	UNIT("infiniband.cc.table.entry.shift", "CCT_Shift", 0, 2, DEC),
	UNIT("infiniband.cc.table.entry.multiplier", "CCT_Multiplier", 2, 14, DEC),
};

static const struct rtap_field congestion_time_stamp_fields[] = {
	{ "infiniband.cc.timestamp.value", "TimeStamp", 0, 32, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
};

MAD_PART(congestion_info_protocol, "infiniband.cc.congestioninfo", "CongestionInfo",
	 "IBTA vol. 1, A10.4.3.3", 4, congestion_info_fields)
MAD_PART(congestion_key_info_protocol, "infiniband.cc.congestionkeyinfo", "CongestionKeyInfo",
	 "IBTA vol. 1, A10.4.3.4", 14, congestion_key_info_fields)
MAD_PART(congestion_log_switch_protocol, "infiniband.cc.log.switch", "CongestionLog of a Switch",
	 "IBTA vol. 1, A10.4.3.5", 40, congestion_log_switch_fields)
MAD_PART(congestion_event_switch_protocol, "infiniband.cc.log.switch.event", "CongestionLogEvent of a Switch",
	 "IBTA vol. 1, A10.4.3.5", 12, congestion_event_switch_fields)
MAD_PART(congestion_log_ca_protocol, "infiniband.cc.log.ca", "CongestionLog of a Channel Adapter",
	 "IBTA vol. 1, A10.4.3.5", 12, congestion_log_ca_fields)
MAD_PART(congestion_event_ca_protocol, "infiniband.cc.log.ca.event", "CongestionLogEvent of a Channel Adapter",
	 "IBTA vol. 1, A10.4.3.5", 16, congestion_event_ca_fields)
MAD_PART(switch_congestion_setting_protocol, "infiniband.cc.switchsetting", "SwitchCongestionSetting",
	 "IBTA vol. 1, A10.4.3.6", 76, switch_congestion_setting_fields)
MAD_PART(switch_port_congestion_setting_protocol, "infiniband.cc.switchportsetting", "SwitchPortCongestionSetting",
	 "IBTA vol. 1, A10.4.3.7", 4, switch_port_congestion_setting_fields)
MAD_PART(ca_congestion_setting_protocol, "infiniband.cc.casetting", "CACongestionSetting",
	 "IBTA vol. 1, A10.4.3.8", 4, ca_congestion_setting_fields)
MAD_PART(ca_congestion_entry_protocol, "infiniband.cc.casetting.entry", "CACongestionEntry",
	 "IBTA vol. 1, A10.4.3.8", 8, ca_congestion_entry_fields)
MAD_PART(congestion_control_table_protocol, "infiniband.cc.table", "CongestionControlTable",
	 "IBTA vol. 1, A10.4.3.9", 4, congestion_control_table_fields)
MAD_PART(congestion_table_entry_protocol, "infiniband.cc.table.entry", "CongestionControlTable Entry",
	 "IBTA vol. 1, A10.4.3.9", 2, congestion_table_entry_fields)
MAD_PART(congestion_time_stamp_protocol, "infiniband.cc.timestamp", "TimeStamp",
	 "IBTA vol. 1, A10.4.3.10", 4, congestion_time_stamp_fields)

#define HEADER_LENGTH 40
#define ATTRIBUTE_LOG 0x13
#define LOG_AFTER_KEY 8 /* a log takes the header's room for log data too */
#define LOG_LENGTH 224
#define DATA_LENGTH 192
#define LOG_OF_CHANNEL_ADAPTER 2

static enum result parse(struct parse *parse)
{
	uint32_t log_at = parse_offset(parse) + LOG_AFTER_KEY;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_CONGESTION_CONTROL, HEADER_LENGTH, &header);

	if (result != OK)
		return result;
	if (parse->packet->mad.attribute != ATTRIBUTE_LOG) {
		mad_take_data(parse, DATA_LENGTH);
		return OK;
	}
	parse->packet->mad.shape = header[LOG_AFTER_KEY] == LOG_OF_CHANNEL_ADAPTER;
	mad_place_attribute(parse, log_at, LOG_LENGTH, LOG_LENGTH, 1);
	return OK;
}

const struct protocol congestion_control_protocol = {
	.table = { "infiniband.cc", "Congestion Control", "IBTA vol. 1, A10.4.1", HEADER_LENGTH, FIELDS(congestion_control_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse,
};
