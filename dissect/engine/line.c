/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/cursor.h"
#include "dissect/engine/line.h"

/* Two digits of each byte. */
#define HEX_ROW(d) \
	d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9" d "a" d "b" d "c" d "d" d "e" d "f"

static const char hex_pairs[512] =
	HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4") HEX_ROW("5") HEX_ROW("6") HEX_ROW("7")
	HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b") HEX_ROW("c") HEX_ROW("d") HEX_ROW("e") HEX_ROW("f");

static inline char *put_byte(char *to, uint8_t byte)
{
	memcpy(to, hex_pairs + 2 * byte, 2);
	return to + 2;
}

static const char digit_pairs[200] =
	"0001020304050607080910111213141516171819" "2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859" "6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* The numbers 0 to 255 followed by a dot, so that four copies make an address. Eight bytes each for fast indexing. */
#define OCTET(number) { #number ".", sizeof #number }
#define TEN(n) OCTET(n##0), OCTET(n##1), OCTET(n##2), OCTET(n##3), OCTET(n##4), OCTET(n##5), OCTET(n##6), OCTET(n##7), OCTET(n##8), OCTET(n##9)

static const struct {
	char text[7];
	uint8_t length;
} octets[256] = {
	TEN(), TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7), TEN(8), TEN(9), TEN(10), TEN(11), TEN(12), TEN(13), TEN(14),
	TEN(15), TEN(16), TEN(17), TEN(18), TEN(19), TEN(20), TEN(21), TEN(22), TEN(23), TEN(24),
	OCTET(250), OCTET(251), OCTET(252), OCTET(253), OCTET(254), OCTET(255),
};

void line_cut(struct line *line, const char *text)
{
	size_t room = (size_t)(line->end - line->next);

	memcpy(line->next, text, room);
	line->next += room;
	line->cut = true;
}

/* Below 10000, with leading zeros. */
static inline void put_four(char *to, unsigned number)
{
	memcpy(to, digit_pairs + number / 100 * 2, 2);
	memcpy(to + 2, digit_pairs + number % 100 * 2, 2);
}

/* Below 10000; returns the end. */
static inline char *put_few(char *to, unsigned number)
{
	if (number >= 1000) {
		put_four(to, number);
		return to + 4;
	}
	if (number >= 100) {
		*to++ = (char)('0' + number / 100);
		number %= 100;
	} else if (number < 10) {
		*to = (char)('0' + number);
		return to + 1;
	}
	memcpy(to, digit_pairs + number * 2, 2);
	return to + 2;
}

/* Below 100000000; returns the end. */
static inline char *put_eight(char *to, uint32_t number)
{
	put_four(to, number / 10000);
	put_four(to + 4, number % 10000);
	return to + 8;
}

/* From 100000000 on; apart, so that smaller numbers need no registers saved. */
static __attribute__((noinline)) char *put_many(char *to, uint64_t number)
{
	uint64_t upper = number / 100000000;

	to = upper < 10000 ? put_few(to, (unsigned)upper) : line_put_dec(to, upper);
	return put_eight(to, (uint32_t)(number % 100000000));
}

char *line_put_dec(char *to, uint64_t number)
{
	if (number < 256) {
		memcpy(to, octets[number].text, 4);
		return to + octets[number].length - 1;
	}
	if (number < 10000)
		return put_few(to, (unsigned)number);
	if (number >= 100000000)
		return put_many(to, number);
	to = put_few(to, (unsigned)number / 10000);
	put_four(to, (unsigned)number % 10000);
	return to + 4;
}

void line_dec(struct line *line, uint64_t number)
{
	char spare[LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_dec(begin, number));
}

void line_count(struct line *line, uint64_t count, const char *one, const char *many)
{
	line_dec(line, count);
	line_char(line, ' ');
	line_text(line, line_plural(count, one, many));
}

char *line_put_nine(char *to, uint32_t number)
{
	uint32_t upper = number / 10000;

	to[0] = (char)('0' + upper / 10000);
	put_four(to + 1, upper % 10000);
	put_four(to + 5, number % 10000);
	return to + 9;
}

char *line_put_fraction(char *to, uint32_t ns, uint8_t time_digits)
{
	uint32_t us = ns / 1000;

	if (!time_digits || time_digits > 6 || us * 1000 != ns)
		return line_put_nine(to, ns);
	memcpy(to, digit_pairs + us / 10000 * 2, 2);
	put_four(to + 2, us % 10000);
	return to + 6;
}

void line_dec_padded(struct line *line, uint64_t number, unsigned digits)
{
	char spare[LINE_SHORT];
	char *text = line_begin(line, spare, sizeof spare);
	unsigned i = digits > 20 ? 20 : digits;
	char *end = text + i;

	if (digits == 9 && number < 1000000000) {
		line_put_nine(text, (uint32_t)number);
	} else {
		for (; i >= 4; number /= 10000)
			put_four(text + (i -= 4), (unsigned)(number % 10000));
		for (; i; number /= 10)
			text[--i] = (char)('0' + number % 10);
	}
	line_end(line, text, end);
}

