// @ts-check
// The viewer of the graph: a camera over the sheet, groups that expand and collapse, a selection.

const Viewer = (() => {
  const CLOSEST = 3, FARTHEST = 0.02;
  const ZOOM_IN = 1.25, ZOOM_OUT = 0.8;
  // Boxes that "expand one level" may add up to.
  const MOST_BOXES = 3000;
  // Boxes up to which groups are expanded at the start, and boxes of such a group.
  const FEW_BOXES = 9, FEW_ITEMS = 24;
  // Space for the legend, in pixels of the page.
  const TOP = 56;
  // Space around the whole sheet, in pixels of the sheet.
  const MARGIN = 20;
  // The longest side of a saved chart, which every browser's canvas can hold.
  const MOST_PIXELS = 8000;
  // Pixels that the pointer may move in a click.
  const CLICK = 4;

  /**
   * @typedef {object} Setup Where a viewer is in the page, and what it does differently there.
   * @property {string} canvas Identifiers of its elements.
   * @property {string} minimap
   * @property {string} legend
   * @property {number} covered Pixels of a wide stage that the panel covers.
   * @property {(view: View) => InstanceType<typeof Paint.Filling>} fill
   * @property {Record<string, () => void>} keys What further keys do.
   */

  /** @type {Setup} */
  const REPORT = {
    canvas: "canvas", minimap: "minimap", legend: "legend", covered: 340, keys: {},
    fill: ({ mode, graph, scene, colors }) => new Paint.Filling(mode, graph, scene.boxes, colors),
  };

  /** @param {Labeled} box @param {number} group */
  const keyOf = (box, group) => `${group}/${box.kind}/${box.id}`;

  /** @param {HTMLCanvasElement} canvas */
  const contextOf = (canvas) => {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("the browser cannot draw on a canvas");
    return context;
  };

  class View {
    /** @param {Graph} graph @param {string} file @param {Setup} [setup] */
    constructor(graph, file, setup = REPORT) {
      this.graph = graph;
      this.file = file;
      this.setup = setup;
      this.canvas = asType(setup.canvas, HTMLCanvasElement);
      this.minimap = asType(setup.minimap, HTMLCanvasElement);
      this.legend = byId(setup.legend);
      this.stage = this.canvas.parentElement ?? document.body;
      this.context = contextOf(this.canvas);
      this.colors = new Paint.Colors();
      this.mode = "class";
      // The group that is the whole sheet, and the ones before it.
      this.root = 0;
      /** @type {number[]} */
      this.back = [];
      /** @type {Set<number>} */
      this.open = new Set();
      /** @type {PlacedBox | null} */
      this.selected = null;
      /** @type {Marked | null} */
      this.marked = null;
      /** Where there are some, all other boxes are faint. @type {Kept | null} */
      this.kept = null;
      /** @type {Camera} */
      this.camera = { x: 0, y: 0, scale: 1 };
      // The size of the stage, and the pixels of the canvas for each of its own.
      this.width = this.height = 0;
      this.ratio = 1;
      this.scene = this.layOut();
      this.filling = setup.fill(this);
      /** @type {Map<string, PlacedBox>} */
      this.index = new Map();
      /** @type {{ scale: number, left: number, top: number } | null} */
      this.mapped = null;
      this.waiting = false;
      // Boxes that the last chart showed.
      this.painted = 0;
      /** @type {(box: (Labeled & { open?: boolean }) | null) => void} */
      this.onSelect = () => {};
      this.onMove = () => {};
      /** @type {(group: number) => void} */
      this.onToggle = () => {};
      this.listen();
      this.resize();
      this.lay();
      this.begin();
    }

    layOut() { return Paint.flatten(Layout.group(this.graph, this.root, this.open), this.graph); }

    // A few boxes show little, so groups are expanded; a group of repeats stays one box.
    begin() {
      for (let level = 0; level < 2 && this.scene.boxes.length < FEW_BOXES; level++) {
        for (const box of this.scene.boxes) {
          const group = box.kind === "group" ? this.graph.groups[box.id] : null;
          if (group && group.kind !== "repeat" && group.items.kind.length <= FEW_ITEMS) this.open.add(box.id);
        }
        this.lay();
      }
      this.start();
    }

    // The whole sheet where it can be read, else its top.
    start() {
      const { scene } = this;
      const whole = Math.min(this.width / (scene.width + 2 * MARGIN), (this.height - TOP) / (scene.height + 2 * MARGIN));
      const scale = Math.min(1.25, Math.max(1, whole));
      this.camera = { scale, x: (this.width - scene.width * scale) / 2, y: TOP };
      // Where it is wider than the stage, the first box is in the middle.
      const first = scene.boxes[0];
      if (first && scene.width * scale > this.width) this.camera.x = this.width / 2 - (first.x + first.width / 2) * scale;
      this.draw();
    }

    /** Lays the sheet out again; a box that is given keeps its place on the screen. @param {PlacedBox} [anchor] */
    lay(anchor) {
      const before = anchor && this.screen(anchor);
      this.scene = this.layOut();
      this.filling = this.setup.fill(this);
      this.index = new Map(this.scene.boxes.map((box) => [keyOf(box, box.group), box]));
      /** @param {PlacedBox | null | undefined} box */
      const same = (box) => box && this.index.get(keyOf(box, box.group));
      this.selected = same(this.selected) ?? null;
      const now = same(anchor);
      if (before && now) {
        const [x, y] = this.screen(now);
        this.camera.x += before[0] - x;
        this.camera.y += before[1] - y;
      }
      this.stage.dataset.boxes = String(this.scene.boxes.length);
      this.draw();
      this.drawLegend();
      if (this.selected) this.onSelect(this.selected);
    }

    /** The middle of a box's upper edge on the screen. @param {Box} box */
    screen(box) {
      const { x, y, scale } = this.camera;
      return [x + (box.x + box.width / 2) * scale, y + box.y * scale];
    }

    resize() {
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      const { clientWidth: width, clientHeight: height } = this.stage;
      Object.assign(this, { width, height, ratio });
      this.canvas.width = Math.max(1, width * ratio);
      this.canvas.height = Math.max(1, height * ratio);
    }

    draw() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.paint();
      });
    }

    paint() {
      this.painted = Paint.canvas(this.context, this.scene, this.camera, this);
      this.stage.dataset.scale = String(this.camera.scale);
      this.drawMinimap();
    }

    drawMinimap() {
      const { scene, minimap, ratio, camera } = this;
      // Where all is in sight, it would only cover some of it.
      const { x, y, scale: zoom } = camera;
      const isAll = x >= 0 && y >= 0 && x + scene.width * zoom <= this.width && y + scene.height * zoom <= this.height;
      minimap.classList.toggle("idle", isAll);
      const [width, height] = [minimap.clientWidth, minimap.clientHeight];
      if (isAll || !width || !scene.width) return;
      minimap.width = width * ratio;
      minimap.height = height * ratio;
      const context = contextOf(minimap);
      const scale = Math.min((width - 8) / scene.width, (height - 8) / scene.height);
      const [left, top] = [(width - scene.width * scale) / 2, (height - scene.height * scale) / 2];
      this.mapped = { scale, left, top };
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = this.colors.paper;
      context.fillRect(0, 0, width, height);
      for (const box of scene.boxes) {
        if (box.open) continue;
        context.fillStyle = this.filling.outline(box)?.color ?? this.colors.edge;
        context.fillRect(left + box.x * scale, top + box.y * scale, Math.max(1, box.width * scale), Math.max(1, box.height * scale));
      }
      context.strokeStyle = this.colors.hit;
      context.strokeRect(left - camera.x / camera.scale * scale, top - camera.y / camera.scale * scale,
        this.width / camera.scale * scale, this.height / camera.scale * scale);
    }

    drawLegend() {
      this.legend.replaceChildren(...this.filling.legend().map(([color, words]) => {
        const item = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.background = color;
        item.append(swatch, words);
        return item;
      }));
    }

    /** @param {number} by @param {number} [x] The place that stays. @param {number} [y] */
    zoom(by, x = this.width / 2, y = this.height / 2) {
      const { camera } = this;
      const scale = Math.min(CLOSEST, Math.max(FARTHEST, camera.scale * by));
      camera.x = x - (x - camera.x) * scale / camera.scale;
      camera.y = y - (y - camera.y) * scale / camera.scale;
      camera.scale = scale;
      this.draw();
    }

    // Fits the whole sheet, in both directions.
    fit() {
      const { scene } = this;
      const [width, height] = [scene.width + 2 * MARGIN, scene.height + 2 * MARGIN];
      const scale = Math.max(FARTHEST, Math.min(1.25, this.width / width, this.height / height));
      this.camera = { scale, x: (this.width - scene.width * scale) / 2, y: (this.height - scene.height * scale) / 2 };
      this.draw();
    }

    /** The innermost box at a place of the screen. @param {number} x @param {number} y */
    at(x, y) {
      const { camera, scene } = this;
      const [sx, sy] = [(x - camera.x) / camera.scale, (y - camera.y) / camera.scale];
      for (let i = scene.boxes.length - 1; i >= 0; i--) {
        const box = scene.boxes[i];
        if (sx >= box.x && sx <= box.x + box.width && sy >= box.y && sy <= box.y + box.height) return box;
      }
      return null;
    }

    /** @param {PlacedBox | null} box */
    select(box) {
      this.selected = box;
      this.draw();
      this.onSelect(box);
    }

    /** Expands or collapses a group, or focuses the subgraph of a node. @param {PlacedBox | null} box */
    toggle(box) {
      if (!box) return;
      if (box.kind === "group") {
        if (!this.open.delete(box.id)) this.open.add(box.id);
        this.lay(box);
        this.onToggle(box.id);
        return;
      }
      const inner = box.kind === "node" && this.graph.nodes.groups[box.id];
      if (inner) this.enter(inner[0], true);
    }

    /** Makes a group the whole sheet. @param {number} group @param {boolean} [remember] Whether `out` comes back. */
    enter(group, remember) {
      if (remember) this.back.push(this.root);
      this.root = group;
      this.marked = null;
      this.select(null);
      this.lay();
      this.start();
      this.onMove();
    }

    out() {
      const root = this.back.pop() ?? this.graph.groups[this.root].parent;
      if (root !== null && root !== this.root) this.enter(root);
    }

    /** Expands or collapses one level everywhere. @param {boolean} opening */
    level(opening) {
      const before = new Set(this.open);
      if (opening) {
        let left = MOST_BOXES - this.scene.boxes.length;
        for (const box of this.scene.boxes) {
          if (box.kind !== "group" || box.open) continue;
          left -= this.graph.groups[box.id].items.kind.length;
          if (left < 0) break;
          this.open.add(box.id);
        }
      } else {
        for (const box of this.scene.boxes) {
          if (box.inner && !box.inner.boxes.some((inner) => inner.inner)) this.open.delete(box.id);
        }
      }
      if (before.size !== this.open.size) {
        this.lay();
        this.fit();
      }
    }

    /** Expands the groups around a node, and shows it. @param {number} node */
    show(node) {
      const { nodes, groups } = this.graph;
      let shown = node;
      // A constant is not drawn; the node that reads it is.
      if (!nodes.drawn[node]) shown = this.graph.flow.consumers.get(this.graph.output(node) ?? -1)?.[0] ?? node;
      const path = this.graph.path(nodes.group[shown]);
      // Subgraphs and functions are groups of their own.
      const from = path.findLastIndex((group) => ["subgraph", "function", "graph"].includes(groups[group].kind));
      this.root = path[Math.max(0, from)];
      for (const group of path.slice(from + 1)) this.open.add(group);
      this.lay();
      this.go(this.scene.boxes.find((box) => box.kind === "node" && box.id === shown));
      if (shown !== node) this.onSelect({ kind: "node", id: node, title: this.graph.op(node), note: "" });
      this.onMove();
    }

    /** Expands the groups around a group, and mostly the group itself, and shows it. @param {number} number @param {boolean} [expanding] */
    showGroup(number, expanding = true) {
      const path = this.graph.path(number);
      this.root = path[0] ?? 0;
      for (const group of path.slice(1, -1)) this.open.add(group);
      if (expanding && number !== this.root) this.open.add(number);
      this.lay();
      this.go(this.scene.boxes.find((box) => box.kind === "group" && box.id === number));
      this.onMove();
    }

    /** @param {PlacedBox | undefined} box */
    go(box) {
      if (!box) return this.fit();
      const scale = Math.max(1, Math.min(1.25, this.camera.scale));
      // The panel covers the right side of a wide stage.
      const width = this.width > 800 ? this.width - this.setup.covered : this.width;
      this.camera = {
        scale, x: width / 2 - (box.x + box.width / 2) * scale,
        y: this.height / 2 - (box.y + Math.min(box.height, this.height / scale) / 2) * scale,
      };
      this.select(box);
    }

    /** Marks the paths to a node and from it. @param {number | null} node */
    mark(node) {
      if (node === null) this.marked = null;
      else {
        const { before, after } = this.graph.paths(node);
        const all = new Set([node, ...before, ...after]);
        this.marked = { nodes: all, groups: this.graph.around(all), before: before.size, after: after.size };
      }
      this.draw();
    }

    /** Selects the neighbor in a direction: along arrows up and down, by place sideways. @param {string} key */
    step(key) {
      const { scene, selected } = this;
      if (!selected) return this.select(scene.boxes.find((box) => !box.open) ?? scene.boxes[0] ?? null);
      const near = scene.boxes.filter((box) => box.group === selected.group && box.parent === selected.parent);
      /** @param {Labeled} end */
      const same = (end) => end.kind === selected.kind && end.id === selected.id;
      const lines = scene.lines.filter((line) => line.group === selected.group);
      let next;
      if (key === "ArrowDown" || key === "ArrowUp") {
        const down = key === "ArrowDown";
        const end = lines.map((line) => (down ? same(line.from) && line.to : same(line.to) && line.from)).find((it) => it !== false);
        next = end && near.find((box) => box.kind === end.kind && box.id === end.id);
        next ??= near.filter((box) => (down ? box.y > selected.y : box.y < selected.y))
          .sort((a, b) => Math.abs(a.y - selected.y) - Math.abs(b.y - selected.y))[0];
      } else {
        const right = key === "ArrowRight";
        next = near.filter((box) => box.rank === selected.rank && (right ? box.x > selected.x : box.x < selected.x))
          .sort((a, b) => Math.abs(a.x - selected.x) - Math.abs(b.x - selected.x))[0];
      }
      if (!next) return;
      this.select(next);
      const [x, y] = this.screen(next);
      if (x < 60 || x > this.width - 60 || y < 40 || y > this.height - 60) {
        this.camera.x += this.width / 2 - x;
        this.camera.y += this.height / 2 - y;
        this.draw();
      }
    }

    listen() {
      const { canvas } = this;
      /** @type {Map<number, Point>} */
      const touches = new Map();
      /** @type {{ at: Point, moved: boolean } | null} */
      let start = null;
      /** @param {MouseEvent} event @returns {Point} */
      const place = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        touches.set(event.pointerId, place(event));
        start = { at: place(event), moved: false };
      });
      canvas.addEventListener("pointermove", (event) => {
        const last = touches.get(event.pointerId);
        if (!last) return;
        const now = place(event);
        const other = [...touches].find(([id]) => id !== event.pointerId)?.[1];
        if (other && touches.size === 2) {
          /** @param {Point} a */
          const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
          this.zoom(apart(now) / Math.max(1, apart(last)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
        } else {
          this.camera.x += now[0] - last[0];
          this.camera.y += now[1] - last[1];
          this.draw();
        }
        touches.set(event.pointerId, now);
        if (start && Math.hypot(now[0] - start.at[0], now[1] - start.at[1]) > CLICK) start.moved = true;
      });
      /** @param {PointerEvent} event */
      const end = (event) => {
        touches.delete(event.pointerId);
        if (event.type === "pointerup" && start && !start.moved) this.select(this.at(...place(event)));
        start = null;
      };
      canvas.addEventListener("pointerup", end);
      canvas.addEventListener("pointercancel", end);
      canvas.addEventListener("dblclick", (event) => this.toggle(this.at(...place(event))));
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), ...place(event));
      }, { passive: false });
      canvas.addEventListener("keydown", (event) => this.key(event));
      this.minimap.addEventListener("pointerdown", (event) => {
        if (!this.mapped) return;
        const { scale, left, top } = this.mapped;
        const area = this.minimap.getBoundingClientRect();
        this.camera.x = this.width / 2 - (event.clientX - area.left - left) / scale * this.camera.scale;
        this.camera.y = this.height / 2 - (event.clientY - area.top - top) / scale * this.camera.scale;
        this.draw();
      });
      new ResizeObserver(() => { this.resize(); this.draw(); }).observe(this.stage);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      /** @type {Record<string, () => void>} */
      const acts = {
        Enter: () => this.toggle(this.selected), " ": () => this.toggle(this.selected),
        Backspace: () => this.out(), Escape: () => { this.mark(null); this.select(null); },
        "+": () => this.zoom(ZOOM_IN), "=": () => this.zoom(ZOOM_IN), "-": () => this.zoom(ZOOM_OUT), 0: () => this.fit(),
        p: () => { if (this.selected?.kind === "node") this.mark(this.marked ? null : this.selected.id); },
        "/": () => byId("find").focus(),
        ...this.setup.keys,
      };
      const act = event.key.startsWith("Arrow") ? () => this.step(event.key) : acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    }

    /** @param {string} mode */
    color(mode) {
      this.mode = mode;
      this.lay();
    }

    recolor() {
      this.colors = new Paint.Colors();
      this.lay();
    }

    svg() {
      return Paint.svg(this.scene, this, this.file);
    }

    /** The whole sheet as a chart, within what a canvas can hold. @returns {Promise<Blob>} */
    png() {
      const { scene, colors, filling, marked } = this;
      const [width, height] = [scene.width + 2 * MARGIN, scene.height + 2 * MARGIN];
      const scale = Math.min(2, MOST_PIXELS / width, MOST_PIXELS / height);
      const sheet = document.createElement("canvas");
      [sheet.width, sheet.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
      const look = { width: sheet.width, height: sheet.height, ratio: 1, selected: null, kept: null, colors, filling, marked };
      Paint.canvas(contextOf(sheet), scene, { x: MARGIN * scale, y: MARGIN * scale, scale }, look);
      return new Promise((done, fail) => sheet.toBlob((blob) => (blob ? done(blob) : fail(new Error("no chart"))), "image/png"));
    }
  }

  return { View, ZOOM_IN, ZOOM_OUT };
})();
