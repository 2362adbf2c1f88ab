/** Entities that are spoken of, each leading to the graph. */
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Mention } from "../api/types";
import { useWords } from "../i18n";
import "./EntityChips.css";
import { keyOf, once, useGraphAddress } from "./entities";
import { type TipState, Tip, useTip } from "./Tip";

type EntityRef = Pick<Mention, "entity" | "name" | "vocabulary">;
/** So many are shown at first. */
const FIRST_COUNT = 6;

/** An entity by its name, which leads to it; who points at it is told which it is. */
export function EntityLink({ entity, children, className }: { entity: EntityRef; children: ReactNode; className: string }) {
  const addressOf = useGraphAddress();
  const { isShown, hide, trigger, card } = useTip<HTMLAnchorElement>();
  return (
    <>
      <Link href={addressOf(entity.entity)} className={className} onClick={hide} {...trigger}>
        {children}
      </Link>
      {isShown && <EntityCard {...entity} card={card} />}
    </>
  );
}

/**
 * Words of a paper that lead to an entity, the first of its entity as a link; browsers let nothing be selected from within
 * one, so that the others are only clicked.
 */
export function EntityWords({ entity, text, isFirst }: { entity: EntityRef; text: string; isFirst: boolean }) {
  if (!isFirst) return <EntityText entity={entity} text={text} />;
  return (
    <EntityLink entity={entity} className="entity-words">
      {text}
    </EntityLink>
  );
}

function EntityText({ entity, text }: { entity: EntityRef; text: string }) {
  const address = useGraphAddress()(entity.entity);
  const [, navigate] = useLocation();
  const { isShown, hide, trigger, card } = useTip<HTMLSpanElement>();
  const go = () => {
    if (!document.getSelection()?.isCollapsed) return;
    hide();
    navigate(address);
  };
  return (
    <>
      {/* keys go to the first */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <span className="entity-words" onClick={go} {...trigger}>
        {text}
      </span>
      {isShown && <EntityCard {...entity} card={card} />}
    </>
  );
}

function EntityCard({ entity, name, vocabulary, card }: EntityRef & { card: TipState }) {
  const { t } = useWords();
  return (
    <Tip {...card}>
      <strong>{name}</strong>
      <p className="muted">
        {entity} · {vocabulary}
      </p>
      <p className="muted">{t("entity.open")}</p>
    </Tip>
  );
}

/** A row of what sentences speak of, each entity once; nothing, where they speak of none. */
export function EntityChips({ mentions }: { mentions: readonly Mention[] }) {
  const { t } = useWords();
  const [isWhole, showAll] = useState(false);
  const all = once(mentions);
  if (!all.length) return null;
  return (
    <ul className="entity-chips" aria-label={t("entity.spoken")}>
      {(isWhole ? all : all.slice(0, FIRST_COUNT)).map((mention) => (
        <li key={keyOf(mention)}>
          <EntityLink entity={mention} className="entity-chip">
            {mention.name}
          </EntityLink>
        </li>
      ))}
      {!isWhole && all.length > FIRST_COUNT && (
        <li>
          <button type="button" className="entity-chip" aria-label={t("entity.more", { n: all.length - FIRST_COUNT })} onClick={() => showAll(true)}>
            +{all.length - FIRST_COUNT}
          </button>
        </li>
      )}
    </ul>
  );
}
