/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_RPC_RPC_STATUS_H
#define DISSECT_RPC_RPC_STATUS_H

#include <rdmatap/message.h>

/* The name of a reply's status: that of the transport, of RPC, or of the program. RFC 5531, section 9; RFC 8166, 4.5. */
const char *rpc_status_name(const struct rtap_message *reply);

#endif
