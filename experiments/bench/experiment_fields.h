/* The settings of an experiment, a line each. From them follow struct tess_experiment, the options
 * of commands with their help and completion, the axes of recipes, the configuration in records,
 * and what two experiments must have in common to share a mesh, blocks or a plan.
 *
 *   TESS_FIELD(name, type, unit, cutting, running, timing, decides, help)
 *
 *   name      the member; the axis of recipes; with '-' for '_' the option
 *   type      what it takes: TEXT, APPLICATION, DEVICE, PARTITIONER, STRATEGY, LAYOUT, ENGINE,
 *             INTEGER(least, most), REAL(least), CHOICE(names), each at the value that
 *             the program compares it with: [TESS_CACHE_COLD] = "cold"
 *   unit      of a number, as UDUNITS has it
 *   cutting   the default where blocks are cut and compared, as text: "" leaves it unsaid,
 *   running   REQUIRED must be said, ABSENT is no setting there; where a loop is executed
 *   timing    and where another program is timed
 *   decides   the first of these that it decides: MESH (what is opened), BLOCKS, PLAN, RUN,
 *             SAMPLES (how it is measured), NOTHING
 *   help      of the option; NULL: there is no option
 *
 * The order is that in which a sweep goes through them, the slowest first, and in which the digest
 * of a sweep's point has them: a new one goes anywhere, for only values other than the default are
 * part of a digest. Included once for each use. */
TESS_FIELD(mesh, TEXT, "", REQUIRED, REQUIRED, REQUIRED, MESH,
           "A file or a generator, see 'tess list generators'")
TESS_FIELD(map, TEXT, "", REQUIRED, ABSENT, ABSENT, MESH,
           "The loop increments data through this map, say edges:cells, faces:cells, cells:nodes; "
           "'tess mesh info --maps MESH' lists those of a mesh")
TESS_FIELD(dat, TEXT, "", "", ABSENT, ABSENT, MESH,
           "What is incremented, NAME:SET:DIM:TYPE, say q:cells:4:double (default: one double)")
TESS_FIELD(application, APPLICATION, "", ABSENT, "", ABSENT, MESH, "What is executed")
TESS_FIELD(
    kernel, TEXT, "", ABSENT, "", ABSENT, MESH,
    "Your own instead of an application: FILE.h, described by --loop FILE.yaml; or FILE.yaml, a "
    "step of several loops")
TESS_FIELD(loop, TEXT, "", ABSENT, "", ABSENT, MESH,
           "Which loop of the application (default: its primary one); with --kernel: a YAML file")
TESS_FIELD(chain, TEXT, "", ABSENT, "", ABSENT, MESH,
           "Instead of a loop: a run of loops of the application's step as one kernel, A+B+C, or "
           "auto:rings=N where that is one; 'tess bound' shows which there are")
TESS_FIELD(precision,
           CHOICE([TESS_PRECISION_AUTO] = "auto", [TESS_PRECISION_FLOAT] = "float",
                  [TESS_PRECISION_DOUBLE] = "double"),
           "", ABSENT, "auto", ABSENT, MESH, "What `real` is (auto: as in the papers)")
TESS_FIELD(device, DEVICE, "", "", "emulator", ABSENT, MESH,
           "host, emulator or cuda with options; 'tess list devices'")
TESS_FIELD(samples, INTEGER(0, 1000000), "1", ABSENT, "", "5", SAMPLES,
           "Timed runs after the warm-up (default: 20 on host and cuda, 0 on the emulator); all "
           "variants of a command are timed in turns, a round of one sample each after the other")
TESS_FIELD(repetition, INTEGER(1, 10000), "1", "1", "1", "1", NOTHING, NULL)
TESS_FIELD(partitioner, PARTITIONER, "", REQUIRED, "rcb", ABSENT, BLOCKS,
           "How blocks are made, say metis,rcb,metis:method=recursive; 'tess list partitioners'")
