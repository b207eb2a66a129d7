/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/nfs.h"
#include "dissect/rpc_programs.h"

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

const struct rtap_name portmap_procedure2_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETPORT" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 0, NULL },
};

const struct rtap_name portmap_procedure3_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "CALLIT" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 0, NULL },
};

const struct rtap_name portmap_procedure4_names[] = {
	{ 0, "NULL" }, { 1, "SET" }, { 2, "UNSET" }, { 3, "GETADDR" }, { 4, "DUMP" }, { 5, "BCAST" }, { 6, "GETTIME" },
	{ 7, "UADDR2TADDR" }, { 8, "TADDR2UADDR" }, { 9, "GETVERSADDR" }, { 10, "INDIRECT" }, { 11, "GETADDRLIST" },
	{ 12, "GETSTAT" }, { 0, NULL },
};

static const struct rtap_name nfs_2[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "ROOT" }, { 4, "LOOKUP" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITECACHE" }, { 8, "WRITE" }, { 9, "CREATE" }, { 10, "REMOVE" }, { 11, "RENAME" }, { 12, "LINK" },
	{ 13, "SYMLINK" }, { 14, "MKDIR" }, { 15, "RMDIR" }, { 16, "READDIR" }, { 17, "STATFS" }, { 0, NULL },
};

const struct rtap_name nfs_procedure3_names[] = {
	{ 0, "NULL" }, { 1, "GETATTR" }, { 2, "SETATTR" }, { 3, "LOOKUP" }, { 4, "ACCESS" }, { 5, "READLINK" }, { 6, "READ" },
	{ 7, "WRITE" }, { 8, "CREATE" }, { 9, "MKDIR" }, { 10, "SYMLINK" }, { 11, "MKNOD" }, { 12, "REMOVE" }, { 13, "RMDIR" },
	{ 14, "RENAME" }, { 15, "LINK" }, { 16, "READDIR" }, { 17, "READDIRPLUS" }, { 18, "FSSTAT" }, { 19, "FSINFO" },
	{ 20, "PATHCONF" }, { 21, "COMMIT" }, { 0, NULL },
};

const struct rtap_name nfs_procedure4_names[] = { { 0, "NULL" }, { 1, "COMPOUND" }, { 0, NULL } };

const struct rtap_name mount_procedure_names[] = {
	{ 0, "NULL" }, { 1, "MNT" }, { 2, "DUMP" }, { 3, "UMNT" }, { 4, "UMNTALL" }, { 5, "EXPORT" }, { 0, NULL },
};

const struct rtap_name nlm_procedure_names[] = {
	{ 0, "NULL" }, { 1, "TEST" }, { 2, "LOCK" }, { 3, "CANCEL" }, { 4, "UNLOCK" }, { 5, "GRANTED" }, { 6, "TEST_MSG" },
	{ 7, "LOCK_MSG" }, { 8, "CANCEL_MSG" }, { 9, "UNLOCK_MSG" }, { 10, "GRANTED_MSG" }, { 11, "TEST_RES" },
	{ 12, "LOCK_RES" }, { 13, "CANCEL_RES" }, { 14, "UNLOCK_RES" }, { 15, "GRANTED_RES" }, { 20, "SHARE" },
	{ 21, "UNSHARE" }, { 22, "NM_LOCK" }, { 23, "FREE_ALL" }, { 0, NULL },
};

const struct rtap_name nsm_procedure_names[] = {
	{ 0, "NULL" }, { 1, "STAT" }, { 2, "MON" }, { 3, "UNMON" }, { 4, "UNMON_ALL" }, { 5, "SIMU_CRASH" }, { 6, "NOTIFY" },
	{ 0, NULL },
};

const struct rtap_name nfsacl_procedure2_names[] = {
	{ 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 3, "GETATTR" }, { 4, "ACCESS" }, { 0, NULL },
};

const struct rtap_name nfsacl_procedure3_names[] = { { 0, "NULL" }, { 1, "GETACL" }, { 2, "SETACL" }, { 0, NULL } };

const struct rtap_name nfs_cb_procedure_names[] = { { 0, "CB_NULL" }, { 1, "CB_COMPOUND" }, { 0, NULL } };

#define TEXT(text) text, sizeof text - 1
#define NAMES(names) sizeof names / sizeof names[0] - 1, names

