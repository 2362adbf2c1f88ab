import { useState } from "react";
import { useWords } from "../../i18n";

/** Characters up to which a question is shown whole. */
const LONG = 300;

/** The question above its answer; a long one is folded, so that the answer is on the first screen. */
export function Question({ text }: { text: string }) {
  const { t } = useWords();
  const [isWhole, show] = useState(false);
  if (text.length <= LONG) return <h1>{text}</h1>;
  return (
    <>
      <h1 className={isWhole ? "long" : "long folded"}>{text}</h1>
      <p>
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => show(!isWhole)}>
          {t(isWhole ? "search.less" : "search.whole")}
        </button>
      </p>
    </>
  );
}
