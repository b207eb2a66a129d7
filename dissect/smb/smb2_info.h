/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Information classes of files and file systems.
 */
#ifndef DISSECT_SMB_SMB2_INFO_H
#define DISSECT_SMB_SMB2_INFO_H

#include <stdint.h>

/* The name of the class, or of its type (enum smb2_info_class) if that has none with names. NULL: unknown. [MS-FSCC] 2.4, 2.5 */
const char *smb2_info_name(uint8_t type, uint8_t class);

#endif
