/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User MADs as a live device: each datagram received by the agents registered on a port is a packet.
 */
#include "config.h"

#include "base/error.h"
#include "capture/live.h"

#ifdef HAVE_UMAD

#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdmatap/device.h>

#include "capture/live/live_device.h"
#include "capture/umad/mad_port.h"

#define FIRST_ROOM 2048         /* bytes of a datagram; a longer message makes it grow */
#define RESPONSE_MS 1000        /* that a response is waited for */

/* IBTA vol. 1, 13.4.5; the most significant bit marks a response */
#define METHOD_RESPONSE 0x80
#define METHOD_SEND 0x03
#define METHOD_TRAP 0x05
#define METHOD_TRAP_REPRESS 0x07
#define RMPP_FLAGS 26
#define RMPP_ACTIVE 0x01

struct umad_device {
	struct live_device device; /* the first member */
	struct mad_port *port;
	char *description;         /* which agents were registered */
	void *buffer;              /* libibumad's header and a message */
	uint32_t room;             /* maximum length of a message */
	/* A received message that is not completely delivered yet. */
	uint32_t length;           /* 0: none */
	uint32_t segment;          /* the next one of it */
	struct mad_envelope envelope;
	int64_t time_ns;
	uint32_t psn;              /* a counter: the PSNs on the wire are unknown */
	uint64_t received;
};

static enum rtap_status out_of_memory(const struct umad_device *device, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "umad:%s: out of memory", mad_port_name(device->port));
	return RTAP_STATUS_FAILED;
}

/* Delivers the rest of the message as far as it fits. False: nothing left, or out of memory. */
static bool hand_over(struct umad_device *device, struct batch *batch)
{
	const uint8_t *message = umad_get_mad(device->buffer);
	uint32_t count = mad_segment_count(message, device->length);
	uint32_t snap = device->device.interface.snap_length;

	for (; device->segment < count; device->segment++) {
		uint8_t mad[MAD_JUMBO_LENGTH], bytes[MAD_FRAME_LENGTH(MAD_JUMBO_LENGTH)];
		uint32_t length = mad_segment(message, device->length, device->segment, mad);
		struct rtap_frame frame = { .bytes = bytes, .link_type = RTAP_LINK_ERF, .time_ns = device->time_ns };

		length = mad_frame_make(bytes, &device->envelope, mad, length, device->psn, device->time_ns);
		frame.wire_length = length;
		frame.captured_length = snap && length > snap ? snap : length;
		if (!live_append(&device->device, batch, &frame))
			return false;
		device->psn++;
		device->received++;
	}
	device->length = 0;
	return true;
}

/* The status of one of our own datagrams, returned by the kernel. */
static void report_unsent(struct umad_device *device, int status, struct rtap_error *error)
{
	const uint8_t *mad = umad_get_mad(device->buffer);
	unsigned lid = be16toh(umad_get_mad_addr(device->buffer)->lid), attribute = (unsigned)mad[16] << 8 | mad[17];

	if (status == ETIMEDOUT && mad[3] & METHOD_RESPONSE)
		rtap_error_set(error, RTAP_ERROR_EVENT,
			       "umad:%s: the response 0x%02x of class 0x%02x, attribute 0x%04x, to LID %u was not acknowledged",
			       mad_port_name(device->port), mad[3], mad[1], attribute, lid);
	else if (status == ETIMEDOUT)
		rtap_error_set(error, RTAP_ERROR_EVENT, "umad:%s: no response to method 0x%02x of class 0x%02x, attribute 0x%04x, from LID %u",
			       mad_port_name(device->port), mad[3], mad[1], attribute, lid);
	else
		rtap_error_set(error, RTAP_ERROR_EVENT, "umad:%s: method 0x%02x of class 0x%02x, attribute 0x%04x, to LID %u was not sent: %s",
			       mad_port_name(device->port), mad[3], mad[1], attribute, lid, strerror(status));
}

/* Makes room for a message of this length. */
static bool make_room(struct umad_device *device, uint32_t length)
{
	void *larger = realloc(device->buffer, umad_size() + length);

	if (!larger)
		return false;
	device->buffer = larger;
	device->room = length;
	return true;
}

/*
 * Receives one message. *got: a message was received or, with BROKEN, an error is to be reported instead. A message that exceeds
 * the buffer remains in the kernel, which returns its length.
 */
static enum rtap_status receive_one(struct umad_device *device, unsigned timeout_ms, bool *got, struct rtap_error *error)
{
	int length, result, reason;
	struct timespec now;

