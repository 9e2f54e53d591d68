/* The commands of `tess` in the order of its help: TESS_COMMAND(name) stands for the
 * `const tess_command tess_command_name` of one file. Included twice by command.c. */
TESS_COMMAND(demo)
TESS_COMMAND(mesh)
TESS_COMMAND(partition)
TESS_COMMAND(run)
TESS_COMMAND(runs)
TESS_COMMAND(show)
TESS_COMMAND(verify)
TESS_COMMAND(view)
TESS_COMMAND(list)
TESS_COMMAND(explain)
