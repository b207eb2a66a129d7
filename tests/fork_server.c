/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded before a program, runs its main() many times: dynamic linking takes most of the time of a short run. Requests come from
 * standard input, a Unix socket: struct request with the descriptors of standard input, output, error and the working directory, then the
 * arguments and variables, each ended by a NUL. main() runs in a child with these. Replies are two ints: its process id when it
 * begins, its wait status when it has ended. tests/cli/fork_server.py sends the requests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);

struct request {
	uint32_t bytes; /* of all arguments and variables */
	uint32_t arguments, variables;
};

enum { INPUT, OUTPUT, ERRORS, DIRECTORY, DESCRIPTORS };

static main_function *program;

/* The tests see that the server has ended. */
static void must(int is_good)
{
	if (!is_good)
		_exit(126);
}

/* 0: the other end was closed. */
static int receive(struct request *request, int descriptors[DESCRIPTORS])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
	} control;
	struct iovec part = { request, sizeof *request };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	ssize_t got = recvmsg(STDIN_FILENO, &message, MSG_WAITALL);

	if (!got)
		return 0;
	must(got == sizeof *request && CMSG_FIRSTHDR(&message) && CMSG_FIRSTHDR(&message)->cmsg_len == CMSG_LEN(DESCRIPTORS * sizeof(int)));
	memcpy(descriptors, CMSG_DATA(CMSG_FIRSTHDR(&message)), DESCRIPTORS * sizeof(int));
	return 1;
}

static char **words(char **text, uint32_t count)
{
	char **all = calloc(count + 1, sizeof *all);

	must(all != NULL);
	for (uint32_t i = 0; i < count; i++) {
		all[i] = *text;
		*text += strlen(*text) + 1;
	}
	return all;
}

static int run(const struct request *request, const int descriptors[DESCRIPTORS], char *text)
{
	static char **arguments; /* no leak when main() returns */

	arguments = words(&text, request->arguments);
	environ = words(&text, request->variables);
	must(!fchdir(descriptors[DIRECTORY]));
	for (int i = INPUT; i <= ERRORS; i++)
		must(dup2(descriptors[i], i) == i);
	for (int i = 0; i < DESCRIPTORS; i++)
		close(descriptors[i]);
	return program((int)request->arguments, arguments, environ);
}

static int serve(int count, char **arguments, char **variables)
{
	int descriptors[DESCRIPTORS];
	struct request request;

	(void)count;
	(void)arguments;
	(void)variables;
	while (receive(&request, descriptors)) {
		char *text = malloc(request.bytes);
		int reply[1];
		pid_t child;

		must(text && recv(STDIN_FILENO, text, request.bytes, MSG_WAITALL) == (ssize_t)request.bytes);
		child = fork();
		if (!child)
			return run(&request, descriptors, text);
		must(child > 0);
		free(text);
		for (int i = 0; i < DESCRIPTORS; i++)
			close(descriptors[i]);
		reply[0] = child;
		must(send(STDIN_FILENO, reply, sizeof reply, 0) == sizeof reply);
		must(waitpid(child, reply, 0) == child);
		must(send(STDIN_FILENO, reply, sizeof reply, 0) == sizeof reply);
	}
	_exit(0);
}

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end)
{
	start_function *start;

	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	must(start != NULL);
	program = main;
	return start(serve, count, arguments, init, fini, rtld_fini, stack_end);
}
