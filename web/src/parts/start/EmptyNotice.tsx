import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { Link } from "wouter";
import { api, body } from "../../api/client";
import { useWords } from "../../i18n";
import "./start.css";

/** Above a page that shows nothing without papers, as long as the library has none: where to add some. */
export function EmptyNotice() {
  const { t } = useWords();
  const { data } = useQuery({
    queryKey: ["papers", "any"],
    queryFn: async () => ((await body(api.GET("/api/v1/papers", { params: { query: { limit: 1 } } }))) as { papers: unknown[] }).papers.length > 0,
  });
  if (data !== false) return null;
  return (
    <p className="empty-notice">
      <BookOpen size={18} aria-hidden />
      <span>{t("start.none")}</span>
      <Link href="/library">{t("start.none.how")}</Link>
    </p>
  );
}
