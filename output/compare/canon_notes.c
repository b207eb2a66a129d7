/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/compare/canon_notes.h"

/* Memory limit of notes in bytes. Messages are reported soon, so few notes wait. */
#define MOST_MEMORY (UINT64_C(64) << 20)

void canon_notes_init(struct canon_notes *notes)
{
	*notes = (struct canon_notes){ .memory = 0 };
	TAILQ_INIT(&notes->by_age);
}

static uint64_t size_of(const struct canon_note *note)
{
	return sizeof *note + note->length + sizeof(struct map_slot);
}

struct canon_note *canon_notes_find(const struct canon_notes *notes, enum canon_note_kind kind, uint64_t key)
{
	return canon_map_find(&notes->map, kind, key);
}

void canon_notes_remove(struct canon_notes *notes, struct canon_note *note)
{
	if (!note)
		return;
	canon_map_remove(&notes->map, &note->key);
	TAILQ_REMOVE(&notes->by_age, note, link);
	notes->memory -= size_of(note);
	free(note);
}

void canon_notes_add(struct canon_notes *notes, enum canon_note_kind kind, uint64_t key, const char *text, size_t length)
{
	struct canon_note *note;

	if (canon_map_find(&notes->map, kind, key))
		return;
	while (!TAILQ_EMPTY(&notes->by_age) && notes->memory + length > MOST_MEMORY) {
		notes->lost++;
		canon_notes_remove(notes, TAILQ_FIRST(&notes->by_age));
	}
	note = malloc(sizeof *note + length);
	if (note)
		*note = (struct canon_note){ .key = { key, kind }, .length = (uint32_t)length };
	if (!note || !canon_map_add(&notes->map, &note->key)) {
		notes->lost++;
		free(note);
		return;
	}
	memcpy(note->text, text, length);
	TAILQ_INSERT_TAIL(&notes->by_age, note, link);
	notes->memory += size_of(note);
}

void canon_notes_fini(struct canon_notes *notes)
{
	while (!TAILQ_EMPTY(&notes->by_age))
		canon_notes_remove(notes, TAILQ_FIRST(&notes->by_age));
	map_fini(&notes->map);
}
