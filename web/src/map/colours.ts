/** Colours of points: of their regions, or of the values of an overlay. */
import type { Overlay } from "../api/types";
import type { Points } from "./points";

export type Colour = readonly [number, number, number];

const RAMP: Colour[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];
/** On dark ground the ramp begins where it can be seen. */
const RAMP_DARK: Colour[] = [[122, 82, 168], [86, 122, 190], ...RAMP.slice(2)];
const DIVERGING_RAMP: Colour[] = [
  [33, 102, 172],
  [146, 197, 222],
  [225, 225, 225],
  [244, 165, 130],
  [178, 24, 43],
];
const DIVERGING_DARK: Colour[] = [[67, 147, 195], [120, 170, 200], [110, 110, 110], [244, 165, 130], [240, 90, 90]];
const LIT: Colour = [209, 73, 91];
const LIT_DARK: Colour = [255, 132, 120];
const NONE: Colour = [165, 165, 165];
const NONE_DARK: Colour = [92, 97, 102];
/** Far apart on light ground and on dark, also for those who see no red or green; pictures have the same. */
const CATEGORIES: Colour[] = [
  [36, 84, 216],
  [180, 36, 24],
  [0, 156, 96],
  [252, 144, 12],
  [156, 36, 156],
  [0, 240, 180],
  [156, 120, 0],
  [252, 96, 132],
  [156, 120, 252],
  [0, 144, 192],
  [252, 156, 252],
  [216, 216, 0],
];
const STEPS = 8;

const categoryColour = (number: number) => CATEGORIES[number % CATEGORIES.length]!;

/** Hues a golden angle apart, so that neighbours in the list are told apart; `hsl` in bytes. */
export function hue(number: number, isDark: boolean): Colour {
  const [h, s, l] = [(number * 137.508) % 360, 0.58, (isDark ? 0.64 : 0.44) + (number % 3) * 0.05];
  const part = (n: number) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

export const css = (colour: Colour) => `rgb(${colour.join(" ")})`;

interface RegionNode {
  id: number;
  level: number;
  parent: number | null;
}

/** Of each smallest region the one of a level that it lies in. */
export function ancestorsAtLevel(regions: readonly RegionNode[], level: number): Map<number, number> {
  const known = new Map(regions.map((region) => [region.id, region]));
  const ancestors = new Map<number, number>();
  for (const region of regions) {
    let here: RegionNode | undefined = region;
    while (here && here.level > level) here = here.parent === null ? undefined : known.get(here.parent);
    if (here?.level === level) ancestors.set(region.id, here.id);
  }
  return ancestors;
}

const MIDDLE = 1;

/** The colours of the regions of a level, by their ids, and of those within them. */
export function colourRegions(regions: readonly RegionNode[], isDark: boolean, level = MIDDLE): Map<number, Colour> {
  const ids = regions.filter((region) => region.level === level).map((region) => region.id);
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const colours = new Map<number, Colour>();
  for (const [id, ancestor] of ancestorsAtLevel(regions, level)) colours.set(id, hue(numbers.get(ancestor) ?? 0, isDark));
  return colours;
}

/** Red, green, blue and alpha of each point. */
export function paintPoints(points: Points, colourOf: (row: number) => Colour | null, isDark: boolean, isDim = false): Uint8Array {
  const bytes = new Uint8Array(4 * points.count);
  const alpha = points.count > 100_000 ? 150 : points.count > 20_000 ? 185 : 220;
  const none = isDark ? NONE_DARK : NONE;
  for (let row = 0, at = 0; row < points.count; row++, at += 4) {
    const ownColour = colourOf(row);
    const colour = ownColour ?? none;
    bytes[at] = colour[0];
    bytes[at + 1] = colour[1];
    bytes[at + 2] = colour[2];
    bytes[at + 3] = ownColour ? alpha : isDim ? 70 : 90;
  }
  return bytes;
}

/** `level`: the regions that are told apart; `focus`: the one whose points alone have their colour. */
export function byRegion(points: Points, regions: readonly RegionNode[], isDark: boolean, level = MIDDLE, focus: number | null = null): Uint8Array {
  const colours = colourRegions(regions, isDark, level);
  const focused = regions.find((region) => region.id === focus)?.level;
  if (focused !== undefined) {
    const ancestors = ancestorsAtLevel(regions, focused);
    for (const id of colours.keys()) if (ancestors.get(id) !== focus) colours.delete(id);
  }
  return paintPoints(points, (row) => colours.get(points.regions[row]!) ?? null, isDark, focused !== undefined);
}

export function byOverlay(points: Points, overlay: Overlay, isDark: boolean): Uint8Array {
  const scale = makeColourScale(overlay, isDark);
  return paintPoints(points, (row) => scale(overlay.values[row] ?? null), isDark, overlay.kind === "lit");
}

/** The colour of a value; null of none. */
export function makeColourScale(overlay: Pick<Overlay, "kind" | "legend">, isDark: boolean): (value: number | null) => Colour | null {
  if (overlay.kind === "category") return (value) => (value === null ? null : categoryColour(value));
  if (overlay.kind === "lit") return (value) => (value === null ? null : isDark ? LIT_DARK : LIT);
  const { low, high, scale } = overlay.legend;
  const isDiverging = scale === "diverging";
  const far = Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0));
  const toScale = (value: number) => (scale === "log" ? Math.log1p(Math.max(value, 0)) : value);
  const [first, last] = isDiverging ? [-far, far] : [toScale(low ?? 0), toScale(high ?? 0)];
  const stops = isDiverging ? (isDark ? DIVERGING_DARK : DIVERGING_RAMP) : isDark ? RAMP_DARK : RAMP;
  return (value) => (value === null ? null : mixColours(stops, (toScale(value) - first) / (last - first || 1)));
}

function mixColours(stops: Colour[], share: number): Colour {
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const at = Math.min(Math.floor(place), stops.length - 2);
  const [lower, upper] = [stops[at]!, stops[at + 1]!];
  return [0, 1, 2].map((n) => Math.round(lower[n]! + (upper[n]! - lower[n]!) * (place - at))) as unknown as Colour;
}

export interface LegendEntry {
  colour: Colour;
  /** What it means; "" between. */
  text: string;
}

/** What the colours mean, from the least value to the greatest. */
export function legendEntries(overlay: Pick<Overlay, "kind" | "legend" | "categories">, isDark: boolean, say: (value: number) => string): LegendEntry[] {
  if (overlay.kind === "category") return overlay.categories.map((text, number) => ({ colour: categoryColour(number), text }));
  const scale = makeColourScale(overlay, isDark);
  if (overlay.kind === "lit") return [{ colour: scale(1)!, text: overlay.legend.meaning }];
  const { low, high } = overlay.legend;
  if (low === null || high === null) return [];
  const far = Math.max(Math.abs(low), Math.abs(high));
  const [first, last] = overlay.legend.scale === "diverging" ? [-far, far] : [low, high];
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = first + ((last - first) * step) / STEPS;
    return { colour: scale(value)!, text: step === 0 || step === STEPS ? `${say(value)} ${overlay.legend.unit}`.trim() : "" };
  });
}
