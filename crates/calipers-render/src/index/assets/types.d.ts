// Types of the index's data, as `data.rs` writes them. Not part of the page: `scripts/page types` checks the scripts
// against them.

/** A column: each text once. */
interface CellData {
  title: string;
  figures: boolean;
  texts: string[];
  /** What figures are sorted by, for each text. */
  values: (number | null)[];
  /** The text of each model. */
  rows: number[];
}

interface FacetData {
  id: string;
  title: string;
  names: string[];
  /** The values of each model, as places among the names. */
  values: number[][];
}

interface LikenessData {
  id: string;
  title: string;
  /** The group of each model; -1 where it is in none. */
  rows: number[];
}

interface IndexData {
  /** The folder that all models are in, with its slash. */
  folder: string;
  /** Names in that folder. */
  names: string[];
  /** Empty for a dataset without cards. */
  cards: (string | null)[];
  errors: { [place: string]: string };
  columns: CellData[];
  details: CellData[];
  facets: FacetData[];
  groups: LikenessData[];
}