TESS_FIELD(
    partition_on,
    CHOICE([TESS_PARTITION_ON_AUTO] = "auto", [TESS_PARTITION_ON_HOST] = "host",
           [TESS_PARTITION_ON_DEVICE] = "device"),
    "", "auto", "auto", ABSENT, NOTHING,
    "Where hilbert and rcb cut, into the same blocks: on the host, or on the --device, which then "
    "plans, too; auto: cut on a GPU where there are many elements")
TESS_FIELD(block_size, INTEGER(1, INT32_MAX), "elements", "128", "128", ABSENT, BLOCKS,
           "Most elements of a block")
TESS_FIELD(seed, INTEGER(0, INT64_MAX), "1", "1", "1", ABSENT, BLOCKS, "Seed of everything random")
TESS_FIELD(points, CHOICE([TESS_POINTS_INCREMENTS] = "increments", [TESS_POINTS_ALL] = "all"), "",
           "increments", "increments", ABSENT, BLOCKS,
           "What blocks should share: points that are incremented, or all that are accessed")
TESS_FIELD(repair, CHOICE([TESS_REPAIR_SPLIT] = "split", [TESS_REPAIR_MOVE] = "move"), "", "split",
           "split", ABSENT, BLOCKS,
           "What becomes of blocks over the block size: the overflow makes new blocks or moves to "
           "neighbours with room")
TESS_FIELD(block_numbers,
           CHOICE([TESS_BLOCKS_ALONG] = "along", [TESS_BLOCKS_GIVEN] = "given",
                  [TESS_BLOCKS_KEPT] = "kept"),
           "", "along", "along", ABSENT, BLOCKS,
           "Blocks are numbered along the mesh, or in the partitioner's order (METIS's own "
           "numbers); with given, --colouring sulyok takes blocks in that order; kept: a file's, "
           "from an earlier run that numbered along the mesh")
TESS_FIELD(refine, INTEGER(0, 6), "1", "0", "0", ABSENT, BLOCKS,
           "Exchange elements between neighbouring blocks of every partition, 1 (quick) to 6 "
           "(long), so that they share fewer points")
TESS_FIELD(order,
           CHOICE([TESS_ORDER_ELEMENT] = "element", [TESS_ORDER_COLOUR] = "colour",
                  [TESS_ORDER_LINES] = "lines"),
           "", "element", "element", ABSENT, PLAN,
           "Order of the elements inside a block; lines: by the cache line of 16 values that "
           "holds their first point, then by their second point")
TESS_FIELD(
    colouring,
    CHOICE([TESS_COLOUR_FEWEST] = "fewest", [TESS_COLOUR_DSATUR] = "dsatur",
           [TESS_COLOUR_GREEDY] = "greedy", [TESS_COLOUR_SULYOK] = "sulyok"),
    "", "fewest", "fewest", ABSENT, PLAN,
    "How threads and blocks are coloured; greedy is OP2's first fit, sulyok that of Sulyok et "
    "al. 2019: threads smallest last, blocks the least used colour that is free")
TESS_FIELD(renumber, CHOICE(TESS_RENUMBER_NAMES), "", "blocks", "", ABSENT, PLAN,
           "Where the points' data lie in memory; executed: points as in the mesh, elements as "
           "they are executed (default: owner where a strategy's blocks own points, colours for "
           "global-colour, else blocks)")
TESS_FIELD(
    pairs, CHOICE([TESS_PAIRS_OWN] = "own", [TESS_PAIRS_BY_ROWS] = "rows"), "", "own", "own",
    ABSENT, PLAN,
    "Renumbered blocks of a matrix lie as points of their own, or in the order of their rows; "
    "rows in any case where a strategy's blocks own points")
TESS_FIELD(
    prove, CHOICE([TESS_PROVE_AUTO] = "auto", [TESS_PROVE_YES] = "yes"), "", ABSENT, "auto", ABSENT,
    NOTHING,
    "Whether plans are proved by a text that shares nothing with what made them (auto: those "
    "of up to 4 million elements)")
TESS_FIELD(same_bits, CHOICE(TESS_SAME_BITS_NAMES), "", ABSENT, "", ABSENT, NOTHING,
           "Take only strategies whose result has the same bits, and prove it: in every run of a "
           "plan; with blocks of any size and partitioner, too")
