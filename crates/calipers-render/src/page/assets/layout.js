// @ts-check
// Positions of boxes when some groups are expanded. The layout of each group comes with the page; an expanded box pushes
// its neighbors of the same row aside, and the rows below it down.

const Layout = (() => {
  const PADDING = 16, TITLE = 32, BETWEEN_ROWS = 44;

  /** @typedef {{ x: number, top: number, height: number }} Bend Where a line passes a row. */

  /**
   * A group laid out, with the expanded groups inside it.
   * @param {Graph} graph
   * @param {number} number
   * @param {Set<number>} open
   * @returns {GroupLayout}
   */
  function group(graph, number, open) {
    const { items, edges, bands } = graph.groups[number];
    const inner = items.kind.map((kind, i) => (kind === "group" && open.has(items.id[i]) ? group(graph, items.id[i], open) : null));
    const sizes = inner.map((inside, i) => (inside
      ? { width: Math.max(items.width[i], inside.width + 2 * PADDING), height: inside.height + TITLE + PADDING }
      : { width: items.width[i], height: items.height[i] }));
    const shifted = shifts(items, sizes.map((size) => size.width));
    const heights = bands.slice();
    sizes.forEach(({ height }, i) => { heights[items.rank[i]] = Math.max(heights[items.rank[i]], height); });
    /** @type {number[]} */
    const tops = [];
    let y = 0;
    for (const height of heights) { tops.push(y); y += height + BETWEEN_ROWS; }

    const boxes = sizes.map(({ width, height }, i) => {
      const [kind, id, rank] = [items.kind[i], items.id[i], items.rank[i]];
      const x = shifted(rank, items.x[i]) - width / 2;
      return {
        kind, id, rank, x, y: tops[rank] + (heights[rank] - height) / 2, width, height,
        title: graph.text(items.title[i]), note: graph.note(kind, id, items.note[i]), inner: inner[i],
      };
    });
    const bends = edges.bends.map((list) => list.map(([rank, x]) => ({ x: shifted(rank, x), top: tops[rank], height: heights[rank] })));
    let [left, right] = [Infinity, -Infinity];
    for (const box of boxes) [left, right] = [Math.min(left, box.x), Math.max(right, box.x + box.width)];
    for (const bend of bends.flat()) [left, right] = [Math.min(left, bend.x), Math.max(right, bend.x)];
    if (left > right) [left, right] = [0, 0];
    for (const box of boxes) box.x -= left;
    for (const bend of bends.flat()) bend.x -= left;
    const lines = edges.from.map((from, i) => {
      const ends = { from: boxes[from], to: boxes[edges.to[i]] };
      return { ...ends, count: edges.count[i], values: edges.values[i], points: route(ends.from, ends.to, bends[i]) };
    });
    return { number, boxes, lines, width: right - left, height: Math.max(0, y - BETWEEN_ROWS) };
  }

  /**
   * Where a place in a row is when boxes of the row have grown.
   * @param {Items} items
   * @param {number[]} widths
   */
  function shifts(items, widths) {
    /** @type {Map<number, { at: number, half: number }[]>} */
    const grown = new Map();
    widths.forEach((width, i) => {
      const half = (width - items.width[i]) / 2;
      if (half <= 0) return;
      const row = grown.get(items.rank[i]) ?? [];
      row.push({ at: items.x[i], half });
      grown.set(items.rank[i], row);
    });
    return (/** @type {number} */ rank, /** @type {number} */ x) => {
      let by = 0;
      for (const { at, half } of grown.get(rank) ?? []) by += at < x ? half : at > x ? -half : 0;
      return x + by;
    };
  }

  /**
   * The points of a line, from the producer to the consumer.
   * @param {Box} from
   * @param {Box} to
   * @param {Bend[]} bends
   */
  function route(from, to, bends) {
    const up = from.rank > to.rank;
    const [above, below] = up ? [to, from] : [from, to];
    /** @type {Point[]} */
    const points = [[above.x + above.width / 2, above.y + above.height]];
    for (const { x, top, height } of bends) points.push([x, top], [x, top + height]);
    points.push([below.x + below.width / 2, below.y]);
    return up ? points.reverse() : points;
  }

  /**
   * Where what is inside an open box begins.
   * @param {Box} box
   * @param {GroupLayout} inner
   * @returns {Point}
   */
  const inside = (box, inner) => [box.x + (box.width - inner.width) / 2, box.y + TITLE];

  return { group, inside };
})();