	*got = false;
	for (;;) {
		length = (int)device->room;
		errno = 0;
		result = umad_recv(mad_port_id(device->port), device->buffer, &length, (int)timeout_ms);
		reason = errno;
		if (result >= 0)
			break;
		if (reason == ENOSPC && length > (int)device->room) {
			if (!make_room(device, (uint32_t)length))
				return out_of_memory(device, error);
			continue;
		}
		/* libibumad returns the error as its result, in errno, or both */
		if (result == -ETIMEDOUT || result == -EWOULDBLOCK || reason == ETIMEDOUT || reason == EWOULDBLOCK || reason == EINTR)
			return RTAP_STATUS_OK;
		rtap_error_set(error, error_code_of(reason ? reason : -result),
			       "umad:%s: receiving fails: %s; what was captured before is kept", mad_port_name(device->port),
			       strerror(reason ? reason : -result));
		return RTAP_STATUS_FAILED;
	}
	*got = true;
	if (length < 0 || length > (int)device->room)
		length = (int)device->room;
	if (length < MAD_LENGTH)
		memset((uint8_t *)umad_get_mad(device->buffer) + length, 0, (size_t)(MAD_LENGTH - length));
	if (umad_status(device->buffer)) {
		report_unsent(device, umad_status(device->buffer), error);
		return RTAP_STATUS_BROKEN;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	device->time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	device->length = length < MAD_LENGTH ? MAD_LENGTH : (uint32_t)length;
	device->segment = 0;
	mad_port_envelope(device->port, device->buffer, &device->envelope);
	return RTAP_STATUS_OK;
}

static enum rtap_status umad_device_receive(struct live_device *live, struct batch *batch, unsigned timeout_ms,
					    struct rtap_error *error)
{
	struct umad_device *device = (struct umad_device *)live;
	enum rtap_status status = RTAP_STATUS_OK;
	bool got = true;

	while (!status && got) {
		if (device->length && !hand_over(device, batch))
			return batch->closed ? RTAP_STATUS_OK : out_of_memory(device, error);
		if (batch->closed)
			return RTAP_STATUS_OK;
		status = receive_one(device, timeout_ms, &got, error);
		timeout_ms = 0;
	}
	return status;
}

static void umad_device_statistics(struct live_device *live, struct live_statistics *statistics)
{
	const struct umad_device *device = (const struct umad_device *)live;

	*statistics = (struct live_statistics){ .received = { true, device->received } };
}

static void umad_device_close(struct live_device *live)
{
	struct umad_device *device = (struct umad_device *)live;

	mad_port_close(device->port);
	free(device->description);
	free(device->buffer);
	free(device);
}

static const struct live_operations operations = {
	.receive = umad_device_receive,
	.statistics = umad_device_statistics,
	.close = umad_device_close,
};

static enum rtap_status set_up(struct umad_device *device, const char *name, const struct rtap_live_options *options,
			       struct rtap_error *error)
{
	struct rtap_interface *interface = &device->device.interface;
	enum rtap_status status = mad_port_open(&device->port, name, error);

	if (!status)
		status = mad_port_register(device->port, options->mad_classes, &device->description, error);
	if (!status && options->become_sm)
		status = mad_port_become_sm(device->port, options->wait_for_sm, error);
	if (status)
		return status;
	if (!make_room(device, FIRST_ROOM))
		return out_of_memory(device, error);
	interface->name = mad_port_name(device->port);
	interface->description = device->description;
	interface->link_type = RTAP_LINK_ERF;
	interface->snap_length = options->snap_length;
	interface->time_digits = 9;
	return RTAP_STATUS_OK;
}

static enum rtap_status umad_kind_open(struct live_device **live, const char *name, const struct rtap_live_options *options,
				       struct rtap_error *error)
{
	struct umad_device *device = calloc(1, sizeof *device);

	*live = NULL;
	if (!device) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "umad:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	device->device.operations = &operations;
	if (set_up(device, name, options, error)) {
		umad_device_close(&device->device);
		return RTAP_STATUS_FAILED;
	}
	*live = &device->device;
	return RTAP_STATUS_OK;
}

static bool umad_kind_knows(const char *name)
{
	struct rtap_devices *devices;
	struct rtap_end_port found;
	struct rtap_error error;
	bool known = rtap_devices_open(&devices, NULL, &error) == RTAP_STATUS_OK &&
		     rtap_devices_find_name(devices, name, false, &found, &error) == RTAP_LOOKUP_FOUND;

	rtap_devices_close(devices);
	return known;
}

static bool list_port(const struct rtap_device *device, const struct rtap_port *port,
		      void (*take)(void *owner, struct rtap_live_entry *entry), void *owner)
{
	const char *state = port && port->state.known ? rtap_port_state_name(port->state.value) : NULL;
	char name[300], description[600];
	struct rtap_live_entry entry = {
		.name = name, .description = description, .state = state ? state : "", .obstacle = "", .link_type = RTAP_LINK_ERF,
	};

	if (!port)
		return false;
	if (!port->umad)
		return true;
	snprintf(name, sizeof name, "%s/%u", device->name, port->number);
	snprintf(description, sizeof description, "management datagrams%s%s", device->hca_type ? " of " : "",
		 device->hca_type ? device->hca_type : "");
	take(owner, &entry);
	return true;
}

static enum rtap_status umad_kind_list(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner,
				       struct rtap_error *error)
{
	struct rtap_devices *devices;
	enum rtap_status status = rtap_devices_open(&devices, NULL, error);

