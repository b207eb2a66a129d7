/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * I/O commands: dwords 10 to 15. NVM, chapter 3; reservations: Base, chapter 7.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_io.h"
#include "dissect/nvme/nvme_parts.h"

/* Read, Write, Compare, Write Zeroes, Write Uncorrectable, Verify, Zone Append: NVM, 3.2. */
static const struct rtap_name access_frequency_names[] = {
	{ 0, "no information" }, { 1, "typical" }, { 2, "infrequent writes, infrequent reads" }, { 3, "infrequent writes, frequent reads" },
	{ 4, "frequent writes, infrequent reads" }, { 5, "frequent writes, frequent reads" }, { 6, "one-time read" }, { 7, "speculative read" },
	{ 8, "to be overwritten soon" }, { 0, NULL },
};

static const struct rtap_name access_latency_names[] = {
	{ 0, "no information" }, { 1, "longer latency is acceptable" }, { 2, "typical" }, { 3, "as small as possible" }, { 0, NULL },
};

/* A number that the command has less one. */
#define NVME_NUMBER(name, label, place, derive) { name, label, place, RTAP_DEC, RTAP_LITTLE | RTAP_OWN_BYTES | RTAP_WIDER, NULL, derive, NULL }

static bool derive_blocks(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer), NVME_AT(2, 0, 16)) + 1;
	return true;
}

