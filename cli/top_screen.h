/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The screen of rdmatap top (ncurses).
 */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <stdbool.h>

#include "cli/top_model.h"

struct top_screen {
	bool is_open;
	bool paused;
	bool asks;            /* the filter prompt is open; `typed` is its text so far */
	char typed[TOP_FILTER];
	size_t selected;      /* row */
	size_t scrolled;      /* rows, or operations, above the screen */
	uint64_t connection;  /* whose operations are shown; 0: the connections are */
	int stderr_copy;      /* standard error, which goes to `errors` while the screen is open */
	int errors;
};

/* False: not a suitable terminal; an error was printed. */
bool top_screen_open(struct top_screen *screen);

/* Restores the terminal, and prints what was written to standard error in the meantime. */
void top_screen_close(struct top_screen *screen);

/* Processes pressed keys; sets model->sort and model->filter. *changed: a key was pressed. False: the user leaves. */
bool top_screen_take_keys(struct top_screen *screen, struct top_model *model, bool *changed);

/* `status`: one line, printable ASCII. */
void top_screen_draw(struct top_screen *screen, const struct top_model *model, const char *status);

#endif
