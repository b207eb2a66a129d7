/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first protocol of frames by link type.
 */
#ifndef DISSECT_NET_LINK_TYPE_H
#define DISSECT_NET_LINK_TYPE_H

#include "dissect/engine/protocol.h"

/* IP is identified only by its version field: what begins at the cursor. */
static inline uint16_t link_type_raw(const struct cursor *cursor)
{
	switch (cursor->captured ? cursor->next[0] >> 4 : 4) {
	case 4: return PROTOCOL_IPV4;
	case 6: return PROTOCOL_IPV6;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* PROTOCOL_NONE: not dissected. */
static inline uint16_t link_type_protocol(uint32_t link_type, const struct cursor *cursor)
{
	/* the most common link type */
	switch (__builtin_expect(link_type, RTAP_LINK_ETHERNET)) {
	case RTAP_LINK_NULL: return PROTOCOL_LOOPBACK;
	case RTAP_LINK_ETHERNET: return PROTOCOL_ETHERNET;
	case RTAP_LINK_RAW: return link_type_raw(cursor);
	case RTAP_LINK_LOOP: return PROTOCOL_LOOPBACK;
	case RTAP_LINK_LINUX_SLL: return PROTOCOL_COOKED;
	case RTAP_LINK_PPI: return PROTOCOL_PPI;
	case RTAP_LINK_ERF: return PROTOCOL_ERF;
	case RTAP_LINK_IPV4: return PROTOCOL_IPV4;
	case RTAP_LINK_IPV6: return PROTOCOL_IPV6;
	case RTAP_LINK_NFLOG: return PROTOCOL_NFLOG;
	case RTAP_LINK_IPOIB: return PROTOCOL_IPOIB_LINK;
	case RTAP_LINK_INFINIBAND: return PROTOCOL_LRH;
	case RTAP_LINK_LINUX_SLL2: return PROTOCOL_COOKED2;
	default: return PROTOCOL_NONE;
	}
}

#endif
