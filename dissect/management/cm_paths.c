/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/management/cm.h"
#include "dissect/management/cm_paths.h"

/* Position of the path in a REQ and in a LAP. 12.6.5, 12.8.1. */
#define REQ_PATH 96
#define LAP_PATH 20

/* Within it; both messages have the same layout up to the bit after the SL. */
#define PATH_LOCAL_LID 0, 16
#define PATH_REMOTE_LID 16, 16
#define PATH_LOCAL_GID_AT 4
#define PATH_REMOTE_GID_AT 20
#define PATH_SUBNET_LOCAL 340, 1
#define PATH_LENGTH 44

#define REP_FAILOVER_AT 26
#define REP_FAILOVER 5, 2

/* `length` bytes at `at` of the message. NULL: it is another one, or truncated. */
static const uint8_t *part_of(const struct rtap_packet *packet, enum cm_attribute attribute, uint32_t at, uint32_t length)
{
	const struct rtap_layer *layer = packet->layers;

	if (!packet->cm.present || packet->cm.attribute != attribute)
		return NULL;
	while (layer < packet->layers + packet->layer_count && layer->protocol != cm_protocol(attribute))
		layer++;
	return layer < packet->layers + packet->layer_count && layer->length >= at + length ? layer_bytes(packet, layer) + at : NULL;
}

bool cm_alternate_path(const struct rtap_packet *packet, struct cm_path *path)
{
	bool is_request = packet->cm.attribute == CM_REQ;
	const uint8_t *bytes = part_of(packet, is_request ? CM_REQ : CM_LAP, is_request ? REQ_PATH : LAP_PATH, PATH_LENGTH);

	if (!bytes)
		return false;
	*path = (struct cm_path){
		.local_lid = (uint16_t)bits(bytes, PATH_LOCAL_LID), .remote_lid = (uint16_t)bits(bytes, PATH_REMOTE_LID),
		.stays_local = bits(bytes, PATH_SUBNET_LOCAL), .local_gid = bytes + PATH_LOCAL_GID_AT, .remote_gid = bytes + PATH_REMOTE_GID_AT,
	};
	/* without one, all of it is 0 */
	return path->local_lid || load64(path->remote_gid) || load64(path->remote_gid + 8);
}

bool cm_accepts_alternate(const struct rtap_packet *packet)
{
	const uint8_t *bytes = part_of(packet, CM_REP, REP_FAILOVER_AT, 1);

	return bytes && !bits(bytes, REP_FAILOVER);
}
