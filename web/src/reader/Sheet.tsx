/** A page: its picture, what is lit on it, and its words above, which can be selected. */
import { useEffect, useState } from "react";
import { Problem, pagePicture } from "../api/client";
import { useWords } from "../i18n";
import { Trouble } from "../parts/Trouble";
import { EntityWords } from "../parts/EntityChips";
import type { Highlight } from "./highlights";
import { cutText, isSameLine, type Piece, type Place } from "./lines";
import type { PageSize } from "./paper";
import type { PlacedMention } from "./paperMentions";

export interface Light extends Place {
  /** `lit`: cited; `found`: the words looked for; `here`: those found that are looked at; `marked`: a highlight. */
  kind: "lit" | "found" | "here" | "marked";
  span?: string;
  mark?: Highlight;
}

interface Props {
  paper: string;
  size: PageSize;
  /** Of the page on the screen, in pixels. */
  width: number;
  pieces: Piece[];
  lights: Light[];
  /** Of the blocks. */
  spoken: Map<number, PlacedMention[]>;
  onDrawn: () => void;
}

const SCALES = [1, 1.5, 2, 3, 4, 6];
/** Pages that are only passed by are not asked for. */
const ENTER_DELAY = 80;
/** How often a picture that cannot be shown is asked for, though the server gives one. */
const TRIES = 3;
const FONT = "serif";

export function Sheet({ paper, size, width, pieces, lights, spoken, onDrawn }: Props) {
  const { t } = useWords();
  const exactScale = (width / size.width) * (window.devicePixelRatio || 1);
  const scale = SCALES.find((candidate) => candidate >= exactScale) ?? SCALES.at(-1)!;
  const [isNear, come] = useState(false);
  const [error, fail] = useState<Problem>();
  const [tries, setTries] = useState(0);
  const [isDrawn, drawn] = useState(false);
  useEffect(() => {
    const waiting = setTimeout(() => come(true), ENTER_DELAY);
    return () => clearTimeout(waiting);
  }, []);
  const source = pagePicture(paper, size.page, [], scale);
  const explain = async () => {
    const answer = await fetch(source).catch(() => null);
    if (!answer) fail(Problem.ofKind("Away"));
    else if (answer.ok && tries < TRIES && answer.headers.get("content-type")?.startsWith("image/")) setTries(tries + 1);
    else if (answer.ok) fail(Problem.ofKind("Foreign", answer.status));
    else fail(await Problem.of(answer));
  };
  const label = t("reader.page", { n: size.page });
  if (error) {
    const retry = () => {
      fail(undefined);
      setTries(tries + 1);
    };
    return <Trouble error={error} onRetry={retry} />;
  }
  return (
    <>
      {isNear && (
        <img
          key={tries}
          src={source}
          alt={pieces.length ? "" : label}
          decoding="async"
          draggable={false}
          onLoad={() => {
            drawn(true);
            onDrawn();
          }}
          onError={() => {
            onDrawn();
            void explain();
          }}
        />
      )}
      {isNear && !isDrawn && <span className="spinner" aria-hidden />}
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden>
        {lights.map(({ kind, span, mark, rect: [x0, y0, x1, y1] }) => (
          <rect
            key={`${kind}${span ?? mark?.id}${x0},${y0}`}
            className={mark ? `marked ${mark.color}${mark.note ? " has-note" : ""}${mark.found ? "" : " is-lost"}` : kind}
            data-span={span}
            data-highlight={mark?.id}
            x={x0}
            y={y0}
            width={x1 - x0}
            height={y1 - y0}
          />
        ))}
      </svg>
      <div className="words">
        {pieces.map((piece, at) => (
          <Line key={`${piece.block}.${piece.start}`} piece={piece} size={size} spoken={spoken.get(piece.block)} end={isSameLine(piece, pieces[at + 1]) ? " " : "\n"} />
        ))}
      </div>
    </>
  );
}

function Line({ piece, size, spoken, end }: { piece: Piece; size: PageSize; spoken?: PlacedMention[]; end: string }) {
  const [x0, y0, x1, y1] = piece.rect;
  const text = piece.text.trimEnd();
  const height = y1 - y0;
  const natural = ems(text) * height;
  return (
    <span
      data-block={piece.block}
      data-start={piece.start}
      data-end={piece.start + text.length}
      style={{
        left: `${(x0 / size.width) * 100}%`,
        top: `${(y0 / size.height) * 100}%`,
        fontSize: `${(height / size.width) * 100}cqw`,
        transform: natural ? `scaleX(${(x1 - x0) / natural})` : undefined,
      }}
    >
      {spoken ? <LinkedText text={text} start={piece.start} spoken={spoken} /> : text}
      {end}
    </span>
  );
}

/** A line's words, those of entities leading to these. */
function LinkedText({ text, start: from, spoken }: { text: string; start: number; spoken: PlacedMention[] }) {
  const here = spoken.filter(({ start, end }) => start < from + text.length && from < end);
  const stretches = here.map(({ start, end }, at) => ({ start: start - from, end: end - from, name: String(at) }));
  return cutText(text, stretches).map(({ start, text, names: [name] }) => {
    const entity = name && here[Number(name)];
    return entity ? (
      <EntityWords key={start} entity={entity.mention} text={text} isFirst={entity.isFirst} />
    ) : (
      text
    );
  });
}

let pen: CanvasRenderingContext2D | null | undefined;
/** How wide the browser draws a text, in parts of the size of the letters. */
function ems(text: string): number {
  pen ??= document.createElement("canvas").getContext?.("2d");
  if (!pen) return 0;
  pen.font = `100px ${FONT}`;
  return pen.measureText(text).width / 100;
}
