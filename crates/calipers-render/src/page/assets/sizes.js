// @ts-check
// Sizes that the reader chooses: figures follow from the formulas in the page, times from its table.

const Sizes = (() => {
  const MOST_SIZE = 1048576;
  // A slider reaches at least this far, and to this multiple of the size of the report.
  const SLIDER_REACH = 64, SLIDER_TIMES = 8;

  /** @typedef {Knob & { now: number, sliders: HTMLInputElement[], fields: HTMLInputElement[] }} Control */

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
      this.knobs = this.sizes.knobs.map((knob) => ({ ...knob, now: knob.size, sliders: [], fields: [] }));
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
      for (const knob of this.knobs.filter((it) => !it.fixed)) form.append(this.control(knob, "size"));
      const reset = Panel.element("button", "Reset", "quiet");
      reset.type = "button";
      reset.addEventListener("click", () => this.reset());
      form.append(reset);
    }

    /** A slider over powers of two with a field for any number. @param {Control} knob @param {string} prefix */
    control(knob, prefix) {
      const group = Panel.element("div", undefined, "knob");
      const id = `${prefix}-${this.knobs.indexOf(knob)}`;
      const label = Panel.element("label", knob.name);
      label.htmlFor = id;
      const slider = document.createElement("input");
      const reach = Math.max(knob.size * SLIDER_TIMES, knob.most ?? 0, SLIDER_REACH);
      Object.assign(slider, { type: "range", min: 0, step: 1, max: Math.floor(Math.log2(reach)) });
      slider.setAttribute("aria-label", `${knob.name}, in powers of two`);
      const field = document.createElement("input");
      Object.assign(field, { type: "number", min: 1, max: MOST_SIZE, id });
      slider.addEventListener("input", () => this.set(knob, Math.min(2 ** Number(slider.value), knob.most ?? Infinity)));
      field.addEventListener("input", () => {
        const value = Math.floor(Number(field.value));
        if (value >= 1 && value <= MOST_SIZE) this.set(knob, value);
      });
      knob.fields.push(field);
      knob.sliders.push(slider);
      this.show(knob);
      group.append(label, slider, field);
      return group;
    }

    /** @param {Control} knob */
    show(knob) {
      for (const field of knob.fields) field.value = String(knob.now);
      for (const slider of knob.sliders) slider.value = String(Math.round(Math.log2(knob.now)));
    }

    /** @param {Control} knob @param {number} size */
    set(knob, size) {
      knob.now = size;
      this.show(knob);
      this.update();
    }

    reset() {
      for (const knob of this.knobs) {
        knob.now = knob.size;
        this.show(knob);
      }
      this.update();
    }

    // Sums that lack nodes of unknown cost.
    get bound() { return this.data.cost.lower_bound ? "at least " : ""; }

    get changed() { return this.knobs.some((knob) => !knob.fixed && knob.now !== knob.size); }

    update() {
      this.time();
      if (!this.changed) {
        for (const [element, nodes] of this.restore) element.replaceChildren(...copies(nodes));
        this.note("");
        this.peakAt(null);
        Charts.timeline(this.graph, this.data.timeline.map(Number), this.go);
        return;
      }
      const sizes = bindings(this.knobs);
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
      const over = this.knobs.map(({ most, now }) =>
        (most && now > most ? ` The model's table of positions ends at ${Units.integer(most)}.` : ""));
      const bound = this.knobs.filter((knob) => !knob.fixed).map((knob) => `${knob.name} ${Units.integer(knob.now)}`);
      const why = this.sizes.no_lives ? `: ${this.sizes.no_lives}` : "";
      const lacks = peak ? "" : ` The peak of activations is only known at the sizes of the report${why}.`;
      const keep = " The text, the pictures, the table of layers and the graph keep the sizes of the report.";
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
      for (const knob of this.knobs) {
        if (knob.name === "batch" || this.isLength(knob)) bar.append(this.control(knob, "device"));
      }
      this.time();
    }

    /** @param {Knob} knob */
    isLength(knob) { return knob.name === "context" || knob.name === "sequence"; }

    // Shows the run in the table at the chosen sizes, or the nearest ones.
    time() {
      const place = document.getElementById("device-now");
      if (!place || !this.device) return;
      const { batches, lengths, devices } = this.sizes;
      const chosen = this.device.value;
      const device = devices.find((it) => it.id === chosen) ?? devices[0];
      const batch = nearest(batches, this.knobs.find((knob) => knob.name === "batch")?.now ?? 1);
      const knob = this.knobs.find((it) => this.isLength(it));
      const length = lengths.length && knob ? nearest(lengths, knob.now) : 0;
      const { runs } = device;
      const run = length * batches.length + batch;
      const [low, expected, high] = [runs.low[run], runs.expected[run], runs.high[run]];
      const [rate, memory, fits, reason] = [runs.throughput[run], runs.memory[run], runs.fits[run], runs.reason[run]];
      const other = this.knobs.find((it) => !it.fixed && it.name !== "batch" && !this.isLength(it) && it.now !== it.size);
      const at = `batch ${batches[batch]}` + (lengths.length && knob ? `, ${knob.name} ${Units.integer(lengths[length])}` : "");
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
      if (this.knobs.some((it) => it.name === "batch" && it.fixed)) {
        notes.push("The file fixes the batch: others suppose that it is exported anew.");
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
   * @param {(Knob & { now: number })[]} knobs
   */
  function bindings(knobs) {
    /** @type {Map<string, bigint>} */
    const sizes = new Map();
    for (const knob of knobs) {
      for (const [name, offset] of Object.entries(knob.dims)) sizes.set(name, BigInt(Math.max(knob.now + offset, offset < 0 ? 1 : 0)));
    }
    return sizes;
  }

  return { Choice, bindings };
})();
