/** Compares two lists of times. */

const sorted = (times) => Float64Array.from(times).sort();
const at = (list, share) => list[Math.min(list.length - 1, Math.floor(list.length * share))];
const median = (times) => at(sorted(times), 0.5);

export function summary(times) {
  const list = sorted(times);
  return {
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    median: at(list, 0.5),
    p95: at(list, 0.95),
  };
}

const SPLITS = 1000;

/** Returns the list in random order. */
export function shuffled(list) {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

/** Returns the difference between the medians of two random halves of a list. */
function halves(times) {
  const mixed = shuffled(times);
  const middle = mixed.length >> 1;
  return Math.abs(median(mixed.slice(0, middle)) - median(mixed.slice(middle)));
}

/**
 * Returns the difference of the medians, and its bound by chance: 99 of 100 random splits of one list differ
 * less. Lists are twice as long as halves, so the bound is divided by the root of two.
 */
export function compare(a, b) {
  const difference = median(b) - median(a);
  const noise =
    Math.max(
      ...[a, b].map((times) => at(sorted(Array.from({ length: SPLITS }, () => halves(times))), 0.99)),
    ) / Math.SQRT2;
  return { difference, noise, alike: Math.abs(difference) <= noise };
}
