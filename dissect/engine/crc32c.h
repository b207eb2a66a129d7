/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_ENGINE_CRC32C_H
#define DISSECT_ENGINE_CRC32C_H

#include <stdint.h>

/* CRC-32C (Castagnoli) as in iSCSI and MPA: reflected, initial value and final XOR all ones. RFC 3720, 12.1; RFC 5044, 4.4. */
uint32_t crc32c(const uint8_t *bytes, uint32_t length);

#endif