static const struct rpc_program programs[] = {
	/* most traffic is of the first ones */
	{ RPC_PROGRAM_NFS, 3, 3, TEXT("NFS v3"), NAMES(nfs_procedure3_names), &nfs3_program },
	{ RPC_PROGRAM_NFS, 4, 4, TEXT("NFS v4"), NAMES(nfs_procedure4_names), &nfs4_program },
	{ RPC_PROGRAM_NFS, 2, 2, TEXT("NFS v2"), NAMES(nfs_2), NULL },
	{ RPC_PROGRAM_PORTMAPPER, 2, 2, TEXT("portmapper v2"), NAMES(portmap_procedure2_names), &portmap2_program },
	{ RPC_PROGRAM_PORTMAPPER, 3, 3, TEXT("portmapper v3"), NAMES(portmap_procedure3_names), &portmap3_program },
	{ RPC_PROGRAM_PORTMAPPER, 4, 4, TEXT("portmapper v4"), NAMES(portmap_procedure4_names), &portmap4_program },
	{ RPC_PROGRAM_MOUNT, 1, 1, TEXT("MOUNT v1"), NAMES(mount_procedure_names), &mount1_program },
	{ RPC_PROGRAM_MOUNT, 2, 2, TEXT("MOUNT v2"), NAMES(mount_procedure_names), &mount2_program },
	{ RPC_PROGRAM_MOUNT, 3, 3, TEXT("MOUNT v3"), NAMES(mount_procedure_names), &mount3_program },
	{ RPC_PROGRAM_NLM, 1, 1, TEXT("NLM v1"), NAMES(nlm_procedure_names), &nlm1_program },
	{ RPC_PROGRAM_NLM, 2, 2, TEXT("NLM v2"), NAMES(nlm_procedure_names), &nlm2_program },
	{ RPC_PROGRAM_NLM, 3, 3, TEXT("NLM v3"), NAMES(nlm_procedure_names), &nlm3_program },
	{ RPC_PROGRAM_NLM, 4, 4, TEXT("NLM v4"), NAMES(nlm_procedure_names), &nlm4_program },
	{ RPC_PROGRAM_NSM, 1, 1, TEXT("NSM v1"), NAMES(nsm_procedure_names), &nsm_program },
	{ RPC_PROGRAM_NFSACL, 2, 2, TEXT("NFSACL v2"), NAMES(nfsacl_procedure2_names), &nfsacl2_program },
	{ RPC_PROGRAM_NFSACL, 3, 3, TEXT("NFSACL v3"), NAMES(nfsacl_procedure3_names), &nfsacl3_program },
	{ RPC_PROGRAM_NFS_CALLBACK, 1, 4, TEXT(""), NAMES(nfs_cb_procedure_names), &nfs_callback_program },
};

#define PROGRAMS (sizeof programs / sizeof programs[0])

static uint32_t program_of(const struct rtap_rpc_facts *facts)
{
	return facts->is_callback ? RPC_PROGRAM_NFS_CALLBACK : facts->program;
}

static inline bool is_of(const struct rpc_program *known, uint32_t program, uint32_t version)
{
	return known->program == program && version >= known->first_version && version <= known->last_version;
}

const struct rpc_program *rpc_program_find(uint32_t program, uint32_t version)
{
	for (const struct rpc_program *known = programs; known < programs + PROGRAMS; known++)
		if (is_of(known, program, version))
			return known;
	return NULL;
}

const struct rpc_program *rpc_program_of(const struct rtap_rpc_facts *facts)
{
	return rpc_program_find(program_of(facts), facts->version);
}

const struct rtap_name *rpc_procedure_names(const struct rtap_rpc_facts *facts)
{
	const struct rpc_program *known = rpc_program_of(facts);

	return known ? known->names : NULL;
}

const char *rpc_procedure_name(const struct rpc_program *known, uint32_t procedure)
{
	if (procedure < known->name_count && known->names[procedure].value == procedure)
		return known->names[procedure].name;
	return rtap_name_of(known->names, procedure);
}

void rpc_line_program(const struct rtap_rpc_facts *facts, struct line *line)
{
	const struct rpc_program *known = rpc_program_of(facts);
	const char *program;

	if (known && known->text_length) {
		line_short(line, known->text, known->text_length);
		return;
	}
	program = rtap_name_of(rpc_program_names, program_of(facts));
	if (program) {
		line_text(line, program);
	} else {
		line_text(line, "program ");
		line_dec(line, facts->program);
	}
	line_text(line, " v");
	/* the callback's own version says nothing; it is NFSv4's whatever the minor version */
	line_dec(line, facts->is_callback ? 4 : facts->version);
}

void rpc_line_procedure(const struct rtap_rpc_facts *facts, struct line *line)
{
	const struct rpc_program *known = rpc_program_of(facts);
	const char *procedure = known ? rpc_procedure_name(known, facts->procedure) : NULL;

	if (procedure) {
		line_text(line, procedure);
	} else {
		line_text(line, "procedure ");
		line_dec(line, facts->procedure);
	}
}
