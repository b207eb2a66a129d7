/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of RPC-over-RDMA: RFC 8166, its private data (RFC 8797), its use in both directions (RFC 8167) and by NFS (RFC 8267).
 */
#ifndef OUTPUT_CHECK_RPCRDMA_RULES_H
#define OUTPUT_CHECK_RPCRDMA_RULES_H

/* X(identifier, id, severity, section, title, what the standard demands) */
#define RPCRDMA_RULES(X) \
	X(RPCRDMA_VERSION, "rpcrdma-version", WARNING, "RFC 8166, 4.2.2", "version", "the version is 1") \
	X(RPCRDMA_TYPE, "rpcrdma-type", ERROR, "RFC 8166, 4.2.4", "unknown message type", "the type is RDMA_MSG, RDMA_NOMSG or RDMA_ERROR") \
	X(RPCRDMA_RESERVED_TYPE, "rpcrdma-reserved-type", ERROR, "RFC 8166, section 6", "RDMA_MSGP or RDMA_DONE", \
	  "senders do not send RDMA_MSGP and RDMA_DONE") \
	X(RPCRDMA_CHUNK_LIST, "rpcrdma-chunk-list", ERROR, "RFC 8166, 4.3", "chunk lists that contradict the message", \
	  "the lists fit into the message, and each item is 0 or 1 before its content") \
	X(RPCRDMA_XID, "rpcrdma-xid", ERROR, "RFC 8166, 4.2.1", "XID of another RPC message", "the header has the XID of its RPC message") \
	X(RPCRDMA_GRANT_ZERO, "rpcrdma-grant-zero", ERROR, "RFC 8166, 3.3.1", "no credits granted", "the granted value is not 0") \
	X(RPCRDMA_CREDITS, "rpcrdma-credits", ERROR, "RFC 8166, 3.3.1; 3.3.3", "more calls than credits", \
	  "no more calls are outstanding than the responder granted; one before its first reply") \
	X(RPCRDMA_INLINE, "rpcrdma-inline", ERROR, "RFC 8166, 3.3.2; RFC 8797, 4.2", "SEND above the inline threshold", \
	  "a SEND has at most the sender's send size and the receiver's receive size, by default 1024 bytes") \
	X(RPCRDMA_POSITION, "rpcrdma-position", ERROR, "RFC 8166, 3.4.5", "position of a read chunk", "the position is a multiple of 4") \
	X(RPCRDMA_POSITION_ZERO, "rpcrdma-position-zero", ERROR, "RFC 8166, 3.5.3", "position-zero read chunk", \
	  "an RDMA_NOMSG call has a read chunk at position 0, and RDMA_MSG has none") \
	X(RPCRDMA_READ_ROUNDUP, "rpcrdma-read-roundup", ERROR, "RFC 8166, 3.4.5.2", "length of a read chunk", \
	  "a read chunk is as long as its data item, with or without the roundup padding") \
	X(RPCRDMA_WRITE_ROUNDUP, "rpcrdma-write-roundup", ERROR, "RFC 8166, 3.4.6.2", "length of a returned write chunk", \
	  "a returned write chunk is as long as its data item, without the roundup padding") \
	X(RPCRDMA_PAYLOAD_PAD, "rpcrdma-payload-pad", ERROR, "RFC 8166, 3.4.4.4", "payload stream that is not aligned", \
	  "the padding of a data item in a chunk is removed, so that the payload stream is a multiple of 4 bytes") \
	X(RPCRDMA_LONG_PAD, "rpcrdma-long-pad", ERROR, "RFC 8166, 3.5.3", "long call without XDR roundup", \
	  "a position-zero read chunk has the roundup padding") \
	X(RPCRDMA_NOMSG_EMPTY, "rpcrdma-nomsg-empty", ERROR, "RFC 8166, 4.2.4", "RDMA_NOMSG without a chunk for the message", \
	  "one of the lists holds the payload stream") \
	X(RPCRDMA_REPLY_READ, "rpcrdma-reply-read", ERROR, "RFC 8166, 4.3.1", "read chunks in a reply", "the read list of a reply is empty") \
	X(RPCRDMA_WRITE_COPY, "rpcrdma-write-copy", ERROR, "RFC 8166, 3.4.6", "write chunks that the call does not have", \
	  "a reply returns the call's write chunks: same segments, lengths not larger") \
	X(RPCRDMA_REPLY_COPY, "rpcrdma-reply-copy", ERROR, "RFC 8166, 4.3.3", "a reply chunk that the call does not have", \
	  "a reply returns the call's reply chunk: same segments, lengths not larger") \
	X(RPCRDMA_DUPLICATE_XID, "rpcrdma-duplicate-xid", WARNING, "RFC 8166, 4.2.1; RFC 8881, 2.9.2", "XID of an outstanding call", \
	  "a call with an XID that is outstanding is not sent on the same connection") \
	X(RPCRDMA_REPLY_TWICE, "rpcrdma-reply-twice", ERROR, "RFC 8166, 4.2.1", "second reply to a call", "a call has one reply") \
	X(RPCRDMA_INVALIDATE, "rpcrdma-invalidate", ERROR, "RFC 8797, 4.1", "remote invalidation that is not agreed on", \
	  "SEND with Invalidate is used only if both ends set R in their private data") \
	X(RPCRDMA_INVALIDATE_KEY, "rpcrdma-invalidate-key", ERROR, "RFC 8797, 4.1", "invalidated key of another call", \
	  "a reply invalidates a key of its call's chunks") \
	X(RPCRDMA_KEY_REUSED, "rpcrdma-key-reused", ERROR, "RFC 8797, 3.2", "key used after its invalidation", \
	  "an invalidated key is not used until a call offers it again") \
	X(RPCRDMA_PRIVATE, "rpcrdma-private", WARNING, "RFC 8797, section 4", "private data", "the reserved flags are 0") \
	X(RPCRDMA_ERROR_CODE, "rpcrdma-error-code", ERROR, "RFC 8166, 4.5", "error code", "the code is ERR_VERS or ERR_CHUNK") \
	X(RPCRDMA_ERROR_VERSIONS, "rpcrdma-error-versions", ERROR, "RFC 8166, 4.5.1", "versions of ERR_VERS", \
	  "the range is not empty and does not contain the version that is refused") \
	X(RPCRDMA_ERROR_SENDER, "rpcrdma-error-sender", ERROR, "RFC 8166, 4.2.4", "RDMA_ERROR of a requester", "a requester does not send RDMA_ERROR") \
	X(RPCRDMA_REVERSE_EARLY, "rpcrdma-reverse-early", ERROR, "RFC 8167, section 6", "call of the server before the client's first call", \
	  "calls in the reverse direction follow after the client indicated that it takes them") \
	X(RPCRDMA_NFS_CHUNK, "rpcrdma-nfs-chunk", ERROR, "RFC 8267, 4.1", "read chunk for data that may not be in one", \
	  "of NFSv3, only the data of WRITE and the path of SYMLINK go into read chunks")

struct subject;

/* Checks a packet with RPC-over-RDMA headers, or with an RDMA operation on a connection that has them. */
void rpcrdma_rules_packet(struct subject *subject);

#endif
