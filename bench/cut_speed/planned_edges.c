/* Edges that are cut and planned on a device. */
#include "bench/cut_speed/planned_edges.h"

#include "bench/cut_speed/answers.h"
#include "bench/cut_speed/cuts.h"
#include "bench/cut_speed/meshes.h"
#include "core/base/array.h"
#include "kernels/cut/device_swap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

tess_status cut_edges_open(tess_cut_kernels *k, int64_t n_cells, cut_edges *of) {
    TRY(edges_build((int32_t)llround(sqrt((double)n_cells)), &of->places, &of->mesh));
    TRY(tess_loop_of_map("edges:cells", "q:cells:4:double", &of->loop));
    of->loop->args[0].access = of->loop->args[of->loop->n_args - 1].access = TESS_READ;
    TRY(tess_loop_bind(of->loop, of->mesh, &of->bound));
    const int64_t n = of->bound->n_elements;
    of->partition = (tess_partition){.n_elements = n,
                                     .block_size = BLOCK_SIZE,
                                     .n_blocks = (int32_t)((n + BLOCK_SIZE - 1) / BLOCK_SIZE)};
    TRY(TESS_ALLOC(n, &of->partition.block_of));
    const tess_cut what = by_rcb(n, 2, of->places);
    return tess_device_cut_refined(k, &what, of->partition.block_of, &of->seconds);
}

void cut_edges_close(cut_edges *of) {
    free(of->partition.block_of);
    free(of->places);
    tess_bound_loop_free(of->bound);
    tess_loop_free(of->loop);
    tess_mesh_free(of->mesh);
}

tess_status time_planning(tess_cut_kernels *k, const tess_device_change *change,
                          const tess_device_plan *here, double *least, bool *same) {
    tess_status status = TESS_OK;
    tess_device_plan there = *here;
    tess_device_points set = here->sets[0];
    const int64_t n = tess_device_plan_room(here), n_references = n * set.n_slots,
                  n_offsets = here->n_blocks + 1;
    const size_t size = sizeof(int32_t);
    there.sets = &set;
    set.points = there.executed = there.block_offset = set.point_offset = NULL;
    set.local_index = NULL;
    CHECK(TESS_ALLOC(n, &there.executed));
    CHECK(TESS_ALLOC(n_offsets, &there.block_offset));
    CHECK(TESS_ALLOC(n_offsets, &set.point_offset));
    CHECK(TESS_ALLOC(n_references, &set.points));
    CHECK(TESS_ALLOC(n_references, &set.local_index));
    for (int i = 0; i < REPEATS; i++) {
        double seconds = 0;
        CHECK(tess_device_plan_here(k, change, &there, &seconds));
        *least = i == 0 || seconds < *least ? seconds : *least;
    }
    const int64_t n_points = here->sets[0].point_offset[here->n_blocks];
    *same = memcmp(there.executed, here->executed, (size_t)n * size) == 0 &&
            memcmp(there.block_offset, here->block_offset, (size_t)n_offsets * size) == 0 &&
            memcmp(set.point_offset, here->sets[0].point_offset, (size_t)n_offsets * size) == 0 &&
            memcmp(set.points, here->sets[0].points, (size_t)n_points * size) == 0 &&
            memcmp(set.local_index, here->sets[0].local_index, (size_t)n_references * 2) == 0;
done:
    free(there.executed);
    free(there.block_offset);
    free(set.point_offset);
    free(set.points);
    free(set.local_index);
    return status;
}
