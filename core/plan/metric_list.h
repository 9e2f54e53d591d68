/* The metrics by name (docs/concepts.md, "Metrics"): X(name, unit, better, long name, definition).
 *
 * better is 1 where larger is, -1 where smaller is, 0 where neither is. Units are those of UDUNITS,
 * "1" where there is none. In definitions b is a block, E(b) the elements it executes, and a slot a
 * column of the plan's local_index; an access is an (element, slot) pair that has a point (padded
 * slots have none); P(b) are the distinct (to-set, point) pairs that E(b) accesses through the
 * slots in question. Sums are over all blocks and whole numbers, divided once at the end; what has
 * nothing to divide by is 0. A dat's row is its dim values; it counts once a loop, with all the
 * slots that any of its args goes through; it is read when an arg of it is read, rw or inc, written
 * when one is write, rw or inc, and w = 2 when both, else 1.
 *
 * Layouts: arrays start on a cache line. AoS: the row of the element at place i is the bytes
 * [i * row, (i + 1) * row). SoA: each component is an array of its own, value i of it the bytes
 * [i * size, (i + 1) * size). Place i is the element's number after renumbering, if any. Sectors
 * have 32 bytes, cache lines 128. */
X(reuse_factor, "1", 1, "accesses per staged point",
  "accesses / sum of |P(b)|, both through the loop's incremented slots (all its slots where "
  "it increments nothing). Its ceiling is the mean number of elements at a point, reached by "
  "one block that holds all: compare at equal block size only.")
X(reuse_factor_all, "1", 1, "accesses per staged point, all maps",
  "accesses / sum of |P(b)| through all indirect slots of the loop. Loops that read many maps and "
  "increment few differ from reuse_factor.")
X(reuse_factor_bytes, "1", 1, "bytes accessed per byte staged (OP2)",
  "sum over indirect dats of row bytes * accesses / sum over them of row bytes * |P(b)|, "
  "through the slots of the dat.")
X(blocks, "1", 0, "number of blocks", "The non-empty blocks of the partition.")
X(fill, "1", 1, "mean fill of a block",
  "elements of the partitioned set / (blocks * block size). Threads beyond it idle; a high "
  "reuse factor at low fill is bought with them.")
X(cut, "1", -1, "pairs of neighbours in two blocks",
  "Of a loop that reaches its own set: pairs of elements of which one reaches the other, and that "
  "are in different blocks. What METIS minimises.")
X(border, "1", -1, "share of elements with a neighbour in another block",
  "Elements with a neighbour in another block, neighbours as in cut / elements of the loop.")
X(block_colours, "1", -1, "colours of the blocks",
  "Of a loop that increments: colours such that blocks which increment a common point differ, by first fit and, with "
  "--colouring fewest, a search for fewer. One launch a colour: some colours may have few "
  "blocks. 1 where blocks own points.")
X(global_colours, "1", -1, "colours of all elements, without blocks",
  "Of a loop that increments, with --colouring greedy or sulyok: colours such that any two elements which increment a common point "
  "differ, by that rule in the order in which elements are stored. One launch a colour by the strategy global-colour.")
X(thread_colours_mean, "1", -1, "mean number of colours inside a block",
  "Of a loop that increments: colours such that elements of a block which increment a common point differ; mean over "
  "blocks. One barrier each. High reuse needs many: see thread_colours_bound_mean.")
X(thread_colours_max, "1", -1, "largest number of colours inside a block",
  "The same, of the block that has most.")
X(thread_colours_bound_mean, "1", 0, "lower bound of thread_colours_mean",
  "The largest number of elements of a block that increment one point (1 where none does, though "
  "the loop increments); mean over blocks. No colouring has fewer colours.")
X(components_mean, "1", -1, "mean number of pieces of a block",
  "Connected pieces of a block's elements, joined where they access a common point through "
  "the slots of reuse_factor, and, where a loop that increments nothing reaches its own set, where "
  "one reaches the other; mean over blocks. An element with no point is a piece.")
X(redundancy, "1", -1, "elements executed per element",
  "elements executed, once for each block that does / elements of the loop. 1 unless blocks "
  "own points.")
