/* Kinds of Exodus elements: their names, and the nodes of their sides. */
#pragma once

#include "data/formats/elements.h"

enum { TESS_EXODUS_SIDES = 6 };

/* A kind of element by what its type's name begins with, and the nodes of its sides, -1 last. */
typedef struct tess_exodus_kind {
    const char *prefix;
    tess_element_type type;
    int n_sides;
    signed char side[TESS_EXODUS_SIDES][4];
} tess_exodus_kind;

/* The kind of a type as files name it ("hex8"), NULL for none that is known. */
const tess_exodus_kind *tess_exodus_kind_of(const char *type);

/* How many of an element's sides are its two faces: those of shells, and of triangles in space. */
int tess_exodus_faces(const tess_exodus_kind *kind, int dimension);
