/** A paper as text, where there are no pages, or where somebody likes it better. */
import { type Ref, useImperativeHandle, useMemo, useRef } from "react";
import type { Span } from "../api/types";
import { useWords } from "../i18n";
import { type Block, cutReadableText, type TextMatch } from "./lines";
import type { MarkedRange } from "./highlights";
import type { Reference } from "./paper";
import { EntityWords } from "../parts/EntityChips";
import { useReading } from "./reading";
import type { PlacedMention } from "./paperMentions";

export interface TextHandle {
  /** To a block, or to what is lit (or another class of mark) in it. */
  go: (block: number, mark?: string) => void;
}

interface Props {
  blocks: Block[];
  /** Cited sentences. */
  lit: Pick<Span, "id" | "text">[];
  hits: TextMatch[];
  here: number;
  references: Reference[];
  /** Of the blocks. */
  spoken: Map<number, PlacedMention[]>;
  /** Highlights of the blocks. */
  marked: Map<number, MarkedRange[]>;
  handle: Ref<TextHandle>;
}

export function Text({ blocks, lit, hits, here, references, spoken, marked, handle }: Props) {
  const { t } = useWords();
  const textRef = useRef<HTMLDivElement>(null);
  useImperativeHandle(handle, () => ({
    go: (block, mark) => {
      const blockNode = textRef.current?.querySelector(`[data-block="${block}"]`);
      ((mark && blockNode?.querySelector(`mark.${mark}`)) || blockNode)?.scrollIntoView({ block: "center" });
    },
  }));
  const owned = useMemo(() => new Map(references.filter((reference) => reference.paper_id).map((reference) => [reference.key, reference.paper_id])), [references]);
  const words = useMemo(() => new Map(lit.map((span) => [span.text, span.id])), [lit]);
  return (
    <div
      ref={textRef}
      className="text"
      role="region"
      aria-label={t("reader.text")}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else it could not be scrolled by keys
      tabIndex={0}
    >
      {blocks.map((block, at) => (
        <Part key={at} block={block} at={at} lit={words} hits={hits} here={here} owned={owned} spoken={spoken.get(at)} marked={marked.get(at)} />
      ))}
    </div>
  );
}

interface PartProps {
  block: Block;
  at: number;
  /** Words of cited sentences -> their ids. */
  lit: Map<string, string>;
  hits: TextMatch[];
  here: number;
  owned: Map<string, string>;
  spoken?: PlacedMention[];
  marked?: MarkedRange[];
}

function Part({ block, at, lit, hits, here, owned, spoken = [], marked = [] }: PartProps) {
  const { open } = useReading();
  const stretches = [
    ...block.sentences.flatMap((sentence) => {
      const span = lit.get(block.text.slice(sentence.start, sentence.end));
      return span ? [{ ...sentence, name: "lit" }, { ...sentence, name: `span ${span}` }] : [];
    }),
    ...hits.flatMap((hit, number) => (hit.block === at ? [{ ...hit, name: number === here ? "here" : "found" }] : [])),
    ...block.marks.flatMap((mark) => {
      const paper = mark.targets.map((key) => owned.get(key)).find(Boolean);
      return paper ? [{ start: mark.start, end: mark.end, name: `to ${paper}` }] : [];
    }),
    ...spoken.map(({ start, end }, number) => ({ start, end, name: `of ${number}` })),
    ...marked.map(({ start, end, mark }) => ({ start, end, name: `marked ${mark.color} ${mark.id}` })),
  ];
  const parts = cutReadableText(block.text, stretches).map(({ start, end, text, names, isTex }) => {
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
    const partProps = { "data-start": start, "data-end": end, "data-tex": isTex || undefined };
    const mark = names.find((name) => name.startsWith("marked "))?.split(" ").at(-1);
    return kinds.length ? (
      <mark key={start} className={kinds.join(" ")} data-span={names.find((name) => name.startsWith("span "))?.slice(5)} data-highlight={mark} {...partProps}>
        {words}
      </mark>
    ) : (
      <span key={start} {...partProps}>
        {words}
      </span>
    );
  });
  const blockProps = { className: `block ${block.kind}`, "data-block": at };
  if (block.kind === "heading") return block.level > 2 ? <h4 {...blockProps}>{parts}</h4> : <h3 {...blockProps}>{parts}</h3>;
  if (block.kind === "code" || block.kind === "equation") return <pre {...blockProps}>{parts}</pre>;
  return <p {...blockProps}>{parts}</p>;
}
