/* Parts of a kernel: functions that run one after another on one element and pass values on, so
 * that a strategy may give away what one instance of a part adds before it computes the next. */
#pragma once

#include "kernels/devices/text_writer.h"
#include "kernels/loops/parts_trial.h"

/* Whether a part is used: `use` has one of TESS_USE_THREAD and TESS_USE_LANES, one of
 * TESS_USE_SLOTS and TESS_USE_EDGES; of lanes one of TESS_USE_SHARED and, by slots, TESS_USE_OWN.
 */
bool tess_part_is_used(const tess_kernel_part *part, int use);

/* Whether some part that is used runs for each edge of a cell. */
bool tess_parts_have_edges(const tess_kernel *kernel, int use);

/* Whether two ways use the same parts. */
bool tess_parts_same(const tess_kernel *kernel, int use, int other);

enum { TESS_PARTS_USES = 5 };

/* Fills the ways to use a kernel's parts that differ, and gives how many: by a thread and by slots
 * first. */
int tess_parts_uses(const tess_kernel *kernel, int uses[TESS_PARTS_USES]);

/* The part, or else the arg, that is wrong; -1: none. */
typedef struct tess_parts_fault {
    int part, arg;
} tess_parts_fault;

/* Fails (USAGE) by part and arg where, of the parts that are used somewhere, one takes what no part
 * before it gave or adds to an arg that is no increment through all slots of a map or that another
 * part adds to, or an arg that is written is left to no part; fills `fault`. */
TESS_MUST_CHECK tess_status tess_parts_check(const tess_kernel *kernel, tess_parts_fault *fault);

/* How the arrays of a call are named: arg 3 as `arg`3, between 1 as `between`1. */
typedef struct tess_part_words {
    const char *arg, *between;
    const char *given; /* what an instance gives, its share alone; NULL: in its place in between */
    const char *instance; /* a C expression; NULL where the part runs once */
} tess_part_words;

/* Prints the call of a part: what it makes is made0, made1 ... */
void tess_part_print_call(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part, const tess_part_words *words);

/* Prints the head of a part's function as its description means it. */
void tess_part_print_head(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part);

/* Prints the arrays of what an instance of a part makes, cleared. */
void tess_part_print_made(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part);

/* How many instances a part has on a mesh, which has the maps; NULL: 0 where that depends on them.
 */
int tess_part_instances(const tess_kernel *kernel, const tess_kernel_part *part,
                        const tess_mesh *mesh);

/* Fails (INPUT) where instances of a part cannot give equal shares of a value. `mesh` as before. */
TESS_MUST_CHECK tess_status tess_parts_check_shares(const tess_kernel *kernel,
                                                    const tess_mesh *mesh);

/* Prints a loop over the instances of a part that gives, or its call where it runs once: in their
 * places among the arrays of `words`. */
void tess_part_print_each(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part, const tess_part_words *words);

/* Prints the head of a function of args a0, a1 ..., up to its brace, behind a comment. */
void tess_function_print_head(tess_text_writer *text, const char *comment, const char *function,
                              const tess_kernel_arg *args, int n_args);

/* Prints the running of all instances of a part, or of of that instance where the part
 * runs a number of times (-1: all), on arrays a0, a1 ... of the args and b0, b1 ... of what is
 * passed on. */
void tess_part_print_all(tess_text_writer *text, const tess_kernel *kernel,
                         const tess_kernel_part *part, int instance);

/* Fails (USAGE) where a kernel has no parts, or one that is used adds itself: `how` gives away what
 * an instance makes. */
TESS_MUST_CHECK tess_status tess_parts_check_separate(const tess_kernel *kernel, int use,
                                                      const char *how);

/* Makes of a copy of the kernel one whose function, called `function`, runs all parts that are used
 * one after another, in a trial where that is not NULL; its text is what `text` then holds. */
TESS_MUST_CHECK tess_status tess_parts_make_whole(const tess_kernel *kernel, int use,
                                                  const char *function,
                                                  const tess_parts_trial *trial,
                                                  tess_text_writer *text, tess_kernel *whole);

/* Prints that function. */
void tess_parts_print_whole(tess_text_writer *text, const tess_kernel *kernel, int use,
                            const char *function, const tess_parts_trial *trial);
