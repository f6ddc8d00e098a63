// @ts-check
'use strict';
// Sorts the table by the heading that is pressed, and shows the rows that hold what is searched for.
const table = /** @type {HTMLTableElement} */ (document.getElementById('models'));
const field = /** @type {HTMLInputElement} */ (document.getElementById('search'));
const note = /** @type {HTMLElement} */ (document.getElementById('shown'));
const body = table.tBodies[0];
const rows = [...body.rows];
const headings = [...(table.tHead?.rows[0].cells ?? [])];

/** @param {number} column */
function compare(column) {
  return (/** @type {HTMLTableRowElement} */ one, /** @type {HTMLTableRowElement} */ other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    if (a.dataset.value !== undefined && b.dataset.value !== undefined) return Number(a.dataset.value) - Number(b.dataset.value);
    return (a.textContent ?? '').localeCompare(b.textContent ?? '', 'en', { numeric: true });
  };
}

/**
 * What is not known, and files that could not be read, come last either way.
 * @param {number} column
 * @returns {(row: HTMLTableRowElement) => boolean}
 */
const isKnown = (column) => (row) => Boolean(row.cells[column]?.textContent) && !row.querySelector('.error');

/** @param {number} column */
function sort(column) {
  const down = headings[column].getAttribute('aria-sort') === 'ascending';
  headings.forEach((heading) => heading.removeAttribute('aria-sort'));
  headings[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const known = rows.filter(isKnown(column)).sort(compare(column));
  const rest = rows.filter((row) => !isKnown(column)(row));
  if (down) known.reverse();
  body.append(...known, ...rest);
}

/** @param {string} words */
function search(words) {
  const wanted = words.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    row.hidden = !(row.textContent ?? '').toLowerCase().includes(wanted);
    if (!row.hidden) shown++;
  }
  note.textContent = wanted ? `${shown} of ${rows.length}` : '';
}

headings.forEach((heading, column) => heading.firstElementChild?.addEventListener('click', () => sort(column)));
field.addEventListener('input', () => search(field.value));
