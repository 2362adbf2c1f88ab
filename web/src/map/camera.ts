/** Where on the screen a place of the map is; north is up. */
import type { Box, Spot } from "./points";

/** As d3-zoom has it: what is at (x, y) without it is at (k x + left, k y + top). */
export interface Zoom {
  k: number;
  x: number;
  y: number;
}

export interface Camera {
  width: number;
  height: number;
  /** Pixels of a unit of the map, as it fits. */
  scale: number;
  /** The middle of the map. */
  middle: Spot;
  zoom: Zoom;
}

const MARGIN = 28;
export const NEAREST = 60;

/** The whole map. */
export function fitBox({ low, high }: Box, width: number, height: number): Camera {
  const [across, up] = [high[0] - low[0] || 1, high[1] - low[1] || 1];
  const scale = Math.max(1e-6, Math.min((width - 2 * MARGIN) / across, (height - 2 * MARGIN) / up));
  return { width, height, scale, middle: [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2], zoom: { k: 1, x: 0, y: 0 } };
}

export function toScreen({ width, height, scale, middle, zoom }: Camera, [x, y]: Spot): Spot {
  return [
    zoom.k * (width / 2 + (x - middle[0]) * scale) + zoom.x,
    zoom.k * (height / 2 - (y - middle[1]) * scale) + zoom.y,
  ];
}

export function toMap({ width, height, scale, middle, zoom }: Camera, [left, top]: Spot): Spot {
  return [
    middle[0] + ((left - zoom.x) / zoom.k - width / 2) / scale,
    middle[1] - ((top - zoom.y) / zoom.k - height / 2) / scale,
  ];
}

/** What makes of a place that of WebGL, from -1 to 1: (x, y) times the first two, plus the others. */
export function clip(camera: Camera): [number, number, number, number] {
  const [left, top] = toScreen(camera, [0, 0]);
  const by = 2 * camera.scale * camera.zoom.k;
  return [by / camera.width, by / camera.height, (2 * left) / camera.width - 1, 1 - (2 * top) / camera.height];
}

/** The zoom that shows a box. */
export function zoomToBox(camera: Camera, box: Box): Zoom {
  const near = fitBox(box, camera.width, camera.height);
  return zoomToSpot(camera, near.middle, Math.min(NEAREST / 2, Math.max(1, near.scale / camera.scale)));
}

/** The zoom that has a place in the middle. */
export function zoomToSpot(camera: Camera, spot: Spot, k: number): Zoom {
  const [left, top] = toScreen({ ...camera, zoom: { k, x: 0, y: 0 } }, spot);
  return { k, x: camera.width / 2 - left, y: camera.height / 2 - top };
}

/** What the camera looks at, as it stands in an address: the place in the middle, and how near. */
export function formatZoom(camera: Camera): string {
  const [x, y] = toMap(camera, [camera.width / 2, camera.height / 2]);
  return [x, y, camera.zoom.k].map((value) => Number(value.toPrecision(4))).join(",");
}

export function parseZoom(camera: Camera, text: string | null): Zoom | null {
  const [x, y, k] = (text ?? "").split(",").map(Number);
  const isOne = [x, y, k].every((value) => Number.isFinite(value)) && k! >= 0.5 && k! <= NEAREST;
  return isOne ? zoomToSpot(camera, [x!, y!], k!) : null;
}
