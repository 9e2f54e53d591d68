/* The quantities of Tesselab, a line each: every number that is said of a run, a plan, its blocks
 * or its elements (docs/concepts.md, "Metrics").
 *
 *   QUANTITY(name, title, scale, format, unit, better, of, source, long_name, definition)
 *
 * From a line follow the metric, its column in tables and files, `tess explain`, the record and
 * what reads it, JSON, the array of views and its colour bar, and what Python knows of it
 * (python/tesselab/quantities.json, which the build writes).
 *
 * title       what tables have for it, "" where that is its name; it is shown as `scale` times what
 *             is recorded, by `format`, which is "%.0f" for whole numbers. MB are 10^6 bytes.
 * unit        of UDUNITS, or "1"
 * better      1 where larger is, -1 where smaller is, 0 where neither is
 * of          RUN, PLAN: one number of it
 *             BLOCK: a number of each block, whose mean is a metric of the same name
 *             BLOCK_ONLY: of each block, where another metric tells of all blocks
 *             ELEMENT: of each element, in views
 * source      what counts or measures it where nothing else is said: PLAN, EMULATOR, COUNTER (of
 *             the hardware), DRIVER, TIMER, SYSTEM, MODEL
 * long_name   one line; the title of a colour bar
 * definition  formula and, where it misleads, the pitfall
 *
 * In definitions b is a block, E(b) the elements it executes, and a slot a column of the plan's
 * local_index; an access is an (element, slot) pair that has a point (padded slots have none); P(b)
 * are the distinct (to-set, point) pairs that E(b) accesses through the slots in question. Sums are
 * over all blocks and whole numbers, divided once at the end; what has nothing to divide by is 0. A
 * dat's row is its dim values; it counts once a loop, with all the slots that any of its args goes
 * through; it is read when an arg of it is read, rw or inc, written when one is write, rw or inc,
 * and w = 2 when both, else 1.
 *
 * Layouts: arrays start on a cache line. AoS: the row of the element at place i is the bytes
 * [i * row, (i + 1) * row). SoA: each component is an array of its own, value i of it the bytes
 * [i * size, (i + 1) * size). Place i is the element's number after renumbering, if any. Sectors
 * have 32 bytes, cache lines 128.
 *
 * RENAMED has names of metrics that were others once, OLD_TITLE titles; both are still read.
 *
 * The includer defines those of QUANTITY, TITLED, RENAMED and OLD_TITLE that it needs. */
#ifndef QUANTITY
#define QUANTITY(...)
#endif
#ifndef TITLED
#define TITLED(name, title)
#endif
#ifndef RENAMED
#define RENAMED(old, now)
#endif
#ifndef OLD_TITLE
#define OLD_TITLE(old, name)
#endif

/* Of a plan. */
QUANTITY(reuse_factor, "reuse", 1, "%.3f", "1", 1, PLAN, PLAN, "accesses per staged point",
         "accesses / sum of |P(b)|, both through the loop's incremented slots (all its slots where "
         "it increments nothing). Its ceiling is the mean number of elements at a point, reached "
         "by one block that holds all: compare at equal block size only.")
QUANTITY(reuse_factor_all, "", 1, "%.4g", "1", 1, PLAN, PLAN, "accesses per staged point, all maps",
         "accesses / sum of |P(b)| through all indirect slots of the loop. Loops that read many "
         "maps and increment few differ from reuse_factor.")
QUANTITY(reuse_factor_bytes, "", 1, "%.4g", "1", 1, PLAN, PLAN,
         "bytes accessed per byte staged (OP2)",
         "sum over indirect dats of row bytes * accesses / sum over them of row bytes * |P(b)|, "
         "through the slots of the dat.")
QUANTITY(blocks, "", 1, "%.0f", "1", 0, PLAN, PLAN, "number of blocks",
         "The non-empty blocks of the partition.")
QUANTITY(fill, "full threads", 1, "%.3f", "1", 1, PLAN, PLAN,
         "share of a block's threads that have an element",
         "elements of the partitioned set / (blocks * block size). Threads beyond it idle; a high "
         "reuse factor at low fill is bought with them.")
