/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>

#include "reassembly/upper/upper_layers.h"

#define UPPER_DECLARATION(name) extern const struct upper_layer name##_layer;
UPPER_LAYERS(UPPER_DECLARATION)

#define UPPER_ROW(name) &name##_layer,
const struct upper_layer *const upper_layers[] = { UPPER_LAYERS(UPPER_ROW) NULL };

const char *upper_layers_name(size_t index)
{
	for (const struct upper_layer *const *layer = upper_layers; *layer; layer++) {
		if (!index--)
			return (*layer)->name;
		if ((*layer)->beside && !index--)
			return (*layer)->beside;
	}
	return NULL;
}
