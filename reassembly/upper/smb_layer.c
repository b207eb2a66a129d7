/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMB Direct as an upper layer: credits, fragments, and the SMB messages that they carry.
 */
#include "config.h"

#include <stdlib.h>

#include "dissect/dissect.h"
#include "dissect/smb/smb.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/smb_layer.h"
#include "reassembly/upper/smb_names.h"
#include "reassembly/upper/smb_request.h"

static const struct rtap_layer *layer_with(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; packet_has(packet, protocol) && i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

static void dissect_again(struct upper_work *work)
{
	work->context->upper = RTAP_UPPER_SMB_DIRECT;
	work->dissect(work);
}

/* A negotiation: the credits that the server grants are the first ones of the client. [MS-SMBD] 3.1.5.2 and 3.1.5.3. */
static void take_negotiation(struct upper_work *work, struct smb_connection *state)
{
	const struct rtap_layer *response = layer_with(work->packet, PROTOCOL_SMB_DIRECT_RESPONSE);

	if (!upper_is_new(work) || !response || response->length < SMB_DIRECT_RESPONSE_LENGTH)
		return;
	state->credits[work->from_a] = (struct smb_credits){ .is_known = true };
	state->credits[!work->from_a] = (struct smb_credits){
		.is_known = true, .left = (uint32_t)little_bits(layer_bytes(work->packet, response), SMB_DIRECT_RESPONSE_GRANTED),
	};
}

/* A transfer consumes a credit, and may grant some to the other end. */
static void take_credits(struct upper_work *work, struct smb_connection *state, const uint8_t *header)
{
	struct smb_credits *own = &state->credits[work->from_a], *other = &state->credits[!work->from_a];
	uint64_t granted = little_bits(header, SMB_DIRECT_CREDITS_GRANTED);
	int64_t now = work->message->shown.time_ns;

	/* no credit left: a grant was not captured */
	own->is_known &= own->left > 0;
	own->left -= own->left > 0;
	if (own->waits && now > own->since_ns)
		own->waited_ns += (uint64_t)(now - own->since_ns);
	own->waits = own->is_known && !own->left && little_bits(header, SMB_DIRECT_REMAINING);
	own->since_ns = now;
	if (other->is_known)
		other->left += (uint32_t)granted;
}

static void set_shown(struct rtap_tracker *tracker, struct connection *connection, uint8_t *bytes, uint32_t length)
{
	struct smb_connection *state = connection->upper_state;

	free(state->shown);
	budget_give(&tracker->budget, &connection->entry, state->shown_length);
	budget_add(&tracker->budget, &connection->entry, length);
	state->shown = bytes;
	state->shown_length = length;
}

/* Shows the message in the packet, with the facts about its request. */
static void show_message(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request)
{
	struct rtap_span bytes = whole->bytes;

	work->context->request = smb_known(request, bytes);
	if (whole->sends > 1) {
		if (bytes.length < whole->wire || (work->keep && !work->keep(work, &bytes)))
			return;
		work->context->chunk = bytes;
		set_shown(work->tracker, work->connection, (uint8_t *)(uintptr_t)whole->bytes.bytes, whole->bytes.length);
	} else if (!work->keep && !work->context->request.has_details) {
		/* the packet has these layers already */
		work->packet->request = work->context->request;
		return;
	} else if (!work->context->request.frame) {
		return;
	}
	dissect_again(work);
}

/* Whether the SEND was taken before from a copy that the capture truncated. */
static bool completes_truncated(const struct upper_work *work)
{
	return work->message && !work->keep && work->result->completed == work->message;
}

/* A transfer with data. */
static void take_transfer(struct upper_work *work, struct smb_connection *state, const struct rtap_layer *layer)
{
	const struct rtap_payload send = layer_rest(work->packet, layer);
	struct rtap_span bytes = { layer_bytes(work->packet, layer), send.captured };
	uint32_t offset, length;
	const struct psn_stream *stream;
	struct smb_fragment fragment;
	struct smb_request *request;
	struct smb_whole whole;

	offset = (uint32_t)little_bits(bytes.bytes, SMB_DIRECT_OFFSET);
	length = (uint32_t)little_bits(bytes.bytes, SMB_DIRECT_DATA_LENGTH);
	if (!length || (uint64_t)offset + length > send.wire || offset > bytes.length)
		return;
	bytes = (struct rtap_span){ bytes.bytes + offset, bytes.length - offset < length ? bytes.length - offset : length };
	if (!upper_is_new(work) && !completes_truncated(work)) {
		/* a repeat is shown like the first copy, if possible */
		whole = (struct smb_whole){ .bytes = bytes, .wire = length, .sends = 1 };
		if (!little_bits(layer_bytes(work->packet, layer), SMB_DIRECT_REMAINING))
			show_message(work, &whole, smb_request_of(work, bytes));
		return;
	}
	stream = work->message->stream;
	fragment = (struct smb_fragment){
		.psn = work->message->low, .end = work->message->high + 1, .given_up = stream ? stream->given_up : 0,
		.has_msn = work->message->shown.has_msn, .msn = work->message->shown.psn,
		.frame = work->message->shown.first_frame, .time_ns = work->message->shown.time_ns, .bytes = bytes, .length = length,
		.remaining = (uint32_t)little_bits(layer_bytes(work->packet, layer), SMB_DIRECT_REMAINING),
	};
	if (!smb_fragments_add(work->tracker, work->connection, &state->fragments[work->from_a], stream, &fragment, &whole))
		return;
	request = smb_request_of(work, whole.bytes);
	show_message(work, &whole, request);
	smb_take_message(work, &whole, request);
	state->credits[work->from_a].waited_ns = 0;
	if (whole.sends > 1 && whole.bytes.bytes != state->shown)
		free((void *)(uintptr_t)whole.bytes.bytes);
}

static bool take_packet(struct upper_work *work)
{
	const struct rtap_layer *layer;
	struct smb_connection *state;

	if (work->message && work->message->region) {
		region_take_data(work->tracker, work->message, work->result);
		return true;
	}
	if ((work->packet->upper != RTAP_UPPER_SMB_DIRECT && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	state = smb_connection_make(work->tracker, work->connection);
	if (!state)
		return false;
	if (work->packet->upper != RTAP_UPPER_SMB_DIRECT || work->keep)
		dissect_again(work);
	layer = layer_with(work->packet, PROTOCOL_SMB_DIRECT);
	if (!layer) {
		take_negotiation(work, state);
		return true;
	}
	if (layer->length < SMB_DIRECT_LENGTH)
		return true;
	if (upper_is_new(work))
		take_credits(work, state, layer_bytes(work->packet, layer));
	take_transfer(work, state, layer);
	return true;
}

static void free_own(struct rtap_tracker *tracker, struct connection *connection)
{
	struct smb_connection *state = connection->upper_state;

	if (!state)
		return;
	for (int side = 0; side < 2; side++)
		smb_fragments_fini(tracker, connection, &state->fragments[side]);
	set_shown(tracker, connection, NULL, 0);
}

/* Drops fragments whose message began before the two halves were merged. */
static void merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	free_own(tracker, from);
	command_merged(tracker, from, to, turned);
}

static void over(struct rtap_tracker *tracker, struct connection *connection)
{
	free_own(tracker, connection);
	command_over(tracker, connection);
}

static const uint16_t ports[] = { SMB_PORT, SMB_PORT_IWARP, 0 };

const struct upper_layer smb_layer = {
	.name = "smb",
	.init = smb_names_init,
	.ports = ports,
	.carried = RTAP_UPPER_SMB_DIRECT,
	.packet = take_packet,
	.memory = &request_memory,
	.response_settled = command_settled,
	.detach = command_detach,
	.merged = merged,
	.end = command_end,
	.over = over,
	.fini = smb_names_fini,
};
