// @ts-check
// Puts the page together.

/** Goes to what the address names. @param {Graph} graph @param {View} view */
function follow(graph, view) {
  const [key, ...rest] = location.hash.slice(1).split("=");
  if (!rest.length) return;
  let name = rest.join("=");
  try { name = decodeURIComponent(name); } catch { /* It is taken as it is. */ }
  let node;
  if (key === "node") node = name.startsWith("@") ? Number(name.slice(1)) : graph.byName.get(name);
  else if (key === "value") {
    const value = graph.values.name.indexOf(name);
    const producer = graph.flow.producers[value] ?? -1;
    node = producer >= 0 ? producer : graph.flow.consumers.get(value)?.[0];
  } else if (key === "group" && graph.groups[Number(name)]) {
    reveal();
    return view.showGroup(Number(name));
  }
  if (node === undefined || !(node < graph.count)) return;
  reveal();
  view.show(node);
}

function reveal() {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  byId("graph").scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
}

/** @param {View} view */
function controls(view) {
  /** @param {string} id @param {() => void} act */
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("fit", () => view.fit());
  on("zoom-in", () => view.zoom(Viewer.ZOOM_IN));
  on("zoom-out", () => view.zoom(Viewer.ZOOM_OUT));
  on("more", () => view.level(true));
  on("less", () => view.level(false));
  on("save-svg", () => Layers.save("graph.svg", "image/svg+xml", view.svg()));
  on("save-png", async () => Layers.save("graph.png", "image/png", await view.png()));
  const mode = asType("color", HTMLSelectElement);
  mode.addEventListener("change", () => view.color(mode.value));
}

async function start() {
  /** @type {PageData} */
  const data = await readData();
  const graph = new Model.Graph(data.graph);
  const view = new Viewer.View(graph, data.file);
  new Panel.About(graph, view);
  new Panel.Search(graph, view);
  Panel.crumbs(graph, view);
  Panel.jumps(graph, view);
  controls(view);
  theme(() => view.recolor());
  performance.mark("graph");
  /** @param {number} node */
  const go = (node) => { location.hash = Panel.link(graph, node); };
  if (document.getElementById("layers")) {
    const table = new Layers.Table(graph, data.main);
    new State.State(data, graph, go, () => {
      table.refresh();
      view.lay();
    });
  }
  window.addEventListener("hashchange", () => follow(graph, view));
  follow(graph, view);
}

build(start);
