/** The reviews of a kind that are kept: choose one, begin another, rename, delete. */
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { StoredReview } from "../../api/types";
import { day, useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { NameDialog } from "../../parts/NameDialog";
import { toast } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import { type Kind, useChange, useShow } from "./reviews";

interface Props {
  kind: Kind;
  all: readonly StoredReview[];
  chosen: StoredReview | undefined;
}

export function ReviewPicker({ kind, all, chosen }: Props) {
  const { t } = useWords();
  const show = useShow();
  return (
    <div className="tools kept">
      <select value={chosen?.id ?? ""} onChange={(event) => show(event.target.value || null)} aria-label={t(`reviews.${kind}.kept`)}>
        {!chosen && <option value="">{t(`reviews.${kind}.new`)}</option>}
        {all.toReversed().map((review) => (
          <option key={review.id} value={review.id}>
            {[review.name, review.papers > 0 && t("reviews.papers", { n: review.papers }), day(review.updated)].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
      <IfWritable>
        {chosen && <Care review={chosen} />}
        {chosen && (
          <button type="button" onClick={() => show(null)}>
            <Plus size={16} aria-hidden />
            {t(`reviews.${kind}.new`)}
          </button>
        )}
      </IfWritable>
    </div>
  );
}

function Care({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const [isNaming, naming] = useState(false);
  const change = useChange();
  const show = useShow();
  const path = `/reviews/${encodeURIComponent(review.id)}`;
  const remove = async () => {
    const wish = { title: t("reviews.delete.sure", { name: review.name }), text: t("reviews.delete.text"), action: t("reviews.delete"), isDanger: true };
    if (!(await confirm(wish))) return;
    change.mutate({ method: "DELETE", path }, { onSuccess: () => (show(""), toast(t("reviews.deleted", { name: review.name }))) });
  };
  const rename = (new_name: string) => change.mutate({ method: "PATCH", path, body: { new_name } }, { onSuccess: () => naming(false) });
  return (
    <>
      <button type="button" className="plain" onClick={() => naming(true)} aria-label={t("reviews.rename.of", { name: review.name })}>
        <Pencil size={16} aria-hidden />
      </button>
      <button type="button" className="plain" onClick={() => void remove()} aria-label={t("reviews.delete.of", { name: review.name })}>
        <Trash2 size={16} aria-hidden />
      </button>
      <NameDialog key={review.name} isOpen={isNaming} title={t("reviews.rename")} label={t("reviews.name")} name={review.name} onClose={() => naming(false)} onSave={rename} />
    </>
  );
}
