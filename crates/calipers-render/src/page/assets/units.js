// Numbers as people read them: the same words as the command's, see units.rs.

const Units = (() => {
  const BYTES = ["kB", "MB", "GB", "TB", "PB", "EB"];
  const COUNTS = ["k", "M", "B", "T", "P", "E"];
  const SI = ["k", "M", "G", "T", "P", "E"];

  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const integer = (value) => grouped(BigInt(value).toString());

  // In the smallest unit in which it rounds to less than 1,000, with two decimals; in integers.
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

  const bytes = (value) => scaled(value, BYTES) ?? `${value} B`;
  const count = (value) => scaled(value, COUNTS) ?? String(value);
  const magnitude = (value) => scaled(value, SI) ?? String(value);
  const operations = (value, unit) => (scaled(value, SI) ?? `${value} `) + unit;

  function percent(value) {
    if (!(value >= 0 && value <= 100.01)) return "unknown";
    if (value === 0) return "0.0%";
    if (value < 0.05) return "<0.1%";
    if (value >= 100) return "100.0%";
    if (value >= 99.95) return ">99.9%";
    return `${value.toFixed(1)}%`;
  }

  function unitOfTime(ms) {
    if (!Number.isFinite(ms) || ms <= 0) return null;
    if (ms < 0.0995) return [1e3, "µs"];
    return ms < 9950 ? [1, "ms"] : [1e-3, "s"];
  }

  function twoDigits(value) {
    if (value < 0.00095) return value.toExponential(1);
    if (value < 0.0095) return value.toFixed(4);
    if (value < 0.0995) return value.toFixed(3);
    if (value < 0.995) return value.toFixed(2);
    return value < 9.95 ? value.toFixed(1) : grouped(value.toFixed(0));
  }

  function time(ms) {
    const unit = unitOfTime(ms);
    return unit ? `${twoDigits(ms * unit[0])} ${unit[1]}` : "unknown";
  }

  function timeRange(low, expected, high) {
    const unit = unitOfTime(expected);
    if (!unit || !unitOfTime(low) || !unitOfTime(high)) return time(expected);
    return `${time(expected)} (${twoDigits(low * unit[0])}–${twoDigits(high * unit[0])})`;
  }

  function rate(perSecond) {
    if (!Number.isFinite(perSecond) || perSecond <= 0) return "unknown";
    if (perSecond < 0.01) return "<0.01/s";
    if (perSecond < 1) return `${perSecond.toFixed(2)}/s`;
    if (perSecond < 100) return `${perSecond.toFixed(1)}/s`;
    return `${grouped(Number(perSecond.toPrecision(3)).toFixed(0))}/s`;
  }

  function gigabytes(value) {
    const number = Number(value) / 1e9;
    if (number < 0.01) return bytes(value);
    if (number < 9.995) return `${number.toFixed(2)} GB`;
    return number < 99.95 ? `${number.toFixed(1)} GB` : `${grouped(number.toFixed(0))} GB`;
  }

  const counted = (value, one, many) => `${integer(value)} ${Number(value) === 1 ? one : many}`;

  return { integer, bytes, count, magnitude, operations, percent, time, timeRange, rate, gigabytes, counted };
})();
