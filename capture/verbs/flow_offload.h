/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a NIC can do of a BPF capture filter. What is made of it are flow rules such that each frame that passes the filter
 * matches one of them at least; the filter is still applied to what they let through.
 *
 * Known are, joined by "and", "or" and parentheses (pcap-filter(7)):
 *
 *   ether [src|dst] [host] MAC      ether proto NUMBER    arp  rarp  ip  ip6
 *   [ip|ip6] [src|dst] host|net ADDRESS[/BITS]            ip proto NUMBER    ip6 proto NUMBER
 *   tcp  udp  sctp  icmp  icmp6     [tcp|udp] [src|dst] port NUMBER
 *
 * Everything else, and whatever "not" stands before, is taken to pass any frame. Of a filter that looks behind VLAN tags, labels
 * or tunnels nothing is taken: it knows more kinds of them than rules do.
 */
#ifndef CAPTURE_VERBS_FLOW_OFFLOAD_H
#define CAPTURE_VERBS_FLOW_OFFLOAD_H

#include "capture/verbs/flow_rule.h"

#define FLOW_OFFLOAD_MOST 16

/* Writes up to FLOW_OFFLOAD_MOST rules and returns how many. 0: nothing can be done by rules, and *why says why. */
size_t flow_offload(const char *filter, struct flow_rule *rules, const char **why) __attribute__((warn_unused_result));

#endif