X(shared_bytes_plan, "B", -1, "shared memory that staging needs, mean",
  "sum over reached sets of |P(b)| through all slots of the set * row bytes of all dats of "
  "the loop there; mean over blocks. A strategy that stages less needs less.")
X(shared_bytes_plan_max, "B", -1, "shared memory that staging needs, largest block",
  "The same, of the block that needs most: it decides how many blocks share a multiprocessor.")
X(transfer_used, "B", -1, "bytes that the loop uses",
  "sum over indirect dats of w * row bytes * |P(b)| through the slots of the dat, plus over "
  "direct dats of w * row bytes * |E(b)|, plus 2 bytes a slot and executed element (local "
  "indices), plus 4 bytes a point of each reached set's P(b) (their numbers).")
X(transfer_total, "B", -1, "bytes of the cache lines that the loop moves",
  "transfer_used with indirect dats counted as w * 128 bytes * the distinct 128-byte lines "
  "that the rows of P(b) touch, each once a block. Hardware moves 32-byte sectors and caches "
  "between blocks: neither bounds the other.")
X(transfer_used_op2, "B", -1, "bytes that the loop uses, as OP2 counts them",
  "transfer_used with 2 bytes an indirect arg and executed element, and 4 bytes a point of each "
  "indirect dat: OP2 prints it as data transfer (used).")
X(transfer_total_op2, "B", -1, "bytes of the cache lines that the loop moves, as OP2 counts them",
  "transfer_total with the same indices and numbers as transfer_used_op2.")
X(unique_points_warp, "1", 0, "distinct points of a slot in a warp, median",
  "Distinct points of one slot in 32 consecutive positions of a block (the last warp of a "
  "block may have fewer); the least v such that half of all (warp, slot) pairs have at most "
  "v. /SET.SLOT: of one slot, counted as the plan's local_index does. Few are good for "
  "sectors and bad for atomics.")
X(unique_points_warp_p90, "1", 0, "distinct points of a slot in a warp, 9th decile",
  "The same, the least v such that nine tenths have at most v.")
X(unique_points_warp64, "1", 0, "distinct points of a slot in a warp of 64, median",
  "unique_points_warp for 64 consecutive positions, a wavefront of AMD's.")
X(unique_points_warp64_p90, "1", 0, "distinct points of a slot in a warp of 64, 9th decile",
  "unique_points_warp_p90 for 64 consecutive positions.")
X(sectors_per_block, "1", -1, "distinct 32-byte sectors of indirect data a block touches",
  "Distinct sectors that the rows of the indirect dats at their P(b) touch in the layout and "
  "numbering used, each dat an array of its own; mean over blocks of the sum over dats. /DAT: of "
  "one dat, the count of the paper's LULESH table (/SET.DAT where two sets have one).")
X(read_sectors, "1", -1, "sectors of global reads",
  "Sum over warp-level reads of global memory of the distinct 32-byte sectors each touches. "
  "Of source sample: estimated, see blocks_executed.")
X(write_sectors, "1", -1, "sectors of global writes",
  "Sum over warp-level writes of global memory of the distinct 32-byte sectors each touches. "
  "Of source sample: estimated, see blocks_executed.")
X(atomic_sectors, "1", -1, "sectors of global atomics",
  "Sum over warp-level atomics on global memory of the distinct 32-byte sectors each touches. "
  "Lanes that hit one address serialise: sectors alone do not show it. Of source sample: "
  "estimated, see blocks_executed.")
X(atomics, "1", -1, "atomic additions to global memory",
  "Values that threads add to global memory by atomics, one each. Of source sample: estimated, "
  "see blocks_executed.")
X(atomic_repeats, "1", -1, "atomics at the address of a lower lane",
  "Lanes of warp-level atomics on global memory that hit the address of a lower lane of the same "
  "one: the collisions of FUN3D's authors, which the hardware resolves one after another. Of "
  "source sample: estimated, see blocks_executed.")
X(shared_bank_conflicts, "1", -1, "extra wavefronts of shared memory",
  "Sum over warp-level accesses to shared memory of the wavefronts beyond the first. Of "
  "source sample: estimated, see blocks_executed.")
