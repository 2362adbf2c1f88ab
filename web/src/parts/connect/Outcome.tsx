import { CircleCheck, TriangleAlert } from "lucide-react";
import { type Key, number, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { useModelTitle } from "../modelTitles";
import type { Role, ModelTest } from "./modelConnection";

interface Props {
  tested: ModelTest;
  role: Role | "";
  /** Where its key is kept. */
  keyIn: string;
  onClose: () => void;
}

/** How the model that is set now answered: time, tokens, what a question costs. */
export function Outcome({ tested, role, keyIn, onClose }: Props) {
  const { t } = useWords();
  const title = useModelTitle(tested.model);
  const { seconds, prompt_tokens: promptTokens, completion_tokens: completionTokens, question_cost: cost, context, advice } = tested;
  const price = cost === null ? t("connect.cost.unknown") : cost === 0 ? t("connect.cost.free") : t("connect.cost.about", { cost: number(cost, { style: "currency", currency: "USD", maximumSignificantDigits: 2 }) });
  const rows: [Key, string][] = [
    ["connect.took", t("connect.seconds", { n: number(seconds, { maximumFractionDigits: 1 }) })],
    ["connect.tokens", t(tested.estimated ? "connect.tokens.about" : "connect.tokens.of", { asked: promptTokens, answered: completionTokens })],
    ["connect.cost", price],
    ...(context ? [["connect.context", t("connect.context.of", { n: context })] as [Key, string]] : []),
    ...(keyIn ? [["connect.key.in", keyIn === "keyring" ? t("connect.key.keyring") : keyIn] as [Key, string]] : []),
  ];
  return (
    <div className="connect" role="status">
      <p className="good">
        <CircleCheck size={18} aria-hidden /> <span>{t("connect.works", { model: title })}</span>
      </p>
      <p>{role ? t("connect.set.role", { role: t(`connect.role.${role}`) }) : t("connect.set")}</p>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {advice?.map((hint) => (
        <p key={hint} className="advice">
          <TriangleAlert size={16} aria-hidden /> <span>{translateText(t, hint)}</span>
        </p>
      ))}
      <footer>
        <button type="button" className="primary" onClick={onClose}>
          {t("connect.done")}
        </button>
      </footer>
    </div>
  );
}
