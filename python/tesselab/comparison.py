"""Comparisons of samples: medians, their ratio with its interval, and verdicts, as `tess compare`.

The same estimators as core/base/statistics.c, down to the sequence of random numbers, so that a
notebook and the command line say the same of the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

RESAMPLES = 4000
FEWEST_SAMPLES = 5
CERTAIN = 0.01  # p below this
DEFAULT_MARGIN = 0.01  # of "same"
DRAWS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class Comparison:
    """Two sets of samples, smaller being better."""

    median_base: float
    median_other: float
    ratio: float  # median_other / median_base
    low: float  # its 95 % interval, infinite for less than five samples
    high: float
    p: float  # that neither tends to be larger
    verdict: str  # "faster", "slower", "same" or "unclear"


def compare(base: np.ndarray, other: np.ndarray, margin: float = DEFAULT_MARGIN) -> Comparison:
    """Compares samples of time, one set taken after the other, each in the order in which they were
    taken. Deterministic.

    The interval is the percentile bootstrap of the ratio of medians, widened where neighbouring
    samples resemble each other; the test is Mann and Whitney's. "faster" and "slower" need an
    interval wholly outside 1 +- margin and p < 0.01, "same" one wholly within."""
    base, other = np.asarray(base, dtype=float), np.asarray(other, dtype=float)
    medians = float(np.median(base)), float(np.median(other))
    ratio, low, high, p = medians[1] / medians[0], 0.0, math.inf, 1.0
    if min(len(base), len(other)) >= FEWEST_SAMPLES:
        factor = max(autocorrelation_factor(base), autocorrelation_factor(other))
        ratios = _bootstrap(np.sort(base), np.sort(other))
        low, high = (ratio * (bound / ratio) ** factor
                     for bound in np.quantile(ratios, [0.025, 0.975]).tolist())
        p = min(1.0, math.erfc(_mann_whitney_z(base, other) / factor / math.sqrt(2)))
    return Comparison(*medians, ratio, low, high, p, _verdict(low, high, p, margin))


def compare_rounds(base: np.ndarray, other: np.ndarray,
                   margin: float = DEFAULT_MARGIN) -> Comparison:
    """Compares samples that were taken in turns, base[i] and other[i] in one round, by the ratios
    of the rounds: their median, its binomial interval, and the sign test. Where neighbouring rounds resemble each other
    both are wider, and 20 times the p of Student's t counts where it is less."""
    base, other = np.asarray(base, dtype=float), np.asarray(other, dtype=float)
    logarithms = np.log(other / base)
    centre, factor = float(np.median(logarithms)), autocorrelation_factor(logarithms)
    low, high = (math.exp(centre + (float(bound) - centre) * factor)
                 for bound in median_interval(logarithms))
    p = _sign_test(logarithms, factor)
    return Comparison(float(np.median(base)), float(np.median(other)), math.exp(centre), low, high,
                      p, _verdict(low, high, p, margin))


def widen(found: Comparison, spread: float, df: int, sessions: tuple[int, int],
          margin: float = DEFAULT_MARGIN) -> Comparison:
    """The comparison with an interval as wide as so many sessions of each ask for, whose logarithms
    differ by `spread` (a standard deviation), found with df degrees of freedom (0: known)."""
    error = spread * math.sqrt(1 / sessions[0] + 1 / sessions[1])
    reach = math.exp(min(student_t95(df) * error, 700.0))  # beyond that no float has it
    low, high = min(found.low, found.ratio / reach), max(found.high, found.ratio * reach)
    p = max(found.p, student_p(math.log(found.ratio) / error, df)) if error > 0 else found.p
    return replace(found, low=low, high=high, p=p, verdict=_verdict(low, high, p, margin))


def _verdict(low: float, high: float, p: float, margin: float) -> str:
    if low > 1 - margin and high < 1 + margin:
        return "same"
    if p < CERTAIN and low > 1 + margin:
        return "slower"
    if p < CERTAIN and high < 1 - margin:
        return "faster"
    return "unclear"


