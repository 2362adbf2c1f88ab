/** Names on a map: those that fit without lying on each other, of the level that suits how near it is. */
import { type Camera, toScreen } from "./camera";

export interface LabelCandidate {
  id: number;
  level: number;
  name: string;
  size: number;
  x: number;
  y: number;
}

export interface Label {
  id: number;
  level: number;
  name: string;
  left: number;
  top: number;
}

const FONTS = [15, 13.5, 12];
const LONGEST = 34;
const MOST = 60;
const GAP = 4;
/** How near the map is when names of the middle level, and of the smallest, come first. */
const NEAR = [1.5, 4];
const SMALLEST = NEAR.length;

/** The levels of which names are written, those first that come first; none is coarser than the one that is chosen, while there is a finer one. */
export function levels(k: number, chosen = 0): number[] {
  const first = Math.max(chosen, NEAR.filter((near) => k >= near).length);
  return [first, first < SMALLEST ? first + 1 : first - 1];
}

/** A name, or as many of its words as there is room for. */
export function shortenName(name: string): string {
  if (name.length <= LONGEST) return name;
  const end = name.lastIndexOf(" ", LONGEST - 1);
  return `${name.slice(0, end > 0 ? end : LONGEST - 1).replace(/[,;:]$/, "")}…`;
}
/** How wide a name is, about, where nobody measures. */
const usual = (text: string, font: number) => text.length * font * 0.56;

/** The names that are written, in pixels of their middle; from the chosen level on, large regions first. */
export function placeLabels(regions: readonly LabelCandidate[], camera: Camera, measure: (text: string, font: number) => number = usual, chosen = 0): Label[] {
  const taken: [number, number, number, number][] = [];
  const labels: Label[] = [];
  for (const level of levels(camera.zoom.k, chosen)) {
    const candidates = regions.filter((region) => region.level === level && region.name).sort((a, b) => b.size - a.size);
    for (const region of candidates) {
      const [x, y] = toScreen(camera, [region.x, region.y]);
      if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
      const name = shortenName(region.name);
      const font = FONTS[level] ?? 12;
      const wide = measure(name, font) / 2 + GAP;
      const high = font / 2 + GAP;
      const left = Math.max(wide, Math.min(camera.width - wide, x));
      const top = Math.max(high, Math.min(camera.height - high, y));
      const box: [number, number, number, number] = [left - wide, top - high, left + wide, top + high];
      if (taken.some((other) => meets(box, other))) continue;
      taken.push(box);
      labels.push({ id: region.id, level, name, left, top });
      if (labels.length === MOST) return labels;
    }
  }
  return labels;
}

const meets = (a: readonly number[], b: readonly number[]) =>
  a[0]! < b[2]! && b[0]! < a[2]! && a[1]! < b[3]! && b[1]! < a[3]!;
