/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RPC-over-RDMA version 1. RFC 8166, section 4; RDMA_MSGP and RDMA_DONE are of RFC 5666, section 4.
 * One walk reads the header: without a visitor it collects facts, with one it visits the fields.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/infiniband/upper.h"
#include "dissect/engine/visit.h"

#define SEGMENT_LENGTH 16     /* handle, length, offset. RFC 8166, 3.4.3 */

static const struct rtap_name message_type_names[] = {
	{ RDMA_MSG, "RDMA_MSG" }, { RDMA_NOMSG, "RDMA_NOMSG" }, { RDMA_MSGP, "RDMA_MSGP" },
	{ RDMA_DONE, "RDMA_DONE" }, { RDMA_ERROR, "RDMA_ERROR" }, { 0, NULL },
};

static const struct rtap_name error_names[] = { { ERR_VERS, "ERR_VERS" }, { ERR_CHUNK, "ERR_CHUNK" }, { 0, NULL } };

enum row {
	ROW_XID, ROW_VERSION, ROW_CREDITS, ROW_TYPE, ROW_ALIGN, ROW_THRESHOLD, ROW_ERROR, ROW_LOW, ROW_HIGH,
	ROW_READS, ROW_WRITES, ROW_REPLY, ROW_SEGMENTS, ROW_POSITION, ROW_HANDLE, ROW_LENGTH, ROW_OFFSET,
	ROW_REASSEMBLED_IN, ROW_REASSEMBLED_LENGTH, ROW_REASSEMBLED_DATA,
};

#define FIXED(position) (position) * 32, 32
#define MOVING_32 0, 32
#define MOVING_64 0, 64

static const struct rtap_field rpcrdma_fields[] = {
	[ROW_XID] = { "rpcordma.xid", "XID", FIXED(0), RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_VERSION] = { "rpcordma.version", "Version", FIXED(1), RTAP_DEC, 0, NULL, NULL, NULL },
	[ROW_CREDITS] = { "rpcordma.flow_control", "Credits", FIXED(2), RTAP_DEC, 0, NULL, NULL, "RFC 8166, 3.3" },
	[ROW_TYPE] = { "rpcordma.msg_type", "Message Type", FIXED(3), RTAP_DEC, 0, message_type_names, NULL, NULL },
	[ROW_ALIGN] = { "rpcordma.rdma_align", "Alignment", MOVING_32, RTAP_DEC, RTAP_UNPLACED, NULL, NULL, "RFC 5666, 4.2" },
	[ROW_THRESHOLD] = { "rpcordma.rdma_thresh", "Threshold", MOVING_32, RTAP_DEC, RTAP_UNPLACED, NULL, NULL, "RFC 5666, 4.2" },
	[ROW_ERROR] = { "rpcordma.errcode", "Error", MOVING_32, RTAP_DEC, RTAP_UNPLACED, error_names, NULL, "RFC 8166, 4.5" },
	[ROW_LOW] = { "rpcordma.vers_low", "Lowest Version", MOVING_32, RTAP_DEC, RTAP_UNPLACED, NULL, NULL, "RFC 8166, 4.5.1" },
	[ROW_HIGH] = { "rpcordma.vers_high", "Highest Version", MOVING_32, RTAP_DEC, RTAP_UNPLACED, NULL, NULL, "RFC 8166, 4.5.1" },
	[ROW_READS] = { "rpcordma.reads_count", "Read List", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, "RFC 8166, 3.4.5" },
	[ROW_WRITES] = { "rpcordma.writes_count", "Write List", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, "RFC 8166, 3.4.6" },
	[ROW_REPLY] = { "rpcordma.reply_count", "Reply Chunk", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, "RFC 8166, 3.5.3" },
	[ROW_SEGMENTS] = { "rpcordma.segment_count", "Segments", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL,
			   "RFC 8166, 3.4.6" },
	[ROW_POSITION] = { "rpcordma.position", "Position", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL,
			   "RFC 8166, 3.4.5" },
	[ROW_HANDLE] = { "rpcordma.rdma_handle", "Handle", MOVING_32, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS | RTAP_IS_RKEY, NULL, NULL,
			 "RFC 8166, 3.4.3" },
	[ROW_LENGTH] = { "rpcordma.rdma_length", "Length", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL,
			 "RFC 8166, 3.4.3" },
	[ROW_OFFSET] = { "rpcordma.rdma_offset", "Offset", MOVING_64, RTAP_HEX, RTAP_UNPLACED | RTAP_REPEATS | RTAP_IS_ADDRESS, NULL, NULL,
			 "RFC 8166, 3.4.3" },
	/* of messages reassembled from chunks: only if the context has such a message */
	[ROW_REASSEMBLED_IN] = { "rpcordma.reassembled.in", "Reassembled in Frame", MOVING_32, RTAP_DEC, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL,
				 "RFC 8166, 3.4" },
	[ROW_REASSEMBLED_LENGTH] = { "rpcordma.reassembled.length", "Reassembled Length", MOVING_32, RTAP_DEC,
	  RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL,
				     "RFC 8166, 3.4" },
	[ROW_REASSEMBLED_DATA] = { "rpcordma.reassembled.data", "Reassembled Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL,
				   NULL, "RFC 8166, 3.4" },
};

