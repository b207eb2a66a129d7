/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/protocol.h"
#include "dissect/protocol_list.h"

#define LINK_TYPE_RAW 101

/* The tables that Wireshark names otherwise than by the first word of their names. */
static const struct {
	const char *prefix, *word; /* word NULL: not in the list */
} exceptions[] = {
	{ "frame", NULL },
	{ "rdmatap", NULL },
	{ "infiniband.eoib", "infiniband.eoib" },
	{ "ipoib.link", "ipoib" },
	{ "ipoib", NULL },
	{ "iwarp_ddp", "iwarp_ddp_rdmap" },
	{ "iwarp_rdma", "iwarp_ddp_rdmap" },
	{ "lisp-data", "lisp-data" },
	{ "llc.snap", NULL },
	{ "macsec.icv", NULL },
	{ "nvme", "nvme-rdma" },
	{ "pppoe", "pppoes" },
	{ "ppi", "ppi:pcap_pktdata" },
	{ "prp", NULL },
	{ "pweth", "pwethheuristic:pwethcw" },
	{ "scsi", NULL },
	{ "scsi_sbc", NULL },
	{ "ipv6.dstopts", "ipv6.dstopts" },
	{ "ipv6.fraghdr", "ipv6.fraghdr" },
	{ "ipv6.hopopts", "ipv6.hopopts" },
	{ "ipv6.routing", "ipv6.routing" },
};

static bool is_under(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(name, prefix, length) && (!name[length] || name[length] == '.');
}

/* The word of a layer; an empty one: not in the list. */
static struct rtap_span word_of(const struct rtap_layer *layer)
{
	const char *name = protocol_by_number(layer->protocol)->table.name, *word = name;
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		if (is_under(name, exceptions[i].prefix)) {
			word = exceptions[i].word;
			length = word ? strlen(word) : 0;
			break;
		}
	return (struct rtap_span){ (const uint8_t *)word, (uint32_t)length };
}

/* What is encrypted has no type that could be read. */
#define MACSEC_TYPE_LENGTH 2
#define MACSEC_WORD 4

static bool has_type(const struct rtap_layer *layer)
{
	uint16_t protocol = layer->protocol;

	if (protocol == PROTOCOL_MACSEC)
		return layer->length % MACSEC_WORD != MACSEC_TYPE_LENGTH;
	return protocol == PROTOCOL_ETHERNET || protocol == PROTOCOL_VLAN || protocol == PROTOCOL_SERVICE_VLAN ||
	       protocol == PROTOCOL_SERVICE_INSTANCE || protocol == PROTOCOL_VNTAG ||
	       protocol == PROTOCOL_ETAG || protocol == PROTOCOL_COOKED || protocol == PROTOCOL_COOKED2;
}

/* The messages in datagrams of management, and private data, have no words of their own. */
static bool ends_list(uint16_t protocol)
{
	return protocol == PROTOCOL_MAD || protocol == PROTOCOL_MPA_REQUEST || protocol == PROTOCOL_MPA_REPLY;
}

/* Protocols whose own content has no table: it is not unknown data. */
static bool has_content(uint16_t protocol)
{
	return protocol == PROTOCOL_MAC_CONTROL || protocol == PROTOCOL_PAUSE || protocol == PROTOCOL_PFC || protocol == PROTOCOL_ICMPV6 ||
	       protocol == PROTOCOL_IGMP;
}

/* Whether the layer is another header, or another unit, of the protocol that was just listed: one word stands for all of them. */
static bool is_listed(const struct rtap_span *word, const struct rtap_span *last, const struct rtap_layer *layer, bool has_unit)
{
	if ((layer->protocol == PROTOCOL_MPA_FPDU && has_unit) || (layer->protocol == PROTOCOL_PAYLOAD && last->length && has_content(layer[-1].protocol)))
		return true;
	/* headers of network protocols begin anew, as do DDP headers */
	if (layer->protocol == PROTOCOL_DDP || layer->protocol < PROTOCOL_LRH)
		return layer->protocol == PROTOCOL_PAUSE || layer->protocol == PROTOCOL_PFC ||
		       (layer->protocol == PROTOCOL_MPLS && layer[-1].protocol == PROTOCOL_MPLS);
	return word->length == last->length && !memcmp(word->bytes, last->bytes, word->length);
}

void protocol_list_put(const struct rtap_packet *packet, struct line *line)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;
	struct rtap_span word, last = { NULL, 0 };
	const struct rtap_layer *next;
	const char *begin = line->next;
	bool has_unit = false;

	if (packet->frame->link_type == LINK_TYPE_RAW)
		line_text(line, "raw");
	for (const struct rtap_layer *layer = packet->layers; layer < end && (layer == packet->layers || !ends_list(layer[-1].protocol)); layer++) {
		word = word_of(layer);
		if (!word.length || is_listed(&word, &last, layer, has_unit))
			continue;
		if (line->next > begin)
			line_char(line, ':');
		if (layer > packet->layers && layer->protocol == PROTOCOL_ETHERNET && layer[-1].protocol == PROTOCOL_MPLS)
			line_text(line, "pwethheuristic:pwethnocw:");
		line_bytes(line, (const char *)word.bytes, word.length);
		next = layer_after(packet, layer);
		if (has_type(layer) && next && next->protocol != PROTOCOL_LLC && word_of(next).length)
			line_text(line, ":ethertype");
		last = word;
		has_unit |= layer->protocol == PROTOCOL_MPA_FPDU;
	}
}
