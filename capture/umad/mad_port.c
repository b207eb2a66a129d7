/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include <rdmatap/device.h>

#include "base/error.h"
#include "capture/umad/mad_port.h"

/* LIDs, GIDs and P_Keys may change, and user MADs have no events for this. */
#define REFRESH_NS INT64_C(1000000000)

/* Limit of ib_umad per file. */
#define MAX_AGENTS 32

#define FULL_P_KEY 0xffff
#define QP1_Q_KEY 0x80010000 /* IBTA vol. 1, 10.2.5 */

/* The first OUI that vendor classes from 0x30 on are registered with is OpenIB's, for ibping and ibsysstat. */
#define OPENIB_OUI { 0x00, 0x14, 0x05 }
#define FIRST_OUI_CLASS 0x30
#define LAST_OUI_CLASS 0x4f

#define METHOD(number) (1u << (number))
#define GET METHOD(0x01)
#define SET METHOD(0x02)
#define SEND METHOD(0x03)
#define TRAP METHOD(0x05)
#define REPORT METHOD(0x06)
#define TRAP_REPRESS METHOD(0x07)
#define GET_TABLE METHOD(0x12)
#define GET_TRACE_TABLE METHOD(0x13)
#define GET_MULTI METHOD(0x14)
#define DELETE METHOD(0x15)

#define CLASS_SUBNET 0x01
#define CLASS_SUBNET_DIRECTED 0x81

/*
 * Classes and methods to register for. IBTA vol. 1, 13.4.4 to 13.4.6 and the chapters of the classes. A kernel module that finds its class
 * taken when it is loaded fails for good: ib_cm, and with it rdma_cm, and ib_srpt.
 */
struct class {
	uint8_t first, last; /* numbers */
	uint8_t version;
	bool kernels;        /* registered only if the user names it */
	uint32_t methods;    /* unsolicited methods, one bit each */
};

static const struct class classes[] = {
	{ 0x01, 0x01, 1, false, GET | SET | TRAP | TRAP_REPRESS },
	{ 0x81, 0x81, 1, false, GET | SET | TRAP | TRAP_REPRESS },
	{ 0x03, 0x03, 2, false, GET | SET | REPORT | GET_TABLE | GET_TRACE_TABLE | GET_MULTI | DELETE },
	{ 0x04, 0x04, 1, false, GET | SET },
	{ 0x05, 0x05, 1, false, GET | SET | SEND | TRAP | TRAP_REPRESS },
	{ 0x06, 0x06, 1, true, GET | SET | TRAP | REPORT | TRAP_REPRESS },
	{ 0x07, 0x07, 2, true, SEND },
	{ 0x08, 0x08, 1, false, GET | SET | SEND },
	{ 0x09, 0x0f, 1, false, GET | SET | SEND | TRAP | REPORT | TRAP_REPRESS },
	{ 0x11, 0x12, 1, false, GET | SET | SEND | TRAP | REPORT | TRAP_REPRESS },
	{ 0x21, 0x21, 2, false, GET | SET | TRAP | TRAP_REPRESS },
	{ 0x32, 0x33, 1, false, GET | SET | SEND | TRAP | REPORT | TRAP_REPRESS },
};

struct agent {
	uint8_t class;
	uint32_t methods;
	int id;
};

struct mad_port {
	SLIST_ENTRY(mad_port) link;
	unsigned users;
	char *name, *device_name;
	int id;              /* -1: not open */
	int issm;            /* -1: not open */
	struct agent agents[MAX_AGENTS];
	unsigned agent_count;
	bool is_captured;
	struct rtap_devices *devices;
	size_t device, port;
	int64_t read_ns;     /* when `devices` was read */
};

