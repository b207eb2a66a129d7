/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_VERBS_SIM_VERBS_SIM_H
#define TESTS_VERBS_SIM_VERBS_SIM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The simulated device is described by the environment variable RDMATAP_VERBS_SIM, read when it has changed and
 * nothing is open: words KEY=VALUE apart by commas. Without it there is no device. An unknown word ends the program.
 *
 *   devices=N ports=N            how many (1); named sim0, sim1 ...
 *   link=ethernet|infiniband  state=active|down|init  rate=10|25|40|100|200 (Gb/s)
 *   wr=N cqe=N sge=N vectors=N   limits of the device
 *   inline=N                     bytes that a send may have in itself (128)
 *   raw=N                        capabilities of raw packets: 1 CVLAN stripping, 2 scatter FCS, 4 IP checksum, 8 delay drop (6)
 *   feed=file:PATH               a pcap file's frames (Ethernet, this machine's byte order), each when a receive is there
 *   feed=gen:FRAMES:SIZE         made frames, each with its number in its last 8 bytes; FRAMES 0: no end
 *   feed=veth:IFACE              what a packet socket sees there, VLAN tags put back
 *   flows=N                      gen: frames have N UDP source ports by turns
 *   rss=N                        receive queues that a table may have (16)
 *   pace=N                       file and gen: N frames a second, dropped when no receive is there
 *   burst=N:MS                   with pace=: N more frames at once, each MS milliseconds
 *   send=file:PATH  send=veth:IFACE   where posted sends go
 *   sysfs=DIR                    the device's folder in sysfs; ports/1/hw_counters/out_of_buffer is kept there if it exists
 *   stamp=wall|raw|none          completion time stamps that an extended queue can give; wall: the feed's own times
 *   skew=MS                      stamp=wall: the device's clock is so far ahead of the host's; -MS: behind
 *   no=WORD[+WORD...]            what the device lacks: cq_ex device_ex flow sniffer dont_trap clock rss
 *   error=N                      the N-th frame ends in a failed completion and its queue pair in the error state
 *   errors=N                     the same for each N-th frame
 *   soft_error=N                 the N-th frame ends in a failed completion only
 *   disorder=N, plain_disorder=N from the N-th frame on, the extended (the plain) completion queue names wrong receives
 *   overrun=N                    the queue overruns at the N-th frame
 *   event=NAME@N[:MS]            before the N-th frame: port_error port_active qp_fatal wq_fatal cq_error device_fatal gid_change
 *                                lid_change p_key_change sm_change client_reregister;
 *                                with MS no frames come for so long and then the port is active again
 *   fail=CALL@N[:ERRNO]          the N-th call of that name fails, with that number (5, EIO); CALL any: the N-th of all but
 *                                polls. Calls that free fail after freeing
 *   cm_delay=MS  cm=silent|reject   how the connection manager answers
 */
#define VERBS_SIM_VARIABLE "RDMATAP_VERBS_SIM"

/* Toeplitz hash of `length` bytes. */
uint32_t verbs_sim_hash(const uint8_t key[40], const uint8_t *bytes, unsigned length);

/* Calls so far, and objects (contexts, domains, regions, queues, rules, unacknowledged events) that are still there. */
uint64_t verbs_sim_calls(void);
unsigned verbs_sim_objects(void);

/* The name of the call that was made to fail, or "". */
const char *verbs_sim_failed_call(void);

/* Rules of verbs that the program broke. */
unsigned verbs_sim_violations(void);

/* Forgets calls and violations, and has the variable read again. */
void verbs_sim_reset(void);

#endif
