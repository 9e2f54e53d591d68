/* A renumbering's method: what new numbers follow. */
#pragma once

typedef enum tess_renumber_method {
    TESS_RENUMBER_NONE,
    TESS_RENUMBER_GPS,    /* paper, section 2.3.1: points by Gibbs-Poole-Stockmeyer, the other sets
                             greedily after them, elements lexicographically by their points */
    TESS_RENUMBER_RCM,    /* the same with reverse Cuthill-McKee */
    TESS_RENUMBER_BLOCKS, /* paper, end of section 2.3.2: points by the number of blocks that access
                             them, then by those blocks, lexicographically; elements as executed */
    TESS_RENUMBER_OWNER,  /* points by the block that owns them (the first that accesses them, where
                             blocks own none), inner before border, each of these as by BLOCKS;
                             those that none accesses last; elements as executed */
    TESS_RENUMBER_COLOURS, /* as GPS, then elements by colour (core/plan/colour/loop_colour.h): for
                             the strategy global-colour, whose launches go through them in this
                             order */
    TESS_RENUMBER_EXECUTED /* points stay, elements as executed; where they are points that are
                              incremented, they stay, too */
} tess_renumber_method;

#define TESS_RENUMBER_NAMES                                                                        \
    [TESS_RENUMBER_NONE] = "none", [TESS_RENUMBER_GPS] = "gps", [TESS_RENUMBER_RCM] = "rcm",       \
    [TESS_RENUMBER_BLOCKS] = "blocks", [TESS_RENUMBER_OWNER] = "owner",                            \
    [TESS_RENUMBER_COLOURS] = "colours", [TESS_RENUMBER_EXECUTED] = "executed"
