// @ts-check
// Peaks of activation memory at sizes that the reader chooses, found from live ranges as `memory/liveness.rs` and
// `memory/reuse.rs` find them: tests/page holds the two equal.

const Liveness = (() => {
  /**
   * Bytes alive at each node, the most of them with the first node that has it, and the most when places are reused;
   * null where a size is not known or a sum does not fit 64 bits.
   * @param {SizeData} data
   * @param {number} count Nodes of the main graph.
   * @param {Map<string, bigint>} sizes
   */
  function peak(data, count, sizes) {
    const { live_ranges, formulas } = data;
    if (!live_ranges.from.length) return null;
    const values = formulas.map((formula) => Formula.figure(Formula.evaluate(formula, sizes)));
    const bytes = values.filter((value) => value !== null);
    if (bytes.length < values.length) return null;
    const change = new Array(count + 2).fill(0n);
    let alive = 0n;
    live_ranges.formula.forEach((formula, i) => {
      change[live_ranges.from[i]] += bytes[formula];
      change[live_ranges.until[i] + 1] -= bytes[formula];
      // Inputs are there before the first node, even in a graph without nodes.
      if (live_ranges.borrowed[i]) alive += bytes[formula];
    });
    let most = alive;
    /** @type {number | null} */
    let at = null;
    alive = 0n;
    const timeline = [];
    for (let node = 0; node < count; node++) {
      alive += change[node];
      timeline.push(Number(alive));
      if (alive > most || (at === null && alive === most)) [most, at] = [alive, node];
    }
    const known = Formula.figure(most);
    return known === null ? null : { most: known, at, timeline, reused: reused(live_ranges, bytes, count) };
  }

  /**
   * The most bytes alive when views share the place of their input, and results overwrite places that nothing needs
   * any more.
   * @param {LiveRanges} live_ranges
   * @param {bigint[]} bytes By formula.
   * @param {number} count
   */
  function reused(live_ranges, bytes, count) {
    /** @type {number[][]} */
    const ends = Array.from({ length: count + 1 }, () => []);
    /** @type {{ bytes: bigint, until: number, borrowed: boolean }[]} */
    const places = [];
    /** @type {number[]} */
    const placeOf = [];
    let [alive, next] = [0n, 0];
    /** @param {number} life */
    const add = (life) => {
      const [until, size] = [live_ranges.until[life], bytes[live_ranges.formula[life]]];
      placeOf[life] = places.length;
      ends[until].push(places.length);
      places.push({ bytes: size, until, borrowed: live_ranges.borrowed[life] });
      alive += size;
    };
    /** @param {number} life @param {number} now */
    const give = (life, now) => {
      const [until, size, viewOf] = [live_ranges.until[life], bytes[live_ranges.formula[life]], live_ranges.view_of[life]];
      /** @param {number} index */
      const isFree = (index) => places[index].until === now && !places[index].borrowed && places[index].bytes === size;
      const taken = viewOf !== null ? placeOf[viewOf] : live_ranges.may_take[life].map((other) => placeOf[other]).find(isFree);
      if (taken === undefined) return add(life);
      placeOf[life] = taken;
      if (places[taken].until < until) {
        places[taken].until = until;
        ends[until].push(taken);
      }
    };
    while (next < live_ranges.from.length && live_ranges.borrowed[next]) add(next++);
    let most = alive;
    for (let node = 0; node < count; node++) {
      while (next < live_ranges.from.length && live_ranges.from[next] === node) give(next++, node);
      if (alive > most) most = alive;
      for (const index of ends[node]) if (places[index].until === node) alive -= places[index].bytes;
    }
    return most;
  }

  return { peak };
})();
