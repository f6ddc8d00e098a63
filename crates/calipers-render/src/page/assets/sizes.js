// Sizes that the reader chooses: figures follow from the formulas in the page, times from its table.

const Sizes = (() => {
  class Choice {
    constructor(data, graph, go) {
      this.data = data;
      this.graph = graph;
      this.go = go;
      this.sizes = data.sizes;
      this.knobs = this.sizes.knobs.map((knob) => ({ ...knob, now: knob.size }));
      this.form = document.getElementById("sizes");
      if (this.form) this.fill();
      this.devices();
      this.restore = new Map([...document.querySelectorAll("[data-figure]")].map((it) => [it, [...it.childNodes].map((node) => node.cloneNode(true))]));
    }

    fill() {
      this.form.addEventListener("submit", (event) => event.preventDefault());
      for (const knob of this.knobs.filter((it) => !it.fixed)) this.form.append(this.control(knob, "size"));
      const reset = Panel.element("button", "Reset", "quiet");
      reset.type = "button";
      reset.addEventListener("click", () => this.reset());
      this.form.append(reset);
    }

    // A slider over powers of two with a field for any number.
    control(knob, prefix) {
      const group = Panel.element("div", undefined, "knob");
      const id = `${prefix}-${this.knobs.indexOf(knob)}`;
      const label = Panel.element("label", knob.name);
      label.htmlFor = id;
      const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, step: 1 });
      const field = Object.assign(document.createElement("input"), { type: "number", min: 1, max: 1048576, id, value: knob.now });
      slider.max = Math.floor(Math.log2(Math.max(knob.size * 8, knob.most ?? 0, 64)));
      slider.setAttribute("aria-label", `${knob.name}, in powers of two`);
      slider.value = Math.round(Math.log2(knob.now));
      const set = (value) => {
        knob.now = value;
        for (const other of knob.fields) other.value = value;
        for (const other of knob.sliders) other.value = Math.round(Math.log2(value));
        this.update();
      };
      slider.addEventListener("input", () => set(Math.min(2 ** Number(slider.value), knob.most ?? Infinity)));
      field.addEventListener("input", () => {
        const value = Math.floor(Number(field.value));
        if (value >= 1 && value <= Number(field.max)) set(value);
      });
      (knob.fields ??= []).push(field);
      (knob.sliders ??= []).push(slider);
      group.append(label, slider, field);
      return group;
    }

    reset() {
      for (const knob of this.knobs) {
        knob.now = knob.size;
        for (const field of knob.fields ?? []) field.value = knob.size;
        for (const slider of knob.sliders ?? []) slider.value = Math.round(Math.log2(knob.size));
      }
      this.update();
    }

    // Sums that lack nodes of unknown cost.
    get bound() { return this.data.cost.lower_bound ? "at least " : ""; }

    get changed() { return this.knobs.some((knob) => !knob.fixed && knob.now !== knob.size); }

    // A size for every free dimension.
    bindings() {
      const sizes = new Map();
      for (const knob of this.knobs) {
        for (const [name, offset] of Object.entries(knob.dims)) sizes.set(name, BigInt(Math.max(knob.now + offset, offset < 0 ? 1 : 0)));
      }
      return sizes;
    }

    update() {
      this.time();
      if (!this.changed) {
        for (const [element, nodes] of this.restore) element.replaceChildren(...nodes.map((node) => node.cloneNode(true)));
        this.note("");
        this.peakAt(null);
        Charts.timeline(this.graph, this.data.timeline.map(Number), this.go);
        return;
      }
      const sizes = this.bindings();
      const { cost } = this.data;
      const figure = (key) => (cost[key] === null ? null : Formula.evaluate(cost.formula[key], sizes));
      const macs = figure("macs");
      this.put("macs", macs, (value) => Units.operations(value, "MACs"));
      this.put("flops", macs === null ? null : macs * 2n, (value) => Units.operations(value, "FLOPs"));
      this.put("other_flops", figure("other_flops"), (value) => Units.operations(value, "FLOPs"));
      this.put("bytes_moved", figure("bytes_moved"), Units.bytes, " bytes");
      const peak = this.peak(sizes);
      this.put("peak", peak?.most ?? null, Units.bytes, " bytes");
      this.put("in_place", peak?.reused ?? null, Units.bytes, " bytes");
      for (const element of document.querySelectorAll('[data-figure="peak-text"]')) element.textContent = peak ? Units.bytes(peak.most) : "unknown";
      this.peakAt(peak ? peak.at : null);
      Charts.timeline(this.graph, peak ? peak.timeline : [], this.go);
      const over = this.knobs.filter((knob) => knob.most && knob.now > knob.most).map((knob) => ` The model's table of positions ends at ${Units.integer(knob.most)}.`).join("");
      const bound = this.knobs.filter((knob) => !knob.fixed).map((knob) => `${knob.name} ${Units.integer(knob.now)}`);
      const lacks = peak ? "" : ` The peak of activations is only known at the sizes of the report${this.sizes.no_lives ? `: ${this.sizes.no_lives}` : ""}.`;
      this.note(`At ${bound.join(", ")}.${lacks} The text, the pictures, the table of layers and the graph keep the sizes of the report.${over}`);
    }

    // A model of which every size is fixed has no place for it.
    note(words) {
      const place = document.getElementById("sizes-note");
      if (place) place.textContent = words;
    }

    put(key, value, write, unit = "") {
      for (const element of document.querySelectorAll(`[data-figure="${key}"]`)) {
        const bound = key in this.data.cost.formula || key === "flops" ? this.bound : "";
        const strong = Panel.element("strong", value === null ? "unknown" : bound + write(value));
        element.replaceChildren(strong, Panel.element("small", value === null ? "" : `${Units.integer(value)}${unit}`));
      }
    }

    peakAt(node) {
      const place = document.getElementById("peak-at");
      if (!place) return;
      this.peakNow ??= [...place.childNodes];
      if (node === null) return place.replaceChildren(...this.peakNow);
      const link = Panel.element("a", this.graph.nodes.name[node]);
      link.href = Panel.link(this.graph, node);
      place.replaceChildren(" at ", link);
    }

    // Most bytes alive at once, by the lives of activations: as the command finds it.
    peak(sizes) {
      const { lives, formulas } = this.sizes;
      if (!lives.length) return null;
      const bytes = formulas.map((formula) => Formula.evaluate(formula, sizes));
      if (bytes.includes(null)) return null;
      const count = this.data.main;
      const change = new Array(count + 2).fill(0n);
      for (const [from, until, formula] of lives) {
        change[from] += bytes[formula];
        change[until + 1] -= bytes[formula];
      }
      const reused = this.reused(bytes);
      let [alive, most, at] = [0n, -1n, 0];
      const timeline = [];
      for (let node = 0; node < count; node++) {
        alive += change[node];
        timeline.push(Number(alive));
        if (alive > most) [most, at] = [alive, node];
      }
      return { most, at, timeline, reused };
    }

    // The same when views share their input's place, and results take places that are not needed any more.
    reused(bytes) {
      const { lives } = this.sizes;
      const count = this.data.main;
      const ends = Array.from({ length: count + 1 }, () => []);
      const places = [], placeOf = [];
      let [alive, most, next] = [0n, 0n, 0];
      const add = (number) => {
        const [, until, formula, lent] = lives[number];
        placeOf[number] = places.length;
        ends[until].push(places.length);
        places.push({ bytes: bytes[formula], until, lent });
        alive += bytes[formula];
      };
      const give = (number, now) => {
        const [, until, formula, , viewOf, mayTake] = lives[number];
        const free = (index) => places[index].until === now && !places[index].lent && places[index].bytes === bytes[formula];
        const taken = viewOf !== null ? placeOf[viewOf] : mayTake.map((other) => placeOf[other]).find(free);
        if (taken === undefined) return add(number);
        placeOf[number] = taken;
        if (places[taken].until < until) {
          places[taken].until = until;
          ends[until].push(taken);
        }
      };
      while (next < lives.length && lives[next][3]) add(next++);
      most = alive;
      for (let node = 0; node < count; node++) {
        while (next < lives.length && lives[next][0] === node) give(next++, node);
        if (alive > most) most = alive;
        for (const index of ends[node]) if (places[index].until === node) alive -= places[index].bytes;
      }
      return most;
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

    isLength(knob) { return knob.name === "context" || knob.name === "sequence"; }

    // The run in the table at the sizes that are chosen, or the nearest ones.
    time() {
      const place = document.getElementById("device-now");
      if (!place || !this.device) return;
      const nearest = (list, wanted) => list.reduce((best, size, i) => (Math.abs(Math.log(size / wanted)) < Math.abs(Math.log(list[best] / wanted)) ? i : best), 0);
      const { batches, lengths, devices } = this.sizes;
      const device = devices.find((it) => it.id === this.device.value) ?? devices[0];
      const batch = nearest(batches, this.knobs.find((knob) => knob.name === "batch")?.now ?? 1);
      const knob = this.knobs.find((it) => this.isLength(it));
      const length = lengths.length && knob ? nearest(lengths, knob.now) : 0;
      const [span, rate, memory, fits, reason] = device.runs[length * batches.length + batch];
      const other = this.knobs.find((it) => !it.fixed && it.name !== "batch" && !this.isLength(it) && it.now !== it.size);
      const at = [`batch ${batches[batch]}`, ...(lengths.length && knob ? [`${knob.name} ${Units.integer(lengths[length])}`] : [])].join(", ");
      const list = Panel.facts([
        ["at", at], ["time of one run", span ? Units.timeRange(...span) : reason ?? (fits === false ? "it does not fit" : "unknown")],
        ["a second", rate === null ? null : Units.rate(rate)],
        ["memory needed", memory === null ? "unknown" : Units.gigabytes(memory)],
        ["fits", fits === null ? "unknown" : fits ? "yes" : "no"],
        ["device's memory", device.memory === null ? null : Units.gigabytes(device.memory)],
      ]);
      list.classList.add("wide");
      place.replaceChildren(list);
      const notes = [];
      if (this.knobs.some((it) => it.name === "batch" && it.fixed)) notes.push("The file fixes the batch: others suppose that it is exported anew.");
      if (other) notes.push(`Times hold for ${other.name} ${Units.integer(other.size)}.`);
      if (notes.length) place.append(Panel.element("p", notes.join(" "), "note"));
      for (const row of document.querySelectorAll("tr[data-device]")) row.classList.toggle("chosen", row.dataset.device === device.id);
    }
  }

  return { Choice };
})();