/* A walk over the header: its position and its receiver. */
struct walk {
	struct cursor cursor;
	const uint8_t *start;             /* of the header */
	const struct rtap_layer *layer;   /* with a visitor */
	struct rtap_visitor *visitor;     /* or NULL */
	struct rpcrdma_chunk_totals *totals; /* or NULL */
	struct rtap_rpcrdma_facts facts;
};

static uint32_t position(const struct walk *walk)
{
	return (uint32_t)(walk->cursor.next - walk->start);
}

static void report_at(struct walk *walk, enum row row, uint64_t number, uint32_t from, uint32_t length)
{
	struct rtap_value value = { .number = number };

	if (walk->visitor)
		visit_field(walk->visitor, walk->layer, PROTOCOL_RPCRDMA, row, &value, walk->layer->offset + from, length);
}

/* Takes one word and visits it. */
static enum result word(struct walk *walk, enum row row, uint32_t *value)
{
	enum result result = cursor_u32(&walk->cursor, value);

	if (result == OK)
		report_at(walk, row, *value, position(walk) - 4, 4);
	return result;
}

static void enter(struct walk *walk, const char *label, uint32_t length)
{
	if (walk->visitor && walk->visitor->enter)
		walk->visitor->enter(walk->visitor, label,
				     &(struct rtap_place){ walk->layer->source, walk->layer->offset + position(walk), length });
}

static void leave(struct walk *walk)
{
	if (walk->visitor && walk->visitor->leave)
		walk->visitor->leave(walk->visitor);
}

/* Adds a segment's length to that of the chunk which it is of; segments of a Position need not follow each other. */
static void add_length(struct rpcrdma_chunk_totals *totals, bool is_read, uint32_t key, uint32_t length)
{
	struct rpcrdma_chunk_total *list = is_read ? totals->reads : totals->writes;
	uint32_t *count = is_read ? &totals->read_count : &totals->write_count, i = 0;

	while (i < *count && list[i].key != key)
		i++;
	if (i == RPCRDMA_TOTALS)
		return;
	if (i == *count)
		list[(*count)++] = (struct rpcrdma_chunk_total){ key, 0 };
	list[i].length += length;
}

static enum result segment(struct walk *walk, uint32_t *length_out)
{
	uint32_t handle, length = 0;
	uint64_t offset;
	enum result result;

	enter(walk, "Segment", SEGMENT_LENGTH);
	result = word(walk, ROW_HANDLE, &handle);
	if (result == OK)
		result = word(walk, ROW_LENGTH, &length);
	if (result == OK)
		result = cursor_u64(&walk->cursor, &offset);
	if (result == OK)
		report_at(walk, ROW_OFFSET, offset, position(walk) - 8, 8);
	*length_out = length;
	leave(walk);
	return result;
}

