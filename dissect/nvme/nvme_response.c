/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Response capsules: the completion queue entry. Its first eight bytes depend on the command. Base, 3.3.3.2 and 4.2.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_features.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/nvme/nvme_properties.h"

/* Kind of the first eight bytes. */
enum result_kind { RESULT_PLAIN, RESULT_CONNECT, RESULT_PROPERTY, RESULT_EVENT, RESULT_FEATURE, RESULT_QUEUES, RESULT_QUEUES_READ };

/* Select in Get Features: the result has the supported capabilities, not the feature's value. Base, 5.15. */
#define SUPPORTED_CAPABILITIES 3

static enum result_kind kind_of_feature(const struct packet_request *request)
{
	if (request->detail >> 8 == SUPPORTED_CAPABILITIES || !nvme_has_attributes((uint8_t)request->detail))
		return RESULT_PLAIN;
	return (uint8_t)request->detail == NVME_FEATURE_QUEUES ? RESULT_QUEUES_READ : RESULT_FEATURE;
}

static enum result_kind kind_of(const struct packet_request *request)
{
	if (!request->is_known)
		return RESULT_PLAIN;
	switch (request->code) {
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT): return RESULT_CONNECT;
	case NVME_CODE(NVME_SPACE_FABRICS, NVME_PROPERTY_GET): return RESULT_PROPERTY;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_ASYNC_EVENT): return RESULT_EVENT;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_FEATURES): return kind_of_feature(request);
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_SET_FEATURES): return (uint8_t)request->detail == NVME_FEATURE_QUEUES ? RESULT_QUEUES : RESULT_PLAIN;
	default: return RESULT_PLAIN;
	}
}

static uint16_t status_of(const uint8_t *response)
{
	return (uint16_t)little_bits(response, NVME_STATUS);
}

/* The layer has all bytes of the response. */
static bool derive_if(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, enum result_kind kind,
		      unsigned at, unsigned width)
{
	value->number = little_bits(layer_bytes(packet, layer), at, width);
	return kind_of(&packet->request) == kind;
}

#define OF_KIND(name, kind, low, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_if(packet, layer, value, kind, low, width); \
	}

OF_KIND(dword0, RESULT_PLAIN, 0, 32)
OF_KIND(dword1, RESULT_PLAIN, 32, 32)
OF_KIND(event_dword1, RESULT_EVENT, 32, 32)
OF_KIND(queues, RESULT_QUEUES, 0, 32)
OF_KIND(submission_queues, RESULT_QUEUES, 0, 16)
OF_KIND(completion_queues, RESULT_QUEUES, 16, 16)
OF_KIND(queues_dword1, RESULT_QUEUES, 32, 32)
OF_KIND(read_submission_queues, RESULT_QUEUES_READ, 0, 16)
OF_KIND(read_completion_queues, RESULT_QUEUES_READ, 16, 16)
OF_KIND(read_queues_dword1, RESULT_QUEUES_READ, 32, 32)
OF_KIND(feature_dword1, RESULT_FEATURE, 32, 32)
OF_KIND(controller, RESULT_CONNECT, 0, 16)
OF_KIND(authentication, RESULT_CONNECT, 16, 16)
OF_KIND(event_type, RESULT_EVENT, 0, 3)
OF_KIND(event_reserved, RESULT_EVENT, 3, 5)
OF_KIND(event_information, RESULT_EVENT, 8, 8)
OF_KIND(event_log, RESULT_EVENT, 16, 8)
OF_KIND(event_reserved1, RESULT_EVENT, 24, 8)

static bool derive_connect_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 4, 4 };
	return kind_of(&packet->request) == RESULT_CONNECT;
}

/* Properties of four and of eight bytes. */
static bool derive_property(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_if(packet, layer, value, RESULT_PROPERTY, 0, 64);
}

/* For a property with a separate layout. */
static bool derive_of_property(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t offset,
			       unsigned low, unsigned width)
{
	return derive_if(packet, layer, value, RESULT_PROPERTY, low, width) && packet->request.detail == offset;
}

#define OF_PROPERTY(name, offset, low, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_of_property(packet, layer, value, offset, low, width); \
	}
#define LISTED_PROPERTY(name, offset, low, width, show, filter, label, names) OF_PROPERTY(property_##name, offset, low, width)

OF_PROPERTY(mqes, 0x00, 0, 16)
OF_PROPERTY(timeout, 0x00, 24, 8)
NVME_PROPERTIES(LISTED_PROPERTY)

/* For a feature with separate bits. */
#define OF_FEATURE(name, feature, low, width, show, filter, label) \
	static bool derive_feature_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_if(packet, layer, value, RESULT_FEATURE, low, width) && (uint8_t)packet->request.detail == (feature); \
	}

NVME_FEATURES(OF_FEATURE)
NVME_SET_FEATURE_RESULTS(OF_FEATURE)

static bool derive_entries(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	bool has = derive_mqes(packet, layer, value);

	value->number++;
	return has;
}

