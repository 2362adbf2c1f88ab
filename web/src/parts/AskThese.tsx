import { MessageCircleQuestion } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { day, useWords } from "../i18n";
import { useReadOnly } from "../shell/health";
import { keep, useCollections, useKeeping } from "./kept";
import { Naming } from "./Naming";

/** Ask papers that are chosen: they become a collection, to which the question is limited. */
export function AskThese({ papers, name = "" }: { papers: readonly string[]; name?: string }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const [isOpen, open] = useState(false);
  const isReadOnly = useReadOnly();
  const keeping = useKeeping();
  const known = useCollections().data ?? [];
  const usual = name || t("ask.these.name", { date: day(new Date()) });
  const taken = (one: string) => known.some((other) => other.name.toLowerCase() === one.toLowerCase());
  const free = [usual, ...Array.from({ length: 98 }, (_, at) => `${usual} ${at + 2}`)].find((one) => !taken(one)) ?? usual;
  const go = (chosen: string) => {
    open(false);
    keeping.mutate(() => keep.collect(chosen, papers), {
      onSuccess: () => navigate(`/ask?collection=${encodeURIComponent(chosen)}`),
    });
  };
  if (isReadOnly) return null;
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        <MessageCircleQuestion size={16} aria-hidden />
        {t("ask.these")}
      </button>
      <Naming key={`${isOpen}`} isOpen={isOpen} title={t("ask.these")} label={t("ask.these.how")} name={free} onClose={() => open(false)} onSave={go} />
    </>
  );
}
