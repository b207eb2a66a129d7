/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/cursor.h"
#include "reassembly/upper/rpc_record.h"

#define MARK 4
#define LAST 0x80000000u
#define FIRST_ROOM 65536u
#define TRIMMED_ROOM 512u
#define NO_PROGRESS_NS UINT64_C(1000000000)
#define LEAST_MESSAGE 20 /* a reply that denies authentication. RFC 5531, section 9 */
#define LEAST_CALL 40
#define LARGEST_AUTH 400 /* RFC 5531, 8.2 */
#define MOST_FLAVORS 390100 /* the highest are pseudo flavors of RPCSEC_GSS. IANA, RPC authentication flavors */

enum { CALL, REPLY };

/* Whether the word at `at` after the mark is between two numbers, or not present. */
static bool is_word_plausible(const uint8_t *bytes, uint32_t length, uint32_t at, uint32_t low, uint32_t high)
{
	uint32_t word;

	if (length < MARK + at + 4)
		return true;
	word = load32(bytes + MARK + at);
	return word >= low && word <= high;
}

/* RFC 5531, section 9: xid, 0, rpcvers 2, prog, vers, proc, flavor and length of the credential. */
static bool may_be_call(const uint8_t *bytes, uint32_t length)
{
	return is_word_plausible(bytes, length, 8, 2, 2) && is_word_plausible(bytes, length, 12, 100000, 0x5fffffff) &&
	       is_word_plausible(bytes, length, 16, 0, 1000) && is_word_plausible(bytes, length, 20, 0, 1000) &&
	       is_word_plausible(bytes, length, 24, 0, MOST_FLAVORS) && is_word_plausible(bytes, length, 28, 0, LARGEST_AUTH);
}

/* xid, 1, then accepted (0): flavor and length of the verifier, if that is empty accept_stat; or denied (1): reject_stat. */
static bool may_be_reply(const uint8_t *bytes, uint32_t length)
{
	if (!is_word_plausible(bytes, length, 8, 0, 1))
		return false;
	if (length < MARK + 12)
		return true;
	if (load32(bytes + MARK + 8))
		return is_word_plausible(bytes, length, 12, 0, 1);
	if (!is_word_plausible(bytes, length, 12, 0, MOST_FLAVORS) || !is_word_plausible(bytes, length, 16, 0, LARGEST_AUTH))
		return false;
	return length < MARK + 20 || load32(bytes + MARK + 16) || is_word_plausible(bytes, length, 20, 0, 5);
}

enum rpc_record_guess rpc_record_guess(const uint8_t *bytes, uint32_t length, bool strict)
{
	uint32_t mark, fragment, looked_at;

	if (length < MARK)
		return RPC_RECORD_PERHAPS;
	mark = load32(bytes);
	fragment = mark & ~LAST;
	if (strict && (!(mark & LAST) || fragment > RPC_RECORD_LARGEST || fragment % 4))
		return RPC_RECORD_NO;
	if (mark & LAST && fragment < LEAST_MESSAGE)
		return RPC_RECORD_NO;
	/* If the first fragment is shorter than the header, only that much can be checked. */
	looked_at = fragment < RPC_RECORD_HEADER - MARK ? fragment + MARK : RPC_RECORD_HEADER;
	if (length > looked_at)
		length = looked_at;
	if (!is_word_plausible(bytes, length, 4, CALL, REPLY))
		return RPC_RECORD_NO;
	if (length >= MARK + 8) {
		bool is_reply = load32(bytes + MARK + 4) == REPLY;

		if (!is_reply && mark & LAST && fragment < LEAST_CALL)
			return RPC_RECORD_NO;
		if (!(is_reply ? may_be_reply : may_be_call)(bytes, length))
			return RPC_RECORD_NO;
	}
	return length < looked_at ? RPC_RECORD_PERHAPS : RPC_RECORD_YES;
}

void rpc_record_copies_init(struct rpc_record_copies *copies, uint64_t most)
{
	*copies = (struct rpc_record_copies){ .most = most };
	TAILQ_INIT(&copies->readers);
}