static inline char *put_leading_byte(char *to, uint8_t byte)
{
	if (byte >= 16)
		return put_byte(to, byte);
	*to = hex_pairs[2 * byte + 1];
	return to + 1;
}

/* Below 2^24, without leading zeros. */
static char *put_short_hex(char *to, uint32_t number)
{
	if (number < 1 << 8)
		return put_leading_byte(to, (uint8_t)number);
	if (number < 1 << 16)
		return put_byte(put_leading_byte(to, (uint8_t)(number >> 8)), (uint8_t)number);
	return put_byte(put_byte(put_leading_byte(to, (uint8_t)(number >> 16)), (uint8_t)(number >> 8)), (uint8_t)number);
}

char *line_put_hex(char *to, uint64_t number, unsigned digits)
{
	unsigned least = digits < 1 ? 1 : digits > 16 ? 16 : digits;
	unsigned n;
	char *p;

	/* numbers of queue pairs, keys and XIDs */
	if (digits == 1 && number < 1 << 24)
		return put_short_hex(to, (uint32_t)number);
	if (digits == 6 && number < 1 << 24)
		return put_byte(put_byte(put_byte(to, (uint8_t)(number >> 16)), (uint8_t)(number >> 8)), (uint8_t)number);
	if (digits == 8 && number <= UINT32_MAX)
		return line_put_hex(put_byte(to, (uint8_t)(number >> 24)), number & 0xffffff, 6);
	n = number ? (67u - (unsigned)__builtin_clzll(number)) / 4 : 1;
	if (n < least)
		n = least;
	for (p = to + n; p - to >= 2; number >>= 8)
		put_byte(p -= 2, (uint8_t)number);
	if (p > to)
		*to = hex_pairs[2 * (number & 15) + 1];
	return to + n;
}

void line_hex_digits(struct line *line, uint64_t number, unsigned digits)
{
	char spare[LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_hex(begin, number, digits));
}

void line_hex(struct line *line, uint64_t number, unsigned digits)
{
	char spare[LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	memcpy(begin, "0x", 2);
	line_end(line, begin, line_put_hex(begin + 2, number, digits));
}

char *line_put_seconds(char *to, int64_t nanoseconds)
{
	uint64_t magnitude = (uint64_t)nanoseconds;

	if (nanoseconds < 0) {
		*to++ = '-';
		magnitude = -magnitude;
	}
	to = line_put_dec(to, magnitude / 1000000000);
	*to++ = '.';
	return line_put_nine(to, (uint32_t)(magnitude % 1000000000));
}

void line_seconds(struct line *line, int64_t nanoseconds)
{
	char spare[LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_seconds(begin, nanoseconds));
}

char *line_put_ipv4(char *to, const uint8_t *address)
{
	for (int i = 0; i < 4; i++) {
		memcpy(to, octets[address[i]].text, 4);
		to += octets[address[i]].length;
	}
	return to - 1;
}

void line_ipv4(struct line *line, const uint8_t *address)
{
	char spare[LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_ipv4(begin, address));
}

/* The longest run of at least two zero groups, the first of equals (RFC 5952, 4.2): its start, -1 without one. */
static int zero_run(const uint8_t *address, int *length)
{
	int best = -1, best_length = 1;

	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && !address[2 * (i + n)] && !address[2 * (i + n) + 1])
			n++;
		if (n > best_length) {
			best = i;
			best_length = n;
		}
		i += n;
	}
	*length = best_length;
	return best;
}

static char *put_ipv6(char *to, const uint8_t *address)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	int run_length, run;

	/* RFC 5952, section 5; RFC 4291, 2.5.5: mapped and compatible addresses */
	if (!memcmp(address, mapped, sizeof mapped))
		return line_put_ipv4(line_put(to, "::ffff:"), address + 12);
	run = zero_run(address, &run_length);
	if (!run && run_length == 6)
		return line_put_ipv4(line_put(to, "::"), address + 12);
	for (int i = 0; i < 8; i++) {
		if (i == run) {
			to = line_put(to, "::");
			i += run_length - 1;
			continue;
		}
		if (i && (run < 0 || i != run + run_length))
			*to++ = ':';
		to = line_put_hex(to, (unsigned)(address[2 * i] << 8 | address[2 * i + 1]), 1);
	}
	return to;
}

char *line_put_ip(char *to, const uint8_t *address, unsigned length)
{
	return length == 4 ? line_put_ipv4(to, address) : put_ipv6(to, address);
}

char *line_put_address(char *to, const uint8_t *address, unsigned length)
{
	switch (length) {
	case 2: return line_put_dec(line_put(to, "lid "), load16(address));
	case 4:
	case 16: return line_put_ip(to, address, length);
	default: return line_put(to, "unknown");
	}
}

void line_address(struct line *line, const uint8_t *address, unsigned length)
{
	char spare[LINE_IP_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_address(begin, address, length));
}

void line_ipv6(struct line *line, const uint8_t *address)
{
	line_ip(line, address, 16);
}

void line_ip(struct line *line, const uint8_t *address, unsigned length)
{
	char spare[LINE_IP_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, line_put_ip(begin, address, length));
}

