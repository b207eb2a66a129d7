/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/nvme/nvme_names.h"
#include "reassembly/upper/nvme_state.h"
#include "reassembly/upper/upper_layers.h"

#define MOST_TARGETS 4096     /* limit of subsystems, and of namespaces; further ones stay unknown, which is counted */
#define MOST_NAMESPACES 65536
#define CONTROLLER_END 18     /* bytes of the data of Connect */
#define NAME_TEXT 1024        /* escaped: a byte takes at most 4 characters */

/* Identify Namespace: NVM, 4.1.5.1. */
#define FORMATTED_SIZE 26     /* bytes */
#define FORMATS 128
#define FORMAT_LENGTH 4
#define MOST_LOG2_SIZE 31

/* The same for the Zoned Namespace Command Set: the first 64 bits of a format are the number of blocks of a zone. ZNS 1.1, 4.1.5.1. */
#define ZONE_FORMATS 2816
#define ZONE_FORMAT_LENGTH 16
#define ZONED 2               /* CSI */

/* Identify Controller: IOCCSZ, in units of 16 bytes. Fabrics 1.1, figure 28. */
#define CAPSULE_SIZE 1792
#define CAPSULE_UNIT 16
#define MOST_CAPSULE (1u << 24) /* larger ones are not plausible */

struct nvme_target {
	uint64_t hash;
	uint32_t number;
	uint32_t length;
	uint32_t in_capsule;      /* bytes of data in a capsule of its I/O queues; 0: unknown, or none */
	char name[];              /* null-terminated */
};

struct nvme_namespace {
	uint64_t hash;
	uint64_t address[2];      /* of the controller, if the target is unknown; else 0 */
	uint8_t address_length;
	uint32_t target, nsid;    /* target 0: unknown */
	uint32_t block_size;
	bool is_sure;
	bool is_mixed;            /* different sizes were noted for an unknown target */
	uint8_t format;           /* index of the format in use; valid with is_sure */
	uint64_t zone_blocks;     /* 0: unknown, or no zones */
};

struct nvme_state {
	struct map targets, namespaces;
	uint64_t bytes;           /* charged to the tracker's messages */
};

static struct nvme_state *state_of(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_nvme];
}

bool nvme_state_init(struct rtap_tracker *tracker)
{
	struct nvme_state *state = memory_new_zeroed(1, sizeof *state);

	tracker->upper_states[UPPER_nvme] = state;
	return state;
}

void nvme_state_fini(struct rtap_tracker *tracker)
{
	struct nvme_state *state = state_of(tracker);

	if (!state)
		return;
	budget_give(&tracker->budget, &tracker->messages, state->bytes);
	map_fini_values(&state->targets);
	map_fini_values(&state->namespaces);
	free(state);
	tracker->upper_states[UPPER_nvme] = NULL;
}

void nvme_queue_number(struct nvme_queue *queue, uint16_t id)
{
	queue->has_id = true;
	queue->id = id;
	queue->kind = id ? NVME_SPACE_IO : NVME_SPACE_ADMIN;
}

void nvme_queue_guess(struct nvme_queue *queue, uint8_t opcode)
{
	enum nvme_space space = NVME_CODE_SPACE(nvme_code((const uint8_t[]){ opcode, 0, 0, 0, 0 }, NVME_SPACE_UNKNOWN));

	if (queue->has_id || space == NVME_SPACE_UNKNOWN || opcode == NVME_FABRICS)
		return;
	if (space == NVME_SPACE_ADMIN)
		nvme_queue_number(queue, 0);
	else
		queue->kind = NVME_SPACE_IO;
}

void nvme_queue_learn(void *to, const void *from)
{
	struct nvme_queue *queue = to;
	const struct nvme_queue *other = from;

	if (!queue->has_id && other->has_id)
		nvme_queue_number(queue, other->id);
	if (queue->kind == NVME_SPACE_UNKNOWN)
		queue->kind = other->kind;
	if (!queue->has_controller && other->has_controller) {
		queue->has_controller = true;
		queue->controller = other->controller;
	}
	if (!queue->target)
		queue->target = other->target;
	if (!queue->keep_alive_ms)
		queue->keep_alive_ms = other->keep_alive_ms;
	if (other->in_capsule > queue->in_capsule)
		queue->in_capsule = other->in_capsule;
}

