/* Words that were others once, a line each. The old ones are still read, in options, recipes and
 * records; what is written has today's.
 *
 *   OLD_WORD(of, old, today)
 *
 *   of    the setting, or the option of a plug-in, whose value it is; "" where it is itself the
 *         name of an option of plug-ins
 *
 * Metrics and their titles have tables of their own (core/plan/quantities.h). */
OLD_WORD("halo", "exec", "redundant")
OLD_WORD("halo", "sums", "partial-sums")
OLD_WORD("", "ahead", "prefetch")
OLD_WORD("made", "each", "per-part")
OLD_WORD("parts", "together", "fused")
OLD_WORD("parts", "phases", "staged")
OLD_WORD("parts", "loops", "separate")
OLD_WORD("partitioner", "natural", "file-order")
OLD_WORD("rank_partitioner", "natural", "file-order")
