#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: check-completion.zsh FOLDER PROGRAM
# FOLDER has the completions _rdmatap and _rdmatap-mpi.
# Types command lines into an interactive zsh, presses the tabulator, and looks at what the completion offers.
zmodload zsh/zpty || exit 77
completions=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf $folder' EXIT
ln -s ${program:A} $folder/rdmatap
ln -s ${program:A} $folder/rdmatap-mpi
failed=0

if ! zpty shell "env TERM=dumb PATH=$folder:$PATH ZDOTDIR=$folder zsh -f -i"; then
	print "check-completion.zsh: skipped: pseudo-terminals are missing (mount -t devpts devpts /dev/pts)"
	exit 77
fi
zpty -w shell "PS1=; unsetopt zle_bracketed_paste; zstyle ':completion:*' list-colors ''; LISTMAX=10000; LINES=400; COLUMNS=200"
zpty -w shell "fpath=(${completions:A} \$fpath); autoload -Uz compinit; compinit -u -d $folder/dump"
# what is offered is printed between two marks, instead of put into the line
zpty -w shell 'offered() { compadd() { local -a all; builtin compadd -O all "$@"; print -rl -- $all >> '$folder'/offered; builtin compadd "$@" }; _main_complete; unfunction compadd; compstate[insert]=; compstate[list]=; print > '$folder'/tried }'
zpty -w shell "zle -C offered complete-word offered; bindkey '^I' offered"
zpty -w shell "print -r ready > $folder/ready"

# wait_for FILE: until it is there, a minute at most. What the shell echoes is thrown away, or it would wait for a reader.
wait_for() {
	local echoed
	for ((i = 0; i < 1200; i++)); do
		while zpty -rt shell echoed; do :; done
		[[ -e $1 ]] && return
		sleep 0.05
	done
	print "check-completion.zsh: the shell does not answer"
	exit 1
}
wait_for $folder/ready

# expect LINE WORD...: these words are among what is offered after LINE
expect() {
	local line=$1 word
	shift
	rm -f $folder/offered $folder/tried $folder/done
	# keys that wait can end a completion
	zpty -w -n shell "$line"$'\t'
	wait_for $folder/tried
	zpty -w -n shell $'\C-U'"print > $folder/done"$'\n'
	wait_for $folder/done
	for word; do
		grep -qxFe "$word" $folder/offered 2>/dev/null || { print "zsh: '$line': $word is not offered"; failed=1 }
	done
}

expect 'rdmatap ' canon connections diff messages stats
expect 'rdmatap h' help
expect 'rdmatap help ' canon connections stats
expect 'rdmatap -' -r -Y --check-icrc --version
expect 'rdmatap messages -' -x --json --incomplete
expect 'rdmatap diff --level ' messages packets
expect 'rdmatap -T ' text json fields
expect 'rdmatap -T fields -e infiniband.bth.ps' infiniband.bth.psn
expect 'rdmatap fields rpcordma.x' rpcordma.xid
expect 'rdmatap-mpi ' check join report stats
expect 'rdmatap-mpi messages --split ' 256M
expect 'rdmatap-mpi messages -' --apart --ranks --incomplete -Y
grep -qxFe -i $folder/offered && { print "zsh: rdmatap-mpi: -i is offered but not taken"; failed=1 }
zpty -d shell
exit $failed
