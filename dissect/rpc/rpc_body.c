/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arguments and results of RPC programs in the packet view. The tables define their layout; here the values of a walk become
 * fields or words of the one-line text.
 */
#include "config.h"

#include <zlib.h>

#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_program.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"
#include "dissect/engine/visit.h"
#include "dissect/rpc/xdr_walk.h"

/* Extents of a packet's body: captured and missing bytes, and for each chunk its bytes, its padding and the bytes after it. */
#define PACKET_EXTENTS (2 + 3 * RPCRDMA_TOTALS)

/* The program of the facts if they have a body of the layer's protocol, else NULL. */
static const struct rpc_program *known_of(const struct rtap_layer *layer, const struct rtap_rpc_facts *facts)
{
	const struct rpc_program *list = protocol_by_number(layer->protocol)->programs, *known = NULL;

	if (list && facts->has_body)
		known = rpc_program_in(list, rpc_program_number(facts), facts->version);
	return known && known->tables ? known : NULL;
}

/* Items of arguments or results; NULL: none, or the procedure is unknown. */
static const struct xdr_item *items_of(const struct xdr_program *program, const struct rtap_rpc_facts *facts)
{
	if (facts->procedure >= program->count)
		return NULL;
	return facts->is_reply ? program->procedures[facts->procedure].reply : program->procedures[facts->procedure].call;
}

static enum result walk_known(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct xdr *xdr, struct xdr_sink *sink)
{
	const struct xdr_program *program = known->tables;
	const struct xdr_item *items;
	struct xdr_walk walk;
	enum result result = OK;
	uint64_t outer;

	walk.xdr = xdr;
	walk.sink = sink;
	walk.tag = walk.depth = 0;
	walk.is_reply = facts->is_reply;
	sink->fields = program->fields;
	xdr_report(&walk, program->procedure_row, facts->procedure, 0);
	items = items_of(program, facts);
	/* only a COMPOUND has others in it */
	if ((program->minor_row == XDR_NO_ROW || !items) && sink->operation)
		sink->operation(sink, facts->procedure, rpc_program_procedure(known, facts->procedure), xdr->position);
	if (!items)
		return OK;
	if (facts->body_length != UINT32_MAX)
		result = xdr_narrow(xdr, facts->body_length, &outer);
	if (result == OK)
		result = xdr_walk_items(&walk, items);
	if (facts->body_length != UINT32_MAX && result == OK)
		xdr_widen(xdr, outer);
	return result;
}

enum result rpc_body_walk(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct xdr *xdr, struct xdr_sink *sink)
{
	return known ? walk_known(known, facts, xdr, sink) : OK;
}

/* Stores the status at the start of results in their operation. False: a walk is needed. */
static bool read_status(const struct rtap_field *fields, const struct xdr_item *item, uint32_t status, struct rtap_item *operation)
{
	bool is_arm = item->arms->otherwise;

	for (uint32_t i = 0; i < item->arms->count && !is_arm; i++)
		is_arm = item->arms->arms[i].value == status;
	operation->has_status = is_arm;
	operation->status = status;
	operation->status_name = rtap_name_of(fields[item->row].names, status);
	return is_arm;
}

enum rpc_outline rpc_body_outline(const struct rpc_program *known, const struct rtap_rpc_facts *facts, const uint8_t *body,
				  uint64_t length, struct rtap_item *operation)
{
	const struct xdr_item *items;

	if (!known)
		return RPC_OUTLINE_NONE;
	items = items_of(known->tables, facts);
	if (items && known->tables->minor_row != XDR_NO_ROW)
		return RPC_OUTLINE_WALK;
	*operation = (struct rtap_item){ .number = facts->procedure, .name = rpc_program_procedure(known, facts->procedure) };
	if (!items || !facts->is_reply)
		return RPC_OUTLINE_ONE;
	return items->kind == XDR_KIND_STATUS && length >= 4 && facts->body_length == UINT32_MAX &&
	       read_status(known->tables->fields, items, load32(body), operation) ?
	       RPC_OUTLINE_ONE : RPC_OUTLINE_WALK;
}

/* The walk over one layer of a packet, whose facts may be those of another message when a segment holds several. */
struct body {
	struct xdr_sink sink;
	struct xdr_extent extents[PACKET_EXTENTS];
	struct xdr xdr;
	const struct rtap_rpc_facts *facts;
	struct rtap_rpc_facts own;
	struct rpcrdma_chunk_totals chunks;
	uint32_t next_write;
	uint32_t stream_offset; /* of the body in the RPC message */
};

