import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { api, body } from "../../api/client";
import type { Routing } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { PAGES } from "..";
import { useHasModel } from "../../parts/connect/modelConnection";
import { useCollections } from "../../parts/curation";
import { NameChooser } from "../../parts/NameChooser";
import { changedNames, splitYears, type Options, USUAL, years } from "./options";

interface Props {
  question: string;
  options: Options;
  onChange: (options: Options) => void;
}

const KINDS = ["multi", "single", "nuanced", "bibliometric"] as const;
const DEPTHS = ["quick", "standard", "thorough"] as const;
const USES = ["", "raw", "summary", "both"] as const;
const WEIGHTS = ["keywords", "recency", "citations"] as const;
const WEIGHTINGS = ["", "additive", "published"] as const;
const SWITCHES = ["auto", "strict", "background", "agent", "read_figures", "fresh"] as const;
const LISTS = ["author", "venue", "keyword", "tag"] as const;
/** What most people choose; the rest is folded while it is as usual. */
const FIRST: ReadonlySet<string> = new Set(["kind", "depth", "language", "year", "collection", "among"]);
/** What only a language model can do. */
const MODEL_OPTIONS: ReadonlySet<string> = new Set([
  ...["nuanced", "bibliometric", "language", "level", "second_opinion"],
  ...["agent", "strict", "background", "read_figures", "fresh"],
]);

/** How a question is to be answered: first what most people choose, then the rest, folded. */
export function OptionsPanel({ question, options, onChange }: Props) {
  const { t } = useWords();
  const set = (change: Partial<Options>) => onChange({ ...options, ...change });
  const [first, last] = splitYears(options.year);
  const hasNone = useHasModel() === false && (!options.model || options.model === "none");
  const needs = (name: string) => (hasNone && MODEL_OPTIONS.has(name) ? t("ask.needs.model") : "");
  const isFurther = changedNames(options).some((name) => !FIRST.has(name));
  return (
    <div className="options card">
      <Suggestion question={question} options={options} onChange={onChange} />
      <fieldset>
        <legend>{t("ask.answer")}</legend>
        <Choice name="kind" values={KINDS} value={options.kind} needs={needs} onChange={(kind) => set({ kind })} />
        <fieldset className="segments">
          <legend>{t("ask.depth")}</legend>
          {DEPTHS.map((depth) => (
            <label key={depth}>
              <input type="radio" name="depth" checked={options.depth === depth} onChange={() => set({ depth })} />
              <span>{t(`ask.depth.${depth}`)}</span>
            </label>
          ))}
        </fieldset>
        <Text name="language" value={options.language} needs={needs("language")} onChange={(language) => set({ language })} />
      </fieldset>
      <fieldset>
        <legend>{t("ask.which")}</legend>
        <div className="pair">
          <Year name="ask.from" value={first} onChange={(from) => set({ year: years(from, last) })} />
          <Year name="ask.to" value={last} onChange={(to) => set({ year: years(first, to) })} />
        </div>
        <Collections values={options.collection} onChange={(collection) => set({ collection })} />
      </fieldset>
      <details className="further" open={isFurther}>
        <summary>{t("ask.more.options")}</summary>
        <div>
          <fieldset>
            <legend>{t("ask.which")}</legend>
            {LISTS.map((name) => (
              <NameChooser key={name} of={name} label={t(`ask.${name}`)} values={options[name]} onChange={(values) => set({ [name]: values })} />
            ))}
            <Choice
              name="full_text"
              values={["", "true", "false"] as const}
              value={options.full_text}
              onChange={(full_text) => set({ full_text })}
            />
          </fieldset>
          <fieldset className="switches">
            <legend>{t("ask.weight")}</legend>
            <Choice name="use" values={USES} value={options.use} onChange={(use) => set({ use })} />
            {WEIGHTS.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={options.weight.includes(name)}
                  onChange={({ target }) =>
                    set({ weight: WEIGHTS.filter((weight) => (weight === name ? target.checked : options.weight.includes(weight))) })
                  }
                />
                <span>{t(`ask.weight.${name}`)}</span>
              </label>
            ))}
            {options.weight.length > 0 && (
              <Choice name="weighting" values={WEIGHTINGS} value={options.weighting} onChange={(weighting) => set({ weighting })} />
            )}
          </fieldset>
          <fieldset>
            <legend>{t("ask.model.title")}</legend>
            <Text name="model" value={options.model} onChange={(model) => set({ model })} />
            <Text name="second_opinion" value={options.second_opinion} needs={needs("second_opinion")} onChange={(second_opinion) => set({ second_opinion })} />
            <Text name="level" value={options.level} needs={needs("level")} onChange={(level) => set({ level })} />
          </fieldset>
          <fieldset className="switches">
            <legend>{t("ask.how")}</legend>
            {SWITCHES.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={options[name]}
                  disabled={!!needs(name)}
                  onChange={(event) => set({ [name]: event.target.checked })}
                />
                <span>
                  {t(`ask.${name}`)}
                  <small className="muted">{[t(`ask.${name}.said`), needs(name)].filter(Boolean).join(" · ")}</small>
                </span>
              </label>
            ))}
          </fieldset>
        </div>
      </details>
      {changedNames(options).length > 0 && (
        <button type="button" className="link" onClick={() => onChange(USUAL)}>
          {t("ask.usual")}
        </button>
      )}
    </div>
  );
}

