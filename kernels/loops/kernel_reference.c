/* The reference of a kernel: its loop in double, with the bits of one element after another.
 *
 * All threads compute a batch of elements and keep what they add; then each thread adds what
 * elements of its own share get, in the order in which one thread would. */
#include "kernels/loops/kernel.h"

#include "core/base/array.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_BYTES = 1 << 23 }; /* of what a batch adds */

/* An arg as the reference walks it: where its values are, where they go. */
typedef struct walked {
    const tess_arg *arg;
    const tess_dat *dat;
    const tess_map *map;   /* NULL: direct or global */
    int first_slot, slots; /* of the map; 0, 1 where direct */
    int row;               /* values of an element in the dat */
    size_t value, bytes;   /* bytes of one; of a local array [slots][dim] */
    int *component;        /* [dim]: which of the element's values */
    char *added;           /* of what is incremented: a local array for each element of a batch */
} walked;

typedef struct walk {
    const tess_kernel *kernel;
    int64_t n_elements, batch;
    int n_args, arity;
    walked *args;
    int n_threads;
    bool adds;     /* anything is incremented */
    char *memory;  /* of local arrays */
    void **locals; /* [n_threads][n_args]; what is incremented has none */
} walk;

static tess_status walk_arg(const tess_bound_loop *bound, const tess_kernel_arg *view, int a,
                            const tess_state *state, walked *out) {
    const tess_arg *arg = &bound->loop->args[a];
    *out = (walked){.arg = arg,
                    .slots = 1,
                    .row = tess_kernel_arg_row(view),
                    .value = tess_type_size(arg->type)};
    out->dat = tess_state_find(state, arg->dat, arg->set);
    if (!out->dat || out->dat->dim != out->row || out->dat->type != arg->type)
        FAIL(TESS_ERROR_USAGE, "loop %s wants %s on '%s' as %d %s, which the state lacks",
             bound->loop->name, arg->dat, arg->set, out->row, tess_type_name(arg->type));
    if (arg->map[0]) {
        out->map = tess_mesh_find_map(bound->mesh, arg->map);
        out->first_slot = arg->slot < 0 ? 0 : arg->slot;
        out->slots = arg->slot < 0 ? out->map->arity : 1;
    }
    out->bytes = (size_t)out->slots * (size_t)arg->dim * out->value;
    TRY(TESS_ALLOC(arg->dim, &out->component));
    for (int d = 0; d < arg->dim; d++)
        out->component[d] = tess_kernel_arg_component(view, d);
    return TESS_OK;
}

/* The element of the dat that slot k leads to from element e; -1 where padded. */
static inline int64_t target_of(const walked *w, int64_t e, int k) {
    if (w->map)
        return w->map->index[e * w->map->arity + w->first_slot + k];
    return w->dat->set == TESS_GLOBAL ? 0 : e;
}

/* Copies the values of an arg between an element of the dat and a local array. */
static inline void copy_row(const walked *w, char *local, int64_t target, bool in) {
    char *row = (char *)w->dat->values + (size_t)(target * w->row) * w->value;
    for (int d = 0; d < w->arg->dim; d++, local += w->value) {
        char *there = row + (size_t)w->component[d] * w->value;
        if (w->value == sizeof(double))
            memcpy(in ? local : there, in ? there : local, sizeof(double));
        else
            memcpy(in ? local : there, in ? there : local, sizeof(float));
    }
}

static void take_in(const walked *w, int64_t e, char *local) {
    const size_t row = (size_t)w->arg->dim * w->value;
    for (int k = 0; k < w->slots; k++, local += row) {
        const int64_t target = w->arg->access == TESS_WRITE ? -1 : target_of(w, e, k);
        if (target < 0)
            memset(local, 0, row);
        else
            copy_row(w, local, target, true);
    }
}

static void bring_back(const walked *w, int64_t e, char *local) {
    for (int k = 0; k < w->slots; k++, local += (size_t)w->arg->dim * w->value)
        if (target_of(w, e, k) >= 0)
            copy_row(w, local, target_of(w, e, k), false);
}

static void add_row(const walked *w, int64_t target, const void *added) {
    const int64_t at = target * w->row;
    for (int d = 0; d < w->arg->dim; d++) {
        const int64_t i = at + w->component[d];
        switch (w->arg->type) {
        case TESS_INT32:
            ((int32_t *)w->dat->values)[i] += ((const int32_t *)added)[d];
            break;
        case TESS_FLOAT:
            ((float *)w->dat->values)[i] += ((const float *)added)[d];
            break;
        case TESS_DOUBLE:
            ((double *)w->dat->values)[i] += ((const double *)added)[d];
            break;
        }
    }
}

/* Computes an element, the i-th of its batch. */
static void compute(const walk *of, int64_t e, int64_t i, void **local) {
    for (int a = 0; a < of->n_args; a++) {
        const walked *w = &of->args[a];
        if (w->added)
            local[a] = memset(w->added + (size_t)i * w->bytes, 0, w->bytes);
        else
            take_in(w, e, local[a]);
    }
    of->kernel->reference(local, of->arity);
    for (int a = 0; a < of->n_args; a++)
        if (!of->args[a].added && of->args[a].arg->access != TESS_READ)
            bring_back(&of->args[a], e, local[a]);
}

