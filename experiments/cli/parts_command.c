/* The command `tess parts`: what each part of a kernel needs, and what a block stages of a point
 * where the loop is split. */
#include "core/base/array.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"
#include "kernels/loops/kernel_phases.h"
#include <string.h>

static const char doc[] =
    "Print how a loop may be split: for each phase what it reads and adds to at an element's "
    "points, "
    "as found on random values, the bytes that a block stages of a point meanwhile, and what is "
    "passed on to later phases in registers. The phase that stages most bounds the block "
    "(parts=staged of halo-atomics, owner-block, point-parallel and block-colour).\v"
    "Examples:\n"
    "  tess parts fun3d --loop roe_flux --mesh layers\n"
    "  tess parts miniaero --mesh tets\n"
    "  tess parts --kernel mix.h --loop mix.yaml --mesh tris";

typedef struct asked_parts {
    tess_common common;
    const char *application, *loop, *kernel, *mesh;
} asked_parts;

static const tess_option_row options[] = {
    {"mesh", 'm', "MESH", "A mesh that has the loop's maps, as of tess run", 1,
     TESS_KEPT(asked_parts, mesh)},
    {"loop", 0, "NAME", "Which loop of the application; with --kernel the file that describes it",
     1, TESS_KEPT(asked_parts, loop)},
    {"kernel", 0, "HEADER", "A kernel of your own", 1, TESS_KEPT(asked_parts, kernel)},
    {TESS_KEPT(asked_parts, application)},
    {0}};

static const char *const cut_names[] = {"parts", "outputs", "components"};
enum { CUTS = 3 };

/* --- what a phase needs ----------------------------------------------------------------------- */

static bool is_of_dat(const tess_loop *loop, int a, int b) {
    return loop->args[b].map[0] && tess_arg_shares_dat(&loop->args[a], &loop->args[b]);
}

/* Which components of the dat of arg a are marked, through whatever slot; how many. */
static int marked_components(const tess_loop *loop, const tess_phases *phases, const bool *marks,
                             int a, bool components[TESS_MOST_DIM]) {
    const int dim = loop->args[a].dim;
    int n = 0;
    memset(components, 0, TESS_MOST_DIM * sizeof *components);
    for (int b = 0; b < loop->n_args; b++)
        for (int i = phases->first[b]; is_of_dat(loop, a, b) && i < phases->first[b + 1]; i++)
            components[(i - phases->first[b]) % dim] |= marks[i];
    for (int d = 0; d < dim; d++)
        n += components[d];
    return n;
}

/* Whether arg a is the first through a map of its dat. */
static bool is_first(const tess_loop *loop, int a) {
    int b = 0;
    while (b < a && !is_of_dat(loop, a, b))
        b++;
    return loop->args[a].map[0] && a == b;
}

/* "x gx[2] gy[0-3]": the dats at points of which values are marked. */
static void print_values(const tess_loop *loop, const tess_phases *phases, const bool *marks,
                         tess_text_writer *text) {
    bool components[TESS_MOST_DIM];
    const char *space = "";
    for (int a = 0; a < loop->n_args; a++) {
        const int dim = loop->args[a].dim;
        const int n = is_first(loop, a) ? marked_components(loop, phases, marks, a, components) : 0;
        if (n == 0)
            continue;
        tess_text_writer_print(text, "%s%s", space, loop->args[a].dat);
        space = " ";
        const char *comma = n < dim ? "[" : NULL;
        for (int d = 0, end = 0; comma && d < dim; d = end) {
            end = d + 1;
            if (!components[d])
                continue;
            while (end < dim && components[end])
                end++;
            tess_text_writer_print(text, end > d + 1 ? "%s%d-%d" : "%s%d", comma, d, end - 1);
            comma = ",";
        }
        tess_text_writer_print(text, "%s", comma ? "]" : "");
    }
    tess_text_writer_print(text, "%s", *space ? "" : "-");
}

/* Bytes that are staged of a point of a set in a phase. */
static int64_t bytes_of(const tess_loop *loop, const tess_phases *phases, const tess_phase *phase,
                        const char *set) {
    bool components[TESS_MOST_DIM];
    int64_t bytes = 0;
    for (int a = 0; a < loop->n_args; a++)
        if (is_first(loop, a) && strcmp(loop->args[a].set, set) == 0)
            bytes +=
                (int64_t)tess_type_size(loop->args[a].type) *
                marked_components(loop, phases,
                                  loop->args[a].access == TESS_INC ? phase->adds : phase->reads, a,
                                  components);
    return bytes;
}