void line_hex_bytes(struct line *line, const uint8_t *bytes, size_t length, char separator)
{
	char text[3 * 64];
	size_t step = separator ? 3 : 2;

	while (length && !line->cut) {
		size_t part = length < 64 ? length : 64;
		char *p = text;

		for (size_t i = 0; i < part; i++) {
			put_byte(p, bytes[i]);
			p[2] = separator;
			p += step;
		}
		bytes += part;
		length -= part;
		/* no dot after the last */
		line_bytes(line, text, (size_t)(p - text) - (separator && !length));
	}
}

size_t line_utf8_length(const uint8_t *bytes, size_t length)
{
	uint8_t first = bytes[0], low = 0x80, high = 0xbf;
	size_t n;

	if (first >= 0xc2 && first <= 0xdf)
		n = 2;
	else if (first >= 0xe0 && first <= 0xef)
		n = 3;
	else if (first >= 0xf0 && first <= 0xf4)
		n = 4;
	else
		return 0;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	else if (first == 0xc2)
		low = 0xa0; /* U+0080 to U+009F are controls */
	if (n > length || bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	/* U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 (Bidi_Control) turn the reading direction of what follows */
	if (first == 0xd8 && bytes[1] == 0x9c)
		return 0;
	if (first == 0xe2 && ((bytes[1] == 0x80 && (bytes[2] == 0x8e || bytes[2] == 0x8f || (bytes[2] >= 0xa8 && bytes[2] <= 0xae))) ||
			      (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9)))
		return 0;
	return n;
}

static bool is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Whether eight bytes are plain. No byte of a difference has its upper bit unless it or one below it went below zero. */
static inline bool are_plain(const uint8_t *bytes)
{
	uint64_t eight;

	memcpy(&eight, bytes, 8);
	return !((eight | (eight - EACH(0x20)) | ((eight ^ EACH(0x7f)) - EACH(1)) | ((eight ^ EACH('"')) - EACH(1)) |
		  ((eight ^ EACH('\\')) - EACH(1))) & EACH(0x80));
}

size_t line_plain_length(const uint8_t *bytes, size_t length)
{
	size_t n = 0;

	while (length - n >= 8 && are_plain(bytes + n))
		n += 8;
	/* the last bytes, overlapping some that were checked already */
	if (n && length - n < 8 && are_plain(bytes + length - 8))
		return length;
	while (n < length && is_plain(bytes[n]))
		n++;
	return n;
}

void line_escaped(struct line *line, const uint8_t *bytes, size_t length)
{
	static const char controls[] = "0------abtnvfr";

	for (size_t i = 0; i < length && !line->cut;) {
		uint8_t byte = bytes[i];
		size_t sequence = line_plain_length(bytes + i, length - i);

		if (sequence) {
			line_bytes(line, (const char *)bytes + i, sequence);
			i += sequence;
		} else if (byte >= 0x80 && (sequence = line_utf8_length(bytes + i, length - i))) {
			line_bytes(line, (const char *)bytes + i, sequence);
			i += sequence;
		} else {
			line_char(line, '\\');
			if (byte == '"' || byte == '\\') {
				line_char(line, (char)byte);
			} else if (byte < sizeof controls - 1 && controls[byte] != '-' && byte) {
				line_char(line, controls[byte]);
			} else {
				line_char(line, 'x');
				line_hex_digits(line, byte, 2);
			}
			i++;
		}
	}
}

unsigned line_hex_width(const struct rtap_field *field)
{
	switch (field->show) {
	case RTAP_HEX8: return 2;
	case RTAP_HEX16: return 4;
	case RTAP_HEX24: return 6;
	case RTAP_HEX32: return 8;
	case RTAP_HEX64: return 16;
	default: return (field->bit_width + 7u) / 8 * 2;
	}
}

void line_value(struct line *line, const struct rtap_field *field, const struct rtap_value *value)
{
	switch ((enum rtap_show)field->show) {
	case RTAP_NONE:
		line_text(line, field->label);
		break;
	case RTAP_DEC:
	case RTAP_BOOL:
		line_dec(line, value->number);
		break;
	case RTAP_HEX:
	case RTAP_HEX8:
	case RTAP_HEX16:
	case RTAP_HEX24:
	case RTAP_HEX32:
	case RTAP_HEX64:
		line_hex(line, value->number, line_hex_width(field));
		break;
	case RTAP_IPV4:
		line_ipv4(line, value->data.bytes);
		break;
	case RTAP_IPV6:
		line_ipv6(line, value->data.bytes);
		break;
	case RTAP_ETHER:
	case RTAP_EUI64:
		line_hex_bytes(line, value->data.bytes, value->data.length, ':');
		break;
	case RTAP_BYTES:
		line_hex_bytes(line, value->data.bytes, value->data.length, 0);
		break;
	case RTAP_TEXT:
		line_escaped(line, value->data.bytes, value->data.length);
		break;
	case RTAP_SECONDS:
		line_seconds(line, (int64_t)value->number);
		break;
	}
}
