/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "output/compare/canon_policy.h"

struct row {
	const char *name; /* of a field; a final '*' matches any suffix. The longest match counts */
	uint8_t action, kind, level;
};

#define KEEP(name, level) { name, CANON_KEEP, CANON_KIND_NONE, CANON_##level }
#define RENAME(name, kind, level) { name, CANON_RENAME, CANON_KIND_##kind, CANON_##level }
#define RELATIVE(name, kind, level) { name, CANON_RELATIVE, CANON_KIND_##kind, CANON_##level }
#define DROP(name) { name, CANON_DROP, CANON_KIND_NONE, CANON_PACKETS }

/* canon's own values of a message, a connection or a refusal; described in doc/regression-testing.md. */
static const struct row own[] = {
	KEEP("kind", MESSAGES), KEEP("verb", MESSAGES), KEEP("length", MESSAGES), KEEP("inline", MESSAGES), KEEP("packets", MESSAGES),
	KEEP("repeats", MESSAGES), KEEP("missing", MESSAGES), KEEP("complete", MESSAGES), KEEP("status", MESSAGES),
	KEEP("answered", MESSAGES), KEEP("immediate", MESSAGES), KEEP("swap_or_add", MESSAGES), KEEP("compare", MESSAGES),
	KEEP("original", MESSAGES), KEEP("program", MESSAGES), KEEP("version", MESSAGES), KEEP("procedure", MESSAGES),
	KEEP("operations", MESSAGES), KEEP("operation_status", MESSAGES), KEEP("rpc_status", MESSAGES), KEEP("rdma_error", MESSAGES),
	KEEP("read_chunks", MESSAGES), KEEP("write_chunks", MESSAGES), KEEP("reply_chunk", MESSAGES), KEEP("nak", MESSAGES),
	KEEP("rnr_timer", MESSAGES), KEEP("learned", MESSAGES), KEEP("path_mtu", MESSAGES), KEEP("life", MESSAGES),
	KEEP("reject_reason", MESSAGES), KEEP("client_private", MESSAGES), KEEP("server_private", MESSAGES), KEEP("anomalies", MESSAGES),
	KEEP("refusals", MESSAGES),
	RENAME("key", RKEY, MESSAGES), RENAME("invalidates", RKEY, MESSAGES), RENAME("xid", XID, MESSAGES),
	KEEP("transport", MESSAGES), KEEP("service", MESSAGES), KEEP("client", MESSAGES), KEEP("server", MESSAGES),
	DROP("latency"), DROP("time"), DROP("frame"),
};

