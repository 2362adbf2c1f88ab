/** What is told of a search: how the words were understood, corrected, and what the server had to say. */
import type { SearchResult } from "../../api/types";
import { useQuery } from "@tanstack/react-query";
import { SpellCheck } from "lucide-react";
import { address, Problem } from "../../api/client";
import { get } from "../../api/call";
import { type Key, number, useWords } from "../../i18n";
import en from "../../i18n/en.json";
import { Loading } from "../../parts/Loading";
import type { Values } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { Trouble } from "../../parts/Trouble";
import { type SearchState, filters, isSimilar } from "./searchState";
import { parseQueryError } from "./hits";

interface Props {
  search: SearchState;
  results: SearchResult;
  onChange: (values: Values) => void;
}

export function SearchNotes({ search, results, onChange }: Props) {
  const { t } = useWords();
  const respelt = results.spelling.filter((respelling) => respelling.likely);
  const missing = results.spelling.filter((respelling) => !respelling.likely).map((respelling) => respelling.word);
  const corrected = respelt.reduce((text, { word, likely }) => text.replace(word, likely), search.q);
  const sentences = [
    ...respelt.map(({ word, likely }) => `No paper has '${word}': '${likely}' was searched for instead.`),
    `No paper has ${missing.map((word) => `'${word}'`).join(" or ")}.`,
  ];
  const note = sentences.reduce((text, sentence) => text.replace(sentence, ""), results.note).trim();
  const routing = results.routing;
  const kind = routing && `search.question.${routing.kind}`;
  return (
    <>
      {results.spelling.length > 0 && (
        <p className="told">
          <SpellCheck size={16} aria-hidden />
          <span>
            {[
              ...respelt.map(({ word, likely }) => t("search.spelling", { word, likely })),
              ...missing.map((word) => t("search.spelling.none", { word })),
            ].join(" ")}{" "}
            {respelt.length > 0 && (
              <button type="button" className="link" onClick={() => onChange({ q: corrected })}>
                {t("search.spelling.take", { query: corrected })}
              </button>
            )}
          </span>
        </p>
      )}
      {results.conditions && (
        <p className="told">
          <span className="muted">{t("search.only")}</span> <code>{results.conditions}</code>
        </p>
      )}
      {note && (
        <p className="told muted">
          <Remedy text={note} />
        </p>
      )}
      {results.expansions.length > 0 && (
        <details className="told">
          <summary>{t("search.expansions", { n: results.expansions.length })}</summary>
          {results.expansions.map((text) => (
            <p key={text} className="muted">
              {text}
            </p>
          ))}
        </details>
      )}
      {routing && kind && kind in en && (
        <p className="told muted">
          {t("search.question", { kind: t(kind as Key) })}{" "}
          {search.auto ? (
            t("search.question.taken")
          ) : (
            <button type="button" className="link" onClick={() => onChange({ auto: true })}>
              {t("search.question.take")}
            </button>
          )}
        </p>
      )}
    </>
  );
}

/** A query that is not understood: the place, the remedy, and both ways out. */
export function QueryError({ error, search, onChange, onRetry }: { error: Error; search: SearchState; onChange: (values: Values) => void; onRetry: () => void }) {
  const { t } = useWords();
  if (!(error instanceof Problem) || error.status !== 400) return <Trouble error={error} onRetry={onRetry} />;
  const { what, where, remedy, instead } = parseQueryError(error.message, error.hint);
  const wrong = /^\w+(?=:)/.exec(where.split("\n")[0]?.slice(where.split("\n")[1]?.indexOf("^") ?? 0) ?? "")?.[0];
  return (
    <div className="trouble slip" role="alert">
      <div>
        <p>{what}</p>
        {where && <pre>{where}</pre>}
        {remedy && (
          <p>
            <Remedy text={remedy} />
          </p>
        )}
        <div className="doing">
          {wrong && instead && (
            <button type="button" onClick={() => onChange({ q: search.q.replace(`${wrong}:`, `${instead}:`) })}>
              {t("search.instead", { what: `${instead}:` })}
            </button>
          )}
          {!search.plain && where && (
            <button type="button" onClick={() => onChange({ plain: true })}>
              {t("search.as.text")}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}

interface Count {
  count: { words: Record<string, number>; papers: number; passages: number; note: string };
}

function useCount(search: SearchState, enabled = true) {
  const query = { q: search.q, plain: search.plain || undefined, ...filters(search) };
  return useQuery({
    queryKey: ["count", query],
    queryFn: ({ signal }) => get<Count>(address("/count", query), signal),
    enabled,
    retry: false,
  });
}

/** How many papers there are: all that meet the conditions, or of a search by words those that have all of them. */
export function ResultCount({ search, results }: Pick<Props, "search" | "results">) {
  const { t } = useWords();
  const listed = results.hits.length;
  const isByWords = !isSimilar(search) && results.words !== "";
  const counted = useCount(search, isByWords && listed >= search.k).data?.count.papers ?? 0;
  const isMore = isByWords ? counted > listed : !isSimilar(search) && results.total > listed;
  const all = isByWords ? t("search.found.about", { n: counted }) : t("search.found", { n: results.total });
  return (
    <span role="status">
      {isMore ? all : t("search.found", { n: listed })}
      {isMore && <span className="muted"> · {t("search.found.best", { n: listed })}</span>}
    </span>
  );
}

/** How many papers have all the words, and each of them: by the words alone, exactly. */
export function WordCounts({ search }: { search: SearchState }) {
  const { t } = useWords();
  const counted = useCount(search);
  if (counted.error) return <Trouble error={counted.error} onRetry={counted.refetch} />;
  if (!counted.data) return <Loading />;
  const { words, papers, passages, note } = counted.data.count;
  return (
    <div className="card counted" role="status">
      <p>
        <strong>{t("search.counted", { n: papers })}</strong> <span className="muted">{t("search.counted.passages", { n: passages })}</span>
      </p>
      <dl>
        {Object.entries(words).map(([word, count]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      {note && (
        <p className="muted">
          <Remedy text={note} />
        </p>
      )}
    </div>
  );
}
