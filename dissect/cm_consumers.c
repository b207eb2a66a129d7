/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a connection request's private data say to the service that it asks for, where the service is known by its port: NVMe over
 * Fabrics, iSER, RDS. SRP has no port; its login is known by its content.
 */
#include "config.h"

#include "dissect/cm.h"

/* Ports of the RDMA IP CM service; IANA's, and those that Linux uses. */
enum { PORT_SMB = 445, PORT_ISCSI = 3260, PORT_NVME = 4420, PORT_SMB_DIRECT = 5445, PORT_RDS = 18634, PORT_RDS_OLD = 16385, PORT_NFS = 20049 };

static const struct rtap_name port_names[] = {
	{ PORT_SMB, "SMB Direct" }, { PORT_ISCSI, "iSER" }, { PORT_NVME, "NVMe" }, { PORT_SMB_DIRECT, "SMB Direct" }, { PORT_RDS_OLD, "RDS" },
	{ PORT_RDS, "RDS" }, { PORT_NFS, "NFS" }, { 0, NULL },
};

/* Who assigns a service id, by its first byte. IBTA vol. 1, 12.7.3, A3.2.3. */
static const struct rtap_name assigner_names[] = {
	{ 0x00, "IBTA" }, { 0x01, "IETF" }, { 0x02, "local operating system" }, { 0x10, "externally administered" }, { 0, NULL },
};

#define AGN_IETF 0x01

const char *cm_service_kind(uint64_t service_id)
{
	if (service_id >> 24 == CM_IP_SERVICE_PREFIX) {
		const char *name = rtap_name_of(port_names, service_id & 0xffff);

		return name ? name : "IP port";
	}
	/* RFC 4755, 3.1: a type, and the queue pair whose address goes with it */
	if (service_id >> 56 == AGN_IETF && !(service_id >> 24 & 0xffffff))
		return "IPoIB connected mode";
	return rtap_name_of(assigner_names, service_id >> 56);
}

static uint64_t little16(const uint8_t *bytes)
{
	return (uint64_t)(bytes[1] << 8 | bytes[0]);
}

/* NVM Express over Fabrics, RDMA transport: connection request. Little-endian. */
#define NVME_LENGTH 32
#define NVME_WORD(index) (index) * 16, 16

#define NVME_DERIVE(name, index) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		value->number = little16(layer_bytes(packet, layer) + (index) * 2); \
		return true; \
	}

NVME_DERIVE(recfmt, 0)
NVME_DERIVE(qid, 1)
NVME_DERIVE(hrqsize, 2)
NVME_DERIVE(hsqsize, 3)
NVME_DERIVE(cntlid, 4)