QUANTITY(cut, "", 1, "%.4g", "1", -1, PLAN, PLAN, "pairs of neighbours in two blocks",
         "Of a loop that reaches its own set: pairs of elements of which one reaches the other, "
         "and that are in different blocks. What METIS minimises.")
QUANTITY(border, "", 1, "%.4g", "1", -1, PLAN, PLAN,
         "share of elements with a neighbour in another block",
         "Elements with a neighbour in another block, neighbours as in cut / elements of the loop.")
QUANTITY(block_colours, "block colours", 1, "%.0f", "1", -1, PLAN, PLAN, "colours of the blocks",
         "Of a loop that increments: colours such that blocks which increment a common point "
         "differ, by first fit and, with --colouring fewest, a search for fewer. One launch a "
         "colour: some colours may have few blocks. 1 where blocks own points.")
QUANTITY(global_colours, "", 1, "%.4g", "1", -1, PLAN, PLAN,
         "colours of all elements, without blocks",
         "Of a loop that increments, with --colouring greedy or sulyok: colours such that any two "
         "elements which increment a common point differ, by that rule in the order in which "
         "elements are stored. One launch a colour by the strategy global-colour.")
QUANTITY(thread_colours_mean, "thread colours", 1, "%.2f", "1", -1, PLAN, PLAN,
         "mean number of colours inside a block",
         "Of a loop that increments: colours such that elements of a block which increment a "
         "common point differ; mean over blocks. One barrier each. High reuse needs many: see "
         "thread_colours_bound_mean.")
QUANTITY(thread_colours_max, "", 1, "%.4g", "1", -1, PLAN, PLAN,
         "largest number of colours inside a block", "The same, of the block that has most.")
QUANTITY(thread_colours_bound_mean, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "lower bound of thread_colours_mean",
         "The largest number of elements of a block that increment one point (1 where none does, "
         "though the loop increments); mean over blocks. No colouring has fewer colours.")
QUANTITY(
    components_mean, "components", 1, "%.2f", "1", -1, PLAN, PLAN,
    "mean number of connected components of a block",
    "Connected components of a block's elements, joined where they access a common point through "
    "the slots of reuse_factor, and, where a loop that increments nothing reaches its own "
    "set, where one reaches the other; mean over blocks. An element with no point is one.")
QUANTITY(redundancy, "", 1, "%.4g", "1", -1, PLAN, PLAN, "elements executed per element",
         "elements executed, once for each block that does / elements of the loop. 1 unless blocks "
         "own points.")
QUANTITY(shared_bytes_plan, "", 1, "%.4g", "B", -1, PLAN, PLAN,
         "shared memory that staging needs, mean",
         "sum over reached sets of |P(b)| through all slots of the set * row bytes of all dats of "
         "the loop there; mean over blocks. A strategy that stages less needs less.")
QUANTITY(shared_bytes_plan_max, "", 1, "%.4g", "B", -1, PLAN, PLAN,
         "shared memory that staging needs, largest block",
         "The same, of the block that needs most: it decides how many blocks share a "
         "multiprocessor.")
QUANTITY(transfer_used, "staged MB", 1e-6, "%.2f", "B", -1, PLAN, PLAN, "bytes that blocks stage",
         "sum over indirect dats of w * row bytes * |P(b)| through the slots of the dat, plus over "
         "direct dats of w * row bytes * |E(b)|, plus 2 bytes a slot and executed element (local "
         "indices), plus 4 bytes a point of each reached set's P(b) (their numbers).")
QUANTITY(
    transfer_total, "touched MB", 1e-6, "%.2f", "B", -1, PLAN, PLAN,
    "cache lines touched (estimate)",
    "transfer_used with indirect dats counted as w * 128 bytes * the distinct 128-byte lines "
    "that the rows of P(b) touch, each once a block: bytes. Hardware moves 32-byte sectors and "
    "caches between blocks: neither bounds the other.")
QUANTITY(transfer_used_op2, "", 1, "%.4g", "B", -1, PLAN, PLAN,
         "bytes that the loop uses, as OP2 counts them",
         "transfer_used with 2 bytes an indirect arg and executed element, and 4 bytes a point of "
         "each indirect dat: OP2 prints it as data transfer (used).")
