/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "output/packet/printer_file.h"

static bool is_standard_output(const char *name)
{
	return !strcmp(name, "-");
}

/* Closes the descriptor unless it is the standard output. 0 or -errno. */
static int close_descriptor(const struct printer_file *file)
{
	return !is_standard_output(file->name) && close(file->fd) ? -errno : 0;
}

enum rtap_status printer_file_open(struct printer_file *file, const char *name, struct rtap_error *error)
{
	*file = (struct printer_file){ .name = strdup(name) };
	if (!file->name)
		goto out_of_memory;
	file->fd = is_standard_output(name) ? STDOUT_FILENO : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file->fd < 0) {
		rtap_error_set(error, error_code_of(errno), "%s: %s", name, strerror(errno));
		goto failed;
	}
	if (!printer_init(&file->printer, file->fd, false))
		return RTAP_STATUS_OK;
	(void)!close_descriptor(file);
out_of_memory:
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
failed:
	free(file->name);
	file->name = NULL;
	return RTAP_STATUS_FAILED;
}

enum rtap_status printer_file_close(struct printer_file *file, int result, struct rtap_error *error)
{
	int closed;

	if (!file->name)
		return RTAP_STATUS_OK;
	if (!result)
		result = printer_flush(&file->printer);
	closed = close_descriptor(file);
	if (!result)
		result = closed;
	if (result)
		rtap_error_set(error, error_code_of(-result), "%s: %s", is_standard_output(file->name) ? "standard output" : file->name,
			       strerror(-result));
	printer_fini(&file->printer);
	free(file->name);
	file->name = NULL;
	return result ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;
}
