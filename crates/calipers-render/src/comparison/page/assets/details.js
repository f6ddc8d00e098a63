// @ts-check
// The selected node or group of both models, property by property.

const Details = (() => {
  const { element } = Panel;

  /** @typedef {{ name: string, values: [Cell, Cell], isHeading?: boolean }} Row */
  /** A cell: what is compared, and what is shown where that differs. @typedef {{ text: string, nodes?: () => Node[] } | null} Cell */

  /** @param {string | null | undefined} text @returns {Cell} */
  const cell = (text) => (text === null || text === undefined || text === "" ? null : { text });
  /** @param {Known} value @param {(value: number | string) => string} write */
  const known = (value, write) => cell(value === null ? "unknown" : write(value));
  /** @param {Known} value */
  const figure = (value) => known(value, (it) => Units.magnitude(it));

  class About {
    /** @param {ChangeSet} changes @param {Sides} sides */
    constructor(changes, sides) {
      this.changes = changes;
      this.sides = sides;
      this.place = byId("details");
      this.said = byId("said");
    }

    // Shows what is selected.
    show() {
      const [a, b] = this.sides.selected;
      const box = b ?? a;
      this.place.hidden = !box;
      if (!box) return;
      const kind = box.kind;
      /** @param {Side} side */
      const id = (side) => {
        const own = this.sides.selected[side];
        return own?.kind === kind ? own.id : null;
      };
      const ids = /** @type {[number | null, number | null]} */ ([id(0), id(1)]);
      const contents = kind === "node" ? this.node(ids) : kind === "group" ? this.group(ids) : this.port(ids, kind);
      this.place.replaceChildren(...contents);
    }

    /** @param {[number | null, number | null]} ids @returns {Node[]} */
    node(ids) {
      const { changes } = this;
      const number = ids[1] !== null ? changes.numbers[1].get(ids[1]) : changes.numbers[0].get(ids[0] ?? -1);
      const change = number === undefined ? null : changes.all[number];
      /** @param {(graph: Graph, node: number) => Cell} pick @returns {[Cell, Cell]} */
      const both = (pick) => {
        const [a, b] = ids.map((node, side) => (node === null ? null : pick(changes.graphs[side], node)));
        return [a, b];
      };
      /** @type {Row[]} */
      const rows = [
        { name: "Name", values: both((graph, node) => ({ text: graph.nodes.name[node], nodes: () => breakable(graph.nodes.name[node]) })) },
        { name: "Operator", values: both((graph, node) => cell(graph.op(node))) },
        { name: "Domain", values: both((graph, node) => cell(graph.text(graph.nodes.domain[node]))) },
        { name: "Part of", values: both((graph, node) => cell(graph.path(graph.nodes.group[node]).slice(1).map((group) => graph.groups[group].name).join(" › "))) },
      ];
      rows.push(...this.attributes(ids), ...this.values(ids, "inputs"), ...this.values(ids, "outputs"));
      rows.push(
        { name: "Cost", values: [null, null], isHeading: true },
        { name: "Parameters", values: both((graph, node) => figure(graph.nodes.parameters[node])) },
        { name: "MACs", values: both((graph, node) => figure(graph.nodes.macs[node])) },
        { name: "Other FLOPs", values: both((graph, node) => figure(graph.nodes.other[node])) },
        { name: "Bytes moved", values: both((graph, node) => known(graph.nodes.bytes[node], Units.bytes)) },
        { name: "Live memory", values: both((graph, node) => known(graph.nodes.alive[node], Units.bytes)) },
      );
      const title = [...new Set(both((graph, node) => cell(graph.op(node))).flatMap((it) => (it ? [it.text] : [])))].join(" → ");
      return [...this.heading(title, change, ids), ...(change ? this.differences(change) : []), this.table(rows)];
    }

    /** @param {string} title @param {Change | null} change @param {[number | null, number | null]} ids @returns {Node[]} */
    heading(title, change, ids) {
      const words = change ? change.kind : ids.includes(null) ? "selected on one side" : "unchanged";
      const heading = element("h3");
      if (change) heading.append(element("span", `${Changes.SYMBOLS[change.kind]} ${words}`, `mark ${words}`), " ");
      heading.append(title);
      if (!change) heading.append(" ", element("small", words));
      const only = change?.kind === "added" ? "B" : change?.kind === "removed" ? "A" : "";
      const names = [...new Set(ids.map((id, side) => (id === null ? "" : this.changes.graphs[side].nodes.name[id])))].filter(Boolean);
      this.said.textContent = `${title}, ${words}, ${names.join(" → ")}`;
      if (!only) return [heading];
      const other = only === "A" ? "B" : "A";
      return [heading, element("p", `Only ${only} has this node. ${other} shows the nearest node of both models.`, "note")];
    }

    /** What differs, in words. @param {Change} change @returns {Node[]} */
    differences(change) {
      const { attributes, tensors } = this.changes.data.changed;
      if (change.kind !== "changed") return [];
      const list = element("ul", undefined, "differences");
      for (const [name, a, b] of attributes[change.place] ?? []) {
        const item = element("li", `${name} `);
        item.append(element("del", a ?? "not set"), " → ", element("ins", b ?? "not set"));
        list.append(item);
      }
      for (const words of tensors[change.place] ?? []) list.append(element("li", words));
      return [element("p", `Differs in ${this.changes.what(change).join(", ")}.`), ...(list.childElementCount ? [list] : [])];
    }

    /** Attributes of both, set ones and defaults. @param {[number | null, number | null]} ids @returns {Row[]} */
    attributes(ids) {
      /** @type {Map<string, [Cell, Cell]>} */
      const names = new Map();
      ids.forEach((node, side) => {
        if (node === null) return;
        const graph = this.changes.graphs[side];
        const { attributes, defaults, default_lists: lists } = graph.nodes;
        for (const [pairs, isDefault] of /** @type {[number[], boolean][]} */ ([[attributes[node], false], [lists[defaults[node]] ?? [], true]])) {
          for (let i = 0; i < pairs.length; i += 2) {
            const name = graph.text(pairs[i]);
            const text = graph.text(pairs[i + 1]);
            const values = names.get(name) ?? [null, null];
            values[side] = { text, nodes: () => (isDefault ? [new Text(`${text} `), element("small", "default")] : [new Text(text)]) };
            names.set(name, values);
          }
        }
      });
      if (!names.size) return [];
      return [{ name: "Attributes", values: [null, null], isHeading: true }, ...[...names].map(([name, values]) => ({ name, values }))];
    }

    /** @param {[number | null, number | null]} ids @param {"inputs" | "outputs"} way @returns {Row[]} */
    values(ids, way) {
      const lists = ids.map((node, side) => (node === null ? [] : this.changes.graphs[side].nodes[way][node]));
      const count = Math.max(lists[0].length, lists[1].length);
      if (!count) return [];
      /** @param {number} side @param {number} place @returns {Cell} */
      const value = (side, place) => {
        const number = lists[side][place];
        if (number === null || number === undefined) return null;
        const graph = this.changes.graphs[side];
        const stored = graph.values.stored[number] ? " · stored" : "";
        // Names of values are not compared: exporters number them.
        const text = `${graph.dtype(number)} ${graph.shape(number)}${stored}`;
        return { text, nodes: () => [new Text(text), small(graph.values.name[number])] };
      };
      /** @type {Row[]} */
      const rows = [{ name: way === "inputs" ? "Inputs" : "Outputs", values: [null, null], isHeading: true }];
      for (let i = 0; i < count; i++) rows.push({ name: String(i), values: [value(0, i), value(1, i)] });
      return rows;
    }

    /** @param {[number | null, number | null]} ids @returns {Node[]} */
    group(ids) {
      const { changes } = this;
      /** @param {(group: GroupData, id: number, side: number) => Cell} pick @returns {[Cell, Cell]} */
      const both = (pick) => {
        const [a, b] = ids.map((id, side) => (id === null ? null : pick(changes.graphs[side].groups[id], id, side)));
        return [a, b];
      };
      /** @type {Row[]} */
      const rows = [
        { name: "Name", values: both((group) => cell(group.name)) },
        { name: "Kind", values: both((group) => cell(group.block || group.kind)) },
        { name: "Repeats", values: both((group) => cell(group.times ? Units.integer(group.times) : null)) },
        { name: "Nodes", values: both((group) => cell(Units.integer(group.count))) },
        { name: "Nodes that differ", values: both((_, id, side) => cell(marks(changes.inside[side].groups[id]) || "none")) },
        { name: "Parameters", values: both((group) => figure(group.parameters)) },
        { name: "MACs", values: both((group) => figure(group.macs)) },
        { name: "Bytes moved", values: both((group) => known(group.bytes, Units.bytes)) },
      ];
      const title = [...new Set(rows[0].values.flatMap((it) => (it ? [it.text] : [])))].join(" → ");
      this.said.textContent = `${title}, ${rows[4].values.flatMap((it, side) => (it ? [`${it.text} in ${"AB"[side]}`] : [])).join(", ")}`;
      const bar = element("p", undefined, "actions");
      const side = ids[1] !== null ? 1 : 0;
      const view = this.sides.views[side];
      const isOpen = view.open.has(ids[side] ?? -1);
      /** @param {string} words @param {() => void} act */
      const add = (words, act) => {
        const button = element("button", words);
        button.type = "button";
        button.addEventListener("click", act);
        bar.append(button);
      };
      add(isOpen ? "Collapse" : "Expand", () => { view.toggle(view.selected); this.show(); });
      add("Focus", () => { view.enter(ids[side] ?? 0, true); view.canvas.focus({ preventScroll: true }); });
      return [element("h3", title), bar, this.table(rows)];
    }

    /** @param {[number | null, number | null]} ids @param {Kind} kind @returns {Node[]} */
    port(ids, kind) {
      if (kind === "entry" || kind === "exit") {
        return [element("h3", kind === "entry" ? "Inputs of the part" : "Outputs of the part")];
      }
      /** @param {(graph: Graph, value: number) => string} pick @returns {[Cell, Cell]} */
      const both = (pick) => {
        const [a, b] = ids.map((value, side) => (value === null ? null : cell(pick(this.changes.graphs[side], value))));
        return [a, b];
      };
      const rows = [
        { name: "Name", values: both((graph, value) => graph.values.name[value]) },
        { name: "Type", values: both((graph, value) => graph.dtype(value)) },
        { name: "Shape", values: both((graph, value) => graph.shape(value)) },
      ];
      return [element("h3", kind === "input" ? "Model input" : "Model output"), this.table(rows)];
    }

    /** @param {Row[]} rows */
    table(rows) {
      const table = element("table", undefined, "both");
      const head = element("tr");
      // A node of one model has one column.
      const shown = [0, 1].filter((side) => this.sides.selected[side]);
      for (const words of ["Property", ...shown.map((side) => `${"AB"[side]} ${this.changes.data.labels[side]}`)]) {
        const title = element("th", words);
        title.scope = "col";
        head.append(title);
      }
      table.createTHead().append(head);
      const body = table.createTBody();
      for (const { name, values, isHeading } of rows) {
        if (!isHeading && !values[0] && !values[1]) continue;
        const row = body.insertRow();
        const title = element("th", name);
        title.scope = isHeading ? "rowgroup" : "row";
        row.append(title);
        if (isHeading) {
          title.colSpan = shown.length + 1;
          row.className = "heading";
          continue;
        }
        const differs = shown.length === 2 && values[0]?.text !== values[1]?.text;
        if (differs) {
          row.className = "differs";
          title.append(" ", element("span", "≠ differs", "mark changed"));
        }
        for (const value of shown.map((side) => values[side])) {
          const data = element("td");
          data.append(...(value?.nodes?.() ?? [new Text(value?.text ?? "–")]));
          row.append(data);
        }
      }
      const scroll = element("div", undefined, "scroll");
      scroll.append(table);
      return scroll;
    }
  }

  /** A name that breaks between its parts. @param {string} name @returns {Node[]} */
  const breakable = (name) => name.split(/(?<=[/.])/).flatMap((part, i) => (i ? [element("wbr"), new Text(part)] : [new Text(part)]));

  /** The name of a value beneath its type. @param {string} name */
  function small(name) {
    const shown = element("small", undefined, "value-name");
    shown.append(...breakable(name));
    return shown;
  }

  /** A sentence of ours whose quotations between backticks are code. @param {string} words @returns {Node[]} */
  function quoted(words) {
    const parts = words.split("`");
    // The last quotation has no end where their number is even.
    if (parts.length % 2 === 0) return [new Text(words)];
    return parts.map((part, i) => (i % 2 ? element("code", part) : new Text(part)));
  }

  /** Counts with their symbols. @param {Counts} counts */
  const marks = (counts) => Changes.CLASSES.filter((kind) => counts[kind]).map((kind) => Changes.SYMBOLS[kind] + Units.integer(counts[kind])).join(" ");

  return { About, breakable, quoted };
})();
