import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Nothing is here yet: what it would be, and what to do for it. */
export function Empty({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon size={36} strokeWidth={1.4} aria-hidden />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
