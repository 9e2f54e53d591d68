/* A view file of the lab: a plan over its mesh as ParaView opens it. */
#include "experiments/archive/view_file.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "experiments/archive/view_names.h"
#include "kernels/devices/disk_cache.h"
#include "viz/view_blocks.h"
#include "viz/vtkhdf_writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tess_status tess_view_beside(const char *view, const char *ending, char **path) {
    return tess_text_print(path, "%.*s%s", (int)(strlen(view) - strlen(".hdf")), view, ending);
}

/* Writes a view mesh, and frees it, as the view `path` that `source` describes; its blocks beside.
 */
static tess_status write_mesh(tess_view_mesh *view, const tess_view_source *source,
                              const char *path) {
    tess_status status = TESS_OK;
    tess_view_mesh *blocks = NULL;
    char *blocks_path = NULL;
    tess_view_source unnamed = *source;
    unnamed.of = NULL;
    CHECK(tess_view_mesh_of_blocks(view, &blocks));
    CHECK(tess_view_beside(path, TESS_VIEW_BLOCKS, &blocks_path));
    CHECK(tess_vtkhdf_write(blocks, &unnamed, blocks_path));
    CHECK(tess_vtkhdf_write(view, source, path));
done:
    tess_view_mesh_free(blocks);
    tess_view_mesh_free(view);
    free(blocks_path);
    return status;
}

static tess_status write_plan(const tess_plan_content *content, const char *plan, const char *run,
                              const char *path) {
    char block_size[16];
    snprintf(block_size, sizeof block_size, "%d", content->plan->block_size);
    const tess_view_label labels[] = {
        {"partitioner", content->partitioner},
        {"mesh", tess_last_of_path(content->bound->mesh->source)},
        {"loop", content->plan->loop},
        {"block_size", block_size},
        {"mesh_digest", content->mesh},
        {"plan_digest", plan},
        {"run", run},
    };
    tess_view_mesh *view = NULL;
    TRY(tess_view_mesh_of_plan(content->bound, content->plan, content->partition->block_of,
                               content->metrics, &view));
    const tess_view_source source = {.of = plan,
                                     .version = TESS_VIEW_VERSION,
                                     .metrics = content->metrics,
                                     .n_labels = sizeof labels / sizeof labels[0],
                                     .labels = labels};
    return write_mesh(view, &source, path);
}

static tess_status write_ranks(const tess_record *record, const tess_mesh *mesh, const char *path) {
    const tess_rank_map *ranks = &record->ranks;
    char n_ranks[16];
    snprintf(n_ranks, sizeof n_ranks, "%d", ranks->n_ranks);
    const char *cut_by = tess_values_text(&record->configuration, "rank_partitioner");
    const tess_view_label labels[] = {{"partitioner", *cut_by ? cut_by : "rcb"},
                                      {"mesh", tess_last_of_path(mesh->source)},
                                      {"loop", tess_values_text(&record->configuration, "loop")},
                                      {"ranks", n_ranks},
                                      {"mesh_digest", record->mesh},
                                      {"run", record->id}};
    tess_view_mesh *view = NULL;
    if (ranks->n != tess_mesh_set_size(mesh, ranks->set))
        FAIL(TESS_ERROR_INPUT, "the run's mesh has not the %lld %s that it says the ranks of",
             (long long)ranks->n, ranks->set);
    TRY(tess_view_mesh_of_ranks(mesh, ranks->set, ranks->n_ranks, ranks->rank_of, ranks->n_copies,
                                &view));
    const tess_view_source source = {.of = record->id,
                                     .version = TESS_VIEW_VERSION,
                                     .n_labels = sizeof labels / sizeof labels[0],
                                     .labels = labels};
    return write_mesh(view, &source, path);
}

static tess_status write_chain(const tess_record *record, const tess_mesh *mesh, const char *path) {
    const tess_chain_map *chain = &record->chain;
    char rings[16], blocks[16];
    snprintf(rings, sizeof rings, "%d", chain->blocks->n_rings);
    snprintf(blocks, sizeof blocks, "%d", chain->blocks->n_blocks);
    const tess_view_label labels[] = {
        {"partitioner", tess_values_text(&record->configuration, "partitioner")},
        {"mesh", tess_last_of_path(mesh->source)},
        {"loop", chain->loops},
        {"block_size", tess_values_text(&record->configuration, "block_size")},
        {"blocks", blocks},
        {"rings", rings},
        {"mesh_digest", record->mesh},
        {"run", record->id}};
    tess_view_mesh *view = NULL;
    TRY(tess_fail_at(tess_view_mesh_of_chain(mesh, chain->set, chain->blocks, &view), "run %s",
                     record->id));
    const tess_view_source source = {.of = record->id,
                                     .version = TESS_VIEW_VERSION,
                                     .n_labels = sizeof labels / sizeof labels[0],
                                     .labels = labels};
    return write_mesh(view, &source, path);
}

/* Whether the lab is somebody else's, who does not let us write there. */
static bool is_read_only(const tess_lab *lab) {
    char path[TESS_PATH_SIZE];
    if (tess_lab_path(lab, path, "views") != TESS_OK)
        return false;
    if (access(path, F_OK) != 0 && tess_lab_path(lab, path, "%s", "") != TESS_OK)
        return false;
    return access(path, W_OK | X_OK) != 0 && (errno == EACCES || errno == EROFS);
}

/* Looks for the view of `of`; gives its path, or NULL. One of 0.1, or without its blocks, is
 * deleted: it is written anew. */
