/* Known words: names that a mesh or a lab has, for a shell that completes them. */
#pragma once

#include <stdio.h>

/* Prints a word a line behind `before` ("--map=" or ""), with a tab and what it is. Nothing where
 * there is no such mesh or lab. */
void tess_known_maps_print(const char *before, const char *mesh, FILE *stream);
void tess_known_runs_print(const char *before, const char *lab, FILE *stream);
void tess_known_tags_print(const char *before, const char *lab, FILE *stream);
