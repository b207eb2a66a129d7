/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Terminate: its two layouts, and the errors that it can report. RFC 5040, 4.8; RFC 5041, 7.2; RFC 5044, section 8; RFC 6581.
 */
#include "config.h"

#include "dissect/engine/cursor.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/terminate.h"

const struct rtap_name rdmap_opcode_names[] = {
	{ 0, "Write" }, { 1, "Read Request" }, { 2, "Read Response" }, { 3, "Send" }, { 4, "Send with Invalidate" },
	{ 5, "Send with SE" }, { 6, "Send with SE and Invalidate" }, { 7, "Terminate" }, { 8, "Immediate Data" },
	{ 9, "Immediate Data with SE" }, { 10, "Atomic Request" }, { 11, "Atomic Response" }, { 0, NULL },
};

const struct rtap_name rdmap_atomic_names[] = { { 0, "FetchAdd" }, { 2, "CmpSwap" }, { 0, NULL } };
const struct rtap_name rdmap_layer_names[] = { { 0, "RDMA" }, { 1, "DDP" }, { 2, "LLP" }, { 0, NULL } };

const struct rtap_name rdmap_type_names[] = {
	{ 0, "Local Catastrophic Error" }, { 1, "Remote Protection Error" }, { 2, "Remote Operation Error" }, { 0, NULL },
};

const struct rtap_name ddp_type_names[] = {
	{ 0, "Local Catastrophic Error" }, { 1, "Tagged Buffer Error" }, { 2, "Untagged Buffer Error" },
	{ 3, "Reserved for the LLP" }, { 0, NULL },
};

const struct rtap_name llp_type_names[] = { { 0, "MPA Error" }, { 0, NULL } };

/* Codes of two error types share numbers only where they share names. */
const struct rtap_name rdmap_code_names[] = {
	{ 0x00, "Invalid STag" }, { 0x01, "Base or bounds violation" }, { 0x02, "Access rights violation" },
	{ 0x03, "STag not associated with RDMAP Stream" }, { 0x04, "TO wrap" }, { 0x05, "Invalid RDMAP version" },
	{ 0x06, "Unexpected OpCode" }, { 0x07, "Catastrophic error, localized to RDMAP Stream" }, { 0x08, "Catastrophic error, global" },
	{ 0x09, "STag cannot be invalidated" }, { 0xff, "Unspecified error" }, { 0, NULL },
};

const struct rtap_name ddp_tagged_code_names[] = {
	{ 0x00, "Invalid STag" }, { 0x01, "Base or bounds violation" }, { 0x02, "STag not associated with DDP Stream" },
	{ 0x03, "TO wrap" }, { 0x04, "Invalid DDP version" }, { 0, NULL },
};

const struct rtap_name ddp_untagged_code_names[] = {
	{ 0x01, "Invalid QN" }, { 0x02, "Invalid MSN: no buffer available" }, { 0x03, "Invalid MSN: range is not valid" },
	{ 0x04, "Invalid MO" }, { 0x05, "DDP Message too long for available buffer" }, { 0x06, "Invalid DDP version" }, { 0, NULL },
};

const struct rtap_name llp_code_names[] = {
	{ 0x01, "TCP connection closed, terminated or lost" }, { 0x02, "MPA CRC error" },
	{ 0x03, "MPA Marker and ULPDU Length field mismatch" }, { 0x04, "Invalid MPA Request Frame or MPA Response Frame" },
	{ 0x05, "Local catastrophic error" }, { 0x06, "Insufficient IRD resources" }, { 0x07, "No matching RTR option" }, { 0, NULL },
};

const char *rdmap_code_name(uint8_t layer, uint8_t type, uint8_t code)
{
	static const char catastrophic[] = "local catastrophic error";

	switch (layer << 4 | type) {
	case TERMINATE_LAYER_RDMA << 4:
		return catastrophic;
	case TERMINATE_LAYER_RDMA << 4 | 1:
		return code <= 4 || code >= 9 ? rtap_name_of(rdmap_code_names, code) : NULL;
	case TERMINATE_LAYER_RDMA << 4 | 2:
		return code >= 5 ? rtap_name_of(rdmap_code_names, code) : NULL;
	case TERMINATE_LAYER_DDP << 4:
		return code ? NULL : catastrophic;
	case TERMINATE_LAYER_DDP << 4 | 1:
		return rtap_name_of(ddp_tagged_code_names, code);
	case TERMINATE_LAYER_DDP << 4 | 2:
		return rtap_name_of(ddp_untagged_code_names, code);
	case TERMINATE_LAYER_LLP << 4:
		return rtap_name_of(llp_code_names, code);
	default:
		return NULL;
	}
}

