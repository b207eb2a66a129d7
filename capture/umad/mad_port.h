/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port opened for user MADs by libibumad. Whoever opens the same port again in this process shares it: so the answers to what
 * a sender sends come to the capture on the same port.
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

/* Closes it when nobody shares it any more. NULL is ignored. */
void mad_port_close(struct mad_port *port);

/* "mlx5_0/1" */
const char *mad_port_name(const struct mad_port *port);

/* libibumad's id. */
int mad_port_id(const struct mad_port *port);

/*
 * Registers agents, so that what arrives unasked of these classes and methods is received. `classes` is
 * "CLASS[:METHOD[+METHOD...]][,...]"; NULL: every class, with all its methods, that nobody has registered for. Refusals of
 * single classes and methods are no failure, as long as one was registered: *told, to be freed, says which are and which not.
 */
enum rtap_status mad_port_register(struct mad_port *port, const char *classes, char **told, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Whether somebody registered, and so receives what comes. */
bool mad_port_is_captured(struct mad_port *port);

/* Becomes a subnet manager for the rest of the world, as long as the port is open: waits until there is no other, if `wait`. */
enum rtap_status mad_port_become_sm(struct mad_port *port, bool wait,
				    struct rtap_error *error) __attribute__((warn_unused_result));

/* The addresses that a received datagram had: `umad` is libibumad's buffer. */
void mad_port_envelope(struct mad_port *port, void *umad, struct mad_envelope *envelope);

/* Sends a datagram to where the envelope says; what is to be answered is waited for, for `timeout_ms`. FAILED: it was not sent. */
enum rtap_status mad_port_send(struct mad_port *port, const struct mad_envelope *envelope, const uint8_t *mad,
			       uint32_t length,
				unsigned timeout_ms, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