def _sign_test(differences: np.ndarray, factor: float) -> float:
    """Two-sided p that as many lie above as below 0; by the normal approximation, or Student's t, where neighbours
    resemble each other."""
    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    n, rarer = above + below, min(above, below)
    if factor == 1:
        return min(1.0, 2 * sum(math.comb(n, k) for k in range(rarer + 1)) / 2**n)
    by_signs = math.erfc((n / 2 - rarer - 0.5) / math.sqrt(n / 4) / factor / math.sqrt(2))
    counted = len(differences) / factor**2
    t = float(differences.mean()) / math.sqrt(float(differences.var(ddof=1)) / counted)
    return min(1.0, by_signs, 20 * student_p(t, max(1, int(counted) - 1)))


def student_p(t: float, df: int) -> float:
    """Two-sided p-value of Student's t, of the normal distribution where df is 0 (Abramowitz and
    Stegun, 26.7.3 and 26.7.4)."""
    if df == 0:
        return math.erfc(abs(t) / math.sqrt(2))
    angle, odd = math.atan(abs(t) / math.sqrt(df)), df % 2
    cosine = math.cos(angle)
    term = cosine if odd else 1.0
    total = 0.0 if df == 1 else term
    for i in range(3 if odd else 2, df - 1, 2):
        term *= cosine * cosine * (i - 1) / i
        total += term
    within = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return max(0.0, 1 - within)


def student_t95(df: int) -> float:
    """The t that has the p-value 0.05."""
    low, high = 0.0, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, df) > 0.05 else (low, middle)
    return low


def median_interval(samples: np.ndarray) -> tuple[float, float]:
    """An interval that holds the median with at least 95 % probability, whatever the distribution:
    two of the sorted samples, by the binomial distribution. Infinite below six samples."""
    ordered = np.sort(np.asarray(samples, dtype=float))
    n = len(ordered)
    log_term, below, k = -n * math.log(2), 0.0, -1
    while k + 1 < n // 2 and below + math.exp(log_term) <= 0.025:
        k += 1
        below += math.exp(log_term)
        log_term += math.log(n - k) - math.log(k + 1)
    return (ordered[k], ordered[n - 1 - k]) if k >= 0 else (-math.inf, math.inf)


def autocorrelation_factor(samples: np.ndarray) -> float:
    """How much wider an interval must be because neighbouring samples resemble each other:
    sqrt((1 + r) / (1 - r)) with r the lag-1 autocorrelation, 1 unless r is significant. Counted from the first sample, so
    that equal ones differ by 0 from their mean."""
    away = samples - samples[:1]
    away -= away.mean()
    variance = float(away @ away)
    r = min(float(away[1:] @ away[:-1]) / variance, 0.9) if variance > 0 else 0.0
    significant = len(samples) > 1 and r > 2 / math.sqrt(len(samples))
    return math.sqrt((1 + r) / (1 - r)) if significant else 1.0


def _mann_whitney_z(a: np.ndarray, b: np.ndarray) -> float:
    """|z| of Mann and Whitney's U, corrected for ties and continuity."""
    n, m = len(a), len(b)
    values = np.concatenate([a, b])
    u = pd.Series(values).rank().to_numpy()[:n].sum() - n * (n + 1) / 2
    tied = np.unique(values, return_counts=True)[1].astype(float)
    total = n + m
    ties = (tied**3 - tied).sum() / (total * (total - 1))
    variance = n * m / 12 * (total + 1 - ties)
    return (abs(u - n * m / 2) - 0.5) / math.sqrt(variance) if variance > 0 else 0.0


def _bootstrap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Ratios of medians of resampled sets; each resample draws all of a, then all of b."""
    n, m = len(a), len(b)
    ratios = np.empty(RESAMPLES)
    rows = max(1, DRAWS_AT_ONCE // (n + m))
    for first in range(0, RESAMPLES, rows):
        last = min(first + rows, RESAMPLES)
        draws = _random(first * (n + m), last * (n + m)).reshape(last - first, n + m)
        of_a = a[(draws[:, :n] * np.uint64(n)) >> np.uint64(32)]
        of_b = b[(draws[:, n:] * np.uint64(m)) >> np.uint64(32)]
        ratios[first:last] = np.median(of_b, axis=1) / np.median(of_a, axis=1)
    return ratios


def _random(first: int, last: int) -> np.ndarray:
    """Numbers `first` to `last` of SplitMix64 (Steele, Lea, Flood 2014) from state 1, 32 bits."""
    state = np.arange(first + 1, last + 1, dtype=np.uint64)
    z = np.uint64(1) + state * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(32)
