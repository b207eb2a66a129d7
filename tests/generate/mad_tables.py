# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Attributes of management datagrams by IBTA vol. 1 (13.4.8, 14.2.5, 15.2.5, 16.1, 16.3, A10) and NVIDIA's of vendors.

A table is a filter name and its fields in order: name and bits, "-" for reserved ones; a name with dots is a whole one. After the bits: a an
address, b bytes, t text; "(" begins and ")" ends the fields that give the one before them again in parts.
"""

TABLES = {
    "node_description": ("infiniband.nodedescription",
        "nodestring 512t"),
    "node_info": ("infiniband.nodeinfo",
        "baseversion 8, classversion 8, nodetype 8, numports 8, systemimageguid 64, nodeguid 64, portguid 64, partitioncap 16, "
        "deviceid 16, revision 32, localportnum 8, vendorid 24"),
    "switch_info": ("infiniband.switchinfo",
        "linearfdbcap 16, randomfdbcap 16, multicastfdbcap 16, linearfdbtop 16, defaultport 8, defaultmulticastprimaryport 8, "
        "defaultmulticastnotprimaryport 8, lifetimevalue 5, portstatechange 1, optimizedsltovlmappingprogramming 2, lidsperport "
        "16, partitionenforcementcap 16, inboundenforcementcap 1, outboundenforcementcap 1, filterrawinboundcap 1, "
        "filterrawoutboundcap 1, enhancedportzero 1, - 3, - 8, multicastfdbtop 16"),
    "guid_info": ("infiniband.guidinfo",
        "infiniband.switchinfo.guid 64"),
    "port_info": ("infiniband.portinfo",
        "m_key 64, guid 64, lid 16, mastersmlid 16, capabilitymask 32(, capabilitymask.hierarchyinfosupported 1, "
        "capabilitymask.multicastfdbtopsupported 1, capabilitymask.multicastpkeytrapsuppressionsupported 1, "
        "capabilitymask.vendorspecificmadstablesupported 1, capabilitymask.linkspeedwidthpairstablesupported 1, "
        "capabilitymask.otherlocalchangesnoticesupported 1, capabilitymask.clientregistrationsupported 1, "
        "capabilitymask.linkroundtriplatencysupported 1, capabilitymask.bootmanagementsupported 1, "
        "capabilitymask.capabilitymasknoticesupported 1, capabilitymask.drnoticesupported 1, "
        "capabilitymask.vendorclasssupported 1, capabilitymask.devicemanagementsupported 1, capabilitymask.reinitsupported 1, "
        "capabilitymask.snmptunnelingsupported 1, capabilitymask.communicationmanagementsupported 1, "
        "capabilitymask.capabilitymask2supported 1, capabilitymask.extendedspeedssupported 1, capabilitymask.cableinfosupported "
        "1, capabilitymask.pkeyswitchexternalporttrapsupported 1, capabilitymask.systemimageguidsupported 1, "
        "capabilitymask.smdisabled 1, capabilitymask.ledinfosupported 1, capabilitymask.pkeynvram 1, capabilitymask.mkeynvram "
        "1, capabilitymask.slmappingsupported 1, capabilitymask.automaticmigrationsupported 1, "
        "capabilitymask.optionalipdsupported 1, capabilitymask.trapsupported 1, capabilitymask.noticesupported 1, "
        "capabilitymask.issm 1, capabilitymask.reserved 1), diagcode 16, m_keyleaseperiod 16, localportnum 8, linkwidthenabled "
        "8, linkwidthsupported 8, linkwidthactive 8, linkspeedsupported 4, portstate 4, portphysicalstate 4, "
        "linkdowndefaultstate 4, m_keyprotectbits 2, - 3, lmc 3, linkspeedactive 4, linkspeedenabled 4, neighbormtu 4, "
        "mastersmsl 4, vlcap 4, inittype 4, vlhighlimit 8, vlarbitrationhighcap 8, vlarbitrationlowcap 8, inittypereply 4, "
        "mtucap 4, vlstallcount 3, hoqlife 5, operationalvls 4, partitionenforcementinbound 1, partitionenforcementoutbound 1, "
        "filterrawinbound 1, filterrawoutbound 1, m_keyviolations 16, p_keyviolations 16, q_keyviolations 16, guidcap 8, "
        "clientreregister 1, multicastpkeytrapsuppressionenabled 2, subnettimeout 5, - 3, resptimevalue 5, localphyerrors 4, "
        "overrunerrors 4, maxcredithint 16, - 1, linkspeedextactive2 2, linkspeedextsupported2 2, linkspeedextenabled2 3, "
        "linkroundtriplatency 24, capabilitymask2 16(, capabilitymask2.reserved0 3, "
        "capabilitymask2.linkspeedxdrsupported 1, capabilitymask2.extendedspeeds2supported 1, "
        "capabilitymask2.linkspeedndrsupported 1, capabilitymask2.reserved1 4, capabilitymask2.linkspeedhdrsupported 1, "
        "capabilitymask2.linkwidth2xsupported 1, capabilitymask2.switchportstatetablesupported 1, "
        "capabilitymask2.virtualizationsupported 1, capabilitymask2.portinfoextendedsupported 1, "
        "capabilitymask2.setnodedescriptionsupported 1), linkspeedextactive 4, linkspeedextsupported 4, - 3, "
        "linkspeedextenabled 5"),
    "sm_info": ("infiniband.sminfo",
        "guid 64, sm_key 64, actcount 32, priority 4, smstate 4"),
    "p_key_table": ("infiniband.p_keytable",
        "p_keytableblock 512b"),
    "p_key": ("infiniband.p_keytable.element",
        "infiniband.p_keytable.membershiptype 1, infiniband.p_keytable.p_keybase 15"),
    "sl_to_vl": ("infiniband.sltovlmappingtable",
        "sltovlhighbits 4, sltovllowbits 4"),
    "vl_arbitration": ("infiniband.vlarbitrationtable",
        "- 4, vl 4, weight 8"),
    "linear_forwarding": ("infiniband.linearforwardingtable",
        "port 8"),
    "random_forwarding": ("infiniband.randomforwardingtable",
        "lid 16, valid 1, lmc 3, - 4, port 8"),
    "multicast_forwarding": ("infiniband.multicastforwardingtable",
        "portmask 16"),
    "link_speed_width": ("infiniband.linkspeedwidthpairstable",
        "numtables 8, portmask 256b, speedtwofive 8, speedfive 8, speedten 8, - 224"),
    "vendor_diag": ("infiniband.vendordiag",
        "nextindex 16, diagdata 496b"),
    "led_info": ("infiniband.ledinfo",
        "ledmask 1, - 7, - 24, - 480"),
    "cable_info": ("infiniband.cableinfo",
        "address 16, pagenumber 8, deviceaddress 8, numbytes 8, - 8, - 16, password 32, data 384b, - 32"),
    "mlnx_ext_port_info": ("infiniband.mlnxextportinfo",
        "- 24, statechangeenable 8, - 24, linkspeedsupported 8, - 24, linkspeedenabled 8, - 24, linkspeedactive 8, - 384"),
    "class_port_info": ("infiniband.classportinfo",
        "baseversion 8, classversion 8, capabilitymask 16, capabilitymask2 27, resptimevalue 5, redirectgid 128a, redirecttc 8, "
        "redirectsl 4, redirectfl 20, redirectlid 16, redirectpkey 16, reserved 8, redirectqp 24, redirectqkey 32, trapgid "
        "128a, traptc 8, trapsl 4, trapfl 20, traplid 16, trappkey 16, traphl 8, trapqp 24, trapqkey 32"),
    "notice": ("infiniband.notice",
        "isgeneric 1, type 7, producertypevendorid 24, trapnumberdeviceid 16, issuerlid 16, noticetoggle 1, noticecount 15, "
        "datadetails 432b"),
    "notice_issuer": ("infiniband.notice.issuer",
        "infiniband.notice.issuergid 128a"),
    "inform_info": ("infiniband.informinfo",
        "gid 128a, lidrangebegin 16, lidrangeend 16, - 16, isgeneric 8, subscribe 8, type 16, trapnumberdeviceid 16, qpn 24, - "
        "3, resptimevalue 5, - 8, producertypevendorid 24"),
    "trap_gid": ("infiniband.trap.gid",
        "- 48, infiniband.trap.gidaddr 128a, - 256"),
    "trap_path": ("infiniband.trap.path",
        "infiniband.trap.comp_mask 64, infiniband.trap.wait_for_repath 1, - 7, infiniband.trap.path_rec 360b"),
    "trap_switch": ("infiniband.trap.switch",
        "infiniband.trap.lidaddr 16, - 416"),
    "trap_port": ("infiniband.trap.port",
        "- 16, infiniband.trap.lidaddr 16, infiniband.trap.portno 8, - 392"),
    "trap_change": ("infiniband.trap.change",
        "- 16, infiniband.trap.lidaddr 16, - 8, - 7, infiniband.trap.otherlocalchanges 1, infiniband.trap.capabilitymask 32, - "
        "8, - 5, infiniband.trap.linkspeecenabledchange 1, infiniband.trap.linkwidthenabledchange 1, "
        "infiniband.trap.nodedescriptionchange 1, - 336"),
    "trap_image": ("infiniband.trap.image",
        "- 16, infiniband.trap.lidaddr 16, - 16, infiniband.trap.systemimageguid 64, - 320"),
    "trap_m_key": ("infiniband.trap.bad_m_key",
        "- 16, infiniband.trap.lidaddr 16, infiniband.trap.drslid 16, infiniband.trap.method 8, - 8, "
        "infiniband.trap.attributeid 16, infiniband.trap.attributemodifier 32, infiniband.trap.mkey 64, - 8, "
        "infiniband.trap.drnotice 1, infiniband.trap.drpathtruncated 1, infiniband.trap.drhopcount 6, "
        "infiniband.trap.drnoticereturnpath 240b"),
    "trap_keys": ("infiniband.trap.bad_key",
        "- 16, infiniband.trap.lidaddr1 16, infiniband.trap.lidaddr2 16, infiniband.trap.key 32, infiniband.trap.sl 4, - 4, "
        "infiniband.trap.qp1 24, - 8, infiniband.trap.qp2 24, infiniband.trap.gidaddr1 128a, infiniband.trap.gidaddr2 128a, - "
        "32"),
    "trap_switch_key": ("infiniband.trap.bad_switch_key",
        "infiniband.trap.datavalid 16, infiniband.trap.lidaddr1 16, infiniband.trap.lidaddr2 16, infiniband.trap.pkey 16, "
        "infiniband.trap.sl 4, - 4, infiniband.trap.qp1 24, - 8, infiniband.trap.qp2 24, infiniband.trap.gidaddr1 128a, "
        "infiniband.trap.gidaddr2 128a, infiniband.trap.swlidaddr 16, infiniband.trap.portno 8, - 24"),
    "node_record": ("infiniband.sa.noderecord",
        "infiniband.sa.lid 16, - 16"),
    "port_info_record": ("infiniband.sa.portinforecord",
        "infiniband.sa.endportlid 16, infiniband.sa.portnum 8, infiniband.sa.options 8"),
    "sl_to_vl_record": ("infiniband.sa.sltovlrecord",
        "infiniband.sa.lid 16, infiniband.sa.inputportnum 8, infiniband.sa.outputportnum 8, - 32"),
    "switch_info_record": ("infiniband.sa.switchinforecord",
        "infiniband.sa.lid 16, - 16"),
    "forwarding_record": ("infiniband.sa.forwardingrecord",
        "infiniband.sa.lid 16, infiniband.sa.blocknum_sixteenbit 16, - 32"),
    "multicast_forwarding_record": ("infiniband.sa.multicastforwardingrecord",
        "infiniband.sa.lid 16, infiniband.sa.position 4, - 3, infiniband.sa.blocknum_ninebit 9, - 32"),
    "vl_arbitration_record": ("infiniband.sa.vlarbitrationrecord",
        "infiniband.sa.lid 16, infiniband.sa.outputportnum 8, infiniband.sa.blocknum_eightbit 8, - 32"),
    "sm_info_record": ("infiniband.sa.sminforecord",
        "infiniband.sa.lid 16, - 16"),
    "p_key_table_record": ("infiniband.sa.p_keytablerecord",
        "infiniband.sa.lid 16, infiniband.sa.blocknum_sixteenbit 16, infiniband.sa.portnum 8, - 24"),
    "inform_info_record": ("infiniband.informinforecord",
        "subscribergid 128a, enum 16, - 48"),
    "guid_info_record": ("infiniband.sa.guidinforecord",
        "infiniband.sa.lid 16, infiniband.sa.blocknum_eightbit 8, - 8, - 32"),
    "link_record": ("infiniband.linkrecord",
        "fromlid 16, fromport 8, toport 8, tolid 16"),
    "service_record": ("infiniband.servicerecord",
        "infiniband.linkrecord.serviceid 64, infiniband.linkrecord.servicegid 128a, infiniband.linkrecord.servicep_key 16, - "
        "16, infiniband.linkrecord.servicelease 32, infiniband.linkrecord.servicekey 128b, infiniband.linkrecord.servicename "
        "512b, infiniband.linkrecord.servicedata 512b"),
    "path_record": ("infiniband.pathrecord",
        "serviceid 64, dgid 128a, sgid 128a, dlid 16, slid 16, rawtraffic 1, - 3, flowlabel 20, hoplimit 8, tclass 8, "
        "reversible 1, numbpath 7, p_key 16, qosclass 12, sl 4, mtuselector 2, mtu 6, rateselector 2, rate 6, "
        "packetlifetimeselector 2, packetlifetime 6, preference 8, - 48"),
    "multi_path_record": ("infiniband.multipathrecord",
        "rawtraffic 1, - 3, flowlabel 20, hoplimit 8, tclass 8, reversible 1, numbpath 7, p_key 16, qosclass 12, sl 4, "
        "mtuselector 2, mtu 6, rateselector 2, rate 6, packetlifetimeselector 2, packetlifetime 6, serviceid8msb 8, "
        "independenceselector 2, gidscope 6, sgidcount 8, dgidcount 8, serviceid56lsb 56"),
    "multi_path_gid": ("infiniband.multipathrecord.gid",
        "infiniband.multipathrecord.sdgid 128a"),
    "mc_member_record": ("infiniband.mcmemberrecord",
        "mgid 128a, portgid 128a, q_key 32, mlid 16, mtuselector 2, mtu 6, tclass 8, p_key 16, rateselector 2, rate 6, "
        "packetlifetimeselector 2, packetlifetime 6, sl 4, flowlabel 20, hoplimit 8, scope 4, joinstate 4, proxyjoin 1, - 7, - "
        "16"),
    "trace_record": ("infiniband.tracerecord",
        "gidprefix 64, idgeneration 16, - 8, nodetype 8, nodeid 64, chassisid 64, entryportid 64, exitportid 64, entryport 8, "
        "exitport 8"),
    "service_association_record": ("infiniband.serviceassociationrecord",
        "servicekey 128b, servicename 512t"),
    "port_counters": ("infiniband.portcounters",
        "- 8, portselect 8, counterselect 16, symbolerrorcounter 16, linkerrorrecoverycounter 8, linkdownedcounter 8, "
        "portrcverrors 16, portrcvremotephysicalerrors 16, portrcvswitchrelayerrors 16, portxmitdiscards 16, "
        "portxmitconstrainterrors 8, portrcvconstrainterrors 8, counterselect2 8, locallinkintegrityerrors 4, "
        "excessivebufferoverrunerrors 4, qp1dropped 16, vl15dropped 16, portxmitdata 32, portrcvdata 32, portxmitpkts 32, "
        "portrcvpkts 32, portxmitwait 32"),
    "port_counters_extended": ("infiniband.portcounters_ext",
        "- 8, portselect 8, counterselect 16, counterselect2 32, portxmitdata 64, portrcvdata 64, portxmitpkts 64, portrcvpkts "
        "64, portunicastxmitpkts 64, portunicastrcvpkts 64, portmulticastxmitpkts 64, portmulticastrcvpkts 64, "
        "symbolerrorcounter 64, linkerrorrecoverycounter 64, linkdownedcounter 64, portrcverrors 64, "
        "portrcvremotephysicalerrors 64, portrcvswitchrelayerrors 64, portxmitdiscards 64, portxmitconstrainterrors 64, "
        "portrcvconstrainterrors 64, locallinkintegrityerrors 64, excessivebufferoverrunerrors 64, vl15dropped 64, portxmitwait "
        "64, qp1dropped 64"),
    "port_rcv_error_details": ("infiniband.portrcverrordetails",
        "- 8, portselect 8, counterselect 16, portlocalphysicalerrors 16, portmalformedpacketerrors 16, portbufferoverrunerrors "
        "16, portdlidmappingerrors 16, portvlmappingerrors 16, portloopingerrors 16"),
    "port_xmit_discard_details": ("infiniband.portxmitdiscarddetails",
        "- 8, portselect 8, counterselect 16, portinactivediscards 16, portneighbormtudiscards 16, portswlifetimelimitdiscards "
        "16, portswhoqlifetimelimitdiscards 16"),
    "port_data_sl": ("infiniband.portdatasl",
        "- 8, portselect 8, counterselect 16"),
    "port_xmit_data_sl": ("infiniband.portxmitdatasl",
        "data 32"),
    "port_rcv_data_sl": ("infiniband.portrcvdatasl",
        "data 32"),
    "port_samples_control": ("infiniband.portsamplescontrol",
        "opcode 8, portselect 8, tick 8, - 5, counterwidth 3, - 2, countermask0 3, countermasks1to9 27, - 1, countermasks10to14 "
        "15, samplemechanisms 8, - 6, samplestatus 2, optionmask 64, vendormask 64, samplestart 32, sampleinterval 32, tag 16, "
        "counterselects 240b, - 32, samplesonlyoptionmask 64"),
    "port_samples_result": ("infiniband.portsamplesresult",
        "tag 16, - 14, samplestatus 2"),
    "port_sample_counter": ("infiniband.portsamplesresult.counters",
        "infiniband.portsamplesresult.counter 32"),
    "congestion_control": ("infiniband.cc",
        "cc_key 64, log_data 256b"),
    "congestion_info": ("infiniband.cc.congestioninfo",
        "congestioninfo 16, controltablecap 8, - 8"),
    "congestion_key_info": ("infiniband.cc.congestionkeyinfo",
        "cc_key 64, cc_keyprotectbit 1, - 15, cc_keyleaseperiod 16, cc_keyviolations 16"),
    "congestion_log_switch": ("infiniband.cc.log.switch",
        "infiniband.cc.log.logtype 8, infiniband.cc.log.congestionflags 8, infiniband.cc.log.logeventscounter 16, "
        "infiniband.cc.log.currenttimestamp 32, infiniband.cc.log.portmap 256b"),
    "congestion_event_switch": ("infiniband.cc.log.switch.event",
        "slid 16, dlid 16, sl 4, - 28, timestamp 32"),
    "congestion_log_ca": ("infiniband.cc.log.ca",
        "infiniband.cc.log.logtype 8, infiniband.cc.log.congestionflags 8, infiniband.cc.log.thresholdeventcounter 16, "
        "infiniband.cc.log.thresholdcongestioneventmap 16, - 16, infiniband.cc.log.currenttimestamp 32"),
    "congestion_event_ca": ("infiniband.cc.log.ca.event",
        "localqp 24, sl 4, servicetype 4, remoteqp 24, - 8, locallid 16, remotelid 16, timestamp 32"),
    "switch_congestion_setting": ("infiniband.cc.switchsetting",
        "controlmap 32, victimmask 256b, creditmask 256b, threshold 4, - 4, packetsize 8, csthreshold 4, - 12, csreturndelay "
        "16, markingrate 16"),
    "switch_port_congestion_setting": ("infiniband.cc.switchportsetting",
        "valid 1, controltype 1, - 2, threshold 4, packetsize 8, markingrate 16"),
    "ca_congestion_setting": ("infiniband.cc.casetting",
        "portcontrol 16, controlmap 16"),
    "ca_congestion_entry": ("infiniband.cc.casetting.entry",
        "cctitimer 16, cctiincrease 8, triggerthreshold 8, cctimin 8, - 24"),
    "congestion_control_table": ("infiniband.cc.table",
        "cctilimit 16, - 16"),
    "congestion_table_entry": ("infiniband.cc.table.entry",
        "shift 2, multiplier 14"),
    "congestion_time_stamp": ("infiniband.cc.timestamp",
        "value 32"),
    "io_unit_info": ("infiniband.dm.iounitinfo",
        "changeid 16, maxcontrollers 8, - 6, diagdeviceid 1, optionrom 1, controllerlist 1024b"),
    "io_controller_profile": ("infiniband.dm.iocontrollerprofile",
        "guid 64, vendorid 24, - 8, deviceid 32, deviceversion 16, - 16, subsystemvendorid 24, - 8, subsystemid 32, ioclass 16, "
        "iosubclass 16, protocol 16, protocolversion 16, - 32, sendmessagedepth 16, - 8, rdmareaddepth 8, sendmessagesize 32, "
        "rdmatransfersize 32, controlleroperations 8, - 8, serviceentries 8, - 64, - 8, idstring 512t"),
    "service_entry": ("infiniband.dm.serviceentry",
        "servicename 320t, serviceid 64"),
}
