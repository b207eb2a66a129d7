/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC.
 */
#ifndef DISSECT_RPC_RPC_H
#define DISSECT_RPC_RPC_H

#include "dissect/infiniband/upper.h"

/*
 * Returns whether the bytes at the cursor are an ONC RPC message (RFC 5531, section 9). Calls are recognised by content. Replies
 * have no distinctive content and are accepted only on a `trusted` port or connection, where a call may be of any program.
 */
bool rpc_recognise(const struct cursor *payload, bool trusted);

/* The same for a complete record-marked message in one fragment (RFC 5531, section 11). */
bool rpc_recognise_record(const struct cursor *payload, bool trusted);

#endif
