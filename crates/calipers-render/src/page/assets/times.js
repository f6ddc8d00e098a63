// @ts-check
// Memory and times of a run from the table in the page: at the sizes of the table as the program estimates them,
// between two sizes by interpolation.

const Times = (() => {
  /** @typedef {{ precision: number, batch: number, length: number | null }} Choice */
  /** @typedef {{ at: number, next: number, share: number }} Span Two neighbors in a list, and where between them. */

  /**
   * The neighbors of a size in an ascending list; null outside of it.
   * @param {number[]} list
   * @param {number} wanted
   * @returns {Span | null}
   */
  function between(list, wanted) {
    const next = list.findIndex((size) => size >= wanted);
    if (next < 0) return null;
    if (list[next] === wanted) return { at: next, next, share: 0 };
    return next ? { at: next - 1, next, share: (wanted - list[next - 1]) / (list[next] - list[next - 1]) } : null;
  }

  /**
   * The runs around a choice with their weights; null outside of the table.
   * @param {TimeData} times
   * @param {Choice} choice
   */
  function corners(times, { precision, batch, length }) {
    const { batches, lengths } = times;
    const along = between(batches, batch);
    const across = !lengths.length || length === null ? { at: 0, next: 0, share: 0 } : between(lengths, length);
    if (!along || !across) return null;
    const start = precision * Math.max(1, lengths.length);
    /** @type {[run: number, weight: number][]} */
    const found = [];
    for (const [row, high] of [[across.at, 1 - across.share], [across.next, across.share]]) {
      for (const [column, wide] of [[along.at, 1 - along.share], [along.next, along.share]]) {
        const weight = high * wide;
        if (weight > 0) found.push([(start + row) * batches.length + column, weight]);
      }
    }
    return found;
  }

  /** A mean; null where a part is unknown. @param {(number | null)[]} values @param {[number, number][]} parts */
  function mean(values, parts) {
    let sum = 0;
    for (const [i, [, weight]] of parts.entries()) {
      const value = values[i];
      if (value === null) return null;
      sum += value * weight;
    }
    return sum;
  }

  /** @param {Known} value */
  const number = (value) => (value === null ? null : Number(value));

  /** Why a choice is outside of the table. @param {TimeData} times @param {Choice} choice */
  function outside({ batches, lengths }, { batch, length }) {
    const last = batches[batches.length - 1];
    if (batch > last) return `estimated up to batch ${Units.integer(last)}`;
    if (!between(batches, batch)) return `estimated from batch ${Units.integer(batches[0])}`;
    if (length !== null && lengths.length && length > lengths[lengths.length - 1]) {
      return `estimated up to ${Units.integer(lengths[lengths.length - 1])} tokens`;
    }
    return `estimated from ${Units.integer(lengths[0] ?? 1)} tokens`;
  }

  /**
   * One run on a device.
   * @param {TimeData} times
   * @param {DeviceData} device
   * @param {Choice} choice
   * @returns {Run}
   */
  function run(times, device, choice) {
    const parts = corners(times, choice);
    const { runs } = device;
    if (!parts) {
      return { time: null, rate: null, memory: null, fits: "-", bottleneck: "", reason: outside(times, choice) };
    }
    const list = times.memory[runs.memory];
    const memory = mean(parts.map(([at]) => number(list[at])), parts);
    const letters = new Set(parts.map(([at]) => runs.fits[at]));
    let fits = letters.size === 1 ? [...letters][0] : "-";
    if (letters.size > 1 && memory !== null && device.memory !== null) fits = memory <= Number(device.memory) ? "y" : "n";
    /** Times grow by powers of sizes, so their logarithms are interpolated. @param {(number | null)[]} column */
    const time = (column) => {
      if (parts.length === 1) return column[parts[0][0]];
      const logarithm = mean(parts.map(([at]) => (column[at] === null ? null : Math.log(column[at]))), parts);
      return logarithm === null ? null : Math.exp(logarithm);
    };
    const [low, expected, high] = [time(runs.low), time(runs.expected), time(runs.high)];
    const nearest = parts.reduce((best, part) => (part[1] > best[1] ? part : best))[0];
    const why = runs.reason?.[nearest];
    const known = low !== null && expected !== null && high !== null && fits !== "n";
    return {
      time: known ? [low, expected, high] : null,
      rate: known && expected > 0 ? choice.batch / expected * 1000 : null,
      memory: memory === null ? null : Math.round(memory), fits,
      bottleneck: known ? times.bottlenecks[runs.bottleneck[nearest]] ?? "" : "",
      reason: known ? "" : why !== undefined && why !== null ? times.reasons[why] : fits === "n" ? "does not fit" : "unknown",
    };
  }

  /**
   * What a run needs on every device: weights, activations and cache, in bytes.
   * @param {TimeData} times
   * @param {Choice} choice
   */
  function need(times, choice) {
    const parts = corners(times, choice);
    /** @param {Known[]} list */
    const bytes = (list) => {
      const value = parts && list.length ? mean(parts.map(([at]) => number(list[at])), parts) : null;
      return value === null ? null : Math.round(value);
    };
    return { weights: bytes(times.weights), activations: bytes(times.activations), cache: bytes(times.cache) };
  }

  return { run, need };
})();
