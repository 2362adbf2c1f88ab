import { Download } from "lucide-react";
import { useState } from "react";
import { address, API, reach } from "../api/client";
import { useWords } from "../i18n";
import { Menu } from "./Menu";
import { save } from "./save";
import { STYLES } from "./styles";
import { toastError } from "./toast";

const FORMATS = [
  ["bibtex", "BibTeX", "bib"],
  ["ris", "RIS", "ris"],
  ["csv", "CSV", "csv"],
  ["csl", "CSL JSON", "json"],
  ["jsonl", "JSON Lines", "jsonl"],
] as const;
const REFERENCES = STYLES.map(([style, name]) => [style, name, "txt"] as const);
const GROUPS = [
  ["export.data", FORMATS],
  ["export.references", REFERENCES],
] as const;

interface Props {
  /** Many are asked for when it comes to them. */
  papers: readonly string[] | (() => Promise<readonly string[]>);
  /** Instead of papers: which of the library. */
  filters?: Record<string, string | string[] | undefined>;
  side?: "below" | "above";
}

/** The file of papers that are named, however many: more than an address has room for. */
async function fileOf(format: string, papers: readonly string[]): Promise<Blob> {
  const headers = { "content-type": "application/json" };
  return (await reach(`${API}/export`, { method: "POST", headers, body: JSON.stringify({ format, papers }) })).blob();
}

/** Save papers as a bibliography or records, in the format that is chosen. */
export function ExportMenu({ papers, filters, side }: Props) {
  const { t } = useWords();
  const [isComing, come] = useState(false);
  const isNothing = !filters && typeof papers !== "function" && !papers.length;
  const loadPapers = async () => (typeof papers === "function" ? papers() : papers);
  const take = (format: string, name: string) => {
    come(true);
    void loadPapers()
      .then((all) => fileOf(format, all))
      .then((file) => save(name, file), toastError)
      .finally(() => come(false));
  };
  return (
    <Menu name={t(isComing ? "export.coming" : "export")} icon={Download} isDisabled={isComing || isNothing} side={side}>
      {GROUPS.map(([title, formats]) => (
        <div key={title} role="group" aria-label={t(title)}>
          <p className="menu-title" aria-hidden>
            {t(title)}
          </p>
          {formats.map(([format, name, ending]) =>
            filters ? (
              <a key={format} className="button" href={address("/export", { format, ...filters })} download={`papers.${ending}`}>
                {name}
              </a>
            ) : (
              <button key={format} type="button" onClick={() => take(format, `papers.${ending}`)}>
                {name}
              </button>
            ),
          )}
        </div>
      ))}
    </Menu>
  );
}
