// @ts-check
// Rows of a long table: only those in sight are in the page, however many there are.

const Rows = (() => {
  // Rows beyond those in sight that are drawn.
  const AROUND = 12;

  class Rows {
    /**
     * @param {HTMLElement} scroll What scrolls.
     * @param {HTMLTableElement} table The table inside.
     * @param {number} height The height of a row in pixels.
     * @param {(row: number, place: number) => HTMLTableRowElement} draw Draws a row, which is at a place among those shown.
     */
    constructor(scroll, table, height, draw) {
      this.scroll = scroll;
      this.table = table;
      this.body = table.tBodies[0];
      this.height = height;
      this.drawRow = draw;
      /** @type {ArrayLike<number>} */
      this.rows = [];
      // The rows that are drawn.
      this.from = this.to = 0;
      scroll.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.draw(true)).observe(scroll);
    }

    /** Shows these rows from the first one on. @param {ArrayLike<number>} rows */
    show(rows) {
      this.rows = rows;
      this.scroll.scrollTop = 0;
      this.draw(true);
    }

    /** Scrolls until the row at a place is in sight, below the heading. @param {number} place */
    reveal(place) {
      const { scroll, height } = this;
      const head = this.table.tHead?.offsetHeight ?? 0;
      const top = place * height;
      if (top < scroll.scrollTop) scroll.scrollTop = top;
      else if (top + height + head > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + height + head - scroll.clientHeight;
      this.draw(true);
    }

    /** Draws the rows in sight, where those that are drawn are others. @param {boolean} [always] */
    draw(always) {
      const { rows, scroll, height } = this;
      const from = Math.min(rows.length, Math.max(0, Math.floor(scroll.scrollTop / height) - AROUND));
      const to = Math.min(rows.length, from + Math.ceil(scroll.clientHeight / height) + 2 * AROUND);
      if (!always && from === this.from && to === this.to) return;
      [this.from, this.to] = [from, to];
      this.table.setAttribute("aria-rowcount", String(rows.length + 1));
      const drawn = [];
      for (let place = from; place < to; place++) {
        const line = this.drawRow(rows[place], place);
        line.setAttribute("aria-rowindex", String(place + 2));
        drawn.push(line);
      }
      this.body.replaceChildren(spacer(from * height), ...drawn, spacer((rows.length - to) * height));
    }
  }

  /** A row as high as those that are not drawn. @param {number} height */
  function spacer(height) {
    const line = document.createElement("tr");
    line.setAttribute("aria-hidden", "true");
    line.className = "spacer";
    line.style.height = `${height}px`;
    return line;
  }

  return { Rows, AROUND };
})();