/* Values that phases up to p give and later ones take. */
static int passed_on(const tess_kernel *kernel, const tess_phases *phases, int p) {
    int n = 0;
    for (int b = 0; b < kernel->n_between; b++) {
        bool given = false, taken = false;
        for (int i = 0; i < phases->n_phases; i++) {
            const tess_kernel_part *part = phases->phase[i].part;
            for (int g = 0; part && i <= p && g < part->n_gives; g++)
                given |= part->gives[g] == b;
            for (int t = 0; part && i > p && t < part->n_takes; t++)
                taken |= part->takes[t] == ~b;
        }
        n += given && taken ? kernel->between[b].dim : 0;
    }
    return n;
}

/* All at once, as a single phase. */
static tess_status whole_phase(const tess_workload *load, tess_phases *out) {
    tess_phases phases = {.kernel = load->kernel};
    tess_status status = TESS_OK;
    CHECK(TESS_ZEROS(load->loop->n_args + 1, &phases.first));
    for (int a = 0; a < load->loop->n_args; a++) {
        const tess_arg *arg = &load->loop->args[a];
        const int slots =
            arg->map[0] && arg->slot < 0 ? tess_mesh_find_map(load->mesh, arg->map)->arity : 1;
        phases.first[a + 1] = phases.first[a] + arg->dim * slots;
    }
    phases.n_values = phases.first[load->loop->n_args];
    CHECK(TESS_ZEROS(1, &phases.phase));
    phases.n_phases = 1;
    CHECK(TESS_ZEROS(phases.n_values, &phases.phase[0].reads));
    CHECK(TESS_ZEROS(phases.n_values, &phases.phase[0].adds));
    for (int i = 0, a = 0; i < phases.n_values; i++) {
        while (i >= phases.first[a + 1])
            a++;
        *(load->loop->args[a].access == TESS_INC ? &phases.phase[0].adds[i]
                                                 : &phases.phase[0].reads[i]) = true;
    }
    *out = phases;
    return TESS_OK;
done:
    tess_phases_clear(&phases);
    return status;
}

/* --- the report ------------------------------------------------------------------------------- */

/* "nodes 40 B, cells 8 B": what a block stages of a point in a phase; "-" where of none. */
static void print_bytes(const tess_workload *load, const tess_phases *phases, int p,
                        tess_text_writer *text) {
    const char *comma = "";
    for (int r = 0; r < load->bound->n_targets; r++) {
        const char *set = load->mesh->sets[load->bound->targets[r].set].name;
        tess_text_writer_print(text, "%s%s %lld B", comma, set,
                               (long long)bytes_of(load->loop, phases, &phases->phase[p], set));
        comma = ", ";
    }
    tess_text_writer_print(text, "%s", *comma ? "" : "-");
}

static void print_name(const tess_phases *phases, int p, tess_text_writer *text) {
    const tess_phase *phase = &phases->phase[p];
    if (!phase->part)
        tess_text_writer_print(text, "%d", p);
    else if (phase->instance < 0)
        tess_text_writer_print(text, "%s", phase->part->name);
    else
        tess_text_writer_print(text, "%s %d", phase->part->name, phase->instance);
}

/* The words of a phase: its name, what it reads, adds to, stages. */
typedef struct phase_words {
    tess_text_writer name, reads, adds, bytes;
} phase_words;

static tess_status words_of(const tess_workload *load, const tess_phases *phases, int p,
                            phase_words *out) {
    *out = (phase_words){.name = {.text = NULL}};
    print_name(phases, p, &out->name);
    print_values(load->loop, phases, phases->phase[p].reads, &out->reads);
    print_values(load->loop, phases, phases->phase[p].adds, &out->adds);
    print_bytes(load, phases, p, &out->bytes);
    TRY(tess_text_writer_finish(&out->name));
    TRY(tess_text_writer_finish(&out->reads));
    TRY(tess_text_writer_finish(&out->adds));
    return tess_text_writer_finish(&out->bytes);
}

static void words_clear(phase_words *words) {
    tess_text_writer_clear(&words->name);
    tess_text_writer_clear(&words->reads);
    tess_text_writer_clear(&words->adds);
    tess_text_writer_clear(&words->bytes);
}

