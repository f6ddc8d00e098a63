// @ts-check
// The list of changes, its filters, and the way from one change to the next.

const ChangeList = (() => {
  const { element } = Panel;
  // Changes of a group, and groups, that are listed at once.
  const STEP = 100;
  // Changes up to which a filter expands all groups.
  const FEW = 60;
  // Operators to choose from.
  const MOST_OPERATORS = 300;

  /** A group; of its changes those from one place to another are listed. @typedef {{ text: string, numbers: number[], from: number, to: number, isOpen: boolean }} Listed */

  class List {
    /** @param {ChangeSet} changes @param {Sides} sides */
    constructor(changes, sides) {
      this.changes = changes;
      this.sides = sides;
      this.place = byId("changes");
      this.count = byId("change-count");
      this.find = asType("find", HTMLInputElement);
      this.kind = asType("change-kind", HTMLSelectElement);
      this.op = asType("change-op", HTMLSelectElement);
      // Groups that are listed.
      this.most = STEP;
      /** The group that alone is not faint. @type {number | null} */
      this.chosen = null;
      // The number of the current change; -1 for none.
      this.at = -1;
      /** @type {Listed[]} */
      this.groups = changes.groups.map(({ text, numbers }) => ({ text, numbers, from: 0, to: STEP, isOpen: changes.groups.length === 1 }));
      /** @type {Uint8Array} */
      this.matches = new Uint8Array(changes.all.length).fill(1);
      /** Numbers in the order of the list, each once. @type {number[]} */
      this.order = [];
      this.options();
      for (const control of [this.find, this.kind, this.op]) control.addEventListener("input", () => this.filter());
      byId("change-reset").addEventListener("click", () => this.reset());
      this.place.addEventListener("keydown", (event) => this.key(event));
      this.filter();
    }

    options() {
      const { changes } = this;
      const counts = new Map();
      /** @type {Map<string, number>} */
      const operators = new Map();
      for (const change of changes.all) {
        const keys = [change.kind, ...(change.kind === "changed" ? (changes.data.changed.what[change.place] ?? []).map((id) => `changed/${id}`) : [])];
        for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
        const op = changes.op(change);
        operators.set(op, (operators.get(op) ?? 0) + 1);
      }
      /** @param {HTMLSelectElement} select @param {string} value @param {string} words @param {number} count */
      const add = (select, value, words, count) => {
        const option = element("option", `${words} (${Units.integer(count)})`);
        option.value = value;
        select.append(option);
      };
      for (const kind of Changes.CLASSES) if (counts.has(kind)) add(this.kind, kind, kind, counts.get(kind));
      for (const [id, name] of changes.data.kinds) {
        if (counts.has(`changed/${id}`)) add(this.kind, `changed/${id}`, `changed: ${name}`, counts.get(`changed/${id}`));
      }
      const byCount = [...operators].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      for (const [op, count] of byCount.slice(0, MOST_OPERATORS)) add(this.op, op, op, count);
    }

    get isFiltered() { return Boolean(this.find.value.trim() || this.kind.value || this.op.value); }

    reset() {
      this.find.value = this.kind.value = this.op.value = "";
      this.chosen = null;
      this.filter();
    }

    filter() {
      const { changes } = this;
      const wanted = this.find.value.trim().toLowerCase();
      const [kind, what] = this.kind.value.split("/");
      const op = this.op.value;
      let count = 0;
      changes.all.forEach((change, number) => {
        const matches = (!kind || change.kind === kind) && (!what || changes.data.changed.what[change.place]?.includes(what))
          && (!op || changes.op(change) === op) && (!wanted || this.names(change).some((name) => name.toLowerCase().includes(wanted)));
        this.matches[number] = matches ? 1 : 0;
        if (matches) count++;
      });
      if (this.isFiltered && count <= FEW) for (const group of this.groups) group.isOpen = true;
      const total = changes.all.length;
      this.count.textContent = this.isFiltered
        ? `${Units.integer(count)} of ${Units.counted(total, "change", "changes")}` : Units.counted(total, "change", "changes");
      const seen = new Uint8Array(total);
      this.order = [];
      for (const { numbers } of this.groups) {
        for (const number of numbers) {
          if (!this.matches[number] || seen[number]) continue;
          seen[number] = 1;
          this.order.push(number);
        }
      }
      if (!this.matches[this.at]) this.at = -1;
      this.dim();
      this.draw();
    }

    /** @param {Change} change */
    names({ a, b, unplaced }) {
      if (unplaced) return [unplaced[1]];
      const [first, second] = this.changes.graphs;
      return [...(a < 0 ? [] : [first.nodes.name[a]]), ...(b < 0 ? [] : [second.nodes.name[b]])];
    }

    // What does not match is faint in both graphs.
    dim() {
      if (!this.isFiltered && this.chosen === null) return this.sides.keep(null);
      /** @type {Set<number>[]} */
      const kept = [new Set(), new Set()];
      const numbers = this.chosen === null ? this.order : this.groups[this.chosen].numbers;
      for (const number of numbers) {
        if (!this.matches[number]) continue;
        const { a, b } = this.changes.all[number];
        if (a >= 0) kept[0].add(a);
        if (b >= 0) kept[1].add(b);
      }
      this.sides.keep(kept);
    }

    draw() {
      const list = element("ul", undefined, "changes");
      let left = this.most;
      this.groups.forEach((group, place) => {
        const numbers = group.numbers.filter((number) => this.matches[number]);
        if (this.isFiltered && !numbers.length) return;
        if (left-- <= 0) return;
        list.append(this.group(group, place, numbers));
      });
      if (left < 0) list.append(this.more(-left, "groups", () => { this.most += STEP; this.draw(); }));
      const { scrollTop } = this.place;
      this.place.replaceChildren(list);
      if (!this.changes.all.length) this.place.replaceChildren(element("p", "No node differs."));
      else if (!list.childElementCount) this.place.replaceChildren(element("p", "No change matches the filters."));
      this.place.scrollTop = scrollTop;
    }

    /** @param {Listed} group @param {number} place @param {number[]} numbers */
    group(group, place, numbers) {
      const item = element("li");
      const head = element("button", undefined, "quiet group-head");
      head.type = "button";
      head.dataset.group = String(place);
      if (numbers.length) head.setAttribute("aria-expanded", String(group.isOpen));
      const words = element("span", undefined, "words");
      words.append(...this.marks(numbers), ...Details.quoted(group.text));
      head.append(element("span", numbers.length ? group.isOpen ? "▾" : "▸" : "", "twist"), words);
      head.addEventListener("click", () => this.choose(place, numbers));
      item.append(head);
      if (!group.isOpen || !numbers.length) return item;
      const inner = element("ul");
      // A filter leaves fewer.
      const from = Math.min(group.from, Math.max(0, numbers.length - STEP));
      if (from > 0) inner.append(this.more(from, "changes before", () => { group.from = Math.max(0, from - STEP); this.draw(); }));
      inner.append(...numbers.slice(from, group.to).map((number) => this.entry(number)));
      const rest = numbers.length - group.to;
      if (rest > 0) inner.append(this.more(rest, "changes", () => { group.to += STEP; this.draw(); }));
      item.append(inner);
      return item;
    }

    /** @param {number[]} numbers */
    marks(numbers) {
      return Changes.CLASSES.flatMap((kind) => {
        let count = 0;
        for (const number of numbers) if (this.changes.all[number].kind === kind) count++;
        return count ? [element("span", Changes.SYMBOLS[kind] + Units.integer(count), `mark ${kind}`), " "] : [];
      });
    }

    /** @param {number} number */
    entry(number) {
      const { changes } = this;
      const change = changes.all[number];
      const item = element("li");
      const button = element("button", undefined, "quiet entry");
      button.type = "button";
      button.dataset.change = String(number);
      if (number === this.at) button.setAttribute("aria-current", "true");
      const words = element("span", undefined, "words");
      words.append(element("b", changes.op(change)), " ", ...Details.breakable(changes.name(change)));
      const what = changes.what(change);
      if (what.length) words.append(element("small", what.join(", ")));
      const mark = element("span", Changes.SYMBOLS[change.kind], `mark ${change.kind}`);
      mark.setAttribute("aria-label", change.kind);
      mark.setAttribute("role", "img");
      button.append(mark, words);
      button.addEventListener("click", () => this.go(number));
      item.append(button);
      return item;
    }

    /** @param {number} rest @param {string} what @param {() => void} act */
    more(rest, what, act) {
      const item = element("li");
      const button = element("button", `Show more (${Units.integer(rest)} ${what})`, "more");
      button.type = "button";
      button.addEventListener("click", act);
      item.append(button);
      return item;
    }

    /** Expands a group and shows its first change in both graphs; collapses it. @param {number} place @param {number[]} numbers */
    choose(place, numbers) {
      if (!numbers.length) return;
      const group = this.groups[place];
      group.isOpen = !group.isOpen;
      this.chosen = group.isOpen ? place : null;
      this.dim();
      if (group.isOpen) this.go(numbers[0], false);
      else this.draw();
      this.place.querySelector(`[data-group="${place}"]`)?.scrollIntoView({ block: "nearest" });
      this.focus(`[data-group="${place}"]`);
    }

    /** @param {string} selector */
    focus(selector) {
      const found = this.place.querySelector(selector);
      if (found instanceof HTMLElement) found.focus({ preventScroll: true });
    }

    /** Goes to a change in both graphs. @param {number} number @param {boolean} [focusing] */
    go(number, focusing = true) {
      this.sides.show(this.changes.all[number]);
      this.mark(number);
      if (this.changes.all[number].unplaced) byId("said").textContent = "The graphs leave out this node: it is nested too deep.";
      if (focusing) this.focus(`[data-change="${number}"]`);
    }

    /** Marks a change in the list; -1 for none. @param {number} number */
    mark(number) {
      this.at = number;
      if (number >= 0 && this.matches[number]) {
        const isIn = (/** @type {Listed} */ group) => group.numbers.includes(number);
        const group = this.groups.find((it) => it.isOpen && isIn(it)) ?? this.groups.find(isIn);
        if (group) {
          group.isOpen = true;
          const place = group.numbers.filter((it) => this.matches[it]).indexOf(number);
          // Far away, only its neighbors are listed with it: a list of all would take a minute to draw.
          if (place < group.from || place >= group.to) {
            group.from = Math.max(0, place - STEP / 2);
            group.to = group.from + STEP;
          }
          this.most = Math.max(this.most, this.groups.indexOf(group) + 1);
        }
      }
      this.draw();
      const entry = this.place.querySelector(`[data-change="${number}"]`);
      if (!entry) return;
      // Only the list scrolls, not the page.
      const [own, outer] = [entry.getBoundingClientRect(), this.place.getBoundingClientRect()];
      if (own.top < outer.top || own.bottom > outer.bottom) {
        this.place.scrollTop += own.top - outer.top - (outer.height - own.height) / 2;
      }
    }

    /** Goes to the next or the previous change. @param {1 | -1} by */
    step(by) {
      const { order } = this;
      if (!order.length) return;
      const at = order.indexOf(this.at);
      const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length;
      this.go(order[next], false);
    }

    /** Arrow keys move between the entries. @param {KeyboardEvent} event */
    key(event) {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      const buttons = [...this.place.querySelectorAll("button")];
      const at = buttons.findIndex((it) => it === document.activeElement);
      const next = buttons[at + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
    }
  }

  return { List };
})();