/* Returns whether parts of the body may be in chunks: it follows a header with chunks in one source, or is in a reply chunk. */
static bool is_reduced(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	if (!packet->rpcrdma.read_segments && !packet->rpcrdma.write_chunks)
		return false;
	/* the header was skipped */
	if (!packet->rpcrdma.present)
		return true;
	/* a reply chunk holds the reply without what the write chunks beside it carry: RFC 8166, 3.5.3 and 4.3.3 */
	if (packet->rpc.is_reply && packet->rpcrdma.reply_chunk && packet->rpcrdma.write_chunks)
		return true;
	for (const struct rtap_layer *i = packet->layers; i < layer; i++)
		if (i->protocol == PROTOCOL_RPCRDMA && i->source == layer->source)
			return true;
	return false;
}

/* Bytes that belong to the body, which is whole, but that the capture cut off. */
static uint64_t missing(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_payload *payload = &packet->payload;

	if (layer->source == payload->source)
		return payload->wire - payload->captured;
	/* an FPDU that was cut; the frame's own bytes end with other things */
	return layer->source ? packet->sources[layer->source].wire - packet->sources[layer->source].captured : 0;
}

/* The length of the chunk that carries an item, 0 if it is in the stream. RFC 8166, 3.4.5 and 4.3.2.2. */
static uint64_t chunk_of(struct body *body, uint64_t offset, uint32_t length)
{
	struct rpcrdma_chunk_totals *chunks = &body->chunks;

	for (uint32_t i = 0; !body->facts->is_reply && i < chunks->read_count; i++)
		if (chunks->reads[i].key == offset + body->stream_offset)
			return chunks->reads[i].length;
	if (!body->facts->is_reply || body->next_write == chunks->write_count)
		return 0;
	/* a chunk that is not as long as the item is unused, or another item's */
	if (chunks->writes[body->next_write].length != length && chunks->writes[body->next_write].length)
		return 0;
	return chunks->writes[body->next_write++].length;
}

/* Chunk data is not in this packet: the stream continues after it. */
static void bind_chunk(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct body *body = (struct body *)sink;
	uint64_t carried = chunk_of(body, offset, length);
	const struct xdr_extent reduced[] = { { XDR_ELSEWHERE, NULL, 0, carried }, xdr_padding(length) };

	(void)ddp;
	if (carried)
		xdr_splice(xdr, reduced, carried == length ? 2 : 1);
}

static void body_init(struct body *body, const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *header = layer;
	bool reduced = is_reduced(packet, layer);

	/* a hole for data in chunks of unknown content */
	body->extents[0] = (struct xdr_extent){ XDR_BYTES, layer_bytes(packet, layer), 0, layer->length };
	body->extents[1] = (struct xdr_extent){ XDR_HOLE, NULL, 0, reduced ? UINT32_MAX : missing(packet, layer) };
	body->facts = rpc_layer_facts(packet, layer, &body->own);
	body->next_write = 0;
	while (header > packet->layers && header->protocol != PROTOCOL_RPC)
		header--;
	body->stream_offset = layer->offset - header->offset;
	body->chunks.read_count = body->chunks.write_count = 0;
	if (reduced) {
		rpcrdma_totals(packet, &body->chunks);
		body->sink.eligible = bind_chunk;
	}
	xdr_init(&body->xdr, body->extents, 2, PACKET_EXTENTS);
}

/* Fields of the packet view. */
struct field_sink {
	struct body body;
	struct rtap_visitor *visitor;
	const struct rtap_layer *layer;
};

static bool is_bytes(const struct rtap_field *field)
{
	return field->show == RTAP_BYTES || field->show == RTAP_TEXT;
}

static uint32_t place_of(const struct rtap_layer *layer, uint64_t offset)
{
	return layer->offset + (uint32_t)(offset < layer->length ? offset : layer->length);
}

static void report_field(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct field_sink *fields = (struct field_sink *)sink;
	struct rtap_value value = { decoded->number, decoded->data };

	if (is_bytes(&sink->fields[decoded->row]) && !decoded->data.bytes)
		return;
	visit_field(fields->visitor, fields->layer, fields->layer->protocol, decoded->row, &value,
		    place_of(fields->layer, decoded->offset), (uint32_t)decoded->length);
}

static void enter_group(struct xdr_sink *sink, const char *label, uint64_t offset)
{
	struct field_sink *fields = (struct field_sink *)sink;

	fields->visitor->enter(fields->visitor, label,
			       &(struct rtap_place){ fields->layer->source, place_of(fields->layer, offset), 0 });
}

