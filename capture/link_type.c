/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pcap/pcap.h>
#include <stddef.h>

#include <rdmatap/source.h>

#include "capture/link_type.h"

/* Where libpcap's number or name is not the registry's. https://www.tcpdump.org/linktypes.html */
static const struct {
	uint32_t link_type;
	int dlt;
	const char *name; /* NULL: libpcap's */
} differences[] = {
	{ 1, DLT_EN10MB, "ETHERNET" },
	{ 2, DLT_EN3MB, "EXP_ETHERNET" },
	{ 6, DLT_IEEE802, "IEEE802_5" },
	{ 7, DLT_ARCNET, "ARCNET_BSD" },
	{ 100, DLT_ATM_RFC1483, NULL },
	{ 101, DLT_RAW, NULL },
	{ 102, DLT_SLIP_BSDOS, NULL },
	{ 103, DLT_PPP_BSDOS, NULL },
	{ 104, DLT_C_HDLC, NULL },
	{ 106, DLT_ATM_CLIP, NULL },
	{ RTAP_LINK_LOOP, DLT_LOOP, NULL }, /* 12 on OpenBSD */
	{ 109, DLT_ENC, NULL },
	{ 121, DLT_HHDLC, NULL },
	{ 246, DLT_PFSYNC, NULL },
};

int link_type_to_dlt(uint32_t link_type)
{
	for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
		if (differences[i].link_type == link_type)
			return differences[i].dlt;
	return link_type <= 0x7fffffff ? (int)link_type : -1;
}

uint32_t link_type_of_dlt(int dlt)
{
	for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
		if (differences[i].dlt == dlt)
			return differences[i].link_type;
	return (uint32_t)dlt;
}

uint32_t link_type_of_file(uint32_t number)
{
	/* DLT_RAW is 14 on OpenBSD and 12 elsewhere; no LINKTYPE_ has these numbers. */
	return number == 12 || number == 14 ? RTAP_LINK_RAW : number;
}

const char *rtap_link_type_name(uint32_t link_type)
{
	for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
		if (differences[i].link_type == link_type && differences[i].name)
			return differences[i].name;
	return pcap_datalink_val_to_name(link_type_to_dlt(link_type));
}