static tess_status find_view(const tess_lab *lab, const char *of, char **path) {
    tess_status status = TESS_OK;
    tess_view_names views = {.n = 0};
    char *found = NULL, *blocks = NULL;
    CHECK(tess_view_names_read(lab, &views));
    const tess_view_entry *view = tess_view_names_find(&views, of);
    if (view)
        CHECK(tess_lab_file(lab, "views", view->name, &found));
    if (view && view->version >= TESS_VIEW_VERSION)
        CHECK(tess_view_beside(found, TESS_VIEW_BLOCKS, &blocks));
    if (blocks && access(blocks, R_OK) == 0)
        *path = TESS_TAKE(found);
    else if (view && !is_read_only(lab))
        CHECK(tess_view_delete(lab, view->name));
done:
    tess_view_names_clear(&views);
    free(found);
    free(blocks);
    return status;
}

/* The path where the view of `of` is written before it is given its short name: no other view's.
 * Of a lab that cannot be written it lies in the cache and keeps that name. */
static tess_status long_path(const tess_lab *lab, const char *name, const char *of, char **path) {
    char longer[TESS_VIEW_NAME_SIZE + TESS_DIGEST_SIZE];
    const int length = strlen(of) == TESS_DIGEST_SIZE - 1 ? 12 : TESS_RUN_ID_SIZE;
    snprintf(longer, sizeof longer, "%s.%.*s", name, length, of);
    if (is_read_only(lab)) {
        char *folder = NULL;
        TRY(tess_cache_directory("views", &folder));
        const tess_status status =
            tess_text_print(path, "%s/%s.%d.hdf", folder, longer, TESS_VIEW_VERSION);
        free(folder);
        return status;
    }
    TRY(tess_lab_make_views(lab));
    return tess_lab_file(lab, "views", longer, path);
}

/* Whether a view with its blocks is at the path, as in the cache. */
static bool is_there(const char *path) {
    char *blocks = NULL;
    const bool there = access(path, R_OK) == 0 &&
                       tess_view_beside(path, TESS_VIEW_BLOCKS, &blocks) == TESS_OK &&
                       access(blocks, R_OK) == 0;
    free(blocks);
    return there;
}

/* Gives a view that is written to *path, with its blocks, its short name, unless another has it. */
static tess_status shorten(const tess_lab *lab, const char *name, char **path) {
    tess_status status = TESS_OK;
    char *short_path = NULL, *from = NULL, *to = NULL;
    if (is_read_only(lab))
        return TESS_OK;
    CHECK(tess_lab_file(lab, "views", name, &short_path));
    CHECK(tess_view_beside(*path, TESS_VIEW_BLOCKS, &from));
    CHECK(tess_view_beside(short_path, TESS_VIEW_BLOCKS, &to));
    if (link(*path, short_path) != 0) /* it is taken, or there are no links */
        goto done;
    unlink(*path);
    free(*path);
    *path = TESS_TAKE(short_path);
    if (rename(from, to) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot rename %s to %s: %s", from, to, strerror(errno)));
done:
    free(short_path);
    free(from);
    free(to);
    return status;
}

tess_status tess_view_file_of_plan(const tess_lab *lab, const tess_plan_content *content,
                                   const char *plan, const char *run, char **path) {
    tess_status status = TESS_OK;
    char name[TESS_VIEW_NAME_SIZE], *view = NULL;
    CHECK(find_view(lab, plan, &view));
    if (!view) {
        tess_view_name(content, name);
        CHECK(long_path(lab, name, plan, &view));
        if (!is_there(view))
            CHECK(write_plan(content, plan, run, view));
        CHECK(shorten(lab, name, &view));
    }
    *path = TESS_TAKE(view);
done:
    free(view);
    return status;
}

/* The view of a run on ranks, or of a chain. */
static tess_status view_of_record(const tess_lab *lab, const tess_record *record, char **path) {
    tess_status status = TESS_OK;
    const bool is_ranked = record->ranks.set[0];
    char name[TESS_VIEW_NAME_SIZE], *view = NULL;
    tess_mesh *mesh = NULL;
    CHECK(find_view(lab, record->id, &view));
    if (!view) {
        CHECK(tess_lab_read_mesh(lab, record->mesh, &mesh));
        tess_view_name_of_record(record, mesh, name);
        CHECK(long_path(lab, name, record->id, &view));
        if (!is_there(view))
            CHECK((is_ranked ? write_ranks : write_chain)(record, mesh, view));
        CHECK(shorten(lab, name, &view));
    }
    *path = TESS_TAKE(view);
done:
    tess_mesh_free(mesh);
    free(view);
    return status;
}

/* The view of a run's plan. */
static tess_status view_of_plan(const tess_lab *lab, const tess_record *record, char **path) {
    tess_status status = TESS_OK;
    char *view = NULL;
    tess_mesh *mesh = NULL;
    tess_plan_content *content = NULL;
    CHECK(find_view(lab, record->plan, &view));
    if (!view) {
        CHECK(tess_lab_read_mesh(lab, record->mesh, &mesh));
        CHECK(tess_lab_read_plan(lab, record->plan, mesh, &content));
        CHECK(tess_view_file_of_plan(lab, content, record->plan, record->id, &view));
    }
    *path = TESS_TAKE(view);
done:
    tess_plan_content_free(content);
    tess_mesh_free(mesh);
    free(view);
    return status;
}

tess_status tess_view_file_of_run(const tess_lab *lab, const char *run_id, char **path) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(tess_lab_read_run(lab, run_id, &record));
    if (record->ranks.set[0] || record->chain.set[0])
        CHECK(view_of_record(lab, record, path));
    else if (record->plan[0])
        CHECK(view_of_plan(lab, record, path));
    else
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "run %s has no plan, and no ranks or chains of up to a million elements: "
                        "there are no blocks to show",
                        run_id));
done:
    tess_record_free(record);
    return status;
}
