import { RotateCw } from "lucide-react";
import { useLocation } from "wouter";
import { begin } from "../../api/jobs";
import { useWords } from "../../i18n";
import { useModelTitle, useWritingModel } from "../../parts/modelTitles";
import { toastError } from "../../parts/toast";
import { addressOf } from "./questions";

/** Ask the question of a kept answer again; `hasModel`: a model has written it before, so that which one goes without saying. */
export function AskAgain({ answer, hasModel = false, className }: { answer: string; hasModel?: boolean; className?: string }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const model = useWritingModel();
  const title = useModelTitle(model);
  const rerun = () =>
    begin(`/answers/${answer}/rerun`)
      .then((job) => navigate(addressOf(answer, new URLSearchParams({ rerun: job }))))
      .catch(toastError);
  return (
    <button type="button" className={className} onClick={rerun}>
      {!className && <RotateCw size={15} aria-hidden />}
      {model && !hasModel ? t("ask.rerun.with", { model: title }) : t("ask.rerun")}
    </button>
  );
}
