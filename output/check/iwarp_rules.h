/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of iWARP: MPA (RFC 5044, RFC 6581), DDP (RFC 5041) and RDMAP (RFC 5040, RFC 7306).
 */
#ifndef OUTPUT_CHECK_IWARP_RULES_H
#define OUTPUT_CHECK_IWARP_RULES_H

/* X(identifier, id, severity, section, title, what the standard demands) */
#define IWARP_RULES(X) \
	X(MPA_CRC, "mpa-crc", ERROR, "RFC 5044, 4.4", "wrong CRC", "the CRC is the CRC32c of the FPDU with its markers") \
	X(MPA_MARKER, "mpa-marker", ERROR, "RFC 5044, 4.3", "markers out of place", \
	  "a marker follows every 512 bytes of the stream and points to ULPDU_Length") \
	X(MPA_PAD, "mpa-pad", ERROR, "RFC 5044, 4.1", "pad that is not 0", "the pad is 0") \
	X(MPA_LENGTH, "mpa-length", ERROR, "RFC 5044, section 3", "length of a ULPDU", "a ULPDU has at most 64768 bytes") \
	X(MPA_PRIVATE_LENGTH, "mpa-private-length", ERROR, "RFC 5044, 7.1.1", "length of the private data", "there are at most 512 bytes of private data") \
	X(MPA_REVISION, "mpa-revision", ERROR, "RFC 5044, 7.1.1; RFC 6581, section 6", "revision", \
	  "the revision is 1 or 2, and that of the reply is not higher than that of the request") \
	X(MPA_RESERVED, "mpa-reserved", WARNING, "RFC 5044, 7.1.1", "reserved bits of a request or reply", "the reserved bits are 0, and R in a request") \
	X(MPA_ENHANCED, "mpa-enhanced", ERROR, "RFC 6581, section 10", "reply of the other kind than the request", \
	  "an enhanced request has an enhanced reply, another request has not") \
	X(MPA_MODEL, "mpa-model", ERROR, "RFC 6581, 9.2", "connection model of the reply", \
	  "A of the reply is that of the request; without A the flags B, C and D are 0") \
	X(MPA_DEPTH, "mpa-depth", ERROR, "RFC 6581, 9.1", "ORD of the reply", \
	  "the responder's ORD is at most the initiator's IRD; 0x3fff answers 0x3fff") \
	X(MPA_READY, "mpa-ready", ERROR, "RFC 6581, 9.2", "first FPDU of the initiator", \
	  "the first FPDU is an empty message of a type that was negotiated") \
	X(MPA_FIRST, "mpa-first", ERROR, "RFC 5044, 7.1.2", "FPDU of the responder before the initiator's first", \
	  "the responder sends no FPDU before it received one") \
	X(DDP_VERSION, "ddp-version", ERROR, "RFC 5041, 4.1", "DDP version", "the version is 1") \
	X(DDP_RESERVED, "ddp-reserved", WARNING, "RFC 5041, 4.1", "reserved bits of DDP", "the reserved bits are 0") \
	X(DDP_MSN_START, "ddp-msn-start", ERROR, "RFC 5041, 4.3", "first MSN", "the MSN of each queue begins with 1") \
	X(DDP_MSN, "ddp-msn", ERROR, "RFC 5041, 4.3", "order of MSNs", "the MSN of a queue grows by 1 for each message") \
	X(DDP_OFFSET, "ddp-offset", ERROR, "RFC 5041, 5.1", "message offset", "the offset of a segment is the payload of the message before it") \
	X(DDP_TAGGED, "ddp-tagged", ERROR, "RFC 5041, 5.1", "segments of a tagged message", \
	  "the segments of a tagged message have one STag, and offsets that continue") \
	X(DDP_LAST, "ddp-last", ERROR, "RFC 5041, 4.1; 5.2", "message within a message", "a message ends with L before the next one begins") \
	X(RDMAP_VERSION, "rdmap-version", ERROR, "RFC 5040, 4.1", "RDMAP version", "the version is 1, as in revision 1 of MPA") \
	X(RDMAP_RESERVED, "rdmap-reserved", WARNING, "RFC 5040, 4.1", "reserved bits of RDMAP", "the reserved bits are 0") \
	X(RDMAP_OPCODE, "rdmap-opcode", ERROR, "RFC 5040, 4.1; RFC 7306, section 4", "reserved opcode", "opcodes are 0 to 11") \
	X(RDMAP_QUEUE, "rdmap-queue", ERROR, "RFC 5040, figure 4", "tag or queue of another opcode", \
	  "an opcode has the tagged flag and the queue of the table") \
	X(RDMAP_STAG, "rdmap-stag", ERROR, "RFC 5040, 4.1", "Invalidate STag where there is none", "the field is 0 in all but Sends with Invalidate") \
	X(RDMAP_SINGLE, "rdmap-single", ERROR, "RFC 5040, 4.4; RFC 7306, section 5", "length of a message of one segment", \
	  "Read Requests, atomics and immediate data are one segment of their header") \
	X(RDMAP_UNREQUESTED, "rdmap-unrequested", ERROR, "RFC 5040, 5.2.2", "Read Response that was not requested", \
	  "a Read Response answers a Read Request") \
	X(RDMAP_READ_DEPTH, "rdmap-read-depth", ERROR, "RFC 5040, 6.1; RFC 6581, 9.1", "too many Read Requests outstanding", \
	  "no more are outstanding than the IRD of the other end") \
	X(RDMAP_TERMINATE_LAYOUT, "rdmap-terminate-layout", ERROR, "RFC 5040, 4.8", "order of the bits of a Terminate", \
	  "Layer is in the high bits of the first byte, M, D and R in those of the third") \
	X(RDMAP_TERMINATE_CODE, "rdmap-terminate-code", ERROR, "RFC 5040, 4.8; RFC 7306, section 9", "undefined error of a Terminate", \
	  "layer, type and code are those of the table") \
	X(RDMAP_TERMINATED, "rdmap-terminated", ERROR, "RFC 5040, 5.4", "message after a Terminate", "nothing is sent after a Terminate")

struct subject;

/* Checks a TCP segment of an iWARP connection. */
void iwarp_rules_packet(struct subject *subject);

#endif
