// The table of layers: only the rows in sight are in the page, however many there are.

const Layers = (() => {
  const ROW = 28, AROUND = 12;

  class Table {
    constructor(graph, count) {
      this.graph = graph;
      this.count = count;
      const { nodes } = graph;
      const number = (list) => (row) => list[row];
      this.columns = [
        { name: "#", value: (row) => row, write: (value) => Units.integer(value + 1), wide: true },
        { name: "Node", value: (row) => nodes.name[row], link: true },
        { name: "Operator", value: (row) => graph.op(row) },
        { name: "Block", value: (row) => this.block(row) },
        { name: "Output", value: (row) => this.output(row) },
        { name: "Parameters", value: number(nodes.parameters), write: Units.integer, figure: true },
        { name: "MACs", value: number(nodes.macs), write: Units.magnitude, figure: true },
        { name: "Share", value: number(nodes.percent), write: Units.percent, figure: true },
        { name: "Bytes moved", value: number(nodes.bytes), write: Units.bytes, figure: true },
      ];
      this.blocks = new Map();
      this.sorted = { column: 0, down: false };
      this.scroll = document.getElementById("layer-scroll");
      this.scroll.classList.toggle("few", count <= AROUND);
      this.body = document.querySelector("#layer-table tbody");
      this.heads();
      this.filters();
      this.scroll.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.draw(true)).observe(this.scroll);
      this.filter();
    }

    // Rooms are few, so what they are called is looked up once for each.
    block(row) {
      const room = this.graph.nodes.room[row];
      if (!this.blocks.has(room)) this.blocks.set(room, this.graph.block(row));
      return this.blocks.get(room);
    }

    output(row) {
      const value = this.graph.nodes.outputs[row].find((it) => it !== null);
      return value === undefined ? "" : this.graph.shape(value);
    }

    heads() {
      const head = document.querySelector("#layer-table thead tr");
      this.columns.forEach((column, i) => {
        const cell = document.createElement("th");
        cell.scope = "col";
        if (column.figure) cell.className = "number";
        const button = Panel.element("button", column.name, "quiet");
        button.type = "button";
        button.addEventListener("click", () => this.sort(i));
        cell.append(button);
        head.append(cell);
      });
    }

    filters() {
      const fill = (id, value) => {
        const select = document.getElementById(id);
        const names = new Set();
        for (let row = 0; row < this.count; row++) names.add(value(row));
        for (const name of [...names].filter(Boolean).sort().slice(0, 500)) {
          const option = Panel.element("option", name);
          option.value = name;
          select.append(option);
        }
        select.addEventListener("change", () => this.filter());
        return select;
      };
      this.op = fill("layer-op", (row) => this.graph.op(row));
      this.part = fill("layer-block", (row) => this.block(row));
      this.cost = document.getElementById("layer-cost");
      this.cost.addEventListener("change", () => this.filter());
      this.text = document.getElementById("layer-text");
      let wait = 0;
      this.text.addEventListener("input", () => {
        clearTimeout(wait);
        wait = setTimeout(() => this.filter(), 80);
      });
      document.getElementById("layer-copy").addEventListener("click", () => this.copy());
      document.getElementById("layer-csv").addEventListener("click", () => save("layers.csv", "text/csv", this.csv()));
    }

    filter() {
      const [text, op, part, cost] = [this.text.value.trim().toLowerCase(), this.op.value, this.part.value, Number(this.cost.value)];
      const { nodes } = this.graph;
      const rows = [];
      for (let row = 0; row < this.count; row++) {
        if (op && this.graph.op(row) !== op) continue;
        if (part && this.block(row) !== part) continue;
        if (cost && !(nodes.percent[row] >= cost)) continue;
        if (text && !nodes.name[row].toLowerCase().includes(text)) continue;
        rows.push(row);
      }
      this.rows = rows;
      this.order();
    }

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
      if (figure) {
        const keys = new Map(this.rows.map((row) => [row, value(row) === null ? null : Number(value(row))]));
        // What is not known stands last either way.
        this.rows.sort((a, b) => {
          const [x, y] = [keys.get(a), keys.get(b)];
          if (x === null || y === null) return (x === null) - (y === null) || a - b;
          return sign * (x - y) || a - b;
        });
      } else if (column === 0) this.rows.sort((a, b) => sign * (a - b));
      else {
        const keys = new Map(this.rows.map((row) => [row, value(row)]));
        this.rows.sort((a, b) => {
          const [x, y] = [keys.get(a), keys.get(b)];
          return x < y ? -sign : x > y ? sign : a - b;
        });
      }
      document.querySelectorAll("#layer-table th").forEach((cell, i) => {
        if (i === column) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
      document.getElementById("layer-count").textContent =
        this.rows.length === this.count ? Units.counted(this.count, "node", "nodes") : `${Units.integer(this.rows.length)} of ${Units.integer(this.count)} nodes`;
      this.scroll.scrollTop = 0;
      this.draw(true);
    }

    draw(anew) {
      const from = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - AROUND);
      const to = Math.min(this.rows.length, from + Math.ceil(this.scroll.clientHeight / ROW) + 2 * AROUND);
      if (!anew && from === this.from && to === this.to) return;
      [this.from, this.to] = [from, to];
      const table = document.getElementById("layer-table");
      table.setAttribute("aria-rowcount", this.rows.length + 1);
      this.body.replaceChildren(spacer(from * ROW), ...this.rows.slice(from, to).map((row, i) => this.row(row, from + i)), spacer((this.rows.length - to) * ROW));
    }

    row(row, place) {
      const line = document.createElement("tr");
      line.setAttribute("aria-rowindex", place + 2);
      for (const column of this.columns) {
        const cell = document.createElement("td");
        const value = column.value(row);
        const words = value === null || value === undefined ? "unknown" : column.write ? column.write(value) : value;
        if (column.figure) cell.className = "number";
        if (column.link) {
          const link = Panel.element("a", words);
          link.href = Panel.link(this.graph, row);
          cell.append(link);
        } else cell.textContent = words;
        cell.title = column.figure && value !== null && column.name !== "Share" ? Units.integer(value) : words;
        line.append(cell);
      }
      return line;
    }

    lines(separator, quote) {
      const write = (value) => quote(value === null || value === undefined ? "" : String(value));
      const lines = [this.columns.map((column) => write(column.name)).join(separator)];
      for (const row of this.rows) {
        lines.push(this.columns.map((column, i) => write(i ? column.value(row) : row + 1)).join(separator));
      }
      return `${lines.join("\n")}\n`;
    }

    // A spreadsheet must not take a name for a formula.
    csv() {
      const safe = (text) => (/^[=+\-@\t\r]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text);
      return this.lines(",", (text) => (/[",\n]/.test(safe(text)) ? `"${safe(text).replaceAll('"', '""')}"` : safe(text)));
    }

    copy() {
      const text = this.lines("\t", (words) => words.replace(/[\t\n]/g, " "));
      const done = () => { document.getElementById("layer-count").textContent = `${Units.integer(this.rows.length)} rows copied`; };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => this.copyOld(text, done));
      else this.copyOld(text, done);
    }

    copyOld(text, done) {
      const area = Panel.element("textarea", text);
      area.className = "unseen";
      document.body.append(area);
      area.select();
      if (document.execCommand("copy")) done();
      area.remove();
    }
  }

  function spacer(height) {
    const line = document.createElement("tr");
    line.setAttribute("aria-hidden", "true");
    line.className = "spacer";
    line.style.height = `${height}px`;
    return line;
  }

  function save(name, type, contents) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(contents instanceof Blob ? contents : new Blob([contents], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  return { Table, save };
})();
