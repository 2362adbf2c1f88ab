/** What a model wrote of a paper, and for each of its sentences those of the paper that carry it. */
import { useQuery } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import { api, body } from "../../api/client";
import type { Paper, Span } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { Loading } from "../../parts/Loading";
import { useModelTitles } from "../../parts/modelTitles";
import { PaperLine, titleOf } from "../../parts/PaperLine";
import { Trouble } from "../../parts/Trouble";
import { useTitle } from "../../shell/title";

export function PaperSummaries({ paper }: { paper: string }) {
  const { t } = useWords();
  const path = { paper };
  const written = useQuery({
    queryKey: ["summarised", paper],
    queryFn: () => body(api.GET("/api/v1/papers/{paper}/summaries", { params: { path } })),
  });
  const passagesQuery = useQuery({
    queryKey: ["passages", paper],
    queryFn: () => body(api.GET("/api/v1/papers/{paper}/passages", { params: { path } })),
  });
  const loadedPaper = written.data?.paper as Paper | undefined;
  useTitle(loadedPaper && titleOf(loadedPaper));
  const models = [...new Set((written.data?.summaries ?? []).map((summary) => summary.model))];
  const title = useModelTitles(models);
  const error = written.error ?? passagesQuery.error;
  if (error) return <Trouble error={error} onRetry={() => void (written.refetch(), passagesQuery.refetch())} />;
  if (!written.data || !passagesQuery.data || !loadedPaper) return <Loading />;
  const spans = new Map(passagesQuery.data.passages.flatMap((passage) => passage.spans.map((span) => [span.id, span as Span])));
  return (
    <article className="written">
      <PaperLine paper={loadedPaper} />
      {!written.data.summaries.length && <p className="muted">{t("summaries.none_of")}</p>}
      {models.length > 0 && (
        <p className="by">
          <Bot size={16} aria-hidden /> {t("summaries.by", { models: models.map(title).join(", ") })}
        </p>
      )}
      {written.data.summaries.map((summary) => (
        <section key={summary.id}>
          {summary.section && <h2>{summary.section}</h2>}
          <p>
            {summary.spans.map((sentence, at) => (
              <Sentence key={sentence.id} text={sentence.text} paper={loadedPaper} passage={summary.id} sources={sourcesOf(summary.links[at], spans)} />
            ))}
          </p>
        </section>
      ))}
    </article>
  );
}

const sourcesOf = (ids: readonly string[] | undefined, spans: ReadonlyMap<string, Span>) =>
  (ids ?? []).flatMap((id) => spans.get(id) ?? []);

interface SummarySentence {
  text: string;
  paper: Paper;
  passage: string;
  sources: Span[];
}

function Sentence({ text, paper, passage, sources }: SummarySentence) {
  const { t } = useWords();
  return (
    <>
      {text}{" "}
      {sources.map((span) => {
        const page = span.places?.[0]?.page;
        const marker = page ? t("summaries.page", { page }) : t("summaries.source");
        return <CitationChip key={span.id} citation={{ paper, passage_id: passage, quote: span.text, marker, spans: [span] }} />;
      })}{" "}
    </>
  );
}