/* Adds a value to a table; frees it if there is no room. */
static bool keep(struct rtap_tracker *tracker, struct map *map, uint64_t hash, void *value, size_t bytes, size_t most)
{
	if (!value || map->count >= most || !map_add(map, hash, value)) {
		tracker->counters.evictions++;
		free(value);
		return false;
	}
	budget_charge(&tracker->budget, &tracker->messages, bytes);
	state_of(tracker)->bytes += bytes;
	return true;
}

static bool is_name(const void *value, const void *name)
{
	return !strcmp(((const struct nvme_target *)value)->name, name);
}

static uint64_t hash_of_name(const char *name, size_t length)
{
	uint64_t words[(NAME_TEXT + 7) / 8 + 1] = { length };

	memcpy(words + 1, name, length);
	return map_hash(words, 1 + (length + 7) / 8);
}

/* The subsystem of this name, added if unknown. NULL: limit reached, or out of memory. */
static struct nvme_target *find_target(struct rtap_tracker *tracker, const char *name, size_t length)
{
	struct nvme_state *state = state_of(tracker);
	uint64_t hash = hash_of_name(name, length);
	struct nvme_target *target = map_find(&state->targets, hash, is_name, name);

	if (target)
		return target;
	target = memory_new(sizeof *target + length + 1);
	if (target) {
		target->hash = hash;
		target->number = (uint32_t)state->targets.count + 1;
		target->length = (uint32_t)length;
		target->in_capsule = 0;
		memcpy(target->name, name, length + 1);
	}
	return keep(tracker, &state->targets, hash, target, sizeof *target + length + 1, MOST_TARGETS) ? target : NULL;
}

/* A name that the capture truncated is unknown. */
static void learn_name(struct rtap_tracker *tracker, struct nvme_queue *queue, struct rtap_span data)
{
	size_t room = data.length < NVME_CONNECT_SUBNQN ? 0 : data.length - NVME_CONNECT_SUBNQN, most = room < NVME_NQN_LENGTH ? room : NVME_NQN_LENGTH;
	const uint8_t *name = data.bytes + NVME_CONNECT_SUBNQN;
	size_t length = most ? strnlen((const char *)name, most) : 0;
	char text[NAME_TEXT + 1];
	struct line line;

	if (!length || (length == most && most < NVME_NQN_LENGTH))
		return;
	line_init(&line, text, NAME_TEXT);
	line_escaped(&line, name, length);
	*line.next = '\0';
	queue->target = find_target(tracker, text, (size_t)(line.next - text));
}

void nvme_learn_connect(struct rtap_tracker *tracker, struct nvme_queue *queue, struct rtap_span data)
{
	uint16_t controller = data.length >= CONTROLLER_END ? (uint16_t)little_bits(data.bytes, NVME_CONNECT_CNTLID) : UINT16_MAX;

	learn_name(tracker, queue, data);
	/* the admin queue asks for any controller: the response names the one it got */
	if (controller < 0xfff0) {
		queue->has_controller = true;
		queue->controller = controller;
	}
}

static bool is_namespace(const void *value, const void *wanted)
{
	const struct nvme_namespace *namespace = value, *key = wanted;

	return namespace->target == key->target && namespace->nsid == key->nsid && namespace->address_length == key->address_length &&
	       namespace->address[0] == key->address[0] && namespace->address[1] == key->address[1];
}

static const struct rtap_end *controller_of(const struct request *request)
{
	const struct rtap_connection *connection = &request->connection->shown;

	return request->from_a ? &connection->b : &connection->a;
}

static struct nvme_namespace key_of(const struct request *request, uint32_t nsid)
{
	const struct nvme_queue *queue = request->connection->upper_state;
	const struct rtap_end *end = controller_of(request);
	struct nvme_namespace key = { .target = queue->target ? queue->target->number : 0, .nsid = nsid };

	if (!key.target) {
		memcpy(key.address, end->address, end->address_length);
		key.address_length = end->address_length;
	}
	key.hash = map_hash((const uint64_t[]){ key.target, nsid, key.address[0], key.address[1], key.address_length }, 5);
	return key;
}

static struct nvme_namespace *find_namespace(const struct rtap_tracker *tracker, const struct request *request, uint32_t nsid)
{
	struct nvme_namespace key = key_of(request, nsid);

	return map_find(&state_of(tracker)->namespaces, key.hash, is_namespace, &key);
}

