"""Statistics: SciPy finds the same, equals are rarely called different, and 3 % is found."""

import subprocess

import numpy
import pytest

UNCLEAR, SAME, LARGER, SMALLER = range(4)


@pytest.fixture(scope="module")
def compare(tess_bin):
    """compare(pairs of samples) gives a row for each: median_a low_a high_a ratio low high p verdict, and for
    pairs of one length as rounds, too: ratio low high p verdict sign_test."""

    def run(pairs):
        lines = [" ".join([str(len(s)), *(repr(float(v)) for v in s)]) for pair in pairs for s in pair]
        done = subprocess.run(
            [tess_bin.parents[1] / "tests/compare_samples"],
            input="\n".join(lines), capture_output=True, text=True, check=True,
        )  # fmt: skip
        rows = [[float(v) for v in line.split()] for line in done.stdout.splitlines()]
        return numpy.array([row[:14] + [numpy.nan] * (14 - len(row)) for row in rows])

    return run


def random_pairs(n, seed=1):
    """Pairs of samples of many sizes and shapes, with ties in some."""
    generator = numpy.random.default_rng(seed)
    pairs = []
    for i in range(n):
        sizes = generator.integers(5, 80, 2)
        a, b = (numpy.exp(0.2 * generator.standard_normal(size)) for size in sizes)
        pairs.append((a.round(1 + i % 3), (b * (1 + 0.2 * (i % 2))).round(1 + i % 3)))
    return pairs


def resembles_its_neighbours(values):
    """The autocorrelation widens intervals: it is significant."""
    off = values - values.mean()
    return off[1:] @ off[:-1] > 2 / numpy.sqrt(len(off)) * (off @ off)


def test_scipy_finds_the_same(compare):
    stats = pytest.importorskip("scipy.stats")
    pairs = random_pairs(60)
    for (a, b), row in zip(pairs, compare(pairs)):
        assert row[0] == pytest.approx(numpy.median(a)) and row[3] == pytest.approx(numpy.median(b) / numpy.median(a))
        if not resembles_its_neighbours(a) and not resembles_its_neighbours(b):
            assert row[6] == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=1e-9)
        below = stats.binom.cdf(range(len(a)), len(a), 0.5)
        k = numpy.searchsorted(below, 0.025, side="right") - 1
        expected = (numpy.sort(a)[k], numpy.sort(a)[-1 - k]) if k >= 0 else (-numpy.inf, numpy.inf)
        assert tuple(row[1:3]) == expected


def test_scipy_finds_the_same_interval_of_the_ratio(compare):
    stats = pytest.importorskip("scipy.stats")
    generator = numpy.random.default_rng(3)
    pairs = [(generator.normal(1, 0.05, n), generator.normal(1.1, 0.05, n)) for n in (20, 35, 50, 80)]

    def ratio(a, b, axis=-1):
        return numpy.median(b, axis=axis) / numpy.median(a, axis=axis)

    for (a, b), row in zip(pairs, compare(pairs)):
        found = stats.bootstrap(
            (a, b), ratio, method="percentile", n_resamples=4000, random_state=generator
        ).confidence_interval
        width = found.high - found.low
        assert abs(row[4] - found.low) < 0.1 * width and abs(row[5] - found.high) < 0.1 * width


SHAPES = {
    "normal": lambda g, n, s: 1 + s * g.standard_normal(n),
    "skewed": lambda g, n, s: numpy.exp(s * g.standard_normal(n)),
    "outliers": lambda g, n, s: 1 + s * g.standard_normal(n) + (g.random(n) < 0.1) * g.exponential(10 * s, n),
}


@pytest.mark.parametrize("n, noise, shape", [*((20, 0.01, shape) for shape in SHAPES), (50, 0.015, "skewed"),
                                             (50, 0.015, "outliers"), (100, 0.02, "normal")])  # fmt: skip
def test_equals_are_called_different_in_at_most_5_percent_and_3_percent_is_found_in_95(compare, n, noise, shape):
    generator = numpy.random.default_rng(n)
    pairs = [(SHAPES[shape](generator, n, noise), SHAPES[shape](generator, n, noise)) for _ in range(200)]
    equal = compare(pairs)[:, 7]
    assert numpy.isin(equal, [LARGER, SMALLER]).sum() <= 10
    slower = compare([(a, 1.03 * b) for a, b in pairs])[:, 7]
    assert (slower == LARGER).sum() >= 190
    if n == 20:  # the same test the other way round
        faster = compare([(1.03 * a, b) for a, b in pairs])[:, 7]
        assert (faster == SMALLER).sum() >= 190


def test_scipy_finds_the_same_of_rounds(compare):
    stats = pytest.importorskip("scipy.stats")
    generator = numpy.random.default_rng(11)
    pairs = []
    for i in range(60):
        n = int(generator.integers(8, 120))
        noise = generator.standard_normal((2, n))
        a, b = (numpy.exp(0.1 * one) for one in noise)
        pairs.append((a.round(2 + i % 3), (b * (1 + 0.05 * (i % 3))).round(2 + i % 3)))  # ties, zeros
    for (a, b), row in zip(pairs, compare(pairs)):
        found = stats.binomtest(int((b > a).sum()), int((b != a).sum()))
        assert row[13] == pytest.approx(found.pvalue, rel=1e-9)
        ratios = numpy.sort(b / a)
        below = stats.binom.cdf(range(len(a)), len(a), 0.5)
        k = numpy.searchsorted(below, 0.025, side="right") - 1
        if not resembles_its_neighbours(numpy.log(b / a)):
            middle = numpy.exp(numpy.median(numpy.log(ratios)))
            assert row[8:11] == pytest.approx([middle, ratios[k], ratios[-1 - k]], rel=1e-12)
            assert row[11] == row[13]


