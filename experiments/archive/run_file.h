/* A run file of the lab: runs/<id>.hdf, a record (docs/concepts.md, "The lab").
 *
 * root attributes          `id`, `time`, `mesh`, `plan` (digests), `outcome`
 * /configuration /environment /steps /check
 *                          tables of key, text, number (NaN if it is no number), unit
 * /metrics                 a table of name, unit, source, value
 * /samples/<name>          every sample, with `unit`; `round` and `start` (seconds) of each, where
 *                          the environment names a `session`
 * /ranks/rank_of /ranks/copies
 *                          of a run on ranks: the rank of each element of `set`, of `ranks`, and
 *                          how many others have a copy; where the set has up to a million
 * /log /diff               one text each */
#pragma once

#include "experiments/archive/record.h"

TESS_MUST_CHECK tess_status tess_run_file_write(const tess_record *record, const char *path);
TESS_MUST_CHECK tess_status tess_run_file_read(const char *path, tess_record **out);
/* Reads a run without log and diff: what a run table holds. */
TESS_MUST_CHECK tess_status tess_run_file_read_scalars(const char *path, tess_record **out);
/* Reads a file that is verified first (tess_archive_verify), and opened once for both. */
TESS_MUST_CHECK tess_status tess_run_file_verify(const char *path, tess_record **out);
