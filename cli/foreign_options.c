/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dissect/filter/filter_suggest.h"

#include "cli/foreign_options.h"
#include "cli/print_error.h"

bool foreign_decode_as(const char *argument, char *spec, size_t size)
{
	static const struct {
		const char *field, *key;
	} keys[] = { { "udp.port==", "udp" }, { "udp.dstport==", "udp" }, { "infiniband.bth.destqp==", "qp" } };
	static const struct {
		const char *theirs, *ours;
	} names[] = { { "infiniband", "rocev2" }, { "rpcordma", "rpcrdma" } };
	const char *comma = strchr(argument, ',');

	for (size_t i = 0; comma && i < sizeof keys / sizeof keys[0]; i++) {
		size_t length = strlen(keys[i].field);
		const char *protocol = comma + 1;

		if (strncmp(argument, keys[i].field, length))
			continue;
		for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
			if (!strcmp(protocol, names[j].theirs))
				protocol = names[j].ours;
		snprintf(spec, size, "%s=%.*s,%s", keys[i].key, (int)(comma - argument - (ptrdiff_t)length), argument + length, protocol);
		return true;
	}
	print_error("-d %s: not understood (udp.port==PORT,infiniband or infiniband.bth.destqp==NUMBER,rpcordma|ipoib|data)", argument);
	return false;
}

bool foreign_refuse_statistics(const char *argument)
{
	static const struct {
		const char *begin, *command;
	} places[] = {
		{ "io,phs", "stats FILE" }, { "io,", "stats --interval SECONDS FILE" }, { "conv", "connections FILE" }, { "endpoints", "stats FILE" },
		{ "rpc", "operations --by name FILE" }, { "nfs,srt", "operations --by name FILE" }, { "smb,srt", "operations --by name FILE" },
		{ "smb2,srt", "operations --by name FILE" }, { "scsi,srt", "operations --by name FILE" }, { "follow", "messages -x FILE" },
		{ "expert", "stats FILE" }, { "hosts", "connections FILE" }, { "ip_hosts", "stats FILE" }, { "dests", "stats FILE" },
		{ "flow", "why FILE connection=N" },
	};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		if (!strncmp(argument, places[i].begin, strlen(places[i].begin))) {
			print_error("-z %s: not supported (rdmatap %s has it)", argument, places[i].command);
			return false;
		}
	}
	print_error("-z %s: no such statistics (rdmatap stats FILE has those of RDMA; tshark reads what -w wrote)", argument);
	return false;
}

bool foreign_take(struct options *options, int letter)
{
	switch (letter) {
	case '2': /* the second pass of tshark adds the frame of the response to a request: rdmatap operations has it */
		return true;
	case 'X':
		options->hex = true;
		return true;
	case 'P': /* tshark: -w and -P */
		options->print = true;
		return true;
	case 'U':
		options->line_buffered = true;
		return true;
	case 'O':
		print_error("-O: not supported (-V prints all headers; -T fields -e FIELD some of their fields)");
		return false;
	case 'R':
		print_error("-R: not supported (-Y FILTER selects packets)");
		return false;
	case 'A':
		print_error("-A: not supported (-x prints the bytes as hexadecimal digits and as text)");
		return false;
	default:
		return false;
	}
}

bool foreign_refuse(const char *option)
{
	static const struct {
		const char *option, *note;
	} notes[] = {
		{ "-B", "--buffer-size SIZE" },
		{ "-F", "-w NAME.pcapng writes pcapng, other names pcap; of capture filters, -f has the text" },
		{ "-H", "rdmatap connections shows addresses; names of hosts are never resolved" },
		{ "-I", "RDMA has no monitor mode" },
		{ "-J", "-T fields -e FIELD selects fields" },
		{ "-K", "checksums of TCP and UDP are not verified" },
		{ "-L", "rdmatap devices -v lists what a device has" },
		{ "-M", "--max-memory SIZE limits memory; digests of TCP are not verified" },
		{ "-N", "names of hosts are never resolved" },
		{ "-Q", "-q prints no packets; both directions are captured" },
		{ "-S", "sequence numbers of TCP are printed as they are" },
		{ "-j", "-T fields -e FIELD selects fields" },
		{ "-m", "no modules are needed: all fields are built in" },
		{ "-o", "there are no preferences; --decode-as names protocols" },
		{ "-u", "-t FORM is the form of times" },
		{ "-y", "a source has one link type; rdmatap -v prints it" },
		{ "-#", "each line begins with the frame's number" },
		{ "--absolute-tcp-sequence-numbers", "sequence numbers of TCP are printed as they are" },
		{ "--compress", "-w NAME.gz, NAME.zst or NAME.lz4 compresses" },
		{ "--compression-type", "-w NAME.gz, NAME.zst or NAME.lz4 compresses" },
		{ "--count", "-q prints the number of packets" },
		{ "--direction", "both directions are captured" },
		{ "--disable-heuristic", "--no-heuristics disables all" },
		{ "--disable-protocol", "--decode-as ...,data leaves ports and queue pairs undissected" },
		{ "--dont-verify-checksums", "checksums of TCP and UDP are not verified" },
		{ "--enable-heuristic", "all are enabled unless --no-heuristics is given" },
		{ "--export-objects", "rdmatap export --files DIR FILE writes what NFS and SMB transferred" },
		{ "--hexdump", "-x" },
		{ "--interface", "-i" },
		{ "--lengths", "-V has all lengths; -T fields -e frame.len prints them" },
		{ "--linktype", "a source has one link type; rdmatap -v prints it" },
		{ "--list-data-link-types", "a source has one link type; rdmatap -v prints it" },
		{ "--list-interfaces", "-D" },
		{ "--micro", "times have the digits of the capture" },
		{ "--nano", "times have the digits of the capture" },
		{ "--no-duplicate-keys", "JSON has no key twice" },
		{ "--number", "each line begins with the frame's number" },
		{ "--only-protocols", "-Y FILTER selects packets" },
		{ "--read-filter", "-Y FILTER selects packets" },
		{ "--relinquish-privileges", "-Z USER" },
		{ "--ring-buffer", "-b" },
		{ "--selected-frame", "-Y 'frame.number == N', or rdmatap why FILE frame=N" },
		{ "--snapshot-length", "-s SNAPLEN" },
		{ "--time-stamp-precision", "times have the digits of the capture" },
		{ "--time-stamp-type", "the best clock of a source is used" },
		{ "--update-interval", "--status SECONDS prints rate and drops" },
	};
	size_t length = strcspn(option, "=");

	for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
		if (strlen(notes[i].option) == length && !strncmp(option, notes[i].option, length)) {
			print_error("%s: no such option (%s)", notes[i].option, notes[i].note);
			return true;
		}
	}
	return false;
}

