/**
 * Points drawn by WebGL, through twgl.js.
 *
 * Of what was compared, with 350,000 points where Chromium draws by software: deck.gl (0.8 MB) draws each as a quad of its
 * own, forty times as slow; regl-scatterplot compiles texts, which the server's policy for pages forbids; the component of
 * embedding-atlas draws nothing where there is no WebGPU. twgl.js (34 kB) draws points as points. Names, the line that
 * is drawn around points and cards are elements above it.
 */
import { createBufferFromTypedArray, createProgramInfo, type ProgramInfo, setBuffersAndAttributes, setUniforms } from "twgl.js";
import { type Camera, clip } from "./camera";
import type { Points, Years } from "./points";

const VERTEX = `#version 300 es
in vec2 place;
in vec4 colour;
in float year;
uniform vec4 clip;
uniform vec2 years;
uniform float size;
uniform vec4 tint;
out vec4 shade;
void main() {
  bool isOut = years.x > 0.0 && (year < years.x || year > years.y);
  gl_Position = isOut ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(place * clip.xy + clip.zw, 0.0, 1.0);
  gl_PointSize = size;
  vec4 own = tint.a > 0.0 ? tint : colour;
  shade = vec4(own.rgb * own.a, own.a);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 shade;
uniform bool isRound;
out vec4 told;
void main() {
  vec2 far = gl_PointCoord - 0.5;
  if (isRound && dot(far, far) > 0.25) discard;
  told = shade;
}`;
/** Below, a square is as good as a disc. */
const ROUND = 3;
/** Bytes of a step from point to point, at most, and of a place. */
const STEP = 248;
const MOST = STEP / 8;

let ready: Drawing | false | undefined;

/** Whether this browser has what draws; where it has, one is ready then. */
export function canDraw(): boolean {
  if (ready === undefined) {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { antialias: false, powerPreference: "high-performance" });
    ready = gl ? new Drawing(canvas, gl) : false;
  }
  return ready !== false;
}

/** The one that is ready. */
export function takeDrawing(): Drawing {
  if (!canDraw()) throw new Error("no WebGL");
  const drawing = ready as Drawing;
  ready = undefined;
  return drawing;
}

/** Make one while answers are waited for, since the first takes most of a second; returns what ends that. */
export function warmUp() {
  const later = setTimeout(canDraw, 0);
  return () => clearTimeout(later);
}

/** Points that are drawn above the others, larger; `tint`: in one colour, red to alpha from 0 to 1. */
export interface Marks {
  rows: Uint32Array;
  larger: number;
  tint?: readonly [number, number, number, number];
}

export class Drawing {
  /** Told when what the browser had taken away is back, and all is to be drawn again. */
  onBack = () => {};
  private program: ProgramInfo;
  private readonly values = new Map<string, Float32Array | Int16Array | Uint8Array>();
  private readonly buffers = new Map<string, WebGLBuffer>();
  private count = 0;
  private marked: readonly Marks[] = [];
  private marks: { buffer: WebGLBuffer; count: number; larger: number; tint: readonly number[] }[] = [];

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
  ) {
    canvas.ariaHidden = "true";
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault()); // else it never comes back
    canvas.addEventListener("webglcontextrestored", () => this.restore());
    this.program = this.start();
  }

  private start() {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    return createProgramInfo(gl, [VERTEX, FRAGMENT]);
  }

  /** A browser takes all away where the graphics card is reset or others need it, as when a computer slept. */
  private restore() {
    this.program = this.start();
    this.buffers.clear();
    this.marks = [];
    this.values.forEach((values, name) => this.put(name, values));
    this.setMarks(this.marked);
    this.onBack();
  }

  setPoints({ spots, years, count }: Points) {
    this.count = count;
    this.put("place", spots);
    this.put("year", years);
  }

  /** Red, green, blue and alpha of each point. */
  setColours(colours: Uint8Array) {
    this.put("colour", colours);
  }

  setMarks(marks: readonly Marks[]) {
    this.marks.forEach(({ buffer }) => this.gl.deleteBuffer(buffer));
    this.marked = marks;
    this.marks = marks.map(({ rows, larger, tint }) => {
      const buffer = createBufferFromTypedArray(this.gl, rows, this.gl.ELEMENT_ARRAY_BUFFER);
      return { buffer, count: rows.length, larger, tint: tint ?? [0, 0, 0, 0] };
    });
  }

  /** Draw all of them, or each `every`-th. */
  draw(camera: Camera, years: Years | null, every = 1) {
    const { gl, canvas, program } = this;
    if (gl.isContextLost()) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!this.buffers.has("colour") || !this.buffers.has("place")) return;
    const step = Math.min(MOST, Math.max(1, Math.floor(every)));
    const pointSize = sizeOf(this.count, camera.zoom.k) * ratio;
    gl.useProgram(program.program);
    const ask = (size: number, tint: readonly number[]) =>
      setUniforms(program, { clip: clip(camera), years: years ?? [0, 0], size, tint, isRound: size > ROUND });
    this.attach(step);
    ask(pointSize, [0, 0, 0, 0]);
    gl.drawArrays(gl.POINTS, 0, Math.floor(this.count / step));
    this.attach(1);
    for (const { buffer, count, larger, tint } of this.marks) {
      ask(Math.max(pointSize * larger, 5 * ratio), tint);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0);
    }
  }

  close() {
    this.setMarks([]);
    this.values.clear();
    this.onBack = () => {};
    this.buffers.forEach((buffer) => this.gl.deleteBuffer(buffer));
    this.canvas.remove();
  }

  private attach(step: number) {
    const { gl, buffers } = this;
    const of = (name: string) => buffers.get(name) as WebGLBuffer;
    setBuffersAndAttributes(gl, this.program, {
      numElements: this.count,
      attribs: {
        place: { buffer: of("place"), numComponents: 2, type: gl.FLOAT, stride: 8 * step },
        colour: { buffer: of("colour"), numComponents: 4, type: gl.UNSIGNED_BYTE, normalize: true, stride: 4 * step },
        year: { buffer: of("year"), numComponents: 1, type: gl.SHORT, stride: 2 * step },
      },
    });
  }

  private put(name: string, values: Float32Array | Int16Array | Uint8Array) {
    const before = this.buffers.get(name);
    if (before) this.gl.deleteBuffer(before);
    this.values.set(name, values);
    this.buffers.set(name, createBufferFromTypedArray(this.gl, values));
  }
}

/** Pixels of a point: few points are large, and near ones. */
export function sizeOf(count: number, k: number): number {
  const far = Math.min(6, Math.max(1.5, 6.4 - Math.log10(Math.max(count, 10)) * 0.88));
  return Math.min(11, far * k ** 0.4);
}
