/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * librdmatap: captures of RDMA traffic, dissected and put together. This header includes all others; rdmatap(3) is the overview.
 *
 * The rules that hold everywhere:
 *  - Numbers are in host byte order, bytes that belong to a packet as they were on the wire. Times are nanoseconds since
 *    1970-01-01 UTC, lengths are bytes, unless a name says otherwise.
 *  - What a call returns by pointer is borrowed, until the time that its comment names; what is made by ..._open, ..._compile or
 *    ..._create belongs to the caller, who gives it to the function of the same group named ..._close or ..._destroy. These
 *    ignore NULL. A struct rtap_batch is counted: rtap_batch_release().
 *  - Calls that can fail return enum rtap_status and fill a struct rtap_error of the caller's. The library prints nothing, does not
 *    exit, and leaves signals alone.
 *  - Structs that the caller fills (options, contexts) are zeroed first: zero always means the usual. They, and those that
 *    the library fills, may grow; then the library's soname changes.
 *  - An object is used by one thread at a time; different objects by different threads at once. Tables (fields, protocols, names),
 *    compiled filters, and packets that nobody fills any more, may be read by any number of threads.
 */
#ifndef RDMATAP_RDMATAP_H
#define RDMATAP_RDMATAP_H

#include <rdmatap/anomaly.h>
#include <rdmatap/device.h>
#include <rdmatap/error.h>
#include <rdmatap/field.h>
#include <rdmatap/filter.h>
#include <rdmatap/frame.h>
#include <rdmatap/iwarp.h>
#include <rdmatap/live.h>
#include <rdmatap/message.h>
#include <rdmatap/packet.h>
#include <rdmatap/source.h>
#include <rdmatap/stats.h>
#include <rdmatap/tracker.h>
#include <rdmatap/value.h>
#include <rdmatap/visitor.h>
#include <rdmatap/writer.h>

#endif
