/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations: a request of an upper layer and its response, with the data moved for it. The same for every layer, over RDMA, TCP and UDP.
 * Plain values.
 */
#ifndef RDMATAP_OPERATION_H
#define RDMATAP_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/message.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* How the data of an operation moved. X(identifier, name) */
#define RTAP_CARRIERS(X) \
	X(NONE, "none") /* it has no data, or none is known */ \
	X(INLINE, "inline") /* in the request or the response */ \
	X(READ, "read") X(WRITE, "write") /* by RDMA READ, by RDMA WRITE */ \
	X(SEND, "send") /* in SENDs of its own */ \
	X(MIXED, "mixed")

#define RTAP_CARRIED_ENUM(identifier, name) RTAP_CARRIED_##identifier,
enum rtap_carried { RTAP_CARRIERS(RTAP_CARRIED_ENUM) RTAP_CARRIED_COUNT };
#undef RTAP_CARRIED_ENUM

/* Name as shown in output; "unknown" for other values. */
const char *rtap_carried_name(enum rtap_carried carried);

enum rtap_value_type { RTAP_VALUE_NUMBER, RTAP_VALUE_TEXT, RTAP_VALUE_BOOL, RTAP_VALUE_TIME };

/*
 * The end that caused a delay. ALL: all ends waited. REQUESTER_OWN and RESPONDER_OWN: the part of REQUESTER and RESPONDER in which
 * that end did not itself wait for another end.
 */
enum rtap_wait {
	RTAP_WAIT_NONE, RTAP_WAIT_REQUESTER, RTAP_WAIT_RESPONDER, RTAP_WAIT_NETWORK, RTAP_WAIT_ALL, RTAP_WAIT_REQUESTER_OWN, RTAP_WAIT_RESPONDER_OWN,
};

/* A further property that only operations of this layer have. */
struct rtap_named_value {
	const char *name;       /* static: a JSON key */
	const char *text;       /* RTAP_VALUE_TEXT */
	uint64_t number;        /* RTAP_VALUE_NUMBER; RTAP_VALUE_BOOL: 0 or 1; RTAP_VALUE_TIME: nanoseconds */
	uint8_t type;           /* enum rtap_value_type */
	uint8_t wait;           /* enum rtap_wait: with RTAP_VALUE_TIME, the cause of this delay */
};

/* Properties of an operation that its layer declares, for statistics and findings. */
enum rtap_operation_flag {
	RTAP_OPERATION_KEEP_ALIVE = 1,     /* it only shows that the requester is alive */
	RTAP_OPERATION_ABORT = 2,          /* it asks the responder to abort others, or to reset what they work on */
	RTAP_OPERATION_ABORTED = 4,        /* its status says that it was aborted */
	RTAP_OPERATION_WAITS = 8,          /* the response comes at an event, perhaps never */
	RTAP_OPERATION_ON_DEVICE = 16,     /* the responder works on a storage device for it */
	RTAP_OPERATION_DEVICE_ERROR = 32,  /* its status reports an error of the device or of the medium */
	RTAP_OPERATION_COULD_BE_INLINE = 64, /* its data was read by READs though the request could have carried it */
	RTAP_OPERATION_COSTLY = 128,       /* its bodies are decoded only without rtap_tracker_options.cheap_operations */
};

/*
 * Where bytes are missing: in the message of the request or of the response; or in data of the operation that RDMA READs or
 * WRITEs moved and that no message contains. X(identifier, name)
 */
#define RTAP_OPERATION_PARTS(X) X(REQUEST, "request") X(RESPONSE, "response") X(READ, "read") X(WRITE, "write")

#define RTAP_OPERATION_PART_ENUM(identifier, name) RTAP_OPERATION_PART_##identifier,
enum rtap_operation_part { RTAP_OPERATION_PARTS(RTAP_OPERATION_PART_ENUM) RTAP_OPERATION_PART_COUNT };
#undef RTAP_OPERATION_PART_ENUM

/* Name as shown in output; "unknown" for other values. */
const char *rtap_operation_part_name(enum rtap_operation_part part);

/* Missing bytes; offsets count from the start of the part. */
struct rtap_operation_missing {
	struct rtap_missing range;
	uint8_t part;           /* enum rtap_operation_part */
};

/* An operation. Borrowed for the duration of the callback. */
struct rtap_operation {
	uint64_t number;        /* from 1, in the order in which operations are reported */
	const struct rtap_connection *connection;
	bool from_a;            /* a is the requester */
	bool has_offset, has_length, has_status, has_latency, has_data_bytes, has_repeats;
	bool ok;                /* with has_status: the operation succeeded */
	bool complete;          /* all bytes of the request, the response and the data are known */
	bool one_way;           /* its layer has no response to it */
	bool wanted;            /* rtap_tracker_options.wanted returned true for one of its packets */
	uint8_t carried;        /* enum rtap_carried */
	uint32_t time_lost_us;  /* by recoveries within it; UINT32_MAX: that or more */
	const char *layer;      /* static: "nfs" */
	const char *name;       /* "READ" */
	const char *object;     /* what it works on, such as a file; NULL: unknown or none */
	const char *id;         /* the identifier that pairs request and response */
	const char *status;     /* its name; NULL: without has_status, or it has no name */
	const char *carrier;    /* how the data moved in the layer's own terms, such as "reply chunk"; NULL: as `carried` says */
	uint64_t offset, length; /* bytes of the object that it works on */
	uint64_t request_frame, response_frame, first_data_frame, last_data_frame; /* 0: not seen, or none */
	uint64_t request_message, response_message; /* numbers of these messages; 0: not seen */
	int64_t time_ns, time_end_ns; /* of its first and its last frame */
	int64_t latency_ns;     /* from the request to the response */
	int64_t first_data_ns, last_data_ns; /* from the request to these frames */
	uint64_t data_bytes;    /* each byte once */
	uint64_t repeats;       /* packets of its SENDs, READs (requests too) and WRITEs that repeat others */
	const struct rtap_operation_missing *missing;
	uint32_t missing_count;
	uint32_t value_count;
	const struct rtap_named_value *values;
	uint8_t flags;          /* enum rtap_operation_flag */
	bool has_controller;    /* its connection belongs to the controller or session numbered `controller` */
	bool has_queue;         /* with has_controller: and is its queue number `queue`; SRP numbers none */
	uint32_t queue, controller; /* NVMe: of Connect. SCSI: the CID of iSCSI; CRC-32 of what names the session */
	uint32_t depth;         /* outstanding requests of the connection when it was sent, including it; 0: unknown */
	uint32_t keep_alive_ms; /* keep-alive timeout that the session's setup announces: the responder ends the session after
				   this time without a request; 0: unknown */
	/* The messages of the request and of the response. NULL: not seen, or reported before without this operation. */
	const struct rtap_message *request, *response;
};

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
