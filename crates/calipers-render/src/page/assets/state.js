// @ts-check
// One state for the whole page: sizes, device and precision. Every figure, table, chart and box follows it.

const State = (() => {
  const EXACT = 2n ** 53n;

  /** A figure as it is in the page's data. @param {bigint | null} value @returns {Known} */
  const pack = (value) => (value === null ? null : value < EXACT ? Number(value) : String(value));
  /** @param {Known} value @param {bigint} times @param {bigint} over @returns {Known} */
  const scaled = (value, times, over) => (value === null ? null : pack(BigInt(value) * times / over));
  /** @param {Known} sum @param {Known} more @returns {Known} */
  const plus = (sum, more) => (more === null ? sum : sum === null ? more : pack(BigInt(sum) + BigInt(more)));
  /** @param {Known} one @param {Known} other @returns {Known} */
  const greater = (one, other) => (one === null || (other !== null && Number(other) > Number(one)) ? other : one);

  class State {
    /**
     * @param {PageData} data
     * @param {Graph} graph
     * @param {(node: number) => void} go Shows a node of the graph.
     * @param {() => void} redraw Draws graph and layers again.
     */
    constructor(data, graph, go, redraw) {
      this.data = data;
      this.graph = graph;
      this.go = go;
      this.redraw = redraw;
      const { sizes } = data;
      this.times = sizes.times;
      /** @type {(SizeControl & { now: number })[]} */
      this.controls = sizes.size_controls.map((control) => ({ ...control, now: control.size }));
      this.precision = 0;
      this.first = this.times.devices.findIndex((device) => device.id === this.times.chosen);
      this.device = this.first;
      const { macs, other, bytes, percent, alive } = graph.nodes;
      this.base = { macs, other, bytes, percent, alive };
      this.baseGroups = graph.groups.map(({ macs: work, bytes: moved, alive: live }) => ({ macs: work, bytes: moved, alive: live }));
      // Where the peak is at the sizes of the report.
      this.peakHere = [...(document.getElementById("peak-at")?.childNodes ?? [])];
      /** @type {HTMLSelectElement | null} */
      this.deviceSelect = null;
      /** @type {HTMLSelectElement | null} */
      this.precisionSelect = null;
      this.fill();
      this.table = document.getElementById("device-text") && this.times.devices.length
        ? new Hardware.Devices(this.times, (device) => this.choose(device === this.device ? -1 : device)) : null;
      for (const button of document.querySelectorAll("button.reset")) button.addEventListener("click", () => this.reset());
      this.update();
    }

    fill() {
      const form = document.getElementById("state");
      if (!form) return;
      form.addEventListener("submit", (event) => event.preventDefault());
      const { devices, precisions } = this.times;
      if (devices.length) {
        /** @type {[string, string][]} */
        const options = devices.map((device) => [device.id, device.name]);
        const { group, select } = Sizes.choice("device", "Device", [["", "No device"], ...options], (id) =>
          this.choose(devices.findIndex((device) => device.id === id)));
        this.deviceSelect = select;
        form.append(group);
      }
      this.controls.forEach((control, i) => {
        if (control.fixed !== null && !devices.length) return;
        form.append(Sizes.sizeControl(control, `size-${i}`, () => this.update()));
      });
      if (precisions.length > 1) {
        /** @type {[string, string][]} */
        const options = precisions.map((name, i) => [String(i), name]);
        const { group, select } = Sizes.choice("precision", "Precision", options, (value) => {
          this.precision = Number(value);
          this.update();
        });
        this.precisionSelect = select;
        form.append(group);
      }
      if (!form.childElementCount) return;
      const reset = Panel.element("button", "Reset", "quiet reset");
      reset.type = "button";
      form.append(reset);
    }

    /** @param {number} device */
    choose(device) {
      this.device = device;
      this.update();
    }

    reset() {
      for (const control of this.controls) control.now = control.size;
      this.precision = 0;
      this.device = this.first;
      this.update();
    }

    // Whether free sizes are those of the report.
    get sizesChanged() { return this.controls.some(({ now, size }) => now !== size); }
    get changed() { return this.sizesChanged || this.device !== this.first || this.precision !== 0; }

    get choice() {
      const length = this.controls.find(Sizes.isLength);
      return {
        precision: this.precision, batch: this.controls.find(({ name }) => name === "batch")?.now ?? 1,
        length: length ? length.now : null,
      };
    }

    // By how much a batch that the file fixes is exceeded: a fraction.
    get ratio() {
      const fixed = this.controls.find((control) => control.fixed !== null);
      return fixed?.fixed ? { times: BigInt(fixed.now), over: BigInt(fixed.fixed) } : { times: 1n, over: 1n };
    }

    // Other sizes than those that times are known at.
    get untimed() {
      return this.controls.find((it) => it.fixed === null && it.name !== "batch" && !Sizes.isLength(it) && it.now !== it.size);
    }

    /** One run on a device. @param {DeviceData} device */
    run(device, choice = this.choice) {
      const run = Times.run(this.times, device, choice);
      const { untimed } = this;
      if (!untimed) return run;
      return { ...run, time: null, rate: null, memory: null, fits: "-", bottleneck: "", reason: `estimated at ${untimed.name} ${Units.integer(untimed.size)} only` };
    }

    // What a run needs on every device.
    need() { return this.untimed ? { weights: null, activations: null, cache: null } : Times.need(this.times, this.choice); }

    update() {
      Sizes.show(this.controls);
      if (this.deviceSelect) this.deviceSelect.value = this.times.devices[this.device]?.id ?? "";
      if (this.precisionSelect) this.precisionSelect.value = String(this.precision);
      const sizes = Sizes.bindings(this.controls);
      const peak = this.figures(sizes);
      this.costs(sizes);
      this.peak(peak);
      this.headline();
      this.hardware();
      Charts.cost(this.graph);
      this.note();
      for (const place of document.querySelectorAll(".at-report")) {
        if (place instanceof HTMLElement) place.hidden = this.changed;
      }
      for (const place of document.querySelectorAll(".elsewhere")) {
        if (place instanceof HTMLElement) place.hidden = !this.changed;
      }
      document.documentElement.dataset.changed = this.changed ? "yes" : "no";
      this.redraw();
    }

    /** Figures of all nodes and groups at the chosen sizes; the peak of activations. @param {Map<string, bigint>} sizes */
    figures(sizes) {
      const { graph, base, data } = this;
      const { times, over } = this.ratio;
      const isScaled = times !== over;
      const isFree = this.controls.some(({ fixed, now, size }) => fixed === null && now !== size);
      const peak = isFree ? Liveness.peak(data.sizes, data.main, sizes) : null;
      const timeline = isFree ? peak?.timeline ?? null : data.timeline.map(Number);
      const live = timeline && isScaled ? timeline.map((bytes) => bytes * Number(times) / Number(over)) : timeline;
      if (!isFree && !isScaled) {
        Object.assign(graph.nodes, base);
        graph.groups.forEach((group, i) => Object.assign(group, this.baseGroups[i]));
        return { most: data.peak, reused: data.in_place, at: null, timeline: live, isBase: true };
      }
      const node = isFree ? this.nodes(sizes) : { macs: base.macs, other: base.other, bytes: base.bytes };
      const macs = isScaled ? node.macs.map((value) => scaled(value, times, over)) : node.macs;
      const other = isScaled ? node.other.map((value) => scaled(value, times, over)) : node.other;
      // Bytes of weights do not grow with the batch, and are not known apart.
      const bytes = isScaled ? node.bytes.map(() => null) : node.bytes;
      let total = 0;
      for (const value of macs.slice(0, data.main)) total += Number(value ?? 0);
      const percent = macs.map((value, i) => (base.percent[i] === null || value === null || !total ? base.percent[i] : Number(value) / total * 100));
      const alive = base.alive.map((_, i) => (live && i < live.length ? Math.round(live[i]) : null));
      Object.assign(graph.nodes, { macs, other, bytes, percent, alive });
      this.groups();
      const most = isFree ? peak?.most ?? null : data.peak === null ? null : BigInt(data.peak);
      const reused = isFree ? peak?.reused ?? null : data.in_place === null ? null : BigInt(data.in_place);
      return {
        most: most === null ? null : pack(most * times / over), reused: reused === null ? null : pack(reused * times / over),
        at: isFree ? peak?.at ?? null : null, timeline: live, isBase: false,
      };
    }

    /** @param {Map<string, bigint>} sizes */
    nodes(sizes) {
      const { graph, base } = this;
      /** Each formula once. @type {Map<number, Known>} */
      const values = new Map();
      /** @param {number} text */
      const value = (text) => {
        let found = values.get(text);
        if (found === undefined) {
          found = pack(Formula.figure(Formula.evaluate(graph.text(text), sizes)));
          values.set(text, found);
        }
        return found;
      };
      const figures = { macs: base.macs.slice(), other: base.other.slice(), bytes: base.bytes.slice() };
      /** @type {Record<string, "macs" | "other" | "bytes">} */
      const columns = { macs: "macs", other_flops: "other", bytes_moved: "bytes" };
      for (const [node, formulas] of Object.entries(graph.nodes.formulas)) {
        for (const [field, text] of formulas) {
          const column = columns[graph.text(field)];
          if (column) figures[column][Number(node)] = value(text);
        }
      }
      return figures;
    }

    // Sums by group, as the program adds them up: a group holds its nodes and the groups among its boxes.
    groups() {
      const { graph } = this;
      const { nodes } = graph;
      const sums = graph.groups.map(() => ({ /** @type {Known} */ macs: null, /** @type {Known} */ bytes: null, /** @type {Known} */ alive: null }));
      /** @param {{ macs: Known, bytes: Known, alive: Known }} sum @param {Known} macs @param {Known} bytes @param {Known} alive */
      const add = (sum, macs, bytes, alive) => {
        sum.macs = plus(sum.macs, macs);
        sum.bytes = plus(sum.bytes, bytes);
        sum.alive = greater(sum.alive, alive);
      };
      for (let i = 0; i < graph.count; i++) add(sums[nodes.group[i]], nodes.macs[i], nodes.bytes[i], nodes.alive[i]);
      for (let group = sums.length - 1; group >= 0; group--) {
        const { kind, id } = graph.groups[group].items;
        kind.forEach((it, i) => {
          if (it === "group") add(sums[group], sums[id[i]].macs, sums[id[i]].bytes, sums[id[i]].alive);
        });
      }
      graph.groups.forEach((group, i) => Object.assign(group, sums[i]));
    }

    /** Totals of the cost. @param {Map<string, bigint>} sizes */
    costs(sizes) {
      const { cost } = this.data;
      const { times, over } = this.ratio;
      /** @param {"macs" | "other_flops" | "bytes_moved"} key */
      const figure = (key) => {
        const known = cost[key];
        if (known === null) return null;
        const formula = cost.formula[key];
        return formula === undefined ? BigInt(known) : Formula.figure(Formula.evaluate(formula, sizes));
      };
      /** @param {bigint | null} value */
      const grown = (value) => (value === null ? null : value * times / over);
      const macs = grown(figure("macs"));
      this.sum("macs", macs, (value) => Units.operations(value, "MACs"));
      this.sum("flops", macs === null ? null : Formula.figure(macs * 2n), (value) => Units.operations(value, "FLOPs"));
      this.sum("other_flops", grown(figure("other_flops")), (value) => Units.operations(value, "FLOPs"));
      this.sum("bytes_moved", times === over ? figure("bytes_moved") : null, Units.bytes, " bytes");
    }

    /** A total that may lack nodes of unknown cost. @param {string} key @param {bigint | null} value @param {(value: bigint) => string} write @param {string} [unit] */
    sum(key, value, write, unit = "") {
      const bound = this.data.cost.lower_bound ? "at least " : "";
      put(key, value === null ? "unknown" : bound + write(value), value === null ? "" : `${Units.integer(value)}${unit}`);
    }

    /** @param {{ most: Known, reused: Known, at: number | null, timeline: number[] | null, isBase: boolean }} peak */
    peak(peak) {
      for (const [key, value] of /** @type {[string, Known][]} */ ([["peak", peak.most], ["in_place", peak.reused]])) {
        put(key, value === null ? "unknown" : Units.bytes(value), value === null ? "" : `${Units.integer(value)} bytes`);
      }
      for (const element of document.querySelectorAll('[data-figure="peak-text"]')) {
        element.textContent = peak.most === null ? "unknown" : Units.bytes(peak.most);
      }
      const place = document.getElementById("peak-at");
      if (place && peak.at !== null) {
        const link = Panel.element("a", this.graph.nodes.name[peak.at]);
        link.href = Panel.link(this.graph, peak.at);
        place.replaceChildren(" at ", link);
      } else if (place) place.replaceChildren(...(peak.most === null ? [] : this.peakHere));
      if (document.getElementById("timeline")) Charts.timeline(this.graph, peak.timeline ?? [], this.go);
    }

    // Latency and memory, of the chosen device or of none.
    headline() {
      const device = this.times.devices[this.device];
      const need = this.need();
      if (!device) {
        put("latency", "–", this.times.devices.length ? "choose a device" : "no estimate");
        const parts = [need.weights, need.activations, need.cache].filter((bytes) => bytes !== null);
        const { stored } = this.data;
        if (need.weights !== null && need.activations !== null) {
          const words = [`${Units.bytes(need.weights)} weights`, `${Units.bytes(need.activations)} runtime buffers`];
          if (need.cache !== null) words.push(`${Units.bytes(need.cache)} KV cache`);
          put("memory", Units.bytes(parts.reduce((sum, bytes) => sum + bytes, 0)), words.join(" + "));
        } else put("memory", stored === null ? "unknown" : Units.bytes(stored), stored === null ? "" : "weights");
        return;
      }
      const run = this.run(device);
      put("latency", run.time ? Units.time(run.time[1]) : "unknown",
        run.time ? `${Units.timeRange(...run.time).replace(/^.*\(/, "").replace(")", "")} · ${Units.rate(run.rate ?? 0)}` : run.reason);
      const fits = { y: "fits", t: "barely fits", n: "does not fit" }[run.fits] ?? "fit unknown";
      put("memory", run.memory === null ? "unknown" : Units.gigabytes(run.memory),
        device.memory === null ? fits : `${fits} ${Units.gigabytes(device.memory)}`);
    }

    hardware() {
      const place = document.getElementById("device-now");
      if (!place) return;
      const { times, choice } = this;
      this.table?.show((it) => this.run(it), this.device);
      const device = times.devices[this.device];
      const need = this.need();
      /** @param {number | null} bytes */
      const size = (bytes) => (bytes === null ? null : Units.bytes(bytes));
      /** @type {[string, string | null][]} */
      const pairs = [["Weights", size(need.weights)], ["Runtime buffers", size(need.activations)], ["KV cache", size(need.cache)]];
      if (device) {
        const run = this.run(device);
        const known = (need.weights ?? 0) + (need.activations ?? 0) + (need.cache ?? 0);
        pairs.unshift(["Latency", Hardware.latency(run)], ["Throughput", run.rate === null ? null : Units.rate(run.rate)],
          ["Bottleneck", run.bottleneck || null]);
        pairs.push(["Runtime overhead", run.memory !== null && run.memory > known ? Units.bytes(run.memory - known) : null],
          ["Memory needed", Hardware.memory(run.memory)], ["Device memory", device.memory === null ? null : Units.gigabytes(device.memory)],
          ["Fits", Hardware.fitWord(run.fits)]);
      }
      const list = Panel.facts(pairs);
      list.classList.add("wide");
      place.replaceChildren(Panel.element("h3", device ? `${device.name}, ${this.words()}` : `No device chosen, ${this.words()}`), list);
      /** @param {Partial<typeof choice>} other */
      const run = (other) => this.run(device, { ...choice, ...other });
      if (device) {
        Hardware.scaling("batch-scaling", "Batch size", "Batch", times.batches, choice.batch, (batch) => run({ batch }));
        Hardware.scaling("length-scaling", "Sequence length", "Tokens", times.lengths, choice.length, (length) => run({ length }));
      } else for (const id of ["batch-scaling", "length-scaling"]) byId(id).replaceChildren();
    }

    /** The sizes and the precision. */
    words() {
      const sizes = this.controls.map(({ name, now }) => `${name} ${Units.integer(now)}`);
      return [...sizes, ...this.times.precisions.slice(this.precision, this.precision + 1)].join(", ");
    }

    note() {
      const place = document.getElementById("state-note");
      if (!place) return;
      const notes = [];
      const fixed = this.controls.find((control) => control.fixed !== null && control.now !== control.fixed);
      if (fixed) notes.push(`The file fixes the batch at ${Units.integer(fixed.fixed ?? 1)}; other batch sizes require re-exporting with a dynamic batch axis.`);
      for (const { name, most, now } of this.controls) {
        if (most && now > most) notes.push(`The model has ${Units.integer(most)} position embeddings, fewer than ${name} ${Units.integer(now)}.`);
      }
      if (this.sizesChanged && this.data.sizes.live_ranges_unknown) {
        notes.push(`Peak activations at other sizes are unknown: ${this.data.sizes.live_ranges_unknown}.`);
      }
      if (this.precision) notes.push(`Latency and memory are for ${this.times.precisions[this.precision]}; bytes moved and peak activations are for the types of the file.`);
      place.textContent = notes.join(" ");
    }
  }

  /** Shows a figure wherever it is. @param {string} key @param {string} words @param {string} small */
  function put(key, words, small) {
    for (const element of document.querySelectorAll(`[data-figure="${key}"]`)) {
      element.replaceChildren(Panel.element("strong", words), Panel.element("small", small));
    }
  }

  return { State };
})();
