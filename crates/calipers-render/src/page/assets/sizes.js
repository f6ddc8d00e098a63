// @ts-check
// The controls of the page: sizes of the inputs, the device, the precision.

const Sizes = (() => {
  const MOST_SIZE = 1048576;
  // A slider reaches at least this far, and to this multiple of the size of the report.
  const SLIDER_REACH = 128, SLIDER_TIMES = 8;

  /** @typedef {SizeControl & { now: number, slider?: HTMLInputElement, field?: HTMLInputElement }} Control */

  /** @param {SizeControl} control */
  const isLength = (control) => control.name === "context" || control.name === "sequence";

  /** A display name. @param {string} name */
  const title = (name) => ({ batch: "Batch", sequence: "Sequence", context: "Context" })[name] ?? name;

  /**
   * A slider over powers of two with a field for any number.
   * @param {Control} control
   * @param {string} id
   * @param {() => void} changed
   */
  function sizeControl(control, id, changed) {
    const group = Panel.element("div", undefined, "size-control");
    const label = Panel.element("label", title(control.name));
    label.htmlFor = id;
    const slider = document.createElement("input");
    const reach = Math.max(control.size * SLIDER_TIMES, control.most ?? 0, SLIDER_REACH);
    Object.assign(slider, { type: "range", min: 0, step: 1, max: Math.floor(Math.log2(reach)) });
    slider.setAttribute("aria-label", `${title(control.name)}, powers of two`);
    const field = document.createElement("input");
    Object.assign(field, { type: "number", min: 1, max: MOST_SIZE, id });
    /** @param {number} size */
    const set = (size) => {
      control.now = size;
      changed();
    };
    slider.addEventListener("input", () => set(Math.min(2 ** Number(slider.value), control.most ?? Infinity)));
    field.addEventListener("input", () => {
      const value = Math.floor(Number(field.value));
      if (value >= 1 && value <= MOST_SIZE) set(value);
    });
    Object.assign(control, { slider, field });
    group.append(label, slider, field);
    return group;
  }

  /** Shows the sizes in their controls. @param {Control[]} controls */
  function show(controls) {
    for (const { field, slider, now } of controls) {
      if (field && Math.floor(Number(field.value)) !== now) field.value = String(now);
      if (slider) slider.value = String(Math.round(Math.log2(now)));
    }
  }

  /**
   * A select with a label.
   * @param {string} id
   * @param {string} words
   * @param {[value: string, name: string][]} options
   * @param {(value: string) => void} changed
   */
  function choice(id, words, options, changed) {
    const group = Panel.element("div", undefined, "size-control");
    const label = Panel.element("label", words);
    label.htmlFor = id;
    const select = document.createElement("select");
    select.id = id;
    for (const [value, name] of options) {
      const option = Panel.element("option", name);
      option.value = value;
      select.append(option);
    }
    select.addEventListener("change", () => changed(select.value));
    group.append(label, select);
    return { group, select };
  }

  /**
   * A size for every free dimension. A cache may be empty before a run, but its dimension is at least 1.
   * @param {(SizeControl & { now: number })[]} controls
   */
  function bindings(controls) {
    /** @type {Map<string, bigint>} */
    const sizes = new Map();
    for (const control of controls) {
      for (const [name, offset] of Object.entries(control.dims)) sizes.set(name, BigInt(Math.max(control.now + offset, offset < 0 ? 1 : 0)));
    }
    return sizes;
  }

  return { bindings, sizeControl, choice, show, isLength, title };
})();