/* One of XDR's optional-data words: 0 or 1 and nothing else. RFC 4506, 4.19. */
static enum result follows(struct walk *walk, bool *more)
{
	uint32_t value;
	enum result result = cursor_u32(&walk->cursor, &value);

	if (result == OK && value > 1)
		return MALFORMED;
	*more = result == OK && value == 1;
	return result;
}

/* Segments that share a Position are one chunk: RFC 8166, 3.4.5. */
static enum result read_list(struct walk *walk)
{
	uint32_t at, length;
	bool more;
	enum result result = follows(walk, &more);

	while (result == OK && more) {
		enter(walk, "Read Segment", 4 + SEGMENT_LENGTH);
		result = word(walk, ROW_POSITION, &at);
		if (result == OK && at % 4)
			result = MALFORMED;
		if (result == OK)
			result = segment(walk, &length);
		leave(walk);
		if (result != OK)
			break;
		if (walk->totals)
			add_length(walk->totals, true, at, length);
		walk->facts.read_segments++;
		result = follows(walk, &more);
	}
	return result;
}

static enum result write_chunk(struct walk *walk, const char *label, bool in_write_list)
{
	uint32_t count, length = 0;
	enum result result;

	enter(walk, label, 0);
	result = word(walk, ROW_SEGMENTS, &count);
	if (result == OK && count > walk->cursor.wire / SEGMENT_LENGTH)
		result = MALFORMED;
	if (result == OK && in_write_list && walk->totals)
		add_length(walk->totals, false, walk->facts.write_chunks, 0);
	for (; result == OK && count; count--) {
		result = segment(walk, &length);
		if (result == OK && in_write_list && walk->totals)
			add_length(walk->totals, false, walk->facts.write_chunks, length);
	}
	leave(walk);
	return result;
}

static enum result write_list(struct walk *walk)
{
	bool more;
	enum result result = follows(walk, &more);

	while (result == OK && more) {
		result = write_chunk(walk, "Write Chunk", true);
		if (result != OK)
			break;
		walk->facts.write_chunks++;
		result = follows(walk, &more);
	}
	return result;
}

static enum result reply_chunk(struct walk *walk)
{
	bool there;
	enum result result = follows(walk, &there);

	if (result != OK || !there)
		return result;
	walk->facts.reply_chunk = true;
	return write_chunk(walk, "Reply Chunk", false);
}

/* Whether three lists without anything in them begin here. */
static bool are_empty(const uint8_t *lists)
{
	return !load64(lists) && !load32(lists + 8);
}

/* Numbers of list entries, visited before the lists. `known` are the facts of an earlier walk. */
static enum result lists(struct walk *walk, const struct rtap_rpcrdma_facts *known)
{
	enum result result;

	report_at(walk, ROW_READS, known->read_segments, position(walk), 4);
	result = read_list(walk);
	if (result != OK)
		return result;
	report_at(walk, ROW_WRITES, known->write_chunks, position(walk), 4);
	result = write_list(walk);
	if (result != OK)
		return result;
	report_at(walk, ROW_REPLY, known->reply_chunk, position(walk), 4);
	return reply_chunk(walk);
}

static enum result error_body(struct walk *walk)
{
	uint32_t low, high;
	enum result result = word(walk, ROW_ERROR, &walk->facts.error_code);

	if (result != OK || walk->facts.error_code != ERR_VERS)
		return result;
	result = word(walk, ROW_LOW, &low);
	return result == OK ? word(walk, ROW_HIGH, &high) : result;
}

static enum result fixed_part(struct walk *walk)
{
	struct rtap_rpcrdma_facts *facts = &walk->facts;
	const uint8_t *header;
	enum result result = cursor_take(&walk->cursor, RPCRDMA_FIXED_LENGTH, &header);

	if (result != OK)
		return result;
	facts->xid = load32(header);
	facts->version = load32(header + 4);
	facts->credits = load32(header + 8);
	facts->message_type = load32(header + 12);
	return OK;
}

