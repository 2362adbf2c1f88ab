import { Quote } from "lucide-react";
import { get } from "../api/call";
import { address } from "../api/client";
import type { FormattedReference } from "../api/types";
import { useWords } from "../i18n";
import { writeClipboard } from "./clipboard";
import { Menu } from "./Menu";
import { STYLES } from "./styles";
import { toast, toastError } from "./toast";

/** Copy references of papers in the style that is chosen: with italics where they are pasted into a text. */
export function CiteMenu({ papers }: { papers: readonly string[] }) {
  const { t } = useWords();
  const copy = (style: string) =>
    get<{ references: FormattedReference[] }>(address("/cite", { paper: [...papers], style }))
      .then(async ({ references }) => {
        const html = references.map((reference) => `<p>${reference.html}</p>`).join("");
        await writeClipboard(references.map((reference) => reference.text).join("\n\n"), html);
        toast(t("cite.copied", { n: references.length }));
      })
      .catch(toastError);
  return (
    <Menu name={t("cite")} icon={Quote} isDisabled={!papers.length}>
      {STYLES.map(([style, name]) => (
        <button key={style} type="button" onClick={() => copy(style)}>
          {name}
        </button>
      ))}
    </Menu>
  );
}
