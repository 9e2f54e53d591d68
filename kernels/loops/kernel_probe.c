/* A probe: a user's kernel called on a few elements' own values. */
#include "kernels/loops/kernel_probe.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/devices/c_module.h"
#include "kernels/devices/text_writer.h"
#include "kernels/loops/kernel_parts.h"
#include "kernels/loops/kernel_text.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* glibc before 2.38 */
#endif

/* Values on either side of an arg's own that nobody may touch; elements that are tried. */
enum { GUARD = 1024, ELEMENTS = 64, WORDS = 1024 };

/* Processor time that one call may take; the stack on which an overflow of the other is caught. */
enum { CALL_SECONDS = 2, CATCHER_BYTES = 65536 };

static const char FLAGS[] =
    "-std=gnu11 -O1 -fno-strict-aliasing -Werror=incompatible-pointer-types "
    "-Werror=implicit-function-declaration -Werror=int-conversion -Werror=implicit-int "
    "-Werror=return-type";

/* What an arg's parameter points to: n values with guards before and behind. */
typedef struct guarded {
    size_t size;           /* of a value, bytes */
    int n;                 /* values */
    char *before, *values; /* as they were handed over, and as they are; [n + 2 GUARD] */
    char *result;          /* of the first call, [n] */
} guarded;

typedef struct probe {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_probe_setting *setting;
    int n;
    guarded *args;
    void **positions; /* [n], the parameters */
    void (*call)(void *const *positions);
    timer_t watch; /* of the time that this thread computes */
    bool watched;
    char *catcher; /* [CATCHER_BYTES] */
} probe;

static _Thread_local sigjmp_buf escape;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* signals are the process's */

static void jump(int signal) {
    siglongjmp(escape, signal);
}

static const tess_map *map_of(const probe *p, int a) {
    const tess_arg *arg = &p->bound->loop->args[a];
    return arg->map[0] ? tess_mesh_find_map(p->bound->mesh, arg->map) : NULL;
}

/* The function's head as the description means it. */
static void print_head(const probe *p, tess_text_writer *page) {
    tess_text_writer_print(page, "\n    void %s(", tess_kernel_function(p->kernel));
    for (int a = 0; a < p->n; a++) {
        const tess_kernel_arg *arg = &p->kernel->args[a];
        tess_text_writer_print(page, "%s%s%s *%s", a ? ", " : "",
                               arg->access == TESS_READ ? "const " : "", arg->type, arg->dat);
    }
    tess_text_writer_print(page, ")");
}

/* So, of each part where it is in parts. */
static void print_heads(const probe *p, tess_text_writer *page) {
    if (p->kernel->n_parts == 0)
        print_head(p, page);
    for (int k = 0; k < p->kernel->n_parts; k++) {
        tess_text_writer_print(page, "\n    ");
        tess_part_print_head(page, p->kernel, &p->kernel->parts[k]);
    }
}

static void print_page(const probe *p, tess_text_writer *page) {
    tess_text_writer_print(page, "#include <tgmath.h>\n");
    tess_kernel_text_print_real(page, p->setting->start->real == TESS_FLOAT ? "float" : "double",
                                TESS_ARITHMETIC_EXACT);
    tess_kernel_text_print_arities(page, p->bound->mesh);
    tess_text_writer_include(page, p->setting->header, p->kernel->text);
    tess_text_writer_print(page,
                           "\n#line 1 \"call\"\nvoid probe(void *const *a);\n"
                           "void probe(void *const *a) { %s(",
                           tess_kernel_function(p->kernel));
    for (int a = 0; a < p->n; a++)
        tess_text_writer_print(page, "%s(%s *)a[%d]", a ? ", " : "", p->kernel->args[a].type, a);
    tess_text_writer_print(page, "); }\n");
}

