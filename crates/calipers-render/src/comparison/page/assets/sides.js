// @ts-check
// Both graphs, side by side: colors by status, and one selection.

const Linked = (() => {
  /** Colors of a status: ink on paper, both of the style sheet. */
  class Palette {
    constructor() {
      const style = getComputedStyle(document.documentElement);
      /** @param {string} name */
      const pick = (name) => style.getPropertyValue(`--${name}`).trim();
      /** @param {string} name */
      const pair = (name) => ({ ink: pick(name), paper: pick(`${name}-paper`) });
      this.added = pair("fine");
      this.removed = pair("error");
      this.changed = pair("warning");
    }
  }

  // The smallest scale at which letters can be read.
  const LEAST_SCALE = 0.65;

  /** Borders of a status differ without color too. @type {Record<ChangeClass, number[]>} */
  const DASHES = { added: [], removed: [6, 4], changed: [2, 3] };

  class StatusFilling extends Paint.Filling {
    /** @param {View} view @param {ChangeSet} changes @param {Side} side */
    constructor(view, changes, side) {
      super("status", view.graph, [], view.colors);
      this.changes = changes;
      this.side = side;
      this.palette = new Palette();
    }

    /** @param {Labeled} box @returns {Counts | null} */
    counts({ kind, id }) {
      const { groups, nodes } = this.changes.inside[this.side];
      if (kind === "group") return groups[id];
      return kind === "node" ? nodes.get(id) ?? null : null;
    }

    /** What the color of a box shows: what became of a node, or of all changed nodes in a group. @param {Labeled} box @returns {ChangeClass | null} */
    status(box) {
      const own = box.kind === "node" ? this.changes.status(this.side, box.id) : undefined;
      const counts = this.counts(box);
      if (own || !counts) return own ?? null;
      const kinds = Changes.CLASSES.filter((kind) => counts[kind]);
      return kinds.length > 1 ? "changed" : kinds[0] ?? null;
    }

    /** @param {Labeled} box */
    of(box) {
      const status = this.status(box);
      if (status) return this.palette[status].paper;
      return box.kind === "group" ? this.colors.ground : super.of(box);
    }

    /** @param {Labeled} box @returns {Outline | null} */
    outline(box) {
      const status = this.status(box);
      // Groups have a badge, and dashes would read as a status of the group itself.
      if (status) return { color: this.palette[status].ink, dash: box.kind === "node" ? DASHES[status] : [] };
      return box.kind === "group" ? { color: this.colors.edge, dash: [] } : null;
    }

    /** @param {Labeled} box @returns {Badge[]} */
    badges(box) {
      /** @param {ChangeClass} kind @param {number} [count] @returns {Badge} */
      const badge = (kind, count) => ({
        text: Changes.SYMBOLS[kind] + (count === undefined ? "" : Units.integer(count)),
        fill: this.palette[kind].ink, ink: this.palette[kind].paper,
      });
      const own = box.kind === "node" ? this.changes.status(this.side, box.id) : undefined;
      const counts = this.counts(box);
      const inner = counts ? Changes.CLASSES.filter((kind) => counts[kind]).map((kind) => badge(kind, counts[kind])) : [];
      return own ? [badge(own), ...inner] : inner;
    }

    /** @returns {[string, string][]} */
    legend() {
      const words = this.side === 0 ? /** @type {const} */ (["removed", "changed"]) : /** @type {const} */ (["added", "changed"]);
      return [
        ...words.map((kind) => /** @type {[string, string]} */ ([this.palette[kind].paper, `${Changes.SYMBOLS[kind]} ${kind}`])),
        [this.colors.paper, "unchanged"],
      ];
    }
  }

  // The two viewers.
  class Sides {
    /** @param {ChangeSet} changes @param {Record<string, () => void>} keys */
    constructor(changes, keys) {
      this.changes = changes;
      this.link = asType("link", HTMLInputElement);
      // While one side follows the other one, what it reports is not followed.
      this.isFollowing = false;
      /** What is selected on each side. @type {(Labeled | null)[]} */
      this.selected = [null, null];
      /** @type {() => void} */
      this.onSelect = () => {};
      this.views = changes.graphs.map((graph, place) => {
        const side = /** @type {Side} */ (place);
        const letter = "ab"[side];
        const view = new Viewer.View(graph, changes.data.labels[side], {
          canvas: `canvas-${letter}`, minimap: `minimap-${letter}`, legend: `legend-${letter}`, covered: 0,
          fill: (it) => new StatusFilling(it, changes, side), keys,
        });
        Panel.crumbs(graph, view, `crumbs-${letter}`);
        const crumbs = view.onMove;
        view.onMove = () => { crumbs(); this.moved(side); };
        view.onSelect = (box) => this.chosen(side, box);
        view.onToggle = (group) => this.toggled(side, group);
        return view;
      });
      this.start();
    }

    // Both begin with the same groups expanded: those of the side that expands fewer.
    start() {
      const isClosed = this.views.some(({ open }) => !open.size);
      for (const view of this.views) {
        if (isClosed) view.open.clear();
        view.lay();
        view.start();
        const { scene, width, height } = view;
        // Badges show where the changes are, so the whole graph is worth small letters.
        if (Math.min(width / scene.width, height / scene.height) < LEAST_SCALE) continue;
        view.fit();
        // Labels of lines are beyond the outermost boxes.
        view.zoom(Viewer.ZOOM_OUT);
      }
    }

    get isLinked() { return this.link.checked; }

    /** Runs without following what it does. @param {() => void} act */
    quietly(act) {
      const before = this.isFollowing;
      this.isFollowing = true;
      try { act(); } finally { this.isFollowing = before; }
    }

    /** @param {Side} side @param {Labeled | null} box */
    chosen(side, box) {
      const last = this.selected[side];
      const isSame = box?.kind === last?.kind && box?.id === last?.id;
      this.selected[side] = box;
      if (this.isFollowing || isSame) return;
      const other = Changes.otherSide(side);
      if (this.isLinked) this.quietly(() => this.follow(side, box));
      // Otherwise the details are those of one side.
      else if (box) this.quietly(() => this.views[other].select(null));
      this.onSelect();
    }

    /** Selects the counterpart on the other side. @param {Side} side @param {Labeled | null} box */
    follow(side, box) {
      const view = this.views[Changes.otherSide(side)];
      const { changes } = this;
      if (box?.kind === "node") {
        const counterpart = changes.counterparts[side][box.id];
        if (counterpart >= 0) return view.show(counterpart);
        const near = changes.nearest(side, box.id);
        if (near >= 0) view.show(near);
      } else if (box?.kind === "group") {
        const group = changes.groupCounterpart(side, box.id);
        if (group) return view.showGroup(group, view.open.has(group));
      } else if (box?.kind === "input" || box?.kind === "output") {
        const name = changes.graphs[side].values.name[box.id];
        const port = view.scene.boxes.find((it) => it.kind === box.kind && view.graph.values.name[it.id] === name);
        if (port) return view.go(port);
      }
      view.select(null);
    }

    /** A group was expanded or collapsed: so is its counterpart. @param {Side} side @param {number} group */
    toggled(side, group) {
      if (this.isFollowing || !this.isLinked) return;
      const counterpart = this.changes.groupCounterpart(side, group);
      if (!counterpart) return;
      const isOpen = this.views[side].open.has(group);
      const view = this.views[Changes.otherSide(side)];
      this.quietly(() => {
        if (isOpen) for (const outer of view.graph.path(counterpart).slice(1)) view.open.add(outer);
        else view.open.delete(counterpart);
        view.lay(view.scene.boxes.find((box) => box.kind === "group" && box.id === counterpart));
      });
    }

    /** Another subgraph is shown: so is its counterpart. @param {Side} side */
    moved(side) {
      if (this.isFollowing || !this.isLinked) return;
      const counterpart = this.changes.groupCounterpart(side, this.views[side].root);
      const view = this.views[Changes.otherSide(side)];
      if (counterpart === null || counterpart === view.root) return;
      this.quietly(() => view.enter(counterpart, true));
    }

    /** Shows a node, and its counterpart. @param {Change} change */
    show(change) {
      const { views } = this;
      this.quietly(() => {
        if (change.unplaced) return views.forEach((view) => view.select(null));
        const [side, node] = this.changes.subject(change);
        views[side].show(node);
        this.follow(side, { kind: "node", id: node, title: "", note: "" });
      });
      this.onSelect();
    }

    /** Makes all nodes but these faint; null for none. @param {Set<number>[] | null} kept */
    keep(kept) {
      this.views.forEach((view, side) => {
        view.kept = kept && { nodes: kept[side], groups: view.graph.around(kept[side]) };
        view.draw();
      });
    }

    /** @param {(view: View) => void} act */
    each(act) { this.quietly(() => this.views.forEach(act)); }
  }

  return { Sides };
})();
