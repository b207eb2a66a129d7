# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completion of the command line of rdmatap-mpi in bash: that of rdmatap's commands, and its own options.

_rdmatap_mpi()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} one kept=()

	declare -F _rdmatap >/dev/null || _completion_loader rdmatap
	case $previous in
	--split) _rdmatap_words "$current" -W "64M 256M 1G"; return ;;
	--output) _rdmatap_words "$current" -f; return ;;
	esac
	if ((COMP_CWORD == 1)); then
		_rdmatap_words "$current" -W "check connections join messages operations report stats --help --version"
		return
	fi
	_rdmatap
	[[ $current == -* ]] || return
	# it reads files only
	for one in "${COMPREPLY[@]}"; do
		[[ " -c -f -i -r " == *" $one "* ]] || kept+=("$one")
	done
	_rdmatap_words "$current" -W "--apart --output --ranks --split ${kept[*]}"
}

complete -o filenames -F _rdmatap_mpi rdmatap-mpi
