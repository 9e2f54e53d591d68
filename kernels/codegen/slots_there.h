/* Slots there: tables of strategies that sum in shared memory, made on the device of a page that
 * has `there`. */
#pragma once

#include "kernels/codegen/tables.h"
#include "kernels/codegen/tables_there.h"

/* As tess_table_staged_points, sorted; *staged_at is taken from the room. */
TESS_MUST_CHECK tess_status tess_staged_points_there(tess_page *page, int target, tess_marks marks,
                                                     tess_address *staged_at, bool *partly);

/* Where blocks stage the points that they increment first, then the others, as stored, SET_points;
 * n_incremented [n_blocks]: how many those are. */
TESS_MUST_CHECK tess_status tess_packed_points_there(tess_page *page, int target,
                                                     tess_address *staged_at,
                                                     int32_t *n_incremented);

/* The colours of increments through slots, [n_slots][n_executed] in the room, and how many each
 * slot has, 0 where it is not incremented. */
TESS_MUST_CHECK tess_status tess_slot_colours_there(tess_page *page, int target,
                                                    tess_address *colours, uint32_t *n_colours);

/* What words of elements hold: from bit `at` on the place of a point, `bits` of them, where
 * staged_at is not 0, and from bit colour_at on a colour, where there are [n_executed]. */
typedef struct tess_field_there {
    int target, slot, at, bits, colour_at;
    tess_address staged_at, colours;
} tess_field_there;
TESS_MUST_CHECK tess_status tess_field_there_put(tess_page *page, const tess_field_there *field,
                                                 tess_address words);

/* For each block one past the highest point that it reaches, as stored; [n_blocks]. */
TESS_MUST_CHECK tess_status tess_frontiers_there(tess_page *page, int target, int32_t *ends);

/* The array of tess_table_index for a target, of a plan that executes each element once; `places`:
 * of the element at each position in its list, 0: it has none. */
TESS_MUST_CHECK tess_status tess_index_there(tess_page *page, int target, tess_address places);

/* The arrays of tess_table_point_lists that say which increments a point has. */
TESS_MUST_CHECK tess_status tess_point_list_there(tess_page *page, int target);

/* The array home, of tess_table_home, by the points that blocks own. */
TESS_MUST_CHECK tess_status tess_homes_there(tess_page *page, int target);
