/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/crc32.h"
#include "reassembly/upper/scsi_login.h"

#define ISID_LENGTH 6

static void take_name(const uint8_t *pair, uint32_t length, const char *key, uint8_t *name, uint8_t *name_length)
{
	size_t before = strlen(key);

	if (length <= before || length - before > SCSI_NAME_LENGTH || memcmp(pair, key, before) != 0)
		return;
	*name_length = (uint8_t)(length - before);
	memcpy(name, pair + before, *name_length);
}

static void take_pair(struct scsi_login *login, const uint8_t *pair, uint32_t length)
{
	static const char solicited[] = "TaggedBufferForSolicitedDataOnly=";

	take_name(pair, length, "InitiatorName=", login->initiator, &login->initiator_length);
	take_name(pair, length, "TargetName=", login->target, &login->target_length);
	if (length > sizeof solicited - 1 && !memcmp(pair, solicited, sizeof solicited - 1))
		login->solicited_only = pair[sizeof solicited - 1] == 'Y' ? 'Y' : 'N';
}

/* Appends to an incomplete key=value pair. */
static void keep_tail(struct scsi_login *login, const uint8_t *text, uint32_t length)
{
	login->is_cut |= length > sizeof login->tail - login->tail_length;
	if (login->is_cut)
		return;
	memcpy(login->tail + login->tail_length, text, length);
	login->tail_length = (uint16_t)(login->tail_length + length);
}

static void take_tail(struct scsi_login *login)
{
	if (!login->is_cut)
		take_pair(login, login->tail, login->tail_length);
	login->is_cut = false;
	login->tail_length = 0;
}

void scsi_login_text(struct scsi_login *login, const uint8_t *text, uint32_t length, bool is_whole, bool continues)
{
	for (uint32_t at = 0, part; at < length; at += part + 1) {
		part = (uint32_t)strnlen((const char *)text + at, length - at);
		if (!at || at + part == length)
			keep_tail(login, text + at, part);
		else
			take_pair(login, text + at, part);
		if (!at && part < length)
			take_tail(login);
	}
	/* its last pair is incomplete */
	login->is_cut |= !is_whole;
	if (!continues)
		take_tail(login);
}

uint32_t scsi_login_nexus(const struct scsi_login *login, const uint8_t *isid)
{
	uint32_t crc = crc32_of(0, isid, ISID_LENGTH);

	crc = crc32_of(crc, &login->initiator_length, 1);
	crc = crc32_of(crc, login->initiator, login->initiator_length);
	crc = crc32_of(crc, login->target, login->target_length);
	crc32_release();
	return crc;
}
