// @ts-check
// The table of layers: only the rows in sight are in the page, however many there are.

const Layers = (() => {
  // The height of a row in pixels.
  const ROW = 28;
  // Names that a filter lists.
  const CHOICES = 500;

  /** @typedef {number | string | null} Cell */
  /** @typedef {{ name: string, value: (row: number) => Cell, write?: (value: any) => string, figure?: boolean, link?: boolean }} Column */

  class Table {
    /** @param {Graph} graph @param {number} count Nodes of the main graph. */
    constructor(graph, count) {
      this.graph = graph;
      this.count = count;
      const { nodes } = graph;
      /** @type {Column[]} */
      this.columns = [
        { name: "#", value: (row) => row, write: (value) => Units.integer(value + 1) },
        { name: "Node", value: (row) => nodes.name[row], link: true },
        { name: "Operator", value: (row) => graph.op(row) },
        { name: "Block", value: (row) => this.block(row) },
        { name: "Output", value: (row) => this.output(row) },
        { name: "Parameters", value: (row) => nodes.parameters[row], write: Units.integer, figure: true },
        { name: "MACs", value: (row) => nodes.macs[row], write: Units.magnitude, figure: true },
        { name: "Share", value: (row) => nodes.percent[row], write: Units.percent, figure: true },
        { name: "Bytes moved", value: (row) => nodes.bytes[row], write: Units.bytes, figure: true },
      ];
      /** @type {Map<number, string>} */
      this.blocks = new Map();
      /** @type {number[]} */
      this.rows = [];
      this.sorted = { column: 0, down: false };
      this.scroll = byId("layer-scroll");
      this.scroll.classList.toggle("few", count <= Rows.AROUND);
      this.table = asType("layer-table", HTMLTableElement);
      this.list = new Rows.Rows(this.scroll, this.table, ROW, (row) => this.row(row));
      this.shown = byId("layer-count");
      this.heads();
      this.op = this.choices("layer-op", (row) => graph.op(row));
      this.part = this.choices("layer-block", (row) => this.block(row));
      this.cost = asType("layer-cost", HTMLSelectElement);
      this.text = asType("layer-text", HTMLInputElement);
      this.listen();
      this.filter();
    }

    /** Draws the rows again: figures follow the chosen sizes. */
    refresh() {
      const top = this.scroll.scrollTop;
      this.filter();
      this.scroll.scrollTop = top;
      this.list.draw(true);
    }

    /** Groups are few, so the name of each is looked up once. @param {number} row */
    block(row) {
      const group = this.graph.nodes.group[row];
      const name = this.blocks.get(group) ?? this.graph.block(row);
      this.blocks.set(group, name);
      return name;
    }

    /** @param {number} row */
    output(row) {
      const value = this.graph.output(row);
      return value === null ? "" : this.graph.shape(value);
    }

    heads() {
      const head = this.table.tHead?.rows[0];
      this.columns.forEach((column, i) => {
        const cell = document.createElement("th");
        cell.scope = "col";
        if (column.figure) cell.className = "number";
        const button = Panel.element("button", column.name, "quiet");
        button.type = "button";
        button.addEventListener("click", () => this.sort(i));
        cell.append(button);
        head?.append(cell);
      });
    }

    /**
     * A filter filled with the names that occur.
     * @param {string} id
     * @param {(row: number) => string} value
     */
    choices(id, value) {
      const select = asType(id, HTMLSelectElement);
      const names = new Set();
      for (let row = 0; row < this.count; row++) names.add(value(row));
      for (const name of [...names].filter(Boolean).sort().slice(0, CHOICES)) {
        const option = Panel.element("option", name);
        option.value = name;
        select.append(option);
      }
      return select;
    }

    listen() {
      for (const select of [this.op, this.part, this.cost]) select.addEventListener("change", () => this.filter());
      let wait = 0;
      this.text.addEventListener("input", () => {
        clearTimeout(wait);
        wait = setTimeout(() => this.filter(), 80);
      });
      byId("layer-copy").addEventListener("click", () => this.copy());
      byId("layer-csv").addEventListener("click", () => save("layers.csv", "text/csv", this.csv()));
    }

    filter() {
      const [text, op, part, cost] = [this.text.value.trim().toLowerCase(), this.op.value, this.part.value, Number(this.cost.value)];
      const { nodes } = this.graph;
      const rows = [];
      for (let row = 0; row < this.count; row++) {
        if (op && this.graph.op(row) !== op) continue;
        if (part && this.block(row) !== part) continue;
        if (cost && !((nodes.percent[row] ?? -1) >= cost)) continue;
        if (text && !nodes.name[row].toLowerCase().includes(text)) continue;
        rows.push(row);
      }
      this.rows = rows;
      this.order();
    }

    /** @param {number} column */
    sort(column) {
      const isSame = this.sorted.column === column;
      const down = isSame ? !this.sorted.down : Boolean(this.columns[column].figure);
      this.sorted = { column, down };
      this.order();
    }

    order() {
      const { column, down } = this.sorted;
      const { value, figure } = this.columns[column];
      const sign = down ? -1 : 1;
      // What is not known comes last either way; rows that are equal keep the order of execution.
      if (figure) {
        const keys = new Map(this.rows.map((row) => [row, value(row) === null ? null : Number(value(row))]));
        this.rows.sort((a, b) => {
          const [x, y] = [keys.get(a) ?? null, keys.get(b) ?? null];
          if (x === null || y === null) return Number(x === null) - Number(y === null) || a - b;
          return sign * (x - y) || a - b;
        });
      } else if (column === 0) this.rows.sort((a, b) => sign * (a - b));
      else {
        const keys = new Map(this.rows.map((row) => [row, String(value(row))]));
        this.rows.sort((a, b) => {
          const [x, y] = [keys.get(a) ?? "", keys.get(b) ?? ""];
          return x < y ? -sign : x > y ? sign : a - b;
        });
      }
      document.querySelectorAll("#layer-table th").forEach((cell, i) => {
        if (i === column) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
      const [some, all] = [this.rows.length, this.count];
      this.shown.textContent = some === all ? Units.counted(all, "node", "nodes") : `${Units.integer(some)} of ${Units.integer(all)} nodes`;
      this.list.show(this.rows);
    }

    /** @param {number} row */
    row(row) {
      const line = document.createElement("tr");
      for (const column of this.columns) {
        const cell = document.createElement("td");
        const value = column.value(row);
        const words = value === null ? "unknown" : column.write ? column.write(value) : String(value);
        if (column.figure) cell.className = "number";
        if (column.link) {
          const link = Panel.element("a", words);
          link.href = Panel.link(this.graph, row);
          // Names differ at their ends.
          cell.className = "tail";
          cell.append(link);
        } else cell.textContent = words;
        cell.title = column.figure && value !== null && column.name !== "Share" ? Units.integer(value) : words;
        line.append(cell);
      }
      return line;
    }

    /** The rows as text. @param {string} separator @param {(text: string) => string} quote */
    lines(separator, quote) {
      /** @param {Cell} value */
      const write = (value) => quote(value === null ? "" : String(value));
      const lines = [this.columns.map((column) => write(column.name)).join(separator)];
      for (const row of this.rows) {
        lines.push(this.columns.map((column, i) => write(i ? column.value(row) : row + 1)).join(separator));
      }
      return `${lines.join("\n")}\n`;
    }

    // A spreadsheet must not take a name for a formula.
    csv() {
      /** @param {string} text */
      const safe = (text) => (/^[=+\-@\t\r]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text);
      return this.lines(",", (text) => (/[",\n]/.test(safe(text)) ? `"${safe(text).replaceAll('"', '""')}"` : safe(text)));
    }

    copy() {
      const text = this.lines("\t", (words) => words.replace(/[\t\n]/g, " "));
      copyText(text, () => { this.shown.textContent = `${Units.integer(this.rows.length)} rows copied`; });
    }
  }

  /** Hands a file to the browser. @param {string} name @param {string} type @param {string | Blob} contents */
  function save(name, type, contents) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(contents instanceof Blob ? contents : new Blob([contents], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  return { Table, save };
})();
