/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/print_error.h"
#include "cli/top_screen.h"

#ifndef HAVE_NCURSES

bool top_screen_open(struct top_screen *screen)
{
	(void)screen;
	print_error("top: this build has no screen: it was built without ncurses (rdmatap stats --interval 1 prints lines)");
	return false;
}

void top_screen_close(struct top_screen *screen)
{
	(void)screen;
}

bool top_screen_take_keys(struct top_screen *screen, struct top_model *model, bool *changed)
{
	(void)screen;
	(void)model;
	*changed = false;
	return false;
}

void top_screen_draw(struct top_screen *screen, const struct top_model *model, const char *status)
{
	(void)screen;
	(void)model;
	(void)status;
}

#else

#include <ncurses.h>

#include "output/packet/units.h"

#define HEAD_LINES 3 /* status, keys, headings */
#define CELLS_WIDTH 81 /* of a row without the ends of the connection, */
#define USUAL_ENDS 32  /* and of these; in a narrower terminal the last line has those of the selected connection */
#define ESCAPE 27
#define ESCAPE_MS 25
#define MOST_LINES 512

static const struct {
	int key;
	const char *title;
} sorts[] = {
#define TOP_SORT_ROW(identifier, key, title) { key, title },
	TOP_SORTS(TOP_SORT_ROW)
#undef TOP_SORT_ROW
};

/* Redirects standard error until the screen is closed: output would scroll the screen. */
static void keep_errors(struct top_screen *screen)
{
	fflush(stderr);
	screen->stderr_copy = dup(STDERR_FILENO);
	screen->errors = memfd_create("errors", MFD_CLOEXEC);
	if (screen->stderr_copy >= 0 && screen->errors >= 0)
		dup2(screen->errors, STDERR_FILENO);
}

static void show_errors(struct top_screen *screen)
{
	char buffer[4096];
	ssize_t length;

	fflush(stderr);
	if (screen->stderr_copy >= 0 && screen->errors >= 0) {
		dup2(screen->stderr_copy, STDERR_FILENO);
		lseek(screen->errors, 0, SEEK_SET);
		while ((length = read(screen->errors, buffer, sizeof buffer)) > 0)
			if (write(STDERR_FILENO, buffer, (size_t)length) != length)
				break;
	}
	if (screen->stderr_copy >= 0)
		close(screen->stderr_copy);
	if (screen->errors >= 0)
		close(screen->errors);
	screen->stderr_copy = screen->errors = -1;
}

bool top_screen_open(struct top_screen *screen)
{
	const char *name = getenv("TERM");

	*screen = (struct top_screen){ .stderr_copy = -1, .errors = -1 };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		print_error("top: needs a terminal (rdmatap stats --interval 1 prints lines)");
		return false;
	}
	if (!newterm(NULL, stdout, stdin)) {
		print_error("top: the terminal %s is not known (set TERM)", name ? name : "without a name");
		return false;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	keep_errors(screen);
	screen->is_open = true;
	return true;
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen->is_open)
		return;
	endwin();
	show_errors(screen);
	screen->is_open = false;
}

/* Processes a key of the filter prompt. */
static void take_typed(struct top_screen *screen, struct top_model *model, int key)
{
	size_t length = strlen(screen->typed);

	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		strcpy(model->filter, screen->typed);
		screen->asks = false;
		screen->selected = screen->scrolled = 0;
	} else if (key == ESCAPE) {
		screen->asks = false;
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length) {
		screen->typed[length - 1] = 0;
	} else if (key >= ' ' && key <= '~' && length + 1 < sizeof screen->typed) {
		screen->typed[length] = (char)key;
		screen->typed[length + 1] = 0;
	}
}

static size_t page(void)
{
	return LINES > HEAD_LINES + 1 ? (size_t)(LINES - HEAD_LINES) : 1;
}

/* Moves the selection, or scrolls operations. */
static void move_by(struct top_screen *screen, const struct top_model *model, long lines)
{
	size_t *place = screen->connection ? &screen->scrolled : &screen->selected;

	if (lines < 0)
		*place = *place > (size_t)-lines ? *place - (size_t)-lines : 0;
	else
		*place += (size_t)lines;
	if (!screen->connection && *place >= model->count)
		*place = model->count ? model->count - 1 : 0;
	else if (*place >= MOST_LINES)
		*place = MOST_LINES - 1;
}

static void take_sort(struct top_model *model, int key)
{
	for (unsigned i = 0; i < TOP_SORT_COUNT; i++)
		if (sorts[i].key == key)
			model->sort = (enum top_sort)i;
}

/* Processes one key. False: leave. */
static bool take_key(struct top_screen *screen, struct top_model *model, int key)
{
	switch (key) {
	case 'q':
		if (!screen->connection)
			return false;
		screen->connection = screen->scrolled = 0;
		break;
	case ESCAPE:
		screen->connection = screen->scrolled = 0;
		break;
	case '\r': case '\n': case KEY_ENTER: case KEY_RIGHT:
		if (!screen->connection && screen->selected < model->count) {
			screen->connection = model->rows[screen->selected].number;
			screen->scrolled = 0;
		}
		break;
	case KEY_LEFT: screen->connection = screen->scrolled = 0; break;
	case KEY_UP: case 'k': move_by(screen, model, -1); break;
	case KEY_DOWN: case 'j': move_by(screen, model, 1); break;
	case KEY_PPAGE: move_by(screen, model, -(long)page()); break;
	case KEY_NPAGE: move_by(screen, model, (long)page()); break;
	case KEY_HOME: move_by(screen, model, -MOST_LINES); break;
	case ' ': screen->paused = !screen->paused; break;
	case '/':
		screen->asks = true;
		screen->typed[0] = 0;
		break;
	default: take_sort(model, key); break;
	}
	return true;
}