static void leave_group(struct xdr_sink *sink)
{
	struct field_sink *fields = (struct field_sink *)sink;

	fields->visitor->leave(fields->visitor);
}

/*
 * The body has not been examined before, so that this is not among the packet's anomalies. A visitor without an anomaly callback
 * gets it as a field; one that wants only some fields gets it from the frame's layer, if requested.
 */
static void report_malformed(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t offset)
{
	if (visitor->anomaly)
		visitor->anomaly(visitor, &(struct rtap_anomaly){ RTAP_ANOMALY_MALFORMED, (uint8_t)(layer - packet->layers), offset });
	else if (!visitor->wanted)
		visit_anomaly(visitor, layer, RTAP_ANOMALY_MALFORMED, offset);
}

void rpc_body_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	bool groups = visitor->enter && visitor->leave;
	struct field_sink fields;
	struct body *body = &fields.body;
	enum result result;

	body->sink = (struct xdr_sink){
		.value = report_field, .enter = groups ? enter_group : NULL, .leave = groups ? leave_group : NULL, .hashes = true,
	};
	body_init(body, packet, layer);
	body->sink.wanted = visitor->wanted;
	body->sink.first_id = protocol_field_id(layer->protocol, 0);
	fields.visitor = visitor;
	fields.layer = layer;
	result = rpc_body_walk(known_of(layer, body->facts), body->facts, &body->xdr, &body->sink);
	if (result == MALFORMED)
		report_malformed(packet, layer, visitor, place_of(layer, body->xdr.position));
}

bool rpc_body_is_malformed(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t *offset)
{
	struct body body;

	if (!protocol_by_number(layer->protocol)->programs)
		return false;
	body.sink = (struct xdr_sink){ .value = NULL };
	body_init(&body, packet, layer);
	if (rpc_body_walk(known_of(layer, body.facts), body.facts, &body.xdr, &body.sink) != MALFORMED)
		return false;
	*offset = place_of(layer, body.xdr.position);
	return true;
}

/* A file handle, in the one-line text. */
struct line_place {
	bool is_set, is_shown;
	uint8_t length;          /* of the path; 0: unknown */
	const char *path;
	uint32_t hash;           /* of the handle, if its path is unknown */
};

/* Words of the one-line text. */
struct line_sink {
	struct body body;
	struct line *line;
	char *start;            /* of the text in the line */
	const struct rpc_program *known;
	const struct xdr_program *program;
	bool is_compound;
	bool procedure_shown;
	bool status_shown;
	/* COMPOUND: only the operations of the lowest tier, its purpose, are shown; or the one that failed */
	bool skipping;          /* the current operation is another */
	uint8_t tier;           /* of those shown; 0: none yet */
	size_t begin;           /* bytes of the line before them */
	size_t more;            /* before the second of them; 0: none */
	bool has_status;        /* of the whole */
	uint32_t status;
	const char *status_name;
	uint32_t operation;     /* the current one */
	const char *operation_name;
	uint8_t last_form;      /* of the value before: enum rpc_summary_form */
	const struct rtap_packet *packet;
	uint8_t layer;          /* number of the body's */
	uint32_t handles;       /* found */
	bool is_due;            /* an operation is shown whose handle is not */
	bool is_replaced;       /* the current handle is that of a file found by the last operation */
	struct line_place current, saved;
};

static void show_number(struct line *line, const struct rtap_name *names, uint64_t number)
{
	const char *name = rtap_name_of(names, number);

	if (name)
		line_text(line, name);
	else
		line_dec(line, number);
}

static void show_named(struct line *line, const char *name, uint32_t number)
{
	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		line_dec(line, number);
}

/* A COMPOUND is its operations. */
static void show_procedure(struct line_sink *text)
{
	if (text->procedure_shown)
		return;
	text->procedure_shown = true;
	text->begin = (size_t)(text->line->next - text->start);
	if (text->is_compound)
		return;
	line_char(text->line, ' ');
	rpc_program_line_procedure(text->known, text->body.facts, text->line);
}

/* The path of the next handle in the body. */
static void find_path(struct line_sink *text, const struct rtap_span *handle, struct line_place *place)
{
	const struct packet_paths *paths = &text->packet->paths;

	*place = (struct line_place){ .is_set = true };
	for (uint8_t i = 0; i < text->packet->path_count; i++) {
		const struct packet_path *path = &paths->list[i];

		if (path->layer == text->layer && path->ordinal == text->handles) {
			place->path = paths->text + path->at;
			place->length = path->length;
		}
	}
	text->handles++;
	if (!place->length)
		place->hash = (uint32_t)crc32_z(0, handle->bytes, handle->length);
}

