/* Samples: groups of blocks, their elements and points numbered anew. */
#include "partitioners/mosaic/sample.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mosaic_samples_of(const mosaic_candidate *candidate) {
    const int32_t n_groups = candidate->blocks.n_blocks / MOSAIC_GROUP_BLOCKS;
    const int32_t n = n_groups / SAMPLES_PART;
    const bool solid = candidate->blocks.dimension > 2;
    const int32_t least = n_groups >= (solid ? SAMPLED_GROUPS_SOLID : SAMPLED_GROUPS);
    if (candidate->pins.weight)
        return 0;
    return n < least ? least : n < SAMPLES_MOST ? n : SAMPLES_MOST;
}

double mosaic_samples_sure(const mosaic_blocks *blocks, bool halves, bool quick, bool mended) {
    const mosaic_pins *const pins = blocks->pins;
    const bool many = mosaic_pins_exceed(pins, NODES_POINTS);
    if (!halves)
        return SAMPLE_PAYS_SLABS;
    if (mended)
        return SAMPLE_PAYS_MENDED;
    if (quick)
        return SAMPLE_PAYS_QUICK;
    return many || blocks->dimension == 2 ? SAMPLE_PAYS_MANY : SAMPLE_PAYS;
}

/* What the blocks of a group have in common. in_block, in_group [n_points]: the last block or
 * group, from 1 on, that had each point. */
static int64_t shared_by(const mosaic_blocks *blocks, const int32_t *list, int32_t group,
                         int32_t *in_block, int32_t *in_group) {
    const mosaic_pins *const pins = blocks->pins;
    int64_t shared = 0;
    for (int32_t b = group * MOSAIC_GROUP_BLOCKS; b < (group + 1) * MOSAIC_GROUP_BLOCKS; ++b) {
        const int32_t *const member = mosaic_block(blocks, list[b]);
        for (int32_t i = 0; i < blocks->size[list[b]]; ++i)
            for (int64_t k = mosaic_first(pins, member[i]); k < mosaic_end(pins, member[i]); ++k) {
                const int32_t point = pins->point[k];
                shared += (in_block[point] != b + 1) - (in_group[point] != group + 1);
                in_block[point] = b + 1;
                in_group[point] = group + 1;
            }
    }
    return shared;
}

/* Of shared [n_groups] the nearest to their mean, which is none then: NAN. */
static int32_t take_nearest(double *shared, int32_t n_groups, double mean) {
    int32_t nearest = 0;
    double least = INFINITY;
    for (int32_t g = 0; g < n_groups; ++g)
        if (fabs(shared[g] - mean) < least) {
            least = fabs(shared[g] - mean);
            nearest = g;
        }
    shared[nearest] = NAN;
    return nearest;
}

tess_status mosaic_samples_pick(const mosaic_blocks *blocks, const int32_t *list, int n,
                                int32_t *group) {
    tess_status status = TESS_OK;
    const int32_t n_groups = blocks->n_blocks / MOSAIC_GROUP_BLOCKS;
    int32_t *in_block = NULL, *in_group = NULL;
    double *shared = NULL, mean = 0;
    CHECK(TESS_ALLOC(n_groups, &shared));
    CHECK(TESS_ZEROS(blocks->pins->n_points, &in_block));
    CHECK(TESS_ZEROS(blocks->pins->n_points, &in_group));
    for (int32_t g = 0; g < n_groups; ++g) {
        shared[g] = (double)shared_by(blocks, list, g, in_block, in_group);
        mean += shared[g] / n_groups;
    }
    for (int i = 0; i < n; ++i)
        group[i] = take_nearest(shared, n_groups, mean);
done:
    free(shared);
    free(in_block);
    free(in_group);
    return status;
}

/* The elements of those of the blocks that are full, by the candidate's pins; how many. */
static int64_t list_elements(const mosaic_blocks *blocks, const int32_t *list, int32_t n,
                             int32_t *element) {
    const int32_t size = blocks->block_size;
    int64_t n_elements = 0;
    for (int32_t b = 0; b < n; ++b)
        if (blocks->size[list[b]] == size) {
            memcpy(element + n_elements, mosaic_block(blocks, list[b]),
                   (size_t)size * sizeof *element);
            n_elements += size;
        }
    return n_elements;
}

static tess_status copy_coordinates(const tess_partition_problem *problem,
                                    const mosaic_candidate *candidate, const int32_t *element,
                                    mosaic_sample *sample) {
    const int d = problem->dimension;
    const int64_t n = sample->problem.n_elements;
    TRY(TESS_ALLOC(n * d, &sample->coordinates));
    for (int64_t i = 0; i < n; ++i)
        memcpy(sample->coordinates + i * d,
               problem->coordinates + (int64_t)candidate->element[element[i]] * d,
               (size_t)d * sizeof *sample->coordinates);
    return TESS_OK;
}

tess_status mosaic_sample_take(const tess_partition_problem *problem,
                               const mosaic_candidate *candidate, const int32_t *list, int32_t n,
                               mosaic_sample *sample) {
    tess_status status = TESS_OK;
    const int32_t size = candidate->blocks.block_size;
    int32_t *element = NULL;
    mosaic_tally sum = {0};
    CHECK(TESS_ALLOC((int64_t)n * size, &element));
    const int64_t n_elements = list_elements(&candidate->blocks, list, n, element);
    const mosaic_part part = {.list = element, .n = n_elements};
    CHECK(mosaic_piece_fill(&candidate->pins, part, &sample->piece));
    const mosaic_pins *const pins = &sample->piece.pins;
    mosaic_walk_tally(&sample->piece.walk, sample->piece.walk.order, n_elements, size, &sum);
    sample->shared = sum.points - (double)mosaic_weight_of_all(pins);
    mosaic_piece_strip(&sample->piece);
    sample->map = mosaic_pins_map(pins);
    sample->problem = (tess_partition_problem){.n_elements = n_elements,
                                               .n_maps = 1,
                                               .maps = &sample->map,
                                               .dimension = problem->dimension,
                                               .block_size = size,
                                               .seed = problem->seed};
    if (problem->coordinates)
        CHECK(copy_coordinates(problem, candidate, element, sample));
    sample->problem.coordinates = sample->coordinates;
done:
    free(element);
    if (status != TESS_OK)
        mosaic_sample_clear(sample);
    return status;
}

void mosaic_sample_clear(mosaic_sample *sample) {
    mosaic_piece_clear(&sample->piece);
    free(sample->coordinates);
    *sample = (mosaic_sample){0};
}
