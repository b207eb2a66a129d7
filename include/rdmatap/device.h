/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA devices of this machine and their end ports, as the kernel reports them in sysfs.
 *
 * Values are read on first use and cached until they are invalidated. A value that sysfs does not have, or that cannot be
 * parsed, is unknown: a count with `known` false, a NULL text, an absent element. It is never 0.
 */
#ifndef RDMATAP_DEVICE_H
#define RDMATAP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/source.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Node type of a device: NodeInfo:NodeType, IBTA vol. 1, 14.2.5.3; values from 4 are the kernel's own. */
enum rtap_node_type {
	RTAP_NODE_CA = 1,
	RTAP_NODE_SWITCH = 2,
	RTAP_NODE_ROUTER = 3,
	RTAP_NODE_RNIC = 4,
};

enum rtap_device_transport {
	RTAP_DEVICE_UNKNOWN,
	RTAP_DEVICE_INFINIBAND,
	RTAP_DEVICE_ROCE,
	RTAP_DEVICE_IWARP,
	RTAP_DEVICE_MIXED, /* a device whose ports differ */
};

/* A hardware counter. */
struct rtap_device_counter {
	const char *name;
	uint64_t value;
};

struct rtap_device_counters {
	const struct rtap_device_counter *counters; /* by name */
	size_t count;
};

struct rtap_device {
	const char *name;
	struct rtap_count node_type;        /* enum rtap_node_type, or another number */
	struct rtap_count node_guid, system_image_guid; /* host byte order */
	const char *node_description;
	const char *firmware;
	const char *hardware_revision;
	const char *board_id;
	const char *hca_type;
	enum rtap_device_transport transport;
	struct rtap_count numa_node;        /* also unknown if the device has no NUMA affinity */
	const char *const *netdevs;         /* network interfaces of the same hardware */
	size_t netdev_count;
	const uint8_t *port_numbers;        /* its end ports, ascending: 0 for a switch, else from 1 */
	size_t port_count;
};

/* Port states: PortInfo:PortState, IBTA vol. 1, 14.2.5.6. */
enum rtap_port_state { RTAP_PORT_DOWN = 1, RTAP_PORT_INIT, RTAP_PORT_ARMED, RTAP_PORT_ACTIVE };

struct rtap_port {
	uint8_t number;
	enum rtap_device_transport transport;
	const char *link_layer;             /* "InfiniBand", "Ethernet" */
	struct rtap_count state;            /* enum rtap_port_state */
	struct rtap_count physical_state;
	const char *rate;                   /* as the kernel reports it: "100 Gb/sec (4X EDR)" */
	struct rtap_count rate_mbps;        /* the same in Mb/s */
	struct rtap_count lid, lmc;
	struct rtap_count sm_lid, sm_sl;    /* LID and SL of the subnet manager, and so of subnet administration */
	struct rtap_count capability_mask;  /* PortInfo: CapabilityMask; bit 0 is the least significant */
	struct rtap_count guid;             /* lower half of the GID at index 0; unknown if that is not a GUID (iWARP) */
	const char *umad, *issm;            /* device names in /dev/infiniband */
	const char *netdev;                 /* RoCE, iWARP: its network interface: that of its first GID, or the only one of the hardware */
	struct rtap_count netdev_mtu;       /* MTU of netdev, bytes */
};

enum rtap_gid_type { RTAP_GID_UNKNOWN, RTAP_GID_INFINIBAND, RTAP_GID_ROCE_V1, RTAP_GID_ROCE_V2 };

struct rtap_gid {
	uint32_t index;
	uint8_t bytes[16];
	enum rtap_gid_type type;
	const char *netdev;
};

/* The GIDs of a port, without the empty entries of the GID table. */
struct rtap_gids {
	const struct rtap_gid *gids; /* by index */
	size_t count;
	/*
	 * The default GID, NULL if the port has none: the first one; with RoCE the first RoCE v2 GID with an IPv4 address, else
	 * the first RoCE v2 GID, else the first one.
	 */
	const struct rtap_gid *chosen;
};

