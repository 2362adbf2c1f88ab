/** The library: its papers, the files they came from, how it is; files dropped anywhere on the page are added. */
import { Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { type Key, useWords } from "../../i18n";
import { toastError } from "../../parts/toast";
import { Changing, useReadOnly } from "../../shell/health";
import { Files } from "./Files";
import { Health } from "./Health";
import { Highlights } from "./Highlights";
import { News } from "./News";
import { Online } from "./Online";
import { Papers } from "./Papers";
import { Uploads } from "./Uploads";
import { dropped, upload } from "./uploads";
import { Zotero } from "./Zotero";
import "./library.css";
import "./online.css";

const TABS = ["papers", "highlights", "online", "news", "zotero", "files", "health"] as const;

export default function LibraryPage() {
  const { t } = useWords();
  const [location] = useLocation();
  const [over, count] = useState(0);
  const chooser = useRef<HTMLInputElement>(null);
  const tab = TABS.find((one) => location.split("/")[2] === one) ?? "papers";
  const choose = () => chooser.current?.click();
  const isReadOnly = useReadOnly();
  const isFiles = (event: DragEvent) => !isReadOnly && event.dataTransfer.types.includes("Files");
  return (
    <div
      className="page wide library"
      onDragEnter={(event) => isFiles(event) && count((number) => number + 1)}
      onDragLeave={(event) => isFiles(event) && count((number) => Math.max(0, number - 1))}
      onDragOver={(event) => isFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        count(0);
        dropped(event.dataTransfer).then(upload, toastError);
      }}
    >
      <header className="top">
        <h1>{t("page.library")}</h1>
        <nav className="tabs" aria-label={t("library.views")}>
          {TABS.map((one) => (
            <Link key={one} href={one === "papers" ? "/library" : `/library/${one}`} aria-current={tab === one ? "page" : undefined}>
              {t(`library.${one}` as Key)}
            </Link>
          ))}
        </nav>
        <Changing>
          <button type="button" className="primary" onClick={choose}>
            <Upload size={16} aria-hidden />
            {t("library.choose")}
          </button>
        </Changing>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label={t("library.choose")}
          onChange={(event) => {
            upload([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </header>
      <Uploads />
      {tab === "papers" && <Papers onChooseFiles={choose} />}
      {tab === "highlights" && <Highlights />}
      {tab === "online" && <Online />}
      {tab === "news" && <News />}
      {tab === "zotero" && <Zotero />}
      {tab === "files" && <Files />}
      {tab === "health" && <Health />}
      {over > 0 && (
        <div className="dropping" aria-hidden>
          <Upload size={40} strokeWidth={1.4} />
          <p>{t("library.drop")}</p>
        </div>
      )}
    </div>
  );
}
