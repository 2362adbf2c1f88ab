/** The sheet of keys: what can be pressed now, by where it belongs. */
import { Fragment } from "react";
import { type Key, useWords } from "../i18n";
import { Dialog } from "../parts/Dialog";
import { type Binding, useBindings } from "./keys";

const KEY_SYMBOLS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Enter: "↵",
  " ": "␣",
};

/** A binding's keys as they are printed: those pressed one after the other, of each those held together. */
export const pressedFor = (keys: string): string[][] =>
  keys === " " ? [["␣"]] : keys.split(" ").map((chord) => (chord === "+" ? ["+"] : chord.split("+").map((key) => KEY_SYMBOLS[key] ?? key)));

/** Bindings by where they belong: places to go to, what the page and the reader have. */
export function groupBindings(all: Binding[]): [Key, Binding[]][] {
  const once = all.filter((binding, at) => all.findIndex((other) => other.keys === binding.keys && other.does === binding.does) === at);
  const group = ({ keys, does }: Binding): Key =>
    keys.startsWith("g ") ? "keys.go" : does.startsWith("reader.") ? "keys.reader" : does.startsWith("keys.") ? "keys.always" : "keys.page";
  const order: Key[] = ["keys.page", "keys.reader", "keys.go", "keys.always"];
  return order.map((name): [Key, Binding[]] => [name, once.filter((binding) => group(binding) === name)]);
}

const EVERYWHERE: Pick<Binding, "keys" | "does">[] = [
  { keys: "Tab", does: "keys.tab" },
  { keys: "Escape", does: "keys.escape" },
];

export function KeySheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useWords();
  const groups = groupBindings(useBindings());
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("keys.title")}>
      <div className="key-groups">
        {groups.map(([name, bindings]) => {
          const rows = name === "keys.always" ? [...bindings, ...EVERYWHERE] : bindings;
          if (!rows.length) return null;
          return (
            <section key={name}>
              <h3>{t(name)}</h3>
              <dl className="keys">
                {rows.map((binding) => (
                  <div key={binding.keys + binding.does}>
                    <dt>
                      {pressedFor(binding.keys).map((chord, at) => (
                        <Fragment key={at}>
                          {chord.map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </Fragment>
                      ))}
                    </dt>
                    <dd>{t(binding.does)}</dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
