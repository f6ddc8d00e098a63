// @ts-check
// Numbers as people read them, formatted exactly as `calipers_report::units` formats them: tests/page holds the two equal.

const Units = (() => {
  const BYTES = ["kB", "MB", "GB", "TB", "PB", "EB"];
  const COUNTS = ["k", "M", "B", "T", "P", "E"];
  const SI = ["k", "M", "G", "T", "P", "E"];

  /** @param {string} digits */
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  /** @param {Integer} value */
  const integer = (value) => grouped(BigInt(value).toString());

  /**
   * The value in the smallest unit in which it rounds to less than 1,000, with two decimals; null when it is below 1,000.
   * @param {Integer} value
   * @param {string[]} units
   */
  function scaled(value, units) {
    const number = BigInt(value);
    if (number < 1000n) return null;
    let unit = 1000n;
    for (let i = 0; i < units.length; i++, unit *= 1000n) {
      const hundredth = unit / 100n;
      const half = number % hundredth >= hundredth / 2n ? 1n : 0n;
      const hundredths = number / hundredth + half;
      if (hundredths < 100000n || i + 1 === units.length) {
        const rest = String(hundredths % 100n).padStart(2, "0");
        return `${integer(hundredths / 100n)}.${rest} ${units[i]}`;
      }
    }
    return null;
  }

  /** @param {Integer} value */
  const bytes = (value) => scaled(value, BYTES) ?? `${value} B`;
  /** @param {Integer} value */
  const count = (value) => scaled(value, COUNTS) ?? String(value);
  /** @param {Integer} value */
  const magnitude = (value) => scaled(value, SI) ?? String(value);
  /** @param {Integer} value @param {string} unit */
  const operations = (value, unit) => (scaled(value, SI) ?? `${value} `) + unit;

  // The parts of a 64-bit float: 52 bits of fraction below 11 of exponent.
  const FRACTION_BITS = 52n, EXPONENT_MASK = 0x7ffn, EXPONENT_BIAS = 1075;
  const bits = new DataView(new ArrayBuffer(8));

  /**
   * The integer nearest to value × 10^decimals, of two equally near ones the even one. `toFixed` takes the greater one
   * instead, and Rust does not.
   * @param {number} value Not negative.
   * @param {number} decimals
   */
  function rounded(value, decimals) {
    bits.setFloat64(0, value);
    const raw = bits.getBigUint64(0);
    const stored = Number((raw >> FRACTION_BITS) & EXPONENT_MASK);
    const fraction = raw & ((1n << FRACTION_BITS) - 1n);
    const exponent = Math.max(stored, 1) - EXPONENT_BIAS;
    const mantissa = stored ? fraction | (1n << FRACTION_BITS) : fraction;
    const over = mantissa * 10n ** BigInt(Math.max(decimals, 0)) << BigInt(Math.max(exponent, 0));
    const under = 10n ** BigInt(Math.max(-decimals, 0)) << BigInt(Math.max(-exponent, 0));
    const [quotient, twice] = [over / under, over % under * 2n];
    return twice > under || (twice === under && quotient % 2n === 1n) ? quotient + 1n : quotient;
  }

  /** @param {number} value Not negative. @param {number} decimals */
  function fixed(value, decimals) {
    const digits = rounded(value, decimals).toString().padStart(decimals + 1, "0");
    const point = digits.length - decimals;
    return decimals ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
  }

  /**
   * The decimal exponent of a value, and its first digits as an integer.
   * @param {number} value Above 0.
   * @param {number} digits
   * @returns {[exponent: number, digits: bigint]}
   */
  function leading(value, digits) {
    // The logarithm may be off by one where the value is next to a power of ten.
    let exponent = Math.floor(Math.log10(value)) - 1;
    const limit = 10n ** BigInt(digits);
    while (rounded(value, digits - 1 - exponent) >= limit) exponent++;
    return [exponent, rounded(value, digits - 1 - exponent)];
  }

  /** @param {number} value In percent. */
  function percent(value) {
    if (!(value >= 0 && value <= 100.01)) return "unknown";
    if (value === 0) return "0.0%";
    if (value < 0.05) return "<0.1%";
    if (value >= 100) return "100.0%";
    if (value >= 99.95) return ">99.9%";
    return `${fixed(value, 1)}%`;
  }

  /**
   * The unit of a time, and what milliseconds are multiplied by.
   * @param {number} ms
   * @returns {[scale: number, unit: string] | null}
   */
  function unitOfTime(ms) {
    if (!Number.isFinite(ms) || ms <= 0) return null;
    if (ms < 0.0995) return [1e3, "µs"];
    return ms < 9950 ? [1, "ms"] : [1e-3, "s"];
  }

  /** @param {number} value */
  function twoDigits(value) {
    if (value < 0.00095) {
      // A subnormal bound of a range may round to nothing.
      if (value === 0) return "0.0e0";
      const [exponent, digits] = leading(value, 2);
      return `${digits / 10n}.${digits % 10n}e${exponent}`;
    }
    if (value < 0.0095) return fixed(value, 4);
    if (value < 0.0995) return fixed(value, 3);
    if (value < 0.995) return fixed(value, 2);
    return value < 9.95 ? fixed(value, 1) : grouped(fixed(value, 0));
  }

  /** @param {number} ms */
  function time(ms) {
    const unit = unitOfTime(ms);
    return unit ? `${twoDigits(ms * unit[0])} ${unit[1]}` : "unknown";
  }

  /** @param {number} low @param {number} expected @param {number} high All in milliseconds. */
  function timeRange(low, expected, high) {
    const unit = unitOfTime(expected);
    if (!unit || !unitOfTime(low) || !unitOfTime(high)) return time(expected);
    return `${time(expected)} (${twoDigits(low * unit[0])}–${twoDigits(high * unit[0])})`;
  }

  /** @param {number} perSecond */
  function rate(perSecond) {
    if (!Number.isFinite(perSecond) || perSecond <= 0) return "unknown";
    if (perSecond < 0.01) return "<0.01/s";
    if (perSecond < 1) return `${fixed(perSecond, 2)}/s`;
    if (perSecond < 100) return `${fixed(perSecond, 1)}/s`;
    const [exponent, digits] = leading(perSecond, 3);
    const short = Number(`${digits}e${exponent - 2}`);
    // The largest floats round up to infinity.
    return `${grouped(fixed(Number.isFinite(short) ? short : perSecond, 0))}/s`;
  }

  /** @param {Integer} value In bytes. */
  function gigabytes(value) {
    const number = Number(value) / 1e9;
    if (number < 0.01) return bytes(value);
    if (number < 9.995) return `${fixed(number, 2)} GB`;
    return number < 99.95 ? `${fixed(number, 1)} GB` : `${grouped(fixed(number, 0))} GB`;
  }

  /** @param {Integer} value @param {string} one @param {string} many */
  const counted = (value, one, many) => `${integer(value)} ${BigInt(value) === 1n ? one : many}`;

  return { integer, bytes, count, magnitude, operations, percent, time, timeRange, rate, gigabytes, counted };
})();
