/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names in UTF-16.
 */
#ifndef DISSECT_SMB_SMB_TEXT_H
#define DISSECT_SMB_SMB_TEXT_H

#include <stdint.h>

#define SMB_TEXT_MOST 98304 /* bytes of UTF-8 for a name of 65,535 bytes */

/*
 * Appends UTF-16 as UTF-8 at `to`, which has room for 3 bytes for every 2 of `length`; returns its end. A surrogate without its other half
 * gets three bytes, which are no UTF-8.
 */
uint8_t *smb_text_put(uint8_t *to, const uint8_t *utf16, uint32_t length);

#endif