QUANTITY(transfer_total_op2, "", 1, "%.4g", "B", -1, PLAN, PLAN,
         "bytes of the cache lines that the loop moves, as OP2 counts them",
         "transfer_total with the same indices and numbers as transfer_used_op2.")
QUANTITY(unique_points_warp, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "distinct points of a slot in a warp, median",
         "Distinct points of one slot in 32 consecutive positions of a block (the last warp of a "
         "block may have fewer); the least v such that half of all (warp, slot) pairs have at most "
         "v. /SET.SLOT: of one slot, counted as the plan's local_index does. Few are good for "
         "sectors and bad for atomics.")
QUANTITY(unique_points_warp_p90, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "distinct points of a slot in a warp, 9th decile",
         "The same, the least v such that nine tenths have at most v.")
QUANTITY(unique_points_warp64, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "distinct points of a slot in a warp of 64, median",
         "unique_points_warp for 64 consecutive positions, a wavefront of AMD's.")
QUANTITY(unique_points_warp64_p90, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "distinct points of a slot in a warp of 64, 9th decile",
         "unique_points_warp_p90 for 64 consecutive positions.")
QUANTITY(sectors_per_block, "sectors/block", 1, "%.1f", "1", -1, PLAN, PLAN,
         "distinct 32-byte sectors of indirect data a block touches",
         "Distinct sectors that the rows of the indirect dats at their P(b) touch in the layout "
         "and numbering used, each dat an array of its own; mean over blocks of the sum over dats. "
         "/DAT: of one dat, the count of the paper's LULESH table (/SET.DAT where two sets have "
         "one).")

/* Counted while a loop runs: by the emulator, by the hardware. */
QUANTITY(read_sectors, "read sectors", 1, "%.0f", "1", -1, RUN, EMULATOR, "sectors of global reads",
         "Sum over warp-level reads of global memory of the distinct 32-byte sectors each touches. "
         "Of source sample: estimated, see blocks_executed.")
QUANTITY(write_sectors, "write sectors", 1, "%.0f", "1", -1, RUN, EMULATOR,
         "sectors of global writes",
         "Sum over warp-level writes of global memory of the distinct 32-byte sectors each "
         "touches. Of source sample: estimated, see blocks_executed.")
QUANTITY(atomic_sectors, "atomic sectors", 1, "%.0f", "1", -1, RUN, EMULATOR,
         "sectors of global atomics",
         "Sum over warp-level atomics on global memory of the distinct 32-byte sectors each "
         "touches. Lanes that hit one address serialise: sectors alone do not show it. Of source "
         "sample: estimated, see blocks_executed.")
QUANTITY(atomics, "", 1, "%.0f", "1", -1, RUN, EMULATOR, "atomic additions to global memory",
         "Values that threads add to global memory by atomics, one each. Of source sample: "
         "estimated, see blocks_executed.")
QUANTITY(atomic_repeats, "", 1, "%.0f", "1", -1, RUN, EMULATOR,
         "atomics at the address of a lower lane",
         "Lanes of warp-level atomics on global memory that hit the address of a lower lane of the "
         "same one: the collisions of FUN3D's authors, which the hardware resolves one after "
         "another. Of source sample: estimated, see blocks_executed.")
QUANTITY(shared_wavefronts, "", 1, "%.0f", "1", -1, RUN, EMULATOR, "wavefronts of shared memory",
         "Sum over warp-level accesses to shared memory. Of source sample: estimated, see "
         "blocks_executed.")
QUANTITY(shared_bank_conflicts, "conflicts", 1, "%.0f", "1", -1, RUN, EMULATOR,
         "extra wavefronts of shared memory",
         "Sum over warp-level accesses to shared memory of the wavefronts beyond the first. Of "
         "source sample: estimated, see blocks_executed.")
QUANTITY(warp_efficiency, "warp efficiency", 1, "%.3f", "1", 1, RUN, EMULATOR,
         "mean active lanes of a warp", "Mean over warp-level instructions of active lanes / 32.")
QUANTITY(barriers, "", 1, "%.0f", "1", -1, RUN, EMULATOR, "barriers executed",
         "Block-wide barriers, each counted once a block. Of source sample: estimated, see "
         "blocks_executed.")
