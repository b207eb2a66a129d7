/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/control_socket.h"
#include "cli/print_error.h"

static const char word[] = "trigger";

/* Whether the socket was left by a program that has ended: nobody receives from it. */
static bool is_stale(int fd, const struct sockaddr_un *address)
{
	struct stat found;

	return !lstat(address->sun_path, &found) && S_ISSOCK(found.st_mode) &&
	       connect(fd, (const struct sockaddr *)address, sizeof *address) && errno == ECONNREFUSED;
}

static bool bind_to(int fd, const struct sockaddr_un *address)
{
	mode_t mask = umask(S_IRWXG | S_IRWXO);
	bool bound = !bind(fd, (const struct sockaddr *)address, sizeof *address);
	int reason = errno;

	umask(mask);
	errno = reason;
	return bound;
}

bool control_socket_open(struct control_socket *control, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	control->path = path;
	control->fd = -1;
	if (strlen(path) >= sizeof address.sun_path) {
		print_error("--control %s: longer than the %zu bytes of a socket's name", path, sizeof address.sun_path - 1);
		return false;
	}
	strcpy(address.sun_path, path);
	control->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->fd >= 0 && (bind_to(control->fd, &address) ||
				 (errno == EADDRINUSE && is_stale(control->fd, &address) && !unlink(path) && bind_to(control->fd, &address))))
		return true;
	print_error("--control %s: %s", path, strerror(errno));
	if (control->fd >= 0)
		close(control->fd);
	control->fd = -1;
	return false;
}

bool control_socket_take(struct control_socket *control, char *text, size_t size)
{
	char message[256];
	ssize_t length = control->fd < 0 ? -1 : recv(control->fd, message, sizeof message, 0);
	size_t begin = sizeof word - 1, at = 0;

	if (length < (ssize_t)begin || memcmp(message, word, begin))
		return false;
	while (begin < (size_t)length && message[begin] == ' ')
		begin++;
	for (; begin < (size_t)length && message[begin] != '\n' && at + 1 < size; begin++)
		text[at++] = message[begin] >= ' ' && message[begin] <= '~' ? message[begin] : '?';
	text[at] = 0;
	return true;
}

void control_socket_close(struct control_socket *control)
{
	if (control->fd < 0)
		return;
	close(control->fd);
	/* may fail after root privileges were dropped */
	(void)!unlink(control->path);
	control->fd = -1;
}
