// @ts-check
// The values that models can be filtered by, with the number of models of each.

const Facets = (() => {
  // Values that are listed at first, and at most.
  const FEW = 8, MOST = 300;

  class Facets {
    /** @param {InstanceType<typeof Filter.Filter>} filter @param {() => void} changed */
    constructor(filter, changed) {
      this.filter = filter;
      this.changed = changed;
      this.whole = new Set();
      /** @type {HTMLElement[]} */
      this.lists = filter.facets.map((facet) => {
        const set = document.createElement("fieldset");
        const title = document.createElement("legend");
        title.textContent = facet.title;
        const list = document.createElement("div");
        set.append(title, list);
        byId("facets").append(set);
        return list;
      });
    }

    /** Lists the values again: chosen ones and those of models that are shown. */
    draw() {
      const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.dataset.value : undefined;
      this.filter.facets.forEach((facet, i) => this.list(facet, i));
      if (focused !== undefined) {
        const again = [...byId("facets").querySelectorAll("input")].find((box) => box.dataset.value === focused);
        again?.focus();
      }
    }

    /** @param {FacetData} facet @param {number} i */
    list(facet, i) {
      const [counts, chosen] = [this.filter.counts[i], this.filter.chosen[i]];
      const values = facet.names.map((_, value) => value).filter((value) => counts[value] > 0 || chosen.has(value));
      const first = values.filter((value, place) => place < FEW || chosen.has(value));
      const listed = this.whole.has(i) ? values.slice(0, MOST) : first;
      /** @type {HTMLElement[]} */
      const lines = listed.map((value) => this.line(facet, i, value));
      if (values.length > FEW) lines.push(this.more(i, values.length));
      this.lists[i].replaceChildren(...lines);
    }

    /** @param {FacetData} facet @param {number} i @param {number} value */
    line(facet, i, value) {
      const chosen = this.filter.chosen[i];
      const line = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = chosen.has(value);
      box.dataset.value = `${i}/${value}`;
      box.addEventListener("change", () => {
        if (box.checked) chosen.add(value);
        else chosen.delete(value);
        this.changed();
      });
      const name = document.createElement("span");
      name.textContent = name.title = facet.names[value];
      const count = document.createElement("small");
      count.textContent = Units.integer(this.filter.counts[i][value]);
      line.append(box, name, count);
      return line;
    }

    /** @param {number} i @param {number} count */
    more(i, count) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      const isWhole = this.whole.has(i);
      button.textContent = isWhole ? "Show fewer" : count > MOST ? `Show the first ${MOST} of ${Units.integer(count)}` : `Show all ${Units.integer(count)}`;
      button.addEventListener("click", () => {
        if (isWhole) this.whole.delete(i);
        else this.whole.add(i);
        this.draw();
        const buttons = this.lists[i].querySelectorAll("button");
        buttons[buttons.length - 1]?.focus();
      });
      return button;
    }
  }

  return { Facets };
})();