X(warp_efficiency, "1", 1, "mean active lanes of a warp",
  "Mean over warp-level instructions of active lanes / 32.")
X(barriers, "1", -1, "barriers executed",
  "Block-wide barriers, each counted once a block. Of source sample: estimated, see "
  "blocks_executed.")
X(blocks_executed, "1", 0, "blocks that the emulator ran, of a sample",
  "With --device emulator:sample=N each launch runs N of its blocks, evenly spaced, or all where "
  "it has no more. Their counts are scaled, launch by launch, by blocks launched / blocks "
  "executed: an estimate for all blocks, marked by the source sample (in tables by ~). There is no "
  "result to check. As near as the blocks are alike: compare it with counts of other sample sizes, "
  "and take more blocks where small differences matter.")
X(blocks_launched, "1", 0, "blocks of all launches, where a sample ran",
  "Counts of source sample are estimates for so many blocks, see blocks_executed.")
X(block_read_sectors, "1", -1, "sectors that blocks read",
  "Sum over blocks of the distinct 32-byte sectors of global memory that each reads. With "
  "--device emulator:caches=GPU.")
X(block_write_sectors, "1", -1, "sectors that blocks write",
  "The same of those that it stores to.")
X(block_atomic_sectors, "1", -1, "sectors that blocks add to atomically",
  "The same of those that it adds to by atomics.")
X(l2_atomic_sectors, "1", -1, "passes of atomics in the L2",
  "Sum over warp-level atomics and the sectors of each of the most lanes on one address there. With "
  "--device emulator:caches=GPU.")
X(l2_read_sectors, "1", -1, "sectors read from L2",
  "Hardware counter; of source emulator, the reads that miss the first level of the caches of "
  "--device emulator:caches=GPU.")
X(l2_write_sectors, "1", -1, "sectors written to L2",
  "Hardware counter; includes reductions. Of source emulator, l2_atomic_sectors and what is stored, "
  "stores that wait in the first level and go as one counted once.")
X(dram_read_bytes, "B", -1, "bytes read from memory",
  "Hardware counter. With a hot cache it is less than the loop needs. Of source emulator, what "
  "misses the L2 of emulator:caches=GPU.")
X(dram_write_bytes, "B", -1, "bytes written to memory",
  "Hardware counter. It misses bytes that are still in L2 when the loop ends. Of source emulator, "
  "what leaves the L2 of emulator:caches=GPU.")
X(l2_hit_rate, "1", 1, "share of what is read from L2 that lies there",
  "1 - dram_read_bytes / 32 / l2_read_sectors, of the hardware or of emulator:caches=GPU.")
X(l2_reads_per_element, "1", -1, "sectors that an element reads from L2",
  "l2_read_sectors / elements of the loop: the L2 accesses a tetrahedron of Langguth et al.")
X(l2_writes_per_element, "1", -1, "sectors that an element writes to L2",
  "l2_write_sectors / elements of the loop.")
X(memory_reads_per_element, "1", -1, "sectors that an element reads from memory",
  "dram_read_bytes / 32 / elements of the loop.")
X(memory_writes_per_element, "1", -1, "sectors that an element writes to memory",
  "dram_write_bytes / 32 / elements of the loop.")
X(stall_sync, "1", -1, "share of stalls at barriers", "Hardware counter.")
X(stall_data, "1", -1, "share of stalls for data", "Hardware counter.")
X(stall_throttle, "1", -1, "share of stalls for room in the queue of memory accesses",
  "Hardware counter.")
X(stall_dependency, "1", -1, "share of stalls for execution dependencies", "Hardware counter.")
X(flop_efficiency, "1", 1, "share of the peak floating-point rate", "Hardware counter.")
X(registers, "1", 0, "registers of a thread", "As the driver reports them.")
X(spilled_bytes, "B", -1, "bytes that a thread keeps in memory for want of registers",
  "Its local memory, as the driver, or --device nvrtc, reports it.")
X(shared_bytes, "B", 0, "shared memory of a block", "Static and dynamic, as launched.")
X(occupancy_theoretical, "1", 1, "resident warps that registers and shared memory allow",
  "Warps of resident blocks / warps a multiprocessor holds, the least of all launches: by ncu, or by "
  "the registers that the driver or, without a GPU, --device nvrtc:sm=90 reports.")