static enum result padding_words(struct walk *walk)
{
	uint32_t value;
	enum result result = word(walk, ROW_ALIGN, &value);

	return result == OK ? word(walk, ROW_THRESHOLD, &value) : result;
}

/* Walks the whole header. Rows with fixed positions are visited by their table instead. */
static enum result walk_header(struct walk *walk, const struct rtap_rpcrdma_facts *known)
{
	enum result result = fixed_part(walk);

	if (result != OK)
		return result;
	/* RFC 8166, 4.2 and 7: of other versions the fixed fields are known, and RDMA_ERROR with ERR_VERS */
	if (walk->facts.version != RPCRDMA_VERSION_1 && walk->facts.message_type != RDMA_ERROR)
		return OK;
	switch (walk->facts.message_type) {
	case RDMA_MSGP:
		result = padding_words(walk);
		if (result != OK)
			return result;
		/* fall through */
	case RDMA_MSG:
	case RDMA_NOMSG:
		return lists(walk, known);
	case RDMA_DONE:
		return OK;
	case RDMA_ERROR:
		return error_body(walk);
	default:
		return MALFORMED;
	}
}

static struct walk walk_of(struct cursor cursor)
{
	return (struct walk){ .cursor = cursor, .start = cursor.next };
}

bool rpcrdma_may_be(const uint8_t *bytes, uint32_t length)
{
	return length >= RPCRDMA_MIN_LENGTH && load32(bytes + 4) == RPCRDMA_VERSION_1 && load32(bytes + 12) <= RDMA_ERROR;
}

/* Returns whether the words after the header start an RPC message: the same XID, then call or reply. */
static bool is_message(const uint8_t *words, uint32_t xid)
{
	return load32(words) == xid && load32(words + 4) <= 1;
}

bool rpcrdma_recognise(const struct cursor *payload)
{
	const uint8_t *header = payload->next, *words;
	const struct rtap_rpcrdma_facts *facts;
	struct walk walk;

	if (payload->captured < RPCRDMA_MIN_LENGTH || load32(header + 4) != RPCRDMA_VERSION_1 || load32(header + 12) > RDMA_MSGP)
		return false;
	/* as most are */
	if (load32(header + 12) == RDMA_MSG && are_empty(header + RPCRDMA_FIXED_LENGTH) && payload->captured >= RPCRDMA_MIN_LENGTH + 8)
		return is_message(header + RPCRDMA_MIN_LENGTH, load32(header));
	walk = walk_of(*payload);
	facts = &walk.facts;
	if (walk_header(&walk, facts) != OK)
		return false;
	/* RFC 8166, 4.5.2: without a message and chunks the header is invalid, and cannot be recognised */
	if (facts->message_type == RDMA_NOMSG)
		return !walk.cursor.wire && (facts->read_segments || facts->write_chunks || facts->reply_chunk);
	return cursor_take(&walk.cursor, 8, &words) == OK && is_message(words, facts->xid);
}

bool rpcrdma_pass(struct parse *parse, uint32_t length)
{
	struct walk walk = walk_of(parse->cursor);
	const uint8_t *header;

	if (!length)
		return true;
	if (walk_header(&walk, &walk.facts) != OK || position(&walk) != length || cursor_take(&parse->cursor, length, &header) != OK)
		return false;
	parse->packet->rpcrdma = walk.facts;
	parse->packet->rpcrdma.length = length;
	return true;
}

/* The header before its RPC message in a source, without a layer. A frame can have other RPC messages. */
static bool passed_header(const struct rtap_packet *packet, struct cursor *header)
{
	uint32_t length = packet->rpcrdma.length;

	for (uint8_t i = 0; i < packet->layer_count && !packet->rpcrdma.present && length >= RPCRDMA_FIXED_LENGTH; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		if (layer->protocol != PROTOCOL_RPC || layer->offset < length)
			continue;
		*header = (struct cursor){ layer_bytes(packet, layer) - length, length, length };
		if (load32(header->next) == packet->rpcrdma.xid)
			return true;
	}
	return false;
}