/* Adds the phases of a cut to a table, or to a list of JSON objects. */
static tess_status report_phases(const tess_workload *load, const char *cut,
                                 const tess_phases *phases, tess_table *table, json_t *list) {
    tess_status status = TESS_OK;
    phase_words words = {.name = {.text = NULL}};
    for (int p = 0; p < phases->n_phases; p++) {
        const int n_passed = passed_on(load->kernel, phases, p);
        words_clear(&words);
        CHECK(words_of(load, phases, p, &words));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "cut", cut, "phase",
                                              words.name.text, "reads", words.reads.text, "adds",
                                              words.adds.text, "staged", words.bytes.text,
                                              "passed_on", n_passed));
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", p == 0 ? cut : ""));
        CHECK(tess_table_add_cell(table, "%s", words.name.text));
        CHECK(tess_table_add_cell(table, "%s", words.reads.text));
        CHECK(tess_table_add_cell(table, "%s", words.adds.text));
        CHECK(tess_table_add_cell(table, "%s", words.bytes.text));
        CHECK(tess_table_add_cell(table, "%d", n_passed));
    }
done:
    words_clear(&words);
    return status;
}

/* The cuts that there are; why not goes to `refused`. */
static tess_status report_cuts(const tess_workload *load, tess_table *table, json_t *list,
                               json_t *refused) {
    tess_status status = TESS_OK;
    tess_phases phases = {.kernel = NULL};
    CHECK(whole_phase(load, &phases));
    CHECK(report_phases(load, "together", &phases, table, list));
    for (int cut = 0; cut < CUTS; cut++) {
        tess_phases_clear(&phases);
        status = tess_phases_find(load->kernel, load->bound, load->mesh, (tess_split)cut, &phases);
        if (status == TESS_ERROR_USAGE) {
            json_object_set_new(refused, cut_names[cut], json_string(tess_message()));
            status = TESS_OK;
            continue;
        }
        CHECK(status);
        CHECK(report_phases(load, cut_names[cut], &phases, table, list));
    }
done:
    tess_phases_clear(&phases);
    return status;
}

static tess_status report(const asked_parts *asked, const tess_workload *load) {
    static const char *const titles[] = {"split",  "phase",      "reads", "adds",
                                         "staged", ">passed on", NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    json_t *list = json_array(), *refused = json_object();
    CHECK(tess_table_new(titles, &table));
    tess_table_yield(table, 1);
    CHECK(report_cuts(load, table, list, refused));
    if (asked->common.json) {
        CHECK(tess_json_print(json_pack("{s:s, s:s, s:O, s:O}", "schema", "tess.parts/1", "loop",
                                        load->loop->name, "phases", list, "refused", refused)));
    } else {
        CHECK(tess_table_print(table, stdout));
        for (int cut = 0; cut < CUTS; cut++)
            if (json_object_get(refused, cut_names[cut]))
                printf("%s: %s\n", cut_names[cut],
                       json_string_value(json_object_get(refused, cut_names[cut])));
    }
done:
    tess_table_free(table);
    json_decref(list);
    json_decref(refused);
    return status;
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {.options = options, .args_doc = "[APPLICATION]", .doc = doc};
    asked_parts asked = {.mesh = NULL};
    tess_workload load = {.mesh = NULL};
    tess_status status = TESS_OK;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (!asked.application == !asked.kernel || !asked.mesh)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "%s Say 'tess parts fun3d --loop roe_flux --mesh layers', or name a "
                        "kernel of yours by --kernel and --loop",
                        !asked.mesh         ? "on which mesh?"
                        : asked.application ? "an application or --kernel, not both."
                                            : "whose loop?"));
    if (asked.kernel && !asked.loop)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--kernel FILE.h needs --loop FILE.yaml, which describes its args"));
    const tess_workload_names names = {.mesh = asked.mesh,
                                       .application = asked.application,
                                       .loop = asked.loop,
                                       .kernel = asked.kernel,
                                       .unexecuted = true};
    CHECK(tess_workload_open(&names, &load));
    CHECK(report(&asked, &load));
done:
    tess_workload_clear(&load);
    return status;
}

const tess_command tess_command_parts = {
    .name = "parts", .summary = "What a loop split into phases stages of a point", .run = run};