/* Whether a thread adds what an element of a dat gets: neighbours in memory have the same. */
static inline bool is_mine(int64_t target, uint32_t thread, uint32_t n_threads) {
    const uint32_t mixed = (uint32_t)(target / 16) * 2654435761U;
    return (uint32_t)((uint64_t)mixed * n_threads >> 32) == thread;
}

/* Adds what the n elements from `first` on add to the elements that are a thread's. */
static void add_share(const walk *of, int64_t first, int64_t n, int thread, int n_threads) {
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < of->n_args; a++) {
            const walked *w = &of->args[a];
            const char *added = w->added + (size_t)i * w->bytes;
            for (int k = 0; w->added && k < w->slots; k++) {
                const int64_t target = target_of(w, first + i, k);
                if (target >= 0 && is_mine(target, (uint32_t)thread, (uint32_t)n_threads))
                    add_row(w, target, added + (size_t)(k * w->arg->dim) * w->value);
            }
        }
}

/* Whether no element depends on what another one wrote. */
static bool is_independent(const walk *of) {
    for (int a = 0; a < of->n_args; a++)
        for (int b = 0; b < of->n_args; b++) {
            const walked *w = &of->args[a], *other = &of->args[b];
            const bool direct = !w->map && w->dat->set != TESS_GLOBAL;
            if (w->arg->access == TESS_READ || w->dat != other->dat)
                continue;
            if (w->added ? !other->added : !direct || other->added || other->map)
                return false;
        }
    return true;
}

static void run_in_batches(const walk *of) {
    for (int64_t first = 0; first < of->n_elements; first += of->batch) {
        const int64_t left = of->n_elements - first, n = left < of->batch ? left : of->batch;
#pragma omp parallel num_threads(of->n_threads)
        {
            const int thread = omp_get_thread_num();
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n; i++)
                compute(of, first + i, i, of->locals + thread * of->n_args);
            if (of->adds)
                add_share(of, first, n, thread, omp_get_num_threads());
        }
    }
}

static void run_in_turn(const walk *of) {
    for (int64_t e = 0; e < of->n_elements; e++) {
        compute(of, e, 0, of->locals);
        add_share(of, e, 1, 0, 1);
    }
}

/* Takes the memory of local arrays, and of what a batch adds. */
static tess_status take_memory(walk *of) {
    int64_t local = 0, added = 1;
    for (int a = 0; a < of->n_args; a++) {
        const walked *w = &of->args[a];
        const int64_t bytes = ((int64_t)w->bytes + 63) / 64 * 64;
        local += w->arg->access == TESS_INC ? 0 : bytes;
        added += w->arg->access == TESS_INC ? bytes : 0;
    }
    const bool is_small = of->n_elements < 4096; /* done before others have begun */
    of->n_threads = is_small ? 1 : omp_get_max_threads();
    of->adds = added > 1;
    of->batch = 1 + BATCH_BYTES / added;
    of->batch = of->batch < of->n_elements ? of->batch : of->n_elements + 1;
    TRY(TESS_ALLOC(of->n_threads * local, &of->memory));
    TRY(TESS_ZEROS((int64_t)of->n_threads * of->n_args, &of->locals));
    char *next = of->memory;
    for (int i = 0; i < of->n_threads * of->n_args; i++) {
        const walked *w = &of->args[i % of->n_args];
        of->locals[i] = next;
        next += w->arg->access == TESS_INC ? 0 : (w->bytes + 63) / 64 * 64;
    }
    for (int a = 0; a < of->n_args; a++)
        if (of->args[a].arg->access == TESS_INC)
            TRY(TESS_ALLOC(of->batch * (int64_t)of->args[a].bytes, &of->args[a].added));
    return TESS_OK;
}

tess_status tess_kernel_reference(const tess_kernel *kernel, const tess_bound_loop *bound,
                                  tess_state *state) {
    tess_status status = TESS_OK;
    walk of = {.kernel = kernel, .n_elements = bound->n_elements, .n_args = bound->loop->n_args};
    CHECK(TESS_ZEROS(of.n_args, &of.args));
    if (!kernel->reference)
        CHECK(
            tess_fail(TESS_ERROR_MISSING, "kernel %s has no compiled-in reference", kernel->name));
    for (int a = 0; a < of.n_args; a++) {
        CHECK(walk_arg(bound, &kernel->args[a], a, state, &of.args[a]));
        if (bound->loop->args[a].map[0] && bound->loop->args[a].slot < 0)
            of.arity = of.args[a].slots;
    }
    CHECK(take_memory(&of));
    if (of.n_threads > 1 && is_independent(&of))
        run_in_batches(&of);
    else
        run_in_turn(&of);
done:
    for (int a = 0; of.args && a < of.n_args; a++) {
        free(of.args[a].component);
        free(of.args[a].added);
    }
    free(of.locals);
    free(of.memory);
    free(of.args);
    return status;
}
