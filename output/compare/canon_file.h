/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Canonical text parsed for comparison: its connections, and for each message and packet the offset of its line and three hashes of it,
 * by which sequences are aligned. Hashes exclude values that are not compared and the numbers of renamed values.
 */
#ifndef OUTPUT_COMPARE_CANON_FILE_H
#define OUTPUT_COMPARE_CANON_FILE_H

#include <sys/queue.h>

#include <rdmatap/error.h>

#include "output/compare/canon_map.h"
#include "output/compare/canon_policy.h"
#include "output/compare/diff_rules.h"

/* Degrees of equality of two lines, the strictest first. */
enum canon_key {
	CANON_KEY_ALL,   /* all compared values are equal */
	CANON_KEY_NEAR,  /* the same operation with the same length */
	CANON_KEY_CLASS, /* the same operation */
	CANON_KEYS,
};

#define CANON_LANES 4

struct canon_line {
	uint64_t keys[CANON_KEYS];
	uint64_t offset;  /* of the line in the text */
	uint32_t length;  /* without the newline */
	char direction;   /* '>' from the client, '<' from the server */
	uint8_t lane;     /* lines of one lane are ordered; one lane per direction for requests and one for responses */
};

/* Lines of one level, of all connections. */
struct canon_lines {
	struct canon_line *lines;
	size_t count, room;
};

struct canon_range {
	size_t first, count;
};

struct canon_role {
	char *role;               /* the connection's line with mapped addresses and without ignored values; owned */
	struct canon_line setup;  /* length 0: none */
	struct canon_range ranges[2]; /* messages and packets, by enum canon_level */
	uint64_t digest;          /* hash of all compared values */
	uint64_t begin, end;      /* offsets of its lines in the text */
};

struct canon_file {
	const char *text;         /* borrowed */
	size_t length;
	bool is_mapped;
	enum canon_level level;   /* of the text */
	struct canon_role *roles;
	size_t role_count, role_room;
	struct canon_lines lines[2];
};

/* How values of a name are compared. */
enum canon_treatment { CANON_SHOW, CANON_COMPARE, CANON_COMPARE_NAME, CANON_COMPARE_RELATIVE, CANON_TOLERATE };

struct canon_treated {
	struct canon_map_key key; /* hash of the name */
	uint8_t treatment; /* enum canon_treatment */
	bool is_class, is_near; /* part of CANON_KEY_CLASS, of CANON_KEY_NEAR */
	bool is_response;  /* occurs in responses only */
	bool is_opcode;    /* the BTH opcode */
	const struct diff_tolerance *tolerance;
	char *text;        /* the name; owned */
	size_t length;
	struct canon_treated *after[2]; /* names that followed this one recently, the latest first (lines are similar); NULL: none yet */
	SLIST_ENTRY(canon_treated) link; /* in the list of all */
};

/* One value of a line. */
struct canon_token {
	const char *name, *value;
	size_t name_length, value_length;
};

/* The treatment of each name under the rules, computed once. Zero-initialised except `rules`. */
struct canon_treatments {
	const struct diff_rules *rules;
	struct map map;
	SLIST_HEAD(, canon_treated) all; /* the name added last comes first */
	struct canon_treated *last;  /* the one looked up last; NULL: none */
	bool failed;       /* out of memory */
};

void canon_treatments_fini(struct canon_treatments *treatments);
/* NULL: out of memory. Valid as long as the treatments. */
const struct canon_treated *canon_treatment(struct canon_treatments *treatments, const char *name, size_t length);

/*
 * Reads the next value of a line at `*at` like canon_token_next() and returns its treatment. NULL: end of line, or out of memory.
 */
const struct canon_treated *canon_treated_next(struct canon_treatments *treatments, const char **at, const char *end,
					       struct canon_token *token);

/* Reads the next value of a line at `*at` and advances `*at`; false: end of line. */
bool canon_token_next(const char **at, const char *end, struct canon_token *token);

/* Start of the first value of a line, after its type and direction. */
const char *canon_line_values(const char *line, const char *end);

/* Text to be parsed. Borrowed; it must outlive the struct canon_file. */
struct canon_text {
	const char *name;         /* for error messages */
	const char *text;
	size_t length;
	bool is_mapped;           /* a private file mapping that starts on a page boundary: its pages can be released */
	bool map;                 /* map addresses of roles */
	size_t most_lines;        /* limit of lines to compare; 0: unlimited */
};

/* Memory of a comparison per line, here and in alignment: bytes, measured with all lines different. */
#define CANON_LINE_MEMORY 160

/* Parses text written by canon. Call canon_file_fini() in both cases. */
enum rtap_status canon_file_read(struct canon_file *file, const struct canon_text *text, struct canon_treatments *treatments,
				 struct rtap_error *error) __attribute__((warn_unused_result));
void canon_file_fini(struct canon_file *file);

/* Number of lines to compare. */
size_t canon_file_lines(const struct canon_file *file);

/* Releases the memory pages of a mapped text; they are read from the file again when needed. Other texts are unaffected. */
void canon_file_release_pages(const struct canon_file *file);

/* Whether a text begins like canonical text. */
bool canon_file_is(const char *text, size_t length);

#endif
