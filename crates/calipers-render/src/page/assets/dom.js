// @ts-check
// Elements of the page by their identifiers, building the page, the clipboard.

/**
 * The element, which the page's markup has.
 * @param {string} id
 * @returns {HTMLElement}
 */
const byId = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
};

/**
 * The element as one of a class.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
const asType = (id, type) => {
  const found = byId(id);
  if (!(found instanceof type)) throw new Error(`#${id} is not a ${type.name}`);
  return found;
};

/** Copies a text, also where the browser has no clipboard for the page. @param {string} text @param {() => void} done */
function copyText(text, done) {
  const copyOld = () => {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    document.body.append(area);
    area.select();
    if (document.execCommand("copy")) done();
    area.remove();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, copyOld);
  else copyOld();
}

/** Puts the page together, and shows why where that fails. @param {() => Promise<void>} start */
function build(start) {
  const { dataset } = document.documentElement;
  start().then(() => {
    dataset.ready = "yes";
    performance.mark("ready");
  }).catch((error) => {
    dataset.ready = "no";
    const note = document.createElement("p");
    note.className = "pill error";
    note.textContent = `The page could not be built: ${error.message}`;
    byId("main").prepend(note);
  });
}
