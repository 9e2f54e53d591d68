/* Archiving: what a line leaves in a lab, the plan, its view and the record of the run. */
#ifndef TESS_LINE_ARCHIVE_H
#define TESS_LINE_ARCHIVE_H

#include "experiments/archive/lab.h"
#include "experiments/bench/line.h"

enum { TESS_VIEW_MOST_ELEMENTS = 1000000 }; /* a larger plan's view is left to `tess view` */

/* Notes in the record's configuration how the run is made; `partitioner` is the canonical spec. */
TESS_MUST_CHECK tess_status tess_record_setting(tess_record *record, const tess_bound_loop *bound,
                                                const tess_setting *setting,
                                                const char *partitioner);

/* Stores the plan of a line and, if `view` is set and the plan is small enough, its view; adds the
 * metrics and the seconds of the steps to the record, marks it as passed and stores it.
 * mesh_digest is that of the stored mesh. Gives the files' paths, which the caller frees;
 * *view_file is NULL where none was written. */
TESS_MUST_CHECK tess_status tess_line_archive(tess_lab *lab, const char *mesh_digest,
                                              const tess_bound_loop *bound,
                                              const tess_setting *setting, const tess_line *line,
                                              bool view, tess_record *record, char **plan_file,
                                              char **view_file);

/* The same where the record has been told what its check said. */
TESS_MUST_CHECK tess_status tess_line_archive_checked(tess_lab *lab, const char *mesh_digest,
                                                      const tess_bound_loop *bound,
                                                      const tess_setting *setting,
                                                      const tess_line *line, bool view,
                                                      tess_record *record, char **plan_file,
                                                      char **view_file);

/* Stores the record of a run that failed, with the words that say why. */
TESS_MUST_CHECK tess_status tess_line_archive_failure(tess_lab *lab, const char *mesh_digest,
                                                      const char *words, tess_record *record);

#endif