function Field({ name, children }: { name: Key; children: ReactNode }) {
  const { t } = useWords();
  return (
    <label className="field">
      <span>{t(name)}</span>
      {children}
    </label>
  );
}

interface ChoiceProps<T extends string> {
  name: "kind" | "full_text" | "use" | "weighting";
  values: readonly T[];
  value: T;
  /** Why one of the values cannot be chosen; "": it can. */
  needs?: (value: T) => string;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ name, values, value, needs, onChange }: ChoiceProps<T>) {
  const { t } = useWords();
  return (
    <Field name={`ask.${name}`}>
      <select value={value} onChange={(event) => onChange(event.target.value as T)}>
        {values.map((choice) => {
          const why = needs?.(choice);
          const label = t(`ask.${name}.${choice || "any"}` as Key);
          return (
            <option key={choice} value={choice} disabled={!!why}>
              {why ? `${label} (${why})` : label}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

interface TextProps {
  name: "level" | "language" | "model" | "second_opinion";
  value: string;
  /** Why nothing can be typed; "": it can. */
  needs?: string;
  onChange: (value: string) => void;
}

function Text({ name, value, needs, onChange }: TextProps) {
  const { t } = useWords();
  return (
    <Field name={`ask.${name}`}>
      <input value={value} disabled={!!needs} placeholder={needs || t(`ask.${name}.any`)} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

function Year({ name, value, onChange }: { name: Key; value: string; onChange: (value: string) => void }) {
  return (
    <Field name={name}>
      <input
        inputMode="numeric"
        value={value}
        maxLength={4}
        onChange={(event) => onChange(event.target.value.replace(/\D/g, ""))}
      />
    </Field>
  );
}

/** Which of the library's collections, if it has any. */
function Collections({ values, onChange }: { values: string[]; onChange: (values: string[]) => void }) {
  const { t } = useWords();
  const collections = useCollections();
  const names = [...new Set([...(collections.data ?? []).map((collection) => collection.name), ...values])];
  if (!names.length) return null;
  return (
    <Field name="ask.collection">
      <select value={values[0] ?? ""} onChange={(event) => onChange(event.target.value ? [event.target.value] : [])}>
        <option value="">{t("ask.collection.any")}</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  );
}

/** What kind of question it is, and what suits it: to take or leave. Asked for once, since a model may be asked for it. */
function Suggestion({ question, options, onChange }: Props) {
  const { t } = useWords();
  const [q, ask] = useState("");
  const routeQuery = useQuery({
    queryKey: ["route", q],
    queryFn: () => body(api.GET("/api/v1/route", { params: { query: { q } } })) as unknown as Promise<Routing>,
    enabled: !!q,
    staleTime: Infinity,
  });
  const typed = question.trim();
  if (!typed) return null;
  if (q !== typed || !routeQuery.data)
    return (
      <p className="suggestion">
        <Sparkles size={16} aria-hidden />
        <button type="button" className="link" disabled={routeQuery.isFetching} onClick={() => ask(typed)}>
          {t("ask.suggest")}
        </button>
        {routeQuery.error && <span className="muted">{routeQuery.error.message}</span>}
      </p>
    );
  const { kind, flags, suggested, reasons } = routeQuery.data;
  const isBibliometric = flags.includes("bibliometric");
  const names = suggested
    ? (["keywords", "recency", "citations", "expand", "rerank", "agent"] as const).filter((name) => suggested[name])
    : [];
  const isTaken = options.auto && (!isBibliometric || options.kind === "bibliometric");
  return (
    <div className="suggestion" role="status">
      <Sparkles size={16} aria-hidden />
      <div>
        <p>
          {t(`ask.route.${kind}`)} {names.length > 0 && `${t("ask.suits")} ${names.map((name) => t(`ask.suits.${name}`)).join(", ")}.`}
        </p>
        <p className="muted">{reasons.join(" ")}</p>
        {kind === "consensus" && PAGES.some((page) => page.path === "/consensus") && (
          <p>
            <Link href={`/consensus?q=${encodeURIComponent(q)}`}>{t("ask.consensus")}</Link>
          </p>
        )}
        {isTaken ? (
          <p className="muted">{t("ask.taken")}</p>
        ) : (
          suggested && (
            <button
              type="button"
              onClick={() => onChange({ ...options, auto: true, ...(isBibliometric ? { kind: "bibliometric" } : {}) })}
            >
              {t("ask.take")}
            </button>
          )
        )}
      </div>
    </div>
  );
}