static const struct rtap_field nvme_fields[] = {
	{ "nvme_rdma.private.recfmt", "Record Format", NVME_WORD(0), RTAP_HEX, 0, NULL, derive_recfmt, NULL },
	{ "nvme_rdma.private.qid", "Queue ID", NVME_WORD(1), RTAP_DEC, 0, NULL, derive_qid, NULL },
	{ "nvme_rdma.private.hrqsize", "Host Receive Queue Size", NVME_WORD(2), RTAP_DEC, 0, NULL, derive_hrqsize, NULL },
	{ "nvme_rdma.private.hsqsize", "Host Send Queue Size", NVME_WORD(3), RTAP_DEC, 0, NULL, derive_hsqsize, NULL },
	{ "nvme_rdma.private.cntlid", "Controller ID", NVME_WORD(4), RTAP_DEC, 0, NULL, derive_cntlid, NULL },
	{ "nvme_rdma.private.reserved", "Reserved", 80, 176, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol nvme_private_protocol = {
	.table = { "nvme_rdma_private", "NVMe/RDMA Connection Request", "NVMe over Fabrics 1.1, 7.3.6.2", NVME_LENGTH, FIELDS(nvme_fields) },
};

/* What the initiator cannot do. RFC 7145, 6.3 as IBTA vol. 1, annex A12.6 has it for connection management. */
#define ISER_LENGTH 4

static const struct rtap_field iser_fields[] = {
	{ "iser.private.zbva_not_supported", "ZBVA not Supported", 0, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.private.send_invalidate_not_supported", "Send with Invalidate not Supported", 1, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.private.reserved0", "Reserved", 2, 6, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.private.reserved1", "Reserved", 8, 24, RTAP_HEX, 0, NULL, NULL, NULL },
};

const struct protocol iser_private_protocol = {
	.table = { "iser_private", "iSER Connection Request", "IBTA vol. 1, A12.6", ISER_LENGTH, FIELDS(iser_fields) },
};

/* The login of SRP as Linux writes it for the RDMA CM, of which no standard tells. */
#define SRP_LENGTH 56
#define SRP_FORMAT 64, 16
#define SRP_OPCODE 88, 8
#define SRP_IU_LENGTH 96, 32
#define SRP_MIN_IU 64

static const struct rtap_field srp_fields[] = {
	{ "srp.login.tag", "Tag", 0, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_buf_fmt", "Required Buffer Formats", SRP_FORMAT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_flags", "Flags", 80, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.opcode", "Opcode", SRP_OPCODE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_it_iu_len", "Requested Initiator to Target IU Length", SRP_IU_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.initiator_port_id", "Initiator Port Identifier", 128, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "srp.login.target_port_id", "Target Port Identifier", 256, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "srp.login.imm_data_offset", "Immediate Data Offset", 384, 16, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.reserved", "Reserved", 400, 48, RTAP_HEX, 0, NULL, NULL, NULL },
};

const struct protocol srp_login_protocol = {
	.table = { "srp.login", "SRP Login Request", "SRP (ANSI INCITS 365), 6.2; layout of Linux's RDMA CM login", SRP_LENGTH, FIELDS(srp_fields) },
};

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

/* Formats are direct (2) and indirect (4) descriptors; what is behind the login is zero, the identifiers are not. */
static bool is_srp(const uint8_t *bytes, uint32_t length)
{
	uint64_t format;

	if (length < SRP_LENGTH)
		return false;
	format = bits(bytes, SRP_FORMAT);
	return format && !(format & ~UINT64_C(6)) && !bits(bytes, SRP_OPCODE) && bits(bytes, SRP_IU_LENGTH) >= SRP_MIN_IU &&
	       bits(bytes, SRP_IU_LENGTH) <= 65536 && !is_zero(bytes + 16, 16) && !is_zero(bytes + 32, 16) && is_zero(bytes + 50, length - 50);
}

/* Linux's RDS; between IPv4 addresses. */
#define RDS_LENGTH 28

static const struct rtap_field rds_fields[] = {
	{ "rds.private.saddr", "Source Address", 0, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "rds.private.daddr", "Destination Address", 32, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "rds.private.major", "Protocol Major", 64, 8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.private.minor", "Protocol Minor", 72, 8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.private.minor_mask", "Protocol Minor Mask", 80, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rds.private.tos", "Type of Service", 96, 8, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.private.reserved", "Reserved", 104, 24, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rds.private.ack_seq", "Acknowledged Sequence Number", 128, 64, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rds.private.credit", "Credits", 192, 32, RTAP_DEC, 0, NULL, NULL, NULL },
};

const struct protocol rds_private_protocol = {
	.table = { "rds_private", "RDS Connection Request", "Linux, net/rds/rdma_transport", RDS_LENGTH, FIELDS(rds_fields) },
};

uint8_t cm_consumer_protocol(const struct parse *parse, const uint8_t *bytes, uint32_t length)
{
	const struct rtap_cm_facts *facts = &parse->packet->cm;

	if (facts->attribute != CM_REQ)
		return PROTOCOL_NONE;
	if (facts->service_id >> 24 == CM_IP_SERVICE_PREFIX)
		switch (facts->destination_port) {
		case PORT_NVME: return PROTOCOL_NVME_PRIVATE;
		case PORT_ISCSI: return PROTOCOL_ISER_PRIVATE;
		case PORT_RDS:
		case PORT_RDS_OLD: return facts->address_length == 4 ? PROTOCOL_RDS_PRIVATE : PROTOCOL_NONE;
		case PORT_NFS:
		case PORT_SMB:
		case PORT_SMB_DIRECT: return PROTOCOL_NONE;
		default: break;
		}
	return !parse->context->no_heuristics && is_srp(bytes, length) ? PROTOCOL_SRP_LOGIN : PROTOCOL_NONE;
}
