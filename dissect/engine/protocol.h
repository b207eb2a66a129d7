/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocol descriptions, as each protocol's file provides them, and lookups in the registry of all protocols.
 */
#ifndef DISSECT_ENGINE_PROTOCOL_H
#define DISSECT_ENGINE_PROTOCOL_H

#include <rdmatap/visitor.h>

#include "dissect/engine/cursor.h"
#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"

/* All protocols, one line each. X(identifier, object in the protocol's file) */
#define PROTOCOLS(X) \
	X(FRAME, frame_protocol) \
	X(PPI, ppi_protocol) \
	X(NFLOG, nflog_protocol) \
	X(ERF, erf_protocol) \
	X(COOKED, cooked_protocol) \
	X(COOKED2, cooked2_protocol) \
	X(LOOPBACK, loopback_protocol) \
	X(ETHERNET, ethernet_protocol) \
	X(SERVICE_VLAN, service_vlan_protocol) \
	X(VLAN, vlan_protocol) \
	X(SERVICE_INSTANCE, service_instance_protocol) \
	X(VNTAG, vntag_protocol) \
	X(ETAG, etag_protocol) \
	X(HSR, hsr_protocol) \
	X(MACSEC, macsec_protocol) \
	X(LLC, llc_protocol) \
	X(SNAP, snap_protocol) \
	X(PPPOE, pppoe_protocol) \
	X(PPP, ppp_protocol) \
	X(TRILL, trill_protocol) \
	X(NSH, nsh_protocol) \
	X(MPLS, mpls_protocol) \
	X(PSEUDOWIRE_WORD, pseudowire_word_protocol) \
	X(IPOIB_LINK, ipoib_link_protocol) \
	X(IPOIB, ipoib_protocol) \
	X(EOIB, eoib_protocol) \
	X(ARP, arp_protocol) \
	X(MAC_CONTROL, mac_control_protocol) \
	X(PAUSE, pause_protocol) \
	X(PFC, pfc_protocol) \
	X(IPV4, ipv4_protocol) \
	X(IPV6, ipv6_protocol) \
	X(HOP_OPTIONS, hop_options_protocol) \
	X(ROUTING, routing_protocol) \
	X(FRAGMENT, fragment_protocol) \
	X(DESTINATION_OPTIONS, destination_options_protocol) \
	X(AUTHENTICATION, authentication_protocol) \
	X(ICMP, icmp_protocol) \
	X(ICMPV6, icmpv6_protocol) \
	X(IGMP, igmp_protocol) \
	X(GRE, gre_protocol) \
	X(ERSPAN2, erspan2_protocol) \
	X(ERSPAN3, erspan3_protocol) \
	X(TCP, tcp_protocol) \
	X(UDP, udp_protocol) \
	X(ETHERIP, etherip_protocol) \
	X(VXLAN, vxlan_protocol) \
	X(VXLAN_GPE, vxlan_gpe_protocol) \
	X(GENEVE, geneve_protocol) \
	X(GTP, gtp_protocol) \
	X(LISP, lisp_protocol) \
	X(LRH, lrh_protocol) \
	X(RWH, rwh_protocol) \
	X(GRH, grh_protocol) \
	X(BTH, bth_protocol) \
	X(RDETH, rdeth_protocol) \
	X(DETH, deth_protocol) \
	X(XRCETH, xrceth_protocol) \
	X(FETH, feth_protocol) \
	X(RETH, reth_protocol) \
	X(ATOMICETH, atomiceth_protocol) \
	X(AETH, aeth_protocol) \
	X(ATOMICACKETH, atomicacketh_protocol) \
	X(IMMDT, immdt_protocol) \
	X(IETH, ieth_protocol) \
	X(CNP_PAYLOAD, cnp_payload_protocol) \
	X(ICRC, icrc_protocol) \
	X(VCRC, vcrc_protocol) \
	X(MAD, mad_protocol) \
	X(SMP_LID, smp_lid_protocol) \
	X(SMP_DIRECTED, smp_directed_protocol) \
	X(RMPP, rmpp_protocol) \
	X(SA, sa_protocol) \
	X(MAD_PERFORMANCE, mad_performance_protocol) \
	X(MAD_DEVICE, mad_device_protocol) \
	X(MAD_BASEBOARD, mad_baseboard_protocol) \
	X(MAD_SNMP, mad_snmp_protocol) \
	X(MAD_VENDOR, mad_vendor_protocol) \
	X(NODE_DESCRIPTION, node_description_protocol) \
	X(NODE_INFO, node_info_protocol) \
	X(SWITCH_INFO, switch_info_protocol) \
	X(GUID_INFO, guid_info_protocol) \
	X(PORT_INFO, port_info_protocol) \
	X(SM_INFO, sm_info_protocol) \
	X(P_KEY_TABLE, p_key_table_protocol) \
	X(P_KEY, p_key_protocol) \
	X(SL_TO_VL, sl_to_vl_protocol) \
	X(VL_ARBITRATION, vl_arbitration_protocol) \
	X(LINEAR_FORWARDING, linear_forwarding_protocol) \
	X(RANDOM_FORWARDING, random_forwarding_protocol) \
	X(MULTICAST_FORWARDING, multicast_forwarding_protocol) \
	X(LINK_SPEED_WIDTH, link_speed_width_protocol) \
	X(VENDOR_DIAG, vendor_diag_protocol) \
	X(LED_INFO, led_info_protocol) \
	X(CABLE_INFO, cable_info_protocol) \
	X(MLNX_EXT_PORT_INFO, mlnx_ext_port_info_protocol) \
	X(CLASS_PORT_INFO, class_port_info_protocol) \
	X(NOTICE, notice_protocol) \
	X(NOTICE_ISSUER, notice_issuer_protocol) \
	X(INFORM_INFO, inform_info_protocol) \
	X(TRAP_GID, trap_gid_protocol) \
	X(TRAP_PATH, trap_path_protocol) \
	X(TRAP_SWITCH, trap_switch_protocol) \
	X(TRAP_PORT, trap_port_protocol) \
	X(TRAP_CHANGE, trap_change_protocol) \
	X(TRAP_IMAGE, trap_image_protocol) \
	X(TRAP_M_KEY, trap_m_key_protocol) \
	X(TRAP_KEYS, trap_keys_protocol) \
	X(TRAP_SWITCH_KEY, trap_switch_key_protocol) \
	X(NODE_RECORD, node_record_protocol) \
	X(PORT_INFO_RECORD, port_info_record_protocol) \
	X(SL_TO_VL_RECORD, sl_to_vl_record_protocol) \
	X(SWITCH_INFO_RECORD, switch_info_record_protocol) \
	X(FORWARDING_RECORD, forwarding_record_protocol) \
	X(MULTICAST_FORWARDING_RECORD, multicast_forwarding_record_protocol) \
	X(VL_ARBITRATION_RECORD, vl_arbitration_record_protocol) \
	X(SM_INFO_RECORD, sm_info_record_protocol) \
	X(P_KEY_TABLE_RECORD, p_key_table_record_protocol) \
	X(INFORM_INFO_RECORD, inform_info_record_protocol) \
	X(GUID_INFO_RECORD, guid_info_record_protocol) \
	X(LINK_RECORD, link_record_protocol) \
	X(SERVICE_RECORD, service_record_protocol) \
	X(PATH_RECORD, path_record_protocol) \
	X(MULTI_PATH_RECORD, multi_path_record_protocol) \
	X(MULTI_PATH_GID, multi_path_gid_protocol) \
	X(MC_MEMBER_RECORD, mc_member_record_protocol) \
	X(TRACE_RECORD, trace_record_protocol) \
	X(SERVICE_ASSOCIATION_RECORD, service_association_record_protocol) \
	X(PORT_COUNTERS, port_counters_protocol) \
	X(PORT_COUNTERS_EXTENDED, port_counters_extended_protocol) \
	X(PORT_RCV_ERROR_DETAILS, port_rcv_error_details_protocol) \
	X(PORT_XMIT_DISCARD_DETAILS, port_xmit_discard_details_protocol) \
	X(PORT_DATA_SL, port_data_sl_protocol) \
	X(PORT_XMIT_DATA_SL, port_xmit_data_sl_protocol) \
	X(PORT_RCV_DATA_SL, port_rcv_data_sl_protocol) \
	X(PORT_SAMPLES_CONTROL, port_samples_control_protocol) \
	X(PORT_SAMPLES_RESULT, port_samples_result_protocol) \
	X(PORT_SAMPLE_COUNTER, port_sample_counter_protocol) \
	X(CONGESTION_CONTROL, congestion_control_protocol) \
	X(CONGESTION_INFO, congestion_info_protocol) \
	X(CONGESTION_KEY_INFO, congestion_key_info_protocol) \
	X(CONGESTION_LOG_SWITCH, congestion_log_switch_protocol) \
	X(CONGESTION_EVENT_SWITCH, congestion_event_switch_protocol) \
	X(CONGESTION_LOG_CA, congestion_log_ca_protocol) \
	X(CONGESTION_EVENT_CA, congestion_event_ca_protocol) \
	X(SWITCH_CONGESTION_SETTING, switch_congestion_setting_protocol) \
	X(SWITCH_PORT_CONGESTION_SETTING, switch_port_congestion_setting_protocol) \
	X(CA_CONGESTION_SETTING, ca_congestion_setting_protocol) \
	X(CA_CONGESTION_ENTRY, ca_congestion_entry_protocol) \
	X(CONGESTION_CONTROL_TABLE, congestion_control_table_protocol) \
	X(CONGESTION_TABLE_ENTRY, congestion_table_entry_protocol) \
	X(CONGESTION_TIME_STAMP, congestion_time_stamp_protocol) \
	X(IO_UNIT_INFO, io_unit_info_protocol) \
	X(IO_CONTROLLER_PROFILE, io_controller_profile_protocol) \
	X(SERVICE_ENTRY, service_entry_protocol) \
	X(CM_REQ, cm_req_protocol) \
	X(CM_MRA, cm_mra_protocol) \
	X(CM_REJ, cm_rej_protocol) \
	X(CM_REP, cm_rep_protocol) \
	X(CM_RTU, cm_rtu_protocol) \
	X(CM_DREQ, cm_dreq_protocol) \
	X(CM_DREP, cm_drep_protocol) \
	X(CM_SIDR_REQ, cm_sidr_req_protocol) \
	X(CM_SIDR_REP, cm_sidr_rep_protocol) \
	X(CM_LAP, cm_lap_protocol) \
	X(CM_APR, cm_apr_protocol) \
	X(IP_CM, ip_cm_protocol) \
	X(RPCRDMA_PRIVATE, rpcrdma_private_protocol) \
	X(NVME_PRIVATE, nvme_private_protocol) \
	X(NVME_ACCEPT, nvme_accept_protocol) \
	X(NVME_REJECT, nvme_reject_protocol) \
	X(ISER_PRIVATE, iser_private_protocol) \
	X(SRP_LOGIN, srp_login_protocol) \
	X(SRP_LOGIN_RDMA_CM, srp_login_rdma_cm_protocol) \
	X(SRP_LOGIN_RESPONSE, srp_login_response_protocol) \
	X(SRP_LOGIN_REJECT, srp_login_reject_protocol) \
	X(RTRS_CONN_REQ, rtrs_conn_req_protocol) \
	X(RTRS_CONN_RSP, rtrs_conn_rsp_protocol) \
	X(RDS_PRIVATE, rds_private_protocol) \
	X(RDS_PRIVATE_IPV6, rds_private_ipv6_protocol) \
	X(RDS_REJECT, rds_reject_protocol) \
	X(MPA_REQUEST, mpa_request_protocol) \
	X(MPA_REPLY, mpa_reply_protocol) \
	X(MPA_FPDU, mpa_fpdu_protocol) \
	X(DDP, ddp_protocol) \
	X(RDMAP, rdmap_protocol) \
	X(RPCRDMA, rpcrdma_protocol) \
	X(RPC, rpc_protocol) \
	X(NFS, nfs_protocol) \
	X(NFSACL, nfsacl_protocol) \
	X(MOUNT, mount_protocol) \
	X(NLM, nlm_protocol) \
	X(NSM, nsm_protocol) \
	X(PORTMAP, portmap_protocol) \
	X(NVME_COMMAND, nvme_command_protocol) \
	X(NVME_FABRICS, nvme_fabrics_protocol) \
	X(NVME_RESPONSE, nvme_response_protocol) \
	X(NVME_DWORDS, nvme_dwords_protocol) \
	X(NVME_BLOCKS, nvme_blocks_protocol) \
	X(NVME_DATASET, nvme_dataset_protocol) \
	X(NVME_COPY, nvme_copy_protocol) \
	X(NVME_RESERVATION, nvme_reservation_protocol) \
	X(NVME_RESERVATION_REPORT, nvme_report_protocol) \
	X(NVME_ZONE, nvme_zone_protocol) \
	X(NVME_IDENTIFY, nvme_identify_protocol) \
	X(NVME_LOG_PAGE, nvme_log_page_protocol) \
	X(NVME_SET_FEATURES, nvme_set_features_protocol) \
	X(NVME_GET_FEATURES, nvme_get_features_protocol) \
	X(NVME_ABORT, nvme_abort_protocol) \
	X(NVME_CONNECT_PART, nvme_connect_protocol) \
	X(NVME_CONNECT_DATA, nvme_connect_data_protocol) \
	X(NVME_PROPERTY, nvme_property_protocol) \
	X(NVME_AUTHENTICATION, nvme_authentication_protocol) \
	X(NVME_DISCONNECT_PART, nvme_disconnect_protocol) \
	X(NVME_AUTH, nvme_auth_protocol) \
	X(NVME_AUTH_NEGOTIATE, nvme_auth_negotiate_protocol) \
	X(NVME_AUTH_DESCRIPTORS, nvme_auth_descriptors_protocol) \
	X(NVME_AUTH_CHALLENGE, nvme_auth_challenge_protocol) \
	X(NVME_AUTH_REPLY, nvme_auth_reply_protocol) \
	X(NVME_AUTH_SUCCESS1, nvme_auth_success1_protocol) \
	X(NVME_AUTH_SUCCESS2, nvme_auth_success2_protocol) \
	X(NVME_AUTH_FAILURE, nvme_auth_failure_protocol) \
	X(NVME_CONTROLLER, nvme_controller_protocol) \
	X(NVME_POWER_STATES, nvme_power_states_protocol) \
	X(NVME_NAMESPACE, nvme_namespace_protocol) \
	X(NVME_LBA_FORMATS, nvme_lba_formats_protocol) \
	X(NVME_NAMESPACE_LIST, nvme_namespace_list_protocol) \
	X(NVME_NAMESPACE_DESCRIPTORS, nvme_namespace_descriptors_protocol) \
	X(NVME_CONTROLLER_NVM, nvme_controller_nvm_protocol) \
	X(NVME_CONTROLLER_LIST, nvme_controller_list_protocol) \
	X(NVME_NVM_SET_LIST, nvme_nvm_set_list_protocol) \
	X(NVME_NVM_SETS, nvme_nvm_sets_protocol) \
	X(NVME_SECONDARY_LIST, nvme_secondary_list_protocol) \
	X(NVME_SECONDARY_CONTROLLERS, nvme_secondary_controllers_protocol) \
	X(NVME_GRANULARITY_LIST, nvme_granularity_list_protocol) \
	X(NVME_GRANULARITIES, nvme_granularities_protocol) \
	X(NVME_UUID_LIST, nvme_uuid_list_protocol) \
	X(NVME_UUIDS, nvme_uuids_protocol) \
	X(NVME_DOMAIN_LIST, nvme_domain_list_protocol) \
	X(NVME_DOMAINS, nvme_domains_protocol) \
	X(NVME_ENDURANCE_LIST, nvme_endurance_list_protocol) \
	X(NVME_ENDURANCE_IDENTIFIERS, nvme_endurance_identifiers_protocol) \
	X(NVME_COMMAND_SETS, nvme_command_sets_protocol) \
	X(NVME_PRIMARY, nvme_primary_protocol) \
	X(NVME_INDEPENDENT, nvme_independent_protocol) \
	X(NVME_NAMESPACE_NVM, nvme_namespace_nvm_protocol) \
	X(NVME_EXTENDED_FORMATS, nvme_extended_formats_protocol) \
	X(NVME_NAMESPACE_ZNS, nvme_namespace_zns_protocol) \
	X(NVME_ZONE_FORMATS, nvme_zone_formats_protocol) \
	X(NVME_CONTROLLER_ZNS, nvme_controller_zns_protocol) \
	X(NVME_MEDIA_UNIT_LOG, nvme_media_unit_log_protocol) \
	X(NVME_MEDIA_UNITS, nvme_media_units_protocol) \
	X(NVME_CAPACITY_LOG, nvme_capacity_log_protocol) \
	X(NVME_CAPACITY_CONFIGURATIONS, nvme_capacity_configurations_protocol) \
	X(NVME_LOCKDOWN_LOG, nvme_lockdown_log_protocol) \
	X(NVME_ERROR_LOG, nvme_error_log_protocol) \
	X(NVME_SMART_LOG, nvme_smart_log_protocol) \
	X(NVME_FIRMWARE_LOG, nvme_firmware_log_protocol) \
	X(NVME_CHANGED_NAMESPACES, nvme_changed_namespaces_protocol) \
	X(NVME_COMMAND_EFFECTS, nvme_command_effects_protocol) \
	X(NVME_ANA_LOG, nvme_ana_log_protocol) \
	X(NVME_ANA_GROUPS, nvme_ana_groups_protocol) \
	X(NVME_DISCOVERY_LOG, nvme_discovery_log_protocol) \
	X(NVME_DISCOVERY_ENTRIES, nvme_discovery_entries_protocol) \
	X(NVME_RESERVATION_LOG, nvme_reservation_log_protocol) \
	X(NVME_SUPPORTED_PAGES, nvme_supported_pages_protocol) \
	X(NVME_TEST_LOG, nvme_test_log_protocol) \
	X(NVME_TEST_RESULTS, nvme_test_results_protocol) \
	X(NVME_TELEMETRY_LOG, nvme_telemetry_log_protocol) \
	X(NVME_ENDURANCE_LOG, nvme_endurance_log_protocol) \
	X(NVME_LATENCY_LOG, nvme_latency_log_protocol) \
	X(NVME_LATENCY_EVENTS, nvme_latency_events_protocol) \
	X(NVME_LATENCY_SETS, nvme_latency_sets_protocol) \
	X(NVME_PERSISTENT_LOG, nvme_persistent_log_protocol) \
	X(NVME_PERSISTENT_EVENTS, nvme_persistent_events_protocol) \
	X(NVME_LBA_STATUS_LOG, nvme_lba_status_log_protocol) \
	X(NVME_LBA_STATUS_ELEMENTS, nvme_lba_status_elements_protocol) \
	X(NVME_ENDURANCE_EVENTS, nvme_endurance_events_protocol) \
	X(NVME_ENDURANCE_GROUPS, nvme_endurance_groups_protocol) \
	X(NVME_FEATURE_EFFECTS, nvme_feature_effects_protocol) \
	X(NVME_MI_EFFECTS, nvme_mi_effects_protocol) \
	X(NVME_BOOT_LOG, nvme_boot_log_protocol) \
	X(NVME_ROTATIONAL_LOG, nvme_rotational_log_protocol) \
	X(NVME_SANITIZE_LOG, nvme_sanitize_log_protocol) \
	X(NVME_CHANGED_ZONES, nvme_changed_zones_protocol) \
	X(NVME_LATENCY_CONFIG, nvme_latency_config_protocol) \
	X(NVME_LBA_RANGES, nvme_lba_ranges_protocol) \
	X(NVME_POWER_TRANSITIONS, nvme_power_transitions_protocol) \
	X(NVME_TIMESTAMP, nvme_timestamp_protocol) \
	X(NVME_HOST_BEHAVIOR, nvme_host_behavior_protocol) \
	X(NVME_HOST_IDENTIFIER, nvme_host_identifier_protocol) \
	X(NVME_RANGES, nvme_ranges_protocol) \
	X(NVME_SGL_LIST, nvme_sgl_list_protocol) \
	X(NVME_COPY_RANGES, nvme_copy_ranges_protocol) \
	X(NVME_COPY_RANGES_1, nvme_copy_ranges_1_protocol) \
	X(NVME_COPY_RANGES_2, nvme_copy_ranges_2_protocol) \
	X(NVME_COPY_RANGES_3, nvme_copy_ranges_3_protocol) \
	X(NVME_RESERVATION_KEYS, nvme_reservation_keys_protocol) \
	X(NVME_RESERVATION_STATUS, nvme_reservation_status_protocol) \
	X(NVME_REGISTRANTS, nvme_registrants_protocol) \
	X(SRP_COMMAND, srp_command_protocol) \
	X(SRP_RESPONSE, srp_response_protocol) \
	X(SRP_UNIT, srp_unit_protocol) \
	X(SRP_TASK, srp_task_protocol) \
	X(SRP_CREDIT, srp_credit_protocol) \
	X(SRP_EVENT, srp_event_protocol) \
	X(SRP_BUFFERS, srp_buffers_protocol) \
	X(SRP_TARGET_LOGOUT, srp_target_logout_protocol) \
	X(ISER, iser_protocol) \
	X(ISER_HELLO, iser_hello_protocol) \
	X(ISER_HELLO_REPLY, iser_hello_reply_protocol) \
	X(ISCSI, iscsi_protocol) \
	X(ISCSI_AHS, iscsi_ahs_protocol) \
	X(ISCSI_TEXT, iscsi_text_protocol) \
	X(ISCSI_REJECTED, iscsi_rejected_protocol) \
	X(SCSI_CDB, scsi_cdb_protocol) \
	X(SCSI_SENSE, scsi_sense_protocol) \
	X(SCSI_INQUIRY, scsi_inquiry_protocol) \
	X(SCSI_VPD, scsi_vpd_protocol) \
	X(SCSI_VPD_PAGES, scsi_vpd_pages_protocol) \
	X(SCSI_SERIAL, scsi_serial_protocol) \
	X(SCSI_DESIGNATORS, scsi_designators_protocol) \
	X(SCSI_BLOCK_LIMITS, scsi_block_limits_protocol) \
	X(SCSI_BLOCK_DEVICE, scsi_block_device_protocol) \
	X(SCSI_PROVISIONING, scsi_provisioning_protocol) \
	X(SCSI_LUN_LIST, scsi_lun_list_protocol) \
	X(SCSI_LUNS, scsi_luns_protocol) \
	X(SCSI_CAPACITY_10, scsi_capacity_10_protocol) \
	X(SCSI_CAPACITY_16, scsi_capacity_16_protocol) \
	X(SCSI_MODE_6, scsi_mode_6_protocol) \
	X(SCSI_MODE_10, scsi_mode_10_protocol) \
	X(SCSI_BLOCK_DESCRIPTORS, scsi_block_descriptors_protocol) \
	X(SCSI_MODE_PAGES, scsi_mode_pages_protocol) \
	X(SCSI_LOG, scsi_log_protocol) \
	X(SCSI_LOG_PARAMETERS, scsi_log_parameters_protocol) \
	X(SCSI_RESERVATION_KEYS, scsi_reservation_keys_protocol) \
	X(SCSI_KEYS, scsi_keys_protocol) \
	X(SCSI_RESERVATION, scsi_reservation_protocol) \
	X(SCSI_RESERVATION_CAPABILITIES, scsi_reservation_capabilities_protocol) \
	X(SCSI_RESERVATION_OUT, scsi_reservation_out_protocol) \
	X(SCSI_UNMAP_LIST, scsi_unmap_protocol) \
	X(SCSI_UNMAP_DESCRIPTORS, scsi_unmap_descriptors_protocol) \
	X(RDS, rds_protocol) \
	X(RDS_MAP, rds_map_protocol) \
	X(SMB_DIRECT_REQUEST, smb_direct_request_protocol) \
	X(SMB_DIRECT_RESPONSE, smb_direct_response_protocol) \
	X(SMB_DIRECT, smb_direct_protocol) \
	X(SMB2_TRANSFORM, smb2_transform_protocol) \
	X(SMB2_COMPRESSION, smb2_compression_protocol) \
	X(SMB2, smb2_protocol) \
	X(SMB2_NEGOTIATE_REQUEST, smb2_negotiate_request_protocol) \
	X(SMB2_NEGOTIATE_RESPONSE, smb2_negotiate_response_protocol) \
	X(SMB2_SESSION_REQUEST, smb2_session_request_protocol) \
	X(SMB2_SESSION_RESPONSE, smb2_session_response_protocol) \
	X(SMB2_EMPTY, smb2_empty_protocol) \
	X(SMB2_TREE_REQUEST, smb2_tree_request_protocol) \
	X(SMB2_TREE_RESPONSE, smb2_tree_response_protocol) \
	X(SMB2_CREATE_REQUEST, smb2_create_request_protocol) \
	X(SMB2_CREATE_RESPONSE, smb2_create_response_protocol) \
	X(SMB2_CLOSE_REQUEST, smb2_close_request_protocol) \
	X(SMB2_CLOSE_RESPONSE, smb2_close_response_protocol) \
	X(SMB2_FLUSH_REQUEST, smb2_flush_request_protocol) \
	X(SMB2_READ_REQUEST, smb2_read_request_protocol) \
	X(SMB2_READ_RESPONSE, smb2_read_response_protocol) \
	X(SMB2_WRITE_REQUEST, smb2_write_request_protocol) \
	X(SMB2_WRITE_RESPONSE, smb2_write_response_protocol) \
	X(SMB2_LOCK_REQUEST, smb2_lock_request_protocol) \
	X(SMB2_IOCTL_REQUEST, smb2_ioctl_request_protocol) \
	X(SMB2_IOCTL_RESPONSE, smb2_ioctl_response_protocol) \
	X(SMB2_DIRECTORY_REQUEST, smb2_directory_request_protocol) \
	X(SMB2_OUTPUT_RESPONSE, smb2_output_response_protocol) \
	X(SMB2_NOTIFY_REQUEST, smb2_notify_request_protocol) \
	X(SMB2_NOTIFY_RESPONSE, smb2_notify_response_protocol) \
	X(SMB2_QUERY_REQUEST, smb2_query_request_protocol) \
	X(SMB2_SET_REQUEST, smb2_set_request_protocol) \
	X(SMB2_SET_RESPONSE, smb2_set_response_protocol) \
	X(SMB2_OPLOCK_BREAK, smb2_oplock_break_protocol) \
	X(SMB2_LEASE_BREAK, smb2_lease_break_protocol) \
	X(SMB2_LEASE_ACKNOWLEDGE, smb2_lease_acknowledge_protocol) \
	X(SMB2_FIND_DIRECTORY, smb2_find_directory_protocol) \
	X(SMB2_FIND_FULL, smb2_find_full_protocol) \
	X(SMB2_FIND_ID_FULL, smb2_find_id_full_protocol) \
	X(SMB2_FIND_BOTH, smb2_find_both_protocol) \
	X(SMB2_FIND_ID_BOTH, smb2_find_id_both_protocol) \
	X(SMB2_FIND_NAMES, smb2_find_names_protocol) \
	X(SMB2_FIND_ID_EXTD, smb2_find_id_extd_protocol) \
	X(SMB2_FILE_BASIC, smb2_file_basic_protocol) \
	X(SMB2_FILE_STANDARD, smb2_file_standard_protocol) \
	X(SMB2_FILE_INTERNAL, smb2_file_internal_protocol) \
	X(SMB2_FILE_EA, smb2_file_ea_protocol) \
	X(SMB2_FILE_ACCESS, smb2_file_access_protocol) \
	X(SMB2_FILE_POSITION, smb2_file_position_protocol) \
	X(SMB2_FILE_MODE, smb2_file_mode_protocol) \
	X(SMB2_FILE_ALIGNMENT, smb2_file_alignment_protocol) \
	X(SMB2_FILE_NAME, smb2_file_name_protocol) \
	X(SMB2_FILE_RENAME, smb2_file_rename_protocol) \
	X(SMB2_FILE_RENAME_EX, smb2_file_rename_ex_protocol) \
	X(SMB2_FILE_DISPOSITION_EX, smb2_file_disposition_ex_protocol) \
	X(SMB2_FILE_DISPOSITION, smb2_file_disposition_protocol) \
	X(SMB2_FILE_ALLOCATION, smb2_file_allocation_protocol) \
	X(SMB2_FILE_EOF, smb2_file_eof_protocol) \
	X(SMB2_FILE_COMPRESSION, smb2_file_compression_protocol) \
	X(SMB2_FILE_NETWORK_OPEN, smb2_file_network_open_protocol) \
	X(SMB2_FILE_ATTRIBUTE_TAG, smb2_file_attribute_tag_protocol) \
	X(SMB2_FILE_ID, smb2_file_id_protocol) \
	X(SMB2_FILE_STREAM, smb2_file_stream_protocol) \
	X(SMB2_FILE_FULL_EA, smb2_file_full_ea_protocol) \
	X(SMB2_FS_VOLUME, smb2_fs_volume_protocol) \
	X(SMB2_FS_SIZE, smb2_fs_size_protocol) \
	X(SMB2_FS_FULL_SIZE, smb2_fs_full_size_protocol) \
	X(SMB2_FS_DEVICE, smb2_fs_device_protocol) \
	X(SMB2_FS_ATTRIBUTE, smb2_fs_attribute_protocol) \
	X(SMB2_FS_OBJECT_ID, smb2_fs_object_id_protocol) \
	X(SMB2_FS_SECTOR_SIZE, smb2_fs_sector_size_protocol) \
	X(SMB2_ERROR, smb2_error_protocol) \
	X(NCCL_CTS_S4K1, nccl_S4K1_protocol) \
	X(NCCL_CTS_S4K2, nccl_S4K2_protocol) \
	X(NCCL_CTS_S4K4, nccl_S4K4_protocol) \
	X(NCCL_CTS_S8K1, nccl_S8K1_protocol) \
	X(NCCL_CTS_S8K2, nccl_S8K2_protocol) \
	X(NCCL_CTS_S8K4, nccl_S8K4_protocol) \
	X(NCCL_DATA, nccl_data_protocol) \
	X(RTRS_IMM_REQUEST, rtrs_imm_request_protocol) \
	X(RTRS_IMM_RESPONSE, rtrs_imm_response_protocol) \
	X(RTRS_IMM_HEARTBEAT, rtrs_imm_heartbeat_protocol) \
	X(RTRS_INFO_REQ, rtrs_info_req_protocol) \
	X(RTRS_INFO_RSP, rtrs_info_rsp_protocol) \
	X(RTRS_RKEY_RSP, rtrs_rkey_rsp_protocol) \
	X(RTRS_WRITE, rtrs_write_protocol) \
	X(RTRS_READ, rtrs_read_protocol) \
	X(RTRS_DESC, rtrs_desc_protocol) \
	X(RNBD_SESS_INFO, rnbd_sess_info_protocol) \
	X(RNBD_OPEN, rnbd_open_protocol) \
	X(RNBD_OPEN_RSP, rnbd_open_rsp_protocol) \
	X(RNBD_IO, rnbd_io_protocol) \
	X(RNBD_CLOSE, rnbd_close_protocol) \
	X(LNET, lnet_protocol) \
	X(LNET_BE, lnet_be_protocol) \
	X(LNET_CONNECT, lnet_connect_protocol) \
	X(LNET_CONNECT_BE, lnet_connect_be_protocol) \
	X(LNET_REJECT, lnet_reject_protocol) \
	X(LNET_REJECT_BE, lnet_reject_be_protocol) \
	X(LNET_PARAMETERS, lnet_parameters_protocol) \
	X(LNET_PARAMETERS_BE, lnet_parameters_be_protocol) \
	X(LNET_HEADER, lnet_header_protocol) \
	X(LNET_ACK, lnet_ack_protocol) \
	X(LNET_PUT, lnet_put_protocol) \
	X(LNET_GET, lnet_get_protocol) \
	X(LNET_REPLY, lnet_reply_protocol) \
	X(LNET_HELLO, lnet_hello_protocol) \
	X(LNET_OTHER, lnet_other_protocol) \
	X(LNET_COOKIE, lnet_cookie_protocol) \
	X(LNET_PUT_ACK, lnet_put_ack_protocol) \
	X(LNET_DESCRIPTOR, lnet_descriptor_protocol) \
	X(LNET_DESCRIPTOR_BE, lnet_descriptor_be_protocol) \
	X(LNET_DONE, lnet_done_protocol) \
	X(LNET_DONE_BE, lnet_done_be_protocol) \
	X(PAYLOAD, payload_protocol) \
	X(MACSEC_ICV, macsec_icv_protocol) \
	X(PRP, prp_protocol) \
	X(TRAILER, trailer_protocol) \
	X(FLOW, flow_protocol)

