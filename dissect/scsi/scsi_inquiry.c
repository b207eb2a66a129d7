/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of INQUIRY: standard data and vital product data pages. SPC-5, 6.7 and 7.7; SBC-4, 6.6.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "dissect/scsi/scsi_structure.h"

static const struct rtap_name qualifier_names[] = { { 0, "connected" }, { 1, "not connected" }, { 3, "not supported" }, { 0, NULL } };

/* SPC-5, table 150. */
static const struct rtap_name device_type_names[] = {
	{ 0x00, "direct access block" }, { 0x01, "sequential access" }, { 0x03, "processor" }, { 0x05, "CD or DVD" }, { 0x07, "optical memory" },
	{ 0x08, "medium changer" }, { 0x0c, "storage array controller" }, { 0x0d, "enclosure services" }, { 0x0e, "simplified direct access" },
	{ 0x11, "object based storage" }, { 0x12, "automation interface" }, { 0x14, "host managed zoned block" }, { 0x1e, "well known logical unit" },
	{ 0x1f, "unknown or no device" }, { 0, NULL },
};

static const struct rtap_name version_names[] = {
	{ 0, "none" }, { 3, "SPC" }, { 4, "SPC-2" }, { 5, "SPC-3" }, { 6, "SPC-4" }, { 7, "SPC-5" }, { 0, NULL },
};

static const struct rtap_name tpgs_names[] = { { 0, "none" }, { 1, "implicit" }, { 2, "explicit" }, { 3, "implicit and explicit" }, { 0, NULL } };

SCSI_TEXT(vendor, 8, 8)
SCSI_TEXT(product, 16, 16)
SCSI_TEXT(revision, 32, 4)

