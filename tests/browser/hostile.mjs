// Models whose names try to be something else: markup, Mermaid, scripts, icons, markdown.

export const NAMES = [
  '"]; click b0 call ran() "x',
  '</script><script>window.ran=1</script>',
  '<img src=x onerror="window.ran=2">',
  '"><svg onload=window.ran=3>',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%',
  '`**bold** _x_ [link](javascript:window.ran=4)`',
  '**bold** __init__ ~~x~~ _y_',
  '1. first',
  '- item',
  '# heading',
  '> quote',
  'fa:fa-car fab:fa-github',
  '$$x^2$$',
  'end',
  'subgraph a; end; graph LR',
  'a --> b',
  'a & b &lt;i&gt; &#60;i&#62; #60;i#62; #quot;',
  'line\nbreak\r\ttab\u0000nul',
  'style b0 fill:#f00',
  '{{mustache}} ${dollar} [[sub]] ((circle)) |pipe| \\n \\',
  '@{ shape: rect }',
  'b0@{ img: "http://x/y.png" }',
  '\u202etxt.exe\u202c \u200b\u2066',
  '🙂 入力 é ש עברית',
  ':::class',
  '<br/><br>two',
  "it's 'quoted'",
  'http://example.com www.example.com a@b.cd',
  'x'.repeat(10_000),
  ' ',
];

const utf8 = new TextEncoder();

function varint(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return [...bytes, number];
}

// Fields of a protobuf message: a number is a varint, a text or bytes have their length.
function message(...fields) {
  return fields.flatMap(([tag, value]) => {
    if (typeof value === 'number') return [...varint(tag * 8), ...varint(value)];
    const bytes = typeof value === 'string' ? [...utf8.encode(value)] : value;
    return [...varint(tag * 8 + 2), ...varint(bytes.length), ...bytes];
  });
}

// A port of floats: a batch of a free size that is named too, and 4.
function port(name, dim) {
  const shape = message([1, message([2, dim])], [1, message([1, 4])]);
  return message([1, name], [2, message([1, message([1, 1], [2, shape])])]);
}

// A model of two nodes, of an unknown operator and a known one, with a name wherever one can be.
function model(name) {
  const input = `in ${name}`;
  const output = `out ${name}`;
  const nodes = [
    message([1, input], [2, `mid ${name}`], [3, name], [4, name], [7, 'com.example']),
    message([1, `mid ${name}`], [2, output], [3, name], [4, 'Relu']),
  ];
  const graph = message(...nodes.map((node) => [1, node]), [2, name], [11, port(input, name)], [12, port(output, name)]);
  const opsets = [message([1, ''], [2, 17]), message([1, 'com.example'], [2, 1])];
  return message([1, 8], [7, graph], ...opsets.map((opset) => [8, opset]));
}

export function hostileModels() {
  return NAMES.map((name, number) => [`name-${number}`, Uint8Array.from(model(name))]);
}
