/* The glue: what stands between a strategy's text and a user kernel, generated from the loop. */
#include "kernels/codegen/glue.h"

#include "kernels/codegen/launch_options.h"
#include "kernels/devices/embed.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_block_sum_text, "kernels/codegen/block_sum.h");
TESS_EMBED(tess_phase_sum_text, "kernels/codegen/phase_sum.h");
TESS_EMBED(tess_phase_points_text, "kernels/codegen/phase_points.h");
TESS_EMBED(tess_whole_element_text, "kernels/codegen/whole_element.h");

/* --- constants -------------------------------------------------------------------------------- */

/* The sizes of the loop: constants, or parameters. */
static void print_sizes(tess_page *page) {
    const int64_t sizes[] = {page->bound->n_elements, page->plan->n_executed};
    static const char *const names[][2] = {{"N_ELEMENTS", "n_elements"},
                                           {"N_POSITIONS", "n_positions"}};
    for (int i = 0; i < 2; i++) {
        if (!page->any_size) {
            tess_page_print(page, "#define %s %lld\n", names[i][0], (long long)sizes[i]);
            continue;
        }
        tess_page_print(page, "#define %s ((int)p->%s)\n", names[i][0], names[i][1]);
        tess_page_param(page, "long long", (uint64_t)sizes[i], "%s", names[i][1]);
    }
}

static void print_constants(tess_page *page) {
    tess_page_print(page,
                    "/* Loop %s over %s by %s. */\n"
                    "#define THREADS %d\n#define BLOCK_SIZE %d\n#define WRITES_POINTS %d\n"
                    "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, LEAST_BLOCKS)\n",
                    page->bound->loop->name, page->bound->loop->set, page->strategy, page->threads,
                    page->plan->block_size, tess_loop_writes_points(page->bound->loop));
    tess_launch_options_apply(page);
    print_sizes(page);
    tess_kernel_text_print_arities(&page->text, tess_page_whole(page));
}

void tess_glue_params(tess_page *page) {
    tess_page_print(page, "struct params {\n");
    for (int i = 0; i < page->n_params; i++) {
        const char *type = page->params[i].type;
        const char *space = type[strlen(type) - 1] == '*' ? "" : " ";
        tess_page_print(page, "    %s%s%s;\n", type, space, page->params[i].name);
    }
    tess_page_print(page, "};\n\n");
}

static void print_params(tess_page *page) {
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        char type[32];
        snprintf(type, sizeof type, "%s%s *", dat->written ? "" : "const ", dat->type);
        tess_page_param_dat(page, type, dat, false);
        if (dat->read_directly && !dat->written && dat->target < 0)
            tess_page_param_own(page,
                                (tess_page_own){.n = dat->row,
                                                .size = dat->size,
                                                .next_element = dat->aos ? dat->row : 1,
                                                .next_value = dat->aos ? 1 : dat->stored->stride});
    }
    tess_glue_params(page);
}

/* The user kernel under its own file name, for the compiler's messages. */
static void print_kernel(tess_page *page) {
    char file[2 * TESS_NAME_SIZE];
    tess_kernel_text_print_real(&page->text, tess_page_real(page), page->arithmetic);
    snprintf(file, sizeof file, "kernel-%s.h", page->kernel->name);
    tess_text_writer_include(&page->text, file, page->kernel->text);
    tess_page_print(page, "#line 1 \"glue-%s.h\"\n", page->kernel->name);
}

static void print_struct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_print(page, "struct element {\n");
    for (int r = 0; r < page->bound->n_targets; r++)
        tess_page_print(page, "    int %s_point[%d], %s_local[%d];\n", page->sets[r].name,
                        page->bound->targets[r].n_slots, page->sets[r].name,
                        page->bound->targets[r].n_slots);
    for (int a = 0; a < loop->n_args; a++)
        tess_page_print(page, "    %s arg%d[%d]; /* %s %s */\n", tess_type_name(loop->args[a].type),
                        a, tess_page_local_size(page, a), tess_access_name(loop->args[a].access),
                        loop->args[a].dat);
    for (int b = 0; b < page->kernel->n_between; b++)
        tess_page_print(page, "    real between%d[%d]; /* %s */\n", b, page->kernel->between[b].dim,
                        page->kernel->between[b].name);
    tess_page_print(page, "};\n\n");
}