static const struct row fields[] = {
	/* fields that match no row below are decided by type: canon_policy() */
	/* properties of the capture, not of the traffic */
	DROP("frame.*"), DROP("erf.*"), DROP("sll.*"), DROP("null.*"), DROP("rdmatap.*"), KEEP("rdmatap.anomaly", PACKETS),
	KEEP("rdmatap.psn.analysis", PACKETS), KEEP("rdmatap.psn.missing", PACKETS), KEEP("rdmatap.psn.differs", PACKETS),
	/* links and networks; the payload has the length, the connection the addresses */
	DROP("eth.*"), DROP("macc.*"), DROP("arp.*"), DROP("ip.*"), KEEP("ip.dsfield.*", PACKETS), KEEP("ip.ttl", PACKETS),
	KEEP("ip.opt.type", PACKETS),
	DROP("ipv6.*"), KEEP("ipv6.tclass.*", PACKETS), KEEP("ipv6.hlim", PACKETS), DROP("ah.*"), DROP("icmp.*"), DROP("icmpv6.*"),
	DROP("igmp.*"), DROP("ipoib.*"), KEEP("vlan.*", PACKETS), DROP("vlan.len"), KEEP("ieee8021ad.*", PACKETS),
	DROP("ieee8021ad.len"),
	KEEP("mpls.*", PACKETS), DROP("gre.checksum"), DROP("gre.sequence_number"), DROP("erspan.*"), KEEP("vxlan.*", PACKETS),
	KEEP("geneve.*", PACKETS), DROP("geneve.option.*"), DROP("geneve.options"), DROP("udp.*"), DROP("tcp.*"),
	KEEP("tcp.flags.*", PACKETS),
	/* InfiniBand */
	KEEP("infiniband.lrh.*", PACKETS), KEEP("infiniband.rwh.*", PACKETS), KEEP("infiniband.grh.*", PACKETS),
	KEEP("infiniband.bth.*", PACKETS), KEEP("infiniband.rdeth.*", PACKETS), KEEP("infiniband.deth.*", PACKETS),
	KEEP("infiniband.xrceth.*", PACKETS), KEEP("infiniband.feth.*", PACKETS), KEEP("infiniband.reth.*", PACKETS),
	KEEP("infiniband.aeth.*", PACKETS), DROP("infiniband.lrh.dlid"), DROP("infiniband.lrh.slid"),
	DROP("infiniband.lrh.pktlen"),
	DROP("infiniband.grh.paylen"), DROP("infiniband.grh.sgid"), DROP("infiniband.grh.dgid"), DROP("infiniband.grh.flowlabel"),
	DROP("infiniband.bth.destqp"), RELATIVE("infiniband.bth.psn", PSN, PACKETS), RENAME("infiniband.deth.srcqp", QP, PACKETS),
	RENAME("infiniband.xrceth.srq", QP, PACKETS), RENAME("infiniband.rdeth.eecnxt", QP, PACKETS),
	RENAME("infiniband.reth.va", ADDRESS, PACKETS), RENAME("infiniband.reth.r_key", RKEY, PACKETS),
	DROP("infiniband.aeth.syndrome"), KEEP("infiniband.aeth.syndrome.timer", PACKETS),
	RELATIVE("infiniband.aeth.msn", MSN, PACKETS), RENAME("infiniband.ieth", RKEY, PACKETS),
	DROP("infiniband.cnp.reserved"), DROP("infiniband.invariant.crc"), DROP("infiniband.variant.crc"),
	KEEP("infiniband.invariant.crc.status", PACKETS), KEEP("infiniband.variant.crc.status", PACKETS),
	KEEP("infiniband.atomiceth.swapdt", PACKETS), KEEP("infiniband.atomiceth.cmpdt", PACKETS),
	KEEP("infiniband.atomicacketh.origremdt", PACKETS), KEEP("infiniband.immdt", PACKETS),
	KEEP("infiniband.deth.q_key", PACKETS),
	KEEP("data.len", PACKETS), DROP("data.data"),
	/* management: transaction ids and communication ids, ends, first PSNs; the connection has the addresses */
	KEEP("infiniband.*", MESSAGES), RENAME("infiniband.mad.transactionid", TID, MESSAGES),
	RENAME("infiniband.cm.req", COMM, MESSAGES), DROP("infiniband.cm.req.localcaguid"), DROP("infiniband.cm.req.localqkey"),
	RENAME("infiniband.cm.req.localqpn", QP, MESSAGES), DROP("infiniband.cm.req.localeecn"),
	DROP("infiniband.cm.req.remoteeecn"),
	DROP("infiniband.cm.req.startpsn"), DROP("infiniband.cm.req.serviceid"), DROP("infiniband.cm.req.serviceid.prefix"),
	DROP("infiniband.cm.req.prim_locallid"), DROP("infiniband.cm.req.prim_remotelid"),
	DROP("infiniband.cm.req.prim_localgid*"),
	DROP("infiniband.cm.req.prim_remotegid*"), DROP("infiniband.cm.req.prim_flowlabel"),
	DROP("infiniband.cm.req.alt_locallid"),
	DROP("infiniband.cm.req.alt_remotelid"), DROP("infiniband.cm.req.alt_localgid"), DROP("infiniband.cm.req.alt_remotegid"),
	DROP("infiniband.cm.req.alt_flowlabel"), DROP("infiniband.cm.req.private"), DROP("infiniband.cm.req.ip_cm"),
	DROP("infiniband.cm.req.ip_cm.sport"), DROP("infiniband.cm.req.ip_cm.sip4"), DROP("infiniband.cm.req.ip_cm.sip6"),
	DROP("infiniband.cm.req.ip_cm.dip4"), DROP("infiniband.cm.req.ip_cm.dip6"), DROP("infiniband.cm.req.ip_cm.private"),
	RENAME("infiniband.cm.req.remoteqpneecn", QP, MESSAGES), RENAME("infiniband.cm.rep", COMM, MESSAGES),
	RENAME("infiniband.cm.mra.localcommid", COMM, MESSAGES), RENAME("infiniband.cm.mra.remotecommid", COMM, MESSAGES),
	RENAME("infiniband.cm.rej.localcommid", COMM, MESSAGES), RENAME("infiniband.cm.rej.remotecommid", COMM, MESSAGES),
	RENAME("infiniband.cm.rep.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.rtu.localcommid", COMM, MESSAGES),
	RENAME("infiniband.cm.rtu.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.dreq.localcommid", COMM, MESSAGES),
	RENAME("infiniband.cm.dreq.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.drsp.localcommid", COMM, MESSAGES),
	RENAME("infiniband.cm.drsp.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.lap.localcommid", COMM, MESSAGES),
	RENAME("infiniband.cm.lap.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.apr.localcommid", COMM, MESSAGES),
	RENAME("infiniband.cm.apr.remotecommid", COMM, MESSAGES), RENAME("infiniband.cm.sidrreq.requestid", COMM, MESSAGES),
	RENAME("infiniband.cm.sidrrep.requestid", COMM, MESSAGES), RENAME("infiniband.cm.sidrrep.qpn", QP, MESSAGES),
	DROP("infiniband.cm.sidrreq.serviceid"), DROP("infiniband.cm.sidrreq.serviceid.prefix"),
	DROP("infiniband.cm.sidrrep.serviceid"),
	DROP("infiniband.cm.sidrrep.qkey"), DROP("infiniband.cm.sidrrep.addinfo"),
	RENAME("infiniband.cm.rep.localqpn", QP, MESSAGES),
	DROP("infiniband.cm.rep.localqkey"), DROP("infiniband.cm.rep.localeecn"), DROP("infiniband.cm.rep.startpsn"),
	DROP("infiniband.cm.rep.localcaguid"), DROP("infiniband.cm.rej.ari"), DROP("infiniband.cm.apr.addinfo"),
	DROP("infiniband.cm.mra.private"), DROP("infiniband.cm.rej.private"), DROP("infiniband.cm.rep.private"),
	DROP("infiniband.cm.rtu.private"), DROP("infiniband.cm.dreq.private"), DROP("infiniband.cm.drsp.private"),
	DROP("infiniband.cm.sidrreq.private"), DROP("infiniband.cm.sidrrep.private"), DROP("infiniband.cm.lap.private"),
	DROP("infiniband.cm.apr.private"), RENAME("infiniband.cm.lap.remoteqpneecn", QP, MESSAGES),
	DROP("infiniband.cm.lap.alt_locallid"), DROP("infiniband.cm.lap.alt_remotelid"), DROP("infiniband.cm.lap.alt_localgid"),
	DROP("infiniband.cm.lap.alt_remotegid"), DROP("infiniband.cm.lap.alt_flowlabel"),
	/* management attributes: fabric addresses and times vary from run to run, limits and states do not */
	DROP("infiniband.cc.log.ca.event.locallid"), DROP("infiniband.cc.log.ca.event.remotelid"),
	DROP("infiniband.cc.log.ca.event.timestamp"), DROP("infiniband.cc.log.currenttimestamp"),
	DROP("infiniband.cc.log.switch.event.dlid"), DROP("infiniband.cc.log.switch.event.slid"),
	DROP("infiniband.cc.log.switch.event.timestamp"), DROP("infiniband.cc.timestamp.value"),
	DROP("infiniband.classportinfo.redirectlid"), DROP("infiniband.classportinfo.redirectqkey"),
	DROP("infiniband.classportinfo.traplid"), DROP("infiniband.classportinfo.trapqkey"),
	DROP("infiniband.informinfo.lidrangebegin"), DROP("infiniband.informinfo.lidrangeend"),
	DROP("infiniband.informinfo.qpn"), DROP("infiniband.linkrecord.fromlid"), DROP("infiniband.linkrecord.tolid"),
	DROP("infiniband.mad.snmp.sourcelid"), DROP("infiniband.mcmemberrecord.mlid"),
	DROP("infiniband.mcmemberrecord.q_key"), DROP("infiniband.notice.issuerlid"), DROP("infiniband.pathrecord.dlid"),
	DROP("infiniband.pathrecord.slid"), DROP("infiniband.portinfo.lid"), DROP("infiniband.portinfo.mastersmlid"),
	DROP("infiniband.randomforwardingtable.lid"), DROP("infiniband.sa.endportlid"), DROP("infiniband.sa.lid"),
	DROP("infiniband.smpdirected.drdlid"), DROP("infiniband.smpdirected.drslid"), DROP("infiniband.trap.drslid"),
	DROP("infiniband.trap.lidaddr"), DROP("infiniband.trap.lidaddr1"), DROP("infiniband.trap.lidaddr2"),
	DROP("infiniband.trap.swlidaddr"), DROP("infiniband.smplid.mkey"),
	/* identity of the machine */
	DROP("infiniband.nodeinfo.systemimageguid"), DROP("infiniband.nodeinfo.nodeguid"), DROP("infiniband.nodeinfo.portguid"),
	DROP("infiniband.switchinfo.guid"), DROP("infiniband.portinfo.guid"), DROP("infiniband.sminfo.guid"),
	DROP("infiniband.trap.systemimageguid"), DROP("infiniband.dm.iocontrollerprofile.guid"), DROP("rds.private.ack_seq"),
	KEEP("nvme_rdma.private.cntlid", MESSAGES),
	/* limits and states */ KEEP("infiniband.cc.casetting.entry.cctitimer", MESSAGES),
	KEEP("infiniband.cc.switchportsetting.valid", MESSAGES), KEEP("infiniband.classportinfo.resptimevalue", MESSAGES),
	KEEP("infiniband.dm.iounitinfo.changeid", MESSAGES), KEEP("infiniband.informinfo.resptimevalue", MESSAGES),
	KEEP("infiniband.mcmemberrecord.packetlifetime", MESSAGES),
	KEEP("infiniband.mcmemberrecord.packetlifetimeselector", MESSAGES),
	KEEP("infiniband.multipathrecord.packetlifetime", MESSAGES),
	KEEP("infiniband.multipathrecord.packetlifetimeselector", MESSAGES),
	KEEP("infiniband.pathrecord.packetlifetime", MESSAGES),
	KEEP("infiniband.pathrecord.packetlifetimeselector", MESSAGES),
	KEEP("infiniband.portinfo.capabilitymask.systemimageguidsupported", MESSAGES),
	KEEP("infiniband.portinfo.guidcap", MESSAGES), KEEP("infiniband.portinfo.q_keyviolations", MESSAGES),
	KEEP("infiniband.portinfo.resptimevalue", MESSAGES), KEEP("infiniband.portinfo.subnettimeout", MESSAGES),
	KEEP("infiniband.portrcverrordetails.portdlidmappingerrors", MESSAGES),
	KEEP("infiniband.portxmitdiscarddetails.portswhoqlifetimelimitdiscards", MESSAGES),
	KEEP("infiniband.portxmitdiscarddetails.portswlifetimelimitdiscards", MESSAGES),
	KEEP("infiniband.randomforwardingtable.valid", MESSAGES), KEEP("infiniband.rmpp.rresptime", MESSAGES),
	KEEP("infiniband.sa.guidinforecord.reserved0", MESSAGES), KEEP("infiniband.sa.guidinforecord.reserved1", MESSAGES),
	KEEP("infiniband.switchinfo.lidsperport", MESSAGES), KEEP("infiniband.switchinfo.lifetimevalue", MESSAGES),
	KEEP("infiniband.trap.datavalid", MESSAGES),
	/* iWARP */
	KEEP("iwarp_mpa.*", PACKETS), DROP("iwarp_mpa.privatedata"), DROP("iwarp_mpa.crc"), DROP("iwarp_mpa.crc_check"),
	DROP("iwarp_mpa.marker_fpduptr"), DROP("iwarp_mpa.pad"), DROP("iwarp_mpa.framing"), KEEP("iwarp_ddp.*", PACKETS),
	DROP("iwarp_ddp.rsvdulp"), KEEP("iwarp_ddp.msn", PACKETS), RENAME("iwarp_ddp.stag", STAG, PACKETS),
	RENAME("iwarp_ddp.tagged_offset", ADDRESS, PACKETS),
	KEEP("iwarp_rdma.*", PACKETS), RENAME("iwarp_rdma.inval_stag", STAG, PACKETS),
	RENAME("iwarp_rdma.sinkstag", STAG, PACKETS),
	RENAME("iwarp_rdma.sinkto", ADDRESS, PACKETS), RENAME("iwarp_rdma.srcstag", STAG, PACKETS),
	RENAME("iwarp_rdma.srcto", ADDRESS, PACKETS), DROP("iwarp_rdma.reserved"), DROP("iwarp_rdma.term_ddp_h*"),
	DROP("iwarp_rdma.term_rdma_h*"), DROP("iwarp_rdma.term_ddp_seg_len"),
	RENAME("iwarp_rdma.atomic.remote_stag", STAG, PACKETS),
	RENAME("iwarp_rdma.atomic.remote_tagged_offset", ADDRESS, PACKETS), DROP("iwarp_rdma.atomic.request_identifier"),
	DROP("iwarp_rdma.atomic.original_request_identifier"), DROP("iwarp_rdma.send.*"),
	KEEP("iwarp_rdma.immediate_data", PACKETS),
	KEEP("iwarp_rdma.atomic.add_data", PACKETS), KEEP("iwarp_rdma.atomic.add_mask", PACKETS),
	KEEP("iwarp_rdma.atomic.swap_data", PACKETS), KEEP("iwarp_rdma.atomic.swap_mask", PACKETS),
	KEEP("iwarp_rdma.atomic.compare_data", PACKETS), KEEP("iwarp_rdma.atomic.compare_mask", PACKETS),
	KEEP("iwarp_rdma.atomic.original_remote_data_value", PACKETS),
	/* RPC-over-RDMA and RPC; canon's own values have client, server and procedure */
	KEEP("rpcordma.*", MESSAGES), DROP("rpcordma.xid"), RENAME("rpcordma.rdma_handle", RKEY, MESSAGES),
	RENAME("rpcordma.rdma_offset", ADDRESS, MESSAGES), DROP("rpcordma.reassembled.*"), DROP("rpcordma.reads_count"),
	DROP("rpcordma.writes_count"), DROP("rpcordma.reply_count"), KEEP("rpc.*", MESSAGES), DROP("rpc.version"),
	DROP("rpc.replystat"),
	DROP("rpc.state_accept"), DROP("rpc.xid"),
	DROP("rpc.msgtyp"), DROP("rpc.program"), DROP("rpc.programversion"), DROP("rpc.procedure"), DROP("rpc.auth.stamp"),
	DROP("rpc.auth.machinename"), DROP("rpc.auth.length"), DROP("rpc.repframe"), DROP("rpc.time"), DROP("rpc.lastfrag"),
	DROP("rpc.fraglen"), DROP("rpc.auth.data"), DROP("rpc.authgss.seqnum"), RENAME("rpc.authgss.context", CONTEXT, MESSAGES),
	DROP("rpc.authgss.token"), DROP("rpc.authgss.data"), DROP("rpc.authgss.checksum"),
	/* the programs: values chosen by servers and clients */
	KEEP("mount.*", MESSAGES), KEEP("nfsacl.*", MESSAGES), KEEP("nlm.*", MESSAGES), RENAME("nlm.cookie", VERIFIER, MESSAGES),
	RENAME("nlm.lock.owner", OWNER, MESSAGES), DROP("nlm.lock.svid"), DROP("nlm.lock.caller_name"), DROP("nlm.state"),
	DROP("nlm.sequence"), KEEP("stat.*", MESSAGES), DROP("stat.priv"), DROP("stat.name"), DROP("stat.my_id.hostname"),
	DROP("stat.mon_id.name"), DROP("stat.stat_res.state"), DROP("stat.state"), KEEP("portmap.*", MESSAGES),
	DROP("portmap.args"),
	/* pause times requested by a switch */
	DROP("macc.pause_time"), DROP("macc.cbfc.pause_time.*"),
	DROP("portmap.result"), KEEP("portmap.rpcb.owner", MESSAGES), DROP("portmap.time"), DROP("portmap.taddr"),
	KEEP("nfs.*", MESSAGES), DROP("nfs.fh.length"),
	DROP("nfs.fh.hash"), RENAME("nfs.fhandle", HANDLE, MESSAGES), DROP("nfs.fattr3.used"), DROP("nfs.fattr3.fsid"),
	DROP("nfs.fattr3.fileid"), DROP("nfs.fattr.blocks"), DROP("nfs.fattr.fsid"), DROP("nfs.fattr.fileid"), DROP("nfs.atime*"),
	DROP("nfs.mtime*"), DROP("nfs.ctime*"), DROP("nfs.dtime*"), DROP("nfs.data"), RENAME("nfs.verifier", VERIFIER, MESSAGES),
	RENAME("nfs.verifier4", VERIFIER, MESSAGES), DROP("nfs.cookie3"), DROP("nfs.cookie4"), DROP("nfs.cookie_verf4"),
	DROP("nfs.readdir.entry3.fileid"), DROP("nfs.readdir.entry3.cookie"), DROP("nfs.readdirplus.entry.fileid"),
	DROP("nfs.readdirplus.entry.cookie"), DROP("nfs.fsstat3_resok.*"), DROP("nfs.status"), DROP("nfs.main_opcode"),
	DROP("nfs.opcode"), DROP("nfs.procedure_v3"), DROP("nfs.procedure_v4"), DROP("nfs.ops.count"), DROP("nfs.nfsstat4"),
	DROP("nfs.status3"), DROP("nfs.attr"), DROP("nfs.attr_count"), RENAME("nfs.stateid", STATE, MESSAGES),
	DROP("nfs.stateid.*"), DROP("nfs.seqid"), DROP("nfs.lock_seqid"),
	RENAME("nfs.clientid", CLIENT, MESSAGES), DROP("nfs.changeid4*"), DROP("nfs.nfstime4.*"), DROP("nfs.r_addr"),
	DROP("nfs.nfs_client_id4.id"), DROP("nfs.callback.ident"), DROP("nfs.cb_program"),
	RENAME("nfs.open_owner4", OWNER, MESSAGES),
	RENAME("nfs.lock_owner4", OWNER, MESSAGES), RENAME("nfs.session_id4", SESSION, MESSAGES), DROP("nfs.slotid"),
	DROP("nfs.high_slotid"), DROP("nfs.target_high_slotid"), DROP("nfs.nii_*"), DROP("nfs.minorid4"), DROP("nfs.majorid4"),
	DROP("nfs.scope"), DROP("nfs.stamp4"), DROP("nfs.machinename4"), DROP("nfs.gsshandle4"), DROP("nfs.deviceid"),
	DROP("nfs.devinfo"),
	DROP("nfs.layout"), DROP("nfs.layoutupdate"), DROP("nfs.lrf_body_content"), DROP("nfs.ssv"), DROP("nfs.digest"),
	DROP("nfs.notify_values"), DROP("nfs.callback_ids"), DROP("nfs.adb.pattern"), DROP("nfs.lisxtattr.cookie"),
	DROP("nfs.fsid4.*"),
	DROP("nfs.fattr4.fileid"), DROP("nfs.fattr4.files_*"), DROP("nfs.fattr4.space_*"), DROP("nfs.fattr4.quota_used"),
	DROP("nfs.fattr4.mounted_on_fileid"), DROP("nfs.fattr4.change_policy.*"), DROP("nfs.fattr4.fs_status.age"),
	DROP("nfs.fattr4.fs_locations_info.info"), DROP("nfs.fattr4.threshold_item.values"), DROP("nfs.sequence.flags"),
	KEEP("nfs.handle_follow", MESSAGES), KEEP("nfs.prot_info4_hash_alg", MESSAGES),
	KEEP("nfs.state_protect_num_gss_handles", MESSAGES),
	KEEP("nfs.create_session_flags", MESSAGES), KEEP("nfs.fattr4.lease_time", MESSAGES), KEEP("nfs.fattr4_owner", MESSAGES),
	KEEP("nfs.fattr4_owner_group", MESSAGES), KEEP("nfs.fattr4.fs_locations_info.valid_for", MESSAGES),
	KEEP("nfs.secinfo.flavor_info.rpcsec_gss_info.oid", MESSAGES), KEEP("nfs.state_protect.algorithm", MESSAGES),
};

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