X(occupancy_achieved, "1", 1, "resident warps on average", "Hardware counter.")
X(useful_bytes, "B", 0, "bytes that the loop cannot do without",
  "Sum over the loop's dats of w * bytes of the whole dat, each once, plus each distinct map "
  "of the loop once at 4 bytes an index, as the papers' figures count.")
X(flops, "1", 0, "floating-point operations of the loop",
  "Those of an element, counted by hand in its application, times the elements of the loop; what a "
  "strategy computes more than once counts once. Loops whose operations nobody counted have none.")
X(flop_rate, "1/s", 1, "floating-point operations per second", "flops / median time.")
X(bandwidth, "B/s", 1, "useful bytes per second", "useful_bytes / median time.")
X(useful_fraction, "1", 1, "bandwidth relative to copying",
  "bandwidth / copy bandwidth measured in the same process. Above 1 where a dat is never "
  "read or caches help.")
X(moved_bytes_min, "B", -1, "least bytes that the strategy moves",
  "The dats as in useful_bytes plus the maps or plan arrays that the strategy reads, each once.")
X(copy_fraction, "1", 1, "least traffic relative to copying",
  "moved_bytes_min / median time / copy bandwidth.")
X(loop_count, "1", 0, "runs of a loop in a march",
  "/LOOP: how often it ran in tess march --loops.")
X(loop_seconds, "s", -1, "time of a loop in a march",
  "/LOOP: of all its runs, each waited for.")
X(loop_bandwidth, "B/s", 1, "bytes that a loop uses per second (OP2)",
  "/LOOP: loop_count * transfer_used_op2 of the loop / loop_seconds, as OP2 prints it.")
X(loop_line_bandwidth, "B/s", 1, "bytes of the cache lines that a loop moves per second (OP2)",
  "/LOOP: the same of transfer_total_op2.")
X(loop_block_size, "elements", 0, "block size of a loop in a march", "/LOOP: what it ran by.")
X(ranks, "1", 0, "number of ranks", "Processes that divide the mesh, each with a device of its own.")
X(rank_imbalance, "1", -1, "elements of the largest rank per mean",
  "Most elements that a rank owns of the set that was cut / the mean over ranks.")
X(core_share, "1", 1, "share of a loop that runs while values travel",
  "Elements of the primary loop's set whose rank can execute them before anything has arrived / "
  "elements of the set.")
X(exec_share, "1", -1, "elements that ranks execute for others",
  "Elements of the primary loop that a rank executes and another owns, once for each such rank / "
  "elements of the loop.")
X(read_share, "1", -1, "copies that ranks only read",
  "Elements of all sets that a rank has a copy of, does not own and never executes, once for each "
  "such rank / elements of all sets.")
X(neighbours_mean, "1", -1, "ranks that a rank receives from, mean",
  "Ranks whose values arrive at a rank in some loop of a time step; mean over ranks.")
X(neighbours_max, "1", -1, "ranks that a rank receives from, most",
  "The same, of the rank that has most.")
X(exchange_bytes, "B", -1, "bytes that ranks exchange in a time step",
  "Values that arrive at ranks or return to them, of all dats and loops of a step; all ranks.")
X(exchange_messages, "1", -1, "messages between ranks in a time step",
  "Pairs of ranks of which one sends to the other in an exchange; all exchanges of a step.")
X(exchange_seconds, "s", -1, "time of a step's exchanges alone",
  "All exchanges of a time step, one after another: packed, sent, unpacked; nothing runs beside "
  "them; the slowest rank, median of the rounds.")
X(pack_seconds, "s", -1, "time of packing and unpacking",
  "The same without sending.")
X(exposed_seconds, "s", -1, "time that exchanges add to a step",
  "A time step less one without exchanges, round by round; median of the rounds.")
X(hidden_share, "1", 1, "share of the exchanges that computing hides",
  "(serial - overlapped) / (serial - without exchanges): a step with nothing beside its exchanges, "
  "one as it runs, one that exchanges nothing; median of the rounds.")