static void leave_copies(struct rpc_record_reader *reader)
{
	struct rpc_record_copies *copies = reader->copies;

	TAILQ_REMOVE(&copies->readers, reader, link);
	copies->bytes -= reader->room;
}

static void enter_copies(struct rpc_record_reader *reader)
{
	struct rpc_record_copies *copies = reader->copies;

	TAILQ_INSERT_TAIL(&copies->readers, reader, link);
	copies->bytes += reader->room;
}

static void free_copy(struct rpc_record_reader *reader)
{
	if (reader->room && !reader->trimmed)
		leave_copies(reader);
	free(reader->copy);
	reader->copy = NULL;
	budget_give(reader->budget, &reader->entry, reader->room);
	reader->room = reader->copied = 0;
	reader->trimmed = false;
}

/* Drops all but the first bytes of a record without progress, which identify it. */
static void trim(struct rpc_record_reader *reader)
{
	uint32_t room = reader->copied < TRIMMED_ROOM ? reader->copied : TRIMMED_ROOM;
	uint8_t *smaller = memory_new(room); /* New memory instead of shrinking the old, so that the next copy fits where this one was. */

	leave_copies(reader);
	reader->trimmed = true;
	if (!smaller)
		return;
	memcpy(smaller, reader->copy, room);
	free(reader->copy);
	budget_give(reader->budget, &reader->entry, reader->room - room);
	reader->copy = smaller;
	reader->copied = reader->room = room;
}

/* The reader grew. Others that have not grown for a while drop bytes for it. */
static void note_growth(struct rpc_record_reader *reader)
{
	struct rpc_record_copies *copies = reader->copies;
	uint64_t now_ns = reader->budget->clock_ns;

	reader->grown_ns = now_ns;
	if (TAILQ_NEXT(reader, link)) {
		leave_copies(reader);
		enter_copies(reader);
	}
	while (copies->bytes > copies->most && now_ns - TAILQ_FIRST(&copies->readers)->grown_ns >= NO_PROGRESS_NS)
		trim(TAILQ_FIRST(&copies->readers));
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rpc_record_reader *reader = owner;

	(void)entry;
	free_copy(reader);
	if (reader->record.missing == RPC_RECORD_WHOLE)
		reader->record.missing = RPC_RECORD_EVICTED;
}

void rpc_record_init(struct rpc_record_reader *reader, struct budget *budget, struct rpc_record_copies *copies,
		     const struct rpc_record_user *user, bool is_beginning)
{
	*reader = (struct rpc_record_reader){
		.user = *user,
		.budget = budget,
		.copies = copies,
		.entry = { .evict = evict, .owner = reader },
		.state = is_beginning ? RPC_RECORD_BEGINNING : RPC_RECORD_SEARCHING,
	};
}

void rpc_record_fini(struct rpc_record_reader *reader)
{
	free_copy(reader);
}

/* Delivers the current record, whose bytes are `bytes` or the copy. The next record begins after it. */
static void report(struct rpc_record_reader *reader, struct rtap_span bytes)
{
	struct rpc_record *record = &reader->record;

	if (reader->is_reported) {
		reader->is_reported = false;
		reader->state = RPC_RECORD_BEGINNING;
		return;
	}
	record->bytes = bytes;
	if (record->seen < bytes.length)
		record->seen = bytes.length;
	if (reader->trimmed && record->missing == RPC_RECORD_WHOLE)
		record->missing = RPC_RECORD_EVICTED;
	reader->records++;
	reader->incomplete += record->missing != RPC_RECORD_WHOLE;
	reader->too_large += record->missing == RPC_RECORD_TOO_LARGE;
	reader->recovered += record->recovered;
	reader->entry.evict = NULL; /* The user must not evict it. */
	reader->user.record(reader->user.owner, record);
	reader->entry.evict = evict;
	free_copy(reader);
	reader->state = RPC_RECORD_BEGINNING;
}

static void report_copy(struct rpc_record_reader *reader)
{
	report(reader, (struct rtap_span){ reader->copy, reader->copied });
}

