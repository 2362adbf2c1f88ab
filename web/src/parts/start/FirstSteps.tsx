/** What to do with an empty library: add papers, ask, connect a language model; sample papers to try it with. */
import { BookOpen, FileInput, Fingerprint, MessageCircleQuestion, Plug } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useWords } from "../../i18n";
import { useReadOnly } from "../../shell/health";
import { ChooseFiles } from "../ChooseFiles";
import { ConnectModel } from "../connect/ConnectModel";
import { useHasModel } from "../connect/modelConnection";
import { Empty } from "../Empty";
import { useIsModelMissing } from "./NeededModel";
import "./start.css";
import { useAddSamples } from "./samples";

export function FirstSteps() {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const hasModel = useHasModel();
  const follow = () => navigate("/library"); // which shows how far it is
  const samples = useAddSamples(follow);
  const isMissing = useIsModelMissing();
  if (useReadOnly()) return <Empty icon={BookOpen} title={t("library.empty")} />;
  return (
    <section className="first-steps" aria-label={t("start.title")}>
      <h2>{t("start.title")}</h2>
      <ol>
        <Step icon={FileInput} title={t("start.add")} text={t("start.add.how")}>
          <ChooseFiles isPrimary onChosen={follow} />
          <ChooseFiles isFolder onChosen={follow} />
          <Link className="button" href="/library/online">
            <Fingerprint size={16} aria-hidden />
            {t("start.add.online")}
          </Link>
          <Link className="button" href="/library/zotero">
            <BookOpen size={16} aria-hidden />
            {t("start.add.zotero")}
          </Link>
        </Step>
        <Step icon={MessageCircleQuestion} title={t("start.ask")} text={t("start.ask.how")} />
        <Step icon={Plug} title={t("start.model")} text={t(hasModel ? "start.model.set" : "start.model.how")}>
          {hasModel === false && <ConnectModel isQuiet />}
        </Step>
      </ol>
      <div className="samples">
        <p>
          <strong>{t("samples.none_of_yours")}</strong> {t("samples.what")}
        </p>
        <button type="button" disabled={samples.isPending || isMissing} title={isMissing ? t("samples.wait") : undefined} onClick={() => samples.mutate()}>
          {t("samples.add")}
        </button>
      </div>
    </section>
  );
}

interface StepProps {
  icon: typeof Plug;
  title: string;
  text: string;
  children?: ReactNode;
}

function Step({ icon: Icon, title, text, children }: StepProps) {
  return (
    <li className="card">
      <h3>
        <Icon size={18} aria-hidden />
        {title}
      </h3>
      <p>{text}</p>
      {children && <div className="chips">{children}</div>}
    </li>
  );
}
