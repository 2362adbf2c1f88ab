/** One kind of review: those that are kept, the form that begins one, the job that runs, and the review itself. */
import { Columns3, FileText, Filter, type LucideIcon, Tags, Trophy } from "lucide-react";
import type { ComponentType } from "react";
import type { StoredReview } from "../../api/types";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ModelFirst, NeedsModel } from "../../parts/NoModel";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import { useTitle } from "../../shell/title";
import { ClassifyForm } from "./classify/ClassifyForm";
import { ClassifyView } from "./classify/ClassifyView";
import { ReviewPicker } from "./ReviewPicker";
import { RankForm } from "./rank/RankForm";
import { RankView } from "./rank/RankView";
import { ReportForm } from "./report/ReportForm";
import { ReportView } from "./report/ReportView";
import { chooseReview, type Kind, pathOf, useBegin, useChange, useReviews, useShow } from "./reviews";
import { Run } from "./Run";
import { ScreenForm } from "./screen/ScreenForm";
import { ScreenView } from "./screen/ScreenView";
import { TableForm } from "./table/TableForm";
import { TableView } from "./table/TableView";

export interface FormProps {
  /** One that is begun again. */
  review?: StoredReview;
  isBusy: boolean;
  onBegin: (body: object) => void;
}

interface Views {
  icon: LucideIcon;
  form: ComponentType<FormProps>;
  view: ComponentType<{ review: StoredReview }>;
  /** It is there at once, without a job. */
  isInstant?: boolean;
}

const VIEWS: Record<Kind, Views> = {
  rank: { icon: Trophy, form: RankForm, view: RankView },
  screen: { icon: Filter, form: ScreenForm, view: ScreenView, isInstant: true },
  classify: { icon: Tags, form: ClassifyForm, view: ClassifyView },
  table: { icon: Columns3, form: TableForm, view: TableView },
  report: { icon: FileText, form: ReportForm, view: ReportView },
};

export function Part({ kind }: { kind: Kind }) {
  const { t } = useWords();
  const [params] = useParams();
  const isReadOnly = useReadOnly();
  const reviewsQuery = useReviews(kind);
  const start = useBegin();
  const make = useChange<{ id: string }>();
  const show = useShow();
  const all = reviewsQuery.data ?? [];
  const chosen = params.has("new") ? undefined : chooseReview(all, params.get("review"));
  const job = params.get("job");
  useTitle(chosen?.name);
  const { icon, form: Form, view: View, isInstant } = VIEWS[kind];
  const beginOne = (body: object) => {
    const path = pathOf(kind);
    if (isInstant) make.mutate({ method: "POST", path, body }, { onSuccess: ({ id }) => show(id) });
    else start.mutate({ path, body, isNew: true });
  };
  const isEmpty = reviewsQuery.isSuccess && !all.length;
  return (
    <section aria-label={t(`reviews.${kind}`)}>
      {reviewsQuery.error && <Trouble error={reviewsQuery.error} onRetry={reviewsQuery.refetch} />}
      {reviewsQuery.isLoading && <Loading as="cards" />}
      {all.length > 0 && <ReviewPicker kind={kind} all={all} chosen={chosen} />}
      {start.error && <NeedsModel error={start.error} />}
      {job && <Run key={job} job={job} kind={kind} />}
      {isEmpty && !job && (
        <Empty icon={icon} title={t(`reviews.${kind}.none`)}>
          <p>{t(isReadOnly ? "shell.read_only_hint" : `reviews.${kind}.how`)}</p>
        </Empty>
      )}
      {!isReadOnly && !chosen && !start.error && kind !== "screen" && <ModelFirst {...(kind === "rank" ? { what: t("reviews.without_model") } : { without: t(`${kind}.no_model`) })} />}
      {!isReadOnly && !reviewsQuery.isLoading && !chosen && !(isEmpty && job) && (
        <Form isBusy={start.isPending || make.isPending} onBegin={beginOne} />
      )}
      {chosen && <View key={chosen.id} review={chosen} />}
    </section>
  );
}
