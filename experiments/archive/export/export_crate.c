/* The exporter of RO-Crate 1.1: metadata that make a lab's folder a research object. */
#include "experiments/archive/export/exporter.h"

#include <sys/stat.h>

/* A crate in the making. */
typedef struct crate {
    const tess_query *query;
    json_t *graph, *parts; /* parts: references of the root to files */
    json_t *seen;          /* paths that have an entity */
} crate;

static json_t *reference(const char *id) {
    return json_pack("{s:s}", "@id", id);
}

/* Adds a file of the lab, once, and gives its path within it. */
static void add_file(crate *to, const char *kind, const char *name, const char *what,
                     char path[128]) {
    snprintf(path, 128, "%s/%s.hdf", kind, name);
    if (json_object_get(to->seen, path))
        return;
    json_object_set_new(to->seen, path, json_true());
    json_array_append_new(to->parts, reference(path));
    json_t *entity = json_pack("{s:s, s:s, s:s, s:s}", "@id", path, "@type", "File", "name", what,
                               "encodingFormat", "application/x-hdf5");
    char full[TESS_PATH_SIZE];
    struct stat about;
    if (tess_lab_path(to->query->lab, full, "%s", path) == TESS_OK && stat(full, &about) == 0)
        json_object_set_new(entity, "contentSize", json_sprintf("%lld", (long long)about.st_size));
    json_array_append_new(to->graph, entity);
}

/* Adds a run as the action that made its record from its mesh. */
static tess_status add_run(void *context, const tess_record *record) {
    crate *to = context;
    char run[128], plan[128], mesh[128], action[64];
    const char *partitioner = tess_values_text(&record->configuration, "partitioner");
    json_t *objects = json_array(), *results = json_array();
    add_file(to, "runs", record->id, "record of a run", run);
    json_array_append_new(results, reference(run));
    if (*record->mesh) {
        add_file(to, "meshes", record->mesh, "mesh", mesh);
        json_array_append_new(objects, reference(mesh));
    }
    if (*record->plan) {
        add_file(to, "plans", record->plan, "partition and plan", plan);
        json_array_append_new(results, reference(plan));
    }
    snprintf(action, sizeof action, "#run-%s", record->id);
    json_t *entity = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "@id", action, "@type", "CreateAction",
        "name", *partitioner ? partitioner : "run", "endTime", record->time, "instrument",
        reference("#tess"), "object", objects, "result", results, "actionStatus",
        record->outcome == TESS_FAILED ? "http://schema.org/FailedActionStatus"
                                       : "http://schema.org/CompletedActionStatus",
        "description", tess_values_text(&record->environment, "command"));
    if (!entity || json_array_append_new(to->graph, entity) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the crate cannot be made");
    return TESS_OK;
}

static tess_status describe_program(crate *to) {
    tess_record *record = NULL;
    const tess_query *query = to->query;
    TRY(tess_lab_read_run(
        query->lab, tess_run_table_id(query->table, query->rows[query->n_rows - 1]), &record));
    json_array_append_new(
        to->graph, json_pack("{s:s, s:s, s:s, s:s}", "@id", "#tess", "@type", "SoftwareApplication",
                             "name", tess_values_text(&record->environment, "program"), "version",
                             tess_values_text(&record->environment, "commit")));
    json_array_append_new(
        to->graph,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "@id", "./", "@type", "Dataset", "name",
                  "A lab of Tesselab", "description",
                  "Partitions, plans and measured runs of loops over unstructured meshes; every "
                  "file is HDF5 with checksums, units and a schema version",
                  "datePublished", record->time, "hasPart", to->parts));
    tess_record_free(record);
    return TESS_OK;
}

static tess_status write_crate(const tess_query *query, FILE *stream) {
    tess_status status = TESS_OK;
    crate made = {query, json_array(), json_array(), json_object()};
    if (query->n_rows == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "there are no runs to describe"));
    json_array_append_new(made.graph,
                          json_pack("{s:s, s:s, s:o, s:o}", "@id", "ro-crate-metadata.json",
                                    "@type", "CreativeWork", "conformsTo",
                                    reference("https://w3id.org/ro/crate/1.1"), "about",
                                    reference("./")));
    CHECK(tess_export_records(query, &made, add_run));
    CHECK(describe_program(&made));
    CHECK(tess_export_json(json_pack("{s:s, s:O}", "@context",
                                     "https://w3id.org/ro/crate/1.1/context", "@graph", made.graph),
                           stream));
done:
    json_decref(made.graph);
    json_decref(made.parts);
    json_decref(made.seen);
    return status;
}

const tess_exporter tess_exporter_crate = {
    .name = "ro-crate",
    .summary = "RO-Crate 1.1: written to LAB/ro-crate-metadata.json it makes the lab one",
    .write = write_crate};
