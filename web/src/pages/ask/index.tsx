/** Ask: a question, and the answer as it is made. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { begin, useJob } from "../../api/jobs";
import type { JobEventOf } from "../../api/types";
import { useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";

export default function AskPage() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const job = search.get("job") ?? undefined;
  const { events, state, error } = useJob(job);
  const { open } = useReading();
  const [question, type] = useState("");
  const ask = useMutation({
    mutationFn: () => begin("/ask", { question }),
    onSuccess: (job) => set(new URLSearchParams({ job })),
  });
  const statements = events.filter((one): one is JobEventOf<"statement"> & typeof one => one.kind === "statement");
  return (
    <div className="page">
      <h1>{t("page.ask")}</h1>
      <form
        className="box"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <textarea value={question} rows={2} onChange={(event) => type(event.target.value)} aria-label={t("page.ask")} />
        <button type="submit" className="primary" disabled={!question.trim()}>
          {t("page.ask")}
        </button>
      </form>
      {(ask.error ?? error) && <Trouble error={(ask.error ?? error)!} />}
      {job && state === "running" && <Loading />}
      {statements.map(({ seq, statement }) => (
        <p key={seq}>
          {statement.text}{" "}
          {(statement.citations ?? []).map((one) => (
            <button
              key={one.passage_id + one.marker}
              type="button"
              className="chip"
              onClick={() => open({ paper: one.paper.id, spans: one.spans.map((span) => span.id), page: one.spans[0]?.places?.[0]?.page })}
            >
              {one.marker}
            </button>
          ))}
        </p>
      ))}
    </div>
  );
}
