/* Words of tables that are neither metrics nor settings, as `tess explain` tells them, a line each:
 *
 *   TESS_WORD(name, titles, unit, better, long_name, definition)
 *
 * `titles` are the other words that tables, pictures and notebooks have for it, separated by '|'.
 * `unit` is "" for texts. `better` is 1: larger, -1: smaller, 0: neither. Included once for each
 * use. */

/* What a run is, and what came of it. */
TESS_WORD(
    run, "", "", 0, "the id of a run",
    "Its time and a random part; any beginning that no other run has names it, as do @last and "
    "@last~1.")
TESS_WORD(time, "time (UTC)", "", 0, "when a run was made", "In UTC, the time zone of all records.")
TESS_WORD(outcome, "", "", 0, "how a run ended",
          "passed: its result is that of the sequential loop, or its plan has been proved; "
          "unchecked: a sample of blocks has no result; failed; not applicable: the strategy or "
          "partitioner "
          "does not fit this loop.")
TESS_WORD(tag, "tags", "", 0, "a name that somebody gave to runs",
          "'tess tag NAME RUN...'; tag:NAME means all of its runs.")
TESS_WORD(runs, "", "1", 0, "how many runs there are", "Of a tag, or of a group of 'tess runs -g'.")
TESS_WORD(samples, "values", "1", 0, "how often a loop was timed",
          "All variants of a command are timed in turns: a round takes one sample of each.")

/* What `tess mesh reorder` expects. */
TESS_WORD(distinct_points, "distinct points", "1", -1,
          "distinct points of so many consecutive elements",
          "The mean over all blocks of consecutive elements: what a sweep loads of a map's points.")
TESS_WORD(distinct_lines, "lines of 64 bytes", "1", -1, "lines of memory in which these points lie",
          "The mean, likewise.")

/* What `tess parts` prints of a split loop. */
TESS_WORD(split, "", "", 0, "where a loop is cut into phases",
          "parts: those of its kernel; outputs: each dat that it adds to; components: values that "
          "need the same. together: it "
          "is not split.")
TESS_WORD(phase, "", "", 0, "a part of a split loop",
          "A part of the kernel, with its number where it runs several times.")
TESS_WORD(reads, "", "", 0, "what a phase reads at an element's points",
          "Dats, in brackets the values where it is some only: found by changing each on 512 "
          "random elements.")
TESS_WORD(adds, "", "", 0, "what a phase adds to at an element's points",
          "Dats, in brackets the values where it is some only.")
TESS_WORD(staged, "", "", -1, "bytes that a block stages of a point in a phase",
          "Of each set of points: copies of what is read, and sums. The phase that stages most "
          "bounds the block.")
TESS_WORD(passed_on, "passed on", "1", -1, "values of an element that later phases need",
          "They stay in registers until then.")

/* What `tess mesh info` prints of a mesh. */
TESS_WORD(distance, "distance of numbers|mean|mean after RCM|most after RCM", "1", -1,
          "how far apart the numbers of neighbours are",
          "Mean and most, as the mesh is numbered and after reverse Cuthill-McKee of these "
          "neighbours: the bandwidth.")
TESS_WORD(degrees, "how many|how often", "1", 0, "how many of one thing each of another has",
          "'3: 120' says that 120 have three.")
TESS_WORD(cells, "", "", 0, "the type of the cells in a row",
          "tris, quads, tets, pyramids, prisms or hexes.")
TESS_WORD(cell_size, "least size|largest size", "", 0, "area or volume of a cell",
          "In the units of the coordinates, without sign.")
TESS_WORD(inside_out, "inside out", "1", 0,
          "cells whose nodes go the other way round than VTK orders them",
          "Many real files have all cells so; no loop minds.")
TESS_WORD(shape, "mean shape|least shape|shape, from", "1", 1,
          "how near a cell is to the best of its type",
          "From 0, without extent or not convex, to 1. Of triangles and tetrahedra the mean ratio, "
          "which compares the size with that "
          "of the edges; of others the least scaled Jacobian of their corners.")
TESS_WORD(worst, "", "", 0, "the first cell of the least shape",
          "By its number, from 0, in its type's set.")
TESS_WORD(served, "what it is, or why not", "", 0,
          "what an application is, or why it does not run on a mesh",
          "A map that the mesh lacks, its dimension or its types of cells.")

/* Of steps and messages. */
TESS_WORD(step, "", "1", 0, "a time step of an application", "The step at the end of a row's time.")
TESS_WORD(step_time, "ms/step", "ms", -1, "time of a step of an application",
          "Mean over the steps since the row before.")
