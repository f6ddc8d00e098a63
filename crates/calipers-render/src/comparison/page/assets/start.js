// @ts-check
// Puts the page of a comparison together.

/** @param {Sides} sides */
function buttons(sides) {
  /** @param {string} id @param {(view: View) => void} act */
  const on = (id, act) => byId(id).addEventListener("click", () => sides.each(act));
  on("fit", (view) => view.fit());
  on("zoom-in", (view) => view.zoom(Viewer.ZOOM_IN));
  on("zoom-out", (view) => view.zoom(Viewer.ZOOM_OUT));
  on("more", (view) => view.level(true));
  on("less", (view) => view.level(false));
}

/** Keys that work wherever no text is typed. @param {Record<string, () => void>} keys */
function shortcuts(keys) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), select, textarea");
    const isDone = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
    const act = keys[event.key];
    if (isTyping || isDone || !act) return;
    event.preventDefault();
    act();
  });
}

async function startComparison() {
  /** @type {ComparisonData} */
  const data = await readData();
  const changes = new Changes.ChangeSet(data, data.graphs.map((graph) => new Model.Graph(graph)));
  /** @type {InstanceType<typeof ChangeList.List> | null} */
  let list = null;
  const keys = { n: () => list?.step(1), p: () => list?.step(-1) };
  const sides = new Linked.Sides(changes, keys);
  const about = new Details.About(changes, sides);
  list = new ChangeList.List(changes, sides);
  sides.onSelect = () => {
    about.show();
    const [a, b] = sides.selected;
    const number = b?.kind === "node" ? changes.numbers[1].get(b.id) : a?.kind === "node" ? changes.numbers[0].get(a.id) : undefined;
    if ((number ?? -1) !== list?.at) list?.mark(number ?? -1);
  };
  buttons(sides);
  byId("next").addEventListener("click", () => list?.step(1));
  byId("previous").addEventListener("click", () => list?.step(-1));
  shortcuts({ ...keys, "/": () => byId("find").focus() });
  theme(() => sides.each((view) => view.recolor()));
}

build(startComparison);
