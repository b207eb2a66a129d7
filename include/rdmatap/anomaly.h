/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Anomalies of packets. Static tables: any number of threads may read them.
 */
#ifndef RDMATAP_ANOMALY_H
#define RDMATAP_ANOMALY_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* X(identifier, name in output and filters, meaning) */
#define RTAP_ANOMALIES(X) \
	X(TRUNCATED, "truncated", "the capture cut the packet off inside this header") \
	X(MALFORMED, "malformed", "the header does not fit into the bytes left by the headers before it") \
	X(TOO_MANY_LAYERS, "too_many_layers", "more nested headers than rdmatap dissects") \
	X(LENGTH_BEYOND_FRAME, "length_beyond_frame", "a length field exceeds the frame") \
	X(LENGTH_TOO_SHORT, "length_too_short", "a length field is smaller than its own header") \
	X(LENGTH_BEYOND_PLACE, "length_beyond_place", "a length field exceeds its space in the header") \
	X(BAD_VERSION, "bad_version", "a version field has a value that the standard does not allow here") \
	X(BAD_ICRC, "bad_icrc", "the invariant CRC is wrong") \
	X(BAD_VCRC, "bad_vcrc", "the variant CRC is wrong") \
	X(UNKNOWN_OPCODE, "unknown_opcode", "a reserved opcode") \
	X(PAD_BEYOND_PAYLOAD, "pad_beyond_payload", "more pad bytes than payload") \
	X(BAD_CHUNK_LIST, "bad_chunk_list", "a chunk list inconsistent with itself or with the message's length") \
	X(XID_MISMATCH, "xid_mismatch", "the XIDs of the RPC message and its RPC-over-RDMA header differ") \
	X(FRAGMENT_OVERLAP, "fragment_overlap", "overlapping IP fragments with different bytes, or with different ends") \
	X(TCP_OVERLAP_DIFFERS, "tcp_overlap_differs", "a TCP segment overlaps an earlier one with different bytes") \
	X(BAD_FPDU_CRC, "bad_fpdu_crc", "the CRC of an FPDU is wrong") \
	X(FPDU_RECOVERED, "fpdu_recovered", "FPDUs after a place where their alignment was lost and found") \
	X(SKEWED_MARKERS, "skewed_markers", "MPA markers at wrong positions or with wrong pointers") \
	X(PRIVATE_DATA_TOO_LONG, "private_data_too_long", "more private data than MPA allows") \
	X(UNKNOWN_LINK_TYPE, "unknown_link_type", "a link type that is not dissected")

enum rtap_anomaly_code {
#define RTAP_ANOMALY_CODE(identifier, name, meaning) RTAP_ANOMALY_##identifier,
	RTAP_ANOMALIES(RTAP_ANOMALY_CODE)
#undef RTAP_ANOMALY_CODE
	RTAP_ANOMALY_CODES
};

/* Name ("bad_icrc") and meaning of an anomaly; "unknown" for an unassigned code. */
const char *rtap_anomaly_name(enum rtap_anomaly_code code);
const char *rtap_anomaly_meaning(enum rtap_anomaly_code code);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
