/* The straight line: what becomes of a loop on a mesh, step by step, up to a checked plan and its
 * metrics. */
#include "experiments/bench/line.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/plan/plan_check.h"
#include "partitioners/refine.h"
#include <stdio.h>
#include <stdlib.h>

/* Seconds since *start, which moves on to now. */
static double lap(double *start) {
    const double now = tess_clock_seconds();
    const double seconds = now - *start;
    *start = now;
    return seconds;
}

/* Which block each element of the partitioned set belongs to; the contract is enforced, repairs are
 * recorded. The same blocks have fewer points between them, where refinement is asked for. */
static tess_status cut_problem(const tess_partition_problem *problem, const tess_setting *setting,
                               tess_line *line) {
    TRY(tess_partitioner_run(setting->partitioner, problem, setting->spec, setting->repair,
                             &line->partition_seconds, &line->partition));
    double clock = tess_clock_seconds();
    if (setting->refine) {
        TRY(tess_refine(problem, line->partition->block_of, setting->refine));
        line->partition_seconds += lap(&clock);
    }
    return TESS_OK;
}

static tess_status take_cut(const tess_cut *cut, tess_line *line) {
    line->partition_seconds = cut->seconds;
    snprintf(line->partition_run, sizeof line->partition_run, "%s", cut->run);
    return tess_partition_copy(cut->partition, &line->partition);
}

/* Cuts the elements, or the points of the to-set `over` where that is no negative number. */
static tess_status cut_into_blocks(const tess_bound_loop *bound, const tess_setting *setting,
                                   int over, tess_line *line) {
    tess_partition_problem *problem = NULL;
    /* What the partitioner sees: the elements, their points, their places. */
    TRY(over < 0 ? tess_partition_problem_build(bound, setting->points, setting->block_size,
                                                setting->seed, &problem)
                 : tess_partition_problem_build_inverse(bound, over, setting->block_size,
                                                        setting->seed, &problem));
    problem->time_limit = setting->time_limit;
    problem->observer = setting->observer;
    const tess_status status = cut_problem(problem, setting, line);
    tess_partition_problem_free(problem);
    return status;
}

tess_status tess_line_run(const tess_bound_loop *bound, const tess_setting *setting,
                          tess_line **out) {
    tess_status status = TESS_OK;
    tess_line *line = NULL;
    CHECK(TESS_ZEROS(1, &line));

    /* Which block each element belongs to, by the partitioner or as cut before. */
    const int over = setting->over ? tess_mesh_find_set(bound->mesh, setting->over) : -1;
    CHECK(setting->cut.partition ? take_cut(&setting->cut, line)
                                 : cut_into_blocks(bound, setting, over, line));

    /* The partition made executable: order, staged points, local indices, colours. */
    double clock = tess_clock_seconds();
    CHECK(over < 0
              ? tess_plan_build(bound, line->partition, &setting->plan, &line->plan)
              : tess_plan_build_owned(bound, over, line->partition, &setting->plan, &line->plan));
    line->plan_seconds = lap(&clock);

    /* Its proof, which shares no code with the builder. */
    CHECK(tess_plan_check(bound, line->partition->block_of, line->plan));
    line->check_seconds = lap(&clock);

    /* Where the points' data lie in memory, and what all of it costs. */
    if (setting->renumber != TESS_RENUMBER_NONE) {
        CHECK(tess_renumber_build(bound, line->plan, setting->renumber, &line->renumbering));
        CHECK(tess_renumbering_check(bound->mesh, line->renumbering));
    }
    CHECK(tess_metrics_of_plan(bound, line->plan, line->renumbering, setting->layout,
                               &line->metrics));
    line->metrics_seconds = lap(&clock);

    *out = line;
    line = NULL;
done:
    tess_line_free(line);
    return status;
}

tess_status tess_line_in_layout(const tess_bound_loop *bound, const tess_line *line,
                                tess_layout layout, tess_line **out) {
    tess_line *other = NULL;
    double clock = tess_clock_seconds();
    TRY(TESS_ZEROS(1, &other));
    *other = *line;
    other->borrows = true;
    other->metrics = NULL;
    const tess_status status =
        tess_metrics_of_plan(bound, line->plan, line->renumbering, layout, &other->metrics);
    other->metrics_seconds = lap(&clock);
    if (status != TESS_OK)
        tess_line_free(other);
    else
        *out = other;
    return status;
}

void tess_line_free(tess_line *line) {
    if (!line)
        return;
    tess_metrics_free(line->metrics);
    if (!line->borrows) {
        tess_renumbering_free(line->renumbering);
        tess_plan_free(line->plan);
        tess_partition_free(line->partition);
    }
    free(line);
}
