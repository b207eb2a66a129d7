/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offloading a BPF capture filter to the NIC: flow rules such that each frame that passes the filter matches at least one of
 * them; the filter is still applied to the frames received.
 *
 * Supported are these terms, joined by "and", "or" and parentheses (pcap-filter(7)):
 *
 *   ether [src|dst] [host] MAC      ether proto NUMBER    arp  rarp  ip  ip6
 *   [ip|ip6] [src|dst] host|net ADDRESS[/BITS]            ip proto NUMBER    ip6 proto NUMBER
 *   tcp  udp  sctp  icmp  icmp6     [tcp|udp] [src|dst] port NUMBER
 *
 * All other terms, and terms after "not", are treated as passing any frame. A filter that looks past VLAN tags, labels or
 * tunnels is not offloaded: it supports more kinds of them than rules do.
 */
#ifndef CAPTURE_VERBS_FLOW_OFFLOAD_H
#define CAPTURE_VERBS_FLOW_OFFLOAD_H

#include "capture/verbs/flow_rule.h"

#define FLOW_OFFLOAD_MOST 16

/* Writes up to FLOW_OFFLOAD_MOST rules and returns their number. 0: the filter cannot be offloaded, and *why is the reason. */
size_t flow_offload(const char *filter, struct flow_rule *rules, const char **why) __attribute__((warn_unused_result));

#endif