bool top_screen_take_keys(struct top_screen *screen, struct top_model *model, bool *changed)
{
	int key;

	*changed = false;
	while ((key = getch()) != ERR) {
		*changed = true;
		if (screen->asks)
			take_typed(screen, model, key);
		else if (!take_key(screen, model, key))
			return false;
	}
	return true;
}

/* Writes a right-aligned cell. */
static void put_cell(int width, void (*write)(uint64_t value, struct line *line), uint64_t value)
{
	char text[48];
	struct line line;

	line_init(&line, text, sizeof text - 1);
	if (value)
		write(value, &line);
	*line.next = 0;
	printw("%*s", width, text);
}

static void write_time(uint64_t time_ns, struct line *line)
{
	units_time((int64_t)time_ns, line);
}

static void write_count(uint64_t count, struct line *line)
{
	line_dec(line, count);
}

static void draw_row(const struct top_row *row)
{
	printw("%5llu  %-14.14s", (unsigned long long)row->number, row->service);
	put_cell(11, units_bit_rate, row->rate);
	put_cell(9, write_count, row->packet_rate);
	put_cell(9, write_time, row->latency_ns);
	put_cell(9, write_time, row->time_lost_ns);
	put_cell(8, write_count, row->retransmissions);
	put_cell(6, write_count, row->naks);
	put_cell(6, write_count, row->cnps);
	printw("  %.*s", COLS > CELLS_WIDTH + 1 ? COLS - CELLS_WIDTH - 1 : 0, row->ends);
}

static void draw_connections(struct top_screen *screen, const struct top_model *model)
{
	bool is_narrow = COLS < CELLS_WIDTH + USUAL_ENDS && page() > 1;
	size_t lines = page() - is_narrow;

	attron(A_REVERSE);
	mvprintw(HEAD_LINES - 1, 0, "%-*.*s", COLS, COLS,
		 "    #  service               rate    pkt/s  p99 lat.     lost retrans.  NAKs  CNPs  a > b");
	attroff(A_REVERSE);
	if (screen->selected >= model->count)
		screen->selected = model->count ? model->count - 1 : 0;
	if (screen->selected < screen->scrolled)
		screen->scrolled = screen->selected;
	if (screen->selected >= screen->scrolled + lines)
		screen->scrolled = screen->selected - lines + 1;
	for (size_t i = 0; i < lines && screen->scrolled + i < model->count; i++) {
		bool is_selected = screen->scrolled + i == screen->selected;

		move(HEAD_LINES + (int)i, 0);
		if (is_selected)
			attron(A_BOLD | A_UNDERLINE);
		draw_row(&model->rows[screen->scrolled + i]);
		if (is_selected)
			attroff(A_BOLD | A_UNDERLINE);
	}
	if (is_narrow && model->count)
		mvaddnstr(LINES - 1, 0, model->rows[screen->selected].ends, COLS);
}

static void draw_operations(struct top_screen *screen, const struct top_model *model)
{
	static const struct top_operation *found[MOST_LINES];
	size_t count = top_model_latest(model, screen->connection, found, MOST_LINES), lines = page();
	char title[200];

	snprintf(title, sizeof title, "connection %llu: the latest %s, the newest first", (unsigned long long)screen->connection,
		 count && found[0]->is_message ? "messages" : "operations");
	for (size_t i = 0; i < model->count; i++)
		if (model->rows[i].number == screen->connection)
			snprintf(title, sizeof title, "connection %llu, %s, %s: the latest %s, the newest first", (unsigned long long)screen->connection,
				 model->rows[i].service, model->rows[i].ends, count && found[0]->is_message ? "messages" : "operations");
	attron(A_REVERSE);
	mvprintw(HEAD_LINES - 1, 0, "%-*.*s", COLS, COLS, title);
	attroff(A_REVERSE);
	if (screen->scrolled >= count)
		screen->scrolled = count ? count - 1 : 0;
	for (size_t i = 0; i < lines && screen->scrolled + i < count; i++)
		mvaddnstr(HEAD_LINES + (int)i, 0, found[screen->scrolled + i]->text, COLS);
}

static void draw_keys(const struct top_screen *screen, const struct top_model *model)
{
	char text[TOP_FILTER + 120];

	snprintf(text, sizeof text, "%sby %s%s%s (keys b l t r c p n); / filter, Enter operations, space pauses, q quits",
		 screen->paused ? "PAUSED, " : "", sorts[model->sort].title, *model->filter ? ", filter " : "",
		 model->filter);
	mvaddnstr(1, 0, text, COLS);
}

void top_screen_draw(struct top_screen *screen, const struct top_model *model, const char *status)
{
	if (!screen->is_open)
		return;
	erase();
	mvaddnstr(0, 0, status, COLS);
	if (screen->asks)
		mvprintw(1, 0, "filter: %.*s_", COLS > 10 ? COLS - 10 : 0, screen->typed);
	else if (screen->connection)
		mvaddnstr(1, 0, "keys: Esc back, arrows scroll, space pauses, q back", COLS);
	else
		draw_keys(screen, model);
	if (screen->connection)
		draw_operations(screen, model);
	else
		draw_connections(screen, model);
	refresh();
}

#endif
