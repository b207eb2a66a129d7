/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of the standards above.
 */
#ifndef OUTPUT_CHECK_SMB_RULES_H
#define OUTPUT_CHECK_SMB_RULES_H

#define SMB_RULES(X)

struct subject;

void smb_rules_packet(struct subject *subject);

#endif