void rpcrdma_totals(const struct rtap_packet *packet, struct rpcrdma_chunk_totals *totals)
{
	struct cursor header;

	totals->read_count = totals->write_count = 0;
	if (passed_header(packet, &header)) {
		struct walk walk = walk_of(header);

		walk.totals = totals;
		if (walk_header(&walk, &packet->rpcrdma) != OK)
			return;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		struct walk walk;

		if (layer->protocol != PROTOCOL_RPCRDMA)
			continue;
		walk = walk_of((struct cursor){ layer_bytes(packet, layer), layer->length, layer->length });
		walk.totals = totals;
		/* for an incomplete header, the values that could be read */
		if (walk_header(&walk, &packet->rpcrdma) != OK)
			return;
	}
}

/* Most headers are only the fixed part and three empty lists. False: this one is longer or incomplete. */
static bool read_plain(const struct cursor *cursor, struct rtap_rpcrdma_facts *facts)
{
	if (cursor->captured < RPCRDMA_MIN_LENGTH || load32(cursor->next + 4) != RPCRDMA_VERSION_1 || load32(cursor->next + 12) != RDMA_MSG ||
	    !are_empty(cursor->next + RPCRDMA_FIXED_LENGTH))
		return false;
	*facts = (struct rtap_rpcrdma_facts){
		.xid = load32(cursor->next), .version = load32(cursor->next + 4), .credits = load32(cursor->next + 8), .message_type = RDMA_MSG,
	};
	return true;
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length = RPCRDMA_MIN_LENGTH, at = 0;
	struct rtap_rpcrdma_facts facts;
	enum result walked = OK, result;
	const uint8_t *header;

	if (!read_plain(&parse->cursor, &facts)) {
		struct walk walk = walk_of(parse->cursor);

		walked = walk_header(&walk, &walk.facts);
		at = position(&walk);
		facts = walk.facts;
		/* a header that ends within a list includes all remaining bytes */
		length = walked == OK ? at : parse->cursor.captured;
	}
	result = parse_layer(parse, PROTOCOL_RPCRDMA, length, &header);
	if (result != OK)
		return result;
	facts.present = true;
	facts.length = length;
	/* without the XID it is neither a call nor a reply */
	if (length >= RPCRDMA_FIXED_LENGTH)
		parse->packet->rpcrdma = facts;
	parse->packet->upper = RTAP_UPPER_RPCRDMA;
	if (walked != OK) {
		parse_anomaly(parse, walked == TRUNCATED ? RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_BAD_CHUNK_LIST, start + at);
		return walked;
	}
	if (facts.version != RPCRDMA_VERSION_1 && facts.message_type != RDMA_ERROR)
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start + 4);
	/* RFC 8166, 3.5.3: a position-zero read chunk or the reply chunk has its message */
	if (facts.version == RPCRDMA_VERSION_1 && facts.message_type == RDMA_NOMSG && !facts.read_segments && !facts.reply_chunk)
		parse_anomaly(parse, RTAP_ANOMALY_BAD_CHUNK_LIST, start + RPCRDMA_FIXED_LENGTH);
	if (facts.version != RPCRDMA_VERSION_1)
		parse->next = parse->cursor.wire ? PROTOCOL_PAYLOAD : parse->next;
	else if (facts.message_type == RDMA_NOMSG && parse->context->chunk.bytes && parse_enter(parse, parse->context->chunk))
		parse->next = PROTOCOL_RPC;
	else if (parse->cursor.wire && parse->context->rpc_follows)
		parse->next = PROTOCOL_PAYLOAD;
	else if (parse->cursor.wire)
		parse->next = facts.message_type == RDMA_MSG || facts.message_type == RDMA_MSGP ? PROTOCOL_RPC : PROTOCOL_PAYLOAD;
	return OK;
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct walk walk = walk_of((struct cursor){ layer_bytes(packet, layer), layer->length, layer->length });

	walk.layer = layer;
	walk.visitor = visitor;
	/* a truncated or malformed list is visited as far as possible; its anomaly is already recorded */
	if (walk_header(&walk, &packet->rpcrdma) != OK)
		return;
}

