/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the reasons and statuses of communication management. IBTA vol. 1, 12.6.7.2, 12.11.2.1, 12.8.2.1.
 */
#include "config.h"

#include "dissect/management/cm.h"

const struct rtap_name cm_reject_reasons[] = {
	{ 1, "no QP available" },
	{ 2, "no EEC available" },
	{ 3, "no resources available" },
	{ 4, "timeout" },
	{ 5, "unsupported request" },
	{ 6, "invalid communication ID" },
	{ 7, "invalid communication instance" },
	{ 8, "invalid service ID" },
	{ 9, "invalid transport service type" },
	{ 10, "stale connection" },
	{ 11, "RDC does not exist" },
	{ 12, "primary remote port GID rejected" },
	{ 13, "primary remote port LID rejected" },
	{ 14, "invalid primary SL" },
	{ 15, "invalid primary traffic class" },
	{ 16, "invalid primary hop limit" },
	{ 17, "invalid primary packet rate" },
	{ 18, "alternate remote port GID rejected" },
	{ 19, "alternate remote port LID rejected" },
	{ 20, "invalid alternate SL" },
	{ 21, "invalid alternate traffic class" },
	{ 22, "invalid alternate hop limit" },
	{ 23, "invalid alternate packet rate" },
	{ 24, "port and CM redirection" },
	{ 25, "port redirection" },
	{ 26, "invalid path MTU" },
	{ 27, "insufficient responder resources" },
	{ 28, "consumer reject" },
	{ 29, "RNR retry count reject" },
	{ 30, "duplicate local communication ID" },
	{ 31, "invalid class version" },
	{ 32, "invalid primary flow label" },
	{ 33, "invalid alternate flow label" },
	{ 35, "vendor option not supported" },
	{ 0, NULL },
};

const struct rtap_name cm_sidr_statuses[] = {
	{ 0, "valid QPN" },
	{ 1, "service ID not supported" },
	{ 2, "rejected by service provider" },
	{ 3, "no QP available" },
	{ 4, "request redirected" },
	{ 5, "unsupported version" },
	{ 0, NULL },
};

const struct rtap_name cm_path_statuses[] = {
	{ 0, "alternate path loaded" },
	{ 1, "invalid communication ID" },
	{ 2, "alternate paths not supported" },
	{ 3, "rejected" },
	{ 4, "redirected" },
	{ 5, "duplicate of current path" },
	{ 6, "QPN or EECN mismatch" },
	{ 7, "LID rejected" },
	{ 8, "GID rejected" },
	{ 9, "flow label rejected" },
	{ 10, "traffic class rejected" },
	{ 11, "hop limit rejected" },
	{ 12, "packet rate rejected" },
	{ 13, "SL rejected" },
	{ 0, NULL },
};
