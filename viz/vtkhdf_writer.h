/* VTKHDF files: a view mesh as ParaView's own reader opens it. */
#pragma once

#include "viz/viz.h"

/* What the view shows, for captions: "partitioner", "metis". */
typedef struct tess_view_label {
    const char *key, *text;
} tess_view_label;

/* What a view shows, beside its cells. All borrowed. */
typedef struct tess_view_source {
    const char *of; /* the root attribute `view_of`: what the view is found by; NULL: none */
    int version;    /* `view_version`, beside it */
    const tess_metrics *metrics; /* NULL: none */
    int n_labels;
    const tess_view_label *labels;
} tess_view_source;

/* Writes /VTKHDF of version 1.0 (`Type` fixed-length ASCII; ParaView 5.11 wants the extension .hdf)
 * with the view's arrays as cell data (those of blocks, viz/view_blocks.h, as point data, too),
 * `explode` and `shared_by` as point data, and as field data
 * each metric by its name and unit ("transfer_total [B]"), each label's text by its key, and the
 * rings of a chain's blocks as `ring_begin` and `ring_element`. The file appears whole or not at
 * all. */
TESS_MUST_CHECK tess_status tess_vtkhdf_write(const tess_view_mesh *view,
                                              const tess_view_source *source, const char *path);

/* Writes a step in situ: with fields [n_fields] of the application on the view's cells. */
TESS_MUST_CHECK tess_status tess_vtkhdf_write_step(const tess_view_mesh *view, int n_fields,
                                                   const tess_viz_field *fields, const char *path);