/* Names without the words that precede them in the line. */
static const struct rtap_name message_type_words[] = {
	{ RDMA_MSG, "MSG" }, { RDMA_NOMSG, "NOMSG" }, { RDMA_MSGP, "MSGP" }, { RDMA_DONE, "DONE" }, { RDMA_ERROR, "ERROR" }, { 0, NULL },
};

/* "read", "read 3": a list, and its elements if it has several. */
static void count(struct line *line, const char *before, const char *list, uint32_t number)
{
	line_text(line, before);
	line_text(line, list);
	if (number < 2)
		return;
	line_char(line, ' ');
	line_dec(line, number);
}

/* The lists that are not empty: " (read 2, write, reply)". */
static void summary_lists(const struct rtap_rpcrdma_facts *facts, struct line *line)
{
	const char *before = " (";
	char *begin = line->next;

	if (!facts->read_segments && !facts->write_chunks && !facts->reply_chunk)
		return;
	if (facts->read_segments) {
		count(line, before, "read", facts->read_segments);
		before = ", ";
	}
	if (facts->write_chunks) {
		count(line, before, "write", facts->write_chunks);
		before = ", ";
	}
	if (facts->reply_chunk)
		count(line, before, "reply", 1);
	line_char(line, ')');
	line_spare(line, begin, LINE_SPARE_PARTS);
}

#define SUMMARY_MOST 128 /* the words, four numbers, and the longest name */

/* "ERR_VERS, 1 to 1", as the layer has it. */
static void error_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *body = layer_bytes(packet, layer) + RPCRDMA_FIXED_LENGTH;
	const char *name = rtap_name_of(error_names, packet->rpcrdma.error_code);

	if (layer->length < RPCRDMA_FIXED_LENGTH + 4)
		return;
	line_char(line, ' ');
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "error ");
		line_dec(line, packet->rpcrdma.error_code);
	}
	if (packet->rpcrdma.error_code != ERR_VERS || layer->length < RPCRDMA_FIXED_LENGTH + 12)
		return;
	line_text(line, " versions ");
	line_dec(line, load32(body + 4));
	line_text(line, " to ");
	line_dec(line, load32(body + 8));
}

void rpcrdma_summary_chunks(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_rpcrdma_facts *facts = &packet->rpcrdma;

	while (layer > packet->layers && layer->protocol != PROTOCOL_RPC)
		layer--;
	if (layer == packet->layers || layer[-1].protocol != PROTOCOL_RPCRDMA || !facts->present)
		return;
	/* a reply repeats the segments of its call */
	if (!packet->rpc.is_reply)
		summary_lists(facts, line);
}

/* The message that follows adds the chunks to its own text. */
static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_rpcrdma_facts *facts = &packet->rpcrdma;
	const struct rtap_layer *after = layer_after(packet, layer);
	const char *name = rtap_name_of(message_type_words, facts->message_type);
	char spare[SUMMARY_MOST], *begin, *to, *xid;

	if (layer->length < RPCRDMA_FIXED_LENGTH || (after && after->protocol == PROTOCOL_RPC))
		return;
	begin = line_begin(line, spare, sizeof spare);
	to = line_put(begin, ": RPC/RDMA ");
	if (facts->version != RPCRDMA_VERSION_1)
		to = line_put(line_put_dec(line_put(to, "version "), facts->version), " ");
	to = name ? line_put(to, name) : line_put_dec(line_put(to, "type "), facts->message_type);
	xid = to;
	to = line_put_hex(line_put(to, " xid 0x"), facts->xid, 8);
	line_end(line, begin, to);
	if (!line->cut)
		line_spare(line, line->next - (to - xid), LINE_SPARE_LAST);
	summary_lists(facts, line);
	if (facts->message_type == RDMA_ERROR)
		error_summary(packet, layer, line);
}

const struct protocol rpcrdma_protocol = {
	.table = { "rpcordma", "RPC-over-RDMA", "RFC 8166, section 4", 0, FIELDS(rpcrdma_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
