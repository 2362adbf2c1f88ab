import { useWords } from "../i18n";
import "./loading.css";

/** What is expected, and how many of it are drawn. */
const SHAPES = { text: 3, rows: 8, cards: 4, tiles: 8, box: 1, line: 0 };

interface Props {
  /** What is on its way, in words; else they are there for screen readers alone. */
  what?: string;
  /** The outline that is drawn until it is there; `line`: none. */
  as?: keyof typeof SHAPES;
}

/** Something is on its way: its outline, so that nothing jumps when it is there. */
export function Loading({ what, as = "text" }: Props) {
  const { t } = useWords();
  const isLine = as === "line";
  return (
    <div className="loading" role="status">
      <p className={what || isLine ? undefined : "hidden"}>
        <span className="spinner" aria-hidden />
        {what ?? t("loading")}
      </p>
      {!isLine && (
        <div className={`outline-of-${as}`} aria-hidden>
          {Array.from({ length: SHAPES[as] }, (_, at) => (
            <i key={at} />
          ))}
        </div>
      )}
    </div>
  );
}

/** A page whose program is on its way. */
export function LoadingPage() {
  return (
    <div className="page loading-page">
      <i aria-hidden />
      <Loading as="cards" />
    </div>
  );
}
