// Types of the page's data and of what the scripts share. Not part of the page: `scripts/page types` checks the scripts
// against them, and the data of a sample model as the program writes them.

/** A whole number that may not be known. */
type Known = number | string | null;

/** What a box of the graph is. */
type Kind = "group" | "node" | "input" | "output" | "entry" | "exit";

type Point = [x: number, y: number];

/** Columns of `Items` in pack.rs; `title` and `note` are numbers of texts. */
interface Items {
  kind: Kind[];
  id: number[];
  rank: number[];
  x: number[];
  width: number[];
  height: number[];
  title: number[];
  note: number[];
}

/** Columns of `Edges` in pack.rs; `from` and `to` are places among the items. */
interface Edges {
  from: number[];
  to: number[];
  count: number[];
  values: number[][];
  bends: [rank: number, x: number][][];
}

interface GroupData {
  kind: "graph" | "block" | "repeat" | "segment" | "subgraph" | "function";
  name: string;
  detail: string;
  block: string;
  parent: number | null;
  /** Every node inside, at any depth. */
  count: number;
  /** The number of repeats, of a group of repeats. */
  times: number | null;
  parameters: Known;
  macs: Known;
  bytes: Known;
  alive: Known;
  unknown: number;
  items: Items;
  edges: Edges;
  bands: number[];
}

/** Columns over the nodes; `op`, `domain` and `scope` are numbers of texts. */
interface NodeColumns {
  name: string[];
  op: number[];
  domain: number[];
  scope: number[];
  /** The display name of the operator's class, as the number of a text. */
  class: number[];
  group: number[];
  drawn: number[];
  inputs: (number | null)[][];
  outputs: (number | null)[][];
  parameters: Known[];
  macs: Known[];
  percent: (number | null)[];
  other: Known[];
  bytes: Known[];
  alive: Known[];
  /** Names and values by turns, as numbers of texts. */
  attributes: number[][];
  /** Attributes that a node omits, as the number of a list of the same form. */
  defaults: number[];
  default_lists: number[][];
  /** By node: the groups of its subgraphs. */
  groups: Record<number, number[]>;
  /** By node: fields and formulas, as numbers of texts. */
  formulas: Record<number, [field: number, formula: number][]>;
  /** By node: why its cost is not known, as the number of a text. */
  reasons: Record<number, number>;
}

/** Columns over the values; `dtype` and `shape` are numbers of texts. */
interface ValueColumns {
  name: string[];
  dtype: number[];
  shape: number[];
  stored: number[];
  /** By value: minimum, maximum, mean, standard deviation and percent of zeros, where weights were read. */
  statistics: Record<number, number[]>;
}

interface GraphData {
  nodes: NodeColumns;
  values: ValueColumns;
  groups: GroupData[];
  notes: string[];
  texts: string[];
}

interface SizeControl {
  name: string;
  size: number;
  most: number | null;
  /** What is added to the size for each dimension. */
  dims: Record<string, number>;
  /** Its size in the file, where the file fixes it. */
  fixed: number | null;
}

/** Columns of `LiveRanges` in choices.rs. */
interface LiveRanges {
  from: number[];
  until: number[];
  formula: number[];
  borrowed: boolean[];
  view_of: (number | null)[];
  may_take: number[][];
}

/** Columns of `Runs` in choices.rs: a run for each precision, for each length, for each batch. */
interface Runs {
  low: (number | null)[];
  expected: (number | null)[];
  high: (number | null)[];
  /** A letter for each run: `y` fits, `t` barely, `n` does not, `-` unknown. */
  fits: string;
  /** A letter for each run, which `bottlenecks` names. */
  bottleneck: string;
  /** The number of a list of memory. */
  memory: number;
  reason?: (number | null)[];
}

interface DeviceData {
  id: string;
  name: string;
  class: string;
  memory: Known;
  runs: Runs;
}

interface TimeData {
  /** The device that the report is for. */
  chosen: string | null;
  precisions: string[];
  batches: number[];
  lengths: number[];
  weights: Known[];
  activations: Known[];
  cache: Known[];
  memory: Known[][];
  reasons: string[];
  devices: DeviceData[];
  bottlenecks: Record<string, string>;
}

/** One run on a device: milliseconds, samples per second, bytes. */
interface Run {
  time: [low: number, expected: number, high: number] | null;
  rate: number | null;
  memory: number | null;
  /** A letter of `Runs.fits`. */
  fits: string;
  bottleneck: string;
  /** Why there is no time. */
  reason: string;
}

interface SizeData {
  size_controls: SizeControl[];
  live_ranges: LiveRanges;
  formulas: string[];
  live_ranges_unknown: string | null;
  times: TimeData;
}

interface CostData {
  macs: Known;
  other_flops: Known;
  bytes_moved: Known;
  formula: Record<string, string>;
  lower_bound: boolean;
}

/** What the program leaves in the page. */
interface PageData {
  file: string;
  graph: GraphData;
  sizes: SizeData;
  /** Nodes of the main graph, which come first. */
  main: number;
  cost: CostData;
  /** Bytes of stored tensors. */
  stored: Known;
  peak: Known;
  in_place: Known;
  timeline: (number | string)[];
}

/** What a box shows, wherever it is. */
interface Labeled {
  kind: Kind;
  id: number;
  title: string;
  note: string;
}

/** A box inside its group. */
interface Box extends Labeled {
  rank: number;
  x: number;
  y: number;
  width: number;
  height: number;
  inner: GroupLayout | null;
}

interface Line {
  from: Box;
  to: Box;
  count: number;
  values: number[];
  points: Point[];
}

interface GroupLayout {
  number: number;
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

/** A box on the sheet. */
interface PlacedBox extends Box {
  open: boolean;
  parent: PlacedBox | null;
  depth: number;
  group: number;
}

/** A line on the sheet, with the rectangle around it. */
interface PlacedLine {
  points: Point[];
  label: string;
  from: Box;
  to: Box;
  values: number[];
  group: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Scene {
  boxes: PlacedBox[];
  lines: PlacedLine[];
  width: number;
  height: number;
}

/** A border of a box: dashes as a canvas takes them. */
interface Outline {
  color: string;
  dash: number[];
}

/** A short text at the corner of a box. */
interface Badge {
  text: string;
  fill: string;
  ink: string;
}

interface Camera {
  x: number;
  y: number;
  scale: number;
}

/** Nodes with the groups around them. */
interface Kept {
  nodes: Set<number>;
  groups: Set<number>;
}

/** Nodes on ways to a node and from it, with the groups around them. */
interface Marked extends Kept {
  before: number;
  after: number;
}

/** The part of a canvas that lines are traced with; SVG has its own. */
interface Path {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
  closePath(): void;
}

type Graph = InstanceType<typeof Model.Graph>;
type View = InstanceType<typeof Viewer.View>;
