/** Why a paper stands where it stands: each number of its score, with what it means. */
import type { Hit } from "../../api/types";
import { number, useWords, type Key } from "../../i18n";
import en from "../../i18n/en.json";

/** Numbers that have no highest value: their bar is against the highest of the hits. */
const OPEN = new Set(["bm25"]);

const withDigits = (value: number, digits: number) => number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function Factors({ hit, hits, method }: { hit: Hit; hits: readonly Hit[]; method: string }) {
  const { t } = useWords();
  const wording = (name: string): [string, string] => {
    const key = `search.factor.${name}`;
    return key in en ? [t(key as Key), t(`${key}.why` as Key)] : [name, ""];
  };
  const highest = (name: string) => Math.max(...hits.map((other) => other.factors[name] ?? 0), 1e-9);
  const rows = Object.entries({ score: hit.score, ...hit.factors }).filter(([name]) => name !== "part");
  return (
    <>
    <table className="factors">
      <caption className="hidden">{t("search.why")}</caption>
      <thead className="hidden">
        <tr>
          <th>{t("search.factor")}</th>
          <th>{t("search.value")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value]) => {
          const [word, why] = wording(name);
          const share = Math.max(0, Math.min(1, OPEN.has(name) ? value / highest(name) : value));
          return (
            <tr key={name}>
              <th scope="row">
                {word}
                {why && <small>{why}</small>}
              </th>
              <td>
                <span className="bar" aria-hidden>
                  <span style={{ inlineSize: `${share * 100}%` }} />
                </span>
                <span className="number">{withDigits(value, OPEN.has(name) ? 1 : 2)}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
    <p className="muted method">{method}</p>
    </>
  );
}
