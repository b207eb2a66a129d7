/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of NVMe over Fabrics, SRP and iSCSI over iSER.
 */
#ifndef OUTPUT_CHECK_STORAGE_RULES_H
#define OUTPUT_CHECK_STORAGE_RULES_H

/* X(identifier, id, severity, section, title, what the standard demands) */
#define STORAGE_RULES(X) \
	X(NVME_SGL, "nvme-sgl", ERROR, "NVMe Base 2.0, 3.3.3.1; 4.1.2", "data pointer of a command", \
	  "over fabrics PSDT is 01b, and the descriptor is data or a segment at an offset in the capsule, keyed, or a transport one") \
	X(NVME_CID, "nvme-cid", ERROR, "NVMe Base 2.0, 3.3.3.1", "CID of an outstanding command", "the CIDs of a queue's outstanding commands differ") \
	X(NVME_RESPONSE, "nvme-response", ERROR, "NVMe Base 2.0, 3.3.3.2", "response to no command", "a response has the CID of an outstanding command") \
	X(NVME_HEAD, "nvme-head", ERROR, "NVMe Base 2.0, 3.3.3.2", "submission queue head", "SQHD is below the size of the queue") \
	X(NVME_QUEUE, "nvme-queue", ERROR, "NVMe over Fabrics 1.1, 7.3.6", "more commands than the queue holds", \
	  "no more commands are outstanding than the queue has entries") \
	X(NVME_CONNECT, "nvme-connect", ERROR, "NVMe Base 2.0, 6.3", "first command of a queue", "the first command of a queue is Connect") \
	X(SRP_CREDITS, "srp-credits", ERROR, "SRP, 4.5", "request above the request limit", \
	  "an initiator sends a request only if its request limit is above 0") \
	X(SRP_TAG, "srp-tag", ERROR, "SRP, 6.1", "tag of an outstanding request", "the tags of outstanding requests differ") \
	X(SRP_ANSWER, "srp-response", ERROR, "SRP, 6.9", "response to no command", "a response has the tag of an outstanding request") \
	X(ISCSI_WINDOW, "iscsi-window", ERROR, "RFC 7143, 4.2.2.1", "command outside of the window", "the CmdSN of a command is at most MaxCmdSN") \
	X(ISCSI_ORDER, "iscsi-order", ERROR, "RFC 7143, 4.2.2.1", "order of CmdSNs", "the CmdSN grows by one for each command that is not immediate")

struct subject;

/* Checks a packet with commands or responses of NVMe, SRP or iSCSI. */
void storage_rules_packet(struct subject *subject);

#endif
