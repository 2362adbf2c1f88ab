import { MessageCircleQuestion, Search } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { day, useWords } from "../i18n";
import { useReadOnly } from "../shell/health";
import { keep, useCollections, useCurationChange } from "./curation";
import { NameDialog } from "./NameDialog";
import { toastError } from "./toast";

/** Papers that have room in an address. */
const MOST_IN_ADDRESS = 500;

interface Props {
  /** Many are asked for when it comes to them. */
  papers: readonly string[] | (() => Promise<readonly string[]>);
  name?: string;
  to?: "ask" | "search";
}

/** Ask papers that are chosen, or search in them; more than an address has room for become a collection first. */
export function AskThese({ papers, name = "", to = "ask" }: Props) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const [many, keepMany] = useState<readonly string[] | null>(null);
  const isReadOnly = useReadOnly();
  const keeping = useCurationChange();
  const known = useCollections().data ?? [];
  const usual = name || t("ask.these.name", { date: day(new Date()) });
  const taken = (candidate: string) => known.some((other) => other.name.toLowerCase() === candidate.toLowerCase());
  const free = [usual, ...Array.from({ length: 98 }, (_, at) => `${usual} ${at + 2}`)].find((candidate) => !taken(candidate)) ?? usual;
  const begin = async () => {
    try {
      const all = typeof papers === "function" ? await papers() : papers;
      if (all.length > MOST_IN_ADDRESS) keepMany(all);
      else navigate(`/${to}?${new URLSearchParams(all.map((paper) => ["among", paper]))}`);
    } catch (error) {
      toastError(error as Error);
    }
  };
  const go = (chosen: string) => {
    const all = many ?? [];
    keepMany(null);
    keeping.mutate(() => keep.collect(chosen, all), {
      onSuccess: () => navigate(`/${to}?collection=${encodeURIComponent(chosen)}`),
    });
  };
  if (isReadOnly) return null;
  const title = t(to === "ask" ? "ask.these" : "search.these");
  const Icon = to === "ask" ? MessageCircleQuestion : Search;
  return (
    <>
      <button type="button" onClick={begin}>
        <Icon size={16} aria-hidden />
        {title}
      </button>
      <NameDialog
        key={`${many !== null}`}
        isOpen={many !== null}
        title={title}
        label={t(to === "ask" ? "ask.these.how" : "search.these.how")}
        name={free}
        onClose={() => keepMany(null)}
        onSave={go}
      />
    </>
  );
}
