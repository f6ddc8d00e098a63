// @ts-check
// The graph in the page's data, with lookups.

const Model = (() => {
  /** @param {(number | null)[]} values */
  const present = (values) => values.filter((value) => value !== null);

  class Graph {
    /** @param {GraphData} data */
    constructor(data) {
      this.nodes = data.nodes;
      this.values = data.values;
      this.groups = data.groups;
      this.texts = data.texts;
      this.count = data.nodes.name.length;
    }

    /** @param {number} number */
    text(number) { return this.texts[number]; }
    /** @param {number} node */
    op(node) { return this.texts[this.nodes.op[node]]; }
    /** @param {number} value */
    shape(value) { return this.texts[this.values.shape[value]]; }
    /** @param {number} value */
    dtype(value) { return this.texts[this.values.dtype[value]]; }

    /** The first output of a node. @param {number} node */
    output(node) { return this.nodes.outputs[node].find((value) => value !== null) ?? null; }

    /** The second line of a box: figures of a group at the chosen sizes, else text. @param {Kind} kind @param {number} id @param {number} text */
    note(kind, id, text) {
      if (kind !== "group") return this.texts[text];
      const { count, macs } = this.groups[id];
      const nodes = Units.counted(count, "node", "nodes");
      return macs === null || !Number(macs) ? nodes : `${nodes} · ${Units.operations(macs, "MACs")}`;
    }

    /** The group and those around it, outermost first. @param {number} group */
    path(group) {
      /** @type {number[]} */
      const path = [];
      /** @type {number | null} */
      let at = group;
      for (; at !== null; at = this.groups[at].parent) path.unshift(at);
      return path;
    }

    /** The part of the network that a node belongs to: its outermost group below the graph. @param {number} node */
    block(node) {
      const path = this.path(this.nodes.group[node]).filter((group) => this.groups[group].kind !== "segment");
      return path.length > 1 ? this.groups[path[1]].name : "";
    }

    /** Nodes by their names, the first one of several. @returns {Map<string, number>} */
    get byName() {
      /** @type {Map<string, number>} */
      const nodes = new Map();
      for (let i = this.count - 1; i >= 0; i--) nodes.set(this.nodes.name[i], i);
      Object.defineProperty(this, "byName", { value: nodes });
      return nodes;
    }

    /**
     * The producer of each value, -1 for none, and its consumers.
     * @returns {{ producers: Int32Array, consumers: Map<number, number[]> }}
     */
    get flow() {
      const producers = new Int32Array(this.values.name.length).fill(-1);
      /** @type {Map<number, number[]>} */
      const consumers = new Map();
      for (let node = 0; node < this.count; node++) {
        for (const value of present(this.nodes.outputs[node])) producers[value] = node;
        for (const value of present(this.nodes.inputs[node])) {
          const list = consumers.get(value);
          if (list) list.push(node);
          else consumers.set(value, [node]);
        }
      }
      const flow = { producers, consumers };
      Object.defineProperty(this, "flow", { value: flow });
      return flow;
    }

    /** All nodes on paths to a node and from it. @param {number} start */
    paths(start) {
      const { producers, consumers } = this.flow;
      /** @param {(node: number) => number[]} next */
      const walk = (next) => {
        /** @type {Set<number>} */
        const seen = new Set();
        const open = [start];
        for (let at = open.pop(); at !== undefined; at = open.pop()) {
          for (const node of next(at)) {
            if (node >= 0 && !seen.has(node)) { seen.add(node); open.push(node); }
          }
        }
        return seen;
      };
      const before = walk((node) => present(this.nodes.inputs[node]).map((value) => producers[value]));
      const after = walk((node) => present(this.nodes.outputs[node]).flatMap((value) => consumers.get(value) ?? []));
      return { before, after };
    }

    /** Groups around nodes. @param {Iterable<number>} nodes */
    around(nodes) {
      /** @type {Set<number>} */
      const groups = new Set();
      for (const node of nodes) {
        /** @type {number | null} */
        let at = this.nodes.group[node];
        for (; at !== null && !groups.has(at); at = this.groups[at].parent) groups.add(at);
      }
      return groups;
    }

    /** The type of a node's first output. @param {number} node */
    precision(node) {
      const value = this.output(node);
      return value === null ? "none" : this.dtype(value);
    }
  }

  return { Graph };
})();
