// Where boxes are when some rooms are open. The layout of each room comes with the page; a box that
// is opened pushes its neighbours of the same row aside, and the rows below it down.

const Layout = (() => {
  const PADDING = 16, TITLE = 32, BETWEEN_ROWS = 40, EDGE = 20;

  // A room laid out, with the rooms inside it that are open.
  function room(graph, number, open) {
    const data = graph.rooms[number];
    const inner = data.items.map(([kind, id]) =>
      kind === Model.ROOM && open.has(id) ? room(graph, id, open) : null);
    const sizes = data.items.map((item, i) => inner[i]
      ? [Math.max(item[4], inner[i].width + 2 * PADDING), inner[i].height + TITLE + PADDING]
      : [item[4], item[5]]);
    const grown = new Map();
    data.items.forEach((item, i) => {
      const more = sizes[i][0] - item[4];
      if (more <= 0) return;
      if (!grown.has(item[2])) grown.set(item[2], []);
      grown.get(item[2]).push([item[3], more / 2]);
    });
    const shifted = (rank, x) => {
      let by = 0;
      for (const [at, half] of grown.get(rank) ?? []) by += at < x ? half : at > x ? -half : 0;
      return x + by;
    };
    const heights = data.bands.slice();
    data.items.forEach((item, i) => { heights[item[2]] = Math.max(heights[item[2]], sizes[i][1]); });
    const tops = [];
    let y = 0;
    for (const height of heights) { tops.push(y); y += height + BETWEEN_ROWS; }

    let [left, right] = [Infinity, -Infinity];
    const boxes = data.items.map((item, i) => {
      const [width, height] = sizes[i];
      const x = shifted(item[2], item[3]) - width / 2;
      left = Math.min(left, x);
      right = Math.max(right, x + width);
      return {
        kind: item[0], id: item[1], rank: item[2], x, y: tops[item[2]] + (heights[item[2]] - height) / 2,
        width, height, title: graph.text(item[6]), note: graph.text(item[7]), inner: inner[i],
      };
    });
    const lines = data.edges.map(([from, to, count, values, bends]) => {
      const points = bends.map(([rank, x]) => {
        const at = shifted(rank, x);
        left = Math.min(left, at);
        right = Math.max(right, at);
        return [at, tops[rank], heights[rank]];
      });
      return { from: boxes[from], to: boxes[to], count, values, bends: points };
    });
    if (left > right) [left, right] = [0, 0];
    for (const box of boxes) box.x -= left;
    for (const line of lines) {
      for (const bend of line.bends) bend[0] -= left;
      line.points = route(line);
    }
    return { number, boxes, lines, width: right - left, height: Math.max(0, y - BETWEEN_ROWS) };
  }

  // The points of a line, from the box that gives to the one that reads.
  function route({ from, to, bends }) {
    const up = from.rank > to.rank;
    const [above, below] = up ? [to, from] : [from, to];
    const points = [[above.x + above.width / 2, above.y + above.height]];
    for (const [x, top, height] of bends) points.push([x, top], [x, top + height]);
    points.push([below.x + below.width / 2, below.y]);
    return up ? points.reverse() : points;
  }

  // Where what is inside an open box begins.
  const inside = (box) => [box.x + (box.width - box.inner.width) / 2, box.y + TITLE];

  return { room, inside, TITLE, EDGE };
})();
