// @ts-check
// Around the graph: details of the selected box, search, parts to jump to, the path to the current group.

const Panel = (() => {
  // Nodes that a search lists.
  const FOUND = 30;

  /**
   * A new element with text.
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} name
   * @param {string} [words]
   * @param {string} [className]
   */
  const element = (name, words, className) => {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    if (className) made.className = className;
    return made;
  };

  /** @typedef {[name: string, value: string | Node | null | undefined]} Fact */
  /** @typedef {[words: string, act: () => void]} Action */

  /** A list of facts, without those that are not known. @param {Fact[]} pairs */
  function facts(pairs) {
    const list = element("dl", undefined, "facts");
    for (const [name, value] of pairs) {
      if (value === null || value === undefined || value === "") continue;
      const row = element("div");
      const shown = element("dd");
      shown.append(value);
      row.append(element("dt", name), shown);
      list.append(row);
    }
    return list;
  }

  /** @param {Known} value @param {(value: number | string) => string} write */
  const orUnknown = (value, write) => (value === null ? "unknown" : write(value));
  /** @param {Known} value @param {(value: number | string) => string} write */
  const orNothing = (value, write) => (value === null ? null : write(value));
  /** Rounded and exact. @param {number | string} value */
  const both = (value) => `${Units.magnitude(value)} · ${Units.integer(value)}`;

  /** @type {Record<string, string>} Display names of fields with formulas. */
  const FIELDS = { macs: "MACs", other_flops: "Other FLOPs", bytes_moved: "Bytes moved" };

  /**
   * A link to the operator's documentation; the name alone where it is not a standard operator.
   * @param {string} domain
   * @param {string} op
   */
  function documentation(domain, op) {
    /** @type {Record<string, string>} */
    const prefixes = { "ai.onnx": "onnx__", "ai.onnx.ml": "onnx_aionnxml_" };
    if (!(domain in prefixes) || !/^[A-Za-z0-9]+$/.test(op)) return null;
    const link = element("a", `${op} reference`);
    link.href = `https://onnx.ai/onnx/operators/${prefixes[domain]}${op}.html`;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    return link;
  }

  class About {
    /** @param {Graph} graph @param {View} view */
    constructor(graph, view) {
      this.graph = graph;
      this.view = view;
      this.panel = byId("panel");
      this.said = byId("said");
      // The box that is shown.
      this.key = "";
      view.onSelect = (box) => this.show(box);
    }

    /** @param {(Labeled & { open?: boolean }) | null} box */
    show(box) {
      const { panel } = this;
      panel.hidden = !box;
      if (!box) return;
      const close = element("button", "×", "quiet close");
      close.type = "button";
      close.setAttribute("aria-label", "Close the panel");
      close.addEventListener("click", () => { this.view.select(null); this.view.canvas.focus(); });
      panel.replaceChildren(close, ...this.contents(box));
      const key = `${box.kind}/${box.id}`;
      if (key !== this.key) panel.scrollTop = 0;
      this.key = key;
      this.said.textContent = `${box.title}${box.note ? `, ${box.note}` : ""}${box.open ? ", expanded" : ""}`;
    }

    /** @param {Labeled & { open?: boolean }} box @returns {Node[]} */
    contents(box) {
      switch (box.kind) {
        case "group": return this.group(box);
        case "node": return this.node(box.id);
        case "entry": return [element("h3", "Inputs of the part"), element("p", "Values produced outside this part.", "note")];
        case "exit": return [element("h3", "Outputs of the part"), element("p", "Values consumed outside this part.", "note")];
      }
      const value = box.id;
      return [element("h3", this.graph.values.name[value]),
        facts([["Kind", box.kind === "input" ? "Model input" : "Model output"], ["Type", this.graph.dtype(value)], ["Shape", this.graph.shape(value)]])];
    }

    /** @param {Action[]} list */
    actions(...list) {
      const bar = element("p", undefined, "actions");
      for (const [words, act] of list) {
        const button = element("button", words);
        button.type = "button";
        button.addEventListener("click", act);
        bar.append(button);
      }
      return bar;
    }

    /** @param {Labeled & { open?: boolean }} box @returns {Node[]} */
    group(box) {
      const group = this.graph.groups[box.id];
      return [
        element("h3", group.name), element("p", group.detail, "note"),
        this.actions(
          [box.open ? "Collapse" : "Expand", () => this.view.toggle(this.view.selected)],
          ["Focus", () => this.view.enter(box.id, true)],
        ),
        facts([
          ["Kind", group.block || group.kind], ["Repeats", group.times ? Units.integer(group.times) : null],
          ["Nodes", Units.integer(group.count)],
          ["Nodes per repeat", group.times && group.count % group.times === 0 ? Units.integer(group.count / group.times) : null],
          ["Parameters", orNothing(group.parameters, Units.integer)],
          ["MACs", orUnknown(group.macs, both)],
          ["Bytes moved", orUnknown(group.bytes, Units.bytes)],
          ["Peak memory", orNothing(group.alive, Units.bytes)],
          ["Unknown cost", group.unknown ? Units.counted(group.unknown, "node", "nodes") : null],
        ]),
      ];
    }

    /** @param {number} id @returns {Node[]} */
    node(id) {
      const { graph } = this;
      const { nodes } = graph;
      /** @type {Action[]} */
      const list = [
        ["Paths", () => this.paths(id)],
        ["Copy link", () => navigator.clipboard?.writeText(`${location.href.split("#")[0]}${Panel.link(graph, id)}`)],
      ];
      for (const group of nodes.groups[id] ?? []) list.unshift([`Focus ${graph.groups[group].name}`, () => this.view.enter(group, true)]);
      /** @type {Fact[]} */
      const formulas = (nodes.formulas[id] ?? []).map(([field, text]) => [
        FIELDS[graph.text(field)] ?? graph.text(field), element("code", graph.text(text)),
      ]);
      /** @param {number[]} pairs @param {(words: string) => string | Node} write */
      const attributes = (pairs, write) => {
        /** @type {Fact[]} */
        const list = [];
        for (let i = 0; i < pairs.length; i += 2) list.push([graph.text(pairs[i]), write(graph.text(pairs[i + 1]))]);
        return list;
      };
      const set = [...attributes(nodes.attributes[id], (words) => words),
        ...attributes(nodes.default_lists[nodes.defaults[id]] ?? [], (words) => element("span", `${words} (default)`, "note"))];
      const domain = graph.text(nodes.domain[id]);
      const reason = nodes.reasons[id];
      /** @type {Node[]} */
      const parts = [
        element("h3", graph.op(id)), element("p", nodes.name[id], "note wrap"), this.actions(...list),
        facts([
          ["Operator", documentation(domain, graph.op(id))], ["Class", graph.text(nodes.class[id])],
          ["Domain", domain === "ai.onnx" ? null : domain], ["Module", graph.text(nodes.scope[id])],
          ["Part of", graph.path(nodes.group[id]).slice(1).map((group) => graph.groups[group].name).join(" › ")],
          ["Parameters", orNothing(nodes.parameters[id] || null, Units.integer)],
          ["MACs", reason === undefined ? orUnknown(nodes.macs[id], both) : `unknown: ${graph.text(reason)}`],
          ["Share", orNothing(nodes.percent[id], (value) => Units.percent(Number(value)))],
          ["Other FLOPs", orNothing(nodes.other[id] || null, Units.integer)],
          ["Bytes moved", orNothing(nodes.bytes[id], Units.bytes)],
          ["Live memory", orNothing(nodes.alive[id], Units.bytes)],
        ]),
      ];
      if (formulas.length) parts.push(element("h4", "Formulas"), facts(formulas));
      if (set.length) parts.push(element("h4", "Attributes"), facts(set));
      parts.push(element("h4", "Inputs"), this.values(nodes.inputs[id], "producer"));
      parts.push(element("h4", "Outputs"), this.values(nodes.outputs[id], "consumer"));
      return parts;
    }

    /** Values with links to the node at the other end. @param {(number | null)[]} values @param {"producer" | "consumer"} way */
    values(values, way) {
      const { graph } = this;
      const list = element("ul", undefined, "values");
      for (const value of values) {
        if (value === null) continue;
        const item = element("li");
        const other = way === "producer" ? graph.flow.producers[value] : graph.flow.consumers.get(value)?.[0] ?? -1;
        const name = graph.values.name[value];
        if (other >= 0) {
          const link = element("a", name);
          link.href = Panel.link(graph, other);
          item.append(link);
        } else item.append(element("span", name));
        item.append(element("small", `${graph.dtype(value)} ${graph.shape(value)}${graph.values.stored[value] ? " · stored" : ""}`));
        const statistics = graph.values.statistics[value];
        if (statistics) {
          const [min, max, mean, std, zeros] = statistics.map((figure) => Number(figure.toPrecision(4)));
          item.append(element("small", `min ${min} · max ${max} · mean ${mean} · std ${std} · ${zeros}% zeros`));
        }
        list.append(item);
      }
      return list;
    }

    /** @param {number} id */
    paths(id) {
      this.view.mark(this.view.marked ? null : id);
      const { marked } = this.view;
      /** @param {number} count */
      const nodes = (count) => Units.counted(count, "node", "nodes");
      this.said.textContent = marked ? `${nodes(marked.before)} before, ${nodes(marked.after)} after` : "Paths cleared";
    }
  }

  /** The address of a node inside the page. @param {Graph} graph @param {number} id */
  const link = (graph, id) => {
    const name = graph.nodes.name[id];
    return `#node=${encodeURIComponent(graph.byName.get(name) === id ? name : `@${id}`)}`;
  };

  // Finds nodes by parts of their name or operator.
  class Search {
    /** @param {Graph} graph @param {View} view */
    constructor(graph, view) {
      this.graph = graph;
      this.view = view;
      this.input = asType("find", HTMLInputElement);
      this.list = byId("found");
      this.at = -1;
      this.input.addEventListener("input", () => this.look());
      this.input.addEventListener("keydown", (event) => this.key(event));
      this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
      this.list.addEventListener("mousedown", (event) => {
        const item = event.target instanceof Element ? event.target.closest("li") : null;
        if (item?.dataset.node) this.go(Number(item.dataset.node));
      });
    }

    look() {
      const wanted = this.input.value.trim().toLowerCase();
      if (!wanted) return this.close();
      const { graph } = this;
      const { nodes } = graph;
      /** @type {number[]} */
      const found = [];
      for (let i = 0; i < graph.count && found.length < FOUND; i++) {
        if (nodes.name[i].toLowerCase().includes(wanted) || graph.op(i).toLowerCase() === wanted) found.push(i);
      }
      this.list.replaceChildren(...found.map((node, place) => {
        const item = element("li");
        item.id = `found-${place}`;
        item.setAttribute("role", "option");
        item.dataset.node = String(node);
        item.append(element("b", graph.op(node)), " ", nodes.name[node]);
        return item;
      }));
      if (!found.length) {
        const none = element("li", "No match");
        none.setAttribute("role", "option");
        none.setAttribute("aria-disabled", "true");
        this.list.append(none);
      }
      this.list.hidden = false;
      this.input.setAttribute("aria-expanded", "true");
      this.choose(found.length ? 0 : -1);
    }

    /** @param {number} place */
    choose(place) {
      this.at = place;
      [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === place)));
      if (place >= 0) {
        this.input.setAttribute("aria-activedescendant", `found-${place}`);
        this.list.children[place].scrollIntoView({ block: "nearest" });
      } else this.input.removeAttribute("aria-activedescendant");
    }

    /** @param {KeyboardEvent} event */
    key(event) {
      /** @type {NodeListOf<HTMLElement>} */
      const found = this.list.querySelectorAll("[data-node]");
      const count = found.length;
      if (event.key === "ArrowDown" && count) this.choose((this.at + 1) % count);
      else if (event.key === "ArrowUp" && count) this.choose((this.at - 1 + count) % count);
      else if (event.key === "Enter" && this.at >= 0) this.go(Number(found[this.at].dataset.node));
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
    }

    /** @param {number} node */
    go(node) {
      this.close();
      this.view.show(node);
      this.view.canvas.focus({ preventScroll: true });
    }

    close() {
      this.list.hidden = true;
      this.input.setAttribute("aria-expanded", "false");
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  // Parts that the list holds.
  const JUMPS = 400;

  /** Fills the list of parts and subgraphs. @param {Graph} graph @param {View} view */
  function jumps(graph, view) {
    const select = asType("jump", HTMLSelectElement);
    /** @type {number[]} */
    const order = [];
    /** @param {number} group @param {number} depth */
    const walk = (group, depth) => {
      const { kind, id } = graph.groups[group].items;
      kind.forEach((it, i) => {
        // One repeat represents the others.
        if (it !== "group" || depth > 3 || (graph.groups[group].kind === "repeat" && order.includes(id[0]))) return;
        order.push(id[i]);
        if (graph.groups[group].kind !== "repeat" || id[i] === id.find((_, place) => kind[place] === "group")) walk(id[i], depth + 1);
      });
    };
    walk(0, 0);
    graph.groups.forEach((group, i) => { if (group.kind === "subgraph" || group.kind === "function") order.push(i); });
    for (const number of order.slice(0, JUMPS)) {
      const group = graph.groups[number];
      const depth = graph.path(number).length - 2;
      const prefix = group.kind === "subgraph" || group.kind === "function" ? `${group.kind} ` : "\u00a0\u00a0".repeat(Math.max(0, depth));
      const option = element("option", `${prefix}${group.name}`);
      option.value = String(number);
      select.append(option);
    }
    const label = select.closest("label");
    if (label) label.hidden = !order.length;
    select.addEventListener("change", () => {
      const number = Number(select.value);
      if (select.value === "") return;
      const { kind } = graph.groups[number];
      if (kind === "subgraph" || kind === "function") view.enter(number, true);
      else view.showGroup(number);
      select.value = "";
    });
  }

  /** Shows the path to the current group. @param {Graph} graph @param {View} view @param {string} [id] */
  function crumbs(graph, view, id = "crumbs") {
    const nav = byId(id);
    const draw = () => {
      const path = graph.path(view.root);
      nav.hidden = path.length < 2 && view.root === 0;
      const groups = path[0] === 0 ? path : [0, ...path];
      nav.replaceChildren(...groups.flatMap((group, i) => {
        const button = element("button", group === 0 ? "Graph" : graph.groups[group].name, "quiet");
        button.type = "button";
        button.disabled = group === view.root;
        button.addEventListener("click", () => view.enter(group));
        return i ? [" › ", button] : [button];
      }));
    };
    view.onMove = draw;
    draw();
  }

  return { About, Search, crumbs, jumps, link, element, facts };
})();