struct rtap_p_key {
	uint32_t index;
	uint16_t value;      /* the most significant bit is the membership bit */
};

/* The P_Keys of a port, without empty entries. */
struct rtap_p_keys {
	const struct rtap_p_key *p_keys; /* by index */
	size_t count;
};

/* Capabilities relevant to raw-packet queue pairs. */
enum rtap_verbs_capability {
	RTAP_VERBS_MANAGED_FLOW_STEERING = 1,
	RTAP_VERBS_CVLAN_STRIPPING = 2,
	RTAP_VERBS_SCATTER_FCS = 4,
	RTAP_VERBS_IP_CHECKSUM = 8,
	RTAP_VERBS_DELAY_DROP = 16,
	RTAP_VERBS_TIME_STAMPS = 32,  /* of completions, by the device's clock */
};

/* Attributes queried from the device. No capability bit reports sniffer support: only an attempt shows it. */
struct rtap_device_verbs {
	bool valid;                   /* the query succeeded: the values below are valid */
	const char *failure;          /* why the query failed; NULL: it succeeded */
	uint32_t capabilities;        /* enum rtap_verbs_capability */
	struct rtap_count core_clock_khz;
	struct rtap_count max_receives, max_sges; /* receive work requests per queue pair; SGEs per work request */
	struct rtap_count max_completions; /* CQEs per completion queue */
	struct rtap_count max_rss_queues; /* queues for receive side scaling */
	/* For each port, PortInfo:SubnetTimeOut: the maximum trip time of a MAD is 4.096 us * 2^n. NULL: unknown. */
	const struct rtap_count *subnet_timeouts;
	/* Whether raw-packet queue pairs are supported: 1 or 0, tested by creating one; unknown: not permitted (CAP_NET_RAW). */
	struct rtap_count raw_packet;
	struct rtap_count vendor, part; /* vendor (an OUI) and part number */
	struct rtap_count max_queue_pairs, max_completion_queues, max_memory_regions;
	/* For each port, bytes: path MTU of its link now, and the largest. NULL: unknown. */
	const struct rtap_count *path_mtus, *max_path_mtus;
};

/* The devices of this machine. */
struct rtap_devices;

/*
 * Looks for devices in the sysfs mounted at `root` (NULL: at $RDMATAP_SYSFS or, if that is not set, at /sys). Reads only their
 * names. END: no RDMA subsystem; FAILED: it cannot be read, or out of memory. In both cases *opened is NULL and the error is set.
 */
