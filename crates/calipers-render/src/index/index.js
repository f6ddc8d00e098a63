'use strict';
// Sorts the table by the heading that is pressed, and shows the rows that hold what is searched for.
const table = document.getElementById('models');
const body = table.tBodies[0];
const rows = [...body.rows];
const headings = [...table.tHead.rows[0].cells];

function compare(column) {
  return (one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    if (a.dataset.value !== undefined && b.dataset.value !== undefined) return a.dataset.value - b.dataset.value;
    return a.textContent.localeCompare(b.textContent, 'en', { numeric: true });
  };
}

// What is not known, and files that could not be read, come last either way.
const isKnown = (column) => (row) => Boolean(row.cells[column]?.textContent) && !row.querySelector('.error');

function sort(column) {
  const down = headings[column].getAttribute('aria-sort') === 'ascending';
  headings.forEach((heading) => heading.removeAttribute('aria-sort'));
  headings[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const known = rows.filter(isKnown(column)).sort(compare(column));
  const rest = rows.filter((row) => !isKnown(column)(row));
  if (down) known.reverse();
  body.append(...known, ...rest);
}

function search(words) {
  const wanted = words.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
    shown += !row.hidden;
  }
  document.getElementById('shown').textContent = wanted ? `${shown} of ${rows.length}` : '';
}

headings.forEach((heading, column) => heading.firstElementChild.addEventListener('click', () => sort(column)));
document.getElementById('search').addEventListener('input', (event) => search(event.target.value));
