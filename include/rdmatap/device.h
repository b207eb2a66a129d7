/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA devices of this machine and their end ports, as the kernel tells of them in sysfs.
 *
 * Everything is read when it is first asked for, and kept until it is invalidated. What sysfs does not tell, or tells in a way
 * that cannot be understood, is unknown: a count with `known` false, a NULL text, an absent element. It is never 0.
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

/* What kind of node a device is: NodeInfo's NodeType, IBTA vol. 1, 14.2.5.3; from 4 on the kernel's own. */
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
	RTAP_DEVICE_MIXED, /* of a device whose ports differ */
};

/* A statistic of the hardware. */
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
	struct rtap_count numa_node;        /* unknown also when the device is near none */
	const char *const *netdevs;         /* network interfaces of the same hardware */
	size_t netdev_count;
	const uint8_t *port_numbers;        /* its end ports, ascending: 0 of a switch, else from 1 */
	size_t port_count;
};

/* Port states. IBTA vol. 1, 14.2.5.6, PortInfo: PortState, PortPhysicalState. */
enum rtap_port_state { RTAP_PORT_DOWN = 1, RTAP_PORT_INIT, RTAP_PORT_ARMED, RTAP_PORT_ACTIVE };

struct rtap_port {
	uint8_t number;
	enum rtap_device_transport transport;
	const char *link_layer;             /* "InfiniBand", "Ethernet" */
	struct rtap_count state;            /* enum rtap_port_state */
	struct rtap_count physical_state;
	const char *rate;                   /* as the kernel says it: "100 Gb/sec (4X EDR)" */
	struct rtap_count rate_mbps;        /* the same in 10^6 bits a second */
	struct rtap_count lid, lmc;
	struct rtap_count sm_lid, sm_sl;    /* the way to the subnet manager and, with it, to subnet administration */
	struct rtap_count capability_mask;  /* PortInfo: CapabilityMask; bit 0 is the least significant */
	struct rtap_count guid;             /* lower half of the GID at index 0; unknown if that is no GUID (iWARP) */
	const char *umad, *issm;            /* names in /dev/infiniband */
};

enum rtap_gid_type { RTAP_GID_UNKNOWN, RTAP_GID_INFINIBAND, RTAP_GID_ROCE_V1, RTAP_GID_ROCE_V2 };

struct rtap_gid {
	uint32_t index;
	uint8_t bytes[16];
	enum rtap_gid_type type;
	const char *netdev;
};

/* The GIDs of a port that are set: empty places of the table are left out. */
struct rtap_gids {
	const struct rtap_gid *gids; /* by index */
	size_t count;
	/*
	 * The one that a program takes which was told of none, NULL if there are none: the first; with RoCE the first of
	 * RoCE v2 that holds an IPv4 address, else the first of RoCE v2, else the first.
	 */
	const struct rtap_gid *chosen;
};

struct rtap_p_key {
	uint32_t index;
	uint16_t value;      /* with the membership bit on top */
};

/* The P_Keys of a port that are set. */
struct rtap_p_keys {
	const struct rtap_p_key *p_keys; /* by index */
	size_t count;
};

/* What matters to raw-packet queue pairs. */
enum rtap_verbs_capability {
	RTAP_VERBS_MANAGED_FLOW_STEERING = 1,
	RTAP_VERBS_CVLAN_STRIPPING = 2,
	RTAP_VERBS_SCATTER_FCS = 4,
	RTAP_VERBS_IP_CHECKSUM = 8,
	RTAP_VERBS_DELAY_DROP = 16,
	RTAP_VERBS_TIME_STAMPS = 32,  /* of completions, by the device's clock */
};

/* What the device itself says of itself. There is no capability bit for the sniffer: that can only be tried. */
struct rtap_device_verbs {
	bool asked;                   /* what follows was told */
	const char *trouble;          /* why not; NULL: it was */
	uint32_t capabilities;        /* enum rtap_verbs_capability */
	struct rtap_count core_clock_khz;
	struct rtap_count max_receives, max_sges; /* of a queue pair; of a work request */
	struct rtap_count max_completions; /* of a completion queue */
	struct rtap_count max_rss_queues; /* that packets can be spread over */
	/* Of each port: 4.096 us * 2^n is how long a MAD may be on its way; PortInfo: SubnetTimeOut. NULL: not told. */
	const struct rtap_count *subnet_timeouts;
};

/* The devices of a machine. */
struct rtap_devices;

/*
 * Looks for devices under the sysfs that is mounted at `root` (NULL: at $RDMATAP_SYSFS, if that is not set at /sys). Only
 * their names are read. END: there is no RDMA subsystem; FAILED: it cannot be read, or memory is out. In both cases *opened
 * is NULL and the error is set.
 */
