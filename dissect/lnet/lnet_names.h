/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows that headers of LNet share.
 */
#ifndef DISSECT_LNET_LNET_NAMES_H
#define DISSECT_LNET_LNET_NAMES_H

#include "dissect/lnet/lnet.h"

extern const struct rtap_name lnet_type_names[], lnet_header_type_names[], lnet_reject_names[];

/* The header; `order` is RTAP_LITTLE or 0. */
#define LNET_ROWS(order) \
	{ "lnet.magic", "Magic", 0, 32, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.version", "Version", 32, 16, RTAP_HEX, (order), NULL, NULL, NULL }, \
	{ "lnet.type", "Type", 48, 8, RTAP_HEX, RTAP_OPCODE, lnet_type_names, NULL, NULL }, \
	{ "lnet.credits", "Credits", 56, 8, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.nob", "Length", LNET_NOB, RTAP_DEC, (order), NULL, NULL, NULL }, \
	{ "lnet.cksum", "Checksum", LNET_CHECKSUM, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.srcnid", "Source NID", LNET_SOURCE, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.srcstamp", "Source Incarnation", 192, 64, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.dstnid", "Destination NID", LNET_DESTINATION, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.dststamp", "Destination Incarnation", 320, 64, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }

#define LNET_PARAMETER_ROWS(at, order) \
	{ "lnet.conn.queue_depth", "Queue Depth", (at), 16, RTAP_DEC, (order), NULL, NULL, NULL }, \
	{ "lnet.conn.max_frags", "Most Fragments", (at) + 16, 16, RTAP_DEC, (order), NULL, NULL, NULL }, \
	{ "lnet.conn.max_msg_size", "Largest Message", (at) + 32, 32, RTAP_DEC, (order), NULL, NULL, NULL }

/* Texts of the two network identifiers, which visit() supplies: the last rows of a table. */
#define LNET_NID_ROWS(source, destination) \
	{ source, "Source", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ destination, "Destination", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, NULL }

#endif
