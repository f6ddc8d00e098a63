// @ts-check
// Boxes and lines on one sheet, painted on a canvas or written as SVG.

const Paint = (() => {
  // Sizes of letters on the sheet, in pixels.
  const TITLE = 14, NOTE = 12;
  // The height of a badge on the sheet.
  const HIGH = 17;
  // Letters smaller than this on the screen are left out.
  const LEAST = 5;
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

  /** @typedef {"class" | "macs" | "memory" | "precision" | "block" | "plain" | string} Mode What colors mean. */
  /**
   * @typedef {object} Look How a scene is painted.
   * @property {number} width Of the canvas, in pixels of the page; the height too.
   * @property {number} height
   * @property {number} ratio Pixels of the canvas for each of the page.
   * @property {Colors} colors
   * @property {Filling} filling
   * @property {PlacedBox | null} selected
   * @property {Marked | null} marked
   * @property {Kept | null} kept
   */

  /**
   * All boxes and lines of a layout with their places on the sheet; outer boxes first.
   * @param {GroupLayout} layout
   * @param {Graph} graph
   * @returns {Scene}
   */
  function flatten(layout, graph) {
    /** @type {PlacedBox[]} */
    const boxes = [];
    /** @type {PlacedLine[]} */
    const lines = [];
    /** @param {GroupLayout} group @param {number} left @param {number} top @param {PlacedBox | null} parent @param {number} depth */
    const put = (group, left, top, parent, depth) => {
      for (const box of group.boxes) {
        const placed = { ...box, x: left + box.x, y: top + box.y, open: Boolean(box.inner), parent, depth, group: group.number };
        boxes.push(placed);
        if (box.inner) {
          const [x, y] = Layout.inside(box, box.inner);
          put(box.inner, left + x, top + y, placed, depth + 1);
        }
      }
      for (const line of group.lines) {
        const points = line.points.map(/** @returns {Point} */ ([x, y]) => [left + x, top + y]);
        const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
        const label = line.count > 1 ? `${line.count} values` : graph.shape(line.values[0]);
        lines.push({
          points, label, from: line.from, to: line.to, values: line.values, group: group.number,
          left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys),
        });
      }
    };
    put(layout, 0, 0, null, 0);
    return { boxes, lines, width: layout.width, height: layout.height };
  }

  // Classes of operators, as `OperatorGroup` displays them, with hue and saturation.
  const CLASSES = ["Convolution, MatMul", "Attention", "Recurrent", "Activation", "Normalization", "Pooling, reduction",
    "Elementwise", "Shape, data movement", "Quantization", "Control flow"];
  const HUES = [[212, 75], [262, 60], [292, 45], [8, 75], [150, 50], [186, 55], [52, 80], [220, 12], [330, 55], [28, 80]];

  // The colors of the style sheet.
  class Colors {
    constructor() {
      const style = getComputedStyle(document.documentElement);
      /** @param {string} name */
      const pick = (name) => style.getPropertyValue(`--${name}`).trim();
      this.paper = pick("paper");
      this.ink = pick("ink");
      this.soft = pick("soft");
      this.note = pick("note");
      this.edge = pick("edge");
      this.accent = pick("accent");
      this.group = pick("group");
      this.port = pick("port");
      this.portEdge = pick("port-edge");
      this.hit = pick("hit");
      this.ground = pick("ground");
      this.dark = pick("dark") === "1";
      this.heatRGB = rgb(pick("heat"));
      this.paperRGB = rgb(this.paper);
    }

    /** From paper to the strongest shade. @param {number} share */
    shade(share) {
      const by = 0.08 + 0.72 * Math.sqrt(Math.min(1, Math.max(0, share)));
      const mix = this.paperRGB.map((from, i) => Math.round(from + (this.heatRGB[i] - from) * by));
      return `rgb(${mix.join(",")})`;
    }

    /** The shade of an operator's class, the same on every page. @param {string} name */
    operator(name) {
      const place = CLASSES.indexOf(name);
      if (place < 0) return this.paper;
      const [hue, saturation] = HUES[place];
      return this.dark ? `hsl(${hue} ${saturation * 0.55}% 26%)` : `hsl(${hue} ${saturation}% 86%)`;
    }

    /** One of a few distinct shades. @param {number} number */
    kind(number) {
      const hue = [212, 28, 150, 330, 262, 52, 186, 0, 96, 292][number % 10];
      const far = Math.floor(number / 10) % 2;
      return this.dark ? `hsl(${hue} ${34 - far * 10}% ${27 + far * 6}%)` : `hsl(${hue} ${62 - far * 18}% ${87 - far * 6}%)`;
    }
  }

  /** @param {string} hex Such as `#a0b1c2`. */
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  // How a box is filled.
  class Filling {
    /** @param {Mode} mode @param {Graph} graph @param {PlacedBox[]} boxes @param {Colors} colors */
    constructor(mode, graph, boxes, colors) {
      this.mode = mode;
      this.graph = graph;
      this.colors = colors;
      /** @type {Map<string, number>} */
      this.kinds = new Map();
      this.most = 0;
      for (const box of boxes) {
        if (box.open) continue;
        const value = this.value(box);
        if (typeof value === "number") this.most = Math.max(this.most, value);
        else if (value !== null && !this.kinds.has(value)) this.kinds.set(value, this.kinds.size);
      }
    }

    /** What the color of a box shows: a number, a name or nothing. @param {Labeled} box */
    value({ kind, id }) {
      const { nodes, groups } = this.graph;
      if (kind !== "group" && kind !== "node") return null;
      const isGroup = kind === "group";
      switch (this.mode) {
        case "class": return isGroup ? null : this.graph.text(nodes.class[id]);
        case "macs": return Number((isGroup ? groups[id].macs : nodes.macs[id]) ?? 0);
        case "memory": return Number((isGroup ? groups[id].alive : nodes.alive[id]) ?? 0);
        case "precision": return isGroup ? null : this.graph.precision(id);
        case "block": return isGroup ? groups[id].block || groups[id].kind : (groups[nodes.group[id]].block || null);
        default: return null;
      }
    }

    /** @param {Labeled} box */
    of(box) {
      const { colors } = this;
      if (isPort(box)) return colors.port;
      const value = this.value(box);
      if (typeof value === "number") return value > 0 ? colors.shade(value / this.most) : colors.paper;
      if (value !== null) return this.shade(value);
      return box.kind === "group" ? colors.group : colors.paper;
    }

    /** The border of a box, where it is a special one. @param {Labeled} _box @returns {Outline | null} */
    outline(_box) { return null; }

    /** Short texts at the corner of a box. @param {Labeled} _box @returns {Badge[]} */
    badges(_box) { return []; }

    /** @param {string} value */
    shade(value) { return this.mode === "class" ? this.colors.operator(value) : this.colors.kind(this.kinds.get(value) ?? 0); }

    /** The meaning of the shades. @returns {[color: string, words: string][]} */
    legend() {
      /** @param {(value: number) => string} write @returns {[string, string][]} */
      const scale = (write) => (this.most ? [0, 0.25, 1].map((share) => [
        share ? this.colors.shade(share) : this.colors.paper, write(Math.round(this.most * share))]) : []);
      switch (this.mode) {
        case "macs": return scale((value) => Units.operations(value, "MACs"));
        case "memory": return scale((value) => Units.bytes(value));
        case "class": {
          const names = new Set(this.graph.nodes.class.map((number) => this.graph.text(number)));
          return CLASSES.filter((name) => names.has(name)).map((name) => [this.colors.operator(name), name]);
        }
        default: return [...this.kinds].slice(0, 10).map(([name, number]) => [this.colors.kind(number), name]);
      }
    }
  }

  /** @param {Labeled} box */
  const isPort = ({ kind }) => kind === "input" || kind === "output";
  /** Where values come into a group or leave it. @param {Labeled} box */
  const isDoor = ({ kind }) => kind === "entry" || kind === "exit";

  /** @param {Path} path @param {Point[]} points */
  function trace(path, points) {
    path.moveTo(points[0][0], points[0][1]);
    for (let i = 1; i < points.length; i++) {
      const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
      if (Math.abs(x0 - x1) < 0.5) path.lineTo(x1, y1);
      else path.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    }
  }

  /** @param {Path} path @param {Point[]} points */
  function tip(path, points) {
    const [x, y] = points[points.length - 1];
    const back = points[points.length - 2][1] <= y ? -6 : 6;
    path.moveTo(x, y);
    path.lineTo(x - 3.5, y + back);
    path.lineTo(x + 3.5, y + back);
    path.closePath();
  }

  /** @param {Box} box */
  const corner = (box) => (box.kind === "group" ? 8 : box.kind === "node" ? 4 : box.height / 2);

  /** Lines stay visible however small the sheet is. @param {number} scale */
  const hairline = (scale) => Math.max(1, 0.7 / scale);

  /**
   * Paints what a camera sees; how many boxes that is.
   * @param {CanvasRenderingContext2D} context
   * @param {Scene} scene
   * @param {Camera} camera
   * @param {Look} look
   */
  function canvas(context, scene, camera, look) {
    const { selected, colors } = look;
    const { scale } = camera;
    const view = {
      left: -camera.x / scale, top: -camera.y / scale,
      right: (look.width - camera.x) / scale, bottom: (look.height - camera.y) / scale,
    };
    /** @param {number} left @param {number} top @param {number} right @param {number} bottom */
    const seen = (left, top, right, bottom) =>
      right >= view.left && left <= view.right && bottom >= view.top && top <= view.bottom;
    const ratio = look.ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, look.width, look.height);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * camera.x, ratio * camera.y);
    context.lineWidth = hairline(scale);

    const boxes = scene.boxes.filter((box) => seen(box.x, box.y, box.x + box.width, box.y + box.height));
    for (const box of boxes) if (box.open) frame(context, box, look, selected === box, scale);
    lines(context, scene.lines.filter((line) => seen(line.left, line.top, line.right, line.bottom)), look, scale);
    for (const box of boxes) if (!box.open) leaf(context, box, look, scale);
    context.globalAlpha = 1;
    labels(context, scene.lines.filter((line) => seen(line.left, line.top, line.right, line.bottom)), boxes, look, scale);
    return boxes.length;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {PlacedBox} box
   * @param {Look} look
   * @param {boolean} isSelected
   * @param {number} scale
   */
  function frame(context, box, { colors, filling }, isSelected, scale) {
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, 8);
    // Nested groups alternate between two shades.
    context.fillStyle = box.depth % 2 ? colors.paper : colors.ground;
    context.fill();
    context.globalAlpha = isSelected ? 1 : 0.55;
    context.strokeStyle = colors.accent;
    context.lineWidth = (isSelected ? 2 : 1) * hairline(scale);
    context.stroke();
    context.globalAlpha = 1;
    if (scale * TITLE < LEAST) return;
    const taken = badges(context, filling.badges(box), box.x + box.width - 8, box.y + 16, scale);
    context.fillStyle = colors.accent;
    context.font = `600 ${TITLE}px ${FONT}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(`▾ ${box.title}`, box.x + 10, box.y + 16, box.width - 20 - taken);
  }

  /**
   * Draws badges side by side; the width that they take.
   * @param {CanvasRenderingContext2D} context
   * @param {Badge[]} list
   * @param {number} right The right edge of the last one.
   * @param {number} middle
   * @param {number} scale
   */
  function badges(context, list, right, middle, scale) {
    if (!list.length || scale * NOTE < LEAST) return 0;
    context.font = `700 ${NOTE}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    let left = right;
    for (const { text, fill, ink } of list.toReversed()) {
      const width = Math.max(HIGH, context.measureText(text).width + 9);
      left -= width;
      context.beginPath();
      context.roundRect(left, middle - HIGH / 2, width, HIGH, HIGH / 2);
      context.fillStyle = fill;
      context.fill();
      context.fillStyle = ink;
      context.fillText(text, left + width / 2, middle + 0.5);
      left -= 2;
    }
    return right - left;
  }

  /** @param {CanvasRenderingContext2D} context @param {PlacedLine[]} shown @param {Look} look @param {number} scale */
  function lines(context, shown, { colors, marked, kept }, scale) {
    const groups = marked ? [shown.filter((line) => !isMarked(line, marked)), shown.filter((line) => isMarked(line, marked))] : [shown, []];
    groups.forEach((group, isHit) => {
      context.globalAlpha = (marked || kept) && !isHit ? 0.3 : 1;
      context.strokeStyle = context.fillStyle = isHit ? colors.hit : colors.edge;
      context.lineWidth = (isHit ? 2 : 1) * hairline(scale);
      context.beginPath();
      for (const line of group) trace(context, line.points);
      context.stroke();
      if (scale < 0.25) return;
      context.beginPath();
      for (const line of group) tip(context, line.points);
      context.fill();
    });
    context.globalAlpha = 1;
  }

  // Labels are drawn from this scale on, up to a maximum number of lines.
  const LABEL_SCALE = 0.7, MOST_LABELS = 400;

  // Lines up to which labels keep clear of all of them.
  const MOST_CROSSED = 100;

  /** @typedef {{ left: number, top: number, right: number, bottom: number }} Area */

  /** A point of the curve between two points. @param {Point} from @param {Point} to @param {number} share @returns {Point} */
  const between = ([x0, y0], [x1, y1], share) => [x0 + (x1 - x0) * share * share * (3 - 2 * share), y0 + (y1 - y0) * share];

  /** Small areas along a line. @param {Point[]} points */
  function samples(points) {
    /** @type {Area[]} */
    const areas = [];
    for (let i = 1; i < points.length; i++) {
      for (let share = 0; share <= 1; share += 0.125) {
        const [x, y] = between(points[i - 1], points[i], share);
        areas.push({ left: x - 2, top: y - 2, right: x + 2, bottom: y + 2 });
      }
    }
    return areas;
  }

  /**
   * Shapes next to lines, each at the first of a few positions where it covers nothing; those that find none are in the
   * panel.
   * @param {CanvasRenderingContext2D} context
   * @param {PlacedLine[]} shown
   * @param {PlacedBox[]} boxes
   * @param {Look} look
   * @param {number} scale
   */
  function labels(context, shown, boxes, { colors }, scale) {
    if (scale < LABEL_SCALE || shown.length > MOST_LABELS) return 0;
    context.font = `${NOTE}px ${FONT}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = colors.soft;
    /** @type {Area[]} */
    const taken = boxes.map((box) => ({ left: box.x, top: box.y, right: box.x + box.width, bottom: box.open ? box.y + 28 : box.y + box.height }));
    const crossed = shown.length > MOST_CROSSED ? [] : shown.flatMap(({ points }) => samples(points));
    let drawn = 0;
    for (const { points, label } of shown) {
      if (!label) continue;
      const width = context.measureText(label).width;
      const place = position(points, width, taken, crossed) ?? (crossed.length ? position(points, width, taken, []) : null);
      if (!place) continue;
      taken.push(place);
      context.fillText(label, place.left + 2, (place.top + place.bottom) / 2);
      drawn++;
    }
    return drawn;
  }

  /**
   * Where a label is free: right or left of the line, near its start, its end or its middle.
   * @param {Point[]} points
   * @param {number} width
   * @param {Area[]} taken
   * @param {Area[]} crossed
   * @returns {Area | null}
   */
  function position(points, width, taken, crossed) {
    const [last, first] = [points.slice(-2), points.slice(0, 2)];
    /** @param {Area} area @param {Area[]} list */
    const isFree = (area, list) => !list.some((it) => area.left < it.right && it.left < area.right && area.top < it.bottom && it.top < area.bottom);
    for (const [[from, to], share] of /** @type {[Point[], number][]} */ ([[last, 0.5], [first, 0.25], [last, 0.75], [first, 0.35], [last, 0.65]])) {
      const [x, y] = between(from, to, share);
      for (const left of [x + 3, x - 7 - width, x + 14, x - 18 - width]) {
        const area = { left, top: y - 8, right: left + width + 4, bottom: y + 8 };
        if (isFree(area, taken) && isFree(area, crossed)) return area;
      }
    }
    return null;
  }

  /** @param {PlacedLine} line @param {Marked} marked */
  const isMarked = ({ from, to }, marked) => hit(from, marked) && hit(to, marked);
  /** @param {Labeled} box @param {Kept} marked */
  const hit = ({ kind, id }, { nodes, groups }) => (kind === "node" ? nodes.has(id) : kind === "group" ? groups.has(id) : true);

  /** @param {CanvasRenderingContext2D} context @param {PlacedBox} box @param {Look} look @param {number} scale */
  function leaf(context, box, { colors, filling, selected, marked, kept }, scale) {
    const isSelected = selected === box;
    const bright = marked ?? kept;
    context.globalAlpha = bright && !hit(box, bright) ? 0.3 : 1;
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, corner(box));
    context.fillStyle = isDoor(box) ? colors.edge : filling.of(box);
    context.fill();
    const outline = filling.outline(box);
    context.strokeStyle = isSelected ? colors.hit : outline ? outline.color : box.kind === "group" ? colors.accent : isPort(box) ? colors.portEdge : colors.edge;
    context.lineWidth = (isSelected ? 2.5 : outline ? 1.5 : 1) * hairline(scale);
    if (outline && !isSelected) context.setLineDash(outline.dash);
    if (!isDoor(box) || isSelected) context.stroke();
    if (outline) context.setLineDash([]);
    badges(context, filling.badges(box), box.x + box.width + 4, box.y, scale);
    if (isDoor(box) || scale * TITLE < LEAST) return;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    context.fillStyle = colors.ink;
    context.font = `${box.kind === "group" ? "600 " : ""}${TITLE}px ${FONT}`;
    context.fillText(box.title, x, box.note ? y - 9 : y + 0.5, box.width - 12);
    if (!box.note || scale * NOTE < LEAST) return;
    context.font = `${NOTE}px ${FONT}`;
    context.fillStyle = colors.note;
    context.fillText(box.note, x, y + 10, box.width - 12);
  }

  /** @param {string} text */
  const escaped = (text) =>
    text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? "&#39;");

  /** The data of an SVG path. @implements {Path} */
  class Trace {
    d = "";
    /** @param {string} letter @param {number[]} places */
    add(letter, ...places) { this.d += letter + places.map(tenths).join(" "); }
    /** @param {number} x @param {number} y */
    moveTo(x, y) { this.add("M", x, y); }
    /** @param {number} x @param {number} y */
    lineTo(x, y) { this.add("L", x, y); }
    /** @type {Path["bezierCurveTo"]} */
    bezierCurveTo(...places) { this.add("C", ...places); }
    closePath() { this.add("Z"); }
  }

  /** @param {number} value */
  const tenths = (value) => Math.round(value * 10) / 10;

  /**
   * The whole sheet as an SVG file.
   * @param {Scene} scene
   * @param {{ colors: Colors, filling: Filling }} look
   * @param {string} name
   */
  function svg(scene, { colors, filling }, name) {
    const n = tenths;
    /** @type {string[]} */
    const out = [];
    /** @param {number} x @param {number} y @param {string} words @param {number} size @param {string} fill @param {string} extra */
    const text = (x, y, words, size, fill, extra) => out.push(
      `<text x="${n(x)}" y="${n(y)}" font-size="${size}" fill="${fill}" ${extra}>${escaped(words)}</text>`);
    for (const box of scene.boxes) {
      const area = `x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}" rx="${n(corner(box))}"`;
      if (box.open) {
        out.push(`<rect ${area} fill="${box.depth % 2 ? colors.paper : colors.ground}" stroke="${colors.accent}" stroke-opacity=".6"/>`);
        text(box.x + 10, box.y + 20, box.title, TITLE, colors.accent, 'font-weight="600"');
        continue;
      }
      const [fill, stroke] = [isDoor(box) ? colors.edge : filling.of(box), box.kind === "group" ? colors.accent : colors.edge];
      out.push(`<rect ${area} fill="${fill}" stroke="${stroke}"/>`);
      if (isDoor(box)) continue;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      text(x, box.note ? y - 4 : y + 4.5, box.title, TITLE, colors.ink, 'text-anchor="middle"');
      if (box.note) text(x, y + 14, box.note, NOTE, colors.note, 'text-anchor="middle"');
    }
    /** @type {Area[]} */
    const taken = scene.boxes.map((box) => ({ left: box.x, top: box.y, right: box.x + box.width, bottom: box.open ? box.y + 28 : box.y + box.height }));
    for (const { points, label } of scene.lines) {
      const [line, arrow] = [new Trace(), new Trace()];
      trace(line, points);
      tip(arrow, points);
      out.push(`<path d="${line.d}" fill="none" stroke="${colors.edge}"/><path d="${arrow.d}" fill="${colors.edge}"/>`);
      const place = label && taken.length < 2 * MOST_LABELS ? position(points, label.length * NOTE * 0.6, taken, []) : null;
      if (!place) continue;
      taken.push(place);
      text(place.left + 2, place.bottom - 4, label, NOTE, colors.soft, "");
    }
    const [width, height] = [Math.ceil(scene.width) + 40, Math.ceil(scene.height) + 40];
    const size = `width="${width}" height="${height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 ${width} ${height}" ${size} font-family="${escaped(FONT)}">` +
      `<title>${escaped(name)}</title><rect x="-20" y="-20" ${size} fill="${colors.paper}"/>${out.join("")}</svg>`;
  }

  return { flatten, Colors, Filling, canvas, svg };
})();