/* --- values at points ------------------------------------------------------------------------- */

/* Which of a row's values is value d of a dat: a step more behind each gap between components. */
static void print_component(tess_page *page, const tess_page_dat *dat) {
    const tess_kernel_arg *view = dat->view;
    const int first = tess_kernel_arg_component(view, 0);
    if (first > 0)
        tess_page_print(page, "%d + ", first);
    tess_page_print(page, "d");
    for (int d = 1; d < dat->dim; d++) {
        const int gap =
            tess_kernel_arg_component(view, d) - tess_kernel_arg_component(view, d - 1) - 1;
        if (gap > 0)
            tess_page_print(page, " + (d >= %d) * %d", d, gap);
    }
}

void tess_glue_at(tess_page *page, const tess_page_dat *dat) {
    const bool wide = dat->stored->stride * dat->row > INT32_MAX;
    const bool is_one = tess_kernel_arg_component(dat->view, dat->dim - 1) == dat->dim - 1;
    tess_page_print(page, "INLINE %s %s_at(int i, int d) {\n    return ",
                    wide ? "long long" : "int", dat->symbol);
    if (dat->aos)
        tess_page_print(page, "%si * %d + ", wide ? "(long long)" : "", dat->row);
    else
        tess_page_print(page, "%s%s", wide ? "(long long)" : "", is_one ? "" : "(");
    print_component(page, dat);
    if (!dat->aos)
        tess_page_print(page, "%s * %lld + i", is_one ? "" : ")", (long long)dat->stored->stride);
    tess_page_print(page, ";\n}\n\n");
}

/* Bytes that are fetched at once. */
enum { PIECE = 16 };

bool tess_page_has_pieces(const tess_page_dat *dat) {
    bool has = dat->aos && strcmp(dat->type, "int") != 0 && dat->row * dat->size % PIECE == 0 &&
               dat->dim > 1 && !dat->written;
    for (int d = 1; d < dat->dim; d++)
        has &=
            tess_kernel_arg_component(dat->view, d) == tess_kernel_arg_component(dat->view, 0) + d;
    return has;
}

/* Fetches an arg's values of the element or point `at`, piece by piece; false: it may not. */
static bool print_wide_read(tess_page *page, const tess_page_dat *dat, int arg, int offset,
                            const char *at) {
    const int begin = tess_kernel_arg_component(dat->view, 0), piece = PIECE / dat->size;
    const int skipped = begin % piece, n = (skipped + dat->dim + piece - 1) / piece * piece;
    if (!page->wide_reads || !tess_page_has_pieces(dat))
        return false;
    tess_page_code(page, dat,
                   "    {\n        @type row[%d];\n"
                   "        fetch_run(row, &p->@dat[@dat_at(%s, 0)] - %d, %d);\n"
                   "        UNROLL for (int d = 0; d < @dim; d++)\n"
                   "            e->arg%d[%d + d] = row[%d + d];\n    }\n",
                   n, at, skipped, n, arg, offset, skipped);
    return true;
}

/* Args of some kinds through maps, from or to global memory. */
static void print_points(tess_page *page, const char *name, bool writing, tess_access one,
                         tess_access other) {
    tess_page_code(page, NULL, "INLINE void %s(const struct params *p, struct element *e) {\n",
                   name);
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        const bool padded = page->sets[to->dat->target].padded;
        if (to->access != one && to->access != other)
            continue;
        char at[2 * TESS_NAME_SIZE];
        snprintf(at, sizeof at, "e->%s_point[%d]", to->dat->set, to->slot);
        if (to->access == TESS_READ && !padded &&
            print_wide_read(page, to->dat, to->arg, to->offset, at))
            continue;
        if (writing && padded)
            tess_page_code(page, to->dat, "    if (e->@set_point[%d] >= 0)\n    ", to->slot);
        tess_page_code(page, to->dat, "    UNROLL for (int d = 0; d < @dim; d++)\n");
        if (writing) {
            tess_page_code(page, to->dat,
                           "        store(&p->@dat[@dat_at(e->@set_point[%d], d)], e->arg%d[%d + "
                           "d]);\n",
                           to->slot, to->arg, to->offset);
            continue;
        }
        tess_page_code(page, to->dat, "        e->arg%d[%d + d] = ", to->arg, to->offset);
        if (padded)
            tess_page_code(page, to->dat, "e->@set_point[%d] < 0 ? (@type)0 : ", to->slot);
        tess_page_code(page, to->dat, "%s(&p->@dat[@dat_at(e->@set_point[%d], d)]);\n",
                       to->access == TESS_READ ? "fetch" : "load", to->slot);
    }
    tess_page_code(page, NULL, "    (void)e, (void)p;\n}\n\n");
}