enum rtap_status rtap_devices_open(struct rtap_devices **opened, const char *root, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Closes and frees, with everything that was given out. NULL is ignored. */
void rtap_devices_close(struct rtap_devices *devices);

/* How many there are; they stand by name, numbers in it by value. */
size_t rtap_devices_count(const struct rtap_devices *devices);

/*
 * What is known of a device, and of an end port of it (both counted from 0; see port_numbers). What is returned is valid until
 * it is invalidated. NULL: there is no such device or port, or memory is out. So it is of the functions below.
 */
const struct rtap_device *rtap_devices_device(struct rtap_devices *devices, size_t device_index);
const struct rtap_port *rtap_devices_port(struct rtap_devices *devices, size_t device_index, size_t port_index);
const struct rtap_gids *rtap_devices_gids(struct rtap_devices *devices, size_t device_index, size_t port_index);
const struct rtap_p_keys *rtap_devices_p_keys(struct rtap_devices *devices, size_t device_index, size_t port_index);

/* Asks the device by libibverbs, for which it is opened. Kept until the next call. NULL: memory is out. */
const struct rtap_device_verbs *rtap_devices_verbs(struct rtap_devices *devices, size_t device_index);

/* Counters (hw_counters) of a device, and of a port. They are read anew each time; valid until the next call for the same. */
const struct rtap_device_counters *rtap_devices_counters(struct rtap_devices *devices, size_t device_index);
const struct rtap_device_counters *rtap_devices_port_counters(struct rtap_devices *devices, size_t device_index, size_t port_index);

/* What may have changed. */
enum rtap_port_part {
	/* LID, SM, state, rate: after the verbs events PORT_ACTIVE, PORT_ERR, LID_CHANGE, SM_CHANGE, CLIENT_REREGISTER */
	RTAP_PORT_ATTRIBUTES = 1,
	RTAP_PORT_GIDS = 2,       /* GID_CHANGE; the attributes too, since the GUID is one */
	RTAP_PORT_P_KEYS = 4,     /* PKEY_CHANGE */
	RTAP_PORT_ALL = 7,
};

/* Forgets parts (enum rtap_port_part, joined by |) of what is known of a port: they are read again when asked for. */
void rtap_devices_invalidate(struct rtap_devices *devices, size_t device_index, size_t port_index, unsigned parts);

/* An end port that was looked for. */
struct rtap_end_port {
	size_t device, port;    /* port: SIZE_MAX if the device was looked for */
	const struct rtap_gid *gid; /* that was looked for; NULL: no GID was */
};

enum rtap_lookup {
	RTAP_LOOKUP_FOUND,
	RTAP_LOOKUP_NONE,      /* there is nothing like that: see the error */
	RTAP_LOOKUP_AMBIGUOUS, /* there are several: the error names them */
	RTAP_LOOKUP_FAILED,    /* memory is out */
};

/*
 * Finds an end port by "NAME/PORT"; by "NAME" the first one of the device, or, with `whole`, the device itself (then
 * found->port is SIZE_MAX).
 */
enum rtap_lookup rtap_devices_find_name(struct rtap_devices *devices, const char *name, bool whole, struct rtap_end_port *found,
					struct rtap_error *error) __attribute__((warn_unused_result));

/* Finds a device by its node GUID. found->port is SIZE_MAX. */
enum rtap_lookup rtap_devices_find_node_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error) __attribute__((warn_unused_result));

enum rtap_lookup rtap_devices_find_port_guid(struct rtap_devices *devices, uint64_t guid, struct rtap_end_port *found,
					     struct rtap_error *error) __attribute__((warn_unused_result));

/* Of a port that has the GID at several indices (RoCE v1 and v2), the one of RoCE v2 is found. */
enum rtap_lookup rtap_devices_find_gid(struct rtap_devices *devices, const uint8_t gid[16], struct rtap_end_port *found,
				       struct rtap_error *error) __attribute__((warn_unused_result));

/* A GUID as people write them: "0002:c903:00a1:b2c0", "0x0002c90300a1b2c0", "0002c90300a1b2c0". */
bool rtap_guid_parse(const char *text, uint64_t *guid) __attribute__((warn_unused_result));

/* Index of a P_Key by its value; full membership is preferred if the value has no membership bit. False: it is not there. */
bool rtap_p_key_index(const struct rtap_p_keys *p_keys, uint16_t value, uint32_t *index) __attribute__((warn_unused_result));

/* Names of values: of node types, port states, physical states, transports, GID types; NULL: it has none. */
const char *rtap_node_type_name(uint64_t node_type);
const char *rtap_port_state_name(uint64_t state);
const char *rtap_physical_state_name(uint64_t state);
const char *rtap_device_transport_name(enum rtap_device_transport transport);
const char *rtap_gid_type_name(enum rtap_gid_type type);
/* Of a bit (by number) of rtap_device_verbs.capabilities. */
const char *rtap_verbs_capability_name(unsigned bit);
/* Of a bit (by number) of a port's capability mask. */
const char *rtap_capability_name(unsigned bit);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