enum rtap_status rtap_devices_open(struct rtap_devices **opened, const char *root, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Closes and frees, including everything returned by the functions below. NULL is ignored. */
void rtap_devices_close(struct rtap_devices *devices);

/* Number of devices. They are sorted by name, with numbers in names compared by value. */
size_t rtap_devices_count(const struct rtap_devices *devices);

/*
 * Return a device, an end port, or a table of an end port (both indexes from 0; see port_numbers). The result is valid until it is
 * invalidated. NULL: no such device or port, or out of memory. This also applies to the functions below.
 */
const struct rtap_device *rtap_devices_device(struct rtap_devices *devices, size_t device_index);
const struct rtap_port *rtap_devices_port(struct rtap_devices *devices, size_t device_index, size_t port_index);
const struct rtap_gids *rtap_devices_gids(struct rtap_devices *devices, size_t device_index, size_t port_index);
const struct rtap_p_keys *rtap_devices_p_keys(struct rtap_devices *devices, size_t device_index, size_t port_index);

/* Opens the device with libibverbs and queries it. Valid until the next call. NULL: out of memory. */
const struct rtap_device_verbs *rtap_devices_verbs(struct rtap_devices *devices, size_t device_index);

/* Counters (hw_counters) of a device or port. Read again by each call; valid until the next call for the same device or port. */
const struct rtap_device_counters *rtap_devices_counters(struct rtap_devices *devices, size_t device_index);
const struct rtap_device_counters *rtap_devices_port_counters(struct rtap_devices *devices, size_t device_index, size_t port_index);
/* Message counters of the kernel's communication manager, such as "tx_msgs.req", "rx_duplicates.rep". Validity as above. */
const struct rtap_device_counters *rtap_devices_cm_counters(struct rtap_devices *devices, size_t device_index, size_t port_index);

/* Parts of a port that may have changed. */
enum rtap_port_part {
	/* LID, SM, state, rate; verbs events PORT_ACTIVE, PORT_ERR, LID_CHANGE, SM_CHANGE, CLIENT_REREGISTER */
	RTAP_PORT_ATTRIBUTES = 1,
	RTAP_PORT_GIDS = 2,       /* event GID_CHANGE; includes the attributes, since the GUID is one of them */
	RTAP_PORT_P_KEYS = 4,     /* event PKEY_CHANGE */
	RTAP_PORT_ALL = 7,
};

/* Invalidates parts (enum rtap_port_part, or'ed) of a port: they are read again on next use. */
void rtap_devices_invalidate(struct rtap_devices *devices, size_t device_index, size_t port_index, unsigned parts);

/* Result of a lookup. */
struct rtap_end_port {
	size_t device, port;    /* indexes; port: SIZE_MAX if the lookup was for a device */
	const struct rtap_gid *gid; /* the GID looked up; NULL: the lookup was not by GID */
};

enum rtap_lookup {
	RTAP_LOOKUP_FOUND,
	RTAP_LOOKUP_NONE,      /* no match: see the error */
	RTAP_LOOKUP_AMBIGUOUS, /* several matches: the error names them */
	RTAP_LOOKUP_FAILED,    /* out of memory */
};

/*
 * Finds an end port by "NAME/PORT". "NAME" finds the first end port of the device or, with `whole`, the device itself
 * (found->port is SIZE_MAX).
 */
enum rtap_lookup rtap_devices_find_name(struct rtap_devices *devices, const char *name, bool whole, struct rtap_end_port *found,
					struct rtap_error *error) __attribute__((warn_unused_result));

/* Finds a device by its node GUID. found->port is SIZE_MAX. */
enum rtap_lookup rtap_devices_find_node_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error) __attribute__((warn_unused_result));

enum rtap_lookup rtap_devices_find_port_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error) __attribute__((warn_unused_result));

/* If a port has the GID at several indexes (RoCE v1 and v2), finds the RoCE v2 one. */
enum rtap_lookup rtap_devices_find_gid(struct rtap_devices *devices, const uint8_t gid[16], struct rtap_end_port *found,
				       struct rtap_error *error) __attribute__((warn_unused_result));

/* Parses a GUID: "0002:c903:00a1:b2c0", "0x0002c90300a1b2c0" or "0002c90300a1b2c0". False: not a GUID. */
bool rtap_guid_parse(const char *text, uint64_t *guid) __attribute__((warn_unused_result));

/* Finds the index of a P_Key by value; without the membership bit, full members are preferred. False: not found. */
bool rtap_p_key_index(const struct rtap_p_keys *p_keys, uint16_t value, uint32_t *index) __attribute__((warn_unused_result));

/* Names of node types, port states, physical states, transports and GID types; NULL: the value has no name. */
const char *rtap_node_type_name(uint64_t node_type);
const char *rtap_port_state_name(uint64_t state);
const char *rtap_physical_state_name(uint64_t state);
const char *rtap_device_transport_name(enum rtap_device_transport transport);
const char *rtap_gid_type_name(enum rtap_gid_type type);
/* Name of a bit (by number) of rtap_device_verbs.capabilities. */
const char *rtap_verbs_capability_name(unsigned bit);
/* Name of a bit (by number) of a port's capability mask. */
const char *rtap_capability_name(unsigned bit);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
