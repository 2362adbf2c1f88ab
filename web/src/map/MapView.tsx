/** A map of points: it is moved, looked into, and lines are drawn around parts of it. */
import { select } from "d3-selection";
import { zoom as zooming, zoomIdentity, type ZoomBehavior } from "d3-zoom";
import { type CSSProperties, type KeyboardEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { zoomToSpot, type Camera, fitBox, NEAREST, zoomToBox, toMap, toScreen, formatZoom, type Zoom, parseZoom } from "./camera";
import { canDraw, type Drawing, type Marks, takeDrawing } from "./drawing";
import { type LabelCandidate, placeLabels } from "./labels";
import "./map.css";
import { first, Pace } from "./pace";
import { type Box, boxOf, Nearest, type Points, type Spot, type Years } from "./points";

export interface MapHandle {
  show: (box: Box) => void;
  fit: () => void;
  near: (by: number) => void;
}

/** What stands at a place, in pixels. */
export interface HoveredPoint {
  row: number;
  left: number;
  top: number;
  /** Of the view. */
  width: number;
  height: number;
}

const ASIDE = 12;

/** Where a card stands that does not leave the view. */
export function placeCard({ left, top, width, height }: HoveredPoint): CSSProperties {
  return {
    ...(left > width / 2 ? { right: width - left + ASIDE } : { left: left + ASIDE }),
    ...(top > height * 0.6 ? { bottom: height - top + ASIDE } : { top: top + ASIDE }),
  };
}

interface Props {
  viewRef?: Ref<MapHandle>;
  points: Points;
  colours: Uint8Array;
  marks: readonly Marks[];
  regions: readonly LabelCandidate[];
  /** Of regions whose names are written where all of the map is seen. */
  level?: number;
  years: Years | null;
  /** Places joined by a line, with words. */
  path?: readonly { x: number; y: number; year: number }[];
  line: readonly Spot[];
  /** Whether the pointer draws a line around points. */
  isDrawing: boolean;
  /** What it looks at first, as `onLook` told it. */
  look: string | null;
  name: string;
  /** What is said where it cannot be drawn. */
  none: ReactNode;
  onLook?: (look: string) => void;
  onPoint: (pointed: HoveredPoint | null) => void;
  onOpen: (row: number) => void;
  onRegion: (id: number) => void;
  onLine: (line: Spot[]) => void;
  children?: ReactNode;
}

const REST = 160;
/** How long names and a part of the points stand before all are drawn: where that is slow, the map can be used meanwhile. */
const FULL_DRAW_DELAY = 800;
const PUSH = 80;
const REACH = 9;

export function MapView({ viewRef, points, colours, marks, regions, level, years, path, line, isDrawing, look, name, none, ...on }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const names = useRef<HTMLDivElement>(null);
  const shapes = useRef<SVGSVGElement>(null);
  const [isDrawable] = useState(canDraw);
  const [drawn, draws] = useState<Spot[]>([]);
  const stroke = useRef<Spot[]>([]); // moves come quicker than pictures
  const isStroke = useRef(false); // the click behind a line is none
  const nearest = useRef<Nearest>(undefined);
  const bounds = useMemo(() => boxOf(points), [points]);
  const now = useRef({ points, regions, level, years, path, line, ...on });
  useEffect(() => {
    now.current = { points, regions, level, years, path, line, ...on };
  });
  const engine = useRef<Engine>(undefined);

  useEffect(() => {
    if (!box.current) return;
    const newEngine = new Engine(box.current, names.current!, shapes.current!, () => now.current);
    engine.current = newEngine;
    return () => {
      engine.current = undefined;
      newEngine.close();
    };
  }, []);
  useEffect(() => {
    const here = engine.current;
    if (!here) return;
    here.drawing.setPoints(points);
    here.begin(bounds, look, points.count);
    nearest.current = undefined;
    const later = setTimeout(() => (nearest.current = new Nearest(points)), 30);
    return () => clearTimeout(later);
    // where it looks first is asked for once, for each map
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [points, bounds]);
  useEffect(() => {
    engine.current?.drawing.setColours(colours);
    engine.current?.soon();
  }, [colours]);
  useEffect(() => {
    engine.current?.drawing.setMarks(marks);
    engine.current?.soon();
  }, [marks]);
  useEffect(() => engine.current?.soon(), [years, regions, level, path, line]);
  useEffect(() => {
    if (engine.current) engine.current.isHeld = isDrawing;
  }, [isDrawing]);
  useImperativeHandle(viewRef, () => ({
    show: (area) => engine.current?.go(zoomToBox(engine.current.camera, area)),
    fit: () => engine.current?.go(zoomIdentity),
    near: (by) => engine.current?.near(by),
  }));

  const place = (event: { clientX: number; clientY: number }): Spot => {
    const { left = 0, top = 0 } = box.current?.getBoundingClientRect() ?? {};
    return [event.clientX - left, event.clientY - top];
  };
  const findPoint = (event: { clientX: number; clientY: number }) => {
    const here = engine.current;
    if (!here) return null;
    const [left, top] = place(event);
    const [x, y] = toMap(here.camera, [left, top]);
    const row = nearest.current?.of(x, y, REACH / (here.camera.scale * here.camera.zoom.k), years) ?? null;
    return row === null ? null : { row, left, top, width: here.camera.width, height: here.camera.height };
  };
  const press = (event: KeyboardEvent) => {
    const push = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (push) engine.current?.push(push[0]! * PUSH, push[1]! * PUSH);
    else if (event.key === "+" || event.key === "=") engine.current?.near(1.5);
    else if (event.key === "-") engine.current?.near(1 / 1.5);
    else if (event.key === "0") engine.current?.go(zoomIdentity);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const strokes = (spots: Spot[]) => {
    stroke.current = spots;
    draws(spots);
  };
  const ends = () => {
    const here = engine.current;
    if (stroke.current.length > 2 && here) on.onLine(stroke.current.map((spot) => toMap(here.camera, spot)));
    strokes([]);
  };
  if (!isDrawable) return <div className="map-view">{none}</div>;
  return (
    // it has the keys of a map, and a list beside it says the same
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={box}
      className={isDrawing ? "map-view drawing" : "map-view"}
      role="application"
      aria-label={name}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={press}
      onPointerMove={(event) => {
        if (stroke.current.length) strokes([...stroke.current, place(event)]);
        else if (event.pointerType === "mouse" && !event.buttons)
          on.onPoint((event.target as Element).closest("[data-region]") ? null : findPoint(event));
      }}
      onPointerLeave={(event) => !(event.relatedTarget as Element | null)?.closest?.(".map-card") && on.onPoint(null)}
      onPointerDown={(event) => {
        isStroke.current = false;
        if (!isDrawing || (event.target as Element).closest("button, .map-card")) return;
        box.current?.setPointerCapture?.(event.pointerId);
        isStroke.current = true;
        strokes([place(event)]);
      }}
      onPointerUp={ends}
      onPointerCancel={() => strokes([])}
      onClick={(event) => {
        if (isDrawing || isStroke.current || (event.target as Element).closest(".map-card")) return;
        const label = (event.target as HTMLElement).closest<HTMLElement>("[data-region]");
        if (label) return on.onRegion(Number(label.dataset.region));
        const here = findPoint(event);
        if (here) on.onOpen(here.row);
      }}
    >
      <svg ref={shapes} className="map-shapes" aria-hidden>
        <polygon className="map-line" />
        <polyline className="map-path" />
        {drawn.length > 0 && <polyline className="map-drawn" points={drawn.map((spot) => spot.join()).join(" ")} />}
      </svg>
      <div ref={names} className="map-names" aria-hidden />
      {on.children}
    </div>
  );
}

type EngineProps = Pick<Props, "points" | "regions" | "level" | "years" | "path" | "line" | "onLook">;

/** What is drawn, as the camera moves: without React, which would be asked sixty times a second. */
class Engine {
  readonly drawing: Drawing;
  camera: Camera;
  /** The pointer does something else than to move the map. */
  isHeld = false;
  private readonly zoom: ZoomBehavior<HTMLDivElement, unknown>;
  private readonly watch: ResizeObserver;
  private readonly pace = new Pace();
  private readonly pen = document.createElement("canvas").getContext("2d");
  private bounds: Box = { low: [0, 0], high: [1, 1] };
  private frame = 0;
  private rest: ReturnType<typeof setTimeout> | undefined;
  private isMoving = false;
  /** Each so manyth point is drawn, until it was seen for a while. */
  private first = 1;
  /** It is only brought to where it was. */
  private isSet = false;

  constructor(
    private readonly box: HTMLDivElement,
    private readonly names: HTMLDivElement,
    private readonly shapes: SVGSVGElement,
    private readonly now: () => EngineProps,
  ) {
    this.drawing = takeDrawing();
    this.drawing.onBack = () => this.soon();
    box.prepend(this.drawing.canvas);
    this.camera = fitBox(this.bounds, box.clientWidth || 1, box.clientHeight || 1);
    this.zoom = zooming<HTMLDivElement, unknown>()
      .scaleExtent([0.5, NEAREST])
      .filter((event: Event) => {
        const isOwn = (event.target as Element).closest("button, .map-card, input");
        return !isOwn && (!this.isHeld || event.type === "wheel") && !(event as MouseEvent).button;
      })
      .on("zoom", ({ transform }: { transform: Zoom }) => this.moves(transform));
    select(box).call(this.zoom).on("dblclick.zoom", null);
    this.watch = new ResizeObserver(() => this.fits());
    this.watch.observe(box);
  }

  begin(bounds: Box, look: string | null, count: number) {
    this.bounds = bounds;
    this.first = first(count);
    this.fits();
    this.set(parseZoom(this.camera, look) ?? zoomIdentity);
    this.rests(FULL_DRAW_DELAY);
  }

  /** Go there without a word of it. */
  private set(zoom: Zoom) {
    this.isSet = true;
    this.go(zoom);
    this.isSet = false;
  }

  go({ k, x, y }: Zoom) {
    select(this.box).call(this.zoom.transform, zoomIdentity.translate(x, y).scale(k));
  }

  push(x: number, y: number) {
    const { zoom } = this.camera;
    this.go({ k: zoom.k, x: zoom.x + x, y: zoom.y + y });
  }

  near(by: number) {
    const { width, height, zoom } = this.camera;
    const k = Math.min(NEAREST, Math.max(0.5, zoom.k * by));
    this.go(zoomToSpot(this.camera, toMap(this.camera, [width / 2, height / 2]), k));
  }

  /** Draw it, in the next picture. */
  soon() {
    this.frame ||= requestAnimationFrame((time) => {
      this.frame = 0;
      this.draw(time);
    });
  }

  close() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    this.watch.disconnect();
    select(this.box).on(".zoom", null);
    this.drawing.close();
  }

  private fits() {
    const { clientWidth, clientHeight } = this.box;
    if (!clientWidth || !clientHeight) return;
    const middle = toMap(this.camera, [this.camera.width / 2, this.camera.height / 2]);
    const before = this.camera;
    this.camera = { ...fitBox(this.bounds, clientWidth, clientHeight), zoom: before.zoom };
    if (before.width !== clientWidth || before.height !== clientHeight) this.set(zoomToSpot(this.camera, middle, before.zoom.k));
  }

  private moves(zoom: Zoom) {
    this.camera = { ...this.camera, zoom: { k: zoom.k, x: zoom.x, y: zoom.y } };
    if (this.isSet) return this.soon();
    if (!this.isMoving) this.pace.begin(performance.now());
    this.isMoving = true;
    this.rests(REST, true);
    this.soon();
  }

  /** Draw all of it a while from now, and tell where it looks. */
  private rests(after: number, isTold = false) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.isMoving = false;
      this.first = 1;
      this.soon();
      if (isTold) this.now().onLook?.(formatZoom(this.camera));
    }, after);
  }

  private draw(time: number) {
    const { years, regions, level, line, path = [] } = this.now();
    if (this.isMoving) this.pace.frame(time);
    this.drawing.draw(this.camera, years, Math.max(this.first, this.isMoving ? this.pace.every : 1));
    this.write(regions, level);
    const joined = (spots: readonly Spot[]) => spots.map((spot) => toScreen(this.camera, spot).join()).join(" ");
    this.shapes.querySelector(".map-line")?.setAttribute("points", joined(line));
    this.shapes.querySelector(".map-path")?.setAttribute("points", joined(path.map(({ x, y }) => [x, y])));
    this.box.dataset.drawn = "";
  }

  /** The names, each an element that is used again. */
  private write(regions: readonly LabelCandidate[], level?: number) {
    const labels = placeLabels(regions, this.camera, (text, font) => this.measured(text, font), level);
    while (this.names.children.length < labels.length) this.names.append(document.createElement("span"));
    [...this.names.children].forEach((element, number) => {
      const label = labels[number];
      const span = element as HTMLElement;
      span.hidden = !label;
      if (!label) return;
      if (span.textContent !== label.name) span.textContent = label.name;
      span.className = `map-label level-${label.level}`;
      span.dataset.region = String(label.id);
      span.style.transform = `translate(${label.left.toFixed(1)}px, ${label.top.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }

  private measured(text: string, font: number): number {
    if (!this.pen) return text.length * font * 0.56;
    this.pen.font = `600 ${font}px ${getComputedStyle(this.box).fontFamily}`;
    return this.pen.measureText(text).width;
  }
}
