/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC.
 */
#ifndef DISSECT_RPC_RPC_H
#define DISSECT_RPC_RPC_H

#include "dissect/infiniband/upper.h"

/*
 * Whether the bytes at the cursor are an ONC RPC message (RFC 5531, section 9): a call by its content; a reply, which has nothing
 * to know it by, only on a `trusted` port or connection, where a call may be of any program.
 */
bool rpc_recognise(const struct cursor *payload, bool trusted);

/* The same of a record-marked message (RFC 5531, section 11), whole and in one fragment. */
bool rpc_recognise_record(const struct cursor *payload, bool trusted);

#endif
