// Formulas of the report, evaluated exactly. The grammar is that of calipers-sym: sums, products,
// powers, floor and ceil of quotients, mod, min, max; names in backquotes where they are no word.

const Formula = (() => {
  // A fraction of big integers; only inside floor and ceil is one not whole.
  const whole = (n) => ({ n, d: 1n });
  const floor = (a) => {
    const q = a.n / a.d;
    return a.n % a.d !== 0n && a.n < 0n ? q - 1n : q;
  };
  const ceil = (a) => -floor({ n: -a.n, d: a.d });
  const fraction = (n, d) => {
    if (d === 0n) throw new Error("division by zero");
    return d < 0n ? { n: -n, d: -d } : { n, d };
  };
  const add = (a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
  const multiply = (a, b) => ({ n: a.n * b.n, d: a.d * b.d });
  const divide = (a, b) => fraction(a.n * b.d, a.d * b.n);
  const less = (a, b) => a.n * b.d < b.n * a.d;
  const modulo = (a, b) => add(a, multiply(whole(-floor(divide(a, b))), b));

  function read(text) {
    const tokens = [];
    const pattern = /\s*(?:(\d+)|`((?:[^`\\]|\\.)*)`|([\p{L}_][\p{L}\p{N}_.:]*)|(\*\*|\/\/|[-+*/%^(),]))/uy;
    while (pattern.lastIndex < text.length) {
      if (!text.slice(pattern.lastIndex).trim()) break;
      const found = pattern.exec(text);
      if (!found) throw new Error("not a formula");
      if (found[1] !== undefined) tokens.push({ number: BigInt(found[1]) });
      else if (found[2] !== undefined) tokens.push({ name: unescapeName(found[2]) });
      else if (found[3] !== undefined) tokens.push(found[3] === "mod" ? { sign: "%" } : { name: found[3], plain: true });
      else tokens.push({ sign: found[4] });
    }
    return tokens;
  }

  const unescapeName = (text) =>
    text.replace(/\\(?:u\{([0-9a-fA-F]+)\}|(.))/gu, (_, hex, other) =>
      hex ? String.fromCodePoint(parseInt(hex, 16)) : { n: "\n", r: "\r", t: "\t", 0: "\0" }[other] ?? other);

  // The formula as a function of sizes: a map from names to big integers.
  function compile(text) {
    const tokens = read(text);
    let at = 0;
    const is = (sign) => tokens[at]?.sign === sign;
    const take = (sign) => is(sign) && (at++, true);
    const need = (sign) => { if (!take(sign)) throw new Error(`${sign} is missing`); };

    function sum(exact) {
      let left = product(exact);
      for (;;) {
        const [before, plus] = [left, is("+")];
        if (!take("+") && !take("-")) return left;
        const right = product(exact);
        left = (s) => {
          const b = right(s);
          return add(before(s), plus ? b : { n: -b.n, d: b.d });
        };
      }
    }

    function product(exact) {
      let left = unary(exact);
      for (;;) {
        const [before, sign] = [left, tokens[at]?.sign];
        if (!["*", "/", "//", "%"].includes(sign)) return left;
        at++;
        const right = unary(exact);
        if (sign === "*") left = (s) => multiply(before(s), right(s));
        else if (sign === "%") left = (s) => modulo(before(s), right(s));
        else if (sign === "/" && exact) left = (s) => divide(before(s), right(s));
        else left = (s) => whole(floor(divide(before(s), right(s))));
      }
    }

    function unary(exact) {
      if (take("+")) return unary(exact);
      if (!take("-")) return power(exact);
      const inner = unary(exact);
      return (s) => { const a = inner(s); return { n: -a.n, d: a.d }; };
    }

    function power(exact) {
      const base = primary(exact);
      if (!take("^") && !take("**")) return base;
      const exponent = tokens[at++]?.number;
      if (exponent === undefined) throw new Error("an exponent is a number");
      return (s) => { const a = base(s); return { n: a.n ** exponent, d: a.d ** exponent }; };
    }

    function primary(exact) {
      const token = tokens[at++];
      if (token?.number !== undefined) return () => whole(token.number);
      if (token?.sign === "(") {
        const inner = sum(exact);
        need(")");
        return inner;
      }
      if (token?.name === undefined) throw new Error("a number or a name is missing");
      if (token.plain && is("(")) return call(token.name);
      return (s) => {
        const size = s.get(token.name);
        if (size === undefined) throw new Error(`${token.name} has no size`);
        return whole(size);
      };
    }

    function call(name) {
      need("(");
      const exact = ["floor", "ceil", "ceiling"].includes(name);
      const parts = [sum(exact)];
      while (take(",")) parts.push(sum(exact));
      need(")");
      const [a, b] = parts;
      switch (name) {
        case "floor": return (s) => whole(floor(a(s)));
        case "ceil": case "ceiling": return (s) => whole(ceil(a(s)));
        case "min": case "Min": return (s) => parts.map((p) => p(s)).reduce((x, y) => (less(y, x) ? y : x));
        case "max": case "Max": return (s) => parts.map((p) => p(s)).reduce((x, y) => (less(x, y) ? y : x));
        case "mod": case "Mod": case "PythonMod": return (s) => modulo(a(s), b(s));
        case "FloorDiv": case "CleanDiv": return (s) => whole(floor(divide(a(s), b(s))));
        case "CeilDiv": return (s) => whole(ceil(divide(a(s), b(s))));
        default: throw new Error(`${name} is no function`);
      }
    }

    const formula = sum(false);
    if (at < tokens.length) throw new Error("something follows the formula");
    return formula;
  }

  const known = new Map();

  // The value at sizes, a big integer; null when it has none.
  function evaluate(text, sizes) {
    try {
      if (!known.has(text)) known.set(text, compile(text));
      const value = known.get(text)(sizes);
      return value.d === 1n ? value.n : floor(value);
    } catch {
      return null;
    }
  }

  return { evaluate };
})();