#define TERMINATE_LENGTH 4
#define SEGMENT_LENGTH_LENGTH 2
#define READ_LENGTH 28

static void read_standard(const uint8_t *header, struct iwarp_terminate *terminate)
{
	*terminate = (struct iwarp_terminate){
		.layer = header[0] >> 4, .type = header[0] & 0xf, .code = header[1],
		.segment_length_valid = header[2] & 0x80, .ddp_included = header[2] & 0x40, .rdma_included = header[2] & 0x20,
		.reserved = load16(header + 2) & 0x1fff,
	};
}

/* soft-iWARP numbers the bits of a byte from the other end */
static void read_soft(const uint8_t *header, struct iwarp_terminate *terminate)
{
	*terminate = (struct iwarp_terminate){
		.soft = true, .layer = header[0] & 0xf, .type = header[0] >> 4, .code = header[1],
		.segment_length_valid = header[2] & 1, .ddp_included = header[2] & 2, .rdma_included = header[2] & 4,
		.reserved = load16(header + 2) & 0xf8ff,
	};
}

/*
 * Finds the parts after the header; false if they need more bytes than the message has. The T bit of the DDP header determines
 * its length. soft-iWARP sets R for a Send with Invalidate too, without the 28 bytes.
 */
static bool find_parts(const uint8_t *header, uint32_t captured, uint32_t wire, struct iwarp_terminate *terminate)
{
	uint32_t at = 0, length;

	if (terminate->segment_length_valid || terminate->ddp_included) {
		if (wire < SEGMENT_LENGTH_LENGTH)
			return false;
		if (captured >= SEGMENT_LENGTH_LENGTH)
			terminate->segment_length_at = TERMINATE_LENGTH;
		at = SEGMENT_LENGTH_LENGTH;
	}
	if (terminate->ddp_included) {
		if (at >= captured)
			return wire > captured;
		length = header[TERMINATE_LENGTH + at] & 0x80 ? DDP_TAGGED_LENGTH : DDP_UNTAGGED_LENGTH;
		if (wire - at < length)
			return false;
		if (captured - at >= length) {
			terminate->ddp_at = TERMINATE_LENGTH + at;
			terminate->ddp_length = length;
		}
		at += length;
	}
	if (terminate->rdma_included && wire >= at + READ_LENGTH && captured >= at + READ_LENGTH)
		terminate->rdma_at = TERMINATE_LENGTH + at;
	return true;
}

/* Whether a message ends where its parts do. */
static bool is_filled(const struct iwarp_terminate *terminate, uint32_t wire)
{
	uint32_t end = terminate->rdma_at ? terminate->rdma_at + READ_LENGTH : terminate->ddp_at ? terminate->ddp_at + terminate->ddp_length :
		       terminate->segment_length_at ? terminate->segment_length_at + SEGMENT_LENGTH_LENGTH : TERMINATE_LENGTH;

	return end == TERMINATE_LENGTH + wire;
}

void iwarp_read_terminate(const uint8_t *header, uint32_t captured, uint32_t wire, struct iwarp_terminate *terminate)
{
	struct iwarp_terminate soft;
	bool fits, soft_fits;

	read_standard(header, terminate);
	fits = find_parts(header, captured, wire, terminate);
	read_soft(header, &soft);
	soft_fits = find_parts(header, captured, wire, &soft) && (is_filled(&soft, wire) || captured < wire);
	if (header[2] & 0xe0)
		return;
	if (header[2] & 0x07) {
		if (soft_fits)
			*terminate = soft;
		return;
	}
	/* no headers are included, so that only the error itself distinguishes the layouts */
	if (fits && !rdmap_code_name(terminate->layer, terminate->type, terminate->code) &&
	    rdmap_code_name(soft.layer, soft.type, soft.code))
		*terminate = soft;
}
