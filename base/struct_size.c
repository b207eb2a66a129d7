/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/struct_size.h"

enum rtap_status struct_size_take(void *own, size_t own_size, const void *options, struct rtap_error *error)
{
	const uint8_t *bytes = options;
	size_t size;

	memset(own, 0, own_size);
	if (!options)
		return RTAP_STATUS_OK;
	memcpy(&size, options, sizeof size);
	if (size < sizeof size) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "the size of the options is not set");
		return RTAP_STATUS_FAILED;
	}
	for (size_t i = own_size; i < size; i++)
		if (bytes[i]) {
			rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "an option is set that this version of the library does not have");
			return RTAP_STATUS_FAILED;
		}
	memcpy(own, options, size < own_size ? size : own_size);
	return RTAP_STATUS_OK;
}

void struct_size_give(void *result, size_t size, const void *own, size_t own_size)
{
	size_t known = size < own_size ? size : own_size;

	memcpy(result, own, known);
	memset((uint8_t *)result + known, 0, size - known);
}
