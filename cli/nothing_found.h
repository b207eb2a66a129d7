/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports what the input holds when a command found nothing of what it lists.
 */
#ifndef CLI_NOTHING_FOUND_H
#define CLI_NOTHING_FOUND_H

#include "cli/reader.h"
#include "dissect/engine/protocol.h"

/* For use in take(), after reader_packet(): counts the packet by its transport. */
static inline void nothing_found_note(struct reader *reader, const struct rtap_packet *packet)
{
	if (packet_has(packet, PROTOCOL_MAD))
		reader->packets.management++;
	if (packet->ib.has_bth || (packet->flow.present && !packet->flow.beside_rdma))
		reader->packets.rdma++;
	else if (packet_has(packet, PROTOCOL_TCP))
		reader->packets.tcp++;
	else if (packet_has(packet, PROTOCOL_UDP))
		reader->packets.udp++;
}

/*
 * Call after reader_report(): prints that there are no records of the kind that the command lists, or that the options selected none, and
 * what there is instead; nothing if some were listed. `tracker`: for its counters.
 */
void nothing_found_report(const struct reader *reader, const struct rtap_tracker *tracker);

/* Call at the end: prints a message if packets passed -Y but none belongs to a record, and returns whether it did. */
bool nothing_found_report_passing(const struct reader *reader);

/* Call after reader_report(): prints that a command about RDMA got no such packet, and which it got; nothing if there was one. */
void nothing_found_report_rdma(const struct reader *reader);

#endif
