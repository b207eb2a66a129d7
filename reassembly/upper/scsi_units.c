/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/engine/protocol.h"
#include "reassembly/upper/scsi.h"
#include "reassembly/upper/scsi_units.h"

#define LEAST_BLOCK 512

#define MOST_DESIGNATORS 16384 /* further ones stay unknown, which is counted */
#define PAGE_HEADER 4
#define DESIGNATOR_HEADER 4    /* the last byte: the length of the rest */
#define CODE_SET 0x0f          /* of the first byte */
#define KIND 0x3f              /* of the second byte: association and type of the designator */
#define ASSOCIATION 0x30       /* 0: the logical unit */
#define LONGEST 20             /* bytes that EXTENDED COPY has for one */
#define TARGET_LENGTH 256

struct key {
	size_t length;
	uint64_t words[(3 + LONGEST + TARGET_LENGTH + 7) / 8];
};

struct named_unit {
	uint64_t lun;
	bool is_ambiguous;
	struct key key;
};

struct scsi_units {
	struct map map;
	uint64_t bytes;            /* charged to the tracker's messages */
};

struct scsi_units *scsi_units_create(void)
{
	return memory_new_zeroed(1, sizeof(struct scsi_units));
}

void scsi_units_destroy(struct scsi_units *units, struct rtap_tracker *tracker)
{
	if (!units)
		return;
	budget_give(&tracker->budget, &tracker->messages, units->bytes);
	map_fini_values(&units->map);
	free(units);
}

/* False: the designator is not of a logical unit, or too long. */
static bool key_of(const char *target, const uint8_t *designator, struct key *key)
{
	size_t target_length = strlen(target);
	uint8_t length = designator[3], *bytes = (uint8_t *)key->words;

	if (designator[1] & ASSOCIATION || !length || length > LONGEST || target_length > TARGET_LENGTH)
		return false;
	memset(key, 0, sizeof *key);
	key->length = 3u + length + target_length;
	bytes[0] = designator[0] & CODE_SET;
	bytes[1] = designator[1] & KIND;
	bytes[2] = length;
	memcpy(bytes + 3, designator + DESIGNATOR_HEADER, length);
	memcpy(bytes + 3 + length, target, target_length);
	return true;
}

static bool is_unit(const void *value, const void *wanted)
{
	const struct named_unit *unit = value;
	const struct key *key = wanted;

	return unit->key.length == key->length && !memcmp(unit->key.words, key->words, sizeof key->words);
}

static uint64_t hash_of(const struct key *key)
{
	return map_hash(key->words, (key->length + 7) / 8);
}

static void learn_one(struct scsi_units *units, struct rtap_tracker *tracker, const struct key *key, uint64_t lun)
{
	uint64_t hash = hash_of(key);
	struct named_unit *unit = map_find(&units->map, hash, is_unit, key);

	if (unit) {
		unit->is_ambiguous |= unit->lun != lun;
		return;
	}
	unit = units->map.count < MOST_DESIGNATORS ? memory_new(sizeof *unit) : NULL;
	if (unit)
		*unit = (struct named_unit){ .lun = lun, .key = *key };
	if (!unit || !map_add(&units->map, hash, unit)) {
		tracker->counters.evictions++;
		free(unit);
		return;
	}
	budget_charge(&tracker->budget, &tracker->messages, sizeof *unit);
	units->bytes += sizeof *unit;
}

void scsi_units_learn(struct scsi_units *units, struct rtap_tracker *tracker, const char *target, uint64_t lun, const uint8_t *page, uint64_t length)
{
	uint64_t end = length < PAGE_HEADER ? 0 : PAGE_HEADER + (uint64_t)load16(page + 2);
	struct key key;

	end = end < length ? end : length;
	for (uint64_t at = PAGE_HEADER, size; at + DESIGNATOR_HEADER <= end; at += size) {
		size = DESIGNATOR_HEADER + (uint64_t)page[at + 3];
		if (size <= end - at && key_of(target, page + at, &key))
			learn_one(units, tracker, &key, lun);
	}
}

bool scsi_units_find(const struct scsi_units *units, const char *target, const uint8_t *designator, uint64_t *lun)
{
	const struct named_unit *unit;
	struct key key;

	if (!key_of(target, designator, &key))
		return false;
	unit = map_find(&units->map, hash_of(&key), is_unit, &key);
	if (!unit || unit->is_ambiguous)
		return false;
	*lun = unit->lun;
	return true;
}

uint32_t scsi_block_size(const struct scsi_session *session, uint64_t lun)
{
	for (uint32_t i = 0; i < session->lun_count; i++)
		if (session->luns[i].lun == lun)
			return session->luns[i].block_size;
	return 0;
}

void scsi_note_block_size(struct scsi_session *session, uint64_t lun, uint32_t size, bool is_sure)
{
	uint32_t i = 0;

	if (size < LEAST_BLOCK || size & (size - 1))
		return;
	while (i < session->lun_count && session->luns[i].lun != lun)
		i++;
	if (i == SCSI_LUNS || (i < session->lun_count && session->luns[i].is_sure && !is_sure))
		return;
	session->lun_count += i == session->lun_count;
	session->luns[i].lun = lun;
	session->luns[i].block_size = size;
	session->luns[i].is_sure = is_sure;
}

const char *scsi_target(const struct scsi_session *session, const struct request *request, char *text)
{
	const struct rtap_connection *connection = &request->connection->shown;
	const struct rtap_end *end = request->from_a ? &connection->b : &connection->a;
	struct line line;

	line_init(&line, text, SCSI_TARGET_TEXT - 1);
	line_address(&line, end->address, end->address_length);
	*line.next = '\0';
	return *session->target ? session->target : text;
}
