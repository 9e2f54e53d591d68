/* The texts of an emission that say what its plan holds and how the loop is launched. */
#include "kernels/emit/emission.h"

#include <stdio.h>
#include <string.h>

/* The array of the page's that a parameter is; NULL: none. */
static const tess_page_table *table_of(const tess_page *page, const tess_param *param) {
    for (int i = 0; i < page->n_arrays; i++)
        if (strcmp(page->arrays[i].name, param->name) == 0)
            return &page->arrays[i];
    return NULL;
}

int tess_emission_dat(const tess_emission *x, const char *symbol) {
    for (int i = 0; i < x->n_dats; i++)
        if (strcmp(x->dats[i].symbol, symbol) == 0)
            return i;
    return -1;
}

static void add_set(int set, int *n, int sets[TESS_MOST_EMITTED_SETS]) {
    for (int i = 0; i < *n; i++)
        if (sets[i] == set)
            return;
    if (*n < TESS_MOST_EMITTED_SETS)
        sets[(*n)++] = set;
}

int tess_emission_sets(const tess_emission *x, int sets[TESS_MOST_EMITTED_SETS]) {
    int n = 0;
    for (int l = 0; l < x->n_loops; l++) {
        const tess_bound_loop *bound = x->loops[l].bound;
        add_set(bound->set, &n, sets);
        for (int r = 0; r < bound->n_targets; r++)
            add_set(bound->targets[r].set, &n, sets);
    }
    return n;
}

/* Bytes of a value that a pointer of this type points to. */
static int64_t size_of(const char *type) {
    return strstr(type, "double") || strstr(type, "long") ? 8
           : strstr(type, "short")                        ? 2
           : strstr(type, "char")                         ? 1
                                                          : 4;
}

static const char *space_behind(const char *type) {
    return type[strlen(type) - 1] == '*' ? "" : " ";
}

static void print_title(const tess_emission *x, const char *first, tess_text_writer *out) {
    tess_text_writer_print(out, "/* %s: %s, as Tesselab runs it:\n *\n *     %s\n", first, x->what,
                           x->setting->command);
}

static void print_plan_struct(const tess_emission *x, tess_text_writer *out) {
    int sets[TESS_MOST_EMITTED_SETS];
    const tess_mesh *mesh = x->loop->start->mesh;
    const int n = tess_emission_sets(x, sets);
    tess_text_writer_print(out, "struct %s_plan {\n    struct plan_file file;\n", x->name);
    for (int i = 0; i < x->page->n_params; i++) {
        const tess_param *param = &x->page->params[i];
        const tess_page_table *table = table_of(x->page, param);
        if (table)
            tess_text_writer_print(out, "    %s%s%s; /* [%lld] */\n", param->type,
                                   space_behind(param->type), param->name,
                                   (long long)(table->bytes / size_of(param->type)));
    }
    tess_text_writer_print(
        out, "    /* in the host's memory: where each element of the mesh is stored */\n");
    for (int i = 0; i < n; i++)
        tess_text_writer_print(out, "    const int *%s_place; /* [%lld] */\n",
                               mesh->sets[sets[i]].name, (long long)mesh->sets[sets[i]].size);
    tess_text_writer_print(out, "};\n\n");
}

/* On the device. */
static const char *type_of(const tess_emitted_dat *dat) {
    return tess_type_name(dat->stored->dat->type);
}

/* Parameters of the launch: its dats. */
static void print_dat_parameters(const tess_emission *x, tess_text_writer *out) {
    for (int i = 0; i < x->n_dats; i++) {
        const tess_emitted_dat *dat = &x->dats[i];
        if (dat->launched)
            tess_text_writer_print(out, ", %s%s *%s", dat->written ? "" : "const ", type_of(dat),
                                   dat->symbol);
    }
}

static void print_launch_head(const tess_emission *x, tess_text_writer *out) {
    tess_text_writer_print(out, "%sError_t %s_launch(const struct %s_plan *plan",
                           x->language->prefix, x->name, x->name);
    print_dat_parameters(x, out);
    tess_text_writer_print(out, ", %sStream_t stream)", x->language->prefix);
}

