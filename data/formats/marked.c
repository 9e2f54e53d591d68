/* Marked elements of the boundary, of whichever sets a mesh has them in. */
#include "data/formats/marked.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tess_marked_size(const int32_t nodes[4]) {
    return nodes[2] < 0 ? 2 : nodes[3] < 0 ? 3 : 4;
}

/* A tag, and whose it is. */
typedef struct owned_tag {
    int32_t tag;
    int owner;
} owned_tag;

static int compare_tags(const void *left, const void *right) {
    const owned_tag *a = left, *b = right;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->owner - b->owner;
}

/* Gives n numbers of which each is positive and there once: tags that are so stay, the others
 * become the least that are free. The caller frees them. */
static tess_status distinct_tags(int n, const int32_t *tags, int32_t **out) {
    tess_status status = TESS_OK;
    owned_tag *sorted = NULL;
    int32_t *given = NULL, next = 0;
    int n_given = 0, at = 0;
    CHECK(TESS_ALLOC(n, &sorted));
    CHECK(TESS_ZEROS(n, &given));
    for (int i = 0; i < n; i++)
        sorted[i] = (owned_tag){tags ? tags[i] : 0, i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_tags);
    for (int i = 0; i < n; i++)
        if (sorted[i].tag > 0 && (n_given == 0 || sorted[n_given - 1].tag != sorted[i].tag)) {
            given[sorted[i].owner] = sorted[i].tag;
            sorted[n_given++] = sorted[i];
        }
    for (int i = 0; i < n; i++) {
        if (given[i])
            continue;
        for (next++; at < n_given && sorted[at].tag == next; next++)
            at++;
        given[i] = next;
    }
    *out = TESS_TAKE(given);
done:
    free(sorted);
    free(given);
    return status;
}

static tess_status add_name(const char *name, int *n, char ***names) {
    int64_t capacity = *n;
    TRY(TESS_RESERVE(*n + 1, &capacity, names));
    TRY(tess_text_copy(name, &(*names)[*n]));
    (*n)++;
    return TESS_OK;
}

static tess_status marked_add_name(tess_marked *marked, const char *name) {
    return add_name(name, &marked->n_markers, &marked->names);
}

/* Adds the regions of the cells, where the mesh names some. */
static tess_status marked_add_regions(const tess_mesh *mesh, tess_marked *marked) {
    marked->region_of = tess_mesh_regions(mesh);
    for (int r = 0; r < mesh->n_regions && marked->region_of; r++)
        TRY(add_name(mesh->regions[r], &marked->n_regions, &marked->region_names));
    return distinct_tags(marked->n_regions, mesh->region_tags, &marked->region_tags);
}

/* Adds elements of a map to nodes with their markers. */
static tess_status marked_add(const tess_mesh *mesh, const tess_map *map, const int32_t *markers,
                              tess_marked *marked) {
    const int64_t n = mesh->sets[map->from].size, first = marked->n;
    int64_t capacity = 4 * first;
    TRY(TESS_RESERVE(4 * (first + n), &capacity, &marked->nodes));
    capacity = first;
    TRY(TESS_RESERVE(first + n, &capacity, &marked->marker));
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            marked->nodes[4 * (first + i) + k] =
                k < map->arity ? map->index[i * map->arity + k] : -1;
        if (markers[i] < 0 || markers[i] >= marked->n_markers)
            FAIL(TESS_ERROR_INPUT, "%s: element %lld of %s has the marker %d of %d", mesh->source,
                 (long long)i, mesh->sets[map->from].name, markers[i], marked->n_markers);
        marked->marker[first + i] = markers[i];
    }
    marked->n += n;
    return TESS_OK;
}

/* Makes markers of the values of `bound` on bedges, as OP2 has them: named by the value. */
static tess_status marked_of_bound(const tess_mesh *mesh, const tess_map *map,
                                   const tess_dat *bound, tess_marked *marked) {
    tess_status status = TESS_OK;
    const int64_t n = mesh->sets[map->from].size;
    const int32_t *values = bound->values;
    int32_t *marker = NULL;
    enum { MOST = 1000 };
    CHECK(TESS_ALLOC(n, &marker));
    for (int64_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", values[i]);
        int m = 0;
        while (m < marked->n_markers && strcmp(marked->names[m], name) != 0)
            m++;
        if (m == MOST)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: bedges have more than %d boundary conditions",
                            mesh->source, MOST));
        if (m == marked->n_markers)
            CHECK(marked_add_name(marked, name));
        marker[i] = m;
    }
    CHECK(marked_add(mesh, map, marker, marked));
done:
    free(marker);
    return status;
}

tess_status tess_marked_build(const tess_mesh *mesh, tess_marked *out) {
    static const char *const sets[] = {"marked_edges", "marked_tris", "marked_quads"};
    tess_status status = TESS_OK;
    tess_marked marked = {.n = 0};
    for (int m = 0; m < mesh->n_markers; m++)
        CHECK(marked_add_name(&marked, mesh->markers[m]));
    for (int s = 0; s < 3; s++) {
        const tess_map *map = tess_mesh_find_map_between(mesh, sets[s], "nodes");
        const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", sets[s]);
        if (map && marker && marker->type == TESS_INT32)
            CHECK(marked_add(mesh, map, marker->values, &marked));
    }
    const tess_map *bedges = tess_mesh_find_map(mesh, "bedges:nodes");
    const tess_dat *bound = tess_mesh_find_dat(mesh, "bound", "bedges");
    if (!marked.n && bedges && bound && bound->type == TESS_INT32 && bound->dim == 1)
        CHECK(marked_of_bound(mesh, bedges, bound, &marked));
    CHECK(distinct_tags(marked.n_markers,
                        marked.n_markers == mesh->n_markers ? mesh->marker_tags : NULL,
                        &marked.tags));
    CHECK(marked_add_regions(mesh, &marked));
    *out = marked;
    marked = (tess_marked){.n = 0};
done:
    tess_marked_release(&marked);
    return status;
}

void tess_marked_drop_regions(tess_marked *marked) {
    for (int r = 0; r < marked->n_regions; r++)
        free(marked->region_names[r]);
    free(TESS_TAKE(marked->region_names));
    free(TESS_TAKE(marked->region_tags));
    marked->n_regions = 0;
    marked->region_of = NULL;
}

void tess_marked_release(tess_marked *marked) {
    tess_marked_drop_regions(marked);
    for (int m = 0; m < marked->n_markers; m++)
        free(marked->names[m]);
    free(marked->names);
    free(marked->tags);
    free(marked->nodes);
    free(marked->marker);
    *marked = (tess_marked){.n = 0};
}
