import { useId } from "react";
import { useWords } from "../i18n";
import "./progress.css";

interface Props {
  /** What is being done. */
  label: string;
  done: number;
  /** 0: not known. */
  total: number;
  unit?: string;
}

/** How far something is. */
export function Progress({ label, done, total, unit }: Props) {
  const { t } = useWords();
  const id = useId();
  const amount = total && unit !== "bytes" ? t("progress.of", { done, total }) : "";
  return (
    <div className="progress">
      <p id={id}>
        <span>{label}</span> <span className="muted">{amount || (total ? `${Math.floor((100 * done) / total)} %` : "")}</span>
      </p>
      <progress aria-labelledby={id} {...(total ? { value: done, max: total } : {})} />
    </div>
  );
}
