// @ts-check
// Sizes that the reader chooses: figures follow from the formulas in the page, times from its table.

const Sizes = (() => {
  const MOST_SIZE = 1048576;
  // A slider reaches at least this far, and to this multiple of the size of the report.
  const SLIDER_REACH = 64, SLIDER_TIMES = 8;

  /** @typedef {SizeControl & { now: number, sliders: HTMLInputElement[], fields: HTMLInputElement[] }} Control */

  /** @param {Iterable<Node>} nodes */
  const copies = (nodes) => [...nodes].map((node) => node.cloneNode(true));

  class Choice {
    /** @param {PageData} data @param {Graph} graph @param {(node: number) => void} go */
    constructor(data, graph, go) {
      this.data = data;
      this.graph = graph;
      this.go = go;
      this.sizes = data.sizes;
      /** @type {Control[]} */
      this.size_controls = this.sizes.size_controls.map((size_control) => ({ ...size_control, now: size_control.size, sliders: [], fields: [] }));
      /** @type {HTMLSelectElement | null} */
      this.device = null;
      const form = document.getElementById("sizes");
      if (form) this.fill(form);
      this.devices();
      // What the page shows at the sizes of the report.
      this.restore = new Map([...document.querySelectorAll("[data-figure]")].map((it) => [it, copies(it.childNodes)]));
      this.peakNow = [...(document.getElementById("peak-at")?.childNodes ?? [])];
    }

    /** @param {HTMLElement} form */
    fill(form) {
      form.addEventListener("submit", (event) => event.preventDefault());
      for (const size_control of this.size_controls.filter((it) => !it.fixed)) form.append(this.control(size_control, "size"));
      const reset = Panel.element("button", "Reset", "quiet");
      reset.type = "button";
      reset.addEventListener("click", () => this.reset());
      form.append(reset);
    }

    /** A slider over powers of two with a field for any number. @param {Control} size_control @param {string} prefix */
    control(size_control, prefix) {
      const group = Panel.element("div", undefined, "size_control");
      const id = `${prefix}-${this.size_controls.indexOf(size_control)}`;
      const label = Panel.element("label", size_control.name);
      label.htmlFor = id;
      const slider = document.createElement("input");
      const reach = Math.max(size_control.size * SLIDER_TIMES, size_control.most ?? 0, SLIDER_REACH);
      Object.assign(slider, { type: "range", min: 0, step: 1, max: Math.floor(Math.log2(reach)) });
      slider.setAttribute("aria-label", `${size_control.name}, in powers of two`);
      const field = document.createElement("input");
      Object.assign(field, { type: "number", min: 1, max: MOST_SIZE, id });
      slider.addEventListener("input", () => this.set(size_control, Math.min(2 ** Number(slider.value), size_control.most ?? Infinity)));
      field.addEventListener("input", () => {
        const value = Math.floor(Number(field.value));
        if (value >= 1 && value <= MOST_SIZE) this.set(size_control, value);
      });
      size_control.fields.push(field);
      size_control.sliders.push(slider);
      this.show(size_control);
      group.append(label, slider, field);
      return group;
    }

    /** @param {Control} size_control */
    show(size_control) {
      for (const field of size_control.fields) field.value = String(size_control.now);
      for (const slider of size_control.sliders) slider.value = String(Math.round(Math.log2(size_control.now)));
    }

    /** @param {Control} size_control @param {number} size */
    set(size_control, size) {
      size_control.now = size;
      this.show(size_control);
      this.update();
    }

    reset() {
      for (const size_control of this.size_controls) {
        size_control.now = size_control.size;
        this.show(size_control);
      }
      this.update();
    }

    // Sums that lack nodes of unknown cost.
    get bound() { return this.data.cost.lower_bound ? "at least " : ""; }

    get changed() { return this.size_controls.some((size_control) => !size_control.fixed && size_control.now !== size_control.size); }

    update() {
      this.time();
      if (!this.changed) {
        for (const [element, nodes] of this.restore) element.replaceChildren(...copies(nodes));
        this.note("");
        this.peakAt(null);
        Charts.timeline(this.graph, this.data.timeline.map(Number), this.go);
        return;
      }
      const sizes = bindings(this.size_controls);
      const { cost } = this.data;
      /** @param {"macs" | "other_flops" | "bytes_moved"} key */
      const figure = (key) => (cost[key] === null ? null : Formula.figure(Formula.evaluate(cost.formula[key], sizes)));
      const macs = figure("macs");
      this.put("macs", macs, (value) => Units.operations(value, "MACs"));
      this.put("flops", macs === null ? null : Formula.figure(macs * 2n), (value) => Units.operations(value, "FLOPs"));
      this.put("other_flops", figure("other_flops"), (value) => Units.operations(value, "FLOPs"));
      this.put("bytes_moved", figure("bytes_moved"), Units.bytes, " bytes");
      const peak = Liveness.peak(this.sizes, this.data.main, sizes);
      this.put("peak", peak?.most ?? null, Units.bytes, " bytes");
      this.put("in_place", peak?.reused ?? null, Units.bytes, " bytes");
      for (const element of document.querySelectorAll('[data-figure="peak-text"]')) {
        element.textContent = peak ? Units.bytes(peak.most) : "unknown";
      }
      this.peakAt(peak ? peak.at : null);
      Charts.timeline(this.graph, peak ? peak.timeline : [], this.go);
      const over = this.size_controls.map(({ most, now }) =>
        (most && now > most ? ` The model's table of positions ends at ${Units.integer(most)}.` : ""));
      const bound = this.size_controls.filter((size_control) => !size_control.fixed).map((size_control) => `${size_control.name} ${Units.integer(size_control.now)}`);
      const why = this.sizes.live_ranges_unknown ? `: ${this.sizes.live_ranges_unknown}` : "";
      const lacks = peak ? "" : ` The peak of activations is only known at the sizes of the report${why}.`;
      const keep = " The text, the charts, the table of layers and the graph keep the sizes of the report.";
      this.note(`At ${bound.join(", ")}.${lacks}${keep}${over.join("")}`);
    }

    /** Shows a note; a model whose sizes are all fixed has no element for it. @param {string} words */
    note(words) {
      const place = document.getElementById("sizes-note");
      if (place) place.textContent = words;
    }

    /** @param {string} key @param {bigint | null} value @param {(value: bigint) => string} write @param {string} [unit] */
    put(key, value, write, unit = "") {
      for (const element of document.querySelectorAll(`[data-figure="${key}"]`)) {
        const bound = key in this.data.cost.formula || key === "flops" ? this.bound : "";
        const strong = Panel.element("strong", value === null ? "unknown" : bound + write(value));
        element.replaceChildren(strong, Panel.element("small", value === null ? "" : `${Units.integer(value)}${unit}`));
      }
    }

    /** @param {number | null} node */
    peakAt(node) {
      const place = document.getElementById("peak-at");
      if (!place) return;
      if (node === null) return place.replaceChildren(...this.peakNow);
      const link = Panel.element("a", this.graph.nodes.name[node]);
      link.href = Panel.link(this.graph, node);
      place.replaceChildren(" at ", link);
    }

    devices() {
      const bar = document.getElementById("device-bar");
      if (!bar || !this.sizes.devices.length) return;
      const label = Panel.element("label", "Device ", "inline");
      this.device = document.createElement("select");
      this.device.id = "device";
      for (const device of this.sizes.devices) {
        const option = Panel.element("option", device.name);
        option.value = device.id;
        this.device.append(option);
      }
      label.append(this.device);
      this.device.addEventListener("change", () => this.time());
      bar.append(label);
      for (const size_control of this.size_controls) {
        if (size_control.name === "batch" || this.isLength(size_control)) bar.append(this.control(size_control, "device"));
      }
      this.time();
    }

    /** @param {SizeControl} size_control */
    isLength(size_control) { return size_control.name === "context" || size_control.name === "sequence"; }

    // Shows the run in the table at the chosen sizes, or the nearest ones.
    time() {
      const place = document.getElementById("device-now");
      if (!place || !this.device) return;
      const { batches, lengths, devices } = this.sizes;
      const chosen = this.device.value;
      const device = devices.find((it) => it.id === chosen) ?? devices[0];
      const batch = nearest(batches, this.size_controls.find((size_control) => size_control.name === "batch")?.now ?? 1);
      const size_control = this.size_controls.find((it) => this.isLength(it));
      const length = lengths.length && size_control ? nearest(lengths, size_control.now) : 0;
      const { runs } = device;
      const run = length * batches.length + batch;
      const [low, expected, high] = [runs.low[run], runs.expected[run], runs.high[run]];
      const [rate, memory, fits, reason] = [runs.throughput[run], runs.memory[run], runs.fits[run], runs.reason[run]];
      const other = this.size_controls.find((it) => !it.fixed && it.name !== "batch" && !this.isLength(it) && it.now !== it.size);
      const at = `batch ${batches[batch]}` + (lengths.length && size_control ? `, ${size_control.name} ${Units.integer(lengths[length])}` : "");
      const untimed = reason ?? (fits === false ? "it does not fit" : "unknown");
      const isTimed = low !== null && expected !== null && high !== null;
      const list = Panel.facts([
        ["at", at], ["time of one run", isTimed ? Units.timeRange(low, expected, high) : untimed],
        ["a second", rate === null ? null : Units.rate(rate)],
        ["memory needed", memory === null ? "unknown" : Units.gigabytes(memory)],
        ["fits", fits === null ? "unknown" : fits ? "yes" : "no"],
        ["device's memory", device.memory === null ? null : Units.gigabytes(device.memory)],
      ]);
      list.classList.add("wide");
      place.replaceChildren(list);
      const notes = [];
      if (this.size_controls.some((it) => it.name === "batch" && it.fixed)) {
        notes.push("The file fixes the batch: others suppose that it is exported again.");
      }
      if (other) notes.push(`Times hold for ${other.name} ${Units.integer(other.size)}.`);
      if (notes.length) place.append(Panel.element("p", notes.join(" "), "note"));
      for (const row of document.querySelectorAll("tr[data-device]")) {
        row.classList.toggle("chosen", row.getAttribute("data-device") === device.id);
      }
    }
  }

  /**
   * The place of the size that is nearest by ratio.
   * @param {number[]} list
   * @param {number} wanted
   */
  const nearest = (list, wanted) => {
    /** @param {number} size */
    const far = (size) => Math.abs(Math.log(size / wanted));
    return list.reduce((best, size, i) => (far(size) < far(list[best]) ? i : best), 0);
  };

  /**
   * A size for every free dimension. What was there before a run may be nothing but has at least one place.
   * @param {(SizeControl & { now: number })[]} size_controls
   */
  function bindings(size_controls) {
    /** @type {Map<string, bigint>} */
    const sizes = new Map();
    for (const size_control of size_controls) {
      for (const [name, offset] of Object.entries(size_control.dims)) sizes.set(name, BigInt(Math.max(size_control.now + offset, offset < 0 ? 1 : 0)));
    }
    return sizes;
  }

  return { Choice, bindings };
})();
