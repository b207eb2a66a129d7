/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/rpc/rpc_programs.h"

/* most traffic is of the first one */
static const struct rpc_program *const lists[] = {
	nfs_programs, portmap_programs, mount_programs, nlm_programs, nsm_programs, nfsacl_programs,
};

const struct rpc_program *rpc_program_find(uint32_t program, uint32_t version)
{
	const struct rpc_program *known = NULL;

	for (size_t i = 0; !known && i < sizeof lists / sizeof lists[0]; i++)
		known = rpc_program_in(lists[i], program, version);
	return known;
}

/* The same for the program in the facts, which may be treated as the NFSv4 callback. */
static const struct rpc_program *rpc_program_of(const struct rtap_rpc_facts *facts)
{
	return rpc_program_find(rpc_program_number(facts), facts->version);
}

const struct rpc_program *rpc_program_of_body(const struct rtap_rpc_facts *facts)
{
	const struct rpc_program *known = facts->has_body ? rpc_program_of(facts) : NULL;

	return known && known->tables ? known : NULL;
}

const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts)
{
	const struct rpc_program *known = rpc_program_of(facts);

	return known ? known->names : NULL;
}

void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line)
{
	rpc_program_line(rpc_program_of(facts), facts, line);
}

void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line)
{
	rpc_program_line_procedure(rpc_program_of(facts), facts, line);
}
