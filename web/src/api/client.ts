/** The API, typed by its own description (`openapi.json`); every failure is a `Problem`. */
import createClient from "openapi-fetch";
import { reportConnection } from "./connection";
import { tellOthers } from "./tabs";
import type { paths } from "./schema";

export const API = "/api/v1";
/** Asked by POST because of how much they are asked; they change nothing that other tabs show. */
const READS = ["/export", "/similar", "/figures/like", "/images/search", "/map/texts"];
/** A job has begun, which tells itself what it changes. */
const HTTP_ACCEPTED = 202;

/** Failures that the page tells in its own words. */
export const PAGE_PROBLEMS = ["Away", "Foreign", "Large", "Gone"] as const;

/** The object that a text of JSON is; an empty one where it is none. */
export function parseObject<T extends object>(text: string | null): Partial<T> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return value && typeof value === "object" ? (value as Partial<T>) : {};
  } catch {
    return {};
  }
}

/**
 * What failed, in the server's words: `message` what and why, `hint` the remedy.
 * A `kind` of `OWN` is no class of the server's errors: `parts/Remedy` has the page's words for it.
 */
export class Problem extends Error {
  constructor(
    message: string,
    readonly hint = "",
    readonly status = 0,
    readonly kind = "",
    readonly retry = false,
  ) {
    super(message);
  }

  /** What an answer says; a proxy's page in place of the server's JSON is a failure with its status. */
  static from(status: number, statusText: string, text: string): Problem {
    const problem = parseObject<{ detail: string; hint: string; type: string; retry: boolean }>(text);
    if (problem.detail) return new Problem(problem.detail, problem.hint, status, problem.type, problem.retry);
    return Problem.ofKind(status === 413 ? "Large" : "Foreign", status, statusText);
  }

  /** What this page itself found: the server is away, or something between has answered instead. */
  static ofKind(kind: (typeof PAGE_PROBLEMS)[number], status = 0, statusText = ""): Problem {
    return new Problem(`${kind} ${status || ""} ${statusText}`.trim(), "", status, kind, kind === "Away");
  }

  static async of(response: Response): Promise<Problem> {
    return Problem.from(response.status, response.statusText, await response.text().catch(() => ""));
  }
}

/** `fetch`, whose failures are Problems, and which says whether the server is there. */
export async function reach(input: RequestInfo | URL, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(input, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    reportConnection("lost");
    throw Problem.ofKind("Away");
  }
  reportConnection(response.status === 401 ? "refused" : "well");
  if (!response.ok) throw await Problem.of(response);
  const method = options?.method ?? (input instanceof Request ? input.method : "GET");
  const path = String(input instanceof Request ? input.url : input).split("?", 1)[0]!;
  if (method !== "GET" && response.status !== HTTP_ACCEPTED && !READS.some((endpoint) => path.endsWith(`${API}${endpoint}`))) tellOthers();
  return checkJson(response);
}

/** An answer, whose body is JSON, or a failure: with a status that is well, something between may send its own page. */
function checkJson(response: Response): Response {
  const text = response.text.bind(response);
  const read = async <T>(take: (body: string) => T): Promise<T> => {
    try {
      return take(await text());
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw Problem.ofKind("Foreign", response.status, response.statusText);
    }
  };
  response.json = () => read((body) => JSON.parse(body) as unknown);
  response.text = () => read((body) => (body && JSON.parse(body), body));
  return response;
}

export const api = createClient<paths>({ baseUrl: "", fetch: reach });

/** The body of an answer that went well. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

/** The address of something of the API that a browser fetches itself: pictures, files. */
export function address(path: string, query: Record<string, string | number | boolean | string[] | undefined> = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) value.forEach((entry) => search.append(name, entry));
    else if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${API}${path}${text ? `?${text}` : ""}`;
}

export const pagePicture = (paper: string, page: number, spans: string[] = [], scale = 2) =>
  address(`/papers/${encodeURIComponent(paper)}/pages/${page}.png`, { span: spans, scale });

export const figurePicture = (paper: string, key: string, scale = 2) =>
  address(`/papers/${encodeURIComponent(paper)}/figures/${encodeURIComponent(key)}.png`, { scale });
