// Holds the page's arithmetic equal to the program's: formulas, numbers as text, peaks of activation memory and costs
// at other sizes. `scripts/page arithmetic` writes the cases with the program's answers, names the file in CASES, and
// runs this with `node --test`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import vm from "node:vm";

const assets = new URL("../../crates/calipers-render/src/page/assets/", import.meta.url);
const scripts = ["units", "formula", "liveness", "sizes"].map((name) => readFileSync(new URL(`${name}.js`, assets), "utf8"));
// One script, as in the page; its constants are not properties of the global object.
const { Units, Formula, Liveness, Sizes } = vm.runInNewContext(`${scripts.join("\n")}\n({ Units, Formula, Liveness, Sizes });`);

const cases = readFileSync(process.env.CASES, "utf8").trim().split("\n").map((line) => JSON.parse(line));

// Differences that are shown of each test; the first ones say what is wrong.
const SHOWN = 10;
let [agree, all] = [0, 0];

function compare(name, least, list, answers) {
  test(name, () => {
    const wrong = [];
    for (const it of list) {
      const [ours, theirs] = answers(it).map((answer) => JSON.stringify(answer));
      all++;
      if (ours === theirs) agree++;
      else wrong.push(`the page says ${ours}, the program ${theirs}: ${JSON.stringify(it).slice(0, 2000)}`);
    }
    assert.ok(list.length >= least, `${list.length} cases, at least ${least} are wanted`);
    assert.equal(wrong.length, 0, `${wrong.length} of ${list.length} differ\n${wrong.slice(0, SHOWN).join("\n")}`);
  });
}

const about = (what) => cases.filter((it) => it.about === what);
const text = (value) => (value === null || value === undefined ? null : String(value));

for (const [kind, least] of [["printed", 2000], ["spelled", 500], ["changed", 500]]) {
  compare(`formulas, ${kind}`, least, about("formula").filter((it) => it.kind === kind), (it) => {
    // A changed name has a size too.
    const size = (name) => it.sizes[name] ?? it.other;
    const sizes = { get: (name) => (size(name) === null ? undefined : BigInt(size(name))) };
    return [text(Formula.evaluate(it.text, sizes)), it.value];
  });
}

test("formulas have values, and have none", () => {
  const known = about("formula").filter((it) => it.value !== null).length;
  const part = known / about("formula").length;
  assert.ok(part > 0.4 && part < 0.95, `${known} have a value`);
});

const units = { operations: ["MACs"], counted: ["node", "nodes"] };
for (const write of ["integer", "bytes", "count", "magnitude", "operations", "counted", "gigabytes"]) {
  compare(`integers, ${write}`, 3000, about("integer").filter((it) => it.write === write), (it) => {
    // In the page's data a number of 2^53 or more is text; what the page works out itself is a big integer.
    const value = BigInt(it.value);
    const inData = value < 2n ** 53n ? Number(value) : it.value;
    const more = units[write] ?? [];
    return [[Units[write](inData, ...more), Units[write](value, ...more)], [it.text, it.text]];
  });
}

function float(bits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

for (const write of ["percent", "time", "rate", "timeRange"]) {
  compare(`floats, ${write}`, 3000, about("float").filter((it) => it.write === write), (it) => [Units[write](...it.bits.map(float)), it.text]);
}

const graphs = about("graph");
const chosen = (it) => Sizes.bindings(it.sizes.size_controls.map((size_control) => ({ ...size_control, now: it.chosen[size_control.name] })));

compare("peaks of activations", 1000, graphs, (it) => {
  const peak = Liveness.peak(it.sizes, it.main, chosen(it));
  return [
    peak ? [text(peak.most), text(peak.reused), peak.at, peak.timeline] : null,
    it.peak === null ? null : [it.peak, it.in_place, it.peak_at, it.timeline.map(Number)],
  ];
});

for (const key of ["macs", "other_flops", "bytes_moved"]) {
  compare(`costs, ${key}`, 1000, graphs, (it) => [text(Formula.figure(Formula.evaluate(it.cost.formula[key], chosen(it)))), it[key]]);
}

test("graphs reuse memory, and some pass 64 bits", () => {
  assert.ok(graphs.filter((it) => it.in_place !== it.peak).length > 300);
  assert.ok(graphs.filter((it) => it.peak === null).length > 10);
});

after(() => console.log(`score: page arithmetic: ${agree} of ${all} cases agree`));
