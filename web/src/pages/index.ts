/** The places of the navigation and their pages, in order. A wing adds its folder and a line that names its place. */
import {
  Activity,
  BookOpenText,
  ChartNoAxesColumn,
  Compass,
  FileStack,
  FileText,
  Gauge,
  Globe,
  Highlighter,
  History,
  Images,
  Library,
  ListChecks,
  ListFilter,
  ListOrdered,
  Map as MapIcon,
  type LucideIcon,
  MessageCircleQuestion,
  Newspaper,
  NotebookText,
  Scale,
  Search,
  Signpost,
  Settings as SettingsIcon,
  SlidersHorizontal,
  Stethoscope,
  Table,
  Tags,
  Waypoints,
} from "lucide-react";
import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import type { Key } from "../i18n";

export type PlaceName = "ask" | "explore" | "library" | "review" | "settings";

/** One of the five entries of the navigation; its first page is where it leads. */
export interface Place {
  id: PlaceName;
  name: Key;
  icon: LucideIcon;
}

export interface Page {
  /** The place that it belongs to. */
  place: PlaceName;
  /** Where it is; what follows it in an address is the page's own. */
  path: string;
  name: Key;
  icon: LucideIcon;
  /** Pressed after `g`, goes there. */
  key?: string;
  view: LazyExoticComponent<ComponentType>;
}

export const PLACES: Place[] = [
  { id: "ask", name: "page.ask", icon: MessageCircleQuestion },
  { id: "explore", name: "page.explore", icon: Compass },
  { id: "library", name: "page.library", icon: Library },
  { id: "review", name: "page.review", icon: ListChecks },
  { id: "settings", name: "page.settings", icon: SettingsIcon },
];

const ask = lazy(() => import("./ask"));
const library = lazy(() => import("./library"));
const review = lazy(() => import("./review"));

export const PAGES: Page[] = [
  { place: "ask", path: "/ask", name: "ask.question", icon: MessageCircleQuestion, key: "a", view: ask },
  { place: "ask", path: "/ask/history", name: "ask.history.short", icon: History, view: ask },
  { place: "ask", path: "/consensus", name: "page.consensus", icon: Scale, key: "c", view: lazy(() => import("./consensus")) },
  { place: "explore", path: "/search", name: "page.search", icon: Search, key: "s", view: lazy(() => import("./search")) },
  { place: "explore", path: "/figures", name: "page.figures", icon: Images, key: "f", view: lazy(() => import("./figures")) },
  { place: "explore", path: "/map", name: "page.map", icon: MapIcon, key: "o", view: lazy(() => import("./map")) },
  { place: "explore", path: "/graph", name: "page.graph", icon: Waypoints, key: "n", view: lazy(() => import("./graph")) },
  { place: "explore", path: "/directions", name: "page.directions", icon: Signpost, view: lazy(() => import("./directions")) },
  { place: "library", path: "/library", name: "library.papers", icon: FileText, key: "l", view: library },
  { place: "library", path: "/library/highlights", name: "library.highlights", icon: Highlighter, view: library },
  { place: "library", path: "/library/online", name: "library.online", icon: Globe, view: library },
  { place: "library", path: "/library/news", name: "library.news", icon: Newspaper, view: library },
  { place: "library", path: "/library/zotero", name: "library.zotero", icon: NotebookText, view: library },
  { place: "library", path: "/summaries", name: "page.summaries", icon: BookOpenText, key: "u", view: lazy(() => import("./summaries")) },
  { place: "library", path: "/library/files", name: "library.files", icon: FileStack, view: library },
  { place: "library", path: "/activity", name: "page.activity", icon: Activity, key: "j", view: lazy(() => import("./activity")) },
  { place: "review", path: "/review", name: "reviews.rank", icon: ListOrdered, key: "r", view: review },
  { place: "review", path: "/review/classify", name: "reviews.classify", icon: Tags, view: review },
  { place: "review", path: "/review/screen", name: "reviews.screen", icon: ListFilter, view: review },
  { place: "review", path: "/review/table", name: "reviews.table", icon: Table, view: review },
  { place: "review", path: "/review/report", name: "reviews.report", icon: FileText, view: review },
  { place: "settings", path: "/settings", name: "settings.general", icon: SlidersHorizontal, key: "p", view: lazy(() => import("./settings")) },
  { place: "settings", path: "/usage", name: "page.usage", icon: ChartNoAxesColumn, key: "m", view: lazy(() => import("./usage")) },
  { place: "settings", path: "/library/health", name: "library.health", icon: Stethoscope, view: library },
  { place: "settings", path: "/evaluation", name: "page.evaluation", icon: Gauge, key: "e", view: lazy(() => import("./evaluation")) },
];

/** The page at a place of the address bar: of those whose path it begins with, the most specific. */
export const pageAt = (location: string): Page | undefined =>
  PAGES.filter(({ path }) => location === path || location.startsWith(`${path}/`)).sort((a, b) => b.path.length - a.path.length)[0];

export const pagesOf = (place: PlaceName): Page[] => PAGES.filter((page) => page.place === place);
