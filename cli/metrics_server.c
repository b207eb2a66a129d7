/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/metrics_server.h"
#include "cli/print_error.h"

bool metrics_server_is_address(const char *target)
{
	const char *colon = strrchr(target, ':');

	return colon && !strchr(target, '/') && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

#ifndef HAVE_MICROHTTPD

struct metrics_server *metrics_server_open(const char *address)
{
	print_error("--openmetrics %s: this build does not serve HTTP: it was built without libmicrohttpd (--openmetrics FILE writes a file)", address);
	return NULL;
}

void metrics_server_publish(struct metrics_server *server, char *texts[METRICS_FORMATS], const size_t lengths[METRICS_FORMATS])
{
	(void)server;
	(void)texts;
	(void)lengths;
}

void metrics_server_close(struct metrics_server *server)
{
	(void)server;
}

#else

#include <microhttpd.h>

#define MOST_CLIENTS 16
#define TIMEOUT_S 10
#define BACKLOG 16

/*
 * The library is loaded when metrics are served, and not when the program starts: with those that it needs itself, such as GnuTLS, that
 * takes a third of the time of a run over a small capture.
 */
#define LIBRARY "libmicrohttpd.so.12"
#define FUNCTIONS(X) \
	X(start_daemon) X(stop_daemon) X(create_response_from_buffer) X(add_response_header) X(queue_response) X(destroy_response) \
	X(lookup_connection_value)

static struct {
#define FUNCTION_POINTER(name) __typeof__(MHD_##name) *name;
	FUNCTIONS(FUNCTION_POINTER)
#undef FUNCTION_POINTER
} mhd;

struct metrics_server {
	int fd;                    /* -1: the daemon owns it */
	const char *address;       /* for messages; borrowed */
	struct MHD_Daemon *daemon; /* NULL: not started */
	bool failed;
	pthread_mutex_t lock;      /* of the texts */
	char *texts[METRICS_FORMATS];
	size_t lengths[METRICS_FORMATS];
};

static const char *const types[] = {
	[METRICS_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	[METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* Loads the library for the rest of the run. False: failed; an error was printed. */
static bool load_library(const char *address)
{
#define FUNCTION_NAME(name) { "MHD_" #name, (void **)&mhd.name },
	static const struct {
		const char *name;
		void **pointer;
	} functions[] = { FUNCTIONS(FUNCTION_NAME) };
#undef FUNCTION_NAME
	void *library = dlopen(LIBRARY, RTLD_NOW);

	for (size_t i = 0; library && i < sizeof functions / sizeof functions[0]; i++)
		if (!(*functions[i].pointer = dlsym(library, functions[i].name)))
			library = NULL;
	if (!library)
		print_error("--openmetrics %s: %s (Debian: apt install libmicrohttpd12; --openmetrics FILE writes a file)", address, dlerror());
	return library;
}

/* Returns a listening socket. -1: failed; *reason is the cause. */
static int listen_on(const char *host, const char *port, const char **reason)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int result = getaddrinfo(host, port, &hints, &found), one = 1, fd;

	if (result) {
		*reason = gai_strerror(result);
		return -1;
	}
	fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		if (bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, BACKLOG)) {
			result = errno;
			close(fd);
			errno = result;
			fd = -1;
		}
	}
	freeaddrinfo(found);
	*reason = strerror(errno);
	return fd;
}

struct metrics_server *metrics_server_open(const char *address)
{
	struct metrics_server *server = calloc(1, sizeof *server);
	char *host = strdup(address), *port = host ? strrchr(host, ':') : NULL;
	const char *reason = "";

	if (!load_library(address))
		goto failed;
	if (!server || !port || pthread_mutex_init(&server->lock, NULL)) {
		print_error("out of memory");
		goto failed;
	}
	*port++ = 0;
	server->address = address;
	if (*host == '[' && port - 2 > host && port[-2] == ']') {
		port[-2] = 0;
		server->fd = listen_on(host + 1, port, &reason);
	} else {
		/* without an address, only this machine has access */
		server->fd = listen_on(*host ? host : "127.0.0.1", port, &reason);
	}
	free(host);
	if (server->fd >= 0)
		return server;
	print_error("--openmetrics %s: %s", address, reason);
	pthread_mutex_destroy(&server->lock);
	free(server);
	return NULL;
failed:
	free(host);
	free(server);
	return NULL;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *type, const char *text, size_t length)
{
	struct MHD_Response *response = mhd.create_response_from_buffer(length, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	result = mhd.queue_response(connection, status, response);
	mhd.destroy_response(response);
	return result;
}

/* Called in the daemon's thread. */
static enum MHD_Result answer(void *owner, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
			      const char *upload, size_t *upload_size, void **state)
{
	static const char missing[] = "The metrics are at /metrics.\n", wrong[] = "GET only\n";
	struct metrics_server *server = owner;
	const char *accepted = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	enum metrics_format format = accepted && strstr(accepted, "application/openmetrics-text") ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
	enum MHD_Result result;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", wrong, sizeof wrong - 1);
	if (strcmp(url, "/metrics"))
		return answer_text(connection, MHD_HTTP_NOT_FOUND, "text/plain", missing, sizeof missing - 1);
	pthread_mutex_lock(&server->lock);
	result = answer_text(connection, MHD_HTTP_OK, types[format], server->texts[format], server->lengths[format]);
	pthread_mutex_unlock(&server->lock);
	return result;
}

/* Called after root privileges were dropped. */
static void start(struct metrics_server *server)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	server->daemon = mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, server, MHD_OPTION_LISTEN_SOCKET, server->fd,
					  MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
					  MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	server->failed = !server->daemon;
	if (server->daemon)
		server->fd = -1;
	else
		print_error("--openmetrics %s: the server cannot be started", server->address);
}

void metrics_server_publish(struct metrics_server *server, char *texts[METRICS_FORMATS], const size_t lengths[METRICS_FORMATS])
{
	pthread_mutex_lock(&server->lock);
	for (unsigned i = 0; i < METRICS_FORMATS; i++) {
		free(server->texts[i]);
		server->texts[i] = texts[i];
		server->lengths[i] = lengths[i];
	}
	pthread_mutex_unlock(&server->lock);
	if (!server->daemon && !server->failed)
		start(server);
}

void metrics_server_close(struct metrics_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		mhd.stop_daemon(server->daemon);
	if (server->fd >= 0)
		close(server->fd);
	for (unsigned i = 0; i < METRICS_FORMATS; i++)
		free(server->texts[i]);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

#endif
