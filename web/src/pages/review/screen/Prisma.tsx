/** The flow diagram of PRISMA 2020, as the server draws it. */
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { get } from "../../../api/call";
import { address } from "../../../api/client";
import type { StoredReview, PrismaCounts } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Loading } from "../../../parts/Loading";
import { save } from "../../../parts/save";
import { toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { pathOf } from "../reviews";

const FORMATS = ["svg", "html", "json"] as const;

export function Prisma({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const drawn = (to: string, signal?: AbortSignal) => get<PrismaCounts>(address(pathOf("screen", review.id, "/prisma"), { to }), signal);
  const { data, error, refetch } = useQuery({ queryKey: ["reviews", "screen", review.id, "prisma"], queryFn: ({ signal }) => drawn("svg", signal) });
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  const { screened, excluded_by_people: people, excluded_by_automation: automation, included } = data;
  return (
    <section aria-label="PRISMA 2020">
      <img className="prisma" src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(data.text)}`} alt={t("screen.prisma.alt", { screened, people, automation, included })} />
      <div className="tools">
        {FORMATS.map((to) => (
          <button key={to} type="button" onClick={() => void drawn(to).then(({ text }) => save(`prisma.${to}`, new Blob([text])), toastError)}>
            <Download size={16} aria-hidden /> {to.toUpperCase()}
          </button>
        ))}
      </div>
    </section>
  );
}
