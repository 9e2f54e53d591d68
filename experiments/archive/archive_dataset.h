/* What the two halves of the reader of archives share: archive_reader.c (file, groups, attributes)
 * and archive_dataset.c (arrays, texts, tables). No other file includes it. */
#ifndef TESS_ARCHIVE_DATASET_H
#define TESS_ARCHIVE_DATASET_H

#include "experiments/archive/archive_reader.h"

struct tess_archive_reader {
    char *path;
    hid_t file;
    bool derived; /* not of the lab's own format: no unit or checksum is asked for */
};

#endif