QUANTITY(
    thread_steps, "", 1, "%.0f", "1", 0, RUN, EMULATOR, "steps of the emulator's threads",
    "A thread begun, or a barrier or warp function passed by a thread: what the emulator works on.")
QUANTITY(blocks_executed, "", 1, "%.4g", "1", 0, RUN, EMULATOR,
         "blocks that the emulator ran, of a sample",
         "With --device emulator:sample=N each launch runs N of its blocks, evenly spaced, or all "
         "where it has no more. Their counts are scaled, launch by launch, by blocks launched / "
         "blocks executed: an estimate for all blocks, marked by the source sample (in tables by "
         "~). There is no result to check. As near as the blocks are alike: compare it with counts "
         "of other sample sizes, and take more blocks where small differences matter.")
QUANTITY(blocks_launched, "", 1, "%.4g", "1", 0, RUN, EMULATOR,
         "blocks of all launches, where a sample ran",
         "Counts of source sample are estimates for so many blocks, see blocks_executed.")
QUANTITY(block_read_sectors, "", 1, "%.4g", "1", -1, RUN, EMULATOR, "sectors that blocks read",
         "Sum over blocks of the distinct 32-byte sectors of global memory that each reads. With "
         "--device emulator:caches=GPU.")
QUANTITY(block_write_sectors, "", 1, "%.4g", "1", -1, RUN, EMULATOR, "sectors that blocks write",
         "The same of those that it stores to.")
QUANTITY(block_atomic_sectors, "", 1, "%.4g", "1", -1, RUN, EMULATOR,
         "sectors that blocks add to atomically", "The same of those that it adds to by atomics.")
QUANTITY(l2_atomic_sectors, "", 1, "%.4g", "1", -1, RUN, EMULATOR, "passes of atomics in the L2",
         "Sum over warp-level atomics and the sectors of each of the most lanes on one address "
         "there. With --device emulator:caches=GPU.")
QUANTITY(l2_read_sectors, "", 1, "%.4g", "1", -1, RUN, COUNTER, "sectors read from L2",
         "Hardware counter; of source emulator, the reads that miss the first level of the caches "
         "of --device emulator:caches=GPU.")
QUANTITY(l2_write_sectors, "", 1, "%.4g", "1", -1, RUN, COUNTER, "sectors written to L2",
         "Hardware counter; includes reductions. Of source emulator, l2_atomic_sectors and what is "
         "stored, stores that wait in the first level and go as one counted once.")
QUANTITY(dram_read_bytes, "", 1, "%.4g", "B", -1, RUN, COUNTER, "bytes read from memory",
         "Hardware counter. With a hot cache it is less than the loop needs. Of source emulator, "
         "what misses the L2 of emulator:caches=GPU.")
QUANTITY(dram_write_bytes, "", 1, "%.4g", "B", -1, RUN, COUNTER, "bytes written to memory",
         "Hardware counter. It misses bytes that are still in L2 when the loop ends. Of source "
         "emulator, what leaves the L2 of emulator:caches=GPU.")
QUANTITY(l2_hit_rate, "", 1, "%.3f", "1", 1, RUN, COUNTER,
         "share of what is read from L2 that lies there",
         "1 - dram_read_bytes / 32 / l2_read_sectors, of the hardware or of emulator:caches=GPU.")
QUANTITY(l2_reads_per_element, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "sectors that an element reads from L2",
         "l2_read_sectors / elements of the loop: the L2 accesses a tetrahedron of Langguth et al.")
QUANTITY(l2_writes_per_element, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "sectors that an element writes to L2", "l2_write_sectors / elements of the loop.")
QUANTITY(memory_reads_per_element, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "sectors that an element reads from memory",
         "dram_read_bytes / 32 / elements of the loop.")
QUANTITY(memory_writes_per_element, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "sectors that an element writes to memory",
         "dram_write_bytes / 32 / elements of the loop.")
QUANTITY(stall_sync, "", 1, "%.4g", "1", -1, RUN, COUNTER, "share of stalls at barriers",
         "Hardware counter.")
QUANTITY(stall_data, "", 1, "%.4g", "1", -1, RUN, COUNTER, "share of stalls for data",
         "Hardware counter.")