/* In units of 500 ms. */
static bool derive_timeout_ms(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	bool has = layer->length >= 8 && derive_timeout(packet, layer, value);

	value->number *= 500;
	return has;
}

static const struct rtap_name event_names[] = {
	{ 0, "error" }, { 1, "SMART / health" }, { 2, "notice" }, { 3, "immediate" }, { 4, "one-shot" }, { 6, "I/O command set" },
	{ 7, "vendor specific" }, { 0, NULL },
};

/* Status codes: a row for each table of names. */
static bool derive_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, unsigned type)
{
	uint16_t status = status_of(layer_bytes(packet, layer));
	bool is_fabrics = NVME_CODE_SPACE(packet->request.code) == NVME_SPACE_FABRICS && (status & 0xff) >= 0x80;

	value->number = status & 0xff;
	if (type == 1 || type == 4)
		return (status >> 8 & 7) == 1 && is_fabrics == (type == 4);
	return type == 5 ? (status >> 8 & 7) >= 4 : (status >> 8 & 7) == type;
}

#define OF_TYPE(name, type) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_status(packet, layer, value, type); \
	}

OF_TYPE(generic, 0)
OF_TYPE(specific, 1)
OF_TYPE(media, 2)
OF_TYPE(path, 3)
OF_TYPE(fabrics, 4)
OF_TYPE(vendor, 5)

static bool derive_command_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = packet->request.frame;
	return packet->request.frame;
}

static bool derive_fabrics_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_command_frame(packet, layer, value) && NVME_CODE_SPACE(packet->request.code) == NVME_SPACE_FABRICS;
}

static bool derive_latency(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = (uint64_t)(packet->frame->time_ns - packet->request.time_ns);
	return packet->request.frame;
}

#define SOME(name, label, place, show, names, derive) { name, label, place, show, RTAP_LITTLE | RTAP_SOMETIMES, names, derive, NULL }
#define QUEUES(name, label, low, derive) SOME("nvme.cqe.dword0." name, label, NVME_AT(0, low, 16), RTAP_DEC, NULL, derive)
#define FEATURE_ROW(name, feature, low, width, show, filter, label) \
	{ "nvme.cqe.dword0.get_features." filter, label, NVME_AT(0, low, width), show, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_COMPARED, NULL, \
	  derive_feature_##name, NULL },
#define PROPERTY_ROW(name, offset, low, width, show, filter, label, names) \
	SOME("nvme.fabrics." filter, label, NVME_AT(0, low, width), show, names, derive_property_##name),
#define STATUS_CODE 113, 8

static const struct rtap_field response_fields[] = {
	SOME("nvme.cqe.dword0", "Dword 0", NVME_AT(0, 0, 32), RTAP_HEX, NULL, derive_dword0),
	SOME("nvme.cqe.dword1", "Dword 1", NVME_AT(1, 0, 32), RTAP_HEX, NULL, derive_dword1),
	{ "nvme.fabrics.cqe.connect.cntrlid", "Controller Identifier", NVME_AT(0, 0, 16), RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_controller, NULL },
	SOME("nvme.fabrics.cqe.connect.authreq", "Authentication Required", NVME_AT(0, 16, 16), RTAP_HEX, NULL, derive_authentication),
	{ "nvme.fabrics.cqe.connect.rsvd", "Reserved", 32, 32, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_connect_reserved, NULL },
	SOME("nvme.fabrics.prop_get_set.data.8B", "Property Value", NVME_AT(0, 0, 64), RTAP_HEX, NULL, derive_property),
	{ "nvme.fabrics.prop_get.ccap.mqes", "Maximum Queue Entries Supported", NVME_AT(0, 0, 16), RTAP_DEC, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_WIDER, NULL,
	  derive_entries, NULL },
	{ "nvme.fabrics.prop_get.ccap.to", "Timeout to Ready (ms)", 0, 24, RTAP_DEC, RTAP_SOMETIMES | RTAP_UNPLACED, NULL, derive_timeout_ms, NULL },
	NVME_PROPERTIES(PROPERTY_ROW)
	SOME("nvme.cqe.dword0.aev.aet", "Asynchronous Event Type", NVME_AT(0, 0, 3), RTAP_HEX, event_names, derive_event_type),
	SOME("nvme.cqe.dword0.aev.rsvd0", "Reserved", NVME_AT(0, 3, 5), RTAP_HEX, NULL, derive_event_reserved),
	SOME("nvme.cqe.dword0.aev.aei", "Asynchronous Event Information", NVME_AT(0, 8, 8), RTAP_HEX, NULL, derive_event_information),
	SOME("nvme.cqe.dword0.aev.lpi", "Log Page Identifier", NVME_AT(0, 16, 8), RTAP_HEX, NULL, derive_event_log),
	SOME("nvme.cqe.dword0.aev.rsvd1", "Reserved", NVME_AT(0, 24, 8), RTAP_HEX, NULL, derive_event_reserved1),
	SOME("nvme.cqe.dword1", "Dword 1", NVME_AT(1, 0, 32), RTAP_HEX, NULL, derive_event_dword1),
	SOME("nvme.cqe.dword0.set_features.nq", "Number of Queues", NVME_AT(0, 0, 32), RTAP_HEX, NULL, derive_queues),
	QUEUES("set_features.nq.nsqa", "Number of I/O Submission Queues Allocated less 1", 0, derive_submission_queues),
	QUEUES("set_features.ncqa", "Number of I/O Completion Queues Allocated less 1", 16, derive_completion_queues),
	SOME("nvme.cqe.dword1", "Dword 1", NVME_AT(1, 0, 32), RTAP_HEX, NULL, derive_queues_dword1),
	QUEUES("get_features.nq.nsqa", "Number of I/O Submission Queues Allocated less 1", 0, derive_read_submission_queues),
	QUEUES("get_features.nq.ncqa", "Number of I/O Completion Queues Allocated less 1", 16, derive_read_completion_queues),
	SOME("nvme.cqe.dword1", "Dword 1", NVME_AT(1, 0, 32), RTAP_HEX, NULL, derive_read_queues_dword1),
	NVME_FEATURES(FEATURE_ROW)
	NVME_SET_FEATURE_RESULTS(FEATURE_ROW)
	SOME("nvme.cqe.dword1", "Dword 1", NVME_AT(1, 0, 32), RTAP_HEX, NULL, derive_feature_dword1),
	{ "nvme.cqe.sqhd", "SQ Head Pointer", NVME_SQHD, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	NVME_ROW("nvme.cqe.sqid", "SQ Identifier", NVME_SQID, RTAP_HEX, NULL),
	{ "nvme.cqe.cid", "Command Identifier", NVME_RESPONSE_CID, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	NVME_WHOLE("nvme.cqe.status", "Status Field", NVME_AT(3, 16, 16)),
	NVME_ROW("nvme.cqe.status.p", "Phase Tag (reserved in Fabrics)", NVME_AT(3, 16, 1), RTAP_HEX16, NULL),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, nvme_generic_status_names, derive_generic),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, nvme_specific_status_names, derive_specific),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, nvme_media_status_names, derive_media),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, nvme_path_status_names, derive_path),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, nvme_fabrics_status_names, derive_fabrics),
	SOME("nvme.cqe.status.sc", "Status Code", STATUS_CODE, RTAP_HEX16, NULL, derive_vendor),
	NVME_ROW("nvme.cqe.status.sct", "Status Code Type", NVME_AT(3, 25, 3), RTAP_HEX16, nvme_status_type_names),
	NVME_ROW("nvme.cqe.status.crd", "Command Retry Delay", NVME_AT(3, 28, 2), RTAP_HEX16, NULL),
	NVME_ROW("nvme.cqe.status.m", "More Information in Log Page", NVME_AT(3, 30, 1), RTAP_BOOL, NULL),
	NVME_ROW("nvme.cqe.status.dnr", "Do not Retry", NVME_AT(3, 31, 1), RTAP_BOOL, NULL),
	{ "nvme.fabrics.cmd_pkt", "Fabrics Command in Frame", 0, 64, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED | RTAP_ON_DEMAND, NULL,
	  derive_fabrics_frame, NULL },
	{ "nvme.cmd_pkt", "Command in Frame", 0, 64, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_command_frame, NULL },
	{ "nvme.cmd_latency", "Command Latency", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_latency, NULL },
	NVME_QUEUE_ROW,
};

