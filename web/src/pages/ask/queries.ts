/** What the page asks the server for. */
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Answer, AnswerRow, Conversation, ConversationWithAnswers } from "../../api/types";
import type { SavedAnswer } from "../../api/types";

export const useAnswer = (name: string) =>
  useQuery({
    queryKey: ["answer", name],
    queryFn: () =>
      body(api.GET("/api/v1/answers/{name}", { params: { path: { name } } })) as unknown as Promise<SavedAnswer>,
    enabled: !!name,
  });

export const useTalk = (name: string) =>
  useQuery({
    queryKey: ["conversation", name],
    queryFn: async () => {
      const response = await body(api.GET("/api/v1/conversations/{name}", { params: { path: { name } } }));
      return (response as unknown as { conversation: ConversationWithAnswers }).conversation;
    },
    enabled: !!name,
  });

/** A conversation, or an answer that stands alone. */
export interface Entry {
  id: string;
  title: string;
  at: string;
  turns: number;
  answered: boolean;
  /** The answer that opens it. */
  answer: string;
}

/** Conversations and answers outside of them, the newest first. */
export function history(rows: AnswerRow[], conversations: Conversation[]): Entry[] {
  const last = new Map<string, AnswerRow>();
  for (const row of rows)
    if (row.conversation && (last.get(row.conversation)?.turn ?? 0) < (row.turn ?? 0)) last.set(row.conversation, row);
  const talks = conversations
    .filter((conversation) => conversation.turns)
    .map(({ id, title, updated, turns = 0 }) => {
      const row = last.get(id);
      return { id, title, at: updated, turns, answered: row?.answered ?? true, answer: row?.id ?? id };
    });
  const alone = rows
    .filter((row) => !row.conversation)
    .map((row) => ({ id: row.id, title: row.question, at: row.made, turns: 1, answered: row.answered, answer: row.id }));
  return [...talks, ...alone].sort((a, b) => b.at.localeCompare(a.at));
}

export const HISTORY = ["history"];
export const useHistory = (limit: number) =>
  useQuery({
    queryKey: [...HISTORY, limit],
    queryFn: async () => {
      const query = { limit };
      const [rows, talks] = await Promise.all([
        body(api.GET("/api/v1/answers", { params: { query } })),
        body(api.GET("/api/v1/conversations", { params: { query } })),
      ]);
      const { answers } = rows as unknown as { answers: AnswerRow[] };
      return history(answers, (talks as unknown as { conversations: Conversation[] }).conversations);
    },
  });

/** Papers that an answer cites, each once, in the order of its statements; of one that cites none, those it has read. */
export function papersOf(answer: Answer) {
  const cited = answer.statements.flatMap((statement) => (statement.citations ?? []).map((citation) => citation.paper));
  const all = cited.length ? cited : answer.evidence.map((evidence) => evidence.paper);
  return [...new Map(all.map((paper) => [paper.id, paper])).values()];
}
