/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration.
 */
#ifndef DISSECT_MANAGEMENT_SA_H
#define DISSECT_MANAGEMENT_SA_H

#include "dissect/engine/parse.h"

/*
 * Takes the data of an RMPP segment after its header: records, if the segment is the only one or the context has the data of all;
 * otherwise plain data.
 */
void sa_take_segment(struct parse *parse, const uint8_t *header);

#endif