TESS_WORD(message_bytes, "bytes", "B", 0, "bytes of a message",
          "Of all values that one exchange between two ranks carries.")

/* Global sums of applications, as rows of `tess march` have them: of a step, the mean since the row
 * before. */
TESS_WORD(
    rms, "", "1", -1, "how much a step changes the flow of airfoil, 0 where it is settled",
    "Squares of the changes of all four values of q, summed over cells and both stages of a step. "
    "Not conserved: it "
    "falls towards 0 as the flow settles; growing without end it says that the march is unstable.")
TESS_WORD(volume, "", "1", 0, "the volume of water in volna, which is conserved",
          "Depth times area, summed over cells. Conserved: no water passes a wall, so all rows are "
          "the same up to "
          "rounding (1e-7 of it a step in float).")
TESS_WORD(change, "", "1", -1,
          "how much a step changes the flow of miniaero, 0 where it is settled",
          "Squares of the changes of density, momentum and energy, summed over cells. Not "
          "conserved: it falls towards 0 "
          "where a flow settles.")
TESS_WORD(residual, "", "1", -1, "how far fun3d is from a steady flow, 0 where it is one",
          "Squares of the residual of density, summed over the nodes that are not held and over "
          "both stages of a step. Not "
          "conserved: it falls towards 0 as the flow settles.")

/* Ranks (docs/many-gpus.md); metrics of the same name have a run's own numbers. */
TESS_WORD(rank_elements, "elements a rank", "1", 0, "elements that a rank owns, mean",
          "Of the set that is cut into ranks.")
TESS_WORD(imbalance, "", "1", -1, "elements of the largest rank per mean", "See rank_imbalance.")
TESS_WORD(core, "core %", "percent", 1, "share of a loop that runs while values travel",
          "See core_share.")
TESS_WORD(twice, "twice %", "percent", -1, "elements that ranks execute for others",
          "See exec_share.")
TESS_WORD(neighbours, "most", "1", -1, "ranks that a rank receives from",
          "The mean over ranks; 'most' is that of the rank that has most.")
TESS_WORD(rank_bytes, "kB a step each|kB of the most", "kB", -1,
          "bytes that a rank exchanges in a time step",
          "The mean over ranks; 'of the most' is that of the rank that exchanges most.")
TESS_WORD(one_rank_ms, "ms on 1", "ms", -1, "measured time of a step on one rank",
          "What the prediction of 'tess ranks --against' begins with.")
TESS_WORD(prediction_error, "error %", "percent", 0,
          "how far a prediction is from what was measured",
          "Predicted over measured, less 1: negative where the step took longer than predicted.")
TESS_WORD(measured_ms, "measured ms", "ms", -1, "measured time of a step on ranks",
          "Of 'tess ranks --against': what the file of marches says.")
TESS_WORD(rank_time, "ms a step|predicted ms", "ms", -1, "predicted time of a step on ranks",
          "From the step on one rank that --step states, by the model of 'tess ranks --help'.")
TESS_WORD(rank_marched, "ms on 1|measured ms|predicted ms", "ms", -1,
          "time of a step of a march: on one rank; measured, and predicted, on several",
          "'tess ranks --against' reads what was measured, and predicts from the step on one rank.")
TESS_WORD(rank_error, "error %", "percent", 0, "how much more is predicted than was measured",
          "predicted / measured - 1.")

/* What `tess march --loops` prints of a loop. */
TESS_WORD(count, "", "1", 0, "how often a loop ran in a march", "Archived as loop_count/LOOP.")
TESS_WORD(s, "", "s", -1, "how long a loop took in all of a march",
          "Archived as loop_seconds/LOOP.")
TESS_WORD(line_bandwidth, "GB/s of lines", "GB/s", 1,
          "bytes of the lines that a loop touches a time",
          "Archived as loop_line_bandwidth/LOOP, in B/s.")

/* What `tess tune --step` found. */
TESS_WORD(share, "share %", "percent", 0, "how much of a time step a loop takes",
          "Where nothing is said of any loop: what is searched first, and longest. On the emulator "
          "its share of the bytes of cache lines (transfer_total_op2).")
TESS_WORD(before, "ms before", "ms", -1, "time of a loop in a step of which nothing is said",
          "By atomics, on the host by openmp, in blocks of what is consecutive in memory.")
TESS_WORD(after, "ms after", "ms", -1, "time of a loop in a step with what was found",
          "In a march of all loops, each waited for.")
TESS_WORD(tried, "", "1", 0, "how many candidates of a loop were tried",
          "Where none was, the loop takes less than 1 % of a step, or the budget was over.")

