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
	bool asks;            /* for a filter; `typed` is what was typed so far */
	char typed[TOP_FILTER];
	size_t selected;      /* row */
	size_t scrolled;      /* rows, or operations, above the screen */
	uint64_t connection;  /* whose operations are shown; 0: the connections are */
	int stderr_copy;      /* standard error, which goes to `errors` while the screen is open */
	int errors;
};

/* False: the terminal cannot do this; an error was printed. */
bool top_screen_open(struct top_screen *screen);

/* Back to the terminal as it was, with what was printed on standard error. */
void top_screen_close(struct top_screen *screen);

/* Takes the keys that were pressed; sets model->sort and model->filter. *changed: there were some. False: the user leaves. */
bool top_screen_take_keys(struct top_screen *screen, struct top_model *model, bool *changed);

/* `status`: one line, printable ASCII. */
void top_screen_draw(struct top_screen *screen, const struct top_model *model, const char *status);

#endif