const char *foreign_time_form(const char *argument)
{
	static const char *const forms[] = { "e", "d", "ad", "r" }; /* -tt, -ttt, -tttt, -ttttt */
	size_t length = strspn(argument, "t");

	return length && !argument[length] && length <= sizeof forms / sizeof forms[0] ? forms[length - 1] : argument;
}

bool foreign_refuse_form(const char *option, enum command command)
{
	const char *other = command == COMMAND_TOP || command == COMMAND_REPORT ? "stats -T csv FILE has these values" :
			    command == COMMAND_EXPORT ? "messages -T csv FILE and --sqlite have them" : NULL;

	if (!other || (strcmp(option, "-T") && strcmp(option, "-e") && strncmp(option, "--json", 6)))
		return false;
	print_error("%s: not supported (rdmatap %s)", option, other);
	return true;
}

/* The command that has what the names of other programs, or of what they print, promise; NULL: unknown. */
static const char *command_for(const char *word)
{
	static const struct {
		const char *word, *command;
	} others[] = {
		{ "findings", "stats" }, { "errors", "stats" }, { "problems", "stats" }, { "summary", "stats" }, { "hosts", "stats" }, { "talkers", "stats" },
		{ "flows", "connections" }, { "conversations", "connections" }, { "streams", "connections" }, { "qps", "connections" },
		{ "nfsiostat", "operations --by export" }, { "mountstats", "operations --by name" }, { "nfsstat", "operations --by name" },
		{ "iostat", "operations --by object" }, { "files", "operations --by object" }, { "calls", "operations" }, { "rpc", "operations" },
		{ "packets", "-r" }, { "read", "-r" }, { "convert", "-w OUT -r" }, { "mergecap", "-w OUT -r A -r" }, { "capinfos", "stats" },
	};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(word, others[i].word))
			return others[i].command;
	return NULL;
}

void foreign_print_unknown(const char *word, const char *(*command)(size_t index))
{
	const char *meant = filter_suggest_in(word, command);

	if (!access(word, F_OK))
		print_error("%s: neither an option nor a command (rdmatap -r %s reads the file)", word, word);
	else if (command_for(word))
		print_error("%s: no such command (rdmatap %s FILE has it)", word, command_for(word));
	else if (meant)
		print_error("%s: no such command (did you mean %s?)", word, meant);
	else
		print_error("%s: neither an option nor a command (see rdmatap --help)", word);
}

static const struct option *table;

static const char *option_name(size_t index)
{
	return table[index].name;
}

void foreign_print_option(const char *option, bool lacks_argument, const char *command, const struct option *options)
{
	const char *problem = lacks_argument ? "needs an argument" : "no such option", *meant = NULL;
	char name[64];

	if (!lacks_argument && !strncmp(option, "--", 2)) {
		table = options;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(option + 2, "="), option + 2);
		meant = filter_suggest_in(name, option_name);
		if (strchr(option, '='))
			problem = "no such option, or it takes no argument";
	}
	if (meant)
		print_error("%s: %s (did you mean --%s?)", option, problem, meant);
	else
		print_error("%s: %s (see rdmatap %s%s--help)", option, problem, command ? command : "", command ? " " : "");
}

bool foreign_take_expression(struct options *options, int count, char **words)
{
	size_t size = 1;

	if (!access(words[0], F_OK)) {
		print_error("%s: not a capture filter (name capture files with -r)", words[0]);
		return false;
	}
	if (options->capture_filter) {
		print_error("%s: a second capture filter, after that of -f (join them with 'and')", words[0]);
		return false;
	}
	for (int i = 0; i < count; i++)
		size += strlen(words[i]) + 1;
	options->expression = calloc(1, size);
	if (!options->expression) {
		print_error("out of memory");
		return false;
	}
	for (int i = 0; i < count; i++)
		strcat(strcat(options->expression, i ? " " : ""), words[i]);
	options->capture_filter = options->expression;
	return true;
}
