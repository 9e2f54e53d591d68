/* A filter: which runs of a table are meant, in words.
 *
 *   partitioner = "metis" and block_size >= 128 and (tag:paper or not outcome = failed)
 *
 * NAME OP VALUE with OP one of = != < <= > >= and ~ (contains the text, in any case); `tag:NAME`;
 * and, or, not, parentheses. NAME is that of records, or a title in whose unit VALUE is (touched_MB
 * < 9). A text equals VALUE as a whole; = and != of texts know * and ? as shells do. A run that
 * lacks NAME fits no comparison but !=. */
#pragma once

#include "experiments/archive/run_table.h"
#include "experiments/archive/tags.h"
#include <stdio.h>

typedef struct tess_filter tess_filter;

/* Parses `text` for a table, which outlives the filter. Fails (USAGE) with the position in the
 * text, what is wrong, and a suggestion for a mistyped name. */
TESS_MUST_CHECK tess_status tess_filter_parse(const char *text, const tess_run_table *table,
                                              tess_filter **out);
bool tess_filter_fits(const tess_filter *filter, const tess_run_table *table, const tess_tags *tags,
                      int64_t row);
/* Prints that no run fits, and how many fit each clause that `and` joins, while the parsed text is
 * there: "no run fits all of: mesh = wing.su2 (0), block_size = 128 (12)". */
void tess_filter_print_misfit(const tess_filter *filter, const tess_run_table *table,
                              const tess_tags *tags, FILE *stream);
void tess_filter_free(tess_filter *filter);
