/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/rpc_status.h"

const char *rpc_status_name(const struct rtap_message *reply)
{
	static const char *const accepted[] = { "SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR" };
	/* RFC 8166, 4.5 */
	static const char *const errors[] = { "RDMA_ERROR unknown", "RDMA_ERROR ERR_VERS", "RDMA_ERROR ERR_CHUNK" };

	if (reply->rdma_error)
		return errors[reply->rdma_error < sizeof errors / sizeof errors[0] ? reply->rdma_error : 0];
	if (!reply->rpc_accepted)
		return reply->rpc_status ? "AUTH_ERROR" : "RPC_MISMATCH";
	if (!reply->rpc_status && reply->has_status && (reply->status_name || reply->status))
		return reply->status_name ? reply->status_name : "unknown";
	return reply->rpc_status < sizeof accepted / sizeof accepted[0] ? accepted[reply->rpc_status] : "unknown";
}
