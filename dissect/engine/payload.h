/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes that no other protocol claims.
 */
#ifndef DISSECT_ENGINE_PAYLOAD_H
#define DISSECT_ENGINE_PAYLOAD_H

#include "dissect/engine/protocol.h"

/* Adds " len 46" to the one-line text: the wire bytes of a payload layer. Nothing if `payload` is NULL. */
void payload_summary_length(const struct rtap_packet *packet, const struct rtap_layer *payload, struct line *line);

#endif