/* Makes room for `more` bytes. Memory for the rest of the fragment is allocated only as it arrives. */
static bool reserve(struct rpc_record_reader *reader, uint32_t more)
{
	uint32_t need = reader->copied + more, room = reader->room ? reader->room : FIRST_ROOM;
	uint8_t *grown;

	while (room < need)
		room *= 2;
	if (room == reader->room)
		return true;
	if (reader->is_last && room > reader->copied + reader->left && reader->copied + reader->left >= need)
		room = reader->copied + reader->left;
	if (!budget_take(reader->budget, &reader->entry, room - reader->room))
		return false;
	grown = memory_resize(reader->copy, room);
	if (!grown) {
		budget_give(reader->budget, &reader->entry, room - reader->room);
		return false;
	}
	if (reader->room)
		leave_copies(reader);
	reader->copy = grown;
	reader->room = room;
	enter_copies(reader);
	return true;
}

static void append(struct rpc_record_reader *reader, const uint8_t *bytes, uint32_t length)
{
	struct rpc_record *record = &reader->record;

	if (record->missing != RPC_RECORD_WHOLE)
		return;
	record->seen += length;
	if (reader->trimmed)
		return;
	if (!reserve(reader, length)) {
		free_copy(reader);
		record->missing = RPC_RECORD_EVICTED;
		return;
	}
	memcpy(reader->copy + reader->copied, bytes, length);
	reader->copied += length;
	note_growth(reader);
}

static void begin_fragment(struct rpc_record_reader *reader, uint32_t mark)
{
	struct rpc_record *record = &reader->record;

	reader->is_last = mark & LAST;
	reader->left = mark & ~LAST;
	reader->state = RPC_RECORD_FRAGMENT;
	record->fragments++;
	record->length += reader->left;
	if (record->length > RPC_RECORD_LARGEST && record->missing == RPC_RECORD_WHOLE) {
		free_copy(reader);
		record->missing = RPC_RECORD_TOO_LARGE;
	}
}

static void begin_record(struct rpc_record_reader *reader, uint32_t mark, uint64_t offset, struct rpc_record_frames frames)
{
	reader->record = (struct rpc_record){ .offset = offset, .frames = frames, .recovered = reader->state == RPC_RECORD_SEARCHING };
	begin_fragment(reader, mark);
}

static void end_fragment(struct rpc_record_reader *reader)
{
	if (reader->left)
		return;
	if (reader->is_last)
		report_copy(reader);
	else
		reader->state = RPC_RECORD_MARK;
}

/* Bytes within a fragment. Returns how many were consumed. */
static uint32_t take_fragment(struct rpc_record_reader *reader, const uint8_t *bytes, uint32_t length)
{
	struct rpc_record *record = &reader->record;

	if (length > reader->left)
		length = reader->left;
	reader->left -= length;
	if (reader->is_reported)
		reader->passed_over += length;
	if (!reader->left && reader->is_last && length == record->length && record->missing == RPC_RECORD_WHOLE) {
		report(reader, (struct rtap_span){ bytes, length });
		return length;
	}
	append(reader, bytes, length);
	end_fragment(reader);
	return length;
}

/* Bytes of a mark between fragments. */
static uint32_t take_mark(struct rpc_record_reader *reader, const uint8_t *bytes, uint32_t length)
{
	uint32_t taken = MARK - reader->head_length;

	if (taken > length)
		taken = length;
	memcpy(reader->head + reader->head_length, bytes, taken);
	reader->head_length += taken;
	if (reader->head_length < MARK)
		return taken;
	reader->head_length = 0;
	begin_fragment(reader, load32(reader->head));
	end_fragment(reader);
	return taken;
}

/* Skips bytes at which no record begins. */
static void skip(struct rpc_record_reader *reader, uint64_t bytes)
{
	reader->state = RPC_RECORD_SEARCHING;
	reader->passed_over += bytes;
}