static const struct rtap_field blocks_fields[] = {
	NVME_ROW("nvme.cmd.slba", "Start LBA", NVME_AT(0, 0, 64), RTAP_HEX, NULL),
	NVME_NUMBER("nvme.cmd.nlb", "Number of Logical Blocks", NVME_AT(2, 0, 16), derive_blocks),
	NVME_ROW("nvme.cmd.dtype", "Directive Type", NVME_AT(2, 20, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.stc", "Storage Tag Check", NVME_AT(2, 24, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.deac", "Deallocate", NVME_AT(2, 25, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.rsvd2", "Reserved", NVME_AT(2, 16, 4), RTAP_HEX, NULL),
	NVME_WHOLE("nvme.cmd.prinfo", "Protection Information", NVME_AT(2, 26, 4)),
	NVME_ROW("nvme.cmd.prinfo.lbrtag", "Check Reference Tag", NVME_AT(2, 26, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.prinfo.apptag", "Check Application Tag", NVME_AT(2, 27, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.prinfo.guard", "Check Guard", NVME_AT(2, 28, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.prinfo.action", "Action", NVME_AT(2, 29, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.fua", "Force Unit Access", NVME_AT(2, 30, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.lr", "Limited Retry", NVME_AT(2, 31, 1), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cmd.dsm.access_freq", "Access Frequency", NVME_AT(3, 0, 4), RTAP_HEX, access_frequency_names),
	NVME_ROW("nvme.cmd.dsm.access_lat", "Access Latency", NVME_AT(3, 4, 2), RTAP_HEX, access_latency_names),
	NVME_ROW("nvme.cmd.dsm.seq_req", "Sequential Request", NVME_AT(3, 6, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.dsm.incompressible", "Incompressible", NVME_AT(3, 7, 1), RTAP_BOOL, NULL),
	{ "nvme.cmd.rsvd3", "Reserved", 104, 8, RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.dspec", "Directive Specific", NVME_AT(3, 16, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.eilbrt", "Initial Logical Block Reference Tag", NVME_AT(4, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.elbat", "Logical Block Application Tag", NVME_AT(5, 0, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.elbatm", "Logical Block Application Tag Mask", NVME_AT(5, 16, 16), RTAP_HEX, NULL),
};

NVME_PART(blocks, BLOCKS, "nvme.cmd.blocks", "NVMe Logical Blocks", "NVM, 3.2")

/* NVM, 3.2.3. The ranges follow as data. */
static bool derive_ranges(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = layer_bytes(packet, layer)[0] + 1u;
	return true;
}

static const struct rtap_field dataset_fields[] = {
	NVME_NUMBER("nvme.cmd.dataset.nr", "Number of Ranges", NVME_AT(0, 0, 8), derive_ranges),
	NVME_ROW("nvme.cmd.dataset.rsvd0", "Reserved", NVME_AT(0, 8, 24), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dataset.idr", "Integral Dataset for Read", NVME_AT(1, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.dataset.idw", "Integral Dataset for Write", NVME_AT(1, 1, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.dataset.ad", "Deallocate", NVME_AT(1, 2, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.dataset.rsvd1", "Reserved", NVME_AT(1, 3, 29), RTAP_HEX, NULL),
	{ "nvme.cmd.dataset.rsvd2", "Reserved", 64, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(dataset, DATASET, "nvme.cmd.dataset", "NVMe Dataset Management", "NVM, 3.2.3")

/* NVM, 3.2.2. The source ranges follow as data. */
static bool derive_copied_ranges(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer), NVME_AT(2, 0, 8)) + 1;
	return true;
}

static const struct rtap_field copy_fields[] = {
	NVME_ROW("nvme.cmd.copy.sdlba", "Starting Destination LBA", NVME_AT(0, 0, 64), RTAP_HEX, NULL),
	NVME_NUMBER("nvme.cmd.copy.nr", "Number of Ranges", NVME_AT(2, 0, 8), derive_copied_ranges),
	NVME_ROW("nvme.cmd.copy.desfmt", "Descriptor Format", NVME_AT(2, 8, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.prinfor", "Protection Information, Read", NVME_AT(2, 12, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.rsvd0", "Reserved", NVME_AT(2, 16, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.dtype", "Directive Type", NVME_AT(2, 20, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.stcw", "Storage Tag Check, Write", NVME_AT(2, 24, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.copy.stcr", "Storage Tag Check, Read", NVME_AT(2, 25, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.copy.prinfow", "Protection Information, Write", NVME_AT(2, 26, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.fua", "Force Unit Access", NVME_AT(2, 30, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.copy.lr", "Limited Retry", NVME_AT(2, 31, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.copy.rsvd1", "Reserved", NVME_AT(3, 0, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.dspec", "Directive Specific", NVME_AT(3, 16, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.ilbrt", "Initial Logical Block Reference Tag", NVME_AT(4, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.lbat", "Logical Block Application Tag", NVME_AT(5, 0, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.copy.lbatm", "Logical Block Application Tag Mask", NVME_AT(5, 16, 16), RTAP_HEX, NULL),
};

NVME_PART(copy, COPY, "nvme.cmd.copy", "NVMe Copy", "NVM, 3.2.2")

/* Base, 7.2 to 7.5: the action means something else in each; keys follow as data. */
static const struct rtap_name register_names[] = { { 0, "register" }, { 1, "unregister" }, { 2, "replace" }, { 0, NULL } };
static const struct rtap_name acquire_names[] = { { 0, "acquire" }, { 1, "preempt" }, { 2, "preempt and abort" }, { 0, NULL } };
static const struct rtap_name release_names[] = { { 0, "release" }, { 1, "clear" }, { 0, NULL } };
static const struct rtap_name reservation_names[] = {
	{ 1, "write exclusive" }, { 2, "exclusive access" }, { 3, "write exclusive, registrants only" }, { 4, "exclusive access, registrants only" },
	{ 5, "write exclusive, all registrants" }, { 6, "exclusive access, all registrants" }, { 0, NULL },
};

static uint8_t opcode_before(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer > packet->layers && layer[-1].protocol == PROTOCOL_NVME_COMMAND ? layer_bytes(packet, layer - 1)[0] : 0;
}

static bool derive_action(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint8_t opcode)
{
	value->number = little_bits(layer_bytes(packet, layer), NVME_AT(0, 0, 3));
	return opcode_before(packet, layer) == opcode;
}

static bool derive_register(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_action(packet, layer, value, NVME_RESERVATION_REGISTER);
}

static bool derive_acquire(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_action(packet, layer, value, NVME_RESERVATION_ACQUIRE);
}

static bool derive_release(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_action(packet, layer, value, NVME_RESERVATION_RELEASE);
}

static const struct rtap_field reservation_fields[] = {
	{ "nvme.cmd.reservation.action", "Action", NVME_AT(0, 0, 3), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, register_names, derive_register, NULL },
	{ "nvme.cmd.reservation.action", "Action", NVME_AT(0, 0, 3), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, acquire_names, derive_acquire, NULL },
	{ "nvme.cmd.reservation.action", "Action", NVME_AT(0, 0, 3), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, release_names, derive_release, NULL },
	NVME_ROW("nvme.cmd.reservation.iekey", "Ignore Existing Key", NVME_AT(0, 3, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.reservation.rsvd0", "Reserved", NVME_AT(0, 4, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.reservation.type", "Reservation Type", NVME_AT(0, 8, 8), RTAP_HEX, reservation_names),
	NVME_ROW("nvme.cmd.reservation.rsvd1", "Reserved", NVME_AT(0, 16, 14), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.reservation.cptpl", "Change Persist Through Power Loss", NVME_AT(0, 30, 2), RTAP_HEX, NULL),
	{ "nvme.cmd.reservation.rsvd2", "Reserved", 32, 160, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(reservation, RESERVATION, "nvme.cmd.reservation", "NVMe Reservation", "Base, chapter 7")

static bool derive_dwords(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = little_bits(layer_bytes(packet, layer), NVME_AT(0, 0, 32)) + 1;
	return true;
}

static const struct rtap_field report_fields[] = {
	{ "nvme.cmd.reservation_report.numd", "Number of Dwords", NVME_AT(0, 0, 32), RTAP_DEC, RTAP_LITTLE | RTAP_OWN_BYTES, NULL, derive_dwords, NULL },
	NVME_ROW("nvme.cmd.reservation_report.eds", "Extended Data Structure", NVME_AT(1, 0, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cmd.reservation_report.rsvd0", "Reserved", NVME_AT(1, 1, 31), RTAP_HEX, NULL),
	{ "nvme.cmd.reservation_report.rsvd1", "Reserved", 64, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(report, RESERVATION_REPORT, "nvme.cmd.reservation_report", "NVMe Reservation Report", "Base, 7.4")

/* Zoned Namespace Command Set 1.1, 3.4.1 and 3.4.2. */
static const struct rtap_name zone_action_names[] = {
	{ 0x01, "close" }, { 0x02, "finish" }, { 0x03, "open" }, { 0x04, "reset" }, { 0x05, "offline" }, { 0x10, "set zone descriptor extension" },
	{ 0x11, "flush explicit ZRWA range" }, { 0, NULL },
};

static const struct rtap_field zone_fields[] = {
	NVME_ROW("nvme.cmd.zone.slba", "Start LBA", NVME_AT(0, 0, 64), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.zone.dword12", "Dword 12", NVME_AT(2, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.zone.action", "Zone Action", NVME_AT(3, 0, 8), RTAP_HEX, zone_action_names),
	NVME_ROW("nvme.cmd.zone.specific", "Action Specific", NVME_AT(3, 8, 8), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.zone.rsvd", "Reserved", NVME_AT(3, 16, 16), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.zone.dword14", "Dword 14", NVME_AT(4, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.zone.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(zone, ZONE, "nvme.cmd.zone", "NVMe Zone Management", "Zoned Namespace Command Set 1.1, 3.4")

uint16_t nvme_io_part(uint8_t opcode)
{
	switch (opcode) {
	case NVME_READ: case NVME_WRITE: case NVME_COMPARE: case NVME_WRITE_ZEROES: case NVME_WRITE_UNCORRECTABLE: case NVME_VERIFY:
	case NVME_ZONE_APPEND:
		return PROTOCOL_NVME_BLOCKS;
	case NVME_DATASET_MANAGEMENT: return PROTOCOL_NVME_DATASET;
	case NVME_COPY: return PROTOCOL_NVME_COPY;
	case NVME_RESERVATION_REGISTER: case NVME_RESERVATION_ACQUIRE: case NVME_RESERVATION_RELEASE: return PROTOCOL_NVME_RESERVATION;
	case NVME_RESERVATION_REPORT: return PROTOCOL_NVME_RESERVATION_REPORT;
	case NVME_ZONE_SEND: case NVME_ZONE_RECEIVE: return PROTOCOL_NVME_ZONE;
	default: return PROTOCOL_NVME_DWORDS;
	}
}
