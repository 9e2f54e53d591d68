/* The writers: TESS_WRITER(name) stands for the `const tess_writer tess_writer_name`. Included
 * twice by writer.c; the first with a file's extension is its default. */
TESS_WRITER(su2)
TESS_WRITER(gmsh4)
TESS_WRITER(gmsh2)
TESS_WRITER(op2)