static const struct rtap_field inquiry_fields[] = {
	{ "scsi.inquiry.peripheral", "Peripheral", SCSI_BYTES(0, 1), RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "scsi.inquiry.qualifier", "Peripheral Qualifier", SCSI_BITS(0, 0, 3), RTAP_HEX, 0, qualifier_names, NULL, NULL },
	{ "scsi.inquiry.devtype", "Peripheral Device Type", SCSI_BITS(0, 3, 5), RTAP_HEX, 0, device_type_names, NULL, NULL },
	{ "scsi.inquiry.removable", "Removable", SCSI_BITS(1, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.lu_cong", "Logical Unit Conglomerate", SCSI_BITS(1, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd1_2", "Reserved", SCSI_BITS(1, 2, 6), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.version", "Version", SCSI_BYTES(2, 1), RTAP_HEX, 0, version_names, NULL, NULL },
	{ "scsi.inquiry.rsvd3", "Reserved", SCSI_BITS(3, 0, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.normaca", "NormACA", SCSI_BITS(3, 2, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.hisup", "Hierarchical LUNs", SCSI_BITS(3, 3, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rdf", "Response Data Format", SCSI_BITS(3, 4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.add_len", "Additional Length", SCSI_BYTES(4, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.sccs", "Embedded Storage Array Controller", SCSI_BITS(5, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.acc", "Access Controls Coordinator", SCSI_BITS(5, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.tpgs", "Target Port Group Support", SCSI_BITS(5, 2, 2), RTAP_DEC, 0, tpgs_names, NULL, NULL },
	{ "scsi.inquiry.tpc", "Third-Party Copy", SCSI_BITS(5, 4, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd5_5", "Reserved", SCSI_BITS(5, 5, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.protect", "Protection Information", SCSI_BITS(5, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd6", "Reserved", SCSI_BITS(6, 0, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.encserv", "Enclosure Services", SCSI_BITS(6, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.vs", "Vendor Specific", SCSI_BITS(6, 2, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.multip", "Multiple Ports", SCSI_BITS(6, 3, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd6_4", "Reserved", SCSI_BITS(6, 4, 4), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd7", "Reserved", SCSI_BITS(7, 0, 6), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.cmdque", "Command Queuing", SCSI_BITS(7, 6, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd7_7", "Reserved", SCSI_BITS(7, 7, 1), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.vendor_id", "Vendor Identification", SCSI_BYTES(8, 8), RTAP_TEXT, 0, NULL, derive_vendor, NULL },
	{ "scsi.inquiry.product_id", "Product Identification", SCSI_BYTES(16, 16), RTAP_TEXT, 0, NULL, derive_product, NULL },
	{ "scsi.inquiry.product_rev", "Product Revision", SCSI_BYTES(32, 4), RTAP_TEXT, 0, NULL, derive_revision, NULL },
	{ "scsi.inquiry.vendor_specific", "Vendor Specific", SCSI_BYTES(36, 20), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd56", "Reserved", SCSI_BYTES(56, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc1", "Version Descriptor 1", SCSI_BYTES(58, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc2", "Version Descriptor 2", SCSI_BYTES(60, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc3", "Version Descriptor 3", SCSI_BYTES(62, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc4", "Version Descriptor 4", SCSI_BYTES(64, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc5", "Version Descriptor 5", SCSI_BYTES(66, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc6", "Version Descriptor 6", SCSI_BYTES(68, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc7", "Version Descriptor 7", SCSI_BYTES(70, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.version_desc8", "Version Descriptor 8", SCSI_BYTES(72, 2), RTAP_HEX, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.rsvd74", "Reserved", SCSI_BYTES(74, 22), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(inquiry, INQUIRY, "scsi.inquiry", "SCSI Inquiry Data", "SPC-5, 6.7.2", 96, PROTOCOL_PAYLOAD)

/* A page: the layout after its header depends on the page code. */
#define VPD_HEADER 4

/* SPC-5, 7.7; SBC-4, 6.6. */
const struct rtap_name scsi_vpd_page_names[] = {
	{ 0x00, "Supported VPD Pages" }, { 0x80, "Unit Serial Number" }, { 0x83, "Device Identification" }, { 0x84, "Software Interface Identification" },
	{ 0x85, "Management Network Addresses" }, { 0x86, "Extended INQUIRY Data" }, { 0x87, "Mode Page Policy" }, { 0x88, "SCSI Ports" },
	{ 0x8f, "Third-Party Copy" }, { 0xb0, "Block Limits" }, { 0xb1, "Block Device Characteristics" }, { 0xb2, "Logical Block Provisioning" },
	{ 0xb3, "Referrals" }, { 0xb4, "Supported Block Lengths and Protection Types" }, { 0xb5, "Block Device Characteristics Extension" },
	{ 0xb6, "Zoned Block Device Characteristics" }, { 0, NULL },
};

static const struct rtap_field vpd_fields[] = {
	{ "scsi.inquiry.evpd.qualifier", "Peripheral Qualifier", SCSI_BITS(0, 0, 3), RTAP_DEC, 0, qualifier_names, NULL, NULL },
	{ "scsi.inquiry.evpd.devtype", "Peripheral Device Type", SCSI_BITS(0, 3, 5), RTAP_DEC, 0, device_type_names, NULL, NULL },
	{ "scsi.inquiry.evpd.pagecode", "Page Code", SCSI_BYTES(1, 1), RTAP_HEX, RTAP_OPCODE, scsi_vpd_page_names, NULL, NULL },
	{ "scsi.inquiry.evpd.pagelength", "Page Length", SCSI_BYTES(2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
};

static uint16_t page_of(uint8_t code)
{
	switch (code) {
	case 0x00: return PROTOCOL_SCSI_VPD_PAGES;
	case 0x80: return PROTOCOL_SCSI_SERIAL;
	case 0x83: return PROTOCOL_SCSI_DESIGNATORS;
	case 0xb0: return PROTOCOL_SCSI_BLOCK_LIMITS;
	case 0xb1: return PROTOCOL_SCSI_BLOCK_DEVICE;
	case 0xb2: return PROTOCOL_SCSI_PROVISIONING;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse_vpd(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	enum result result = structure_parse(parse, PROTOCOL_SCSI_VPD, VPD_HEADER, PROTOCOL_PAYLOAD);

	if (result == OK && parse->cursor.wire)
		parse->next = page_of(header[1]);
	return result;
}

const struct protocol scsi_vpd_protocol = {
	.table = { "scsi.inquiry.evpd", "SCSI Vital Product Data", "SPC-5, 7.7", VPD_HEADER, FIELDS(vpd_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_vpd,
	.summary = structure_summary,
};

/* Bytes of the page, of which the header that ends at the cursor gives the number; 0: none are there. */
static uint32_t page_length(const struct parse *parse)
{
	uint32_t length = load16(parse->cursor.next - 2);

	return length < parse->cursor.wire ? length : parse->cursor.wire;
}

/* Elements up to the end of the page. */
static enum result parse_page(struct parse *parse, uint16_t protocol, uint32_t length)
{
	if (!length) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

static const struct rtap_field vpd_pages_fields[] = {
	{ "scsi.inquiry.evpd.supported_page", "Supported Page", SCSI_BYTES(0, 1), RTAP_HEX, RTAP_REPEATS, scsi_vpd_page_names, NULL, NULL },
};

static enum result parse_vpd_pages(struct parse *parse)
{
	return parse_page(parse, PROTOCOL_SCSI_VPD_PAGES, page_length(parse));
}

static void visit_vpd_pages(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_units(packet, layer, visitor, 1);
}

const struct protocol scsi_vpd_pages_protocol = {
	.table = { "scsi.inquiry.evpd.pages", "SCSI Supported VPD Pages", "SPC-5, 7.7.16", 1, FIELDS(vpd_pages_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_vpd_pages,
	.visit = visit_vpd_pages,
};

static bool derive_serial(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return structure_text(packet, layer, value, 0, layer->length);
}

static const struct rtap_field serial_fields[] = {
	{ "scsi.inquiry.evpd.product_serial_number", "Product Serial Number", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_serial, NULL },
};

static enum result parse_serial(struct parse *parse)
{
	return parse_page(parse, PROTOCOL_SCSI_SERIAL, page_length(parse));
}

const struct protocol scsi_serial_protocol = {
	.table = { "scsi.inquiry.evpd.serial", "SCSI Unit Serial Number", "SPC-5, 7.7.19", 0, FIELDS(serial_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_serial,
};

/* Designators: four bytes, the last of which is the length of the rest. SPC-5, 7.7.6. */
#define DESIGNATOR 4

static const struct rtap_name protocol_names[] = {
	{ 0x0, "Fibre Channel" }, { 0x1, "parallel SCSI" }, { 0x3, "IEEE 1394" }, { 0x4, "RDMA" }, { 0x5, "iSCSI" }, { 0x6, "SAS" },
	{ 0x7, "ADT" }, { 0x8, "ATA" }, { 0x9, "UAS" }, { 0xa, "SCSI over PCIe" }, { 0xf, "none" }, { 0, NULL },
};
static const struct rtap_name code_set_names[] = { { 1, "binary" }, { 2, "ASCII" }, { 3, "UTF-8" }, { 0, NULL } };
static const struct rtap_name association_names[] = { { 0, "logical unit" }, { 1, "target port" }, { 2, "target device" }, { 0, NULL } };
static const struct rtap_name designator_names[] = {
	{ 0x0, "vendor specific" }, { 0x1, "T10 vendor ID" }, { 0x2, "EUI-64" }, { 0x3, "NAA" }, { 0x4, "relative target port" },
	{ 0x5, "target port group" }, { 0x6, "logical unit group" }, { 0x7, "MD5" }, { 0x8, "SCSI name" }, { 0x9, "protocol specific port" },
	{ 0xa, "UUID" }, { 0, NULL },
};

enum { ROW_TEXT = 8, ROW_BYTES };

static const struct rtap_field designators_fields[] = {
	{ "scsi.inquiry.evpd.devid.protocol", "Protocol Identifier", SCSI_BITS(0, 0, 4), RTAP_HEX, RTAP_REPEATS, protocol_names, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.code_set", "Code Set", SCSI_BITS(0, 4, 4), RTAP_HEX, RTAP_REPEATS, code_set_names, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.piv", "Protocol Identifier Valid", SCSI_BITS(1, 0, 1), RTAP_BOOL, RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.rsvd1_1", "Reserved", SCSI_BITS(1, 1, 1), RTAP_HEX, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.association", "Association", SCSI_BITS(1, 2, 2), RTAP_HEX, RTAP_REPEATS, association_names, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.identifier_type", "Designator Type", SCSI_BITS(1, 4, 4), RTAP_HEX, RTAP_REPEATS | RTAP_COMPARED,
		designator_names, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.rsvd2", "Reserved", SCSI_BYTES(2, 1), RTAP_HEX, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	{ "scsi.inquiry.evpd.devid.identifier_length", "Designator Length", SCSI_BYTES(3, 1), RTAP_DEC, RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	[ROW_TEXT] = { "scsi.inquiry.evpd.devid.identifier_str", "Designator", 0, 0, RTAP_TEXT,
		RTAP_UNPLACED | RTAP_REPEATS | RTAP_COMPARED, NULL, NULL, NULL },
	[ROW_BYTES] = { "scsi.inquiry.evpd.devid.identifier_bytes", "Designator", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS | RTAP_IGNORED, NULL,
			NULL, NULL },
};

static enum result parse_designators(struct parse *parse)
{
	return parse_page(parse, PROTOCOL_SCSI_DESIGNATORS, page_length(parse));
}

static void visit_designators(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	struct rtap_layer unit = *layer;
	char label[32];

	for (uint32_t at = 0, length, number = 0; at + DESIGNATOR <= layer->length; at += DESIGNATOR + length, number++) {
		const uint8_t *text = bytes + at + DESIGNATOR;
		bool is_text = (bytes[at] & 0xf) == 2 || (bytes[at] & 0xf) == 3;

		length = bytes[at + 3];
		unit.offset = layer->offset + at;
		unit.length = DESIGNATOR;
		snprintf(label, sizeof label, "Designator %u", number);
		if (visitor->enter)
			visitor->enter(visitor, label, &(struct rtap_place){ unit.source, unit.offset, DESIGNATOR + length });
		visit_unit(packet, &unit, visitor);
		if (at + DESIGNATOR + length <= layer->length)
			visit_field(visitor, layer, PROTOCOL_SCSI_DESIGNATORS, is_text ? ROW_TEXT : ROW_BYTES,
				    &(struct rtap_value){ .data = { text, is_text ? (uint32_t)strnlen((const char *)text, length) : length } },
				    layer->offset + at + DESIGNATOR, length);
		if (visitor->leave)
			visitor->leave(visitor);
	}
}

const struct protocol scsi_designators_protocol = {
	.table = { "scsi.inquiry.evpd.devid", "SCSI Device Identification", "SPC-5, 7.7.6", DESIGNATOR, FIELDS(designators_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_designators,
	.visit = visit_designators,
};

static const struct rtap_field block_limits_fields[] = {
	{ "scsi_sbc.bl.rsvd0", "Reserved", SCSI_BITS(0, 0, 7), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi_sbc.bl.wsnz", "WRITE SAME of 0 Blocks Is Refused", SCSI_BITS(0, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mcawl", "Maximum COMPARE AND WRITE Length", SCSI_BYTES(1, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.otlg", "Optimal Transfer Length Granularity", SCSI_BYTES(2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mtl", "Maximum Transfer Length", SCSI_BYTES(4, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.otl", "Optimal Transfer Length", SCSI_BYTES(8, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mpl", "Maximum Prefetch Length", SCSI_BYTES(12, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mulc", "Maximum UNMAP Block Count", SCSI_BYTES(16, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mubdc", "Maximum UNMAP Block Descriptor Count", SCSI_BYTES(20, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.oug", "Optimal UNMAP Granularity", SCSI_BYTES(24, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.ugavalid", "UNMAP Granularity Alignment Valid", SCSI_BITS(28, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.uga", "UNMAP Granularity Alignment", SCSI_BITS(28, 1, 31), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mwsl", "Maximum WRITE SAME Length", SCSI_BYTES(32, 8), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.matl", "Maximum Atomic Transfer Length", SCSI_BYTES(40, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.aa", "Atomic Alignment", SCSI_BYTES(44, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.atlg", "Atomic Transfer Length Granularity", SCSI_BYTES(48, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.matlab", "Maximum Atomic Transfer Length with Boundary", SCSI_BYTES(52, 4), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.bl.mabs", "Maximum Atomic Boundary Size", SCSI_BYTES(56, 4), RTAP_DEC, 0, NULL, NULL, NULL },
};

SCSI_STRUCTURE(block_limits, BLOCK_LIMITS, "scsi_sbc.bl", "SCSI Block Limits", "SBC-4, 6.6.4", 60, PROTOCOL_PAYLOAD)

static const struct rtap_name rotation_names[] = { { 0, "not reported" }, { 1, "non-rotating" }, { 0, NULL } };
static const struct rtap_name form_factor_names[] = {
	{ 0, "not reported" }, { 1, "5.25 inch" }, { 2, "3.5 inch" }, { 3, "2.5 inch" }, { 4, "1.8 inch" }, { 5, "less than 1.8 inch" }, { 0, NULL },
};

static const struct rtap_field block_device_fields[] = {
	{ "scsi.inquiry.bdc.mrr", "Medium Rotation Rate", SCSI_BYTES(0, 2), RTAP_DEC, 0, rotation_names, NULL, NULL },
	{ "scsi.inquiry.bdc.pt", "Product Type", SCSI_BYTES(2, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.wabereq", "After Block Erase", SCSI_BITS(3, 0, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.wacereq", "After Cryptographic Erase", SCSI_BITS(3, 2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.nff", "Nominal Form Factor", SCSI_BITS(3, 4, 4), RTAP_DEC, 0, form_factor_names, NULL, NULL },
	{ "scsi.inquiry.bdc.rsvd4", "Reserved", SCSI_BITS(4, 0, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.zoned", "Zoned", SCSI_BITS(4, 2, 2), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.rsvd4_4", "Reserved", SCSI_BITS(4, 4, 2), RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.fuab", "FUA and SYNCHRONIZE CACHE Behavior", SCSI_BITS(4, 6, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.vbuls", "Verify of Unmapped Blocks", SCSI_BITS(4, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.inquiry.bdc.rsvd5", "Reserved", SCSI_BYTES(5, 55), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

SCSI_STRUCTURE(block_device, BLOCK_DEVICE, "scsi.inquiry.bdc", "SCSI Block Device Characteristics", "SBC-4, 6.6.2", 60, PROTOCOL_PAYLOAD)

static const struct rtap_name provisioning_names[] = { { 0, "full or not reported" }, { 1, "resource" }, { 2, "thin" }, { 0, NULL } };

static const struct rtap_field provisioning_fields[] = {
	{ "scsi_sbc.threshold_exponent", "Threshold Exponent", SCSI_BYTES(0, 1), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbpu", "UNMAP", SCSI_BITS(1, 0, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbpws", "WRITE SAME(16) with UNMAP", SCSI_BITS(1, 1, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbpws10", "WRITE SAME(10) with UNMAP", SCSI_BITS(1, 2, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbprz.lbp", "Reads of Unmapped Blocks", SCSI_BITS(1, 3, 3), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.anc_sup", "Anchored Blocks", SCSI_BITS(1, 6, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.dp", "Descriptor Present", SCSI_BITS(1, 7, 1), RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbp.minimum", "Minimum Percentage", SCSI_BITS(2, 0, 5), RTAP_DEC, 0, NULL, NULL, NULL },
	{ "scsi_sbc.lbp.type", "Provisioning Type", SCSI_BITS(2, 5, 3), RTAP_DEC, 0, provisioning_names, NULL, NULL },
	{ "scsi_sbc.lbp.percentage", "Threshold Percentage", SCSI_BYTES(3, 1), RTAP_DEC, 0, NULL, NULL, NULL },
};

SCSI_STRUCTURE(provisioning, PROVISIONING, "scsi_sbc.lbp", "SCSI Logical Block Provisioning", "SBC-4, 6.6.6", 4, PROTOCOL_PAYLOAD)
