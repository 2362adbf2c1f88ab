/** Search: papers that fit best. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { api, body } from "../../api/client";
import type { Paper, Span } from "../../api/types";
import { useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { PaperLine } from "../../parts/PaperLine";
import { Trouble } from "../../parts/Trouble";

interface Hit {
  rank: number;
  score: number;
  factors: Record<string, number>;
  paper: Paper;
  passage: { id: string; text: string; section: string; spans: Span[] };
}

export default function SearchPage() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const q = search.get("q") ?? "";
  const [typed, type] = useState(q);
  const found = useQuery({
    queryKey: ["search", q],
    queryFn: () => body(api.GET("/api/v1/search", { params: { query: { q } } })) as unknown as Promise<{ hits: Hit[] }>,
    enabled: !!q,
  });
  return (
    <div className="page">
      <h1>{t("page.search")}</h1>
      <form
        className="box"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          set((before) => {
            const after = new URLSearchParams(before);
            after.set("q", typed);
            return after;
          });
        }}
      >
        <input type="search" value={typed} onChange={(event) => type(event.target.value)} aria-label={t("page.search")} />
        <button type="submit" className="primary">
          {t("page.search")}
        </button>
      </form>
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {found.isFetching && <Loading />}
      <ol className="hits">
        {found.data?.hits.map((hit) => (
          <li key={hit.paper.id} className="card">
            <PaperLine paper={hit.paper} spans={hit.passage.spans.slice(0, 1).map((span) => span.id)} />
            <p>{hit.passage.text.slice(0, 400)}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}