const char *canon_kind_name(enum canon_kind kind)
{
	static const char *const names[] = {
#define CANON_KIND_NAME(identifier, name) [CANON_KIND_##identifier] = name,
		CANON_KINDS(CANON_KIND_NAME)
#undef CANON_KIND_NAME
	};

	return kind < CANON_KIND_COUNT ? names[kind] : "";
}

static_assert(COUNT(fields) < CANON_POLICY_SLOTS / 2, "the index is never crowded");

/* FNV-1a, one character at a time. */
#define FIRST_HASH UINT32_C(0x811c9dc5)

static uint32_t hash_letter(uint32_t hash, char letter)
{
	return (hash ^ (uint8_t)letter) * UINT32_C(0x01000193);
}

static size_t slot_of(uint32_t hash)
{
	return (hash ^ hash >> 15) & (CANON_POLICY_SLOTS - 1);
}

void canon_policy_index_init(struct canon_policy_index *index)
{
	*index = (struct canon_policy_index){ { 0 } };
	for (size_t i = 0; i < COUNT(fields); i++) {
		uint32_t hash = FIRST_HASH;
		size_t slot;

		for (const char *at = fields[i].name; *at; at++)
			hash = hash_letter(hash, *at);
		for (slot = slot_of(hash); index->rows[slot]; slot = (slot + 1) & (CANON_POLICY_SLOTS - 1))
			;
		index->rows[slot] = (uint16_t)(i + 1);
	}
}

