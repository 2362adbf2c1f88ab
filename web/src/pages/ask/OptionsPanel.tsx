import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { api, body } from "../../api/client";
import type { Routing } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { PAGES } from "..";
import { useCollections } from "../../parts/kept";
import { chosen, ends, type Options, USUAL, years } from "./options";

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
const LISTS = ["venue", "author", "keyword", "tag"] as const;

/** How a question is to be answered: what answer, of which papers, by which model. */
export function OptionsPanel({ question, options, onChange }: Props) {
  const { t } = useWords();
  const set = (change: Partial<Options>) => onChange({ ...options, ...change });
  const [first, last] = ends(options.year);
  return (
    <div className="options card">
      <Suggestion question={question} options={options} onChange={onChange} />
      <fieldset>
        <legend>{t("ask.answer")}</legend>
        <Choice name="kind" values={KINDS} value={options.kind} onChange={(kind) => set({ kind })} />
        <fieldset className="segments">
          <legend>{t("ask.depth")}</legend>
          {DEPTHS.map((depth) => (
            <label key={depth}>
              <input type="radio" name="depth" checked={options.depth === depth} onChange={() => set({ depth })} />
              <span>{t(`ask.depth.${depth}`)}</span>
            </label>
          ))}
        </fieldset>
        <Text name="level" value={options.level} onChange={(level) => set({ level })} />
        <Text name="language" value={options.language} onChange={(language) => set({ language })} />
      </fieldset>
      <fieldset>
        <legend>{t("ask.which")}</legend>
        <div className="pair">
          <Year name="ask.from" value={first} onChange={(from) => set({ year: years(from, last) })} />
          <Year name="ask.to" value={last} onChange={(to) => set({ year: years(first, to) })} />
        </div>
        <Collections values={options.collection} onChange={(collection) => set({ collection })} />
        {LISTS.map((name) => (
          <List key={name} name={name} values={options[name]} onChange={(values) => set({ [name]: values })} />
        ))}
        <Choice
          name="full_text"
          values={["", "true", "false"] as const}
          value={options.full_text}
          onChange={(full_text) => set({ full_text })}
        />
      </fieldset>
      <fieldset>
        <legend>{t("ask.model.title")}</legend>
        <Text name="model" value={options.model} onChange={(model) => set({ model })} />
        <Text name="second_opinion" value={options.second_opinion} onChange={(one) => set({ second_opinion: one })} />
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
                set({ weight: WEIGHTS.filter((one) => (one === name ? target.checked : options.weight.includes(one))) })
              }
            />
            <span>{t(`ask.weight.${name}`)}</span>
          </label>
        ))}
        {options.weight.length > 0 && (
          <Choice name="weighting" values={WEIGHTINGS} value={options.weighting} onChange={(weighting) => set({ weighting })} />
        )}
      </fieldset>
      <fieldset className="switches">
        <legend>{t("ask.how")}</legend>
        {SWITCHES.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={options[name]} onChange={(event) => set({ [name]: event.target.checked })} />
            <span>
              {t(`ask.${name}`)}
              <small className="muted">{t(`ask.${name}.said`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {chosen(options).length > 0 && (
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

interface Chosen<T extends string> {
  name: "kind" | "full_text" | "use" | "weighting";
  values: readonly T[];
  value: T;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ name, values, value, onChange }: Chosen<T>) {
  const { t } = useWords();
  return (
    <Field name={`ask.${name}`}>
      <select value={value} onChange={(event) => onChange(event.target.value as T)}>
        {values.map((one) => (
          <option key={one} value={one}>
            {t(`ask.${name}.${one || "any"}` as Key)}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface Typed {
  name: "level" | "language" | "model" | "second_opinion";
  value: string;
  onChange: (value: string) => void;
}

function Text({ name, value, onChange }: Typed) {
  const { t } = useWords();
  return (
    <Field name={`ask.${name}`}>
      <input value={value} placeholder={t(`ask.${name}.any`)} onChange={(event) => onChange(event.target.value)} />
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
  const found = useCollections();
  const names = [...new Set([...(found.data ?? []).map((one) => one.name), ...values])];
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

interface Listed {
  name: (typeof LISTS)[number];
  values: string[];
  onChange: (values: string[]) => void;
}

/** Several names, with semicolons between them; they count when the field is left. */
function List({ name, values, onChange }: Listed) {
  const { t } = useWords();
  const told = values.join("; ");
  const [typed, type] = useState<string | null>(null);
  const take = () => {
    if (typed !== null)
      onChange(
        typed
          .split(";")
          .map((one) => one.trim())
          .filter(Boolean),
      );
    type(null);
  };
  return (
    <Field name={`ask.${name}`}>
      <input
        value={typed ?? told}
        placeholder={t("ask.several")}
        onChange={(event) => type(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === "Enter" && take()}
      />
    </Field>
  );
}

/** What kind of question it is, and what suits it: to take or leave. Asked for once, since a model may be asked for it. */
function Suggestion({ question, options, onChange }: Props) {
  const { t } = useWords();
  const [q, ask] = useState("");
  const found = useQuery({
    queryKey: ["route", q],
    queryFn: () => body(api.GET("/api/v1/route", { params: { query: { q } } })) as unknown as Promise<Routing>,
    enabled: !!q,
    staleTime: Infinity,
  });
  const typed = question.trim();
  if (!typed) return null;
  if (q !== typed || !found.data)
    return (
      <p className="suggestion">
        <Sparkles size={16} aria-hidden />
        <button type="button" className="link" disabled={found.isFetching} onClick={() => ask(typed)}>
          {t("ask.suggest")}
        </button>
        {found.error && <span className="muted">{found.error.message}</span>}
      </p>
    );
  const { kind, flags, suggested, reasons } = found.data;
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
