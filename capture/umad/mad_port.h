/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port opened for user MADs with libibumad. Opening the same port again in this process shares it, so that a capture on the port
 * receives the responses to a sender's requests.
 */
#ifndef CAPTURE_UMAD_MAD_PORT_H
#define CAPTURE_UMAD_MAD_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/error.h>

#include "capture/umad/mad_frame.h"

struct mad_port;

/* Opens "DEVICE" (its first end port) or "DEVICE/PORT". No agents yet. FAILED: *port is NULL. */
enum rtap_status mad_port_open(struct mad_port **port, const char *name,
			       struct rtap_error *error) __attribute__((warn_unused_result));

/* Closes the port when its last user calls this. NULL is ignored. */
void mad_port_close(struct mad_port *port);

/* "mlx5_0/1" */
const char *mad_port_name(const struct mad_port *port);

/* The port id of libibumad. */
int mad_port_id(const struct mad_port *port);

/*
 * Registers agents for unsolicited MADs of these classes and methods. `classes` is "CLASS[:METHOD[+METHOD...]][,...]"; NULL: all
 * classes, with all methods, for which no other program has registered. Refusal of some classes and methods is not a failure if at
 * least one was registered: *report, to be freed by the caller, lists both.
 */
enum rtap_status mad_port_register(struct mad_port *port, const char *classes, char **report, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Returns whether mad_port_register() was called, so that a capture receives MADs. */
bool mad_port_is_captured(struct mad_port *port);

/* Sets the IsSM capability while the port is open; with `wait`, waits until no other program holds it. */
enum rtap_status mad_port_become_sm(struct mad_port *port, bool wait,
				    struct rtap_error *error) __attribute__((warn_unused_result));

/* Reads the addresses of a received datagram: `umad` is libibumad's buffer. */
void mad_port_envelope(struct mad_port *port, void *umad, struct mad_envelope *envelope);

/* Sends a datagram to the envelope's destination; responses to requests are accepted for `timeout_ms`. FAILED: not sent. */
enum rtap_status mad_port_send(struct mad_port *port, const struct mad_envelope *envelope, const uint8_t *mad,
			       uint32_t length,
				unsigned timeout_ms, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
