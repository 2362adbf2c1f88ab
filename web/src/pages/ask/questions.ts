/** Asking: what is begun where, and how it is found again when the server has forgotten it. */
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api, body } from "../../api/client";
import { begin } from "../../api/jobs";
import type { AnswerRow } from "../../api/types";
import { questionBody, toAddress, type Options } from "./options";

/** What of an address is the reader's stays, wherever the page goes. */
export function readerParams(search: string): URLSearchParams {
  const all = new URLSearchParams(search);
  return new URLSearchParams([...all].filter(([name]) => ["read", "page", "span"].includes(name)));
}

/** Where an answer, or the page with something else in its address, is. */
export function addressOf(name = "", more = new URLSearchParams()): string {
  const search = readerParams(location.search);
  more.forEach((value, key) => search.append(key, value));
  return `/ask${name ? `/${name}` : ""}${search.size ? `?${search}` : ""}`;
}

/** The address of a question that is being answered; all that is needed to ask it again stands in it. */
export const runningAddress = (job: string, question: string, options: Options, after = "") => {
  const search = toAddress(options);
  search.set("q", question);
  search.set("job", job);
  return addressOf(after, search);
};

export interface QuestionRequest {
  question: string;
  options: Options;
  /** The answer that it follows; "": none. */
  after?: string;
}

/** Ask: alone, or as what follows an answer, whose conversation is begun where there is none. */
export function useAsk() {
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async ({ question, options, after }: QuestionRequest) => {
      const talk = after
        ? ((await body(api.POST("/api/v1/conversations", { body: { title: "", answer: after } }))) as { id: string }).id
        : "";
      return begin("/ask", questionBody(question, options, talk));
    },
    onSuccess: (job, { question, options, after }) => navigate(runningAddress(job, question.trim(), options, after)),
  });
}

/** The answer to a question among those that are kept: the newest, not older than `since`; undefined: none. */
export function findAnswerSince(rows: readonly AnswerRow[], question: string, since = ""): AnswerRow | undefined {
  const from = since ? Math.floor(Date.parse(since) / 1000) * 1000 : 0;
  return rows.find((row) => row.question === question && Date.parse(row.made) >= from);
}
