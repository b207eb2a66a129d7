# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints, as C, the keys of the records that doc/json.md documents.
function close_kind() {
	if (open)
		print "\t{ NULL, NULL, NULL, false },\n};"
	open = 0
}
function open_kind(command, type) {
	close_kind()
	kinds[++count] = sprintf("\t{ \"%s\", %s, keys_%d },", command, type ? "\"" type "\"" : "NULL", count)
	printf "\nstatic const struct column_key keys_%d[] = {\n", count
	open = 1
}
BEGIN {
	print "#include \"config.h\"\n\n#include \"output/message/column_keys.h\""
}
/^## / {
	close_kind()
	command = ""
	if (match($0, /`rdmatap [a-z]+( --by KEY)? --json/))
		command = substr($0, RSTART + 9, RLENGTH - 16)
}
command != "" && /^### .* type `/ {
	split($0, part, "`")
	open_kind(command, part[2])
}
command != "" && /^\| `/ {
	if (!open)
		open_kind(command, "")
	split($0, part, "`")
	split(part[3], word, "[ |:]+")
	cells = split($0, cell, / \| /)
	meaning = cells < 4 ? "" : cell[4]
	sub(/ *\|$/, "", meaning)
	gsub(/`/, "", meaning)
	gsub(/[\\"]/, "\\\\&", meaning)
	printf "\t{ \"%s\", \"%s\", \"%s\", %s },\n", part[2], word[2], meaning, part[2] ~ /\[\]/ || word[2] == "object" ? "false" : "true"
}
END {
	close_kind()
	print "\nconst struct column_keys column_tables[] = {"
	for (i = 1; i <= count; i++)
		print kinds[i]
	print "\t{ NULL, NULL, NULL },\n};"
}
