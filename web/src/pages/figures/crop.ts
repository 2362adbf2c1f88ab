/** How a crop is drawn, moved and made larger: all in parts of the picture's width and height. */
import type { Crop } from "./figureSearch";

type Point = readonly [number, number];
export const LEAST = 0.03;
const STEP = 0.02;
/** What an arrow key begins with. */
export const MIDDLE: Crop = [0.25, 0.25, 0.5, 0.5];

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** Between two points; each side at least `LEAST`. */
export function between(from: Point, to: Point): Crop {
  const ends = ([0, 1] as const).map((axis) => {
    const [least, most] = [Math.min(from[axis], to[axis]), Math.max(from[axis], to[axis])];
    const start = clamp(least, 0, 1 - LEAST);
    return [start, Math.max(LEAST, clamp(most, 0, 1) - start)] as const;
  });
  return [ends[0]![0], ends[1]![0], ends[0]![1], ends[1]![1]];
}

export function moveCrop([x, y, width, height]: Crop, [by, down]: Point): Crop {
  return [clamp(x + by, 0, 1 - width), clamp(y + down, 0, 1 - height), width, height];
}

/** Larger, or smaller, at its lower right corner. */
export function resizeCrop([x, y, width, height]: Crop, [by, down]: Point): Crop {
  return [x, y, clamp(width + by, LEAST, 1 - x), clamp(height + down, LEAST, 1 - y)];
}

const ARROWS: Record<string, Point> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** What a key makes of a crop: arrows move it, with Shift they resize it; null: nothing. */
export function applyKey(crop: Crop, key: string, isShift: boolean): Crop | null {
  const by = ARROWS[key];
  return by ? (isShift ? resizeCrop : moveCrop)(crop, by) : null;
}
