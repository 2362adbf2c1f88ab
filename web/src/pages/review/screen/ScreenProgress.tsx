/** How far a screening is, what is probably left, and whether the rule says that enough is read. */
import type { Screening } from "../../../api/types";
import { day, number, useWords } from "../../../i18n";
import { confirm } from "../../../parts/confirm";
import { Progress } from "../../../parts/Progress";
import { IfWritable } from "../../../shell/health";
import { pathOf, useChange } from "../reviews";

export function ScreenProgress({ id, now }: { id: string; now: Screening }) {
  const { t } = useWords();
  const { included, excluded, papers, remaining, waiting, estimate, stop, rule, ended, conflicts, notes } = now;
  const change = useChange();
  const end = async (undo: boolean) => {
    const wish = { title: t("screen.end.sure"), text: t("screen.end.text", { n: remaining }), action: t("screen.end") };
    if (undo || (await confirm(wish))) change.mutate({ method: "POST", path: pathOf("screen", id, "/end"), body: { undo } });
  };
  const percentFound = estimate.high ? Math.min(100, (100 * included) / estimate.high) : 0;
  return (
    <section className="card left" aria-label={t("screen.left")}>
      <Progress label={t("screen.decided")} done={included + excluded} total={papers} />
      <ul>
        <li>
          {t("screen.included")} <strong>{number(included)}</strong>
        </li>
        <li>
          {t("screen.excluded")} <strong>{number(excluded)}</strong>
        </li>
        <li>
          {t("screen.remaining")} <strong>{number(remaining)}</strong>
        </li>
        {waiting > 0 && (
          <li>
            {t("screen.waiting")} <strong>{number(waiting)}</strong>
          </li>
        )}
        {conflicts.length > 0 && (
          <li>
            <span className="badge warn">{t("screen.conflicts", { n: conflicts.length })}</span>
          </li>
        )}
      </ul>
      {estimate.missing > 0 && <p>{t("screen.too_few", { n: estimate.missing })}</p>}
      {included > 0 && !estimate.missing && (
        <>
          <p>{t("screen.estimate", { n: estimate.relevant, low: estimate.low, high: estimate.high })}</p>
          <div className="interval" aria-hidden>
            <span className="found" style={{ inlineSize: `${percentFound}%` }} />
            <span className="mark" style={{ insetInlineStart: `calc((100% - 3px) * ${estimate.high ? estimate.relevant / estimate.high : 0})` }} />
          </div>
        </>
      )}
      {ended ? (
        <p role="status">
          <span className="badge">{t("screen.ended", { day: day(ended) })}</span>{" "}
          <IfWritable>
            <button type="button" className="link" onClick={() => void end(true)}>
              {t("screen.go_on")}
            </button>
          </IfWritable>
        </p>
      ) : (
        <>
          <p role="status">{stop ? <strong className="badge good">{t("screen.stop")}</strong> : t("screen.go")}</p>
          <IfWritable>
            <button type="button" className={stop ? "primary" : ""} disabled={change.isPending || !(included + excluded)} onClick={() => void end(false)}>
              {t("screen.end")}
            </button>
          </IfWritable>
        </>
      )}
      <details>
        <summary>{t("screen.rule")}</summary>
        <p className="muted">{rule}</p>
      </details>
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </section>
  );
}
