// @ts-check
// What differs between the two graphs, with lookups.

const Changes = (() => {
  /** @type {Record<ChangeClass, string>} Symbols, so that no color is needed to read them. */
  const SYMBOLS = { added: "+", removed: "−", changed: "~" };
  /** @type {ChangeClass[]} */
  const CLASSES = ["added", "removed", "changed"];
  /** @type {Record<string, ChangeClass | undefined>} */
  const BY_LETTER = { a: "added", r: "removed", c: "changed" };

  /** @returns {Counts} */
  const none = () => ({ added: 0, removed: 0, changed: 0 });
  /** @param {Side} side @returns {Side} */
  const otherSide = (side) => (side === 0 ? 1 : 0);

  // Shared nodes that a search for the nearest one looks at.
  const MOST_STEPS = 2000;

  class ChangeSet {
    /** @param {ComparisonData} data @param {Graph[]} graphs */
    constructor(data, graphs) {
      this.data = data;
      this.graphs = graphs;
      /** For each side: the node of the other one, -1 for none. */
      this.counterparts = graphs.map((graph) => new Int32Array(graph.count).fill(-1));
      const [from, to] = data.pairs;
      from.forEach((a, i) => {
        this.counterparts[0][a] = to[i];
        this.counterparts[1][to[i]] = a;
      });
      /** @type {Change[]} */
      this.all = [];
      /** @param {ChangeClass} kind @param {number} place @param {number | null} a @param {number | null} b */
      const add = (kind, place, a, b) => {
        this.all.push({ kind, a: a ?? -1, b: b ?? -1, place, unplaced: data.unplaced[this.all.length] });
      };
      data.removed.forEach((a, place) => add("removed", place, a, null));
      data.added.forEach((b, place) => add("added", place, null, b));
      data.changed.a.forEach((a, place) => add("changed", place, a, data.changed.b[place]));
      this.moved = new Set(data.changed.moved);
      /** For each side: the number of a node's change. @type {Map<number, number>[]} */
      this.numbers = [new Map(), new Map()];
      this.all.forEach((change, number) => {
        if (change.a >= 0) this.numbers[0].set(change.a, number);
        if (change.b >= 0) this.numbers[1].set(change.b, number);
      });
      this.groups = this.grouped();
      this.inside = graphs.map((_, side) => this.count(side));
      /** @type {Map<number, number | null>[]} */
      this.groupCounterparts = [new Map(), new Map()];
    }

    /** Groups with the numbers of their changes; those of no group are in the last one. */
    grouped() {
      const { removed, added } = this.data;
      const [addedFrom, changedFrom] = [removed.length, removed.length + added.length];
      const rest = new Uint8Array(this.all.length).fill(1);
      const groups = this.data.groups.map(({ text, ...lists }) => {
        const numbers = [...lists.removed, ...lists.added.map((i) => addedFrom + i), ...lists.changed.map((i) => changedFrom + i)]
          .filter((number) => number < this.all.length);
        for (const number of numbers) rest[number] = 0;
        return { text, numbers };
      });
      /** @type {number[]} */
      const left = [];
      rest.forEach((isLeft, number) => { if (isLeft) left.push(number); });
      if (left.length) groups.push({ text: groups.length ? "Other changes" : "All changes", numbers: left });
      return groups;
    }

    /** What each group of a graph holds, at any depth, and each node in its subgraphs. @param {number} side */
    count(side) {
      const graph = this.graphs[side];
      const groups = graph.groups.map(none);
      /** @type {Map<number, Counts>} */
      const nodes = new Map();
      /** Subgraphs are in the node that runs them. @type {Map<number, number>} */
      const owners = new Map();
      for (const [node, list] of Object.entries(graph.nodes.groups)) for (const group of list) owners.set(group, Number(node));
      for (let node = 0; node < graph.count; node++) {
        const kind = BY_LETTER[this.data.status[side][node]];
        if (!kind) continue;
        /** @type {number | null} */
        let at = graph.nodes.group[node];
        // A function that several nodes call has one owner, and no node is in itself: the path ends.
        for (let steps = 0; at !== null && steps < 1000; steps++) {
          groups[at][kind]++;
          const owner = owners.get(at);
          if (owner !== undefined) {
            const counts = nodes.get(owner) ?? none();
            counts[kind]++;
            nodes.set(owner, counts);
          }
          at = graph.groups[at].parent;
        }
      }
      return { groups, nodes };
    }

    /** @param {Side} side @param {number} node @returns {ChangeClass | undefined} */
    status(side, node) { return BY_LETTER[this.data.status[side][node]]; }

    /** What a change is about: one node, by the second model where it has it. @param {Change} change @returns {[Side, number]} */
    subject(change) { return change.b >= 0 ? [1, change.b] : [0, change.a]; }

    /** @param {Change} change */
    op(change) {
      if (change.unplaced) return change.unplaced[0];
      const [a, b] = [change.a < 0 ? null : this.graphs[0].op(change.a), change.b < 0 ? null : this.graphs[1].op(change.b)];
      return a !== null && b !== null && a !== b ? `${a} → ${b}` : b ?? a ?? "";
    }

    /** @param {Change} change */
    name(change) {
      if (change.unplaced) return change.unplaced[1];
      const [side, node] = this.subject(change);
      return this.graphs[side].nodes.name[node];
    }

    /** What differs, as display names. @param {Change} change */
    what(change) {
      if (change.kind !== "changed") return [];
      const names = new Map(this.data.kinds.map(([id, name]) => [id, name]));
      const list = (this.data.changed.what[change.place] ?? []).map((id) => names.get(id) ?? id);
      return this.moved.has(change.place) ? [...list, "order of execution"] : list;
    }

    /** The group of the other graph with most of a group's nodes; null where none has some. @param {Side} side @param {number} group */
    groupCounterpart(side, group) {
      const known = this.groupCounterparts[side].get(group);
      if (known !== undefined) return known;
      const found = this.findGroup(side, group);
      this.groupCounterparts[side].set(group, found);
      return found;
    }

    /** @param {Side} side @param {number} group */
    findGroup(side, group) {
      const [graph, other] = [this.graphs[side], this.graphs[otherSide(side)]];
      // Only the main graph has no parent and comes first.
      if (group === 0) return 0;
      /** Whether a group is the group or in it. @type {Map<number, boolean>} */
      const isInside = new Map([[group, true]]);
      /** @param {number | null} at @returns {boolean} */
      const inside = (at) => {
        if (at === null) return false;
        let answer = isInside.get(at);
        if (answer === undefined) {
          answer = inside(graph.groups[at].parent);
          isInside.set(at, answer);
        }
        return answer;
      };
      /** @type {Map<number, number>} */
      const shared = new Map();
      const [own, theirs] = side === 0 ? this.data.pairs : [...this.data.pairs].reverse();
      own.forEach((node, i) => {
        if (!inside(graph.nodes.group[node])) return;
        /** @type {number | null} */
        let at = other.nodes.group[theirs[i]];
        for (; at !== null; at = other.groups[at].parent) shared.set(at, (shared.get(at) ?? 0) + 1);
      });
      const { count, kind, name } = graph.groups[group];
      let best = null, most = 0;
      for (const [number, nodes] of shared) {
        const it = other.groups[number];
        // Of groups around the same nodes, the one of the same kind and name.
        const score = nodes / (count + it.count - nodes) + (it.kind === kind ? 0.02 : 0) + (it.name === name ? 0.01 : 0);
        if (number !== 0 && score > most) [best, most] = [number, score];
      }
      return best;
    }

    /** The node of the other graph that is nearest to one that only this graph has; -1 for none. @param {Side} side @param {number} node */
    nearest(side, node) {
      const graph = this.graphs[side];
      const { producers, consumers } = graph.flow;
      const seen = new Set([node]);
      const open = [node];
      for (let i = 0; i < open.length && i < MOST_STEPS; i++) {
        const counterpart = this.counterparts[side][open[i]];
        if (counterpart >= 0) return counterpart;
        const before = graph.nodes.inputs[open[i]].map((value) => (value === null ? -1 : producers[value]));
        const after = graph.nodes.outputs[open[i]].flatMap((value) => (value === null ? [] : consumers.get(value) ?? []));
        for (const next of [...before, ...after]) {
          if (next >= 0 && !seen.has(next)) { seen.add(next); open.push(next); }
        }
      }
      return -1;
    }
  }

  return { ChangeSet, SYMBOLS, CLASSES, otherSide };
})();
