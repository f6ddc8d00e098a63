// Models with many nodes, written as bytes without a library.

function varint(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Buffer.from([...bytes, number]);
}

function field(tag, value) {
  if (typeof value === 'number') return Buffer.concat([varint(tag * 8), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(tag * 8 + 2), varint(bytes.length), bytes]);
}

const message = (...fields) => Buffer.concat(fields.map(([tag, value]) => field(tag, value)));

function port(name) {
  const shape = message([1, message([2, 'batch'])], [1, message([1, 64])]);
  return message([1, name], [2, message([1, message([1, 1], [2, shape])])]);
}

const OPS = ['Relu', 'Add', 'Sigmoid', 'Mul', 'Tanh', 'Sub', 'MatMul', 'Max'];

// A graph of this many nodes in which each reads the one before it, and some an earlier one: nothing in
// it repeats, so only segments of it can be shown at once. The numbers are the same in every run. `others` names the
// operators that take the place of some; the names of the nodes stay.
export function largeModel(count, others = {}) {
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const nodes = [];
  for (let i = 0; i < count; i++) {
    const op = OPS[random(OPS.length)];
    const inputs = [i ? `v${i - 1}` : 'x'];
    if (op === 'MatMul') inputs.push('w');
    else if (['Add', 'Mul', 'Sub', 'Max'].includes(op)) inputs.push(i > 1 ? `v${Math.max(0, i - 2 - random(40))}` : 'x');
    nodes.push([1, message(...inputs.map((name) => [1, name]), [2, `v${i}`], [3, `/block.${Math.floor(i / 25)}/${op}_${i}`], [4, others[op] ?? op])]);
  }
  const weight = message([1, 64], [1, 64], [2, 1], [8, 'w'], [9, Buffer.alloc(64 * 64 * 4)]);
  const graph = message(...nodes, [2, 'large'], [5, weight], [11, port('x')], [12, port(`v${count - 1}`)]);
  return message([1, 8], [7, graph], [8, message([2, 17])]);
}
