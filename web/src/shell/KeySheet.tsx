/** The sheet of keys: what can be pressed now, by where it belongs. */
import { Fragment } from "react";
import { type Key, useWords } from "../i18n";
import { Dialog } from "../parts/Dialog";
import { type Binding, useBindings } from "./keys";

const SHOWN: Record<string, string> = {
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
  keys === " " ? [["␣"]] : keys.split(" ").map((one) => (one === "+" ? ["+"] : one.split("+").map((key) => SHOWN[key] ?? key)));

/** Bindings by where they belong: places to go to, what the page and the reader have. */
export function grouped(all: Binding[]): [Key, Binding[]][] {
  const once = all.filter((one, at) => all.findIndex((other) => other.keys === one.keys && other.does === one.does) === at);
  const group = ({ keys, does }: Binding): Key =>
    keys.startsWith("g ") ? "keys.go" : does.startsWith("reader.") ? "keys.reader" : does.startsWith("keys.") ? "keys.always" : "keys.page";
  const order: Key[] = ["keys.page", "keys.reader", "keys.go", "keys.always"];
  return order.map((name): [Key, Binding[]] => [name, once.filter((one) => group(one) === name)]);
}

const EVERYWHERE: Pick<Binding, "keys" | "does">[] = [
  { keys: "Tab", does: "keys.tab" },
  { keys: "Escape", does: "keys.escape" },
];

export function KeySheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useWords();
  const groups = grouped(useBindings());
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("keys.title")}>
      <div className="key-groups">
        {groups.map(([name, own]) => {
          const rows = name === "keys.always" ? [...own, ...EVERYWHERE] : own;
          if (!rows.length) return null;
          return (
            <section key={name}>
              <h3>{t(name)}</h3>
              <dl className="keys">
                {rows.map((one) => (
                  <div key={one.keys + one.does}>
                    <dt>
                      {pressedFor(one.keys).map((held, at) => (
                        <Fragment key={at}>
                          {held.map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </Fragment>
                      ))}
                    </dt>
                    <dd>{t(one.does)}</dd>
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
