/** What the server's remedies name: where the page has it and how it is called there, or how it is typed at a terminal (`cli/failure.py`). */
import type { Key } from "../i18n";
import en from "../i18n/en.json";

/** Where the page has a verb or a setting, and by what names; an option of what is on the page has no path. */
export interface Place {
  path?: string;
  names: Key[];
}
const place = (path: string, name: Key): Place => ({ path, names: [name] });

const LIBRARY = place("/library", "page.library");
const SEARCH = place("/search", "page.search");
const ASK = place("/ask", "page.ask");
const GRAPH = place("/graph", "page.graph");
const MAP = place("/map", "page.map");
const MERGES = place("/graph?view=merges", "graph.view.merges");
const SETTINGS = place("/settings", "connect.title");
const HEALTH = place("/library/health", "library.health");
const ZOTERO = place("/library/zotero", "library.zotero");

/** Verbs, where it matters with options; those of a terminal alone as they are called there. */
const VERBS: Record<string, Place | string> = {
  ...{ add: LIBRARY, list: LIBRARY, show: LIBRARY, search: SEARCH, count: SEARCH, similar: SEARCH, ask: ASK, chat: ASK },
  "answers list": place("/ask/history", "ask.history"),
  status: HEALTH,
  "status failed=True": place("/library/files", "library.files"),
  retry: place("/library/files", "library.retry"),
  "retry everything=True": place("/library/files", "library.retry.all"),
  doctor: HEALTH,
  "doctor fix=True": place("/library/health", "library.mend"),
  "library reindex": place("/library/health", "library.reindex"),
  consensus: place("/consensus", "page.consensus"),
  summarise: place("/summaries", "page.summaries"),
  usage: place("/usage", "page.usage"),
  config: place("/settings", "page.settings"),
  "eval self": place("/evaluation", "page.evaluation"),
  ...{ "map build": MAP, "map show": MAP, "map topics": MAP },
  "figures encode": place("/figures", "page.figures"),
  "figures search": place("/figures", "page.figures"),
  ...{ "graph link": GRAPH, "graph relate": GRAPH, "graph merges": MERGES, "graph unmerge": MERGES },
  "graph review": place("/graph?view=review", "graph.view.review"),
  ...{ "review rank": place("/review/rank", "reviews.rank"), "review classify": place("/review/classify", "reviews.classify") },
  ...{ "review screen": place("/review/screen", "reviews.screen"), "review table": place("/review/table", "reviews.table") },
  ...{ "review report": place("/review/report", "reviews.report"), review: place("/review", "page.review") },
  "sources find": place("/library/online", "library.online"),
  ...{ "sources follow": place("/library/online", "library.online"), "sources news": place("/library/news", "library.news") },
  ...{ "zotero status": ZOTERO, "zotero import": ZOTERO },
  "sources enrich": place("/library", "online.complete"),
  ...{ directions: "directions", graph: "graph", vocabulary: "vocabulary", images: "images" },
  ...{ "library backup": "library backup", "library restore": "library restore", "library delete-backup": "library delete-backup", "collections list": "collections list", "collections tags": "collections tags", models: "models", "models connect": SETTINGS, forget: "forget", inspect: "inspect", split: "split" },
  ...{ export: "export", eval: "eval", prompts: "prompts", "answers rerun": "answers rerun" },
};

/** Options as the forms of the page call them. */
const OPTIONS: Record<string, Key[]> = {
  "model=NAME": ["ask.model.title"],
  "depth=thorough": ["ask.depth", "ask.depth.thorough"],
  "read_figures=True": ["ask.read_figures"],
  "ask_me=True": ["rank.judge", "rank.judge.me"],
};

/** The name of a setting in a text that is not in backticks. */
export const SETTING = /(?<![\w./])([a-z]+(?:\.[a-z_]+)+)(?![\w/]|\.\w)/;

/** Where a setting is set, if there is one of this name; those that few people set are called by their names there, too. */
export function settingAt(name: string): Place | null {
  if (!Object.hasOwn(en, `said.setting.${name}`)) return null;
  return { path: `/settings?q=${name}`, names: Object.hasOwn(en, `setting.${name}`) ? [`setting.${name}` as Key] : [] };
}

const OPTION = /(?<![\w.])([a-z][a-z_.]*)=(\S+)/g;
const option = (_: string, name: string, value: string) => {
  const flag = name.replaceAll("_", "-");
  if (name.includes(".")) return `--set ${name}=${value}`;
  return value === "True" ? `--${flag}` : value === "False" ? `--no-${flag}` : `--${flag} ${value}`;
};

/** What stands between backticks: a place of the page, a command as it is typed, or null, where it is neither. */
export function commandPlace(words: string): Place | string | null {
  if (Object.hasOwn(OPTIONS, words)) return { names: OPTIONS[words]! };
  const parts = words.replace(/^conspectus /, "").split(" ");
  for (let length = parts.length; length > 0; length--) {
    const verb = parts.slice(0, length).join(" ");
    const meaning = Object.hasOwn(VERBS, verb) ? VERBS[verb]! : null;
    if (typeof meaning === "string") return ["conspectus", meaning, ...parts.slice(length)].join(" ").replace(OPTION, option);
    if (meaning) return meaning;
  }
  return null;
}
