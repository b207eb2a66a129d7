/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * librdmatap: dissection and reassembly of captured RDMA traffic. This header includes all others; see rdmatap(3) for an overview.
 *
 * General rules:
 *  - Numbers are in host byte order, packet bytes in network order. Times are nanoseconds since 1970-01-01 UTC and lengths are
 *    bytes, unless a name says otherwise.
 *  - Returned pointers are borrowed and valid until the time that the function's comment gives. Objects made by ..._open belong to the
 *    caller, who frees them with the ..._close function of the same group, which ignores NULL. A struct rtap_batch is
 *    reference-counted: see rtap_batch_release().
 *  - Functions that can fail return enum rtap_status and fill the caller's struct rtap_error. The library does not print, exit
 *    or change signal handling.
 *  - Functions ..._open take the address of the new object first, which becomes NULL if they fail, then what to open, options if they
 *    have some, and the error; they return enum rtap_status. The caller zeroes options before filling them: zero is always the default,
 *    and so are options of NULL.
 *  - Programs compiled before still work if members are added at the ends of structs that begin with `size` (the caller sets it to their
 *    sizeof), that are filled by a function with an argument `size`, or that the library returns by pointer (facts, messages,
 *    connections). If others grow, the library's soname changes.
 *  - One thread at a time may use an object; threads may use different objects at once. Any number of threads may read tables
 *    (fields, protocols, names), compiled filters, and packets that are no longer being filled.
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
#include <rdmatap/operation.h>
#include <rdmatap/packet.h>
#include <rdmatap/source.h>
#include <rdmatap/stats.h>
#include <rdmatap/tracker.h>
#include <rdmatap/value.h>
#include <rdmatap/visitor.h>
#include <rdmatap/writer.h>

#endif
