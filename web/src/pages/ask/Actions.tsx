import { useQueryClient } from "@tanstack/react-query";
import { Link2, Map as MapIcon, Share2, Trash2 } from "lucide-react";
import { Link, useLocation } from "wouter";
import { address, api } from "../../api/client";
import type { Answer } from "../../api/types";
import { useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { CiteMenu } from "../../parts/CiteMenu";
import { Menu } from "../../parts/Menu";
import { toast, toastError } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import { AskAgain } from "./AskAgain";
import { addressOf } from "./questions";
import { FeedbackMenu } from "./FeedbackMenu";
import { HISTORY, papersOf } from "./queries";

const FILES = ["html", "md", "json", "bib"] as const;
const PAPERS = ["csv", "ris"] as const;

/** What can be done with a kept answer: ask again, share, save, remove. */
export function Actions({ answer, next }: { answer: Answer; next: string }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const file = (format: string) => address(`/answers/${answer.id}/export`, { format });
  const papers = papersOf(answer).map((paper) => paper.id);
  const copy = () =>
    navigator.clipboard
      .writeText(`${location.origin}/ask/${answer.id}`)
      .then(() => toast(t("ask.copied")))
      .catch(toastError);
  const remove = async () => {
    const wish = { title: t("ask.remove.title"), text: answer.question, action: t("ask.remove"), isDanger: true };
    if (!(await confirm(wish))) return;
    try {
      await api.DELETE("/api/v1/answers/{name}", { params: { path: { name: answer.id } } });
      queries.removeQueries({ queryKey: ["answer", answer.id] });
      ["conversation", ...HISTORY].forEach((name) => queries.invalidateQueries({ queryKey: [name] }));
      navigate(addressOf(next));
      toast(t("ask.removed"));
    } catch (error) {
      toastError(error as Error);
    }
  };
  return (
    <div className="actions">
      <IfWritable>
        <AskAgain answer={answer.id} hasModel={answer.method !== "extractive"} />
      </IfWritable>
      <button type="button" onClick={copy}>
        <Link2 size={15} aria-hidden />
        {t("ask.link")}
      </button>
      <IfWritable>
        <button type="button" onClick={remove}>
          <Trash2 size={15} aria-hidden />
          {t("ask.remove")}
        </button>
      </IfWritable>
      {papers.length > 0 && (
        <Link className="button" href={`/map?${new URLSearchParams({ overlay: `answer:${answer.id}` })}`}>
          <MapIcon size={15} aria-hidden />
          {t("search.on.map")}
        </Link>
      )}
      {papers.length > 0 && <CiteMenu papers={papers} />}
      <Menu name={t("ask.save")} icon={Share2}>
        {FILES.map((format) => (
          <a key={format} className="button" href={file(format)} download>
            {t(`ask.save.${format}`)}
          </a>
        ))}
        {papers.length > 0 &&
          PAPERS.map((format) => (
            <a key={format} className="button" href={address("/export", { format, paper: papers })} download={`${answer.id}.${format}`}>
              {t(`ask.save.${format}`)}
            </a>
          ))}
      </Menu>
      <IfWritable>
        <FeedbackMenu answer={answer.id} />
      </IfWritable>
    </div>
  );
}