enum protocol_number {
#define PROTOCOL_NUMBER(identifier, object) PROTOCOL_##identifier,
	PROTOCOLS(PROTOCOL_NUMBER)
#undef PROTOCOL_NUMBER
	PROTOCOL_COUNT,
	PROTOCOL_NONE = PROTOCOL_COUNT /* nothing follows */
};

/* The subject of a protocol's fields, with which comparisons show them. */
enum protocol_scope {
	SCOPE_PACKET,  /* each packet */
	SCOPE_MESSAGE, /* a message: the header of its transport, or management data */
	SCOPE_CALL,    /* a request or response of an upper layer, such as an RPC call */
	SCOPE_CAPTURE, /* where and how the packet was captured: link and addresses; only rows with RTAP_COMPARED are compared */
};

struct parse;
struct rpc_program;

/*
 * A protocol's description. `parse` takes its header from parse->cursor, adds the layer, stores facts, narrows the cursor
 * according to its length field and sets parse->next. `visit` is for layouts that the table alone cannot describe; it is
 * called after the table's rows with fixed positions. `summary` adds to the one-line text.
 */
struct protocol {
	struct rtap_protocol table;
	uint8_t scope; /* enum protocol_scope */
	enum result (*parse)(struct parse *parse);
	void (*visit)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);
	void (*summary)(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);
	const struct rpc_program *programs; /* list of the ONC RPC programs whose arguments and results the protocol shows, or NULL */
};

