/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private data of a connection's REQ, REP and REJ. The port of the service that the REQ requests identifies NVMe over Fabrics, iSER and
 * RDS; RTRS also needs its magic number, because others use its port. SRP has no port: its login is recognised by content.
 * The service of a REP or REJ comes from the context.
 */
#include "config.h"

#include "dissect/management/cm.h"
#include "dissect/management/cm_consumers.h"
#include "dissect/engine/parse.h"
#include "dissect/lnet/lnet.h"
#include "dissect/nvme/nvme.h"
#include "dissect/rds/rds.h"
#include "dissect/rnbd/rtrs_private.h"
#include "dissect/rpc/rpcrdma.h"

/* Ports of the RDMA IP CM service; IANA's, and those that Linux uses. */
enum {
	PORT_SMB = 445, PORT_ISCSI = 3260, PORT_SMB_DIRECT = 5445,
};

static const struct rtap_name port_names[] = {
	{ PORT_SMB, "SMB Direct" }, { RTRS_PORT, "RTRS" }, { PORT_ISCSI, "iSER" }, { NVME_PORT, "NVMe" }, { PORT_SMB_DIRECT, "SMB Direct" },
	{ NVME_PORT_DISCOVERY, "NVMe" }, { RDS_PORT_OLD, "RDS" },
	{ RDS_PORT, "RDS" }, { RPCRDMA_PORT, "NFS" }, { 0, NULL },
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

/* NVM Express over Fabrics, RDMA transport: connection request. Little-endian. */
#define NVME_LENGTH 32
#define NVME_WORD(index) (index) * 16, 16

static const struct rtap_field nvme_fields[] = {
	{ "nvme-rdma.cm.req.recfmt", "Record Format", NVME_WORD(0), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.req.qid", "Queue ID", NVME_WORD(1), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.req.hrqsize", "Host Receive Queue Size", NVME_WORD(2), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.req.hsqsize", "Host Send Queue Size", NVME_WORD(3), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.req.cntlid", "Controller ID", NVME_WORD(4), RTAP_DEC, RTAP_LITTLE | RTAP_COMPARED, NULL, NULL, NULL },
	{ "nvme-rdma.cm.req.reserved", "Reserved", 80, 176, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol nvme_private_protocol = {
	.table = { "nvme_rdma_private", "NVMe/RDMA Connection Request", "NVMe over Fabrics 1.1, 7.3.6.2", NVME_LENGTH, FIELDS(nvme_fields) },
};

/* The answer that accepts it. */
static const struct rtap_field nvme_accept_fields[] = {
	{ "nvme-rdma.cm.rsp.recfmt", "Record Format", NVME_WORD(0), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.rsp.crqsize", "Controller Receive Queue Size", NVME_WORD(1), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.rsp.reserved", "Reserved", 32, 224, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol nvme_accept_protocol = {
	.table = { "nvme_rdma_accept", "NVMe/RDMA Connection Accept", "NVMe over Fabrics 1.1, 7.3.6.3", NVME_LENGTH, FIELDS(nvme_accept_fields) },
};

/* The answer that rejects it. */
#define NVME_REJECT_LENGTH 4

static const struct rtap_name nvme_status_names[] = {
	{ 1, "invalid private data length" }, { 2, "invalid record format" }, { 3, "invalid queue id" },
	{ 4, "invalid host send queue size" }, { 5, "invalid host receive queue size" }, { 6, "no resources" },
	{ 7, "invalid IRD" }, { 8, "invalid ORD" }, { 0, NULL },
};

static const struct rtap_field nvme_reject_fields[] = {
	{ "nvme-rdma.cm.rej.recfmt", "Record Format", NVME_WORD(0), RTAP_DEC, RTAP_LITTLE, NULL, NULL, NULL },
	{ "nvme-rdma.cm.rej.sts", "Status", NVME_WORD(1), RTAP_DEC, RTAP_LITTLE, nvme_status_names, NULL, NULL },
};

static void summary_status(struct line *line, const char *label, const struct rtap_name *names, uint64_t status)
{
	const char *name = rtap_name_of(names, status);

	line_text(line, label);
	if (name)
		line_text(line, name);
	else
		line_dec(line, status);
}

static void summary_nvme_reject(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == NVME_REJECT_LENGTH)
		summary_status(line, " NVMe status ", nvme_status_names, little16(layer_bytes(packet, layer) + 2));
}

const struct protocol nvme_reject_protocol = {
	.table = { "nvme_rdma_reject", "NVMe/RDMA Connection Reject", "NVMe over Fabrics 1.1, 7.3.6.4", NVME_REJECT_LENGTH,
		   FIELDS(nvme_reject_fields) },
	.summary = summary_nvme_reject,
};

/* Features that an end does not support, in REQ and REP. RFC 7145, 6.3; for connection management: IBTA vol. 1, annex A12.6. */
#define ISER_LENGTH 4

static const struct rtap_field iser_fields[] = {
	{ "iser.private.zbva_not_supported", "ZBVA not Supported", 0, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.private.send_invalidate_not_supported", "Send with Invalidate not Supported", 1, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.private.reserved0", "Reserved", 2, 6, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.private.reserved1", "Reserved", 8, 24, RTAP_HEX, 0, NULL, NULL, NULL },
};

const struct protocol iser_private_protocol = {
	.table = { "iser_private", "iSER Connection Parameters", "IBTA vol. 1, A12.6", ISER_LENGTH, FIELDS(iser_fields) },
};

/* SRP: the login, an information unit of its own; Linux omits the reserved bytes if the RDMA CM has no room for them. */
#define SRP_LENGTH 64
#define SRP_IU_LENGTH 128, 32
#define SRP_FORMAT 192, 16
#define SRP_MIN_IU 64
#define SRP_RDMA_CM_LENGTH 56
#define SRP_RDMA_CM_FORMAT 64, 16
#define SRP_RDMA_CM_OPCODE 88, 8
#define SRP_RDMA_CM_IU_LENGTH 96, 32

static const struct rtap_name srp_opcodes[] = { { 0x00, "LOGIN_REQ" }, { 0xc0, "LOGIN_RSP" }, { 0xc2, "LOGIN_REJ" }, { 0, NULL } };

static const struct rtap_field srp_fields[] = {
	{ "srp.login.opcode", "Opcode", 0, 8, RTAP_HEX, 0, srp_opcodes, NULL, NULL },
	{ "srp.login.reserved1", "Reserved", 8, 56, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.tag", "Tag", 64, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_it_iu_len", "Requested Initiator to Target IU Length", SRP_IU_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.reserved2", "Reserved", 160, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_buf_fmt", "Required Buffer Formats", SRP_FORMAT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_flags", "Flags", 208, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.reserved3", "Reserved", 216, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.imm_data_offset", "Immediate Data Offset", 224, 16, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.reserved4", "Reserved", 240, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.initiator_port_id", "Initiator Port Identifier", 256, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "srp.login.target_port_id", "Target Port Identifier", 384, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol srp_login_protocol = {
	.table = { "srp.login", "SRP Login Request", "SRP (ANSI INCITS 365), 6.2", SRP_LENGTH, FIELDS(srp_fields) },
};

static const struct rtap_field srp_rdma_cm_fields[] = {
	{ "srp.login.tag", "Tag", 0, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_buf_fmt", "Required Buffer Formats", SRP_RDMA_CM_FORMAT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.req_flags", "Flags", 80, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login.opcode", "Opcode", SRP_RDMA_CM_OPCODE, RTAP_HEX, 0, srp_opcodes, NULL, NULL },
	{ "srp.login.req_it_iu_len", "Requested Initiator to Target IU Length", SRP_RDMA_CM_IU_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.initiator_port_id", "Initiator Port Identifier", 128, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "srp.login.target_port_id", "Target Port Identifier", 256, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "srp.login.imm_data_offset", "Immediate Data Offset", 384, 16, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login.reserved", "Reserved", 400, 48, RTAP_HEX, 0, NULL, NULL, NULL },
};

const struct protocol srp_login_rdma_cm_protocol = {
	.table = { "srp.login_rdma_cm", "SRP Login Request, shortened for the RDMA CM", "SRP (ANSI INCITS 365), 6.2; layout of Linux's RDMA CM login",
		   SRP_RDMA_CM_LENGTH, FIELDS(srp_rdma_cm_fields) },
};

#define SRP_RESPONSE_LENGTH 52

static const struct rtap_field srp_response_fields[] = {
	{ "srp.login_rsp.opcode", "Opcode", 0, 8, RTAP_HEX, 0, srp_opcodes, NULL, NULL },
	{ "srp.login_rsp.reserved1", "Reserved", 8, 24, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.req_lim_delta", "Request Limit Delta", 32, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.tag", "Tag", 64, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.max_it_iu_len", "Maximum Initiator to Target IU Length", 128, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.max_ti_iu_len", "Maximum Target to Initiator IU Length", 160, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.buf_fmt", "Supported Buffer Formats", 192, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.flags", "Flags", 208, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rsp.reserved2", "Reserved", 216, 200, RTAP_BYTES, 0, NULL, NULL, NULL },
};

const struct protocol srp_login_response_protocol = {
	.table = { "srp.login_rsp", "SRP Login Response", "SRP (ANSI INCITS 365), 6.3", SRP_RESPONSE_LENGTH, FIELDS(srp_response_fields) },
};

#define SRP_REJECT_LENGTH 32
#define SRP_REJECT_REASON 32, 32

static const struct rtap_name srp_reason_names[] = {
	{ 0x00010000, "unable to establish the channel" }, { 0x00010001, "insufficient resources" },
	{ 0x00010002, "requested IU length too large" }, { 0x00010003, "unable to associate the channel" },
	{ 0x00010004, "unsupported descriptor format" }, { 0x00010005, "several channels not supported" },
	{ 0x00010006, "channel limit reached" }, { 0, NULL },
};

static const struct rtap_field srp_reject_fields[] = {
	{ "srp.login_rej.opcode", "Opcode", 0, 8, RTAP_HEX, 0, srp_opcodes, NULL, NULL },
	{ "srp.login_rej.reserved1", "Reserved", 8, 24, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rej.reason", "Reason", SRP_REJECT_REASON, RTAP_HEX, 0, srp_reason_names, NULL, NULL },
	{ "srp.login_rej.tag", "Tag", 64, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rej.reserved2", "Reserved", 128, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rej.buf_fmt", "Supported Buffer Formats", 192, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.login_rej.reserved3", "Reserved", 208, 48, RTAP_HEX, 0, NULL, NULL, NULL },
};

static void summary_srp_reject(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == SRP_REJECT_LENGTH)
		summary_status(line, " SRP reason ", srp_reason_names, bits(layer_bytes(packet, layer), SRP_REJECT_REASON));
}

const struct protocol srp_login_reject_protocol = {
	.table = { "srp.login_rej", "SRP Login Reject", "SRP (ANSI INCITS 365), 6.4", SRP_REJECT_LENGTH, FIELDS(srp_reject_fields) },
	.summary = summary_srp_reject,
};

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

/* Formats are direct (2) and indirect (4) descriptors. */
static bool may_be_srp(uint64_t format, uint64_t iu_length)
{
	return format && !(format & ~UINT64_C(6)) && iu_length >= SRP_MIN_IU && iu_length <= 65536;
}

/* Reserved bytes and bytes after the login are zero, the identifiers are not. */
static bool is_srp(const uint8_t *bytes, uint32_t length)
{
	return length >= SRP_LENGTH && may_be_srp(bits(bytes, SRP_FORMAT), bits(bytes, SRP_IU_LENGTH)) && is_zero(bytes, 8) &&
	       is_zero(bytes + 20, 4) && !bytes[27] && is_zero(bytes + 30, 2) && !is_zero(bytes + 32, 16) && !is_zero(bytes + 48, 16) &&
	       is_zero(bytes + SRP_LENGTH, length - SRP_LENGTH);
}

static bool is_srp_rdma_cm(const uint8_t *bytes, uint32_t length)
{
	return length >= SRP_RDMA_CM_LENGTH && may_be_srp(bits(bytes, SRP_RDMA_CM_FORMAT), bits(bytes, SRP_RDMA_CM_IU_LENGTH)) &&
	       !bits(bytes, SRP_RDMA_CM_OPCODE) && !is_zero(bytes + 16, 16) && !is_zero(bytes + 32, 16) && is_zero(bytes + 50, length - 50);
}

/* Linux's RDS: the ends' addresses, then the same for both families; in REQ and REP. */
#define RDS_PRIVATE_LENGTH 28
#define RDS_IPV6_LENGTH 52

#define RDS_ROWS(at) \
	{ "rds.private.major", "Protocol Major", (at), 8, RTAP_DEC, 0, NULL, NULL, NULL }, \
	{ "rds.private.minor", "Protocol Minor", (at) + 8, 8, RTAP_DEC, 0, NULL, NULL, NULL }, \
	{ "rds.private.minor_mask", "Protocol Minor Mask", (at) + 16, 16, RTAP_HEX, 0, NULL, NULL, NULL }, \
	{ "rds.private.tos", "Type of Service", (at) + 32, 8, RTAP_DEC, 0, NULL, NULL, NULL }, \
	{ "rds.private.reserved", "Reserved", (at) + 40, 24, RTAP_HEX, 0, NULL, NULL, NULL }, \
	{ "rds.private.ack_seq", "Acknowledged Sequence Number", (at) + 64, 64, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "rds.private.credit", "Credits", (at) + 128, 32, RTAP_DEC, 0, NULL, NULL, NULL },

static const struct rtap_field rds_fields[] = {
	{ "rds.private.saddr", "Source Address", 0, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "rds.private.daddr", "Destination Address", 32, 32, RTAP_IPV4, 0, NULL, NULL, NULL },
	RDS_ROWS(64)
};

const struct protocol rds_private_protocol = {
	.table = { "rds_private", "RDS Connection Parameters", "Linux, net/rds/ib.h", RDS_PRIVATE_LENGTH, FIELDS(rds_fields) },
};

static const struct rtap_field rds_ipv6_fields[] = {
	{ "rds.private.saddr6", "Source Address", 0, 128, RTAP_IPV6, 0, NULL, NULL, NULL },
	{ "rds.private.daddr6", "Destination Address", 128, 128, RTAP_IPV6, 0, NULL, NULL, NULL },
	RDS_ROWS(256)
};

const struct protocol rds_private_ipv6_protocol = {
	.table = { "rds_private_ipv6", "RDS Connection Parameters, IPv6", "Linux, net/rds/ib.h", RDS_IPV6_LENGTH, FIELDS(rds_ipv6_fields) },
};

/* A number as the sender's processor has it; nearly all have the least significant byte first. */
#define RDS_REJECT_LENGTH 4

static const struct rtap_name rds_reject_names[] = { { 1, "incompatible version" }, { 0, NULL } };

static bool derive_rds_reject(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *bytes = layer_bytes(packet, layer);

	value->number = little32(bytes);
	return true;
}

static const struct rtap_field rds_reject_fields[] = {
	{ "rds.private.error", "Error", 0, 32, RTAP_DEC, 0, rds_reject_names, derive_rds_reject, NULL },
};

const struct protocol rds_reject_protocol = {
	.table = { "rds_reject", "RDS Connection Reject", "Linux, net/rds/rdma_transport.c", RDS_REJECT_LENGTH, FIELDS(rds_reject_fields) },
};

/* By consumer: the protocols of the private data in a REQ, a REP, a REJ. */
static const struct {
	uint16_t request, reply, reject;
} formats[RTAP_CM_CONSUMER_COUNT] = {
	[RTAP_CM_CONSUMER_UNKNOWN] = { PROTOCOL_NONE, PROTOCOL_NONE, PROTOCOL_NONE },
	[RTAP_CM_CONSUMER_OTHER] = { PROTOCOL_NONE, PROTOCOL_NONE, PROTOCOL_NONE },
	[RTAP_CM_CONSUMER_NFS] = { PROTOCOL_NONE, PROTOCOL_NONE, PROTOCOL_NONE },
	[RTAP_CM_CONSUMER_SMB_DIRECT] = { PROTOCOL_NONE, PROTOCOL_NONE, PROTOCOL_NONE },
	[RTAP_CM_CONSUMER_NVME] = { PROTOCOL_NVME_PRIVATE, PROTOCOL_NVME_ACCEPT, PROTOCOL_NVME_REJECT },
	[RTAP_CM_CONSUMER_ISER] = { PROTOCOL_ISER_PRIVATE, PROTOCOL_ISER_PRIVATE, PROTOCOL_NONE },
	[RTAP_CM_CONSUMER_SRP] = { PROTOCOL_SRP_LOGIN, PROTOCOL_SRP_LOGIN_RESPONSE, PROTOCOL_SRP_LOGIN_REJECT },
	[RTAP_CM_CONSUMER_SRP_RDMA_CM] = { PROTOCOL_SRP_LOGIN_RDMA_CM, PROTOCOL_SRP_LOGIN_RESPONSE, PROTOCOL_SRP_LOGIN_REJECT },
	[RTAP_CM_CONSUMER_LNET] = { PROTOCOL_NONE, PROTOCOL_NONE, PROTOCOL_NONE }, /* by its byte order */
	[RTAP_CM_CONSUMER_RDS] = { PROTOCOL_RDS_PRIVATE, PROTOCOL_RDS_PRIVATE, PROTOCOL_RDS_REJECT },
	[RTAP_CM_CONSUMER_RDS_IPV6] = { PROTOCOL_RDS_PRIVATE_IPV6, PROTOCOL_RDS_PRIVATE_IPV6, PROTOCOL_RDS_REJECT },
	[RTAP_CM_CONSUMER_RTRS] = { PROTOCOL_RTRS_CONN_REQ, PROTOCOL_RTRS_CONN_RSP, PROTOCOL_RTRS_CONN_RSP },
};

const char *cm_consumer_name(uint8_t consumer)
{
	static const char *const names[] = {
#define NAME(identifier, name) name,
		RTAP_CM_CONSUMERS(NAME)
#undef NAME
	};

	return consumer < RTAP_CM_CONSUMER_COUNT ? names[consumer] : NULL;
}

/* The consumer that a REQ requests: by its port, else by its content. */
static enum rtap_cm_consumer requested_consumer(const struct parse *parse, const uint8_t *bytes, uint32_t length)
{
	const struct rtap_cm_facts *facts = &parse->packet->cm;

	if (facts->service_id >> 24 == CM_IP_SERVICE_PREFIX)
		switch (facts->destination_port) {
		case NVME_PORT:
		case NVME_PORT_DISCOVERY: return RTAP_CM_CONSUMER_NVME;
		case PORT_ISCSI: return RTAP_CM_CONSUMER_ISER;
		case RDS_PORT:
		case RDS_PORT_OLD:
			if (!facts->address_length)
				return RTAP_CM_CONSUMER_OTHER;
			return facts->address_length == 4 ? RTAP_CM_CONSUMER_RDS : RTAP_CM_CONSUMER_RDS_IPV6;
		case RPCRDMA_PORT: return RTAP_CM_CONSUMER_NFS;
		case PORT_SMB:
		case PORT_SMB_DIRECT: return RTAP_CM_CONSUMER_SMB_DIRECT;
		case RTRS_PORT:
			if (rtrs_private_recognise(bytes, length, true))
				return RTAP_CM_CONSUMER_RTRS;
			break;
		default: break;
		}
	if (parse->context->no_heuristics && facts->service_id != CM_TCP_SERVICE(LNET_PORT))
		return RTAP_CM_CONSUMER_OTHER;
	if (lnet_is_request(bytes, length))
		return RTAP_CM_CONSUMER_LNET;
	if (parse->context->no_heuristics)
		return RTAP_CM_CONSUMER_OTHER;
	if (rtrs_private_recognise(bytes, length, false))
		return RTAP_CM_CONSUMER_RTRS;
	if (is_srp(bytes, length))
		return RTAP_CM_CONSUMER_SRP;
	return is_srp_rdma_cm(bytes, length) ? RTAP_CM_CONSUMER_SRP_RDMA_CM : RTAP_CM_CONSUMER_OTHER;
}

static uint16_t reject_format(uint8_t consumer, const uint8_t *bytes, uint32_t length)
{
	return consumer == RTAP_CM_CONSUMER_LNET ? lnet_private_protocol(bytes, length, true) : formats[consumer].reject;
}

uint16_t cm_consumer_protocol(const struct parse *parse, const uint8_t *bytes, uint32_t length)
{
	struct rtap_cm_facts *facts = &parse->packet->cm;

	switch (facts->attribute) {
	case CM_REQ:
		facts->consumer = (uint8_t)requested_consumer(parse, bytes, length);
		return facts->consumer == RTAP_CM_CONSUMER_LNET ? lnet_private_protocol(bytes, length, false) : formats[facts->consumer].request;
	case CM_REP:
		facts->consumer = parse->context->cm_consumer;
		return facts->consumer == RTAP_CM_CONSUMER_LNET ? lnet_private_protocol(bytes, length, false) : formats[facts->consumer].reply;
	case CM_REJ:
		facts->consumer = parse->context->cm_consumer;
		/* no private data: the consumer sent none, or the rejection is communication management's own. 12.6.7.2 */
		return facts->reject_reason == CM_CONSUMER_REJECT && !is_zero(bytes, length) ? reject_format(facts->consumer, bytes, length) : PROTOCOL_NONE;
	default:
		return PROTOCOL_NONE;
	}
}