static enum result parse_response(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *response;
	enum result result;

	packet->request = parse->context->request;
	result = parse_layer(parse, PROTOCOL_NVME_RESPONSE, NVME_RESPONSE_LENGTH, &response);
	if (packet->layers[packet->layer_count - 1].protocol == PROTOCOL_NVME_RESPONSE)
		packet->upper = RTAP_UPPER_NVME;
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static void summary_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct packet_request *request = &packet->request;
	const uint8_t *response = layer_bytes(packet, layer);
	const char *name = request->is_known ? nvme_command_name(request->code) : NULL;
	uint16_t status;

	line_text(line, ": NVMe ");
	if (layer->length < NVME_RESPONSE_LENGTH)
		return;
	if (name) {
		line_text(line, name);
		line_char(line, ' ');
	} else {
		line_text(line, "response CID ");
		line_hex(line, little_bits(response, NVME_RESPONSE_CID), 4);
		line_char(line, ' ');
	}
	status = status_of(response);
	name = nvme_status_name(request->code, status);
	if (name) {
		line_text(line, NVME_STATUS_CODE(status) ? name : "success");
	} else {
		line_text(line, "status ");
		line_hex(line, NVME_STATUS_CODE(status), 3);
	}
	if (status & NVME_STATUS_DNR) {
		char *begin = line->next;

		line_text(line, ", do not retry");
		line_spare(line, begin, LINE_SPARE_DETAIL);
	}
}

const struct protocol nvme_response_protocol = {
	.table = { "nvme.cqe", "NVMe Response", "Base, 3.3.3.2", NVME_RESPONSE_LENGTH, FIELDS(response_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_response,
	.summary = summary_response,
};