#define PROTOCOL_DECLARATION(identifier, object) extern const struct protocol object;
PROTOCOLS(PROTOCOL_DECLARATION)
#undef PROTOCOL_DECLARATION

/* For a protocol's initialiser: its field table. */
#define FIELDS(array) .fields = array, .field_count = sizeof(array) / sizeof((array)[0])

_Static_assert(PROTOCOL_COUNT < RTAP_PROTOCOL_WORDS * 64, "each has a bit in rtap_packet.protocols");

/* Registers the protocols, by number, for the lookups below; the registry calls it before main(). */
void protocol_register(const struct protocol *const all[PROTOCOL_COUNT]);

extern const struct protocol *protocols[PROTOCOL_COUNT];

static inline const struct protocol *protocol_by_number(uint16_t number)
{
	return protocols[number];
}

/* Id of each protocol's first field; the last element is the number of all fields. */
extern rtap_field_id protocol_first_ids[PROTOCOL_COUNT + 1];

/* Id of a protocol's field by its index in the table. */
static inline rtap_field_id protocol_field_id(uint16_t protocol, size_t index)
{
	return (rtap_field_id)(protocol_first_ids[protocol] + index);
}

/* Number of rows at the start of each protocol's table that have their own values; its visit() supplies the others. */
extern uint16_t protocol_row_counts[PROTOCOL_COUNT];

