/* The chains of a march, as the program tells them. */
#pragma once

#include "core/base/json.h"
#include "experiments/bench/march.h"

/* Prints a line for each chain: its loops, its rings, what it does not store. */
void tess_march_chains_print(const tess_march *march);

/* Gives them as an array of objects; NULL: the march is without chains. */
json_t *tess_march_chains_json(const tess_march *march);
