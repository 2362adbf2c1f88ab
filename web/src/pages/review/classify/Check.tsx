/** A classification held against labels: how often it is right, what it takes for what, and where they differ. */
import { useMutation } from "@tanstack/react-query";
import { send } from "../../../api/call";
import type { ClassificationCheck } from "../../../api/types";
import { number, useWords } from "../../../i18n";
import { PaperLine } from "../../../parts/PaperLine";
import { Trouble } from "../../../parts/Trouble";
import { pathOf } from "../reviews";
import { Failures } from "../Failures";
import { TextFile } from "../TextFile";
import { NONE } from "./categories";
import { Chosen } from "./ClassifiedRow";

export function Check({ id }: { id: string }) {
  const { t } = useWords();
  const check = useMutation({
    mutationFn: (labels_text: string) => send<ClassificationCheck>("POST", pathOf("classify", id, "/check"), { labels_text }),
  });
  return (
    <div className="card asking checking">
      <TextFile label={t("classify.labels")} hint={t("classify.labels.hint")} accept=".csv,text/csv" onText={(text) => text && check.mutate(text)} />
      {check.error && <Trouble error={check.error} />}
      {check.data && <Outcome check={check.data} />}
    </div>
  );
}

const share = (value: number | null) => (value === null ? "–" : number(value, { style: "percent", maximumFractionDigits: 0 }));
/** "82 % (74–88 %)": a share with its interval. */
const within = (value: number | null, [low, high]: readonly number[]) =>
  value === null ? "–" : `${share(value)} (${number(100 * low!, { maximumFractionDigits: 0 })}–${share(high!)})`;

function Outcome({ check }: { check: ClassificationCheck }) {
  const { t } = useWords();
  const names = [...check.classes.map((category) => category.name).filter((name) => name !== NONE), NONE];
  const nameOf = (name: string) => (name === NONE ? t("classify.none") : name);
  return (
    <>
      <p>
        <strong>{t("classify.accuracy", { share: within(check.accuracy, check.accuracy_interval), n: check.papers })}</strong>{" "}
        {check.decided !== null && check.decided < 1 && t("classify.decided", { share: share(check.decided), accuracy: share(check.decided_accuracy) })}{" "}
        {check.left_out > 0 && t("classify.left_out", { n: check.left_out })}
      </p>
      <div className="scroll confusion">
        <table>
          <caption>{t("classify.confusion")}</caption>
          <thead>
            <tr>
              <td />
              {names.map((name) => (
                <th key={name} scope="col">
                  {nameOf(name)}
                </th>
              ))}
              <th scope="col">{t("classify.precision")}</th>
              <th scope="col">{t("classify.recall")}</th>
            </tr>
          </thead>
          <tbody>
            {check.confusion.map((row, at) => (
              <tr key={names[at]}>
                <th scope="row">{nameOf(names[at]!)}</th>
                {row.map((count, column) => (
                  <td key={names[column]} data-right={at === column || undefined}>
                    {count || ""}
                  </td>
                ))}
                <td>{check.classes[at] && within(check.classes[at].precision, check.classes[at].precision_interval)}</td>
                <td>{check.classes[at] && within(check.classes[at].recall, check.classes[at].recall_interval)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Failures failed={check.failed} />
      {check.disagreements.length > 0 && <h3>{t("classify.disagreements", { n: check.disagreements.length })}</h3>}
      <ul className="rows-of">
        {check.disagreements.map((disagreement) => (
          <li key={disagreement.paper.id} className="card">
            <PaperLine paper={disagreement.paper} />
            <div className="sides">
              {([["classify.label", disagreement.labels], ["classify.given", disagreement.categories]] as const).map(([key, choices]) => (
                <section key={key} aria-label={t(key)}>
                  <h4 className="muted">{t(key)}</h4>
                  {choices.map((choice) => (
                    <Chosen key={choice.name} choice={choice} />
                  ))}
                  {!choices.length && <p>{t("classify.none")}</p>}
                </section>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