static inline size_t protocol_rows_with_values(uint16_t protocol)
{
	return protocol_row_counts[protocol];
}

/* Appends a layer. There must be room for it. */
static inline void packet_add_layer(struct rtap_packet *packet, uint16_t protocol, uint8_t source, uint32_t offset, uint32_t length)
{
	packet->layers[packet->layer_count++] = (struct rtap_layer){ protocol, source, false, offset, length };
	packet->protocols[protocol / 64] |= UINT64_C(1) << (protocol % 64);
}

/* The bytes of a layer. */
static inline const uint8_t *layer_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return packet->sources[layer->source].bytes + layer->offset;
}

/* The bytes of a SEND from a layer of its packet on. The source of a single packet has more bytes after its payload. */
static inline struct rtap_payload layer_rest(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_payload *payload = &packet->payload;
	uint32_t captured = packet->sources[layer->source].captured, wire = packet->sources[layer->source].wire;

	if (layer->source == payload->source) {
		captured = payload->offset + payload->captured;
		wire = payload->offset + payload->wire;
	}
	return (struct rtap_payload){ layer->source, layer->offset, captured - layer->offset, wire - layer->offset };
}

/* Whether a protocol is at the end of the frame, after the packet. */
static inline bool protocol_is_trailing(uint16_t protocol)
{
	return (protocol >= PROTOCOL_MACSEC_ICV && protocol <= PROTOCOL_TRAILER) || protocol == PROTOCOL_VCRC;
}

/* The layer after `layer`, skipping those at the end of the frame; NULL if it is the last. */
static inline const struct rtap_layer *layer_after(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;

	while (++layer < end)
		if (!protocol_is_trailing(layer->protocol))
			return layer;
	return NULL;
}

/* Whether the header of an upper layer's message follows a layer. */
static inline bool layer_has_upper(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_layer *end = packet->layers + packet->layer_count;

	while (++layer < end)
		if (protocol_by_number(layer->protocol)->scope == SCOPE_CALL || layer->protocol == PROTOCOL_RPCRDMA)
			return true;
	return false;
}

#endif