/* Compiles the function with its call; where that fails the message says what it should be. */
static tess_status compile(const probe *p, tess_c_module **out) {
    tess_text_writer page = {.length = 0}, head = {.length = 0};
    char words[WORDS];
    print_page(p, &page);
    tess_status status = tess_c_module_open(page.text, FLAGS, out);
    if (status == TESS_ERROR_INPUT) {
        print_heads(p, &head);
        snprintf(words, sizeof words, "%s", tess_message());
        status = tess_fail(TESS_ERROR_INPUT, "%s does not compile as%s\nwhich %s says it is: %s",
                           p->setting->header, head.text, p->setting->description, words);
    }
    tess_text_writer_clear(&head);
    tess_text_writer_clear(&page);
    return status;
}

static tess_status make_arg(const probe *p, int a, guarded *out) {
    const tess_arg *arg = &p->bound->loop->args[a];
    const tess_map *map = map_of(p, a);
    out->size = tess_type_size(arg->type);
    const int slots = map && arg->slot < 0 ? map->arity : 1;
    out->n = arg->dim * slots * (p->kernel->args[a].is_matrix ? slots : 1);
    const int64_t bytes = (int64_t)out->size * (out->n + 2 * GUARD);
    TRY(TESS_ALLOC(bytes, &out->before));
    TRY(TESS_ALLOC(bytes, &out->values));
    return TESS_ALLOC((int64_t)out->size * out->n, &out->result);
}

/* Values of no meaning, random so that those of neighbours do not cancel: the same ones for the
 * same `which`, others everywhere for another. */
static void fill_guard(const tess_arg *arg, int which, char *values, int n) {
    uint64_t seed = (uint64_t)which;
    for (int i = 0; i < n; i++) {
        const double value = (which ? 0.25 : 2.5) + (double)(tess_random_next(&seed) >> 56) / 1024;
        if (arg->type == TESS_INT32)
            ((int32_t *)(void *)values)[i] = 1 + (i + which) % 2;
        else if (arg->type == TESS_FLOAT)
            ((float *)(void *)values)[i] = (float)value;
        else
            ((double *)(void *)values)[i] = value;
    }
}

/* Puts there what element e hands over; the guards of arg `other` are other ones, and so is what
 * lies where it is to write. */
static void hand_over(probe *p, int64_t e, int other) {
    for (int a = 0; a < p->n; a++) {
        const tess_arg *arg = &p->bound->loop->args[a];
        const tess_kernel_arg *view = &p->kernel->args[a];
        guarded *g = &p->args[a];
        const tess_dat *dat = tess_state_find(p->setting->start, arg->dat, arg->set);
        const tess_map *map = map_of(p, a);
        const bool is_read = arg->access == TESS_READ || arg->access == TESS_RW;
        const size_t guard = g->size * GUARD;
        const int first = map && arg->slot >= 0 ? arg->slot : 0;
        fill_guard(arg, a == other, g->before, g->n + 2 * GUARD);
        if (a != other || arg->access != TESS_WRITE)
            memset(g->before + guard, 0, g->size * (size_t)g->n);
        for (int i = 0; is_read && i < g->n; i++) {
            const int64_t slot = first + i / arg->dim;
            const int64_t at = !arg->set[0] ? 0 : map ? map->index[e * map->arity + slot] : e;
            const int64_t position = at * dat->dim + tess_kernel_arg_component(view, i % arg->dim);
            if (at >= 0)
                memcpy(g->before + guard + g->size * (size_t)i,
                       (const char *)dat->values + g->size * (size_t)position, g->size);
        }
        memcpy(g->values, g->before, g->size * (size_t)(g->n + 2 * GUARD));
        p->positions[a] = g->values + guard;
    }
}

/* A signal to this thread, and to no other, when it has computed for too long. */
static tess_status make_watch(probe *p) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    event.sigev_notify_thread_id = gettid();
    TRY(TESS_ALLOC(CATCHER_BYTES, &p->catcher));
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &p->watch) != 0)
        FAIL(TESS_ERROR_MEMORY, "no timer for a kernel's first calls");
    p->watched = true;
    return TESS_OK;
}

static void set_watch(const probe *p, int seconds) {
    timer_settime(p->watch, 0, &(struct itimerspec){.it_value = {.tv_sec = seconds}}, NULL);
}

