/* An explanation: what a metric, a setting or another word of tables means. */
#pragma once

#include "core/base/unknown_name.h"
#include <stdbool.h>

typedef struct tess_explanation {
    const char *name, *unit, *long_name, *definition;
    int better;         /* 1: larger, -1: smaller; 0: neither */
    const char *titles; /* other words for it, separated by '|' */
} tess_explanation;

/* Finds a word as records or tables have it: "transfer_total", "touched MB", with its unit
 * ("transfer_total [B]"), with the source behind it ("cut@plan"), with '_' for a space. */
bool tess_explanation_find(const char *asked, tess_explanation *out);

/* What tables have for it. */
const char *tess_explanation_title(const tess_explanation *explanation);

/* Offers all words in the place of an unknown one; what is listed are the metrics. */
void tess_explanation_offer(tess_unknown_name *unknown);
