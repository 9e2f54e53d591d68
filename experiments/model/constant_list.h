/* The numbers that a prediction needs of a GPU, a line each, in the order of machine files.
 *
 *   X(name, unit, fitted, low, high, help)
 *
 *   fitted   1: a fit may change it, within low .. high
 */
X(copy_bandwidth, "B/s", 0, 0, 0, "bytes read and written a second by a copy")
X(processors, "1", 0, 0, 0, "multiprocessors")
X(clock, "Hz", 0, 0, 0, "of a multiprocessor")
X(l2_bytes, "B", 0, 0, 0, "of the L2 that a loop keeps")
X(memory, "1", 1, 0.85, 1.3, "time of a byte from memory, copies being 1")
X(random, "1", 1, 1, 8, "the same of bytes beyond the least that must move")
X(kept_bytes, "B", 1, 5e6, 2e8,
  "that the L2 keeps from run to run: of a loop that moves so much half still comes from memory")
X(kept_power, "1", 1, 0.5, 6, "how sharply that share falls below and rises above")
X(l2_read, "s", 1, 1e-13, 1e-11, "a sector read from the L2, once a block")
X(l2_write, "s", 1, 1e-13, 2e-11, "a sector written to the L2")
X(l2_line, "s", 1, 1e-13, 3e-11,
  "a line of 128 bytes of which an instruction asks the L2 for sectors")
X(l1_read, "s", 1, 1e-14, 5e-12, "a sector read through the first-level caches")
X(pass, "s", 1, 1e-12, 4e-11, "a pass of atomics over a sector in the L2")
X(value, "s", 1, 1e-13, 2e-11, "a value of 8 bytes that is added by an atomic")
X(missed_pass, "s", 1, 1e-13, 2e-10,
  "a pass of atomics over a sector that was not in the L2, besides")
X(wavefront, "1", 1, 0.2, 1.2, "clocks of a multiprocessor for a wavefront of shared memory")
X(turn, "s", 1, 1e-8, 6e-6, "latency of a block, times the elements of a thread")
X(barrier, "s", 1, 1e-9, 3e-6, "latency of a barrier")
X(compare_and_swap, "1", 1, 1, 10,
  "latency where doubles are summed in shared memory, else being 1")
X(instruction, "s", 1, 1e-13, 3e-11, "a memory instruction of a warp")
X(wait, "s", 1, 1e-10, 6e-7, "latency of such an instruction that others do not hide")
X(overlap, "1", 1, 0.05, 1.5,
  "how such waits of a warp hide each other: the power of its registers beyond 64")
X(flop, "s", 1, 1e-14, 5e-13, "a flop, with what several threads compute for themselves")
X(start, "s", 1, 1e-7, 2e-5, "a run, beside its launches")
X(launch, "s", 1, 1e-7, 2e-5, "a launch")
X(exponent, "1", 1, 1.5, 8, "how far the longest of all terms hides the others")
