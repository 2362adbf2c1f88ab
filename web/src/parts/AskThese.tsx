import { MessageCircleQuestion, Search } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { day, useWords } from "../i18n";
import { useReadOnly } from "../shell/health";
import { keep, useCollections, useKeeping } from "./kept";
import { Naming } from "./Naming";

interface Props {
  /** Many are asked for when it comes to them. */
  papers: readonly string[] | (() => Promise<readonly string[]>);
  name?: string;
  to?: "ask" | "search";
}

/** Ask papers that are chosen, or search in them: they become a collection, to which that is limited. */
export function AskThese({ papers, name = "", to = "ask" }: Props) {
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
    keeping.mutate(async () => keep.collect(chosen, typeof papers === "function" ? await papers() : papers), {
      onSuccess: () => navigate(`/${to}?collection=${encodeURIComponent(chosen)}`),
    });
  };
  if (isReadOnly) return null;
  const title = t(to === "ask" ? "ask.these" : "search.these");
  const Icon = to === "ask" ? MessageCircleQuestion : Search;
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        <Icon size={16} aria-hidden />
        {title}
      </button>
      <Naming key={`${isOpen}`} isOpen={isOpen} title={title} label={t(to === "ask" ? "ask.these.how" : "search.these.how")} name={free} onClose={() => open(false)} onSave={go} />
    </>
  );
}