def test_rounds_that_drift_are_told_apart_where_all_are_far_apart(compare):
    """Neighbours resemble each other, so that 20 rounds count as few: their signs alone are sure of nothing."""
    stats = pytest.importorskip("scipy.stats")
    generator = numpy.random.default_rng(3)
    drift = [numpy.exp(0.2 * numpy.sin(numpy.arange(20) / 2 + turn) + 0.1 * generator.standard_normal(20)) for turn in range(40)]
    ones = numpy.ones(20)
    for one, row in zip(drift, compare([(ones, 2000 * one) for one in drift])):
        logs = numpy.log(2000 * one)
        off = logs - logs.mean()
        r = off[1:] @ off[:-1] / (off @ off)
        count = 20 * (1 - r) / (1 + r) if r > 2 / numpy.sqrt(20) else None  # that are as good as independent
        if count:
            t = logs.mean() / numpy.sqrt(off @ off / 19 / count)
            by_signs = 2 * stats.norm.sf(9.5 / numpy.sqrt(5) * numpy.sqrt(count / 20))
            assert row[11] == pytest.approx(min(by_signs, 40 * stats.t.sf(t, max(1, int(count) - 1))), rel=1e-6)
    assert (compare([(ones, 2000 * one) for one in drift])[:, 12] == LARGER).all()
    assert (compare([(2000 * one, ones) for one in drift])[:, 12] == SMALLER).all()
    equal = [numpy.exp(0.01 * numpy.convolve(generator.standard_normal(23), [1, 0.7, 0.5, 0.3], "valid")) for _ in range(400)]
    assert numpy.isin(compare([(ones, one) for one in equal])[:, 12], [LARGER, SMALLER]).sum() <= 20


def test_scipy_has_the_same_students_t(tess_bin):
    stats = pytest.importorskip("scipy.stats")
    cases = [(t, df) for t in (0.1, 1.0, -2.2, 5.0, 12.0) for df in (0, 1, 2, 3, 4, 7, 30, 201)]
    done = subprocess.run([tess_bin.parents[1] / "tests/compare_samples", "student"], text=True,
                          input="".join(f"{t} {df}\n" for t, df in cases), capture_output=True, check=True)  # fmt: skip
    for (t, df), line in zip(cases, done.stdout.splitlines(), strict=True):
        distribution = stats.t(df) if df else stats.norm
        assert [float(v) for v in line.split()] == pytest.approx(
            [2 * distribution.sf(abs(t)), distribution.isf(0.025)], rel=1e-6, abs=1e-14
        )


def test_numpy_has_the_same_quantiles(tess_bin):
    cases = [(q, numpy.random.default_rng(n).random(n)) for q in (0, 0.05, 0.5, 0.9, 1) for n in (1, 2, 7, 20)]
    lines = [" ".join([repr(q), str(len(values)), *map(repr, values.tolist())]) for q, values in cases]
    done = subprocess.run([tess_bin.parents[1] / "tests/compare_samples", "quantile"], text=True, input="\n".join(lines),
                          capture_output=True, check=True)  # fmt: skip
    assert [float(line) for line in done.stdout.splitlines()] == pytest.approx([numpy.quantile(of, q) for q, of in cases])


@pytest.mark.parametrize("n, noise", [(20, 0.006), (100, 0.015)])
def test_rounds_see_through_what_disturbs_both(compare, n, noise):
    """The machine is up to three times as slow for a while, and both samples of a round share it."""
    generator = numpy.random.default_rng(n)
    pairs = []
    for _ in range(200):
        machine = numpy.exp(numpy.cumsum(0.2 * generator.standard_normal(n)))
        pairs.append([machine * SHAPES["outliers"](generator, n, noise) for _ in range(2)])
    assert numpy.isin(compare(pairs)[:, 12], [LARGER, SMALLER]).sum() <= 10
    assert (compare([(a, 1.03 * b) for a, b in pairs])[:, 12] == LARGER).sum() >= 190
    assert (compare([(1.03 * a, b) for a, b in pairs])[:, 12] == SMALLER).sum() >= 190


def test_a_difference_below_the_margin_is_not_called(compare):
    """Two copies of one run differ by what their places in memory make of them."""
    generator = numpy.random.default_rng(13)
    pairs = [generator.normal(1, 0.002, (2, 400)) * [[1], [factor]] for factor in (1.005, 1.01, 1.02)]
    assert list(compare(pairs)[:, 12]) == [SAME, UNCLEAR, LARGER]


def test_samples_that_resemble_their_neighbours_widen_the_interval(compare):
    generator = numpy.random.default_rng(5)

    def drifting():
        steps = generator.standard_normal(60)
        for i in range(1, 60):
            steps[i] += 0.6 * steps[i - 1]
        return 1 + 0.01 * steps

    verdicts = compare([(drifting(), drifting()) for _ in range(200)])[:, 7]
    assert numpy.isin(verdicts, [LARGER, SMALLER]).sum() <= 10


def test_same_needs_a_narrow_interval_and_few_samples_are_unclear(compare):
    generator = numpy.random.default_rng(7)
    narrow = generator.normal(1, 0.001, 40)
    rows = compare([(narrow, narrow[::-1]), ([1] * 4, [2] * 9), ([1] * 9, [2] * 4), ([1] * 9, [1] * 9)])
    assert list(rows[:, 7]) == [SAME, UNCLEAR, UNCLEAR, SAME]


def test_equal_samples_do_not_resemble_their_neighbours(compare):
    """As a clock has them whose ticks are long."""
    rows = compare([([0.1] * 20, [0.3] * 20), ([1] * 9, [0.7] * 9)])
    assert list(rows[:, 7]) == list(rows[:, 12]) == [LARGER, SMALLER]
