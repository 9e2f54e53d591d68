/* A view file of the lab: a plan over its mesh as ParaView opens it. */
#include "experiments/archive/view_file.h"

#include "core/base/array.h"
#include "experiments/archive/view_names.h"
#include "viz/vtkhdf_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

tess_status tess_view_file_write(const tess_plan_content *content, const char *path) {
    if (access(path, R_OK) == 0)
        return TESS_OK;
    char block_size[16];
    snprintf(block_size, sizeof block_size, "%d", content->plan->block_size);
    const tess_view_label labels[] = {
        {"partitioner", content->partitioner},
        {"mesh", file_name(content->bound->mesh->source)},
        {"loop", content->plan->loop},
        {"block_size", block_size},
        {"mesh_digest", content->mesh},
    };
    tess_view_mesh *view = NULL;
    TRY(tess_view_mesh_of_plan(content->bound, content->plan, content->partition->block_of,
                               content->metrics, &view));
    const tess_status status =
        tess_vtkhdf_write(view, content->metrics, sizeof labels / sizeof labels[0], labels, path);
    tess_view_mesh_free(view);
    return status;
}

/* Writes the view of a run on ranks, unless there is one at `path`. */
static tess_status write_ranks(const tess_record *record, const tess_mesh *mesh, const char *path) {
    const tess_rank_map *ranks = &record->ranks;
    char n_ranks[16];
    snprintf(n_ranks, sizeof n_ranks, "%d", ranks->n_ranks);
    const char *cut_by = tess_values_text(&record->configuration, "rank_partitioner");
    const tess_view_label labels[] = {{"partitioner", *cut_by ? cut_by : "rcb"},
                                      {"mesh", file_name(mesh->source)},
                                      {"loop", tess_values_text(&record->configuration, "loop")},
                                      {"ranks", n_ranks}};
    tess_view_mesh *view = NULL;
    if (ranks->n != tess_mesh_set_size(mesh, ranks->set))
        FAIL(TESS_ERROR_INPUT, "the run's mesh has not the %lld %s that it says the ranks of",
             (long long)ranks->n, ranks->set);
    TRY(tess_view_mesh_of_ranks(mesh, ranks->set, ranks->n_ranks, ranks->rank_of, ranks->n_copies,
                                &view));
    const tess_status status =
        tess_vtkhdf_write(view, NULL, sizeof labels / sizeof labels[0], labels, path);
    tess_view_mesh_free(view);
    return status;
}

/* The view of a run on ranks, views/<run>.hdf. */
static tess_status view_of_ranks(const tess_lab *lab, const tess_record *record, char **path) {
    tess_mesh *mesh = NULL;
    TRY(tess_lab_file(lab, "views", record->id, path));
    if (access(*path, R_OK) == 0)
        return TESS_OK;
    TRY(tess_lab_read_mesh(lab, record->mesh, &mesh));
    const tess_status status = write_ranks(record, mesh, *path);
    tess_mesh_free(mesh);
    return status;
}

/* The path of the view that a plan has, or is to have. */
static tess_status view_path(const tess_lab *lab, const tess_record *record, char **path,
                             tess_mesh **mesh, tess_plan_content **content) {
    tess_status status = TESS_OK;
    tess_view_names views = {.n = 0};
    char name[TESS_VIEW_NAME_SIZE];
    CHECK(tess_view_names_read(lab, &views));
    const char *found = tess_view_names_find(&views, record->plan);
    if (!found) {
        CHECK(tess_lab_read_mesh(lab, record->mesh, mesh));
        CHECK(tess_lab_read_plan(lab, record->plan, *mesh, content));
        tess_view_name(*content, record->plan, name);
    }
    CHECK(tess_lab_file(lab, "views", found ? found : name, path));
done:
    tess_view_names_clear(&views);
    return status;
}

/* The view of a run's plan. */
static tess_status view_of_plan(const tess_lab *lab, const tess_record *record, char **path) {
    tess_mesh *mesh = NULL;
    tess_plan_content *content = NULL;
    tess_status status = view_path(lab, record, path, &mesh, &content);
    if (status == TESS_OK && content)
        status = tess_view_file_write(content, *path);
    tess_plan_content_free(content);
    tess_mesh_free(mesh);
    return status;
}

tess_status tess_view_file_of_run(const tess_lab *lab, const char *run_id, char **path) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    char *view = NULL;
    CHECK(tess_lab_read_run(lab, run_id, &record));
    if (record->ranks.set[0])
        CHECK(view_of_ranks(lab, record, &view));
    else if (record->plan[0])
        CHECK(view_of_plan(lab, record, &view));
    else
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "run %s has no plan, and no ranks of up to a million elements: there are "
                        "no blocks to show",
                        run_id));
    *path = TESS_TAKE(view);
done:
    free(view);
    tess_record_free(record);
    return status;
}
