// @ts-check
// The table of models: sorted by a column, with one model selected.

const List = (() => {
  // The height of a row in pixels, as the style has it.
  const ROW = 30;
  // Widths of columns in rem; that of the names takes what is left.
  const MODEL = 20, TEXTS = 11, FIGURES = 7.5;
  // Numbers of columns that are not among those of the data: the order of the file, and the names.
  const FILE = -2, NAMES = -1;

  class List {
    /** @param {IndexData} data @param {(row: number | null) => void} selected */
    constructor(data, selected) {
      this.data = data;
      this.selected = selected;
      /** @type {number | null} */
      this.row = null;
      this.sorted = { column: FILE, down: false };
      /** The order of the models by each column that was sorted by. @type {Map<number, Order>} */
      this.orders = new Map();
      /** @type {number[]} */
      this.rows = [];
      this.scroll = byId("scroll");
      this.table = asType("models", HTMLTableElement);
      this.heads();
      this.list = new Rows.Rows(this.scroll, this.table, ROW, (row, place) => this.line(row, place));
      this.scroll.addEventListener("keydown", (event) => this.key(event));
      this.table.tBodies[0].addEventListener("click", (event) => this.click(event));
    }

    heads() {
      const head = this.table.tHead?.rows[0];
      const widths = this.data.columns.map((column) => (column.figures ? FIGURES : TEXTS));
      this.table.style.minWidth = `${widths.reduce((sum, width) => sum + width, MODEL)}rem`;
      ["Model", ...this.data.columns.map((column) => column.title)].forEach((title, i) => {
        const cell = document.createElement("th");
        cell.scope = "col";
        if (this.data.columns[i - 1]?.figures) cell.className = "number";
        if (i) cell.style.width = `${widths[i - 1]}rem`;
        const button = document.createElement("button");
        button.type = "button";
        button.className = "quiet";
        button.textContent = title;
        button.addEventListener("click", () => {
          const isSame = this.sorted.column === i - 1;
          this.sort({ column: i - 1, down: isSame && !this.sorted.down });
        });
        cell.append(button);
        head?.append(cell);
      });
    }

    /** Shows these models, sorted. @param {number[]} rows In the order of the file. */
    show(rows) {
      this.rows = this.ordered(rows);
      this.list.show(this.rows);
    }

    /** @param {{ column: number, down: boolean }} sorted */
    sort(sorted) {
      this.sorted = sorted;
      [...(this.table.tHead?.rows[0].cells ?? [])].forEach((cell, i) => {
        if (i - 1 === sorted.column) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
      this.show(this.rows);
    }

    /** @param {number[]} rows */
    ordered(rows) {
      const { column, down } = this.sorted;
      const { order, known } = this.orders.get(column) ?? orderOf(this.data, column);
      this.orders.set(column, { order, known });
      const isShown = new Uint8Array(order.length);
      for (const row of rows) isShown[row] = 1;
      const sorted = [];
      for (let place = 0; place < order.length; place++) {
        // What is not known comes last either way.
        const row = order[down && place < known ? known - 1 - place : place];
        if (isShown[row]) sorted.push(row);
      }
      return sorted;
    }

    /** @param {number} row @param {number} place */
    line(row, place) {
      const { folder, names, errors, columns } = this.data;
      const line = document.createElement("tr");
      line.id = `row-${row}`;
      line.dataset.place = String(place);
      if (row === this.row) line.setAttribute("aria-current", "true");
      const name = document.createElement("th");
      name.scope = "row";
      // Names differ at their ends.
      name.className = "tail";
      const text = document.createElement("bdi");
      text.textContent = names[row];
      name.title = folder + names[row];
      name.append(text);
      line.append(name);
      if (errors[row] !== undefined) {
        const cell = document.createElement("td");
        cell.className = "error";
        cell.colSpan = Math.max(1, columns.length);
        cell.textContent = cell.title = errors[row];
        line.append(cell);
        return line;
      }
      for (const { figures, texts, rows } of columns) {
        const cell = document.createElement("td");
        if (figures) cell.className = "number";
        cell.textContent = cell.title = texts[rows[row]];
        line.append(cell);
      }
      return line;
    }

    /** @param {MouseEvent} event */
    click(event) {
      const line = event.target instanceof Element ? event.target.closest("tr") : null;
      if (line?.dataset.place !== undefined) this.select(this.rows[Number(line.dataset.place)]);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
      if (event.target !== this.scroll) return;
      const at = this.row === null ? -1 : this.rows.indexOf(this.row);
      const last = this.rows.length - 1;
      const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
      /** @type {{ [key: string]: number }} */
      const places = { ArrowDown: at + 1, ArrowUp: at < 0 ? last : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last };
      const place = places[event.key];
      if (event.key === "Escape") this.select(null);
      else if (place !== undefined && last >= 0) this.select(this.rows[Math.min(last, Math.max(0, place))]);
      else return;
      event.preventDefault();
    }

    /** Selects a model, and scrolls to it where it is among those shown. @param {number | null} row */
    select(row) {
      this.row = row;
      const place = row === null ? -1 : this.rows.indexOf(row);
      if (place >= 0) this.list.reveal(place);
      else this.list.draw(true);
      this.selected(row);
    }
  }

  /** @typedef {{ order: number[], known: number }} Order */

  const collator = new Intl.Collator("en", { numeric: true });

  /**
   * The models in the order of a column, and how many of them are known: files that could not be read and empty cells
   * come after those.
   * @param {IndexData} data @param {number} column
   * @returns {Order}
   */
  function orderOf(data, column) {
    const { names, errors } = data;
    const order = names.map((_, row) => row);
    if (column === FILE) return { order, known: order.length };
    const isRead = (/** @type {number} */ row) => errors[row] === undefined;
    /** @type {(row: number) => boolean} */
    let isKnown = isRead;
    /** @type {(a: number, b: number) => number} */
    let compare = (a, b) => collator.compare(names[a], names[b]);
    if (column !== NAMES) {
      const { figures, texts, values, rows } = data.columns[column];
      const ranked = new Float64Array(texts.length);
      if (figures) texts.forEach((_, text) => { ranked[text] = values[text] ?? 0; });
      else {
        const places = texts.map((_, text) => text).sort((a, b) => collator.compare(texts[a], texts[b]));
        places.forEach((text, place) => { ranked[text] = place; });
      }
      isKnown = (row) => isRead(row) && texts[rows[row]] !== "";
      compare = (a, b) => ranked[rows[a]] - ranked[rows[b]];
    }
    const known = order.filter(isKnown).sort((a, b) => compare(a, b) || a - b);
    return { order: [...known, ...order.filter((row) => !isKnown(row))], known: known.length };
  }

  return { List };
})();