/* Comparisons. */
TESS_WORD(ratio, "", "1", -1, "how many times as long, or as much, as the first",
          "Of times the median of the ratios of rounds that both runs took part in, or of the "
          "medians where they were not timed in turns.")
TESS_WORD(interval, "95 % interval", "1", 0, "where the ratio lies with a probability of 95 %",
          "By the binomial distribution of the rounds' ratios, or by a bootstrap of the samples, "
          "wider where neighbouring samples resemble each other.")
TESS_WORD(p, "", "1", 0, "the p-value of a comparison",
          "How often equal runs would differ as much: by the sign test over rounds, or by Mann and "
          "Whitney's where runs were not timed in turns.")
TESS_WORD(verdict, "", "", 0, "what interval and test agree on",
          "faster or slower: the whole interval is on one side of 1, beyond 1 %, and the test says "
          "so; same: all of it is within 1 %; unclear: more samples would tell.")
TESS_WORD(manner, "how", "", 0, "how two runs are compared",
          "in turns: round by round of the sessions that they share; apart: by the medians of "
          "samples that were taken at other times, which says less.")
TESS_WORD(
    efficiency, "", "1", 1, "what ranks make of their number",
    "The time of the first times its ranks, over the same of the other; 1: twice as many ranks "
    "take half the time.")
TESS_WORD(differs, "what differs", "", 0, "settings in which two compared runs differ",
          "A time ratio has one cause only where they differ in one.")

/* Predictions (docs/predict.md). */
TESS_WORD(predicted, "", "ms", -1, "the predicted time of a loop",
          "By 'tess predict', from the plan and the numbers of a machine, by a fit to its runs.")
TESS_WORD(predicted_interval, "90 % interval", "ms", 0,
          "where the time lies with a probability of 90 %",
          "By what the fit was off for meshes that were left out of it.")
TESS_WORD(bound, "bound by", "", 0, "what takes longest of a predicted time",
          "Memory, the L2, atomics, barriers and others: the largest of the terms.")
TESS_WORD(
    chains, "", "", 0, "runs of loops that a march executes as one kernel each",
    "'tess march --chains auto|auto:rings=N|A+B,C+D'; 'tess bound' shows which there are, with "
    "what each moves, and what keeps two loops apart.")
TESS_WORD(numbered_by, "", "", 0, "the loop of a step whose blocks number the mesh",
          "Points and elements lie in memory as its blocks use them; else the primary loop's.")
TESS_WORD(partitioned_on, "", "", 0, "where the blocks of a run were cut",
          "host, or the device that cut them ('--partition-on').")
TESS_WORD(planned_on, "", "", 0, "where the plan of a run was made",
          "host, or the device that made it ('--partition-on'): it leaves some plans to the host.")
TESS_WORD(tables_made_on, "", "", 0, "the device that made the tables of a run's strategy",
          "Where it cut its blocks, too ('--partition-on'); not said where the host made them.")
TESS_WORD(
    rings, "", "1", 0, "rings of points around a chain's blocks",
    "Computed again, as blocks read neighbours there. The blocks of the command 'tess bound'.")
TESS_WORD(computed, "", "1", -1, "points of a chain's blocks with their rings, over those without",
          "As counted on the mesh.")
TESS_WORD(bound_bytes, "B/point", "B", -1, "bytes that loops move at least, a point",
          "Of what they reach, each dat once, in and out; maps at 4 bytes an index.")
TESS_WORD(bound_flops, "flop/point", "1", -1, "flops of loops, a point",
          "Counted by calling the kernels; a division and a root are one each. With rings.")
TESS_WORD(bound_divisions, "div/point", "1", -1, "divisions and roots among the flops, a point",
          "They take longer than others.")
TESS_WORD(byte_time, "ms bytes", "ms", -1, "the time of bytes as fast as a machine copies",
          "Of those that loops move at least.")
TESS_WORD(flop_time, "ms flops", "ms", -1, "the time of these flops at a machine's rate",
          "Of fused multiply-adds; a division and a root as the flops that they cost.")
TESS_WORD(median_error, "median %", "percent", -1, "median error of predictions",
          "Of those for a mesh, or by a strategy, that the fit had not seen.")
TESS_WORD(p90_error, "p90 %", "percent", -1, "ninth decile of the errors of predictions",
          "One in ten is off by more.")
TESS_WORD(bias, "", "1", 0, "median of predicted over measured time",
          "1: as often too long as too short.")
TESS_WORD(correlation, "", "1", 1, "rank correlation of predicted and measured times",
          "Of the variants to run a loop on one mesh; 1: in the same order.")
