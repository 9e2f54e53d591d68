/* Chosen runs: the options by which commands say which runs of a lab are meant, in which order. */
#include "experiments/cli/chosen_runs.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include <stdio.h>
#include <string.h>

/* Also notes that there is a limit. */
static tess_status read_limit(const char *option, const char *value, void *chosen) {
    tess_chosen_runs *into = chosen;
    into->limited = true;
    return tess_argument_integer(option, value, 0, 1000000000, &into->limit);
}

const tess_option_row tess_chosen_rows[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)",
     TESS_KEPT(tess_chosen_runs, lab)},
    {"where", 'w', "FILTER",
     "Only runs that fit, as: 'partitioner = \"metis\" and block_size >= 128 and tag:paper'. "
     "= != < <= > >=; ~ contains the text; and, or, not, (...); * and ? as in shells",
     TESS_KEPT(tess_chosen_runs, where), TESS_ONE_FILTER},
    {"sort", 'k', "NAME,...", "Sort by these; -NAME: largest first (default: by time)",
     TESS_KEPT(tess_chosen_runs, sort)},
    {"limit", 'n', "N", "Only the last N; with --sort the first N", .read = read_limit},
    {0}};

/* Tells of plug-ins with options, which "partitioner = metis" does not mean. */
static void tell_options(const tess_query *query, const char *where) {
    static const char *const plugins[] = {"partitioner", "strategy"};
    for (int i = 0; i < 2; i++) {
        char name[64] = "";
        tess_run_field field;
        const char *at = strstr(where, plugins[i]);
        if (!at || sscanf(at + strlen(plugins[i]), " =%*[ \"]%63[A-Za-z0-9_-]", name) != 1 ||
            strchr(where, '*') || !tess_run_table_find(query->table, plugins[i], &field))
            continue;
        int64_t n = 0;
        for (int64_t row = 0; row < query->table->n_rows; row++) {
            const char *text = tess_run_text(query->table, &field, row);
            n += strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':';
        }
        if (n > 0)
            fprintf(stderr, "tess: %lld run%s %s with options: '%s = %s*' means them, too\n",
                    (long long)n, n == 1 ? " has" : "s have", name, plugins[i], name);
    }
}

static tess_status keep_chosen(const tess_chosen_runs *chosen, bool quiet, tess_query *query) {
    if (query->n_unreadable)
        fprintf(stderr, "tess: warning: %lld run%s left out that cannot be read: %s\n",
                (long long)query->n_unreadable, query->n_unreadable == 1 ? " is" : "s are",
                tess_message());
    if (chosen->where)
        TRY(tess_query_filter(query, chosen->where));
    if (chosen->where && !quiet && !strchr(chosen->where, ':'))
        tell_options(query, chosen->where);
    if (chosen->sort)
        TRY(tess_query_sort(query, chosen->sort));
    if (chosen->limited && chosen->sort)
        query->n_rows = chosen->limit < query->n_rows ? chosen->limit : query->n_rows;
    else if (chosen->limited)
        tess_query_keep_last(query, chosen->limit);
    return TESS_OK;
}

tess_status tess_chosen_runs_open(const tess_chosen_runs *chosen, bool quiet, tess_query **out) {
    tess_status status = TESS_OK;
    tess_query *query = NULL;
    CHECK(tess_query_open(chosen->lab, &query));
    CHECK(keep_chosen(chosen, quiet, query));
    *out = TESS_TAKE(query);
done:
    tess_query_close(query);
    return status;
}

tess_status tess_chosen_runs_find(const tess_chosen_runs *chosen, bool quiet, tess_query **out) {
    tess_status status = TESS_OK;
    tess_query *query = NULL;
    CHECK(tess_chosen_runs_open(chosen, quiet, &query));
    if (query->n_rows == 0)
        CHECK(query->misfit
                  ? tess_fail(TESS_ERROR_INPUT, "%s", query->misfit)
                  : tess_fail(TESS_ERROR_INPUT,
                              query->table->n_rows ? "no run fits" : "the lab %s has no runs yet",
                              tess_lab_folder(query->lab)));
    *out = TESS_TAKE(query);
done:
    tess_query_close(query);
    return status;
}
