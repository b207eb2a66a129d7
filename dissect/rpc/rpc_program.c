/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/rpc_program.h"

const struct rtap_name rpc_program_names[] = {
	{ RPC_PROGRAM_PORTMAPPER, "portmapper" },
	{ RPC_PROGRAM_NFS, "NFS" },
	{ RPC_PROGRAM_MOUNT, "MOUNT" },
	{ RPC_PROGRAM_NLM, "NLM" },
	{ RPC_PROGRAM_NSM, "NSM" },
	{ RPC_PROGRAM_NFSACL, "NFSACL" },
	{ RPC_PROGRAM_NFS_CALLBACK, "NFS callback" },
	{ 0, NULL },
};

const struct rpc_program *rpc_program_in(const struct rpc_program *list, uint32_t program, uint32_t version)
{
	for (; list->program; list++)
		if (list->program == program && version >= list->first_version && version <= list->last_version)
			return list;
	return NULL;
}

const char *rpc_program_procedure(const struct rpc_program *known, uint32_t procedure)
{
	if (procedure < known->name_count && known->names[procedure].value == procedure)
		return known->names[procedure].name;
	return rtap_name_of(known->names, procedure);
}

void rpc_program_line(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct line *line)
{
	const char *program;

	if (known && known->text_length) {
		line_short(line, known->text, known->text_length);
		return;
	}
	program = rtap_name_of(rpc_program_names, rpc_program_number(facts));
	if (program) {
		line_text(line, program);
	} else {
		line_text(line, "program ");
		line_dec(line, facts->program);
	}
	line_text(line, " v");
	/* the callback program's own version is meaningless: it belongs to NFSv4 with any minor version */
	line_dec(line, facts->is_callback ? 4 : facts->version);
}

void rpc_program_line_procedure(const struct rpc_program *known, const struct rtap_rpc_facts *facts, struct line *line)
{
	const char *procedure = known ? rpc_program_procedure(known, facts->procedure) : NULL;

	if (procedure) {
		line_text(line, procedure);
	} else {
		line_text(line, "procedure ");
		line_dec(line, facts->procedure);
	}
}

void rpc_program_line_exchange(const struct rtap_rpc_facts *facts, struct line *line)
{
	if (facts->present)
		line_text(line, facts->is_reply ? " reply" : " call");
	if (facts->is_reply && facts->call_frame)
		return;
	line_text(line, " xid ");
	line_hex(line, facts->xid, 8);
}
