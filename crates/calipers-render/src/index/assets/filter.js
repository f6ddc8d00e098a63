// @ts-check
// Which models are shown: the words that are searched for, and the values that are chosen.

const Filter = (() => {
  class Filter {
    /** @param {IndexData} data */
    constructor(data) {
      this.count = data.names.length;
      this.facets = [...data.facets, ...alike(data)];
      this.groups = data.groups;
      /** The values of all models, one behind the other. */
      this.values = this.facets.map((facet) => flattened(facet.values));
      /** What is searched, in small letters. */
      this.texts = data.names.map((name, row) => searched(data, name, row));
      this.words = "";
      /** The values that are chosen, of each facet. @type {Set<number>[]} */
      this.chosen = this.facets.map(() => new Set());
      /** A group of models that are alike, and how. @type {{ kind: number, group: number } | null} */
      this.group = null;
      /** The models that are shown. @type {number[]} */
      this.rows = [];
      /** The models of each value that would be shown if it were chosen. */
      this.counts = this.facets.map((facet) => new Int32Array(facet.names.length));
      this.apply();
    }

    /** Finds the models that are shown, in one pass. */
    apply() {
      const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
      const group = this.group && this.groups[this.group.kind].rows;
      const active = this.chosen.map((chosen) => chosen.size > 0);
      this.counts.forEach((counts) => counts.fill(0));
      /** @type {number[]} */
      const rows = [];
      for (let row = 0; row < this.count; row++) {
        if (group && group[row] !== this.group?.group) continue;
        const text = this.texts[row];
        if (!words.every((word) => text.includes(word))) continue;
        // The facet that alone hides the model; its own values count as if none of them was chosen.
        let hidden = -1, times = 0;
        for (let i = 0; i < active.length && times < 2; i++) {
          if (!active[i]) continue;
          const { all, start } = this.values[i];
          let isChosen = false;
          for (let at = start[row]; at < start[row + 1] && !isChosen; at++) isChosen = this.chosen[i].has(all[at]);
          if (!isChosen) {
            hidden = i;
            times++;
          }
        }
        if (times > 1) continue;
        if (times === 0) rows.push(row);
        const from = times ? hidden : 0, to = times ? hidden + 1 : this.facets.length;
        for (let i = from; i < to; i++) {
          const { all, start } = this.values[i];
          const counts = this.counts[i];
          for (let at = start[row]; at < start[row + 1]; at++) counts[all[at]]++;
        }
      }
      this.rows = rows;
    }

    /** Whether anything is hidden. */
    get isActive() {
      return Boolean(this.words.trim()) || this.group !== null || this.chosen.some((chosen) => chosen.size > 0);
    }

    clear() {
      this.words = "";
      this.group = null;
      this.chosen.forEach((chosen) => chosen.clear());
    }

    /** The filter as the fragment of an address. */
    address() {
      const parts = new URLSearchParams();
      if (this.words.trim()) parts.set("q", this.words.trim());
      this.facets.forEach((facet, i) => this.chosen[i].forEach((value) => parts.append(facet.id, facet.names[value])));
      if (this.group) parts.set(this.groups[this.group.kind].id, String(this.group.group));
      return parts;
    }

    /** Takes over what an address says; what this index does not have is left out. @param {URLSearchParams} parts */
    follow(parts) {
      this.clear();
      this.words = parts.get("q") ?? "";
      this.facets.forEach((facet, i) => {
        for (const name of parts.getAll(facet.id)) {
          const value = facet.names.indexOf(name);
          if (value >= 0) this.chosen[i].add(value);
        }
      });
      this.groups.forEach((kind, number) => {
        const group = Number(parts.get(kind.id) ?? -1);
        if (group >= 0 && kind.rows.includes(group)) this.group = { kind: number, group };
      });
    }
  }

  /** Lists one behind the other, and where each starts. @param {number[][]} lists */
  function flattened(lists) {
    const start = new Int32Array(lists.length + 1);
    lists.forEach((list, row) => { start[row + 1] = start[row] + list.length; });
    const all = new Int32Array(start[lists.length]);
    lists.forEach((list, row) => all.set(list, start[row]));
    return { all, start };
  }

  /** The facet of models that are like others. @param {IndexData} data @returns {FacetData[]} */
  function alike({ groups, names }) {
    if (!groups.length) return [];
    const values = names.map((_, row) => groups.flatMap((kind, i) => (kind.rows[row] >= 0 ? [i] : [])));
    return [{ id: "duplicates", title: "Duplicates", names: groups.map((kind) => kind.title), values }];
  }

  /** @param {IndexData} data @param {string} name @param {number} row */
  function searched(data, name, row) {
    const texts = [data.folder + name, data.errors[row] ?? ""];
    for (const column of data.columns) if (!column.figures) texts.push(column.texts[column.rows[row]]);
    for (const column of data.details) texts.push(column.texts[column.rows[row]]);
    for (const facet of data.facets) for (const value of facet.values[row]) texts.push(facet.names[value]);
    return texts.join("\n").toLowerCase();
  }

  return { Filter };
})();