/* The open ports; the lock also protects their contents. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SLIST_HEAD(, mad_port) ports = SLIST_HEAD_INITIALIZER(ports);

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void destroy(struct mad_port *port)
{
	if (port->issm >= 0)
		close(port->issm);
	for (unsigned i = 0; i < port->agent_count; i++)
		(void)!umad_unregister(port->id, port->agents[i].id);
	if (port->id >= 0)
		(void)!umad_close_port(port->id);
	rtap_devices_close(port->devices);
	free(port->name);
	free(port->device_name);
	free(port);
}

static enum rtap_status out_of_memory(const char *name, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "umad:%s: out of memory", name);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status find(struct mad_port *port, const char *name, struct rtap_error *error)
{
	struct rtap_end_port found;
	struct rtap_error reason;
	const struct rtap_device *device;
	size_t size;

	if (rtap_devices_open(&port->devices, NULL, &reason) != RTAP_STATUS_OK ||
	    rtap_devices_find_name(port->devices, name, false, &found, &reason) != RTAP_LOOKUP_FOUND) {
		rtap_error_set(error, reason.code, "umad:%s: %.900s", name, reason.text);
		return RTAP_STATUS_FAILED;
	}
	device = rtap_devices_device(port->devices, found.device);
	if (!device)
		return out_of_memory(name, error);
	port->device = found.device;
	port->port = found.port;
	port->read_ns = now_ns();
	size = strlen(device->name) + sizeof "/255";
	port->name = malloc(size);
	port->device_name = strdup(device->name);
	if (!port->name || !port->device_name)
		return out_of_memory(name, error);
	snprintf(port->name, size, "%s/%u", device->name, device->port_numbers[found.port]);
	return RTAP_STATUS_OK;
}

static enum rtap_status open_port(struct mad_port *port, struct rtap_error *error)
{
	const struct rtap_port *attributes = rtap_devices_port(port->devices, port->device, port->port);

	if (!attributes)
		return out_of_memory(port->name, error);
	if (!attributes->umad && attributes->transport == RTAP_DEVICE_IWARP) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "umad:%s: iWARP devices have no management datagrams (pcap:%s captures on the network interface)", port->name,
			       attributes->netdev ? attributes->netdev : "IFACE");
		return RTAP_STATUS_FAILED;
	}
	if (!attributes->umad) {
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND,
			       "umad:%s: the port has no device for user MADs (load the module: modprobe ib_umad)", port->name);
		return RTAP_STATUS_FAILED;
	}
	errno = 0;
	if (umad_init() < 0 || (port->id = umad_open_port(port->device_name, attributes->number)) < 0) {
		port->id = -1;
		rtap_error_set(error, error_code_of(errno), "umad:%s: /dev/infiniband/%s cannot be opened: %s%s", port->name, attributes->umad,
			       errno ? strerror(errno) : "libibumad rejects it",
			       errno == EACCES || errno == EPERM ? " (be root, or give yourself access to the file)" : "");
		return RTAP_STATUS_FAILED;
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status open_or_share(struct mad_port **opened, const char *name, struct rtap_error *error)
{
	struct mad_port *port = calloc(1, sizeof *port), *other;
	enum rtap_status status;

	if (!port)
		return out_of_memory(name, error);
	port->id = port->issm = -1;
	status = find(port, name, error);
	if (!status) {
		SLIST_FOREACH(other, &ports, link) {
			if (!strcmp(other->name, port->name)) {
				destroy(port);
				other->users++;
				*opened = other;
				return RTAP_STATUS_OK;
			}
		}
		status = open_port(port, error);
	}
	if (status) {
		destroy(port);
		return status;
	}
	port->users = 1;
	SLIST_INSERT_HEAD(&ports, port, link);
	*opened = port;
	return RTAP_STATUS_OK;
}

enum rtap_status mad_port_open(struct mad_port **port, const char *name, struct rtap_error *error)
{
	enum rtap_status status;

	*port = NULL;
	pthread_mutex_lock(&lock);
	status = open_or_share(port, name, error);
	pthread_mutex_unlock(&lock);
	return status;
}

void mad_port_close(struct mad_port *port)
{
	if (!port)
		return;
	pthread_mutex_lock(&lock);
	if (!--port->users) {
		SLIST_REMOVE(&ports, port, mad_port, link);
		destroy(port);
	}
	pthread_mutex_unlock(&lock);
}

const char *mad_port_name(const struct mad_port *port)
{
	return port->name;
}

int mad_port_id(const struct mad_port *port)
{
	return port->id;
}

/* Registers one agent. Without methods it receives only responses to its own requests. */
static struct agent *add_agent(struct mad_port *port, uint8_t class, uint8_t version, uint32_t methods)
{
	long mask[16 / sizeof(long)] = { (long)methods };
	uint8_t oui[3] = OPENIB_OUI, rmpp_version = mad_has_rmpp(class);
	struct agent *agent = &port->agents[port->agent_count];
	long *wanted = methods ? mask : NULL;
	int id;

