/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of InfiniBand and RoCE for single packets, and the table of all rules of InfiniBand.
 */
#ifndef OUTPUT_CHECK_IB_RULES_H
#define OUTPUT_CHECK_IB_RULES_H

/* X(identifier, id, severity, section, title, what the standard demands) */
#define IB_RULES(X) \
	X(IB_VERSION, "ib-version", ERROR, "IBTA vol. 1, 9.2", "transport header version", "TVer is 0") \
	X(IB_LRH_VERSION, "ib-lrh-version", ERROR, "IBTA vol. 1, 7.7", "link header version", "LVer is 0") \
	X(IB_GRH_VERSION, "ib-grh-version", ERROR, "IBTA vol. 1, 8.3", "global route header version", "IPVer is 6") \
	X(IB_OPCODE, "ib-opcode", ERROR, "IBTA vol. 1, 9.2.1, table 38", "reserved opcode", "only opcodes of the table are sent") \
	X(IB_PAD_PARTIAL, "ib-pad-partial", ERROR, "IBTA vol. 1, 9.2", "pad count without a partial word", \
	  "PadCnt is 0 in First and Middle packets and in packets without payload") \
	X(IB_PAD_EXCESS, "ib-pad-excess", ERROR, "IBTA vol. 1, 9.2", "more pad bytes than payload", "the pad aligns the payload to 4 bytes") \
	X(IB_ALIGNMENT, "ib-alignment", ERROR, "IBTA vol. 1, 9.2", "packet of partial words", "payload and pad are a multiple of 4 bytes") \
	X(IB_NO_PAYLOAD, "ib-no-payload", ERROR, "IBTA vol. 1, 9.4", "payload in a packet that has none", \
	  "acknowledges, READ requests, atomics and FLUSH have no payload") \
	X(IB_RESERVED, "ib-reserved", WARNING, "IBTA vol. 1, 9.2", "reserved bits set", "reserved bits of the BTH are sent as 0") \
	X(IB_SOLICITED, "ib-solicited", WARNING, "IBTA vol. 1, 9.2", "solicited event where there is none", \
	  "SE is set only in the last packet of a SEND or of a WRITE with immediate") \
	X(IB_AETH_RESERVED, "ib-aeth-reserved", ERROR, "IBTA vol. 1, 9.7.5.2.1", "reserved syndrome", \
	  "bit 7 of the syndrome is 0, and bits 6 and 5 are not 10") \
	X(IB_NAK_CODE, "ib-nak-code", ERROR, "IBTA vol. 1, 9.7.5.2.2", "reserved NAK code", "NAK codes are 0 to 4") \
	X(IB_MANAGEMENT_QP, "ib-management-qp", ERROR, "IBTA vol. 1, 13.5.1", "QP 0 or 1 without a datagram", "QP 0 and QP 1 take only UD packets") \
	X(IB_GSI_Q_KEY, "ib-gsi-q-key", ERROR, "IBTA vol. 1, 10.2.4", "Q_Key of QP 1", "packets to QP 1 have Q_Key 0x80010000") \
	X(IB_MAD_LENGTH, "ib-mad-length", ERROR, "IBTA vol. 1, 13.4.3", "length of a management datagram", "a MAD has 256 bytes") \
	X(IB_P_KEY_INVALID, "ib-p-key-invalid", ERROR, "IBTA vol. 1, 10.9", "invalid P_Key", "the low 15 bits of a P_Key are not 0") \
	X(IB_P_KEY_CHANGED, "ib-p-key-changed", ERROR, "IBTA vol. 1, 10.9", "P_Key of another partition", \
	  "all packets of a connection have the P_Key of one partition") \
	X(IB_P_KEY_LIMITED, "ib-p-key-limited", ERROR, "IBTA vol. 1, 10.9", "two limited members", \
	  "limited members of a partition do not communicate with each other") \
	X(IB_ICRC, "ib-icrc", ERROR, "IBTA vol. 1, 7.8.1; A17.3.3", "wrong invariant CRC", "the ICRC covers all fields that no hop changes") \
	X(IB_VCRC, "ib-vcrc", ERROR, "IBTA vol. 1, 7.8.2", "wrong variant CRC", "the VCRC covers the packet from the LRH to the ICRC") \
	X(IB_PAYLOAD_MOST, "ib-payload-most", ERROR, "IBTA vol. 1, 9.4.1", "more payload than any MTU", "a packet has at most 4096 bytes of payload") \
	X(IB_DMA_LENGTH, "ib-dma-length", ERROR, "IBTA vol. 1, 9.3.3", "DMA length", "a message has at most 2^31 bytes") \
	X(IB_DMA_PLACE, "ib-dma-place", ERROR, "IBTA vol. 1, 9.4.3", "DMA length against the packet", \
	  "the DMA length of WRITE Only is its payload, that of WRITE First is more") \
	X(IB_ATOMIC_ALIGNMENT, "ib-atomic-alignment", ERROR, "IBTA vol. 1, 9.4.5; A19", "address of an atomic", "the address is a multiple of 8") \
	X(IB_ATOMIC_WRITE_LENGTH, "ib-atomic-write-length", ERROR, "IBTA vol. 1, A19", "length of an ATOMIC WRITE", "an ATOMIC WRITE has 8 bytes") \
	X(IB_CNP, "ib-cnp", ERROR, "IBTA vol. 1, A17.9.3", "contents of a CNP", \
	  "a CNP has BECN set, PSN 0, no other flag but MigReq, and 16 bytes of 0") \
	X(IB_FECN, "ib-fecn", NOTE, "IBTA vol. 1, A17.9", "FECN or BECN in RoCE v2", "RoCE v2 marks congestion by ECN of the IP header; BECN is for CNPs") \
	X(IB_CNP_MARKS, "ib-cnp-marks", NOTE, "IBTA vol. 1, A17.9", "more CNPs than marked packets", "a CNP answers a packet with congestion experienced") \
	X(IB_MTU_VALUE, "ib-mtu-value", ERROR, "IBTA vol. 1, 9.4.1", "First or Middle not of an MTU", \
	  "First and Middle packets have the path MTU: 256, 512, 1024, 2048 or 4096 bytes") \
	X(IB_MTU_CHANGED, "ib-mtu-changed", ERROR, "IBTA vol. 1, 9.4.1", "First and Middle of different lengths", \
	  "all First and Middle packets of a connection have the path MTU") \
	X(IB_MTU_EXCEEDED, "ib-mtu-exceeded", ERROR, "IBTA vol. 1, 9.4.1; 12.7.12", "more payload than the path MTU", \
	  "no packet has more payload than the path MTU of the REQ") \
	X(IB_LAST_EMPTY, "ib-last-empty", ERROR, "IBTA vol. 1, 9.4.1", "Last without payload", "a Last packet has 1 byte to the path MTU") \
	X(IB_OPCODE_SEQUENCE, "ib-opcode-sequence", ERROR, "IBTA vol. 1, 9.4", "order of opcodes", \
	  "a message is one Only packet, or First, any number of Middle, and Last of one kind") \
	X(IB_WRITE_LENGTH, "ib-write-length", ERROR, "IBTA vol. 1, 9.4.3", "length of a WRITE", "the packets of a WRITE carry its DMA length") \
	X(IB_START_PSN, "ib-start-psn", ERROR, "IBTA vol. 1, 12.6.5; 12.6.8", "PSN before the start", \
	  "requests begin with the starting PSN of the REQ or REP") \
	X(IB_MSN_ORDER, "ib-msn-order", ERROR, "IBTA vol. 1, 9.7.7.1", "MSN goes back", "the MSN of later responses is not lower") \
	X(IB_MSN_JUMP, "ib-msn-jump", ERROR, "IBTA vol. 1, 9.7.7.1", "MSN counts too much", \
	  "the MSN grows by one for each message, which takes at least one PSN") \
	X(IB_ACK_UNSENT, "ib-ack-unsent", ERROR, "IBTA vol. 1, 9.7.5.1", "response to a PSN not sent yet", \
	  "a response has the PSN of a request that was received") \
	X(IB_NAK_ACKED, "ib-nak-acked", ERROR, "IBTA vol. 1, 9.7.5.2", "sequence NAK of an acknowledged PSN", \
	  "a sequence NAK has the expected PSN, which was not acknowledged yet") \
	X(IB_RESPONSE_KIND, "ib-response-kind", ERROR, "IBTA vol. 1, 9.7.5.1", "response of another kind than its request", \
	  "READ is answered by READ responses, an atomic by an atomic acknowledge, others by an acknowledge") \
	X(IB_READ_PLACE, "ib-read-place", ERROR, "IBTA vol. 1, 9.7.5.1.1", "READ response out of place", \
	  "Last and Only have the last PSN of the READ, First and Middle do not") \
	X(IB_READ_LENGTH, "ib-read-length", ERROR, "IBTA vol. 1, 9.7.5.1.1", "length of a READ response", \
	  "each response has the path MTU, the last one the rest") \
	X(IB_READ_DEPTH, "ib-read-depth", ERROR, "IBTA vol. 1, 9.7.3.1; 12.7.29", "too many READs and atomics outstanding", \
	  "no more are outstanding than the responder has resources for") \
	X(IB_RNR_EARLY, "ib-rnr-early", ERROR, "IBTA vol. 1, 9.7.5.2.8", "retry before the RNR timer", \
	  "a request is sent again only after the time of the RNR NAK") \
	X(IB_RETRY_COUNT, "ib-retry-count", ERROR, "IBTA vol. 1, 9.9.2.1", "more retries than the retry count", \
	  "a request is retried at most Retry Count times") \
	X(IB_RNR_RETRY_COUNT, "ib-rnr-retry-count", ERROR, "IBTA vol. 1, 9.9.2.1", "more retries than the RNR retry count", \
	  "a request is retried at most RNR Retry Count times after RNR NAKs; 7 means without limit") \
	X(IB_MIGRATION, "ib-migration", WARNING, "IBTA vol. 1, 17.2.8", "MigReq changes without an alternate path", \
	  "MigReq changes only if the connection has an alternate path, by REQ or LAP") \
	X(IB_CM_MTU, "ib-cm-mtu", ERROR, "IBTA vol. 1, 12.7.12", "path MTU of a REQ", "the code of the path MTU is 1 to 5") \
	X(IB_CM_QPN, "ib-cm-qpn", ERROR, "IBTA vol. 1, 12.6.5; 12.6.8", "queue pair of a REQ or REP", "the local QPN is not 0, 1 or 0xffffff")

struct subject;
struct setups;

/* Checks a packet with InfiniBand transport headers. */
void ib_rules_packet(struct subject *subject);

#endif
