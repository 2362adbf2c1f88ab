/** The pages, in the order of the navigation. A wing adds its folder and a line. */
import {
  Activity,
  BookOpenText,
  ChartNoAxesColumn,
  Gauge,
  Images,
  Library,
  ListChecks,
  Map as MapIcon,
  type LucideIcon,
  MessageCircleQuestion,
  Scale,
  Search,
  Settings as SettingsIcon,
  Waypoints,
} from "lucide-react";
import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import type { Key } from "../i18n";

export interface Page {
  /** Where it is; what follows it in an address is the page's own. */
  path: string;
  name: Key;
  icon: LucideIcon;
  /** Pressed after `g`, goes there. */
  key: string;
  view: LazyExoticComponent<ComponentType>;
  /** Stands below a line: about the program more than about papers. */
  isCare?: boolean;
}

export const PAGES: Page[] = [
  { path: "/ask", name: "page.ask", icon: MessageCircleQuestion, key: "a", view: lazy(() => import("./ask")) },
  { path: "/search", name: "page.search", icon: Search, key: "s", view: lazy(() => import("./search")) },
  { path: "/figures", name: "page.figures", icon: Images, key: "f", view: lazy(() => import("./figures")) },
  { path: "/graph", name: "page.graph", icon: Waypoints, key: "n", view: lazy(() => import("./graph")) },
  { path: "/map", name: "page.map", icon: MapIcon, key: "o", view: lazy(() => import("./map")) },
  { path: "/library", name: "page.library", icon: Library, key: "l", view: lazy(() => import("./library")) },
  { path: "/consensus", name: "page.consensus", icon: Scale, key: "c", view: lazy(() => import("./consensus")) },
  { path: "/review", name: "page.review", icon: ListChecks, key: "r", view: lazy(() => import("./review")) },
  { path: "/summaries", name: "page.summaries", icon: BookOpenText, key: "u", view: lazy(() => import("./summaries")) },
  { path: "/activity", name: "page.activity", icon: Activity, key: "j", view: lazy(() => import("./activity")), isCare: true },
  { path: "/usage", name: "page.usage", icon: ChartNoAxesColumn, key: "m", view: lazy(() => import("./usage")), isCare: true },
  { path: "/evaluation", name: "page.evaluation", icon: Gauge, key: "e", view: lazy(() => import("./evaluation")), isCare: true },
  { path: "/settings", name: "page.settings", icon: SettingsIcon, key: "p", view: lazy(() => import("./settings")), isCare: true },
];