	if (port->agent_count == MAX_AGENTS)
		return NULL;
	if (class >= FIRST_OUI_CLASS && class <= LAST_OUI_CLASS)
		id = umad_register_oui(port->id, class, rmpp_version, oui, wanted);
	else
		id = umad_register(port->id, class, version, rmpp_version, wanted);
	if (id < 0)
		return NULL;
	*agent = (struct agent){ class, methods, id };
	port->agent_count++;
	return agent;
}

static uint8_t class_version(uint8_t number)
{
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (number >= classes[i].first && number <= classes[i].last)
			return classes[i].version;
	return 1;
}

/* Text that lists the registered classes, those of other programs, and those left to kernel modules. */
struct account {
	char done[512], refused[512], kernels[64];
	unsigned done_count;
};

static void append_methods(char *text, size_t size, uint8_t class, uint32_t methods)
{
	size_t used = strlen(text);
	const char *separator = ":";

	used += (size_t)snprintf(text + used, size - used, "%s0x%02x", used ? " " : "", class);
	for (unsigned method = 0; method < 32 && used < size; method++) {
		if (!(methods >> method & 1))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%x", separator, method);
		separator = "+";
	}
}

/* All methods at once; if one of them is taken, one by one. */
static void register_class(struct mad_port *port, uint8_t class, uint32_t methods, struct account *account)
{
	uint8_t version = class_version(class);
	uint32_t done = 0;

	for (unsigned i = 0; i < port->agent_count; i++)
		if (port->agents[i].class == class)
			done |= port->agents[i].methods & methods;
	if (done != methods && add_agent(port, class, version, methods & ~done))
		done = methods;
	for (unsigned method = 0; done != methods && method < 32; method++)
		if ((methods & ~done) >> method & 1 && methods != METHOD(method) && add_agent(port, class, version, METHOD(method)))
			done |= METHOD(method);
	account->done_count += done != 0;
	if (done)
		append_methods(account->done, sizeof account->done, class, done);
	if (done != methods)
		append_methods(account->refused, sizeof account->refused, class, methods & ~done);
}

/* A number, decimal or 0x hexadecimal; advances *text past it. */
static bool take_number(const char **text, unsigned long most, unsigned *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	value = strtoul(*text, &end, 0);
	*text = end;
	*number = (unsigned)value;
	return !errno && value <= most;
}

/* If no methods are given, all methods of requests in the class. */
static uint32_t usual_methods(unsigned class)
{
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (class >= classes[i].first && class <= classes[i].last)
			return classes[i].methods;
	return GET | SET | SEND | TRAP | REPORT | TRAP_REPRESS;
}

/* CLASS[:METHOD[+METHOD...]]; advances *text past it and the comma. False: syntax error. */
static bool take_class(const char **text, unsigned *class, uint32_t *methods)
{
	char separator = ':';
	unsigned method;

	if (!take_number(text, 0xff, class))
		return false;
	*methods = **text == separator ? 0 : usual_methods(*class);
	for (; **text == separator; separator = '+') {
		++*text;
		if (!take_number(text, 31, &method) || !method)
			return false;
		*methods |= METHOD(method);
	}
	if (!**text)
		return true;
	return *(*text)++ == ',' && **text;
}

static enum rtap_status register_named(struct mad_port *port, const char *text, struct account *account,
				       struct rtap_error *error)
{
	const char *at = text;
	unsigned class;
	uint32_t methods;