QUANTITY(stall_throttle, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "share of stalls for room in the queue of memory accesses", "Hardware counter.")
QUANTITY(stall_dependency, "", 1, "%.4g", "1", -1, RUN, COUNTER,
         "share of stalls for execution dependencies", "Hardware counter.")
QUANTITY(flop_efficiency, "", 1, "%.4g", "1", 1, RUN, COUNTER,
         "share of the peak floating-point rate", "Hardware counter.")

/* Of a kernel, and of what a loop moves. */
QUANTITY(registers, "", 1, "%.0f", "1", 0, RUN, DRIVER, "registers of a thread",
         "As the driver reports them.")
QUANTITY(spilled_bytes, "", 1, "%.0f", "B", -1, RUN, DRIVER,
         "bytes that a thread keeps in memory for want of registers",
         "Its local memory, as the driver, or --device nvrtc, reports it.")
QUANTITY(shared_bytes, "shared B", 1, "%.0f", "B", 0, RUN, DRIVER, "shared memory of a block",
         "Static and dynamic, as launched.")
QUANTITY(occupancy_theoretical, "", 1, "%.4f", "1", 1, RUN, DRIVER,
         "resident warps that registers and shared memory allow",
         "Warps of resident blocks / warps a multiprocessor holds, the least of all launches: by "
         "ncu, or by the registers that the driver or, without a GPU, --device nvrtc:sm=90 "
         "reports.")
QUANTITY(occupancy_achieved, "", 1, "%.4g", "1", 1, RUN, COUNTER, "resident warps on average",
         "Hardware counter.")
QUANTITY(useful_bytes, "", 1, "%.0f", "B", 0, RUN, PLAN, "bytes that the loop cannot do without",
         "Sum over the loop's dats of w * bytes of the whole dat, each once, plus each distinct "
         "map of the loop once at 4 bytes an index, as the papers' figures count.")
QUANTITY(flops, "", 1, "%.4g", "1", 0, RUN, PLAN, "floating-point operations of the loop",
         "Those of an element, counted by hand in its application, times the elements of the loop; "
         "what a strategy computes more than once counts once. Loops whose operations nobody "
         "counted have none.")
QUANTITY(flop_rate, "GFLOPS", 1e-9, "%.4g", "1/s", 1, RUN, TIMER,
         "floating-point operations per second", "flops / median time.")
QUANTITY(bandwidth, "GB/s", 1e-9, "%.4g", "B/s", 1, RUN, TIMER, "useful bytes per second",
         "useful_bytes / median time.")
QUANTITY(copy_bandwidth, "", 1, "%.4g", "B/s", 1, RUN, TIMER, "bandwidth of copying",
         "Bytes read and written per second by a copy in the device's memory, in the same process.")
QUANTITY(useful_fraction, "of copy", 1, "%.3f", "1", 1, RUN, TIMER, "bandwidth relative to copying",
         "bandwidth / copy bandwidth measured in the same process. Above 1 where a dat is never "
         "read or caches help.")
QUANTITY(moved_bytes_min, "", 1, "%.0f", "B", -1, RUN, PLAN, "least bytes that the strategy moves",
         "The dats as in useful_bytes plus the maps or plan arrays that the strategy reads, each "
         "once.")
QUANTITY(copy_fraction, "", 1, "%.4g", "1", 1, RUN, TIMER, "least traffic relative to copying",
         "moved_bytes_min / median time / copy bandwidth.")

/* Of the loops of a march. */
QUANTITY(loop_count, "", 1, "%.4g", "1", 0, RUN, TIMER, "runs of a loop in a march",
         "/LOOP: how often it ran in tess march --loops.")
QUANTITY(loop_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of a loop in a march",
         "/LOOP: of all its runs, each waited for.")
QUANTITY(loop_bandwidth, "", 1, "%.4g", "B/s", 1, RUN, TIMER,
         "bytes that a loop uses per second (OP2)",
         "/LOOP: loop_count * transfer_used_op2 of the loop / loop_seconds, as OP2 prints it.")
QUANTITY(loop_line_bandwidth, "", 1, "%.4g", "B/s", 1, RUN, TIMER,
         "bytes of the cache lines that a loop moves per second (OP2)",
         "/LOOP: the same of transfer_total_op2.")
