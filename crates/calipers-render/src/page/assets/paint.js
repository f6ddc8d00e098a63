// Boxes and lines on one sheet, painted on a canvas or written as SVG.

const Paint = (() => {
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

  // All boxes and lines of a layout with their places on the sheet; outer boxes first.
  function flatten(layout, graph) {
    const [boxes, lines] = [[], []];
    const put = (room, left, top, parent, depth) => {
      for (const box of room.boxes) {
        const placed = { ...box, x: left + box.x, y: top + box.y, open: Boolean(box.inner), parent, depth, room: room.number };
        boxes.push(placed);
        if (box.inner) {
          const [x, y] = Layout.inside(box);
          put(box.inner, left + x, top + y, placed, depth + 1);
        }
      }
      for (const line of room.lines) {
        const points = line.points.map(([x, y]) => [left + x, top + y]);
        const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
        const label = line.count > 1 ? `${line.count} values` : graph.shape(line.values[0]);
        lines.push({
          points, label, from: line.from, to: line.to, values: line.values, room: room.number,
          left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys),
        });
      }
    };
    put(layout, 0, 0, null, 0);
    return { boxes, lines, width: layout.width, height: layout.height };
  }

  // What colours stand for.
  class Colours {
    constructor() { this.refresh(); }

    refresh() {
      const style = getComputedStyle(document.documentElement);
      const pick = (name) => style.getPropertyValue(name).trim();
      for (const name of ["paper", "ink", "soft", "faint", "edge", "accent", "room", "port", "port-edge", "heat", "hit", "ground"]) {
        this[name.replace("-", "_")] = pick(`--${name}`);
      }
      this.dark = pick("--dark") === "1";
      this.heatRGB = rgb(this.heat);
      this.paperRGB = rgb(this.paper);
    }

    // From paper to the strongest shade.
    shade(share) {
      const by = 0.08 + 0.72 * Math.sqrt(Math.min(1, Math.max(0, share)));
      const mix = this.paperRGB.map((from, i) => Math.round(from + (this.heatRGB[i] - from) * by));
      return `rgb(${mix.join(",")})`;
    }

    // One of a few shades that can be told apart.
    kind(number) {
      const hue = [212, 28, 150, 330, 262, 52, 186, 0, 96, 292][number % 10];
      const far = Math.floor(number / 10) % 2;
      return this.dark ? `hsl(${hue} ${34 - far * 10}% ${27 + far * 6}%)` : `hsl(${hue} ${62 - far * 18}% ${87 - far * 6}%)`;
    }
  }

  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  // How a box is filled under a way of colouring.
  class Filling {
    constructor(mode, graph, boxes, colours) {
      this.mode = mode;
      this.graph = graph;
      this.colours = colours;
      this.kinds = new Map();
      this.most = 0;
      for (const box of boxes) {
        if (box.open) continue;
        const value = this.value(box);
        if (typeof value === "number") this.most = Math.max(this.most, value);
        else if (value !== null && !this.kinds.has(value)) this.kinds.set(value, this.kinds.size);
      }
    }

    value({ kind, id }) {
      const { nodes, rooms } = this.graph;
      if (kind !== Model.ROOM && kind !== Model.NODE) return null;
      const isRoom = kind === Model.ROOM;
      switch (this.mode) {
        case "macs": return Number((isRoom ? rooms[id].macs : nodes.macs[id]) ?? 0);
        case "memory": return Number((isRoom ? rooms[id].alive : nodes.alive[id]) ?? 0);
        case "precision": return isRoom ? null : this.graph.precision(id);
        case "block": return isRoom ? rooms[id].block || rooms[id].kind : (rooms[nodes.room[id]].block || null);
        default: return null;
      }
    }

    of(box) {
      const { colours } = this;
      if (box.kind === Model.INPUT || box.kind === Model.OUTPUT) return colours.port;
      const value = this.value(box);
      if (typeof value === "number") return value > 0 ? colours.shade(value / this.most) : colours.paper;
      if (value !== null) return colours.kind(this.kinds.get(value) ?? 0);
      return box.kind === Model.ROOM ? colours.room : colours.paper;
    }

    // What the shades mean, in words.
    legend() {
      switch (this.mode) {
        case "macs": return this.most ? [[this.colours.shade(1), `up to ${Units.operations(this.most, "MACs")}`]] : [];
        case "memory": return this.most ? [[this.colours.shade(1), `up to ${Units.bytes(this.most)} alive`]] : [];
        default: return [...this.kinds].slice(0, 8).map(([name, number]) => [this.colours.kind(number), name]);
      }
    }
  }

  function trace(path, points) {
    path.moveTo(points[0][0], points[0][1]);
    for (let i = 1; i < points.length; i++) {
      const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
      if (Math.abs(x0 - x1) < 0.5) path.lineTo(x1, y1);
      else path.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    }
  }

  function tip(path, points) {
    const [x, y] = points[points.length - 1];
    const back = points[points.length - 2][1] <= y ? -6 : 6;
    path.moveTo(x, y);
    path.lineTo(x - 3.5, y + back);
    path.lineTo(x + 3.5, y + back);
    path.closePath();
  }

  const corner = (box) =>
    box.kind === Model.ROOM ? 8 : box.kind === Model.NODE ? 4 : box.height / 2;

  // Paints what a camera sees.
  function canvas(context, scene, camera, look) {
    const { colours, filling, selected, marked } = look;
    const { scale } = camera;
    const view = {
      left: -camera.x / scale, top: -camera.y / scale,
      right: (look.width - camera.x) / scale, bottom: (look.height - camera.y) / scale,
    };
    const seen = (left, top, right, bottom) =>
      right >= view.left && left <= view.right && bottom >= view.top && top <= view.bottom;
    const ratio = look.ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, look.width, look.height);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * camera.x, ratio * camera.y);
    context.lineWidth = Math.max(1, 0.7 / scale);

    const boxes = scene.boxes.filter((box) => seen(box.x, box.y, box.x + box.width, box.y + box.height));
    for (const box of boxes) if (box.open) frame(context, box, colours, selected === box, scale);
    lines(context, scene.lines.filter((line) => seen(line.left, line.top, line.right, line.bottom)), look, scale);
    for (const box of boxes) if (!box.open) leaf(context, box, look, scale);
    context.globalAlpha = 1;
    return boxes.length;
  }

  function frame(context, box, colours, isSelected, scale) {
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, 8);
    // Rooms inside one another are told apart by turns of two shades.
    context.fillStyle = box.depth % 2 ? colours.paper : colours.ground;
    context.fill();
    context.globalAlpha = isSelected ? 1 : 0.55;
    context.strokeStyle = colours.accent;
    context.lineWidth = (isSelected ? 2 : 1) * Math.max(1, 0.7 / scale);
    context.stroke();
    context.globalAlpha = 1;
    if (scale * 13 < 5) return;
    context.fillStyle = colours.accent;
    context.font = `600 12px ${FONT}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(`▾ ${box.title}`, box.x + 10, box.y + 16, box.width - 20);
  }

  function lines(context, shown, { colours, marked }, scale) {
    const groups = marked ? [shown.filter((line) => !isMarked(line, marked)), shown.filter((line) => isMarked(line, marked))] : [shown, []];
    groups.forEach((group, isHit) => {
      context.globalAlpha = marked && !isHit ? 0.3 : 1;
      context.strokeStyle = context.fillStyle = isHit ? colours.hit : colours.edge;
      context.lineWidth = (isHit ? 2 : 1) * Math.max(1, 0.7 / scale);
      context.beginPath();
      for (const line of group) trace(context, line.points);
      context.stroke();
      if (scale < 0.25) return;
      context.beginPath();
      for (const line of group) tip(context, line.points);
      context.fill();
    });
    context.globalAlpha = 1;
    if (scale < 0.8 || shown.length > 400) return;
    context.font = `10px ${FONT}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = colours.soft;
    const taken = [];
    for (const { points, label } of shown) {
      if (!label) continue;
      const [[x0, y0], [x1, y1]] = points.slice(-2);
      const [x, y, width] = [(x0 + x1) / 2 + 5, (y0 + y1) / 2, label.length * 6];
      // Labels that would cover each other are seen in the panel instead.
      if (taken.some((it) => x < it[0] + it[2] && it[0] < x + width && Math.abs(y - it[1]) < 11)) continue;
      taken.push([x, y, width]);
      context.fillText(label, x, y);
    }
  }

  const isMarked = ({ from, to }, marked) => hit(from, marked) && hit(to, marked);
  const hit = ({ kind, id }, { nodes, rooms }) =>
    kind === Model.NODE ? nodes.has(id) : kind === Model.ROOM ? rooms.has(id) : true;

  function leaf(context, box, { colours, filling, selected, marked }, scale) {
    const isSelected = selected === box;
    context.globalAlpha = marked && !hit(box, marked) ? 0.3 : 1;
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, corner(box));
    const isDoor = box.kind === Model.ENTRY || box.kind === Model.EXIT;
    context.fillStyle = isDoor ? colours.edge : filling.of(box);
    context.fill();
    context.strokeStyle = isSelected ? colours.hit : box.kind === Model.ROOM ? colours.accent
      : box.kind === Model.INPUT || box.kind === Model.OUTPUT ? colours.port_edge : colours.edge;
    context.lineWidth = (isSelected ? 2.5 : 1) * Math.max(1, 0.7 / scale);
    if (!isDoor || isSelected) context.stroke();
    if (isDoor || scale * 13 < 5) return;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    context.fillStyle = colours.ink;
    context.font = `${box.kind === Model.ROOM ? "600 " : ""}13px ${FONT}`;
    context.fillText(box.title, x, box.note ? y - 8 : y + 0.5, box.width - 12);
    if (!box.note || scale * 11 < 5) return;
    context.font = `11px ${FONT}`;
    context.globalAlpha *= 0.8;
    context.fillText(box.note, x, y + 9, box.width - 12);
  }

  const escaped = (text) =>
    text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);

  // The whole sheet as SVG that stands alone.
  function svg(scene, { colours, filling }, name) {
    const n = (value) => Math.round(value * 10) / 10;
    const out = [];
    const text = (x, y, words, size, fill, extra) => out.push(
      `<text x="${n(x)}" y="${n(y)}" font-size="${size}" fill="${fill}" ${extra}>${escaped(words)}</text>`);
    for (const box of scene.boxes) {
      const area = `x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}" rx="${n(corner(box))}"`;
      if (box.open) {
        out.push(`<rect ${area} fill="${box.depth % 2 ? colours.paper : colours.ground}" stroke="${colours.accent}" stroke-opacity=".6"/>`);
        text(box.x + 10, box.y + 20, box.title, 12, colours.accent, 'font-weight="600"');
        continue;
      }
      const isDoor = box.kind === Model.ENTRY || box.kind === Model.EXIT;
      out.push(`<rect ${area} fill="${isDoor ? colours.edge : filling.of(box)}" stroke="${box.kind === Model.ROOM ? colours.accent : colours.edge}"/>`);
      if (isDoor) continue;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      text(x, box.note ? y - 4 : y + 4.5, box.title, 13, colours.ink, 'text-anchor="middle"');
      if (box.note) text(x, y + 13, box.note, 11, colours.soft, 'text-anchor="middle"');
    }
    for (const { points, label } of scene.lines) {
      const path = { d: "", moveTo(x, y) { this.d += `M${n(x)} ${n(y)}`; }, lineTo(x, y) { this.d += `L${n(x)} ${n(y)}`; },
        bezierCurveTo(...c) { this.d += `C${c.map(n).join(" ")}`; }, closePath() { this.d += "Z"; } };
      trace(path, points);
      out.push(`<path d="${path.d}" fill="none" stroke="${colours.edge}"/>`);
      path.d = "";
      tip(path, points);
      out.push(`<path d="${path.d}" fill="${colours.edge}"/>`);
      const [[x0, y0], [x1, y1]] = points.slice(-2);
      if (label) text((x0 + x1) / 2 + 5, (y0 + y1) / 2 + 3, label, 10, colours.soft, "");
    }
    const [width, height] = [Math.ceil(scene.width) + 40, Math.ceil(scene.height) + 40];
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(FONT)}">` +
      `<title>${escaped(name)}</title><rect x="-20" y="-20" width="${width}" height="${height}" fill="${colours.paper}"/>${out.join("")}</svg>`;
  }

  return { flatten, Colours, Filling, canvas, svg };
})();
