// The graph as it stands in the page's data, with what is asked of it often.

const Model = (() => {
  async function read() {
    const element = document.getElementById("data");
    if (element.dataset.form !== "deflate") return JSON.parse(element.textContent);
    const letters = atob(element.textContent);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).json();
  }

  const ROOM = 0, NODE = 1, INPUT = 2, OUTPUT = 3, ENTRY = 4, EXIT = 5;

  class Graph {
    constructor(data) {
      Object.assign(this, data);
      this.count = data.nodes.name.length;
    }

    text(number) { return this.texts[number]; }
    op(node) { return this.texts[this.nodes.op[node]]; }
    shape(value) { return this.texts[this.values.shape[value]]; }
    dtype(value) { return this.texts[this.values.dtype[value]]; }

    // The room and those around it, outermost first.
    path(room) {
      const path = [];
      for (let at = room; at !== null && at !== undefined; at = this.rooms[at].parent) path.unshift(at);
      return path;
    }

    // The part of the network that a node belongs to: its outermost room below the graph.
    block(node) {
      const path = this.path(this.nodes.room[node]).filter((room) => this.rooms[room].kind !== "stretch");
      return path.length > 1 ? this.rooms[path[1]].name : "";
    }

    get byName() {
      if (!this._byName) {
        this._byName = new Map();
        for (let i = this.count - 1; i >= 0; i--) this._byName.set(this.nodes.name[i], i);
      }
      return this._byName;
    }

    // Who gives a value, and who reads it.
    get flow() {
      if (this._flow) return this._flow;
      const givers = new Int32Array(this.values.name.length).fill(-1);
      const readers = new Map();
      for (let node = 0; node < this.count; node++) {
        for (const value of this.nodes.outputs[node]) if (value !== null) givers[value] = node;
        for (const value of this.nodes.inputs[node]) {
          if (value === null) continue;
          if (!readers.has(value)) readers.set(value, []);
          readers.get(value).push(node);
        }
      }
      return (this._flow = { givers, readers });
    }

    // All nodes on ways to a node and from it.
    paths(start) {
      const { givers, readers } = this.flow;
      const [before, after] = [new Set(), new Set()];
      const walk = (seen, next) => {
        const open = [start];
        while (open.length) {
          for (const node of next(open.pop())) {
            if (node >= 0 && !seen.has(node)) { seen.add(node); open.push(node); }
          }
        }
      };
      const present = (values) => values.filter((value) => value !== null);
      walk(before, (node) => present(this.nodes.inputs[node]).map((value) => givers[value]));
      walk(after, (node) => present(this.nodes.outputs[node]).flatMap((value) => readers.get(value) ?? []));
      return { before, after };
    }

    // Rooms around nodes.
    around(nodes) {
      const rooms = new Set();
      for (const node of nodes) {
        for (let at = this.nodes.room[node]; at !== null && !rooms.has(at); at = this.rooms[at].parent) rooms.add(at);
      }
      return rooms;
    }

    // The type that a node computes in: that of what it gives.
    precision(node) {
      const value = this.nodes.outputs[node].find((value) => value !== null);
      return value === undefined ? "none" : this.dtype(value);
    }
  }

  return { read, Graph, ROOM, NODE, INPUT, OUTPUT, ENTRY, EXIT };
})();
