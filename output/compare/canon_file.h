/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Canonical text read back for a comparison: its connections, and of each message and packet where its line stands and three
 * hashes of it, by which sequences are aligned. Values that are not compared, and the numbers of renamed ones, are in no hash.
 */
#ifndef OUTPUT_COMPARE_CANON_FILE_H
#define OUTPUT_COMPARE_CANON_FILE_H

#include <rdmatap/error.h>

#include "output/compare/canon_map.h"
#include "output/compare/canon_policy.h"
#include "output/compare/diff_rules.h"

/* How alike two lines are, each telling less than the one before. */
enum canon_key {
	CANON_KEY_ALL,   /* all that is compared is the same */
	CANON_KEY_NEAR,  /* the same operation with the same length */
	CANON_KEY_CLASS, /* the same operation */
	CANON_KEYS,
};

#define CANON_LANES 4

struct canon_line {
	uint64_t keys[CANON_KEYS];
	uint64_t offset;  /* of the line in the text */
	uint32_t length;  /* without its newline */
	char direction;   /* '>' from the client, '<' from the server */
	uint8_t lane;     /* what is in one lane keeps its order: by direction, requests and responses apart */
};

/* Lines of one kind, over all connections. */
struct canon_lines {
	struct canon_line *lines;
	size_t count, room;
};

struct canon_range {
	size_t first, count;
};

struct canon_role {
	char *role;               /* the connection's line, addresses mapped, without what is ignored; owned */
	struct canon_line setup;  /* length 0: none */
	struct canon_range ranges[2]; /* of messages and packets: by enum canon_level */
	uint64_t digest;          /* of all that is compared */
	uint64_t begin, end;      /* its lines in the text */
};

struct canon_file {
	const char *text;         /* borrowed */
	size_t length;
	bool is_mapped;
	enum canon_level level;   /* that it was made with */
	struct canon_role *roles;
	size_t role_count, role_room;
	struct canon_lines lines[2];
};

/* What is done with values of a name. */
enum canon_treatment { CANON_SHOW, CANON_COMPARE, CANON_COMPARE_NAME, CANON_COMPARE_RELATIVE, CANON_TOLERATE };

struct canon_treated {
	uint8_t treatment; /* enum canon_treatment */
	bool is_class, is_near; /* part of the key of that name */
	bool is_response;  /* only responses have it */
	bool is_opcode;    /* of the BTH */
	const struct diff_tolerance *tolerance;
	char *text;        /* the name; owned */
	size_t length;
	uint64_t name;     /* a hash of it */
	struct canon_treated *behind[2]; /* what stood behind it lately, because lines are alike, the latest first; NULL: nothing yet */
	struct canon_treated *next;      /* that was asked for before it for the first time */
};

/* One value of a line. */
struct canon_token {
	const char *name, *value;
	size_t name_length, value_length;
};

/* What rules say of each name, worked out once. All zero but for `rules`. */
struct canon_treatments {
	const struct diff_rules *rules;
	struct canon_map map;
	struct canon_treated *first; /* of all, by `next` */
	struct canon_treated *last;  /* the one asked for last; NULL: none */
	bool failed;       /* memory was out */
	struct canon_policy_index index;
	bool indexed;
};

void canon_treatments_fini(struct canon_treatments *treatments);
/* NULL: memory is out. Valid as long as the treatments. */
const struct canon_treated *canon_treatment(struct canon_treatments *treatments, const char *name, size_t length);

/*
 * Takes the next value of a line from `*at` as canon_token_next() does, and tells what is done with it. NULL: there is none, or memory
 * is out.
 */
const struct canon_treated *canon_treated_next(struct canon_treatments *treatments, const char **at, const char *end,
					       struct canon_token *token);

/* Takes the next value of a line from `*at`; false: there is none. */
bool canon_token_next(const char **at, const char *end, struct canon_token *token);

/* The first value of a line: behind its type and direction. */
const char *canon_line_values(const char *line, const char *end);

/* Text to be read. Borrowed; it must stay as long as the struct canon_file does. */
struct canon_text {
	const char *name;         /* for errors */
	const char *text;
	size_t length;
	bool is_mapped;           /* of a file, privately and from a page's beginning: its pages can be given back */
	bool map;                 /* addresses of roles are mapped */
	size_t most_lines;        /* that are taken to be compared; 0: any number */
};

/* What a comparison holds of each line, here and while connections are aligned: bytes, as measured where all lines are different. */
#define CANON_LINE_MEMORY 160

/* Reads text that canon wrote. fini in both cases. */
enum rtap_status canon_file_read(struct canon_file *file, const struct canon_text *text, struct canon_treatments *treatments,
				 struct rtap_error *error) __attribute__((warn_unused_result));
void canon_file_fini(struct canon_file *file);

/* How many lines were taken. */
size_t canon_file_lines(const struct canon_file *file);

/* Gives back the pages that a mapped text takes in memory; what is needed again comes from its file. Others stay as they are. */
void canon_file_rest(const struct canon_file *file);

/* Whether a file begins as canonical text does. */
bool canon_file_is(const char *text, size_t length);

#endif