	while (*at) {
		if (!take_class(&at, &class, &methods)) {
			rtap_error_set(error, RTAP_ERROR_INVALID, "umad:%s: classes of MADs \"%s\": not understood (such as 0x03,4:1+2: "
				       "numbers of a class and its methods)", port->name, text);
			return RTAP_STATUS_FAILED;
		}
		register_class(port, (uint8_t)class, methods, account);
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status register_agents(struct mad_port *port, const char *text, struct account *account,
					struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (text)
		status = register_named(port, text, account, error);
	for (size_t i = 0; !text && i < sizeof classes / sizeof classes[0]; i++)
		for (unsigned number = classes[i].first; number <= classes[i].last; number++) {
			if (classes[i].kernels)
				append_methods(account->kernels, sizeof account->kernels, (uint8_t)number, 0);
			else
				register_class(port, (uint8_t)number, classes[i].methods, account);
		}
	if (!status && !account->done_count) {
		rtap_error_set(error, RTAP_ERROR_BUSY,
			       "umad:%s: no agent could be registered: others have these classes of MADs already, or the device "
			       "knows none", port->name);
		status = RTAP_STATUS_FAILED;
	}
	return status;
}

enum rtap_status mad_port_register(struct mad_port *port, const char *text, char **report, struct rtap_error *error)
{
	struct account account = { "", "", "", 0 };
	enum rtap_status status;

	*report = NULL;
	pthread_mutex_lock(&lock);
	status = register_agents(port, text, &account, error);
	port->is_captured |= !status;
	pthread_mutex_unlock(&lock);
	if (status)
		return status;
	if (asprintf(report, "MADs of classes:methods %s%s%s%s%s; the headers around them are made", account.done,
		     account.refused[0] ? "; refused, others have them: " : "", account.refused,
		     account.kernels[0] ? "; left to the kernel, unless --mad-classes names them: " : "", account.kernels) < 0) {
		*report = NULL;
		return out_of_memory(port->name, error);
	}
	return RTAP_STATUS_OK;
}

bool mad_port_is_captured(struct mad_port *port)
{
	bool is_captured;

	pthread_mutex_lock(&lock);
	is_captured = port->is_captured;
	pthread_mutex_unlock(&lock);
	return is_captured;
}

enum rtap_status mad_port_become_sm(struct mad_port *port, bool wait, struct rtap_error *error)
{
	const struct rtap_port *attributes;
	char path[300] = "";
	int issm;

	pthread_mutex_lock(&lock);
	attributes = rtap_devices_port(port->devices, port->device, port->port);
	if (attributes && attributes->issm)
		snprintf(path, sizeof path, "/dev/infiniband/%s", attributes->issm);
	pthread_mutex_unlock(&lock);
	if (!path[0]) {
		rtap_error_set(error, RTAP_ERROR_NOT_FOUND, "umad:%s: the port has no issm device", port->name);
		return RTAP_STATUS_FAILED;
	}
	/* not under the lock: this may wait */
	issm = open(path, O_RDONLY | (wait ? 0 : O_NONBLOCK));
	if (issm < 0) {
		rtap_error_set(error, error_code_of(errno), "umad:%s: %s: %s", port->name, path, errno == EAGAIN ?
			       "another program is the subnet manager of this port (--is-sm=wait waits until it ends)" : strerror(errno));
		return RTAP_STATUS_FAILED;
	}
	pthread_mutex_lock(&lock);
	if (port->issm >= 0)
		close(port->issm);
	port->issm = issm;
	pthread_mutex_unlock(&lock);
	return RTAP_STATUS_OK;
}

/* The port's recent attributes. NULL: out of memory. */
static const struct rtap_port *fresh_port(struct mad_port *port)
{
	int64_t now = now_ns();

	if (now - port->read_ns > REFRESH_NS) {
		rtap_devices_invalidate(port->devices, port->device, port->port, RTAP_PORT_ALL);
		port->read_ns = now;
	}
	return rtap_devices_port(port->devices, port->device, port->port);
}

static uint16_t p_key_at(struct mad_port *port, int index)
{
	const struct rtap_p_keys *p_keys = rtap_devices_p_keys(port->devices, port->device, port->port);

	for (size_t i = 0; p_keys && i < p_keys->count; i++)
		if (p_keys->p_keys[i].index == (uint32_t)index)
			return p_keys->p_keys[i].value;
	return FULL_P_KEY;
}

static void fill_gids(struct mad_port *port, const struct ib_mad_addr *address, struct mad_envelope *envelope)
{
	const struct rtap_gids *gids = rtap_devices_gids(port->devices, port->device, port->port);

	memcpy(envelope->source_gid, address->gid, sizeof envelope->source_gid);
	for (size_t i = 0; gids && i < gids->count; i++)
		if (gids->gids[i].index == address->gid_index)
			memcpy(envelope->destination_gid, gids->gids[i].bytes, sizeof envelope->destination_gid);
}

void mad_port_envelope(struct mad_port *port, void *umad, struct mad_envelope *envelope)
{
	/* the P_Key index is not always present: libibumad knows */
	const struct ib_mad_addr *address = umad_get_mad_addr(umad);
	const uint8_t *mad = umad_get_mad(umad);
	bool is_subnet = mad[1] == CLASS_SUBNET || mad[1] == CLASS_SUBNET_DIRECTED;
	const struct rtap_port *attributes;

	*envelope = (struct mad_envelope){
		.source_lid = be16toh(address->lid),
		.source_qpn = be32toh(address->qpn),
		.destination_qpn = is_subnet ? 0 : 1,
		.q_key = is_subnet ? 0 : QP1_Q_KEY,
		.service_level = address->sl & 0xf,
		.global = address->grh_present,
	};
	pthread_mutex_lock(&lock);
	attributes = fresh_port(port);
	if (attributes && attributes->lid.known)
		envelope->destination_lid = (uint16_t)(attributes->lid.value + address->path_bits);
	envelope->p_key = p_key_at(port, umad_get_pkey(umad));
	if (envelope->global)
		fill_gids(port, address, envelope);
	pthread_mutex_unlock(&lock);
	if (envelope->global) {
		envelope->traffic_class = address->traffic_class;
		envelope->hop_limit = address->hop_limit;
		envelope->flow_label = be32toh(address->flow_label);
	}
}

static const struct agent *agent_of(struct mad_port *port, uint8_t class, uint8_t version)
{
	for (unsigned i = 0; i < port->agent_count; i++)
		if (port->agents[i].class == class)
			return &port->agents[i];
	return add_agent(port, class, version, 0);
}

/* Writes the datagram's destination to libibumad's buffer. False: no source GID for it. */
static bool fill_address(struct mad_port *port, const struct mad_envelope *envelope, void *umad)
{
	struct ib_mad_addr address;
	const struct rtap_gids *gids;
	const struct rtap_p_keys *p_keys;
	uint32_t index = 0;
	bool found = !envelope->global;

	address = (struct ib_mad_addr){
		.qpn = htobe32(envelope->destination_qpn), .qkey = htobe32(envelope->q_key), .lid = htobe16(envelope->destination_lid),
		.sl = envelope->service_level, .grh_present = envelope->global, .hop_limit = envelope->hop_limit,
		.traffic_class = envelope->traffic_class, .flow_label = htobe32(envelope->flow_label),
	};
	p_keys = fresh_port(port) ? rtap_devices_p_keys(port->devices, port->device, port->port) : NULL;
	if (p_keys && rtap_p_key_index(p_keys, envelope->p_key & 0x7fff, &index))
		umad_set_pkey(umad, (int)index);
	memcpy(address.gid, envelope->destination_gid, sizeof address.gid);
	/* a capture's sender need not be this port: then it is the first GID that sends */
	gids = envelope->global ? rtap_devices_gids(port->devices, port->device, port->port) : NULL;
	for (size_t i = 0; gids && i < gids->count && gids->gids[i].index <= UINT8_MAX; i++) {
		if (!found || !memcmp(gids->gids[i].bytes, envelope->source_gid, sizeof envelope->source_gid))
			address.gid_index = (uint8_t)gids->gids[i].index;
		found = true;
	}
	memcpy(umad_get_mad_addr(umad), &address, offsetof(struct ib_mad_addr, pkey_index));
	return found;
}

static enum rtap_status send_by(struct mad_port *port, const struct agent *agent, void *umad, uint32_t length,
				unsigned timeout_ms,
				struct rtap_error *error)
{
	bool gone;

	errno = 0;
	if (!umad_send(port->id, agent->id, umad, (int)length, (int)timeout_ms, 0))
		return RTAP_STATUS_OK;
	gone = errno == ENODEV || errno == EIO;
	rtap_error_set(error, error_code_of(errno), "umad:%s: %s", port->name, errno ? strerror(errno) : "the datagram could not be sent");
	if (gone && error)
		error->code = RTAP_ERROR_CLOSED;
	return RTAP_STATUS_FAILED;
}

enum rtap_status mad_port_send(struct mad_port *port, const struct mad_envelope *envelope, const uint8_t *mad,
			       uint32_t length,
				unsigned timeout_ms, struct rtap_error *error)
{
	void *umad = calloc(1, umad_size() + length);
	enum rtap_status status = RTAP_STATUS_FAILED;
	const struct agent *agent;

	if (!umad)
		return out_of_memory(port->name, error);
	memcpy(umad_get_mad(umad), mad, length);
	pthread_mutex_lock(&lock);
	agent = agent_of(port, mad[1], mad[2]);
	if (!agent)
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "umad:%s: no agent can be registered for class 0x%02x", port->name, mad[1]);
	else if (!fill_address(port, envelope, umad))
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "umad:%s: the port has no GID to send from", port->name);
	else
		status = send_by(port, agent, umad, length, timeout_ms, error);
	pthread_mutex_unlock(&lock);
	free(umad);
	return status;
}
