/* An emission: what is written of one loop, while it is written. */
#pragma once

#include "kernels/codegen/page.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/emit/emit.h"
#include "kernels/emit/sequential_loop.h"

/* What a language is like. */
typedef struct tess_emit_language {
    const char *name;
    const char *prefix;         /* of the functions that move data: cudaMalloc */
    const char *suffix;         /* of the kernel's file */
    const char *on_device;      /* before a function that runs there */
    const char *table;          /* before a table that lies there */
    const char *opens, *closes; /* around all that the threads of a block do */
    const char *api;            /* lines that include these functions */
    const char *words;          /* the text before simt.h */
    const char *quiet;          /* lines that let functions stand which nothing calls */
    const char *build;          /* the text of CMakeLists.txt */
    struct {
        const char *name, *text;
    } more[3];       /* more files, up to one without a name */
    int most_shared; /* bytes of shared memory that a block may have; 0: any */
    bool has_graphs, is_cuda, lacks_lanes;
} tess_emit_language;

/* Finds one by name; fails (USAGE) with those that there are. */
TESS_MUST_CHECK tess_status tess_emit_language_find(const char *name,
                                                    const tess_emit_language **out);

/* A dat that the launch takes, or one that only the sequential loops have. */
typedef struct tess_emitted_dat {
    char symbol[TESS_SYMBOL_SIZE]; /* of the dat, or SYMBOL_next */
    const tess_page_dat *dat;      /* of a sequential loop's page: in double where it is real */
    const tess_stored *stored;     /* of the emission's store */
    int before;                    /* of a second buffer: the dat that it is the next of; else -1 */
    bool launched, written;        /* written: by the launch */
} tess_emitted_dat;

typedef struct tess_emission {
    const tess_emit_setting *setting;
    const tess_emit_words *words;
    const tess_trial_setting *trial;
    const tess_trial_loop *loop;
    const tess_emit_language *language;
    const tess_store *store; /* the values at the start, placed */
    const tess_page *page;   /* of the loop by its strategy, or of the chain */
    tess_state *doubles;     /* the same in the mesh's order, what is real in double; owned */
    int n_loops, n_calls, n_dats;
    tess_sequential_loop *loops; /* [n_loops] of the chain, each once, or the loop; owned, as are */
    int *calls;                  /* [n_calls], the order in which they run, and */
    tess_emitted_dat *dats;      /* [n_dats] */
    char what[4 * TESS_NAME_SIZE]; /* the loop or chain, by what, in words */
    char name[TESS_NAME_SIZE];     /* of the loop */
    char title[TESS_NAME_SIZE];    /* the same in capitals */
    char program[TESS_CACHE_KEY];  /* what the plan must say */
    char about[192];               /* loop and sizes, in words */
    bool has_teams;                /* threads of a block wait for each other, or share memory */
} tess_emission;

/* The file NAME.plan: head, arrays of both pages, values at the start, places of elements. */
TESS_MUST_CHECK tess_status tess_emission_write_plan(const tess_emission *x, const char *path);

/* The header, the plan's file, the page's two headers, the kernel's file, the sequential loop's,
 * and the rows and arguments that main.c has. */
void tess_emission_print_header(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_plan(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_user(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_data(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_kernel(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_sequential(const tess_emission *x, int loop, tess_text_writer *out);
void tess_emission_print_dats(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_arguments(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_launch_count(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_declarations(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_calls(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_sequential_files(const tess_emission *x, tess_text_writer *out);
void tess_emission_print_sequential_sources(const tess_emission *x, tess_text_writer *out);

/* Finds what the launch takes, and what only the sequential loops have. */
TESS_MUST_CHECK tess_status tess_emission_find_dats(tess_emission *x);

/* What a page consists of, in this order: the user's kernel and what it needs, how values reach it,
 * and the strategy. */
typedef enum tess_page_section {
    TESS_KERNEL_SECTION,
    TESS_DATA_SECTION,
    TESS_STRATEGY_SECTION,
    TESS_ALL_SECTIONS
} tess_page_section;

/* The text of a page as a person reads it: kernels are called NAME_KERNEL, functions say that they
 * run on the device, unless it is the sequential page, which does not. */
void tess_emission_print_page(const tess_emission *x, const tess_page *page,
                              tess_page_section section, tess_text_writer *out);

/* The sets whose elements the loop has data of, or goes through: their numbers in the mesh; how
 * many. */
enum { TESS_MOST_EMITTED_SETS = 16 };
int tess_emission_sets(const tess_emission *x, int sets[TESS_MOST_EMITTED_SETS]);

/* The dat that a parameter is; -1: none. */
int tess_emission_dat(const tess_emission *x, const char *symbol);
