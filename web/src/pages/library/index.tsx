/** The library: its papers, where they come from, their files, how it is; files dropped anywhere on the page are added. */
import type { ComponentType } from "react";
import { useLocation } from "wouter";
import { pageAt } from "..";
import { useWords } from "../../i18n";
import { ChooseFiles } from "../../parts/ChooseFiles";
import { DropZone } from "../../parts/DropZone";
import { IfWritable } from "../../shell/health";
import { Files } from "./Files";
import { Health } from "./Health";
import { Highlights } from "./Highlights";
import { News } from "./News";
import { Online } from "./Online";
import { Papers } from "./Papers";
import { Uploads } from "./Uploads";
import { Zotero } from "./Zotero";
import "./library.css";
import "./online.css";

/** By what follows `/library/` in the address. */
const VIEWS: Record<string, ComponentType> = { highlights: Highlights, online: Online, news: News, zotero: Zotero, files: Files, health: Health };

export default function LibraryPage() {
  const { t } = useWords();
  const [location] = useLocation();
  const View = VIEWS[location.split("/")[2] ?? ""] ?? Papers;
  return (
    <DropZone className="page wide library">
      <header className="top">
        <h1>{t(pageAt(location)?.name ?? "library.papers")}</h1>
        <IfWritable>
          <ChooseFiles isPrimary />
        </IfWritable>
      </header>
      <Uploads />
      <View />
    </DropZone>
  );
}
