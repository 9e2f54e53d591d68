/* The digest of a plan: of all that a plan file holds but its metrics, which follow from the rest.
 */
#pragma once

#include "experiments/archive/plan_file.h"

TESS_MUST_CHECK tess_status tess_digest_of_plan(const tess_plan_content *content,
                                                char digest[TESS_DIGEST_SIZE]);
