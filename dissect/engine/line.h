/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text output to the caller's memory. Numbers are formatted by its own code because formatting dominates the run time.
 * Text that does not fit is truncated, which `cut` records; the text is not null-terminated.
 */
#ifndef DISSECT_ENGINE_LINE_H
#define DISSECT_ENGINE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rdmatap/field.h>

struct ends_texts;

/* Columns of a line, without its newline. */
#define LINE_COLUMNS 120
#define LINE_SPARES 14

struct line {
	char *next, *end;
	char *ends_begin, *after_ends; /* the last "source > destination "; `after_ends` NULL: none */
	char *columns_end; /* where the columns of a list end, which line_fit() squeezes; NULL: it finds out */
	bool cut;
	struct ends_texts *ends; /* of earlier lines, see ends.h; or NULL */
	struct { char *begin, *end; } names[2]; /* of files and the like, which a long line shortens: see line_name.h */
	struct { char *begin, *end; uint8_t kind; } spares[LINE_SPARES]; /* what a long line leaves out: see line_fit.h */
	uint8_t name_count, spare_count;
};

static inline void line_init(struct line *line, char *memory, size_t size)
{
	line->next = memory;
	line->end = memory + size;
	line->cut = false;
	line->ends = NULL;
	line->after_ends = line->columns_end = NULL;
	line->name_count = line->spare_count = 0;
}

/* Appends the part of the text that fits and sets `cut`. */
void line_cut(struct line *line, const char *text);

static inline void line_bytes(struct line *line, const char *text, size_t length)
{
	if ((size_t)(line->end - line->next) < length) {
		line_cut(line, text);
		return;
	}
	memcpy(line->next, text, length);
	line->next += length;
}

#define LINE_SHORT 24

/* Appends `length` bytes; LINE_SHORT bytes must be readable, since copying a fixed number is faster than a variable one. */
static inline void line_short(struct line *line, const char *text, size_t length)
{
	if (line->end - line->next < LINE_SHORT) {
		line_bytes(line, text, length);
		return;
	}
	memcpy(line->next, text, LINE_SHORT);
	line->next += length;
}

/*
 * Returns where to write at most `most` bytes: at the end of the line if they fit, else `spare`, which has that size.
 * line_end() with the end of the written bytes appends them. Nothing else may be appended in between.
 */
static inline char *line_begin(const struct line *line, char *spare, size_t most)
{
	return (size_t)(line->end - line->next) >= most ? line->next : spare;
}

static inline void line_end(struct line *line, const char *begin, char *end)
{
	if (begin == line->next)
		line->next = end;
	else
		line_bytes(line, begin, (size_t)(end - begin));
}

/* The line_put functions write at `to` and return the end of what they wrote. */
static inline char *line_put(char *to, const char *text)
{
	size_t length = strlen(text);

	memcpy(to, text, length);
	return to + length;
}

/* At most 20 bytes. */
char *line_put_dec(char *to, uint64_t number);
/* At least `digits` digits and at most 16, without "0x". */
char *line_put_hex(char *to, uint64_t number, unsigned digits);
/* Nine digits; the number is below 1000000000. */
char *line_put_nine(char *to, uint32_t number);
/* Fraction of a second: six digits if the input has no more and none is lost, else nine. `ns` is below 1000000000. */
char *line_put_fraction(char *to, uint32_t ns, uint8_t time_digits);
/* Signed nanoseconds as seconds with nine decimals: at most 21 bytes. */
char *line_put_seconds(char *to, int64_t nanoseconds);
/* At most 15 bytes, but 17 may be overwritten. */
char *line_put_ipv4(char *to, const uint8_t *address);
/* An address of 4 or 16 bytes (RFC 5952): at most 45 bytes. */
char *line_put_ip(char *to, const uint8_t *address, unsigned length);
/* As line_address(). */
char *line_put_address(char *to, const uint8_t *address, unsigned length);
#define LINE_IP_MOST 45

#define LINE_PAD 32

/*
 * Pads a column that begins at `begin`, so that the next one begins at `least` or, if the text is longer, at the next multiple of 8;
 * returns where. At most LINE_PAD bytes after the text are written, and at least one; `least` is a multiple of 8 up to LINE_PAD.
 */
static inline char *line_put_pad(char *begin, char *to, size_t least)
{
	size_t length = (size_t)(to - begin);

	memset(to, ' ', LINE_PAD);
	return begin + (length < least ? least : (length / 8 + 1) * 8);
}

static inline void line_char(struct line *line, char c)
{
	if (line->next < line->end)
		*line->next++ = c;
	else
		line->cut = true;
}

static inline void line_text(struct line *line, const char *text)
{
	line_bytes(line, text, strlen(text));
}

/* Singular or plural: "frame" for 1, "frames" for any other number. */
static inline const char *line_plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void line_dec(struct line *line, uint64_t number);
/* "1 frame", "2 frames". */
void line_count(struct line *line, uint64_t count, const char *one, const char *many);
/* Decimal, padded with zeros to `digits`. */
void line_dec_padded(struct line *line, uint64_t number, unsigned digits);
/* "0x" and at least `digits` digits; line_hex_digits without the "0x". */
void line_hex(struct line *line, uint64_t number, unsigned digits);
void line_hex_digits(struct line *line, uint64_t number, unsigned digits);
/* Signed nanoseconds as seconds with nine decimals. */
void line_seconds(struct line *line, int64_t nanoseconds);
void line_ipv4(struct line *line, const uint8_t *address);
/* RFC 5952. */
void line_ipv6(struct line *line, const uint8_t *address);
/* An address of 4 or 16 bytes. */
void line_ip(struct line *line, const uint8_t *address, unsigned length);
/* The address of an end (struct rtap_end), by its length: an IP address or GID, "lid 12" of 2 bytes, "unknown". */
void line_address(struct line *line, const uint8_t *address, unsigned length);
/* Two hexadecimal digits per byte, separated by `separator` unless it is 0. */
void line_hex_bytes(struct line *line, const uint8_t *bytes, size_t length, char separator);
/*
 * Length (2 to 4) of the well-formed UTF-8 sequence at `bytes`; 0 if there is none, or if it is unsafe on a terminal: a control
 * character, or one that changes the text direction. RFC 3629, section 4. `length` is at least 1.
 */
size_t line_utf8_length(const uint8_t *bytes, size_t length);
/* Number of leading bytes that are printable ASCII other than quotes and backslash. */
size_t line_plain_length(const uint8_t *bytes, size_t length);
/* Untrusted text: printable ASCII and well-formed UTF-8 unchanged, everything else (controls, quotes, backslash) escaped. */
void line_escaped(struct line *line, const uint8_t *bytes, size_t length);
/* Number of digits to which a hexadecimal number is padded. */
unsigned line_hex_width(const struct rtap_field *field);
/* A field's value as -T fields prints it, which is as tshark does. */
void line_value(struct line *line, const struct rtap_field *field, const struct rtap_value *value);

#endif