/* Calls the function; gives the signal that ended it, 0 where none did. */
static int call(const probe *p) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGVTALRM};
    enum { N = sizeof signals / sizeof *signals };
    const stack_t catcher = {.ss_sp = p->catcher, .ss_size = CATCHER_BYTES};
    struct sigaction kept[N], caught = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    stack_t other;
    sigaltstack(&catcher, &other);
    for (int i = 0; i < N; i++)
        sigaction(signals[i], &caught, &kept[i]);
    const int signal = sigsetjmp(escape, 1);
    if (signal == 0) {
        set_watch(p, CALL_SECONDS);
        p->call(p->positions);
    }
    set_watch(p, 0);
    for (int i = 0; i < N; i++)
        sigaction(signals[i], &kept[i], NULL);
    sigaltstack(&other, NULL);
    return signal;
}

/* What it means where a signal ended the function. */
static tess_status complain_of_signal(const probe *p, int64_t e, int signal) {
    if (signal == SIGVTALRM)
        FAIL(TESS_ERROR_INPUT, "%s: %s on element %lld still computes after %d s: does it end?",
             p->setting->header, p->kernel->name, (long long)e, CALL_SECONDS);
    const char *what = signal == SIGFPE ? "divides an integer by zero"
                       : signal == SIGSEGV || signal == SIGBUS
                           ? "reads or writes far outside of its args, or calls itself without end,"
                           : "would end the program, as a trap or an assertion does,";
    FAIL(TESS_ERROR_INPUT, "%s: %s %s on element %lld", p->setting->header, p->kernel->name, what,
         (long long)e);
}

static tess_status complain(const probe *p, int a, const char *what) {
    FAIL(TESS_ERROR_INPUT, "%s: %s %s arg %d ('%s', %d value%s here)", p->setting->header,
         p->kernel->name, what, a, p->kernel->args[a].dat, p->args[a].n,
         p->args[a].n == 1 ? "" : "s");
}

/* Nothing but the args' own values changed, and of those not what is read only. */
static tess_status check_writes(const probe *p) {
    for (int a = 0; a < p->n; a++) {
        const guarded *g = &p->args[a];
        const size_t guard = g->size * GUARD, own = g->size * (size_t)g->n;
        if (memcmp(g->values, g->before, guard) != 0 ||
            memcmp(g->values + guard + own, g->before + guard + own, guard) != 0)
            return complain(p, a, "writes outside of");
        if (p->kernel->args[a].access == TESS_READ &&
            memcmp(g->values + guard, g->before + guard, own) != 0)
            return complain(p, a, "changes what is only read:");
    }
    return TESS_OK;
}

/* What is handed back is numbers. */
static tess_status check_numbers(const probe *p, int64_t e) {
    for (int a = 0; a < p->n; a++) {
        const tess_type type = p->bound->loop->args[a].type;
        const void *values = p->args[a].values + p->args[a].size * GUARD;
        for (int i = 0; i < p->args[a].n && type != TESS_INT32; i++) {
            const double value =
                type == TESS_FLOAT ? ((const float *)values)[i] : ((const double *)values)[i];
            if (!isfinite(value))
                FAIL(TESS_ERROR_INPUT,
                     "%s: value %d of arg %d ('%s') is no number (%g) after %s on element %lld",
                     p->setting->header, i, a, p->kernel->args[a].dat, value, p->kernel->name,
                     (long long)e);
        }
    }
    return TESS_OK;
}

static bool same_results(const probe *p) {
    for (int a = 0; a < p->n; a++) {
        const guarded *g = &p->args[a];
        if (memcmp(g->result, g->values + g->size * GUARD, g->size * (size_t)g->n) != 0)
            return false;
    }
    return true;
}