/* Contiguous bytes of the stream. */
struct stretch {
	const uint8_t *bytes;
	uint32_t length;
	uint64_t offset;
	struct rpc_record_frames frames;
	uint64_t cause;
};

static void add_frames(struct rpc_record_frames *frames, const struct rpc_record_frames *more)
{
	if (more->first < frames->first) {
		frames->first = more->first;
		frames->first_ns = more->first_ns;
	}
	if (more->last > frames->last) {
		frames->last = more->last;
		frames->last_ns = more->last_ns;
	}
}

static void take(struct rpc_record_reader *reader, struct stretch stretch);

/*
 * A record begins in the stored bytes, of which `old` are before the current stretch. Returns how many bytes of the stretch
 * its mark includes.
 */
static uint32_t begin_in_head(struct rpc_record_reader *reader, uint32_t old, uint64_t offset)
{
	uint8_t head[RPC_RECORD_HEADER];
	struct stretch rest = { head + MARK, old > MARK ? old - MARK : 0, offset + MARK, reader->head_frames[0], reader->head_cause };

	if (reader->head_first < reader->head_length)
		add_frames(&rest.frames, &reader->head_frames[1]);
	memcpy(head, reader->head, reader->head_length);
	reader->head_length = 0;
	begin_record(reader, load32(head), offset, rest.frames);
	end_fragment(reader);
	take(reader, rest);
	return old < MARK ? MARK - old : 0;
}

static void store_in_head(struct rpc_record_reader *reader, const struct stretch *stretch, uint32_t at, uint32_t length)
{
	if (!reader->head_length) {
		reader->head_frames[0] = stretch->frames;
		reader->head_first = length;
		reader->head_cause = stretch->cause;
	} else if (reader->head_first == reader->head_length) {
		reader->head_frames[1] = stretch->frames;
	} else {
		add_frames(&reader->head_frames[1], &stretch->frames);
	}
	memcpy(reader->head + reader->head_length, stretch->bytes + at, length);
	reader->head_length += length;
}

/* No record begins at the first stored byte. */
static void drop_from_head(struct rpc_record_reader *reader)
{
	skip(reader, 1);
	memmove(reader->head, reader->head + 1, --reader->head_length);
	if (--reader->head_first)
		return;
	reader->head_frames[0] = reader->head_frames[1];
	reader->head_first = reader->head_length;
}

/*
 * Decides on stored bytes with the bytes after them. Returns how many of these were consumed: all if they do not suffice,
 * none if no record begins in the stored ones.
 */
static uint32_t take_head(struct rpc_record_reader *reader, const struct stretch *stretch)
{
	uint32_t taken = 0, more;

	while (reader->head_length > taken) {
		switch (rpc_record_guess(reader->head, reader->head_length, reader->state == RPC_RECORD_SEARCHING)) {
		case RPC_RECORD_YES:
			return begin_in_head(reader, reader->head_length - taken, stretch->offset + taken - reader->head_length);
		case RPC_RECORD_PERHAPS:
			more = RPC_RECORD_HEADER - reader->head_length;
			if (more > stretch->length - taken)
				more = stretch->length - taken;
			if (!more)
				return taken;
			store_in_head(reader, stretch, taken, more);
			taken += more;
			break;
		case RPC_RECORD_NO:
			drop_from_head(reader);
			break;
		}
	}
	reader->head_length = 0;
	return 0;
}

/* Searches the start of a record; stores bytes that are too short to decide. Returns how many bytes were consumed. */
static uint32_t look(struct rpc_record_reader *reader, const struct stretch *stretch)
{
	const uint8_t *bytes = stretch->bytes;
	uint32_t length = stretch->length;

	for (uint32_t i = 0; i < length; i++) {
		switch (rpc_record_guess(bytes + i, length - i, reader->state == RPC_RECORD_SEARCHING)) {
		case RPC_RECORD_YES:
			begin_record(reader, load32(bytes + i), stretch->offset + i, stretch->frames);
			end_fragment(reader);
			return i + MARK;
		case RPC_RECORD_PERHAPS:
			store_in_head(reader, stretch, i, length - i);
			return length;
		case RPC_RECORD_NO:
			skip(reader, 1);
			break;
		}
	}
	return length;
}

