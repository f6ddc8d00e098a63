// Around the graph: what is known of the selected box, the search, where in the graph one is.

const Panel = (() => {
  const FOUND = 30;

  const element = (name, words, className) => {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    if (className) made.className = className;
    return made;
  };

  function facts(pairs) {
    const list = element("dl", undefined, "facts");
    for (const [name, value] of pairs) {
      if (value === null || value === undefined || value === "") continue;
      const row = element("div");
      const told = element("dd");
      if (value instanceof Node) told.append(value);
      else told.textContent = value;
      row.append(element("dt", name), told);
      list.append(row);
    }
    return list;
  }

  const told = (value, write) => (value === null || value === undefined ? "unknown" : write(value));

  class About {
    constructor(graph, view) {
      this.graph = graph;
      this.view = view;
      this.panel = document.getElementById("panel");
      this.said = document.getElementById("said");
      view.onSelect = (box) => this.show(box);
    }

    show(box) {
      const { panel } = this;
      panel.hidden = !box;
      if (!box) return;
      const close = element("button", "×", "quiet close");
      close.type = "button";
      close.setAttribute("aria-label", "Close");
      close.addEventListener("click", () => { this.view.select(null); document.getElementById("canvas").focus(); });
      panel.replaceChildren(close, ...this.contents(box));
      panel.scrollTop = 0;
      this.said.textContent = `${box.title}${box.note ? `, ${box.note}` : ""}${box.open ? ", open" : ""}`;
    }

    contents(box) {
      if (box.kind === Model.ROOM) return this.room(box);
      if (box.kind === Model.NODE) return this.node(box.id);
      if (box.kind === Model.ENTRY || box.kind === Model.EXIT) {
        return [element("h3", box.kind === Model.ENTRY ? "From outside" : "To outside"),
          element("p", box.kind === Model.ENTRY ? "Values that come from outside this part." : "Values that are read outside this part.", "note")];
      }
      const value = box.id;
      return [element("h3", this.graph.values.name[value]),
        facts([["is an", box.kind === Model.INPUT ? "input" : "output"], ["type", this.graph.dtype(value)], ["shape", this.graph.shape(value)]])];
    }

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

    room(box) {
      const room = this.graph.rooms[box.id];
      return [
        element("h3", room.name), element("p", room.detail, "note"),
        this.actions([box.open ? "Close" : "Open", () => this.view.toggle(this.view.selected)], ["Enter", () => this.view.enter(box.id, box)]),
        facts([
          ["kind", room.block || room.kind], ["nodes", Units.integer(room.count)],
          ["parameters", room.parameters === null ? null : Units.integer(room.parameters)],
          ["MACs", told(room.macs, (value) => `${Units.magnitude(value)} · ${Units.integer(value)}`)],
          ["bytes moved", told(room.bytes, Units.bytes)],
          ["most alive", room.alive === null ? null : Units.bytes(room.alive)],
          ["unknown cost", room.unknown ? Units.counted(room.unknown, "node", "nodes") : null],
        ]),
      ];
    }

    node(id) {
      const { graph } = this;
      const { nodes } = graph;
      const list = [["Paths", () => this.paths(id)], ["Copy link", () => navigator.clipboard?.writeText(`${location.href.split("#")[0]}${Panel.link(graph, id)}`)]];
      for (const room of nodes.rooms[id] ?? []) list.unshift([`Enter ${graph.rooms[room].name}`, () => this.view.enter(room, this.view.selected)]);
      const formulas = (nodes.formulas[id] ?? []).map(([field, text]) => [graph.text(field).replace("_", " "), element("code", graph.text(text))]);
      const pairs = nodes.attributes[id];
      const attributes = [];
      for (let i = 0; i < pairs.length; i += 2) attributes.push([graph.text(pairs[i]), graph.text(pairs[i + 1])]);
      const domain = graph.text(nodes.domain[id]);
      const reason = nodes.reasons[id];
      const parts = [
        element("h3", graph.op(id)), element("p", nodes.name[id], "note wrap"), this.actions(...list),
        facts([
          ["domain", domain === "ai.onnx" ? null : domain], ["scope", graph.text(nodes.scope[id])],
          ["part of", graph.path(nodes.room[id]).slice(1).map((room) => graph.rooms[room].name).join(" › ")],
          ["parameters", nodes.parameters[id] ? Units.integer(nodes.parameters[id]) : null],
          ["MACs", reason === undefined ? told(nodes.macs[id], (value) => `${Units.magnitude(value)} · ${Units.integer(value)}`) : `unknown: ${graph.text(reason)}`],
          ["share", nodes.percent[id] === null ? null : Units.percent(nodes.percent[id])],
          ["other FLOPs", nodes.other[id] ? Units.integer(nodes.other[id]) : null],
          ["bytes moved", nodes.bytes[id] === null ? null : Units.bytes(nodes.bytes[id])],
          ["alive here", nodes.alive[id] === null ? null : Units.bytes(nodes.alive[id])],
        ]),
      ];
      if (formulas.length) parts.push(element("h4", "Formulas"), facts(formulas));
      if (attributes.length) parts.push(element("h4", "Attributes"), facts(attributes));
      parts.push(element("h4", "Takes"), this.values(nodes.inputs[id], "giver"), element("h4", "Gives"), this.values(nodes.outputs[id], "reader"));
      return parts;
    }

    values(values, way) {
      const { graph } = this;
      const list = element("ul", undefined, "values");
      for (const value of values) {
        if (value === null) continue;
        const item = element("li");
        const other = way === "giver" ? graph.flow.givers[value] : graph.flow.readers.get(value)?.[0] ?? -1;
        const name = graph.values.name[value];
        if (other >= 0) {
          const link = element("a", name);
          link.href = Panel.link(graph, other);
          item.append(link);
        } else item.append(element("span", name));
        item.append(element("small", `${graph.dtype(value)} ${graph.shape(value)}${graph.values.stored[value] ? " · stored" : ""}`));
        list.append(item);
      }
      return list;
    }

    paths(id) {
      this.view.mark(this.view.marked ? null : id);
      const { marked } = this.view;
      this.said.textContent = marked ? `${Units.counted(marked.before, "node", "nodes")} before, ${Units.counted(marked.after, "node", "nodes")} after` : "Paths are not marked";
    }
  }

  // The address of a node inside the page.
  const link = (graph, id) => {
    const name = graph.nodes.name[id];
    return `#node=${encodeURIComponent(graph.byName.get(name) === id ? name : `@${id}`)}`;
  };

  // Finds nodes by parts of their name or operator.
  class Search {
    constructor(graph, view) {
      this.graph = graph;
      this.view = view;
      this.input = document.getElementById("find");
      this.list = document.getElementById("found");
      this.at = -1;
      this.input.addEventListener("input", () => this.look());
      this.input.addEventListener("keydown", (event) => this.key(event));
      this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
      this.list.addEventListener("mousedown", (event) => {
        const item = event.target.closest("li");
        if (item) this.go(Number(item.dataset.node));
      });
    }

    look() {
      const wanted = this.input.value.trim().toLowerCase();
      if (!wanted) return this.close();
      const { graph } = this;
      const { nodes } = graph;
      const found = [];
      for (let i = 0; i < graph.count && found.length < FOUND; i++) {
        if (nodes.name[i].toLowerCase().includes(wanted) || graph.op(i).toLowerCase() === wanted) found.push(i);
      }
      this.list.replaceChildren(...found.map((node, place) => {
        const item = element("li");
        item.id = `found-${place}`;
        item.setAttribute("role", "option");
        item.dataset.node = node;
        item.append(element("b", graph.op(node)), " ", nodes.name[node]);
        return item;
      }));
      if (!found.length) {
        const none = element("li", "Nothing found");
        none.setAttribute("role", "option");
        none.setAttribute("aria-disabled", "true");
        this.list.append(none);
      }
      this.list.hidden = false;
      this.input.setAttribute("aria-expanded", "true");
      this.choose(found.length ? 0 : -1);
    }

    choose(place) {
      this.at = place;
      [...this.list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === place)));
      if (place >= 0) {
        this.input.setAttribute("aria-activedescendant", `found-${place}`);
        this.list.children[place].scrollIntoView({ block: "nearest" });
      } else this.input.removeAttribute("aria-activedescendant");
    }

    key(event) {
      const count = this.list.querySelectorAll("[data-node]").length;
      if (event.key === "ArrowDown" && count) this.choose((this.at + 1) % count);
      else if (event.key === "ArrowUp" && count) this.choose((this.at - 1 + count) % count);
      else if (event.key === "Enter" && this.at >= 0) this.go(Number(this.list.children[this.at].dataset.node));
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
    }

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

  function crumbs(graph, view) {
    const nav = document.getElementById("crumbs");
    const draw = () => {
      const path = graph.path(view.root);
      nav.hidden = path.length < 2 && view.root === 0;
      const rooms = path[0] === 0 ? path : [0, ...path];
      nav.replaceChildren(...rooms.flatMap((room, i) => {
        const button = element("button", room === 0 ? "Graph" : graph.rooms[room].name, "quiet");
        button.type = "button";
        button.disabled = room === view.root;
        button.addEventListener("click", () => view.enter(room));
        return i ? [" › ", button] : [button];
      }));
    };
    view.onMove = draw;
    draw();
  }

  return { About, Search, crumbs, link, element, facts };
})();
