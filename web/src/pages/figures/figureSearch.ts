/** What the page is asked for, as its address has it. */
import type { FigureHit } from "../../api/types";
import { PAPER_FILTERS } from "../../parts/filters";
import { tex } from "../../parts/tex";

export type Figure = FigureHit["figure"];
export type Panel = Figure["panels"][number];
/** x, y, width and height of a part of a picture, in parts of its width and height. */
export type Crop = [number, number, number, number];

export const KINDS = ["", "figure", "table", "plot", "micrograph", "diagram", "map", "photograph"] as const;
export const MEASURES = ["cosine", "euclidean", "dot"] as const;
export const USUAL_K = 24;
export const MOST_K = 384;
/** Filters of search that an address may have. */
const FILTERS = ["year", ...PAPER_FILTERS];

export interface FigureSearch {
  q: string;
  /** The id of a figure that is asked for in place of words. */
  like: string;
  /** The name by which this tab holds a picture (`droppedPictures.ts`) that is asked for in place of words. */
  picture: string;
  crop: Crop | null;
  only: (typeof KINDS)[number];
  measure: (typeof MEASURES)[number];
  k: number;
  filters: Record<string, string[]>;
}

export function readSearch(params: URLSearchParams): FigureSearch {
  const text = (name: string) => params.get(name) ?? "";
  const oneOf = <T extends string>(name: string, of: readonly T[]) => of.find((each) => each === text(name)) ?? of[0]!;
  const filters = FILTERS.map((name) => [name, params.getAll(name).filter(Boolean)] as const).filter(([, values]) => values.length);
  return {
    q: text("q"),
    like: text("like"),
    picture: text("like") ? "" : text("picture"),
    crop: cropOf(text("crop")),
    only: oneOf("only", KINDS),
    measure: oneOf("measure", MEASURES),
    k: Math.min(MOST_K, Math.max(1, Math.round(Number(params.get("k")) || USUAL_K))),
    filters: Object.fromEntries(filters),
  };
}

export const isLikeness = ({ like, picture }: FigureSearch) => !!(like || picture);

/** What the server is asked. */
export function request(search: FigureSearch): Record<string, string | number | string[]> {
  const { q, like, only, k, filters } = search;
  const shared = { ...filters, only, k };
  if (!isLikeness(search)) return { ...shared, q };
  return { ...shared, like, crop: search.crop ? formatCrop(search.crop) : "", measure: search.measure === "cosine" ? "" : search.measure };
}

const part = (value: number) => Math.round(value * 10_000) / 10_000;

/** A crop as the address and the server have it. */
export const formatCrop = (crop: Crop): string => crop.map(part).join(",");

/** The crop that a text says; null where it is none. */
export function cropOf(text: string): Crop | null {
  const numbers = text.split(",").map(Number);
  const [x, y, width, height] = numbers as Crop;
  const isOne = text !== "" && numbers.length === 4 && numbers.every((number) => number >= 0 && number <= 1) && width > 0 && height > 0;
  return isOne && x + width <= 1.001 && y + height <= 1.001 ? [x, y, width, height] : null;
}

/** A panel's box as a crop. */
export const cropOfPanel = ({ box: [x0, y0, x1, y1] }: Pick<Panel, "box">): Crop => [x0, y0, x1 - x0, y1 - y0].map(part) as Crop;

/** Where on a picture a crop, or a panel, stands. */
export const placeOf = ([x, y, width, height]: Crop) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  width: `${width * 100}%`,
  height: `${height * 100}%`,
});

/** A figure's caption without its label. */
export const captionOf = ({ caption, label }: Pick<Figure, "caption" | "label">) =>
  tex(caption.startsWith(label) ? caption.slice(label.length).replace(/^[\s.:|–—-]+/, "") : caption);
