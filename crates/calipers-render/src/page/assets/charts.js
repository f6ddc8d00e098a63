// @ts-check
// The memory's timeline, and figures under the pointer.

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
   * Bytes alive at each node.
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
      "aria-label": `Bytes alive over ${bytes.length} nodes, at most ${peak}`,
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
    const reading = Panel.element("p", `peak ${peak}`, "note reading");
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
      reading.textContent = `${Units.bytes(bytes[node])} at node ${Units.integer(node + 1)}: ${graph.op(node)} ${graph.nodes.name[node]}`;
    });
    svg.addEventListener("pointerleave", () => {
      mark.setAttribute("visibility", "hidden");
      reading.textContent = `peak ${peak}`;
    });
    svg.addEventListener("click", (event) => go(tops[near(event)]));
    figure.append(svg, reading);
  }

  return { timeline };
})();
