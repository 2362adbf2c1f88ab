/** A paper: its page with the cited sentences lit. */
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { api, body, pagePicture } from "../api/client";
import type { Paper } from "../api/types";
import { useWords } from "../i18n";
import { Loading } from "../parts/Loading";
import { titleOf } from "../parts/PaperLine";
import { Trouble } from "../parts/Trouble";
import type { Reading } from "./reading";

export default function Reader({ reading, onClose }: { reading: Reading; onClose: () => void }) {
  const { t } = useWords();
  const paper = useQuery({
    queryKey: ["paper", reading.paper],
    queryFn: () => body(api.GET("/api/v1/papers/{name}", { params: { path: { name: reading.paper } } })),
  });
  if (paper.error) return <Trouble error={paper.error} onRetry={paper.refetch} />;
  if (!paper.data) return <Loading />;
  return (
    <div className="reader">
      <header>
        <h2>{titleOf(paper.data.paper as Paper)}</h2>
        <button type="button" className="plain" onClick={onClose} aria-label={t("reader.close")}>
          <X size={18} aria-hidden />
        </button>
      </header>
      <img src={pagePicture(reading.paper, reading.page ?? 1, reading.spans)} alt="" width="100%" />
    </div>
  );
}