	if (status)
		return status == RTAP_STATUS_END ? RTAP_STATUS_OK : status;
	for (size_t i = 0; !status && i < rtap_devices_count(devices); i++) {
		const struct rtap_device *device = rtap_devices_device(devices, i);
		bool listed = device;

		for (size_t j = 0; listed && j < device->port_count; j++)
			listed = list_port(device, rtap_devices_port(devices, i, j), take, owner);
		if (!listed) {
			rtap_error_set(error, RTAP_ERROR_MEMORY, "umad: out of memory");
			status = RTAP_STATUS_FAILED;
		}
	}
	rtap_devices_close(devices);
	return status;
}

struct umad_sender {
	struct rtap_sender sender; /* the first member */
	struct umad_device receiver; /* for returned datagrams, if there is no capture */
	uint64_t awaited;          /* responses, or reports that there is none */
};

/* Responses, and requests without responses, are sent without waiting. */
static bool is_answered(uint8_t method)
{
	return !(method & METHOD_RESPONSE) && method != METHOD_SEND && method != METHOD_TRAP && method != METHOD_TRAP_REPRESS;
}

static enum rtap_status send_frame(struct umad_sender *umad, const struct rtap_frame *frame, struct rtap_error *error)
{
	struct mad_port *port = umad->receiver.port;
	enum rtap_status status;
	struct mad_envelope envelope;
	const uint8_t *mad;
	uint32_t length;
	const char *wrong = mad_frame_read(frame->bytes, frame->captured_length, &envelope, &mad, &length);

	if (!wrong && mad_has_rmpp(mad[1]) && mad[RMPP_FLAGS] & RMPP_ACTIVE)
		wrong = "it is a part of an RMPP transfer, which cannot be sent by itself";
	if (wrong) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "umad:%s: this frame cannot be sent: %s", mad_port_name(port), wrong);
		return RTAP_STATUS_FAILED;
	}
	status = mad_port_send(port, &envelope, mad, length, is_answered(mad[3]) ? RESPONSE_MS : 0, error);
	umad->awaited += !status && is_answered(mad[3]);
	return status;
}

static enum rtap_status umad_sender_send(struct rtap_sender *sender, const struct rtap_frame *frames, size_t count,
					 size_t *sent,
					 struct rtap_error *error)
{
	struct umad_sender *umad = (struct umad_sender *)sender;

	for (*sent = 0; *sent < count; ++*sent)
		if (send_frame(umad, &frames[*sent], error))
			return RTAP_STATUS_FAILED;
	return RTAP_STATUS_OK;
}

/*
 * ib_umad accepts a datagram on write, but discards unsent ones when the port is closed: so wait for the responses to requests,
 * unless a capture does that.
 */
static enum rtap_status umad_sender_flush(struct rtap_sender *sender, uint64_t *lost, struct rtap_error *error)
{
	struct umad_sender *umad = (struct umad_sender *)sender;
	unsigned waited_ms = 0;

	*lost = 0;
	while (umad->awaited && waited_ms <= RESPONSE_MS && !mad_port_is_captured(umad->receiver.port)) {
		bool got;
		enum rtap_status status = receive_one(&umad->receiver, LIVE_TICK_MS, &got, error);

		if (status == RTAP_STATUS_FAILED)
			return status;
		umad->awaited -= got;
		waited_ms = got ? 0 : waited_ms + LIVE_TICK_MS;
	}
	umad->awaited = 0;
	return RTAP_STATUS_OK;
}

static void umad_sender_close(struct rtap_sender *sender)
{
	struct umad_sender *umad = (struct umad_sender *)sender;

	mad_port_close(umad->receiver.port);
	free(umad->receiver.buffer);
	free(umad);
}

static const struct live_sender_operations sender_operations = { umad_sender_send, umad_sender_flush, umad_sender_close, NULL };

static enum rtap_status umad_kind_open_sender(struct rtap_sender **sender, const char *name, struct rtap_error *error)
{
	struct umad_sender *umad = calloc(1, sizeof *umad);

	*sender = NULL;
	if (!umad) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "umad:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	umad->sender.operations = &sender_operations;
	umad->sender.link_type = RTAP_LINK_ERF;
	if (mad_port_open(&umad->receiver.port, name, error) || !make_room(&umad->receiver, FIRST_ROOM)) {
		if (umad->receiver.port)
			out_of_memory(&umad->receiver, error);
		umad_sender_close(&umad->sender);
		return RTAP_STATUS_FAILED;
	}
	*sender = &umad->sender;
	return RTAP_STATUS_OK;
}

const struct live_kind live_umad = {
	.name = "umad",
	.knows = umad_kind_knows,
	.open = umad_kind_open,
	.list = umad_kind_list,
	.open_sender = umad_kind_open_sender,
};

#else

const struct live_kind live_umad = {
	.name = "umad",
	.missing = "rdmatap was built without libibumad (install libibumad-dev, then configure and make again)",
};

#endif