/* The row of the first `length` characters of the name, followed by `end` ("*" or ""). */
static const struct row *find(const struct canon_policy_index *index, uint32_t hash, const char *name, size_t length, const char *end)
{
	for (size_t slot = slot_of(hash); index->rows[slot]; slot = (slot + 1) & (CANON_POLICY_SLOTS - 1)) {
		const struct row *row = &fields[index->rows[slot] - 1];

		if (!strncmp(row->name, name, length) && !strcmp(row->name + length, end))
			return row;
	}
	return NULL;
}

/* Values that look like identifiers are omitted, so that a field without a row does not make runs differ. */
static enum canon_action default_action(const struct rtap_field *field)
{
	switch (field->show) {
	case RTAP_HEX64:
	case RTAP_EUI64:
	case RTAP_ETHER:
	case RTAP_BYTES:
	case RTAP_SECONDS:
	case RTAP_NONE:
		return CANON_DROP;
	default:
		return field->flags & RTAP_BULK ? CANON_DROP : CANON_KEEP;
	}
}

struct canon_policy canon_policy(const struct canon_policy_index *index, const struct rtap_field *field)
{
	const struct row *exact, *beginning = NULL, *best;
	uint32_t hash = FIRST_HASH;
	size_t length = 0;

	for (;; length++) {
		const struct row *row = find(index, hash_letter(hash, '*'), field->name, length, "*");

		beginning = row ? row : beginning;
		if (!field->name[length])
			break;
		hash = hash_letter(hash, field->name[length]);
	}
	exact = find(index, hash, field->name, length, "");
	best = exact ? exact : beginning;
	/* a row for a whole protocol does not override the type: the field may be newer than the row */
	if (!best || (!exact && best->action == CANON_KEEP))
		return (struct canon_policy){ .action = (uint8_t)default_action(field), .level = best ? best->level : CANON_PACKETS };
	return (struct canon_policy){ .action = best->action, .kind = best->kind, .level = best->level, .decided = true };
}

bool canon_policy_own(const char *name, struct canon_policy *policy)
{
	for (size_t i = 0; i < COUNT(own); i++) {
		if (strcmp(own[i].name, name))
			continue;
		*policy = (struct canon_policy){ .action = own[i].action, .kind = own[i].kind, .level = own[i].level, .decided = true };
		return true;
	}
	return false;
}

bool canon_name_matches(const char *name, size_t length, const char *wanted)
{
	size_t prefix = strlen(wanted);

	return length >= prefix && !memcmp(name, wanted, prefix) && (length == prefix || name[prefix] == '.');
}

bool canon_name_known(const char *name)
{
	struct canon_policy policy;

	if (canon_policy_own(name, &policy))
		return true;
	for (size_t id = 0; *name && id < rtap_field_count(); id++) {
		const char *field = rtap_field_by_id((rtap_field_id)id)->name;

		if (canon_name_matches(field, strlen(field), name))
			return true;
	}
	return false;
}
