/** A paper as text, where there are no pages, or where somebody likes it better. */
import { type Ref, useImperativeHandle, useMemo, useRef } from "react";
import type { Span } from "../api/types";
import { useWords } from "../i18n";
import { type Block, cutReadable, type Found } from "./lines";
import type { Marked } from "./highlights";
import type { Reference } from "./paper";
import { EntityWords } from "../parts/EntityChips";
import { useReading } from "./reading";
import type { Spoken } from "./spoken";

export interface Scrolling {
  /** To a block, or to what is lit (or another class of mark) in it. */
  go: (block: number, mark?: string) => void;
}

interface Props {
  blocks: Block[];
  /** Cited sentences. */
  lit: Pick<Span, "id" | "text">[];
  found: Found[];
  here: number;
  references: Reference[];
  /** Of the blocks. */
  spoken: Map<number, Spoken[]>;
  /** Highlights of the blocks. */
  marked: Map<number, Marked[]>;
  handle: Ref<Scrolling>;
}

export function Text({ blocks, lit, found, here, references, spoken, marked, handle }: Props) {
  const { t } = useWords();
  const held = useRef<HTMLDivElement>(null);
  useImperativeHandle(handle, () => ({
    go: (block, mark) => {
      const whole = held.current?.querySelector(`[data-block="${block}"]`);
      ((mark && whole?.querySelector(`mark.${mark}`)) || whole)?.scrollIntoView({ block: "center" });
    },
  }));
  const owned = useMemo(() => new Map(references.filter((one) => one.paper_id).map((one) => [one.key, one.paper_id])), [references]);
  const words = useMemo(() => new Map(lit.map((span) => [span.text, span.id])), [lit]);
  return (
    <div
      ref={held}
      className="text"
      role="region"
      aria-label={t("reader.text")}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else it could not be scrolled by keys
      tabIndex={0}
    >
      {blocks.map((block, at) => (
        <Part key={at} block={block} at={at} lit={words} found={found} here={here} owned={owned} spoken={spoken.get(at)} marked={marked.get(at)} />
      ))}
    </div>
  );
}

interface PartProps {
  block: Block;
  at: number;
  /** Words of cited sentences -> their ids. */
  lit: Map<string, string>;
  found: Found[];
  here: number;
  owned: Map<string, string>;
  spoken?: Spoken[];
  marked?: Marked[];
}

function Part({ block, at, lit, found, here, owned, spoken = [], marked = [] }: PartProps) {
  const { open } = useReading();
  const stretches = [
    ...block.sentences.flatMap((one) => {
      const span = lit.get(block.text.slice(one.start, one.end));
      return span ? [{ ...one, name: "lit" }, { ...one, name: `span ${span}` }] : [];
    }),
    ...found.flatMap((one, number) => (one.block === at ? [{ ...one, name: number === here ? "here" : "found" }] : [])),
    ...block.marks.flatMap((one) => {
      const paper = one.targets.map((key) => owned.get(key)).find(Boolean);
      return paper ? [{ start: one.start, end: one.end, name: `to ${paper}` }] : [];
    }),
    ...spoken.map(({ start, end }, number) => ({ start, end, name: `of ${number}` })),
    ...marked.map(({ start, end, mark }) => ({ start, end, name: `marked ${mark.color} ${mark.id}` })),
  ];
  const parts = cutReadable(block.text, stretches).map(({ start, end, text, names, isTex }) => {
    const kinds = names.filter((name) => !/^(to|of|span) /.test(name));
    const entity = spoken[Number(names.find((name) => name.startsWith("of "))?.slice(3) ?? -1)];
    const paper = names.find((name) => name.startsWith("to "))?.slice(3);
    const words = paper ? (
      <button type="button" className="link inline" onClick={() => open({ paper })}>
        {text}
      </button>
    ) : entity ? (
      <EntityWords entity={entity.mention} text={text} isFirst={entity.isFirst} />
    ) : (
      text
    );
    const own = { "data-start": start, "data-end": end, "data-tex": isTex || undefined };
    const mark = names.find((name) => name.startsWith("marked "))?.split(" ").at(-1);
    return kinds.length ? (
      <mark key={start} className={kinds.join(" ")} data-span={names.find((name) => name.startsWith("span "))?.slice(5)} data-highlight={mark} {...own}>
        {words}
      </mark>
    ) : (
      <span key={start} {...own}>
        {words}
      </span>
    );
  });
  const given = { className: `block ${block.kind}`, "data-block": at };
  if (block.kind === "heading") return block.level > 2 ? <h4 {...given}>{parts}</h4> : <h3 {...given}>{parts}</h3>;
  if (block.kind === "code" || block.kind === "equation") return <pre {...given}>{parts}</pre>;
  return <p {...given}>{parts}</p>;
}
