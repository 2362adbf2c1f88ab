/** Reports: what the server is asked, and what its sections rest on. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../../../api/call";
import { address } from "../../../api/client";
import type { Report, ReportSection } from "../../../api/types";
import { pathOf } from "../reviews";

export const useReport = (id: string) =>
  useQuery({ queryKey: ["reviews", "report", id], queryFn: ({ signal }) => get<Report>(address(pathOf("report", id)), signal) });

export const sectionPath = (id: string, section: number, rest = "") => pathOf("report", id, `/sections/${section}${rest}`);

/** Where a section is on the page. */
export const anchorOf = ({ number }: Pick<ReportSection, "number">) => `section-${number}`;