static void write_place(struct line_place *place, struct line *line)
{
	place->is_shown = true;
	if (place->length) {
		line_bytes(line, place->path, place->length);
		return;
	}
	line_text(line, "fh:0x");
	line_hex_digits(line, place->hash, 8);
}

static void show_place(struct line_sink *text, struct line_place *place)
{
	char *begin;

	if (!place->is_set || place->is_shown)
		return;
	show_procedure(text);
	line_char(text->line, ' ');
	begin = text->line->next;
	write_place(place, text->line);
	line_name_add(text->line, begin);
}

/* A handle is shown before whatever else is shown of its operation. */
static void show_due(struct line_sink *text)
{
	if (text->is_due)
		show_place(text, &text->current);
	text->is_due = false;
}

/* A name in a directory, with the path of that. */
static void show_name(struct line_sink *text, const struct xdr_value *decoded)
{
	struct line_place *place = text->is_compound && decoded->tag == NFS_TAG_FROM ? &text->saved : &text->current;
	char *begin;

	line_char(text->line, ' ');
	begin = text->line->next;
	if (place->is_set && !place->is_shown) {
		write_place(place, text->line);
		if (place->length != 1 || *place->path != '/')
			line_char(text->line, '/');
	}
	line_escaped(text->line, decoded->data.bytes, decoded->data.length);
	line_name_add(text->line, begin);
}

/* Removes the text after the program. */
static void start_again(struct line_sink *text)
{
	text->current.is_shown = text->saved.is_shown = text->is_due = false;
	text->line->next = text->start + text->begin;
	text->line->name_count = 0;
	text->more = 0;
	text->status_shown = false;
	text->last_form = RPC_SUMMARY_PLAIN;
}

static void write_status(struct line_sink *text, uint32_t status, const char *name)
{
	show_named(text->line, status ? name : "OK", status);
	text->status_shown = true;
}

static void show_value(struct xdr_sink *sink, const struct xdr_value *decoded)
{
	struct line_sink *text = (struct line_sink *)sink;
	const struct rtap_field *field = &sink->fields[decoded->row];
	const struct rpc_summary_row *row = text->program->summary;

	if (decoded->row == text->program->minor_row) {
		line_char(text->line, '.');
		line_dec(text->line, decoded->number);
		return;
	}
	while (row->row != decoded->row && row->row != XDR_NO_ROW)
		row++;
	if (row->form == RPC_SUMMARY_HANDLE && decoded->data.bytes) {
		show_due(text);
		find_path(text, &decoded->data, &text->current);
		text->is_due = !text->skipping;
	}
	if (row->row == XDR_NO_ROW || (is_bytes(field) && !decoded->data.bytes) || text->skipping ||
	    (row->form == RPC_SUMMARY_UNLESS_0 && !decoded->number))
		return;
	if (row->form == RPC_SUMMARY_HANDLE)
		return;
	show_procedure(text);
	if (row->form == RPC_SUMMARY_NAME && !text->body.facts->is_reply) {
		text->is_due = text->is_due && decoded->tag == NFS_TAG_FROM && text->is_compound;
		show_name(text, decoded);
		return;
	}
	show_due(text);
	/* results that have no status */
	if (text->body.facts->is_reply && !text->status_shown) {
		line_text(text->line, " reply");
		text->status_shown = true;
	}
	/* of a range */
	line_text(text->line, row->form == RPC_SUMMARY_LENGTH && text->last_form == RPC_SUMMARY_OFFSET ? "+" : row->text);
	text->last_form = (uint8_t)row->form;
	if (field->show == RTAP_TEXT)
		line_name(text->line, decoded->data.bytes, decoded->data.length);
	else if (!is_bytes(field))
		show_number(text->line, field->names, decoded->number);
}

/* An operation of a COMPOUND begins. */
static void follow_handle(struct line_sink *text, enum rpc_handle_effect effect)
{
	static const struct line_place root = { .is_set = true, .length = 1, .path = "/" };

	if (text->is_replaced)
		text->current.is_set = false;
	text->is_replaced = effect == RPC_HANDLE_REPLACED;
	text->is_due = !text->skipping && effect != RPC_HANDLE_ROOT;
	if (effect == RPC_HANDLE_ROOT)
		text->current = root;
	else if (effect == RPC_HANDLE_SAVE)
		text->saved = text->current;
	else if (effect == RPC_HANDLE_RESTORE)
		text->current = text->saved;
	else if (effect == RPC_HANDLE_OF_SAVED && !text->skipping)
		show_place(text, &text->saved);
}