QUANTITY(loop_block_size, "", 1, "%.4g", "elements", 0, RUN, TIMER,
         "block size of a loop in a march", "/LOOP: what it ran by.")

/* Of ranks. */
QUANTITY(ranks, "", 1, "%.0f", "1", 0, RUN, PLAN, "number of ranks",
         "Processes that divide the mesh, each with a device of its own.")
QUANTITY(rank_imbalance, "", 1, "%.4g", "1", -1, RUN, PLAN, "elements of the largest rank per mean",
         "Most elements that a rank owns of the set that was cut / the mean over ranks.")
QUANTITY(core_share, "core share", 1, "%.4f", "1", 1, RUN, PLAN,
         "share of a loop that runs while values travel",
         "Elements of the primary loop's set whose rank can execute them before anything has "
         "arrived / elements of the set.")
QUANTITY(exec_share, "executed twice", 1, "%.4f", "1", -1, RUN, PLAN,
         "elements that ranks execute for others",
         "Elements of the primary loop that a rank executes and another owns, once for each such "
         "rank / elements of the loop.")
QUANTITY(read_share, "", 1, "%.4g", "1", -1, RUN, PLAN, "copies that ranks only read",
         "Elements of all sets that a rank has a copy of, does not own and never executes, once "
         "for each such rank / elements of all sets.")
QUANTITY(neighbours_mean, "", 1, "%.4g", "1", -1, RUN, PLAN,
         "ranks that a rank receives from, mean",
         "Ranks whose values arrive at a rank in some loop of a time step; mean over ranks.")
QUANTITY(neighbours_max, "", 1, "%.4g", "1", -1, RUN, PLAN, "ranks that a rank receives from, most",
         "The same, of the rank that has most.")
QUANTITY(exchange_bytes, "exchanged kB", 1e-3, "%.4g", "B", -1, RUN, PLAN,
         "bytes that ranks exchange in a time step",
         "Values that arrive at ranks or return to them, of all dats and loops of a step; all "
         "ranks.")
QUANTITY(exchange_messages, "messages", 1, "%.0f", "1", -1, RUN, PLAN,
         "messages between ranks in a time step",
         "Pairs of ranks of which one sends to the other in an exchange; all exchanges of a step.")
QUANTITY(exchange_rounds, "", 1, "%.0f", "1", 0, RUN, TIMER, "rounds in which exchanges are timed",
         "Each takes a step four times: overlapped, serial, without exchanges, exchanges alone.")
QUANTITY(step_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of a step on ranks",
         "With its exchanges beside what computes; the slowest rank, median of the rounds.")
QUANTITY(serial_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER,
         "time of a step on ranks, nothing beside its exchanges",
         "The slowest rank, median of the rounds.")
QUANTITY(unexchanged_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER,
         "time of a step on ranks without its exchanges", "The slowest rank, median of the rounds.")
QUANTITY(exchange_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of a step's exchanges alone",
         "All exchanges of a time step, one after another: packed, sent, unpacked; nothing runs "
         "beside them; the slowest rank, median of the rounds.")
QUANTITY(pack_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of packing and unpacking",
         "The same without sending.")
QUANTITY(exposed_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time that exchanges add to a step",
         "A time step less one without exchanges, round by round; median of the rounds.")
QUANTITY(hidden_share, "", 1, "%.4g", "1", 1, RUN, TIMER,
         "share of the exchanges that computing hides",
         "(serial - overlapped) / (serial - without exchanges): a step with nothing beside its "
         "exchanges, one as it runs, one that exchanges nothing; median of the rounds.")

/* Times, and what partitioners cost. */
QUANTITY(partition_seconds, "partition s", 1, "%.3f", "s", -1, PLAN, TIMER,
         "time of the partitioner",
         "Wall time that the partitioner took, with the graph that it works on and with --refine.")
QUANTITY(plan_seconds, "plan s", 1, "%.3f", "s", -1, PLAN, TIMER, "time of the plan",
         "Wall time of what follows from the blocks: staged points, local indices, colours.")