/* Where value d of element i of a dat lies. */
static void print_dat_place(const tess_emitted_dat *of, tess_text_writer *out) {
    const tess_page_dat *dat = of->dat;
    tess_text_writer_print(out, " *   %s: %d %s%s, ", of->symbol, dat->row, type_of(of),
                           dat->row == 1 ? "" : "s");
    if (!dat->set[0])
        tess_text_writer_print(out, "of all");
    else if (dat->row == 1)
        tess_text_writer_print(out, "of element i at [i]");
    else if (dat->aos)
        tess_text_writer_print(out, "value d of element i at [%d * i + d]", dat->row);
    else
        tess_text_writer_print(out, "value d of element i at [%lld * d + i]",
                               (long long)of->stored->stride);
    tess_text_writer_print(out, "; %lld bytes%s\n", (long long)of->stored->bytes,
                           of->before >= 0 ? ", written: its values after the chain"
                           : of->written   ? ", written"
                                           : "");
}

void tess_emission_print_header(const tess_emission *x, tess_text_writer *out) {
    char first[2 * TESS_NAME_SIZE];
    snprintf(first, sizeof first, "%s.h", x->name);
    print_title(x, first, out);
    tess_text_writer_print(out,
                           " *\n * For one mesh: %s. Another needs a program of its own:\n"
                           " * builder/.\n"
                           " * On the device element e of a set lies at i = SET_place[e]. */\n"
                           "#ifndef %s_H\n#define %s_H\n\n#include \"plan_reader.h\"\n\n"
                           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                           "/* The plan: its arrays, on the device. */\n",
                           x->about, x->title, x->title);
    print_plan_struct(x, out);
    tess_text_writer_print(out,
                           "/* Opens the plan's file and puts its arrays on the device. 0: done; 1:"
                           " a message was printed. The\n * path outlives the plan. */\n"
                           "int %s_plan_open(const char *path, struct %s_plan *plan);\n"
                           "void %s_plan_close(struct %s_plan *plan);\n\n"
                           "/* Puts the loop on a stream, with its data on the device:\n *\n",
                           x->name, x->name, x->name, x->name);
    for (int i = 0; i < x->n_dats; i++)
        if (x->dats[i].launched)
            print_dat_place(&x->dats[i], out);
    tess_text_writer_print(out, " */\n");
    print_launch_head(x, out);
    tess_text_writer_print(out, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void print_open(const tess_emission *x, tess_text_writer *out) {
    int sets[TESS_MOST_EMITTED_SETS];
    const int n = tess_emission_sets(x, sets);
    tess_text_writer_print(out,
                           "int %s_plan_open(const char *path, struct %s_plan *plan) {\n"
                           "    memset(plan, 0, sizeof *plan);\n"
                           "    if (plan_file_open(path, \"%.31s\",\n"
                           "                       \"%s\", &plan->file) != 0)\n"
                           "        return 1;\n",
                           x->name, x->name, x->program, x->about);
    for (int i = 0; i < x->page->n_params; i++) {
        const tess_param *param = &x->page->params[i];
        if (table_of(x->page, param))
            tess_text_writer_print(
                out, "    plan->%s = (%s)plan_file_place(&plan->file, \"plan/%s\");\n", param->name,
                param->type, param->name);
    }
    for (int i = 0; i < n; i++) {
        const char *set = x->loop->start->mesh->sets[sets[i]].name;
        tess_text_writer_print(
            out, "    plan->%s_place = (const int *)plan_file_host(&plan->file, \"place/%s\");\n",
            set, set);
    }
    tess_text_writer_print(out,
                           "    return plan->file.failed;\n}\n\n"
                           "void %s_plan_close(struct %s_plan *plan) {\n"
                           "    plan_file_close(&plan->file);\n}\n\n",
                           x->name, x->name);
}

/* The dat that a parameter says the place of, of phases in pieces; -1: it says none. */
static int dat_of(const tess_emission *x, const tess_param *param) {
    for (int i = 0; param->stored && i < x->n_dats; i++)
        if (x->dats[i].stored == param->stored && (x->dats[i].before >= 0) == param->other)
            return i;
    return -1;
}

/* What a parameter is; but for `first` and `count`, which launches say. */
static void print_parameters(const tess_emission *x, tess_text_writer *out) {
    const tess_page *page = x->page;
    for (int i = 0; i < page->n_params; i++) {
        const tess_param *param = &page->params[i];
        const int dat = dat_of(x, param);
        if (strcmp(param->name, "first") == 0 || strcmp(param->name, "count") == 0)
            continue;
        if (table_of(page, param))
            tess_text_writer_print(out, "    p.%s = plan->%s;\n", param->name, param->name);
        else if (dat >= 0)
            tess_text_writer_print(out, "    p.%s = %s;\n", param->name, x->dats[dat].symbol);
        else
            tess_text_writer_print(out, "    p.%s = %lld;\n", param->name, (long long)param->value);
    }
}

/* Launches of one kernel, one after another, which differ in their blocks alone. */
static int alike(const tess_page *page, int first) {
    const tess_launch *one = &page->launches[first];
    int n = 1;
    while (first + n < page->n_launches &&
           strcmp(page->launches[first + n].kernel, one->kernel) == 0 &&
           page->launches[first + n].shared_bytes == one->shared_bytes)
        n++;
    return n;
}

/* More than 48 kB a block, and shared memory's part of a multiprocessor, are asked for. */
static void print_asking(const tess_emission *x, const tess_launch *launch, tess_text_writer *out) {
    enum { UNASKED = 48 * 1024 };
    static const char attribute[] =
        "    if (error == %sSuccess)\n"
        "        error = %sFuncSetAttribute((const void *)%s_%s, %sFuncAttribute%s, %d);\n";
    const char *prefix = x->language->prefix;
    if (!x->language->has_graphs)
        return;
    if (launch->shared_bytes > UNASKED)
        tess_text_writer_print(out, attribute, prefix, prefix, x->name, launch->kernel, prefix,
                               "MaxDynamicSharedMemorySize", (int)launch->shared_bytes);
    if (launch->carveout > 0)
        tess_text_writer_print(out, attribute, prefix, prefix, x->name, launch->kernel, prefix,
                               "PreferredSharedMemoryCarveout", launch->carveout);
}

/* One launch, of so many blocks. */
static void print_one(const tess_emission *x, const tess_launch *launch, const char *blocks,
                      tess_text_writer *out) {
    if (x->language->has_graphs)
        tess_text_writer_print(out, "%s_%s<<<%s, %d, %lld, stream>>>(p);\n", x->name,
                               launch->kernel, blocks, launch->threads,
                               (long long)launch->shared_bytes);
    else if (x->language->lacks_lanes)
        tess_text_writer_print(out,
                               "if (error == kokkosSuccess)\n"
                               "        error = run_%s<block_thread, &block_thread::%s_%s>(\n"
                               "            stream, %s, %d, %lld, p);\n",
                               x->has_teams ? "teams" : "threads", x->name, launch->kernel, blocks,
                               launch->threads, (long long)launch->shared_bytes);
    else
        tess_text_writer_print(out, "run_blocks(%s_%s, %s, %d, %lld, &p);\n", x->name,
                               launch->kernel, blocks, launch->threads,
                               (long long)launch->shared_bytes);
}

static void print_launches(const tess_emission *x, tess_text_writer *out) {
    const tess_page *page = x->page;
    for (int i = 0, n = 0; i < page->n_launches; i += n) {
        const tess_launch *launch = &page->launches[i];
        char blocks[32];
        n = alike(page, i);
        print_asking(x, launch, out);
        if (n == 1) {
            snprintf(blocks, sizeof blocks, "%lld", (long long)launch->n_blocks);
            tess_text_writer_print(out, "    p.first = %lld;\n    p.count = %lld;\n    ",
                                   (long long)launch->first, (long long)launch->count);
            print_one(x, launch, blocks, out);
            continue;
        }
        tess_text_writer_print(out,
                               "    static const struct {\n"
                               "        long long first, count;\n        unsigned blocks;\n"
                               "    } of_%d[] = {",
                               i);
        for (int k = i; k < i + n; k++)
            tess_text_writer_print(
                out, "%s{%lld, %lld, %lld}", k > i ? ", " : "", (long long)page->launches[k].first,
                (long long)page->launches[k].count, (long long)page->launches[k].n_blocks);
        tess_text_writer_print(out,
                               "};\n    for (int k = 0; k < %d; k++) {\n"
                               "        p.first = of_%d[k].first;\n"
                               "        p.count = of_%d[k].count;\n        ",
                               n, i, i);
        snprintf(blocks, sizeof blocks, "of_%d[k].blocks", i);
        print_one(x, launch, blocks, out);
        tess_text_writer_print(out, "    }\n");
    }
}

/* The headers that the page is in, by a file's ending. */
static void print_section(const tess_emission *x, const char *ending, const char *what,
                          tess_page_section section, tess_text_writer *out) {
    tess_text_writer_print(out, "/* %s%s: %s. */\n\n", x->name, ending, what);
    tess_emission_print_page(x, x->page, section, out);
}

void tess_emission_print_user(const tess_emission *x, tess_text_writer *out) {
    print_section(x, "_kernel.h", "what is computed for one element, and with which numbers",
                  TESS_KERNEL_SECTION, out);
}

void tess_emission_print_data(const tess_emission *x, tess_text_writer *out) {
    print_section(x, "_data.h", "where values of this mesh lie, and how they reach the kernel",
                  TESS_DATA_SECTION, out);
}

void tess_emission_print_plan(const tess_emission *x, tess_text_writer *out) {
    tess_text_writer_print(out, "/* %s_plan.c: opens the plan of %s. */\n#include \"%s.h\"\n\n",
                           x->name, x->name, x->name);
    print_open(x, out);
}

void tess_emission_print_kernel(const tess_emission *x, tess_text_writer *out) {
    char first[2 * TESS_NAME_SIZE];
    snprintf(first, sizeof first, "%s%s", x->name, x->language->suffix);
    print_title(x, first, out);
    tess_text_writer_print(out,
                           " *\n * Below it the launch. words.h says what its words mean. */\n"
                           "#include \"%s.h\"\n#include \"words.h\"\n%s"
                           "#include \"%s_kernel.h\"\n%s#include \"%s_data.h\"\n\n",
                           x->name, x->language->quiet, x->name, x->language->opens, x->name);
    tess_emission_print_page(x, x->page, TESS_STRATEGY_SECTION, out);
    tess_text_writer_print(out, "%s\n/* --- the launch --- */\n\n", x->language->closes);
    print_launch_head(x, out);
    tess_text_writer_print(out, " {\n    struct params p;\n    %sError_t error = %sSuccess;\n",
                           x->language->prefix, x->language->prefix);
    if (x->page->n_arrays == 0)
        tess_text_writer_print(out, "    (void)plan;\n");
    print_parameters(x, out);
    print_launches(x, out);
    if (x->language->has_graphs)
        tess_text_writer_print(out,
                               "    return error == %sSuccess ? %sGetLastError() : error;\n}\n",
                               x->language->prefix, x->language->prefix);
    else
        tess_text_writer_print(out, "    (void)stream, (void)p;\n    return error;\n}\n");
}

void tess_emission_print_sequential(const tess_emission *x, int loop, tess_text_writer *out) {
    const tess_page *page = x->loops[loop].page;
    const char *name = x->loops[loop].kernel->name;
    tess_text_writer_print(out,
                           "/* %s_sequential.c: the loop %s of %s over one element after another,"
                           " which the result is\n * compared with. */\n"
                           "#include \"plan_reader.h\"\n#include \"words_host.h\"\n\n",
                           name, name, x->words->application);
    tess_emission_print_page(x, page, TESS_ALL_SECTIONS, out);
    tess_text_writer_print(out,
                           "\nvoid %s_run_sequential(struct plan_file *file, void *const *dats);\n"
                           "void %s_run_sequential(struct plan_file *file, void *const *dats) {\n"
                           "    struct params p;\n    memset(&p, 0, sizeof p);\n",
                           name, name);
    for (int i = 0; i < page->n_params; i++) {
        const tess_param *param = &page->params[i];
        const int dat = tess_emission_dat(x, param->name);
        if (table_of(page, param))
            tess_text_writer_print(out, "    p.%s = plan_file_host(file, \"sequential/%d/%s\");\n",
                                   param->name, loop, param->name);
        else if (dat >= 0)
            tess_text_writer_print(out, "    p.%s = dats[%d];\n", param->name, dat);
    }
    if (page->n_launches > 0) /* else there are no elements */
        tess_text_writer_print(out, "    p.count = %lld;\n    %s_%s(&p, 0);\n",
                               (long long)page->launches[0].count, name, page->launches[0].kernel);
    tess_text_writer_print(out, "    (void)file, (void)p;\n}\n");
}

void tess_emission_print_dats(const tess_emission *x, tess_text_writer *out) {
    for (int i = 0; i < x->n_dats; i++) {
        const tess_emitted_dat *dat = &x->dats[i];
        tess_text_writer_print(
            out, "    {\"%s\", \"start/%s\", \"%s\", \"%s\", %d, %d, %g, NULL, NULL},\n",
            dat->symbol, dat->symbol, type_of(dat), dat->dat->type, dat->written, dat->before,
            tess_type_tolerance(dat->stored->dat->type));
    }
}

void tess_emission_print_arguments(const tess_emission *x, tess_text_writer *out) {
    tess_text_writer_print(out, "plan, ");
    for (int i = 0; i < x->n_dats; i++)
        if (x->dats[i].launched)
            tess_text_writer_print(out, "dats[%d].device, ", i);
    tess_text_writer_print(out, "stream");
}

void tess_emission_print_launch_count(const tess_emission *x, tess_text_writer *out) {
    tess_text_writer_print(out, "%d", x->page->n_launches);
}

void tess_emission_print_declarations(const tess_emission *x, tess_text_writer *out) {
    for (int i = 0; i < x->n_loops; i++)
        tess_text_writer_print(
            out, "void %s_run_sequential(struct plan_file *file, void *const *dats);\n",
            x->loops[i].kernel->name);
}

/* The loops one after another; what a second buffer must come to is what the first one has then. */
void tess_emission_print_calls(const tess_emission *x, tess_text_writer *out) {
    for (int i = 0; i < x->n_calls; i++)
        tess_text_writer_print(out, "    %s_run_sequential(&plan->file, host);\n",
                               x->loops[x->calls[i]].kernel->name);
    for (int i = 0; i < x->n_dats; i++)
        if (x->dats[i].before >= 0)
            tess_text_writer_print(out, "    memcpy(host[%d], host[%d], %lld);\n", i,
                                   x->dats[i].before, (long long)x->dats[i].dat->stored->bytes);
}

static void print_sequential_files(const tess_emission *x, const char *folder,
                                   tess_text_writer *out) {
    for (int i = 0; i < x->n_loops; i++)
        tess_text_writer_print(out, "%s%s%s_sequential.c", i > 0 ? " " : "", folder,
                               x->loops[i].kernel->name);
}

void tess_emission_print_sequential_files(const tess_emission *x, tess_text_writer *out) {
    print_sequential_files(x, "", out);
}

void tess_emission_print_sequential_sources(const tess_emission *x, tess_text_writer *out) {
    print_sequential_files(x, "${from}/", out);
}