static void show_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct line_sink *text = (struct line_sink *)sink;
	uint8_t tier;

	(void)offset;
	show_procedure(text);
	/* the procedure itself is shown already */
	if (!text->is_compound)
		return;
	text->operation = number;
	text->operation_name = name;
	tier = text->program->tier ? text->program->tier(number) : 1;
	text->skipping = text->tier && tier > text->tier;
	if (tier < text->tier)
		start_again(text);
	else
		show_due(text);
	if (!text->skipping) {
		if (tier == text->tier && !text->more)
			text->more = (size_t)(text->line->next - text->start);
		text->tier = tier;
		show_named(text->line, name, number);
	}
	if (text->program->handle_effect && !text->body.facts->is_reply)
		follow_handle(text, text->program->handle_effect(number));
	if (text->skipping)
		return;
	if (text->has_status && !text->status && !text->status_shown)
		write_status(text, 0, NULL);
}

/* Only the status of the whole, or of the operation that failed. */
static void show_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	struct line_sink *text = (struct line_sink *)sink;

	show_procedure(text);
	if (!text->is_compound) {
		write_status(text, status, name);
	} else if (!text->has_status) {
		text->has_status = true;
		text->status = status;
		text->status_name = name;
	} else if (status) {
		start_again(text);
		show_named(text->line, text->operation_name, text->operation);
		write_status(text, status, name);
		text->skipping = false;
	}
}

/* A bit for each row that is shown, by its number modulo 64. */
static uint64_t rows_shown(const struct xdr_program *program)
{
	uint64_t rows = program->minor_row == XDR_NO_ROW ? 0 : UINT64_C(1) << program->minor_row % 64;

	for (const struct rpc_summary_row *row = program->summary; row->row != XDR_NO_ROW; row++)
		rows |= UINT64_C(1) << row->row % 64;
	return rows;
}

static void begin_text(struct line_sink *text, const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	text->packet = packet;
	text->layer = (uint8_t)(layer - packet->layers);
	text->handles = 0;
	text->is_due = text->is_replaced = false;
	text->current = text->saved = (struct line_place){ 0 };
	text->line = line;
	text->start = line->next;
	text->begin = text->more = 0;
	text->program = text->known->tables;
	text->is_compound = text->program->minor_row != XDR_NO_ROW && items_of(text->program, text->body.facts);
	text->procedure_shown = text->status_shown = text->skipping = text->has_status = false;
	text->tier = 0;
	text->status = text->operation = 0;
	text->status_name = text->operation_name = NULL;
	text->last_form = RPC_SUMMARY_PLAIN;
}

static void end_text(struct line_sink *text)
{
	const struct rtap_rpc_facts *facts = text->body.facts;

	show_procedure(text);
	show_due(text);
	if (text->more && !text->line->cut)
		line_spare_within(text->line, text->start + text->more + 1, text->line->next, LINE_SPARE_MORE);
	if (!facts->is_reply)
		return;
	if (text->has_status && !text->status_shown)
		write_status(text, text->status, text->status_name);
	if (!text->status_shown)
		line_text(text->line, " reply");
	if (!facts->call_frame) {
		line_text(text->line, " xid ");
		line_hex(text->line, facts->xid, 8);
	}
}

void rpc_body_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct line_sink text;
	struct body *body = &text.body;
	enum result result;

	body->sink = (struct xdr_sink){ .value = show_value, .operation = show_operation, .status = show_status, .brief = true };
	body_init(body, packet, layer);
	text.known = known_of(layer, body->facts);
	if (!text.known)
		return;
	begin_text(&text, packet, layer, line);
	body->sink.unwanted = ~rows_shown(text.program);
	body->sink.handles = !body->facts->is_reply;
	/* a reply is of its call's version */
	if (body->facts->is_reply && body->facts->call_frame)
		line_text(line, rtap_name_of(rpc_program_names, rpc_program_number(body->facts)));
	else
		rpc_program_line(text.known, body->facts, line);
	result = walk_known(text.known, body->facts, &body->xdr, &body->sink);
	end_text(&text);
	rpcrdma_summary_chunks(packet, layer, line);
	if (result == MALFORMED)
		line_text(line, " [malformed]");
}
