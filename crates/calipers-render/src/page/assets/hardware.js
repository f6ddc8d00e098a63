// @ts-check
// The device table and how a run scales, for the chosen sizes and precision.

const Hardware = (() => {
  /** @param {string} fits */
  const fitWord = (fits) => ({ y: "yes", t: "barely", n: "no" })[fits] ?? "unknown";

  /** @param {{ time: [number, number, number] | null, reason: string }} run */
  const latency = (run) => (run.time ? Units.timeRange(run.time[0], run.time[1], run.time[2]) : run.reason);
  /** @param {number | null} value */
  const rate = (value) => (value === null ? "–" : Units.rate(value));
  /** @param {Known} value */
  const memory = (value) => (value === null ? "unknown" : Units.gigabytes(value));

  /** @param {string} words @param {string} [className] */
  const cell = (words, className) => {
    const made = Panel.element("td", words);
    if (className) made.className = className;
    return made;
  };

  class Devices {
    /** @param {TimeData} times @param {(device: number) => void} choose */
    constructor(times, choose) {
      this.times = times;
      this.choose = choose;
      this.table = asType("device-table", HTMLTableElement);
      this.text = asType("device-text", HTMLInputElement);
      this.kind = asType("device-class", HTMLSelectElement);
      this.fits = asType("device-fits", HTMLInputElement);
      this.count = byId("device-count");
      // The column that rows are sorted by, -1 for the order of the catalog.
      this.sorted = { column: -1, down: false };
      /** @type {{ run: (device: DeviceData) => Run, chosen: number } | null} */
      this.last = null;
      for (const name of new Set(times.devices.map((device) => device.class))) {
        const option = Panel.element("option", name);
        option.value = name;
        this.kind.append(option);
      }
      for (const control of [this.text, this.kind, this.fits]) control.addEventListener("input", () => this.draw());
      [...(this.table.tHead?.rows[0].cells ?? [])].forEach((head, i) => {
        const button = Panel.element("button", head.textContent ?? "", "quiet");
        button.type = "button";
        button.addEventListener("click", () => this.sort(i));
        head.replaceChildren(button);
      });
    }

    /** @param {number} column */
    sort(column) {
      const down = this.sorted.column === column ? !this.sorted.down : column === 3;
      this.sorted = { column, down };
      this.draw();
    }

    /** @param {(device: DeviceData) => Run} run @param {number} chosen The number of the chosen device, or -1. */
    show(run, chosen) {
      this.last = { run, chosen };
      this.draw();
    }

    draw() {
      if (!this.last) return;
      const { run: runOf, chosen } = this.last;
      const wanted = this.text.value.trim().toLowerCase();
      const rows = this.times.devices.map((device, number) => ({ device, number, run: runOf(device) }))
        .filter(({ device, run }) => (!wanted || `${device.name} ${device.id}`.toLowerCase().includes(wanted)) &&
          (!this.kind.value || device.class === this.kind.value) &&
          (!this.fits.checked || run.fits === "y" || run.fits === "t"));
      const { column, down } = this.sorted;
      if (column >= 0) {
        /** @param {typeof rows[0]} row */
        const key = ({ device, run }) => [device.name, device.class, run.time ? run.time[1] : null, run.rate, run.memory,
          device.memory === null ? null : Number(device.memory), fitWord(run.fits), run.bottleneck][column];
        rows.sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          if (x === null || y === null) return Number(x === null) - Number(y === null);
          return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
      }
      this.count.textContent = rows.length === this.times.devices.length
        ? Units.counted(rows.length, "device", "devices") : `${rows.length} of ${this.times.devices.length} devices`;
      [...(this.table.tHead?.rows[0].cells ?? [])].forEach((head, i) => {
        if (i === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      this.table.tBodies[0].replaceChildren(...rows.map((row) => this.row(row, chosen)));
    }

    /** @param {{ device: DeviceData, number: number, run: Run }} row @param {number} chosen */
    row({ device, number, run }, chosen) {
      const line = document.createElement("tr");
      line.dataset.device = device.id;
      line.className = number === chosen ? "chosen" : "";
      const head = document.createElement("th");
      head.scope = "row";
      const button = Panel.element("button", device.name, "quiet link");
      button.type = "button";
      button.setAttribute("aria-pressed", String(number === chosen));
      button.addEventListener("click", () => this.choose(number));
      head.append(button);
      line.append(head, cell(device.class, "extra"), cell(latency(run), run.time ? "number time" : "why"), cell(rate(run.rate), "number"),
        cell(memory(run.memory), "number"), cell(memory(device.memory), "number extra"), cell(fitWord(run.fits)),
        cell(run.bottleneck || "–", "extra"));
      return line;
    }
  }

  /**
   * A table of runs at growing sizes.
   * @param {string} id
   * @param {string} title
   * @param {string} name Of the size.
   * @param {number[]} list
   * @param {number | null} now The chosen size.
   * @param {(size: number) => Run} run
   */
  function scaling(id, title, name, list, now, run) {
    const place = byId(id);
    if (list.length < 2) return place.replaceChildren();
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const [words, kind] of [[name, "number"], ["Latency", "number"], ["Throughput", "number"], ["Memory needed", "number"]]) {
      const made = Panel.element("th", words, kind);
      made.scope = "col";
      head.append(made);
    }
    const body = table.createTBody();
    for (const size of list) {
      const found = run(size);
      const line = body.insertRow();
      line.className = size === now ? "chosen" : "";
      line.append(cell(Units.integer(size), "number"), cell(latency(found), found.time ? "number time" : "why"),
        cell(rate(found.rate), "number"), cell(memory(found.memory), "number"));
    }
    const scroll = Panel.element("div", undefined, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", title);
    scroll.append(table);
    place.replaceChildren(Panel.element("h3", title), scroll);
  }

  return { Devices, scaling, latency, rate, memory, fitWord };
})();