TESS_WORD(regret, "", "1", -1, "time of the predicted best over that of the best",
          "Among the variants that were measured; 1: the prediction chose the best.")
TESS_WORD(runs_until_close, "runs until 2 %", "1", -1,
          "how many variants must be tried until one is within 2 % of the best",
          "In the predicted order.")
TESS_WORD(corrected_runs, "corrected", "1", -1,
          "how many variants must be tried until one is within 2 % of the best",
          "In an order that each run corrects, as in a search by predictions.")
TESS_WORD(regret_after_ten, "after 10 runs", "1", -1,
          "regret of the best of ten variants that were tried",
          "In an order that each run corrects.")
TESS_WORD(orders_close, "orders", "", 0,
          "orders in which the predicted best variant is within 5 % of the best, of all",
          "Of the variants in one order of a mesh that has at least three.")
TESS_WORD(strategies_close, "strategies", "", 0,
          "strategies of which the predicted best variant is within 5 % of the best, of all",
          "Of the variants by one strategy on a mesh that has at least three.")

/* Limits of loops that only gather (docs/langguth-model.md). */
TESS_WORD(gflops, "GFLOPS", "1e9/s", 1, "limit of the floating-point rate by the model",
          "A row a level of memory, a column a number of words of 8 bytes that an element reads.")
TESS_WORD(gflops_best, "GFLOPS, each value once", "1e9/s", 1,
          "limit where every value is fetched once", "The best that any order of elements allows.")
TESS_WORD(gflops_line, "a line each neighbour", "1e9/s", 1,
          "limit where every neighbour costs a cache line", "The worst order of elements.")
TESS_WORD(gflops_word, "a word an element", "1e9/s", 1,
          "limit where an element moves one word of 8 bytes", "What no loop exceeds.")
TESS_WORD(l2_sectors, "L2 sectors", "1", -1,
          "sectors of 32 bytes that an element asks the L2 for, read and written",
          "Counted by the emulator with caches, or by a GPU.")
TESS_WORD(gflops_memory, "by memory", "1e9/s", 1, "limit by the bandwidth of memory",
          "Of the bytes that were counted, or of each value once where that is more.")
TESS_WORD(gflops_l2, "by L2", "1e9/s", 1, "limit by the bandwidth of the L2",
          "Of the sectors beside it.")
TESS_WORD(gflops_measured, "measured", "1e9/s", 1, "floating-point rate of the fastest run",
          "Of a run on such a machine; empty where the lab has none.")
TESS_WORD(model_error, "off %", "percent", 0, "how far the model is above the measured rate",
          "Below it where negative.")

/* Meshes. */
TESS_WORD(set, "sets", "", 0, "elements of one kind, numbered from 0",
          "nodes, edges, faces, cells, tets and so on: 'docs/concepts.md, Sets and maps'.")
TESS_WORD(size, "", "1", 0, "how many elements a set has",
          "Of sets that a file states and derived ones.")
TESS_WORD(marker, "", "", 0, "a named part of the boundary", "As the file names it.")
TESS_WORD(elements, "", "1", 0, "how many elements there are",
          "Of a marker, or of the set that a map goes from.")
TESS_WORD(nodes, "", "1", 0, "how many nodes a mesh has",
          "Those that belong to no cell count, too.")
TESS_WORD(all_cells, "all cells", "1", 0, "how many cells a mesh has", "Of whichever type.")
TESS_WORD(
    digest, "", "", 0, "the beginning of a SHA-256",
    "Of the nodes' coordinates and the cells' nodes, numbered by the places of the nodes: the "
    "same for all files of a mesh.")
TESS_WORD(marked_sides, "marked sides", "1", 0, "how many sides of cells have a marker",
          "Each as often as the file states it.")
TESS_WORD(markers, "", "1", 0, "how many markers a mesh has", "Named parts of the boundary.")
TESS_WORD(digest_of_sides, "digest of sides", "", 0, "the beginning of a SHA-256",
          "Of the nodes of marked sides, and of which of them have the same marker.")
TESS_WORD(origin, "", "", 0, "where a map is from",
          "stated: it stands in the file or follows from the generator; derived: from the cells.")

/* Lists. */
TESS_WORD(name, "of|what|what it is|for|from|files|found|unit|value|source", "", 0,
          "columns that describe what a row is of",
          "'what it is' says it in words, 'unit' is in what numbers are given (1: a pure number), "
          "'source' who measured: plan, counter, timer, driver or emulator; 'from' is the paper or "
          "page that it is from.")
TESS_WORD(sweep, "", "", 0, "the runs that a recipe describes",
          "Its points are passed, failed, skipped or left.")
