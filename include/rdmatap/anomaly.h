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
	X(MALFORMED, "malformed", "this header does not fit into the bytes that the headers before it leave") \
	X(TOO_MANY_LAYERS, "too_many_layers", "more headers than are followed") \
	X(LENGTH_BEYOND_FRAME, "length_beyond_frame", "a length field says more bytes than the frame had") \
	X(LENGTH_TOO_SHORT, "length_too_short", "a length field says less than its own header needs") \
	X(LENGTH_BEYOND_PLACE, "length_beyond_place", "a length field says more bytes than the header has a place for") \
	X(BAD_VERSION, "bad_version", "a version field has a value that the standard does not allow here") \
	X(BAD_ICRC, "bad_icrc", "the invariant CRC is wrong") \
	X(BAD_VCRC, "bad_vcrc", "the variant CRC is wrong") \
	X(UNKNOWN_OPCODE, "unknown_opcode", "an opcode that the standard reserves") \
	X(PAD_BEYOND_PAYLOAD, "pad_beyond_payload", "more pad bytes than payload") \
	X(BAD_CHUNK_LIST, "bad_chunk_list", "a chunk list that contradicts itself or the message's length") \
	X(XID_MISMATCH, "xid_mismatch", "the RPC message has another XID than its RPC-over-RDMA header") \
	X(FRAGMENT_OVERLAP, "fragment_overlap", "an IP fragment that contradicts another: other bytes at the same place, or another end") \
	X(TCP_OVERLAP_DIFFERS, "tcp_overlap_differs", "a TCP segment whose bytes are not those that another had at the same place") \
	X(BAD_FPDU_CRC, "bad_fpdu_crc", "the CRC of an FPDU is wrong") \
	X(FPDU_RECOVERED, "fpdu_recovered", "where FPDUs begin was not known and had to be found again") \
	X(SKEWED_MARKERS, "skewed_markers", "markers do not stand, or do not point, as the standard says") \
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
