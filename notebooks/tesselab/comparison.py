"""Comparisons of samples: medians, their ratio with its interval, and verdicts, as `tess compare`.

The same estimators as experiments/statistics.c, down to the sequence of random numbers, so that a
notebook and the command line say the same of the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    p: float  # that neither tends to be larger (Mann-Whitney)
    verdict: str  # "faster", "slower", "same" or "unclear"


def compare(base: np.ndarray, other: np.ndarray, margin: float = DEFAULT_MARGIN) -> Comparison:
    """Compares samples of time, in the order in which they were taken. Deterministic.

    The interval is the percentile bootstrap of the ratio of medians, widened where neighbouring
    samples resemble each other. "faster" and "slower" need an interval that excludes 1 and a
    Mann-Whitney test with p < 0.01, "same" an interval wholly within 1 +- margin."""
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


def _verdict(low: float, high: float, p: float, margin: float) -> str:
    if low > 1 - margin and high < 1 + margin:
        return "same"
    if p < CERTAIN and low > 1:
        return "slower"
    if p < CERTAIN and high < 1:
        return "faster"
    return "unclear"


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
    sqrt((1 + r) / (1 - r)) with r the lag-1 autocorrelation, 1 unless r is significant."""
    away = samples - samples.mean()
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
