/** The vocabularies that entities come from: those of the library, files to upload, and well-known ones to fetch. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, FileUp, Trash2 } from "lucide-react";
import { useRef } from "react";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import type { KnownVocabulary, Vocabulary } from "../../api/types";
import { number, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { confirm } from "../../parts/confirm";
import { GoOnline, useOnline } from "../../parts/GoOnline";
import { JobLine } from "../../parts/JobLine";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import { useVocabularies } from "./queries";

const ADD_VERBS = new Set(["vocabularies.add", "vocabularies.fetch"]);

/** `fitting`: the name of the well-known one that fits the papers; it is offered first, the others behind a click. */
export function Vocabularies({ fitting }: { fitting?: string }) {
  const { t } = useWords();
  const vocabularies = useVocabularies().data ?? [];
  if (fitting)
    return (
      <section className="vocabularies" aria-label={t("graph.view.vocabularies")}>
        <KnownVocabularies only={fitting} />
        <details>
          <summary>{t("vocabularies.others")}</summary>
          <AddVocabulary />
          <KnownVocabularies but={fitting} />
        </details>
      </section>
    );
  return (
    <section className="vocabularies" aria-label={t("graph.view.vocabularies")}>
      <AddVocabulary />
      {vocabularies.length > 0 && (
        <ul>
          {vocabularies.map((vocabulary) => (
            <VocabularyItem key={vocabulary.name} vocabulary={vocabulary} />
          ))}
        </ul>
      )}
      <KnownVocabularies />
    </section>
  );
}

/** Files of a vocabulary are uploaded; the job that reads them, or that fetches one. */
function AddVocabulary() {
  const { t } = useWords();
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [params, change] = useParams();
  const running = useJobs().data?.find((listedJob) => ADD_VERBS.has(listedJob.verb) && listedJob.state === "running")?.job;
  const job = params.get("adding") ?? running;
  const ended = ({ state }: FollowedJob) => {
    if (state === "done") change({ adding: null }, true);
    for (const name of ["vocabularies", "known vocabularies", "entities"]) void queries.invalidateQueries({ queryKey: [name] });
  };
  const upload = (files: FileList) => {
    const form = new FormData();
    for (const file of files) form.append("file", file, file.name);
    begin("/vocabularies", form)
      .then((id) => change({ adding: id }, true))
      .catch(toastError);
  };
  return (
    <>
      {job && <JobLine key={job} job={job} name={t("vocabularies.adding")} onEnd={ended} />}
      <IfWritable>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label={t("vocabularies.files")}
          onChange={({ currentTarget }) => {
            if (currentTarget.files?.length) upload(currentTarget.files);
            currentTarget.value = "";
          }}
        />
        <button type="button" onClick={() => chooser.current?.click()}>
          <FileUp size={16} aria-hidden />
          {t("vocabularies.upload")}
        </button>
        <p className="muted">{t("vocabularies.how")}</p>
      </IfWritable>
    </>
  );
}

function VocabularyItem({ vocabulary }: { vocabulary: Vocabulary }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const remove = async () => {
    if (!(await confirm({ title: t("vocabularies.remove", { name: vocabulary.name }), text: t("vocabularies.remove.how"), action: t("remove"), isDanger: true }))) return;
    try {
      await send("DELETE", `/vocabularies/${encodeURIComponent(vocabulary.name)}`);
    } catch (error) {
      toastError(error as Error);
    }
    await queries.invalidateQueries();
  };
  return (
    <li>
      <div>
        <strong>{vocabulary.name}</strong> <span className="muted">{vocabulary.version}</span>
        <p className="muted">{t("vocabularies.size", { n: vocabulary.concepts, names: number(vocabulary.names) })}</p>
      </div>
      <IfWritable>
        <button type="button" className="plain" onClick={remove} aria-label={t("vocabularies.remove", { name: vocabulary.name })}>
          <Trash2 size={16} aria-hidden />
        </button>
      </IfWritable>
    </li>
  );
}

/** Well-known ones that the library has not, each a click away: all, only one, or all but one. */
function KnownVocabularies({ only, but }: { only?: string; but?: string }) {
  const { t } = useWords();
  const [, change] = useParams();
  const isOnline = useOnline();
  const { data } = useQuery({
    queryKey: ["known vocabularies"],
    queryFn: async ({ signal }) => (await get<{ vocabularies: KnownVocabulary[] }>(address("/vocabularies/available"), signal)).vocabularies,
  });
  const missing = data?.filter((vocabulary) => !vocabulary.is_added && (!only || vocabulary.name === only) && vocabulary.name !== but) ?? [];
  if (!missing.length) return null;
  const fetch = (name: string) =>
    begin("/vocabularies/fetch", { name })
      .then((id) => change({ adding: id }, true))
      .catch(toastError);
  return (
    <IfWritable>
      {only ? <h3>{t("vocabularies.fitting")}</h3> : <h2>{t("vocabularies.known")}</h2>}
      <p className="muted">{t(only ? "vocabularies.fitting.how" : "vocabularies.known.how")}</p>
      <GoOnline />
      <ul>
        {missing.map((vocabulary) => (
          <li key={vocabulary.name}>
            <div>
              <strong>{vocabulary.title}</strong> <span className="muted">{translateText(t, vocabulary.about)}</span>
              <p className="muted">
                {t("vocabularies.about", { mb: vocabulary.megabytes, licence: translateText(t, vocabulary.licence) })} <code>{new URL(vocabulary.addresses[0]!).hostname}</code>
              </p>
            </div>
            <button type="button" disabled={!isOnline} onClick={() => fetch(vocabulary.name)} aria-label={t("vocabularies.fetch.one", { name: vocabulary.title })}>
              <Download size={16} aria-hidden />
              {t("vocabularies.fetch")}
            </button>
          </li>
        ))}
      </ul>
    </IfWritable>
  );
}
