/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of commands and status codes.
 */
#ifndef DISSECT_NVME_NVME_NAMES_H
#define DISSECT_NVME_NVME_NAMES_H

#include "dissect/nvme/nvme.h"

extern const struct rtap_name nvme_admin_names[], nvme_io_names[], nvme_fabrics_names[], nvme_either_names[];

/* The code of the command that begins with these five bytes. `queue`: enum nvme_space, if the queue is known to be of that kind. */
uint32_t nvme_code(const uint8_t *command, uint8_t queue);

/* Name of a command by its code; NULL: it has none, or the queue that decides about it is unknown. */
const char *nvme_command_name(uint32_t code);

/* Name of a status, without its retry bits; `code`: of the command. NULL: it has none. Base, 4.2.3; NVM, 3.2. */
const char *nvme_status_name(uint32_t code, uint16_t status);
extern const struct rtap_name nvme_generic_status_names[], nvme_specific_status_names[], nvme_fabrics_status_names[], nvme_media_status_names[],
	nvme_path_status_names[], nvme_status_type_names[];

/* Values of controller properties. */
extern const struct rtap_name nvme_command_set_selections[], nvme_arbitration_names[], nvme_shutdown_requests[], nvme_shutdown_names[];

#endif
