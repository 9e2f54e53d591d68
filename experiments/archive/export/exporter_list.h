/* The exporters in the order of help: TESS_EXPORTER(name) stands for the `const tess_exporter
 * tess_exporter_name` of one file. Included twice by export_command.c. */
TESS_EXPORTER(csv)
TESS_EXPORTER(json)
TESS_EXPORTER(markdown)
TESS_EXPORTER(metis)
TESS_EXPORTER(t4)
TESS_EXPORTER(benchmark)
TESS_EXPORTER(crate)