/* add_points: increments in global memory that nobody else adds to. All values of a point are
 * loaded before one is stored: a load behind a store waits for it, since both might be of one
 * place. */
static void print_add_points(tess_page *page) {
    tess_page_code(page, NULL,
                   "INLINE void add_points(const struct params *p, const struct element *e) {\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC)
            continue;
        if (page->sets[to->dat->target].padded)
            tess_page_code(page, to->dat, "    if (e->@set_point[%d] >= 0)", to->slot);
        tess_page_code(
            page, to->dat,
            "    {\n"
            "        const int point = e->@set_point[%d];\n"
            "        @type sum[@dim];\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            sum[d] = load(&p->@dat[@dat_at(point, d)]) + e->arg%d[%d + d];\n"
            "        UNROLL for (int d = 0; d < @dim; d++)\n"
            "            store(&p->@dat[@dat_at(point, d)], sum[d]);\n"
            "    }\n",
            to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "    (void)e, (void)p;\n}\n\n");
}

/* --- elements' own values --------------------------------------------------------------------- */

static void print_read_direct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL,
                   "INLINE void read_direct(const struct params *p, struct element *e, int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_page_dat *dat = tess_page_dat_of(page, a);
        if (tess_page_reads_own(page, a) && !(dat->set[0] && print_wide_read(page, dat, a, 0, "i")))
            tess_page_read_own(page, a);
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)i;\n}\n\n");
}

static void print_write_direct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL,
                   "INLINE void write_direct(const struct params *p, struct element *e, int i) "
                   "{\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || arg->access == TESS_READ || !arg->set[0])
            continue;
        tess_page_code(page, tess_page_dat_of(page, a),
                       "    UNROLL for (int d = 0; d < @dim; d++)\n"
                       "        %s(&p->@dat[@dat_at(i, d)], e->arg%d[d]);\n",
                       arg->access == TESS_INC ? "plain_add" : "store", a);
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)i;\n}\n\n");
}

static void print_compute(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL, "INLINE void compute(struct element *e) {\n");
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].access == TESS_INC)
            tess_page_code(page, NULL,
                           "    UNROLL for (int d = 0; d < %d; d++)\n        e->arg%d[d] = 0;\n",
                           tess_page_local_size(page, a), a);
    tess_page_code(page, NULL, "    %s(", tess_kernel_function(page->kernel));
    for (int a = 0; a < loop->n_args; a++)
        tess_page_code(page, NULL, "%se->arg%d", a > 0 ? ", " : "", a);
    tess_page_code(page, NULL, ");\n}\n\n");
}

/* --- parts ------------------------------------------------------------------------------------ */

static void print_compute_terms(tess_page *page) {
    const tess_part_words words = {.arg = "e->arg", .between = "e->between"};
    tess_page_code(page, NULL, "INLINE void compute_terms(struct element *e) {\n");
    for (int p = 0; p < page->kernel->n_parts; p++) {
        const tess_kernel_part *part = &page->kernel->parts[p];
        if (part->n_gives > 0 && tess_part_is_used(part, page->use))
            tess_part_print_each(&page->functions, page->kernel, part, &words);
    }
    tess_page_code(page, NULL, "    (void)e;\n}\n\n");
}

/* The compiler is to forget what a part takes: else it keeps what several instances have in common,
 * more than there are registers. */
