import { Download } from "lucide-react";
import { address } from "../api/client";
import { useWords } from "../i18n";
import { Menu } from "./Menu";

const FORMATS = [
  ["bibtex", "BibTeX", "bib"],
  ["ris", "RIS", "ris"],
  ["csv", "CSV", "csv"],
  ["csl", "CSL JSON", "json"],
  ["jsonl", "JSON Lines", "jsonl"],
] as const;
/** Papers that an address can name: servers take about 8,000 characters. */
const MOST = 300;

interface Props {
  papers: readonly string[];
  /** Instead of papers: which of the library. */
  filters?: Record<string, string | string[] | undefined>;
  side?: "below" | "above";
}

/** Save papers as a bibliography or records, in the format that is chosen. */
export function ExportMenu({ papers, filters, side }: Props) {
  const { t } = useWords();
  const isTooMany = !filters && papers.length > MOST;
  const query = filters ?? { paper: [...papers] };
  return (
    <Menu name={t("export")} icon={Download} isDisabled={!filters && !papers.length} side={side}>
      {isTooMany ? (
        <p className="muted">{t("export.many", { most: MOST })}</p>
      ) : (
        FORMATS.map(([format, name, ending]) => (
          <a key={format} className="button" href={address("/export", { format, ...query })} download={`papers.${ending}`}>
            {name}
          </a>
        ))
      )}
    </Menu>
  );
}