void nvme_note_block_size(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, uint32_t size, bool is_sure)
{
	struct nvme_namespace *namespace = find_namespace(tracker, request, nsid);

	if (!namespace) {
		namespace = memory_new(sizeof *namespace);
		if (namespace)
			*namespace = key_of(request, nsid);
		if (!namespace || !keep(tracker, &state_of(tracker)->namespaces, namespace->hash, namespace, sizeof *namespace, MOST_NAMESPACES))
			return;
	}
	if (!namespace->target && namespace->block_size && namespace->block_size != size)
		namespace->is_mixed = true;
	if (is_sure || !namespace->is_sure) {
		namespace->block_size = size;
		namespace->is_sure = is_sure;
	}
}

uint32_t nvme_block_size(const struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, uint32_t own)
{
	const struct nvme_namespace *namespace = find_namespace(tracker, request, nsid);

	if (!namespace || namespace->is_mixed)
		return own;
	return namespace->block_size;
}

uint64_t nvme_zone_blocks(const struct rtap_tracker *tracker, const struct request *request, uint32_t nsid)
{
	const struct nvme_namespace *namespace = find_namespace(tracker, request, nsid);

	return namespace && !namespace->is_mixed ? namespace->zone_blocks : 0;
}

void nvme_learn_namespace(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, const uint8_t *data)
{
	/* bits 6:5 are the high bits of the index */
	unsigned format = (data[FORMATTED_SIZE] & 0xfu) | (data[FORMATTED_SIZE] >> 1 & 0x30u);
	uint8_t log2_size = data[FORMATS + format * FORMAT_LENGTH + 2];
	struct nvme_namespace *namespace;

	if (log2_size < 9 || log2_size > MOST_LOG2_SIZE)
		return;
	nvme_note_block_size(tracker, request, nsid, UINT32_C(1) << log2_size, true);
	namespace = find_namespace(tracker, request, nsid);
	if (namespace)
		namespace->format = (uint8_t)format;
}

void nvme_learn_zones(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, const uint8_t *data)
{
	struct nvme_namespace *namespace = find_namespace(tracker, request, nsid);

	if (namespace && namespace->is_sure)
		namespace->zone_blocks = little_bits(data + ZONE_FORMATS + namespace->format * ZONE_FORMAT_LENGTH, 0, 64);
}

void nvme_learn_controller(struct nvme_queue *queue, const uint8_t *data)
{
	uint64_t size = little_bits(data + CAPSULE_SIZE, 0, 32) * CAPSULE_UNIT;

	if (queue->target && size >= NVME_COMMAND_LENGTH && size < MOST_CAPSULE)
		queue->target->in_capsule = (uint32_t)size - NVME_COMMAND_LENGTH;
}

uint32_t nvme_most_in_capsule(const struct nvme_queue *queue)
{
	return queue->target && queue->target->in_capsule > queue->in_capsule ? queue->target->in_capsule : queue->in_capsule;
}

const char *nvme_target_name(const struct nvme_queue *queue)
{
	return queue->target ? queue->target->name : NULL;
}

void nvme_target_address(const struct request *request, char text[NVME_ADDRESS_TEXT])
{
	const struct rtap_end *end = controller_of(request);
	struct line line;

	line_init(&line, text, NVME_ADDRESS_TEXT - 1);
	line_address(&line, end->address, end->address_length);
	*line.next = '\0';
}

bool nvme_is_identify_namespace(uint32_t code, const uint8_t *command)
{
	return code == NVME_CODE(NVME_SPACE_ADMIN, NVME_IDENTIFY) && command[40] == 0;
}

bool nvme_is_identify_controller(uint32_t code, const uint8_t *command)
{
	return code == NVME_CODE(NVME_SPACE_ADMIN, NVME_IDENTIFY) && command[40] == 1;
}

bool nvme_is_identify_zones(uint32_t code, const uint8_t *command)
{
	return code == NVME_CODE(NVME_SPACE_ADMIN, NVME_IDENTIFY) && command[40] == 5 && command[47] == ZONED;
}

bool nvme_wants_data(uint32_t code, const uint8_t *command)
{
	return code == NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT) || nvme_is_identify_namespace(code, command) ||
	       nvme_is_identify_controller(code, command) || nvme_is_identify_zones(code, command);
}
