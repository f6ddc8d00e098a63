// @ts-check
// Puts the page together.

async function start() {
  /** @type {IndexData} */
  const data = await readData();
  const filter = new Filter.Filter(data);
  const [field, shown, clear] = [asType("search", HTMLInputElement), byId("shown"), byId("clear")];
  const details = new Details.Details(data, {
    select: (row) => list.select(row),
    group: (kind, group) => { filter.clear(); filter.group = { kind, group }; changed(); },
    close: () => { list.select(null); byId("scroll").focus(); },
  });
  const list = new List.List(data, (row) => details.show(row));
  const facets = new Facets.Facets(filter, () => changed());

  function draw() {
    filter.apply();
    const [some, all] = [filter.rows.length, filter.count];
    shown.textContent = some === all ? Units.counted(all, "model", "models") : `${Units.integer(some)} of ${Units.integer(all)} models`;
    clear.hidden = !filter.isActive;
    if (field.value !== filter.words) field.value = filter.words;
    chips();
    list.show(filter.rows);
    facets.draw();
  }

  function changed() {
    draw();
    const address = filter.address().toString();
    history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
  }

  /** What hides models and is not in sight otherwise. */
  function chips() {
    const { group } = filter;
    if (!group) return byId("chosen").replaceChildren();
    const chip = document.createElement("button");
    chip.type = "button";
    chip.textContent = `${data.groups[group.kind].title} ✕`;
    chip.title = "Show other models too";
    chip.addEventListener("click", () => { filter.group = null; changed(); field.focus(); });
    byId("chosen").replaceChildren(chip);
  }

  field.addEventListener("input", () => { filter.words = field.value; changed(); });
  clear.addEventListener("click", () => { filter.clear(); changed(); field.focus(); });
  byId("copy").addEventListener("click", () => {
    const text = list.rows.map((row) => `${data.folder}${data.names[row]}\n`).join("");
    copyText(text, () => { shown.textContent = `${Units.counted(list.rows.length, "path", "paths")} copied`; });
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  window.addEventListener("hashchange", () => { filter.follow(new URLSearchParams(location.hash.slice(1))); draw(); });
  theme(() => {});
  filter.follow(new URLSearchParams(location.hash.slice(1)));
  // On a phone the models come before the filters.
  if (matchMedia("(max-width: 50rem)").matches) byId("filters").querySelector("details")?.removeAttribute("open");
  draw();
}

build(start);
