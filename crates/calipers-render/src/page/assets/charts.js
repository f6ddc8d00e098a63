// @ts-check
// The timeline of memory, and bars of cost.

const Charts = (() => {
  const WIDTH = 960, HEIGHT = 180;
  const SVG = "http://www.w3.org/2000/svg";

  /** @param {string} name @param {Record<string, string | number>} attributes */
  const shape = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };

  /**
   * For each step of the chart, the node with the most bytes.
   * @param {number[]} bytes
   */
  function peaks(bytes) {
    const steps = Math.min(bytes.length, WIDTH);
    const tops = [];
    for (let step = 0; step < steps; step++) {
      const from = Math.floor(step * bytes.length / steps);
      const to = Math.max(Math.floor((step + 1) * bytes.length / steps), from + 1);
      let best = from;
      for (let i = from; i < to; i++) if (bytes[i] > bytes[best]) best = i;
      tops.push(best);
    }
    return tops;
  }

  /**
   * Live bytes at each node.
   * @param {Graph} graph
   * @param {number[]} bytes
   * @param {(node: number) => void} go
   */
  function timeline(graph, bytes, go) {
    const figure = byId("timeline");
    figure.querySelector("svg")?.remove();
    figure.querySelector(".reading")?.remove();
    if (!bytes.length) {
      figure.hidden = true;
      return;
    }
    figure.hidden = false;
    const most = bytes.reduce((a, b) => Math.max(a, b), 1);
    const tops = peaks(bytes);
    const peak = Units.bytes(Math.round(most));
    const svg = shape("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Live bytes over ${bytes.length} nodes, peak ${peak}`,
    });
    /** @param {number} value */
    const y = (value) => HEIGHT - value / most * (HEIGHT - 8);
    const each = WIDTH / tops.length;
    let path = `M0 ${HEIGHT}`;
    tops.forEach((node, step) => {
      const [left, top, right] = [step * each, y(bytes[node]), (step + 1) * each].map((place) => place.toFixed(1));
      path += `L${left} ${top}H${right}`;
    });
    svg.append(shape("path", { class: "area", d: `${path}V${HEIGHT}Z` }));
    const mark = shape("rect", { class: "mark", y: 0, height: HEIGHT, width: Math.max(2, each), visibility: "hidden" });
    svg.append(mark);
    const reading = Panel.element("p", `Peak ${peak}`, "note reading");
    /** The step under the pointer. @param {MouseEvent} event */
    const near = (event) => {
      const area = svg.getBoundingClientRect();
      return Math.min(tops.length - 1, Math.max(0, Math.floor((event.clientX - area.left) / area.width * tops.length)));
    };
    svg.addEventListener("pointermove", (event) => {
      const step = near(event);
      const node = tops[step];
      mark.setAttribute("x", String(step * each));
      mark.setAttribute("visibility", "visible");
      reading.textContent = `${Units.bytes(Math.round(bytes[node]))} at node ${Units.integer(node + 1)}: ${graph.op(node)} ${graph.nodes.name[node]}`;
    });
    svg.addEventListener("pointerleave", () => {
      mark.setAttribute("visibility", "hidden");
      reading.textContent = `Peak ${peak}`;
    });
    svg.addEventListener("click", (event) => go(tops[near(event)]));
    figure.append(svg, reading);
  }

  // Bars of a chart, and nodes that it is chosen from.
  const BARS = 12, PARTS = 40;

  /** @typedef {{ name: string, link: string, value: number, text: string }} Bar */

  /**
   * A bar chart; hidden where there is nothing to compare.
   * @param {string} id
   * @param {Bar[]} rows
   */
  function bars(id, rows) {
    const figure = document.getElementById(id);
    if (!figure) return;
    figure.hidden = !rows.length;
    for (const row of figure.querySelectorAll(".row")) row.remove();
    const most = rows.reduce((sum, row) => Math.max(sum, row.value), 0) || 1;
    for (const { name, link, value, text } of rows) {
      const row = Panel.element("div", undefined, "row");
      const title = Panel.element("a", name, "name");
      title.href = link;
      const bar = shape("svg", { class: "bar-svg", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
      bar.append(shape("rect", { width: (value / most * 100).toFixed(2), height: 10 }));
      row.append(title, bar, Panel.element("span", text, "value"));
      figure.append(row);
    }
  }

  /** A name without the numbers that distinguish repeats. @param {string} name */
  const pattern = (name) => name.replace(/\d+/g, "*");

  /** The name of several nodes: what they share, with `*` where they differ. @param {string[]} names */
  function shared(names) {
    const parts = names.map((name) => name.split(/(\d+)/));
    return parts[0].map((part, i) => (parts.every((other) => other[i] === part) ? part : "*")).join("");
  }

  /** The parts and the nodes with most MACs; nodes that are alike are one bar. @param {Graph} graph */
  function cost(graph) {
    const { nodes, groups } = graph;
    /** @param {number} value */
    const macs = (value) => Units.operations(Math.round(value), "MACs");
    const { items } = groups[0];
    /** @type {Bar[]} */
    const parts = [];
    items.kind.forEach((kind, i) => {
      const value = kind === "group" ? Number(groups[items.id[i]].macs ?? 0) : 0;
      if (value > 0) parts.push({ name: groups[items.id[i]].name, link: `#group=${items.id[i]}`, value, text: macs(value) });
    });
    bars("cost-parts", parts.length > 1 ? parts.slice(0, PARTS) : []);
    /** @type {Map<string, number[]>} */
    const alike = new Map();
    for (let i = 0; i < graph.count; i++) {
      if (!Number(nodes.macs[i] ?? 0)) continue;
      const key = `${graph.op(i)} ${nodes.macs[i]} ${pattern(nodes.name[i])}`;
      const list = alike.get(key);
      if (list) list.push(i);
      else alike.set(key, [i]);
    }
    const sets = [...alike.values()].map((list) => ({ list, each: Number(nodes.macs[list[0]]) }))
      .sort((a, b) => b.each * b.list.length - a.each * a.list.length || a.list[0] - b.list[0]);
    const total = sets.reduce((sum, { list, each }) => sum + each * list.length, 0);
    bars("cost-nodes", sets.slice(0, BARS).map(({ list, each }) => {
      const [first, count] = [list[0], list.length];
      const percent = total ? each * count / total * 100 : 0;
      return {
        name: count > 1 ? `${count} × ${shared(list.map((node) => nodes.name[node]))}` : nodes.name[first],
        link: Panel.link(graph, first), value: each * count,
        text: `${count > 1 ? `${count} × ` : ""}${macs(each)} · ${Units.percent(percent)}`,
      };
    }));
  }

  return { timeline, cost };
})();