QUANTITY(median_time, "ms", 1e3, "%.4g", "s", -1, RUN, TIMER,
         "median of the samples of a loop's time",
         "Tables have milliseconds (ms) or microseconds (us). Marked are the fastest run and all "
         "that may be as fast, by the intervals of their ratios: 'tess compare' shows these.")
QUANTITY(
    predicted_time, "predicted ms", 1e3, "%.4g", "s", -1, PLAN, MODEL,
    "time of the loop by a model of a GPU",
    "By the plan, the numbers of a machine and a fit to its runs (--machine; docs/predict.md); "
    "nothing was run. Where blocks alone are compared, of the fastest of atomics, "
    "block-colour and halo-atomics, for a loop that increments --dat through the map. Of a march, "
    "of a step in chains, from a sample of their blocks on the emulator.")
QUANTITY(predicted_time_low, "", 1e3, "%.4g", "s", -1, PLAN, MODEL,
         "low end of the 90 % interval of predicted_time",
         "By what the fit was off for meshes that were left out of it.")
QUANTITY(predicted_time_high, "", 1e3, "%.4g", "s", -1, PLAN, MODEL,
         "high end of the 90 % interval of predicted_time", "See predicted_time_low.")
QUANTITY(predicted_launch_time, "", 1e3, "%.4g", "s", -1, PLAN, MODEL,
         "part of predicted_time that launches take",
         "A mesh of which it is most is too small for a GPU to care how it is cut.")
QUANTITY(stored_time, "as stored ms", 1e3, "%.4g", "s", -1, PLAN, MODEL,
         "predicted time of the loop as the mesh is stored",
         "Blocks of consecutive elements, nothing renumbered, by the fastest of the same "
         "strategies: what predicted_time is compared with.")
QUANTITY(stored_launch_time, "", 1e3, "%.4g", "s", -1, PLAN, MODEL,
         "part of stored_time that launches take", "As predicted_launch_time is of predicted_time.")
QUANTITY(partition_cpu_seconds, "", 1, "%.4g", "s", -1, PLAN, TIMER,
         "processor time of the partitioner",
         "Of all its threads and of the process that a library of others runs in.")
QUANTITY(partition_device_seconds, "", 1, "%.4g", "s", -1, PLAN, TIMER,
         "time in which a device cut",
         "Where --partition-on had blocks cut on a device: without what travels there and back.")
QUANTITY(worker_start_cpu_seconds, "", 1, "%.4g", "s", -1, PLAN, TIMER,
         "processor time until the worker process was ready",
         "It is no part of partition_cpu_seconds.")
QUANTITY(partition_memory_bytes, "", 1, "%.4g", "B", -1, PLAN, SYSTEM,
         "memory that the program grew by while it partitioned",
         "0 where it had as much before: of partitioners that run in a process of their own "
         "partition_peak_bytes says more.")
QUANTITY(partition_peak_bytes, "", 1, "%.4g", "B", -1, PLAN, SYSTEM,
         "most memory of the process that a partitioner ran in",
         "Of partitioners with a process of their own, what it read included.")
QUANTITY(read_partition_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER,
         "time to take blocks again that a run of the lab has",
         "Such a run has no time of a partitioner of its own.")
QUANTITY(compile_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of compilation",
         "Next to nothing where the kernel was in the cache.")
QUANTITY(first_run_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time of the first execution",
         "With what devices do once; it is no sample.")
QUANTITY(check_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time to check a plan or a result",
         "By the proof of the plan, or beside the sequential loop.")
QUANTITY(metrics_seconds, "", 1, "%.4g", "s", -1, RUN, TIMER, "time to count the metrics of a plan",
         "They are counted block by block.")
QUANTITY(reuse_factor_before_repair, "", 1, "%.4g", "1", 1, PLAN, PLAN,
         "reuse of the blocks as the partitioner made them",
         "Blocks that are larger than the block size are repaired; all other metrics are of the "
         "blocks after that.")
QUANTITY(blocks_before_repair, "", 1, "%.4g", "1", 0, PLAN, PLAN,
         "number of blocks that the partitioner made", "See reuse_factor_before_repair.")
QUANTITY(largest_block_before_repair, "", 1, "%.4g", "elements", -1, PLAN, PLAN,
         "elements of the largest block that the partitioner made",
         "More than the block size: it did not keep to it.")