/* `other`: as in hand_over; -1 none, -2 the first call of the element. */
static tess_status call_on(probe *p, int64_t e, int other) {
    hand_over(p, e, other);
    const int signal = call(p);
    if (signal != 0)
        return complain_of_signal(p, e, signal);
    TRY(check_writes(p));
    if (other < 0 && !p->setting->any_numbers)
        TRY(check_numbers(p, e));
    for (int a = 0; other == -2 && a < p->n; a++)
        memcpy(p->args[a].result, p->args[a].values + p->args[a].size * GUARD,
               p->args[a].size * (size_t)p->args[a].n);
    if (same_results(p))
        return TESS_OK;
    if (other >= 0 && p->kernel->args[other].access == TESS_WRITE)
        return complain(p, other, "reads, or does not set all of, what is write (rw may):");
    if (other >= 0)
        return complain(p, other, "reads outside of");
    FAIL(TESS_ERROR_INPUT,
         "%s: %s gives another result for equal args: keep nothing between calls, and set what you "
         "read",
         p->setting->header, p->kernel->name);
}

static tess_status try_elements(probe *p) {
    const int64_t n = p->bound->n_elements, n_tried = n < ELEMENTS ? n : ELEMENTS;
    for (int64_t i = 0; i < n_tried; i++)
        for (int other = -2; other < p->n; other++)
            TRY(call_on(p, i * n / n_tried, other));
    return TESS_OK;
}

tess_status tess_kernel_probe(const tess_kernel *kernel, const tess_bound_loop *bound,
                              const tess_probe_setting *setting) {
    tess_status status = TESS_OK;
    tess_c_module *module = NULL;
    void (*function)(void) = NULL;
    probe p = {.kernel = kernel, .bound = bound, .setting = setting, .n = bound->loop->n_args};
    CHECK(compile(&p, &module));
    CHECK(tess_c_module_function(module, "probe", &function));
    p.call = (void (*)(void *const *))function;
    CHECK(TESS_ZEROS(p.n, &p.args));
    CHECK(TESS_ZEROS(p.n, &p.positions));
    for (int a = 0; a < p.n; a++)
        CHECK(make_arg(&p, a, &p.args[a]));
    CHECK(make_watch(&p));
    pthread_mutex_lock(&one_at_a_time);
    status = try_elements(&p);
    pthread_mutex_unlock(&one_at_a_time);
done:
    for (int a = 0; p.args && a < p.n; a++) {
        free(p.args[a].before);
        free(p.args[a].values);
        free(p.args[a].result);
    }
    free(p.args);
    free(p.positions);
    if (p.watched)
        timer_delete(p.watch);
    free(p.catcher);
    tess_c_module_close(module);
    return status;
}

/* Calls the function as it is written. */
static tess_status probe_whole(const tess_user_kernel *user, const tess_bound_loop *of,
                               const tess_probe_setting *setting) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_bound_loop bound = *of;
    tess_kernel written = user->written;
    written.n_parts = 0;
    CHECK(tess_kernel_loop(&written, setting->start->real, &loop));
    bound.loop = loop;
    status = tess_kernel_probe(&written, &bound, setting);
done:
    tess_loop_free(loop);
    return status;
}

/* Calls the parts, one after another, in one of the ways that strategies use them; what they pass
 * on has room around it, so that who writes there can be named later. */
static tess_status probe_parts(const tess_user_kernel *user, const tess_bound_loop *bound,
                               const tess_probe_setting *setting, int use) {
    const tess_parts_trial roomy = {.poisoned = TESS_NOTHING_POISONED};
    tess_status status = TESS_OK;
    tess_text_writer text = {.text = NULL};
    tess_kernel parts;
    CHECK(tess_parts_make_whole(&user->kernel, use, "tess_parts_in_turn", &roomy, &text, &parts));
    status = tess_kernel_probe(&parts, bound, setting);
done:
    tess_text_writer_clear(&text);
    return status;
}

tess_status tess_user_kernel_probe(const tess_user_kernel *user, const tess_bound_loop *bound,
                                   const tess_probe_setting *setting) {
    int uses[TESS_PARTS_USES];
    const int n = user->kernel.n_parts > 0 ? tess_parts_uses(&user->kernel, uses) : 0;
    if (n == 0 || user->is_whole)
        TRY(probe_whole(user, bound, setting));
    for (int u = 0; u < n; u++)
        TRY(probe_parts(user, bound, setting, uses[u]));
    return TESS_OK;
}
