// The memory's timeline, and figures under the pointer.

const Charts = (() => {
  const WIDTH = 960, HEIGHT = 180;
  const SVG = "http://www.w3.org/2000/svg";

  const shape = (name, attributes, words) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (words !== undefined) made.textContent = words;
    return made;
  };

  // Bytes alive at each node; of many nodes, the most in each step of the picture.
  function timeline(graph, bytes, go) {
    const figure = document.getElementById("timeline");
    figure.querySelector("svg")?.remove();
    figure.querySelector(".reading")?.remove();
    if (!bytes.length) {
      figure.hidden = true;
      return;
    }
    figure.hidden = false;
    const steps = Math.min(bytes.length, WIDTH);
    const most = bytes.reduce((a, b) => Math.max(a, b), 1);
    const tops = [];
    for (let step = 0; step < steps; step++) {
      const [from, to] = [Math.floor(step * bytes.length / steps), Math.max(Math.floor((step + 1) * bytes.length / steps), Math.floor(step * bytes.length / steps) + 1)];
      let best = from;
      for (let i = from; i < to; i++) if (bytes[i] > bytes[best]) best = i;
      tops.push(best);
    }
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `Bytes alive over ${bytes.length} nodes, at most ${Units.bytes(Math.round(most))}` });
    const y = (value) => HEIGHT - value / most * (HEIGHT - 8);
    const each = WIDTH / steps;
    let path = `M0 ${HEIGHT}`;
    tops.forEach((node, step) => { path += `L${(step * each).toFixed(1)} ${y(bytes[node]).toFixed(1)}H${((step + 1) * each).toFixed(1)}`; });
    svg.append(shape("path", { class: "area", d: `${path}V${HEIGHT}Z` }));
    const mark = shape("rect", { class: "mark", y: 0, height: HEIGHT, width: Math.max(2, each), visibility: "hidden" });
    svg.append(mark);
    const reading = Panel.element("p", `peak ${Units.bytes(Math.round(most))}`, "note reading");
    const near = (event) => {
      const area = svg.getBoundingClientRect();
      return Math.min(steps - 1, Math.max(0, Math.floor((event.clientX - area.left) / area.width * steps)));
    };
    svg.addEventListener("pointermove", (event) => {
      const step = near(event);
      const node = tops[step];
      mark.setAttribute("x", step * each);
      mark.setAttribute("visibility", "visible");
      reading.textContent = `${Units.bytes(bytes[node])} at node ${Units.integer(node + 1)}: ${graph.op(node)} ${graph.nodes.name[node]}`;
    });
    svg.addEventListener("pointerleave", () => {
      mark.setAttribute("visibility", "hidden");
      reading.textContent = `peak ${Units.bytes(Math.round(most))}`;
    });
    svg.addEventListener("click", (event) => go(tops[near(event)]));
    figure.append(svg, reading);
  }

  return { timeline };
})();