static uint32_t take_some(struct rpc_record_reader *reader, const struct stretch *stretch)
{
	switch (reader->state) {
	case RPC_RECORD_FRAGMENT:
		add_frames(&reader->record.frames, &stretch->frames);
		reader->record.cause = stretch->cause;
		return take_fragment(reader, stretch->bytes, stretch->length);
	case RPC_RECORD_MARK:
		return take_mark(reader, stretch->bytes, stretch->length);
	case RPC_RECORD_BEGINNING:
	case RPC_RECORD_SEARCHING:
		break;
	}
	return reader->head_length ? take_head(reader, stretch) : look(reader, stretch);
}

static void take(struct rpc_record_reader *reader, struct stretch stretch)
{
	while (stretch.length) {
		uint32_t taken = take_some(reader, &stretch);

		stretch.bytes += taken;
		stretch.length -= taken;
		stretch.offset += taken;
	}
}

void rpc_record_bytes(struct rpc_record_reader *reader, const struct tcp_bytes *bytes)
{
	const struct rpc_record_frames frames = { bytes->frame, bytes->frame, bytes->time_ns, bytes->time_ns };

	take(reader, (struct stretch){ bytes->span.bytes, bytes->span.length, bytes->offset, frames, bytes->acknowledged });
}

void rpc_record_hole(struct rpc_record_reader *reader, const struct tcp_hole *hole)
{
	bool is_within, hides_end;

	/* A truncated header is too short to be certain, but where a record must begin its mark counts. */
	if (reader->state == RPC_RECORD_BEGINNING && reader->head_length >= MARK)
		begin_in_head(reader, reader->head_length, hole->offset - reader->head_length);
	is_within = reader->state == RPC_RECORD_FRAGMENT;
	hides_end = !is_within || hole->length > reader->left;
	if ((is_within || reader->state == RPC_RECORD_MARK) && reader->record.missing == RPC_RECORD_WHOLE) {
		reader->record.missing = RPC_RECORD_HOLE;
		reader->record.hole = hole->reason;
	}
	if (!hides_end) {
		reader->left -= (uint32_t)hole->length;
		end_fragment(reader);
		return;
	}
	if (is_within || reader->state == RPC_RECORD_MARK)
		report_copy(reader);
	else
		reader->passed_over += reader->head_length;
	reader->head_length = 0;
	reader->state = RPC_RECORD_SEARCHING;
}

bool rpc_record_begun(const struct rpc_record_reader *reader, uint64_t *frame, int64_t *time_ns)
{
	bool is_known = reader->state == RPC_RECORD_FRAGMENT || reader->state == RPC_RECORD_MARK;

	if (is_known && reader->is_reported)
		return false;
	if (!is_known && !reader->head_length)
		return false;
	*frame = is_known ? reader->record.frames.first : reader->head_frames[0].first;
	*time_ns = is_known ? reader->record.frames.first_ns : reader->head_frames[0].first_ns;
	return true;
}

void rpc_record_give_up(struct rpc_record_reader *reader)
{
	enum rpc_record_state state = reader->state;

	if ((state != RPC_RECORD_FRAGMENT && state != RPC_RECORD_MARK) || reader->is_reported)
		return;
	if (reader->record.missing == RPC_RECORD_WHOLE)
		reader->record.missing = RPC_RECORD_UNFINISHED;
	report_copy(reader);
	reader->state = state;
	reader->is_reported = true;
}

void rpc_record_end(struct rpc_record_reader *reader)
{
	if (reader->state == RPC_RECORD_FRAGMENT || reader->state == RPC_RECORD_MARK) {
		if (reader->record.missing == RPC_RECORD_WHOLE)
			reader->record.missing = RPC_RECORD_UNFINISHED;
		report_copy(reader);
	} else {
		reader->passed_over += reader->head_length;
	}
	reader->head_length = 0;
	reader->state = RPC_RECORD_SEARCHING;
}
