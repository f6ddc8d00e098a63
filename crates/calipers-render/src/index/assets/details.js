// @ts-check
// Everything about the selected model, and the models that are like it.

const Details = (() => {
  // Models of a group that are listed by name.
  const LISTED = 5;

  class Details {
    /**
     * @param {IndexData} data
     * @param {{ select: (row: number) => void, group: (kind: number, group: number) => void, close: () => void }} actions
     */
    constructor(data, actions) {
      this.data = data;
      this.actions = actions;
      this.panel = byId("details");
      /** The models of each group that is on this page. @type {Map<number, number[]>[]} */
      this.members = data.groups.map((kind) => {
        const members = new Map();
        kind.rows.forEach((group, row) => {
          if (group < 0) return;
          const known = members.get(group);
          if (known) known.push(row);
          else members.set(group, [row]);
        });
        return members;
      });
    }

    /** @param {number | null} row */
    show(row) {
      this.panel.hidden = row === null;
      if (row === null) return;
      const { data } = this;
      const close = button("Close", () => this.actions.close());
      close.className = "quiet close";
      const name = element("h2", data.folder + data.names[row]);
      /** @type {HTMLElement[]} */
      const parts = [close, name];
      const error = data.errors[row];
      if (error !== undefined) parts.push(element("p", error, "pill error"));
      const card = data.cards[row];
      if (card) {
        const link = element("a", "Card");
        link.href = card;
        const line = element("p", "");
        line.append(link);
        parts.push(line);
      }
      parts.push(this.facts(row), ...this.alike(row));
      this.panel.replaceChildren(...parts);
    }

    /** @param {number} row */
    facts(row) {
      const list = document.createElement("dl");
      for (const { title, texts, rows } of [...this.data.details, ...this.data.columns]) {
        const text = texts[rows[row]];
        if (text) list.append(element("dt", title), element("dd", text));
      }
      const findings = this.data.facets.find((facet) => facet.id === "finding");
      const names = findings?.values[row].map((value) => findings.names[value]) ?? [];
      if (names.length) list.append(element("dt", "Finding ids"), element("dd", names.join(", ")));
      return list;
    }

    /** @param {number} row */
    alike(row) {
      return this.data.groups.flatMap((kind, number) => {
        const group = kind.rows[row];
        const others = (this.members[number].get(group) ?? []).filter((other) => other !== row);
        if (group < 0 || !others.length) return [];
        const title = element("h3", `${kind.title}: ${Units.counted(others.length, "other model", "other models")}`);
        const list = document.createElement("ul");
        for (const other of others.slice(0, LISTED)) {
          const line = document.createElement("li");
          line.append(button(this.data.names[other], () => this.actions.select(other)));
          list.append(line);
        }
        return [title, list, button(`Show all ${Units.integer(others.length + 1)}`, () => this.actions.group(number, group))];
      });
    }
  }

  /**
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag @param {string} text @param {string} [name]
   */
  function element(tag, text, name = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  /** @param {string} text @param {() => void} act */
  function button(text, act) {
    const made = element("button", text, "link");
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  return { Details };
})();
