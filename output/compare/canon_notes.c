/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/compare/canon_notes.h"

/* Memory limit of notes in bytes. Messages are reported soon, so few notes wait. */
#define MOST_MEMORY (UINT64_C(64) << 20)

static uint64_t size_of(const struct canon_note *note)
{
	return sizeof *note + note->length + sizeof(struct canon_slot);
}

struct canon_note *canon_notes_find(const struct canon_notes *notes, enum canon_note_kind kind, uint64_t key)
{
	uint64_t *found = canon_map_find(&notes->map, kind, key);

	return found ? (struct canon_note *)(uintptr_t)*found : NULL;
}

void canon_notes_remove(struct canon_notes *notes, struct canon_note *note)
{
	if (!note)
		return;
	canon_map_remove(&notes->map, note->kind, note->key);
	if (note->before)
		note->before->next = note->next;
	else
		notes->oldest = note->next;
	if (note->next)
		note->next->before = note->before;
	else
		notes->youngest = note->before;
	notes->memory -= size_of(note);
	free(note);
}

void canon_notes_add(struct canon_notes *notes, enum canon_note_kind kind, uint64_t key, const char *text, size_t length)
{
	struct canon_note *note;

	if (canon_map_find(&notes->map, kind, key))
		return;
	while (notes->oldest && notes->memory + length > MOST_MEMORY) {
		notes->lost++;
		canon_notes_remove(notes, notes->oldest);
	}
	note = malloc(sizeof *note + length);
	if (!note || !canon_map_add(&notes->map, kind, key, (uint64_t)(uintptr_t)note)) {
		notes->lost++;
		free(note);
		return;
	}
	*note = (struct canon_note){ .before = notes->youngest, .key = key, .kind = kind, .length = (uint32_t)length };
	memcpy(note->text, text, length);
	if (notes->youngest)
		notes->youngest->next = note;
	else
		notes->oldest = note;
	notes->youngest = note;
	notes->memory += size_of(note);
}

void canon_notes_fini(struct canon_notes *notes)
{
	while (notes->oldest)
		canon_notes_remove(notes, notes->oldest);
	canon_map_fini(&notes->map);
}
