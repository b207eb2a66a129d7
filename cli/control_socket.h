/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A Unix datagram socket from which the flight recorder takes "trigger TEXT".
 */
#ifndef CLI_CONTROL_SOCKET_H
#define CLI_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

struct control_socket {
	int fd;           /* -1: none */
	const char *path; /* borrowed */
};

/* Creates the socket, accessible to its owner only; replaces a socket that no program has open. False: failed; an error was printed. */
bool control_socket_open(struct control_socket *control, const char *path);

/* True: a datagram was received, and `text` is what follows "trigger", printable ASCII only. Does not block. */
bool control_socket_take(struct control_socket *control, char *text, size_t size);

void control_socket_close(struct control_socket *control);

#endif