static void print_forget(tess_page *page, const tess_kernel_part *part) {
    const tess_kernel *kernel = page->kernel;
    for (int t = 0; t < part->n_takes; t++) {
        const int value = part->takes[t];
        const bool is_real = value < 0 || page->bound->loop->args[value].type != TESS_INT32;
        const int n = value < 0 ? kernel->between[~value].dim : tess_page_local_size(page, value);
        if (is_real)
            tess_page_code(page, NULL,
                           "        UNROLL for (int d = 0; d < %d; d++)\n"
                           "            forget(e->%s%d[d]);\n",
                           n, value < 0 ? "between" : "arg", value < 0 ? ~value : value);
    }
}

void tess_glue_make(tess_page *page, const tess_kernel_part *part, int instance) {
    char number[16];
    const tess_part_words words = {.arg = "e->arg", .between = "e->between", .instance = number};
    snprintf(number, sizeof number, "%d", instance);
    print_forget(page, part);
    tess_part_print_made(&page->functions, page->kernel, part);
    tess_page_code(page, NULL, "        if (active)\n            ");
    tess_part_print_call(&page->functions, page->kernel, part, &words);
}

/* --- the page --------------------------------------------------------------------------------- */

static const char *text_of(const tess_text_writer *writer) {
    return writer->text ? writer->text : "";
}

static bool has_shared(const tess_page *page) {
    return !page->one_thread || page->thread_bytes > 0;
}

void tess_glue_block(tess_page *page) {
    if (page->thread_bytes > 0)
        tess_page_print(page,
                        "static _Thread_local char thread_memory[%lld] "
                        "__attribute__((aligned(64)));\n"
                        "#define shared_memory() thread_memory\n",
                        (long long)page->thread_bytes);
    tess_page_print(page,
                    "/* What the threads of a block know of it. */\n"
                    "struct block {\n    int index;\n%s%s};\n\n",
                    has_shared(page) ? "    char *shared;\n" : "", text_of(&page->block));
}

void tess_glue_open_block(tess_page *page) {
    tess_page_print(page,
                    "INLINE struct block open_block(const struct params *p, int index) {\n"
                    "    struct block b;\n    b.index = index;\n%s%s    (void)p;\n    return b;\n"
                    "}\n\n",
                    has_shared(page) ? "    b.shared = shared_memory();\n" : "",
                    text_of(&page->open_block));
}

tess_status tess_glue_write(tess_page *page, const char *text, int wants) {
    char file[2 * TESS_NAME_SIZE];
    print_constants(page);
    print_params(page);
    print_kernel(page);
    print_struct(page);
    for (int i = 0; i < page->n_dats; i++)
        tess_glue_at(page, &page->dats[i]);
    tess_glue_block(page);
    tess_text_writer tables =
        page->functions; /* they call the loop's functions, which come first */
    page->functions = (tess_text_writer){.text = NULL};
    print_points(page, "read_points", false, TESS_READ, TESS_READ);
    print_points(page, "read_changed", false, TESS_RW, TESS_RW);
    print_points(page, "write_points", true, TESS_RW, TESS_WRITE);
    print_add_points(page);
    print_read_direct(page);
    print_write_direct(page);
    print_compute(page);
    if (page->kernel->n_parts > 0)
        print_compute_terms(page);
    tess_glue_sums(page);
    tess_page_print(page, "%s%s", text_of(&page->functions), text_of(&tables));
    tess_text_writer_clear(&tables);
    tess_glue_open_block(page);
    if ((wants & (TESS_WANT_BLOCK_SUM | TESS_WANT_PHASE_SUM)) && page->n_phases > 0)
        tess_text_writer_include(&page->text, "phase_sum.h", tess_phase_sum_text);
    else if (wants & TESS_WANT_BLOCK_SUM)
        tess_text_writer_include(&page->text, "block_sum.h", tess_block_sum_text);
    if ((wants & TESS_WANT_PHASE_POINTS) && page->n_phases > 0)
        tess_text_writer_include(&page->text, "phase_points.h", tess_phase_points_text);
    if (wants & TESS_WANT_WHOLE_ELEMENT)
        tess_text_writer_include(&page->text, "whole_element.h", tess_whole_element_text);
    snprintf(file, sizeof file, "%s.cu", page->strategy);
    tess_text_writer_include(&page->text, file, text);
    return tess_page_finish(page);
}
