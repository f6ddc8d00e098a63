// @ts-check
// Formulas of the report, evaluated exactly. The grammar and the limits are those of `calipers-sym`: sums, products,
// powers, floor and ceil of quotients, mod, min, max; a name that is not a word is in backquotes. tests/page holds the
// values equal.

const Formula = (() => {
  const MAX_EXPONENT = 255n, MAX_NESTING = 128;
  // The range of every number on the way, and of a figure in the report.
  const WIDEST = (1n << 127n) - 1n, MAX_FIGURE = (1n << 64n) - 1n;

  /** @typedef {{ n: bigint, d: bigint }} Fraction Only inside floor and ceil is the denominator not 1. */
  /** @typedef {(sizes: Map<string, bigint>) => Fraction} Part */
  /** @typedef {{ number?: bigint, name?: string, plain?: boolean, sign?: string }} Token */

  /** @param {bigint} value */
  const inRange = (value) => {
    if (value > WIDEST || value < -WIDEST) throw new Error("a number left the 128-bit range");
    return value;
  };
  /** @type {(n: bigint) => Fraction} */
  const whole = (n) => ({ n: inRange(n), d: 1n });
  /** @param {Fraction} a */
  const floor = (a) => {
    const q = a.n / a.d;
    return a.n % a.d !== 0n && a.n < 0n ? q - 1n : q;
  };
  /** @param {Fraction} a */
  const ceil = (a) => -floor({ n: -a.n, d: a.d });
  /** @type {(n: bigint, d: bigint) => Fraction} */
  const fraction = (n, d) => {
    if (d === 0n) throw new Error("division by zero");
    return d < 0n ? { n: inRange(-n), d: inRange(-d) } : { n: inRange(n), d: inRange(d) };
  };
  /** @type {(a: Fraction) => Fraction} */
  const negate = (a) => ({ n: -a.n, d: a.d });
  /** @type {(a: Fraction, b: Fraction) => Fraction} */
  const add = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
  /** @type {(a: Fraction, b: Fraction) => Fraction} */
  const multiply = (a, b) => fraction(a.n * b.n, a.d * b.d);
  /** @type {(a: Fraction, b: Fraction) => Fraction} */
  const divide = (a, b) => fraction(a.n * b.d, a.d * b.n);
  /** @type {(a: Fraction, b: Fraction) => boolean} */
  const less = (a, b) => a.n * b.d < b.n * a.d;
  /** @type {(a: Fraction, b: Fraction) => Fraction} */
  const modulo = (a, b) => whole(a.n - floor(divide(a, b)) * b.n);

  const SPACE = /\p{White_Space}*/uy;
  // A number, a quoted name, a name, a sign. A number that a letter follows is none.
  const TOKEN = new RegExp([
    /(\d+)(?![\p{Alphabetic}\p{N}_.:])/u,
    /`((?:[^`\\]|\\[`\\]|\\u\{[0-9a-fA-F]+\})*)`/u,
    /([\p{Alphabetic}_][\p{Alphabetic}\p{N}_.:]*)/u,
    /(\*\*|\/\/|[-+*/%^(),])/u,
  ].map((token) => token.source).join("|"), "uy");

  /** @param {string} text @returns {Token[]} */
  function read(text) {
    const tokens = [];
    let at = 0;
    /** @param {RegExp} pattern */
    const match = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found) at = pattern.lastIndex;
      return found;
    };
    for (match(SPACE); at < text.length; match(SPACE)) {
      const found = match(TOKEN);
      if (!found) throw new Error("not a formula");
      const [, digits, quoted, name, sign] = found;
      if (digits !== undefined) tokens.push({ number: inRange(BigInt(digits)) });
      else if (quoted !== undefined) tokens.push({ name: unescapeName(quoted) });
      else if (name !== undefined) tokens.push({ name, plain: true });
      else tokens.push({ sign });
    }
    return tokens;
  }

  /** @param {string} text */
  const unescapeName = (text) =>
    text.replace(/\\(?:u\{([0-9a-fA-F]+)\}|([`\\]))/gu, (_, hex, other) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : other));

  /**
   * The formula as a function of sizes.
   * @param {string} text
   */
  function compile(text) {
    const tokens = read(text);
    let [at, depth] = [0, 0];
    /** @param {string} sign */
    const is = (sign) => tokens[at]?.sign === sign;
    /** @param {string} sign */
    const take = (sign) => is(sign) && (at++, true);
    /** @param {string} sign */
    const need = (sign) => { if (!take(sign)) throw new Error(`${sign} is missing`); };
    const isModulo = () => is("%") || (tokens[at]?.plain && tokens[at]?.name === "mod");

    // `exact` is whether `/` is the quotient itself, which a function then rounds.
    /** @param {boolean} exact @returns {Part} */
    function sum(exact) {
      let left = product(exact);
      for (;;) {
        const [before, plus] = [left, is("+")];
        if (!take("+") && !take("-")) return left;
        const right = product(exact);
        left = (s) => add(before(s), plus ? right(s) : negate(right(s)));
      }
    }

    /** @param {boolean} exact @returns {Part} */
    function product(exact) {
      let left = unary(exact);
      for (;;) {
        const before = left;
        const sign = isModulo() ? "%" : tokens[at]?.sign ?? "";
        if (!["*", "/", "//", "%"].includes(sign)) return left;
        at++;
        const right = unary(exact);
        if (sign === "*") left = (s) => multiply(before(s), right(s));
        else if (sign === "%") left = (s) => modulo(integer(before(s)), integer(right(s)));
        else if (sign === "/" && exact) left = (s) => divide(before(s), right(s));
        else left = (s) => whole(floor(divide(before(s), right(s))));
      }
    }

    /** @param {boolean} exact @returns {Part} */
    function unary(exact) {
      let minus = false;
      while (is("+") || is("-")) {
        if (is("-")) minus = !minus;
        at++;
      }
      const inner = power(exact);
      return minus ? (s) => negate(inner(s)) : inner;
    }

    /** @param {boolean} exact @returns {Part} */
    function power(exact) {
      const base = primary(exact);
      if (!take("^") && !take("**")) return base;
      const exponent = tokens[at++]?.number;
      if (exponent === undefined || exponent > MAX_EXPONENT) throw new Error("an exponent is a small number");
      return (s) => {
        const a = base(s);
        return fraction(a.n ** exponent, a.d ** exponent);
      };
    }

    /** @param {boolean} exact @returns {Part} */
    function inside(exact) {
      if (++depth > MAX_NESTING) throw new Error("nested too deeply");
      need("(");
      const inner = sum(exact);
      depth--;
      return inner;
    }

    /** @param {boolean} exact @returns {Part} */
    function primary(exact) {
      if (is("(")) {
        const inner = inside(exact);
        need(")");
        return inner;
      }
      const { number, name, plain } = tokens[at++] ?? {};
      if (number !== undefined) return () => whole(number);
      if (name === undefined) throw new Error("a number or a name is missing");
      if (plain && is("(")) return call(name);
      if (plain && name === "mod") throw new Error("an operand is missing");
      return (s) => {
        const size = s.get(name);
        if (size === undefined) throw new Error(`${name} has no size`);
        return whole(size);
      };
    }

    /** @param {Fraction} value */
    function integer(value) {
      if (value.d !== 1n) throw new Error("a fraction is only understood within floor or ceil");
      return value;
    }

    /** @param {string} name @returns {Part} */
    function call(name) {
      const exact = ["floor", "ceil", "ceiling"].includes(name);
      const parts = [inside(exact)];
      while (take(",")) parts.push(sum(exact));
      need(")");
      const [a, b] = parts;
      /** @param {number} count */
      const takes = (count) => { if (parts.length !== count) throw new Error(`${name} takes ${count} operands`); };
      switch (name) {
        case "min": case "Min": return (s) => parts.map((p) => p(s)).reduce((x, y) => (less(y, x) ? y : x));
        case "max": case "Max": return (s) => parts.map((p) => p(s)).reduce((x, y) => (less(x, y) ? y : x));
      }
      takes(exact ? 1 : 2);
      switch (name) {
        case "floor": return (s) => whole(floor(a(s)));
        case "ceil": case "ceiling": return (s) => whole(ceil(a(s)));
        case "mod": case "Mod": case "PythonMod": return (s) => modulo(a(s), b(s));
        case "FloorDiv": case "CleanDiv": return (s) => whole(floor(divide(a(s), b(s))));
        case "CeilDiv": return (s) => whole(ceil(divide(a(s), b(s))));
        default: throw new Error(`${name} is not a function`);
      }
    }

    const formula = sum(false);
    if (at < tokens.length) throw new Error("something follows the formula");
    return formula;
  }

  /** @type {Map<string, Part>} */
  const known = new Map();

  /**
   * The value at sizes; null when it has none.
   * @param {string} text
   * @param {Map<string, bigint>} sizes
   */
  function evaluate(text, sizes) {
    try {
      const formula = known.get(text) ?? compile(text);
      known.set(text, formula);
      return formula(sizes).n;
    } catch {
      return null;
    }
  }

  /**
   * The value where the report could hold it, as 64 bits without a sign; else null.
   * @param {bigint | null} value
   */
  const figure = (value) => (value !== null && value >= 0n && value <= MAX_FIGURE ? value : null);

  return { evaluate, figure };
})();