QUANTITY(elements_moved_by_repair, "", 1, "%.4g", "elements", -1, PLAN, PLAN,
         "elements that the repair put into another block",
         "0: the partitioner kept to the block size.")
QUANTITY(launches, "", 1, "%.0f", "1", -1, RUN, DRIVER,
         "kernels that are started for one sweep over the loop",
         "One, or one for each colour where races are resolved by colours.")

/* Of each block, of each element. */
QUANTITY(block_elements, "elements", 1, "%.0f", "1", 0, BLOCK_ONLY, PLAN, "elements of the block",
         "|E(b)|; /blocks/size in plan files.")
QUANTITY(block_points, "points", 1, "%.0f", "1", -1, BLOCK_ONLY, PLAN,
         "distinct points of the block", "|P(b)| through the slots of reuse_factor.")
QUANTITY(block_reuse, "reuse", 1, "%.3f", "1", 1, BLOCK_ONLY, PLAN, "reuse of the block",
         "accesses / |P(b)|, both through the slots of reuse_factor.")
QUANTITY(block_thread_colours, "thread colours", 1, "%.0f", "1", -1, BLOCK_ONLY, PLAN,
         "thread colours of the block", "See thread_colours_mean.")
QUANTITY(block_components, "components", 1, "%.0f", "1", -1, BLOCK_ONLY, PLAN,
         "connected components of the block", "See components_mean.")
QUANTITY(block_colour, "block colour", 1, "%.0f", "1", 0, ELEMENT, PLAN, "block colour",
         "Blocks of one colour increment no common point; see block_colours.")
QUANTITY(block, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "block",
         "The block that executes the element.")
QUANTITY(display_colour, "neighbours differ", 1, "%.0f", "1", 0, ELEMENT, PLAN, "neighbours differ",
         "One of few hues, which neighbouring blocks do not share.")
QUANTITY(thread, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "thread",
         "The element's position in its block.")
QUANTITY(warp, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "warp", "thread / 32.")
QUANTITY(thread_colour, "thread colour", 1, "%.0f", "1", 0, ELEMENT, PLAN, "thread colour",
         "Elements of a block that have one colour increment no common point.")
QUANTITY(rank, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "rank", "The rank that owns the element.")
QUANTITY(rank_colour, "rank", 1, "%.0f", "1", 0, ELEMENT, PLAN, "rank, halos darker",
         "The rank's hue, darker where other ranks have a copy of the element.")
QUANTITY(shape, "", 1, "%.4g", "1", 1, ELEMENT, PLAN,
         "shape of cells: 0 flat, 1 the best of their type",
         "Of triangles and tetrahedra the mean ratio, of others the least scaled Jacobian of their "
         "corners.")
QUANTITY(halo, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "other ranks that have a copy",
         "How many of them: 0 inside a rank.")
QUANTITY(ring, "", 1, "%.0f", "1", 0, ELEMENT, PLAN, "other blocks that have it in their rings",
         "How many blocks of a chain compute the point again, or load its values, beside the one "
         "that owns it: 0 inside a block.")
QUANTITY(ring_colour, "block", 1, "%.0f", "1", 0, ELEMENT, PLAN, "block, rings darker",
         "The block's hue, darker where other blocks of a chain have the point in their rings.")
QUANTITY(block_ring, "ring", 1, "%.0f", "1", -1, ELEMENT, PLAN, "points in the block's rings",
         "Those around the block, which a chain computes again.")

/* Titles of what is no quantity: a text or a setting that records name. */
TITLED(time, "time (UTC)")
TITLED(block_size, "block size")
TITLED(rank_partitioner, "ranks cut by")

/* Names that quantities had in earlier versions, which records, filters and options still may have.
 * A name in records is never shorter than the one it has now. */
RENAMED(cache_lines_per_block, sectors_per_block)
OLD_TITLE("pieces", components_mean)
OLD_TITLE("lanes", warp_efficiency)
OLD_TITLE("used MB", transfer_used)
OLD_TITLE("moved MB", transfer_total)
RENAMED(block_pieces, block_components) /* an array of views */

#undef QUANTITY
#undef TITLED
#undef RENAMED
#undef OLD_TITLE
