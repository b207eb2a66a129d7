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
#define NUMBER_WIDTH 7
#define FULL_WIDTH 113 /* columns of a terminal that has room for all columns, and usual ends */
#define LEAST_ENDS 16  /* not shortened to less */
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

static void write_time(uint64_t time_ns, struct line *line)
{
	units_time((int64_t)time_ns, line);
}

static void write_count(uint64_t count, struct line *line)
{
	line_dec(line, count);
}

/* A right-aligned column. */
struct top_column {
	const char *title;
	int width;
	int least_columns; /* of the terminal, unless rows are sorted by it */
	size_t place;      /* of the uint64_t in struct top_row; 0 is not shown */
	void (*write)(uint64_t value, struct line *line);
	enum top_sort sort;
};

static const struct top_column columns[] = {
	{ "rate", 11, 40, offsetof(struct top_row, rate), units_bit_rate, TOP_SORT_RATE },
	{ "pkt/s", 9, FULL_WIDTH, offsetof(struct top_row, packet_rate), write_count, TOP_SORT_PACKETS },
	{ "p99 lat.", 9, 70, offsetof(struct top_row, latency_ns), write_time, TOP_SORT_LATENCY },
	{ "lost", 9, 80, offsetof(struct top_row, time_lost_ns), write_time, TOP_SORT_TIME_LOST },
	{ "retrans.", 9, 96, offsetof(struct top_row, retransmissions), write_count, TOP_SORT_RETRANSMISSIONS },
	{ "NAKs", 6, 104, offsetof(struct top_row, naks), write_count, TOP_SORT_COUNT },
	{ "CNPs", 6, FULL_WIDTH, offsetof(struct top_row, cnps), write_count, TOP_SORT_CNPS },
};

static bool is_shown(const struct top_column *column, enum top_sort sort)
{
	return COLS >= column->least_columns || column->sort == sort;
}

/* Writes a cell, unless the terminal ends before it. Returns the column after it. */
static int put_cell(int y, int x, int width, const char *text)
{
	if (x + width <= COLS)
		mvprintw(y, x, "%*s", width, text);
	return x + width;
}

/* Writes one end in `width` columns: if it is longer, its last characters, which distinguish it from others. */
static int put_end(const char *end, int length, int width)
{
	if (length <= width)
		printw("%.*s", length, end);
	else
		printw("~%.*s", width - 1, end + length - width + 1);
	return length < width ? length : width;
}

/* Writes "a > b" in `width` columns. */
static void put_ends(int y, int x, int width, const char *ends)
{
	const char *separator = strstr(ends, " > ");
	int a = separator ? (int)(separator - ends) : 0, b = separator ? (int)strlen(separator) - 3 : 0;
	int half = (width - 3) / 2, share;

	if ((int)strlen(ends) <= width || !separator || width < LEAST_ENDS) {
		if (width > 0)
			mvaddnstr(y, x, ends, width);
		return;
	}
	share = b < half ? width - 3 - b : half;
	move(y, x);
	share = put_end(ends, a, share);
	printw(" > ");
	put_end(separator + 3, b, width - 3 - share);
}

static int service_width(void)
{
	return COLS < FULL_WIDTH ? 10 : 14;
}

/* Columns that are left for the ends of a connection. */
static int ends_width(enum top_sort sort)
{
	int used = NUMBER_WIDTH + service_width() + 2;

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (is_shown(&columns[i], sort))
			used += columns[i].width;
	return COLS - used;
}

static bool has_room(const struct top_model *model)
{
	int width = ends_width(model->sort);

	for (size_t i = 0; i < model->count; i++)
		if ((int)strlen(model->rows[i].ends) > width)
			return false;
	return true;
}

static void draw_row(int y, const struct top_row *row, enum top_sort sort)
{
	int x = NUMBER_WIDTH + service_width();

	mvprintw(y, 0, "%5llu  %-.*s", (unsigned long long)row->number, service_width(), row->service);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		uint64_t value = *(const uint64_t *)(const void *)((const uint8_t *)row + columns[i].place);
		char text[48];
		struct line line;

		if (!is_shown(&columns[i], sort))
			continue;
		line_init(&line, text, sizeof text - 1);
		if (value)
			columns[i].write(value, &line);
		*line.next = 0;
		x = put_cell(y, x, columns[i].width, text);
	}
	put_ends(y, x + 2, COLS - x - 2, row->ends);
}

static void draw_titles(enum top_sort sort)
{
	int x = NUMBER_WIDTH + service_width();

	attron(A_REVERSE);
	mvprintw(HEAD_LINES - 1, 0, "%-*.*s", COLS, COLS, "    #  service");
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (is_shown(&columns[i], sort))
			x = put_cell(HEAD_LINES - 1, x, columns[i].width, columns[i].title);
	put_cell(HEAD_LINES - 1, x, 7, "a > b");
	attroff(A_REVERSE);
}

static void draw_connections(struct top_screen *screen, const struct top_model *model)
{
	bool is_narrow = page() > 1 && !has_room(model);
	size_t lines = page() - is_narrow;

	draw_titles(model->sort);
	if (screen->selected >= model->count)
		screen->selected = model->count ? model->count - 1 : 0;
	if (screen->selected < screen->scrolled)
		screen->scrolled = screen->selected;
	if (screen->selected >= screen->scrolled + lines)
		screen->scrolled = screen->selected - lines + 1;
	for (size_t i = 0; i < lines && screen->scrolled + i < model->count; i++) {
		bool is_selected = screen->scrolled + i == screen->selected;

		if (is_selected)
			attron(A_BOLD | A_UNDERLINE);
		draw_row(HEAD_LINES + (int)i, &model->rows[screen->scrolled + i], model->sort);
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