TESS_FIELD(time_limit, REAL(0), "s", "600", "600", ABSENT, NOTHING,
           "Longest time of one third-party partitioner; 0: any")
TESS_FIELD(host, TEXT, "", ABSENT, ABSENT, REQUIRED, MESH,
           "The program's name, as `tess runs` calls it")
TESS_FIELD(command, TEXT, "", ABSENT, ABSENT, REQUIRED, RUN, "The shell's words that run it")
TESS_FIELD(pattern, TEXT, "", ABSENT, ABSENT, "", SAMPLES, "Finds the seconds that it prints")
TESS_FIELD(mesh_order, TEXT, "", ABSENT, ABSENT, "stored", MESH,
           "The order that its mesh is given in")
TESS_FIELD(mesh_format, TEXT, "", ABSENT, ABSENT, "", MESH, "And the format")
TESS_FIELD(layout, LAYOUT, "", "soa", "soa", ABSENT, RUN, "Layout of the data")
TESS_FIELD(threads, INTEGER(32, 1024), "1", ABSENT, "", ABSENT, RUN,
           "Threads of a block (default: the block size; half of it by point-parallel where "
           "elements have two ends)")
TESS_FIELD(
    arithmetic, CHOICE(TESS_ARITHMETIC_NAMES), "", ABSENT, "exact", ABSENT, RUN,
    "How reciprocal, divide and root of a kernel are computed: exact, as by / and sqrt; fast, "
    "on GPUs from their approximations, to 2^-51 of a double and 2^-21 of a float")
TESS_FIELD(cache, CHOICE([TESS_CACHE_HOT] = "hot", [TESS_CACHE_COLD] = "cold"), "", ABSENT, "hot",
           ABSENT, RUN, "Caches before each sample: as the run before it leaves them, or flushed")
TESS_FIELD(graph,
           CHOICE([TESS_GRAPH_AUTO] = "auto", [TESS_GRAPH_ON] = "on", [TESS_GRAPH_OFF] = "off"), "",
           ABSENT, "auto", ABSENT, SAMPLES,
           "Make the launches of a loop as one graph (auto: on cuda where there are several)")
TESS_FIELD(counters, CHOICE([TESS_COUNTERS_NO] = "no", [TESS_COUNTERS_YES] = "yes"), "", ABSENT,
           "no", ABSENT, SAMPLES,
           "Read the hardware's counters, too, on cuda by ncu in a run of its own; the emulator "
           "always counts")
TESS_FIELD(ranks, INTEGER(1, 1 << 20), "1", ABSENT, "", ABSENT, RUN,
           "Divide the mesh among N ranks (default: no ranks)")
TESS_FIELD(rank_partitioner, PARTITIONER, "", ABSENT, "", ABSENT, RUN,
           "How the mesh is cut into ranks: any partitioner (default: rcb where elements have "
           "places, else mosaic)")
TESS_FIELD(engine, ENGINE, "", ABSENT, "", ABSENT, RUN,
           "What carries values between ranks: local, all ranks in this process; mpi, a rank a "
           "process; nccl, likewise, from GPU to GPU; peer, as nccl on one host (default: local)")
TESS_FIELD(
    halo, CHOICE(TESS_HALO_NAMES), "", ABSENT, "", ABSENT, RUN,
    "Who computes what is added to points of another rank: redundant, both ranks execute the "
    "element; partial-sums, its rank sends the sum (default: redundant)")
TESS_FIELD(overlap, CHOICE([TESS_OVERLAP_YES] = "yes", [TESS_OVERLAP_NO] = "no"), "", ABSENT, "",
           ABSENT, RUN, "Whether the core of a rank runs while values travel (default: yes)")
TESS_FIELD(strategy, STRATEGY, "", ABSENT, REQUIRED, ABSENT, RUN,
           "How the loop is executed, say atomics,block-colour:stage=increments (default: atomics "
           "on GPUs and the emulator, openmp on the host); 'tess list strategies'")
