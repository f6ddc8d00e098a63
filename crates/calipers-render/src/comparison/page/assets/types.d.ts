// Types of the comparison's data, and of what its scripts share. Not part of the page: `scripts/page types` checks the
// scripts against them, together with those of the report's page.

/** What became of a node: added, changed, removed or the same. */
type StatusLetter = "a" | "c" | "r" | "s";

/** Columns of `Changed` in data.rs: places of the nodes in both graphs, and what differs. */
interface ChangedColumns {
  a: (number | null)[];
  b: (number | null)[];
  what: string[][];
  attributes: Record<number, [name: string, a: string | null, b: string | null][]>;
  tensors: Record<number, string[]>;
  moved: number[];
}

/** Changes that belong together: places in the three lists. */
interface ChangeGroupData {
  text: string;
  kind: string;
  removed: number[];
  added: number[];
  changed: number[];
}

/** What the program leaves in the page of a comparison. */
interface ComparisonData {
  labels: string[];
  graphs: GraphData[];
  /** For each graph a letter of `StatusLetter` for each node. */
  status: string[];
  /** Matched nodes: places in the first graph, and the places in the second one. */
  pairs: number[][];
  /** Places in the first graph; null where it leaves the node out. */
  removed: (number | null)[];
  added: (number | null)[];
  changed: ChangedColumns;
  /** By number: operator and name of changes that no graph has a place for. */
  unplaced: Record<number, string[]>;
  groups: ChangeGroupData[];
  /** Kinds of change: id and display name. */
  kinds: string[][];
}

type Side = 0 | 1;

type ChangeClass = "added" | "removed" | "changed";

/** One change: the places of its node, -1 where a graph does not have it. */
interface Change {
  kind: ChangeClass;
  a: number;
  b: number;
  /** Its place in `added`, `removed` or `changed`. */
  place: number;
  /** Operator and name, where no graph has it. */
  unplaced: string[] | undefined;
}

interface Counts {
  added: number;
  removed: number;
  changed: number;
}

type ChangeSet = InstanceType<typeof Changes.ChangeSet>;
type Sides = InstanceType<typeof Linked.Sides>;
