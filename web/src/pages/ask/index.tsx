/** Ask: a question, and the answer as it is made; answers that are kept, at `/ask/ans-…`. */
import { useLocation } from "wouter";
import { useKeys } from "../../shell/keys";
import "./ask.css";
import { HistoryPage } from "./History";
import { Home } from "./Home";
import { Thread } from "./Thread";

/** The focus to the next statement, or the one before. */
function step(by: 1 | -1) {
  const all = [...document.querySelectorAll<HTMLElement>(".ask [data-stop]")].filter((stop) => stop.checkVisibility?.() ?? true);
  const at = all.findIndex((stop) => stop.contains(document.activeElement));
  all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}

export default function AskPage() {
  const [path] = useLocation();
  useKeys([
    { keys: "j", does: "ask.key.next", run: () => step(1) },
    { keys: "k", does: "ask.key.before", run: () => step(-1) },
  ]);
  const name = decodePart(path.split("/")[2] ?? "");
  if (name === "history") return <HistoryPage />;
  return name ? <Thread name={name} /> : <Home />;
}

/** A part of an address, in words; as it is, where somebody has cut it off in the midst of a letter. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
