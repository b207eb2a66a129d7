/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RTRS in communication management: private data of REQ, REP and REJ, and the names of error numbers in a REJ and in responses.
 */
#ifndef DISSECT_RNBD_RTRS_PRIVATE_H
#define DISSECT_RNBD_RTRS_PRIVATE_H

#include "dissect/engine/protocol.h"

#define RTRS_PORT 1234
#define RTRS_PRIVATE_LENGTH 56

/* Positions in private data, in bits. */
#define RTRS_REQUEST_MAGIC 16, 16
#define RTRS_REQUEST_VERSION 32, 16
#define RTRS_REQUEST_CID 48, 16
#define RTRS_REQUEST_CID_NUM 64, 16
#define RTRS_REQUEST_PATHS_AT 28   /* bytes */
#define RTRS_UUID_LENGTH 16
#define RTRS_RESPONSE_MAGIC 0, 16
#define RTRS_RESPONSE_DEPTH 48, 16
#define RTRS_MAGIC 0x1bbd

/* Whether private data of a REQ is RTRS's: by its magic number, or without a known port by all of its structure. */
bool rtrs_private_recognise(const uint8_t *bytes, uint32_t length, bool port_is_known);

/* Names of error numbers, without a sign; NULL: unknown. */
extern const struct rtap_name rtrs_private_errno_names[];
const char *rtrs_private_errno_name(uint64_t number);

#endif
