/* What chains leave in a record: how each goes through its loops, and the blocks of one. */
#include "experiments/bench/chain_record.h"

#include "core/base/stream_text.h"
#include "kernels/loops/loop_bytes.h"
#include <stdio.h>
#include <stdlib.h>

static bool has_two_buffers(const tess_chain_dat *dat) {
    return dat->two_buffers;
}

static bool is_dropped(const tess_chain_dat *dat) {
    return dat->written && !dat->stored;
}

static bool begins_zero(const tess_chain_dat *dat) {
    return dat->begins_zero;
}

static bool is_kept(const tess_chain_dat *dat) {
    return dat->kept_versions > 0;
}

/* The dats of which something is so, as a sentence. */
static void print_dats(const tess_chain *chain, const char *words,
                       bool (*is_so)(const tess_chain_dat *dat), FILE *stream) {
    int n = 0;
    for (int d = 0; d < chain->n_dats; d++)
        if (is_so(&chain->dats[d]))
            fprintf(stream, "%s%s", n++ ? ", " : words, chain->dats[d].dat);
    if (n > 0)
        fputc('.', stream);
}

static void print_stages(const tess_chain *chain, FILE *stream) {
    for (int stage = 0; stage < chain->n_stages && chain->n_stages > 1; stage++) {
        int n = 0;
        fprintf(stream, "%s", stage > 0 ? "; " : " Stages, between which a block waits: ");
        for (int k = 0; k < chain->n_loops; k++)
            if (chain->loops[k].stage == stage)
                fprintf(stream, "%s%s", n++ ? ", " : "", chain->loops[k].loop->name);
    }
    if (chain->n_stages > 1)
        fputc('.', stream);
}

static void print_chain(const tess_chained_step *step, int i, const tess_mesh *mesh, FILE *stream) {
    const tess_chain *chain = tess_chained_step_chain(step, i);
    const tess_chain_blocks *blocks = tess_chained_step_ready(step, i)->blocks;
    const int64_t n = mesh->sets[tess_mesh_find_set(mesh, chain->owner)].size;
    for (int k = 0; k < chain->n_loops; k++)
        fprintf(stream, "%s%s", k > 0 ? "+" : "", chain->loops[k].loop->name);
    fprintf(stream, ": one kernel, whose %d blocks own %s.", blocks->n_blocks, chain->owner);
    print_stages(chain, stream);
    if (chain->n_rings > 0) {
        int64_t n_computed = 0;
        for (int32_t b = 0; b < blocks->n_blocks; b++)
            n_computed += tess_chain_points(blocks, b, chain->n_rings);
        fprintf(stream, " %d ring%s of points computed again: %.3g times as many as %s.",
                chain->n_rings, chain->n_rings > 1 ? "s" : "", (double)n_computed / (double)n,
                chain->owner);
    }
    print_dats(chain, " Kept in the block from stage to stage: ", is_kept, stream);
    print_dats(chain, " Of two buffers, since neighbours read what others store: ", has_two_buffers,
               stream);
    print_dats(chain, " Not stored, since nobody reads it afterwards: ", is_dropped, stream);
    print_dats(chain, " Not read, since it is zero before: ", begins_zero, stream);
    fprintf(stream, " Loads and stores %.4g B for each of the %s, maps included.",
            (double)tess_chain_bytes(chain, mesh) / (double)n, chain->owner);
    const tess_capped *kernel = &tess_chained_step_ready(step, i)->kernel;
    if (kernel->uncapped > 0)
        fprintf(stream,
                " A thread has %d registers; by the %d that the compiler would take fewer "
                "blocks run at a time.",
                kernel->resources.registers, kernel->uncapped);
}

static tess_status note_chain(const tess_chained_step *step, int i, int number,
                              const tess_mesh *mesh, tess_record *record) {
    char key[TESS_NAME_SIZE], *words = NULL;
    tess_printed printed;
    TRY(tess_printed_open(&printed));
    print_chain(step, i, mesh, printed.stream);
    TRY(tess_printed_close(&printed, TESS_OK, &words));
    snprintf(key, sizeof key, TESS_CHAIN_KEY "%d", number);
    tess_status status = tess_values_set_text(&record->environment, key, words);
    free(words);
    const tess_capped *kernel = &tess_chained_step_ready(step, i)->kernel;
    if (status == TESS_OK && number == 1 && kernel->uncapped > 0)
        status = tess_values_set_number(&record->environment, TESS_CAP_KEY,
                                        kernel->resources.registers, "1");
    return status;
}

tess_status tess_record_chains(const tess_chained_step *step, const tess_mesh *mesh,
                               tess_record *record) {
    int number = 0;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i))
            TRY(note_chain(step, i, ++number, mesh, record));
    return TESS_OK;
}

tess_status tess_record_chain_blocks(const tess_chained_step *step, tess_record *record) {
    int longest = -1;
    char *name = NULL;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i) &&
            (longest < 0 ||
             tess_chained_step_length(step, i) > tess_chained_step_length(step, longest)))
            longest = i;
    if (longest < 0)
        return TESS_OK;
    TRY(tess_chained_step_name(step, longest, &name));
    const tess_status status =
        tess_record_set_chain(record, name, tess_chained_step_chain(step, longest)->owner,
                              tess_chained_step_ready(step, longest)->blocks);
    free(name);
    return status;
}
