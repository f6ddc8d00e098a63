// @ts-check
// Elements of the page by their identifiers.

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
