/** Requests whose addresses are put together while the page runs; failures are `Problem`s, as everywhere. */
import { API, Problem } from "./client";

async function answered(address: string, how: RequestInit): Promise<Response> {
  const answer = await fetch(address, how).catch((error) => {
    if (how.signal?.aborted) throw error;
    throw new Problem("The server cannot be reached.", "Is `conspectus serve` still running?", 0, "Away", true);
  });
  if (!answer.ok) throw await Problem.of(answer);
  return answer;
}

/** The body at an address (see `address`). */
export const get = async <T>(address: string, signal?: AbortSignal): Promise<T> =>
  (await (await answered(address, { signal })).json()) as T;

/** Change something at a path of the API; the body of the answer, if it has one. */
export async function send<T = void>(method: "POST" | "PATCH" | "DELETE" | "PUT", path: string, body?: unknown): Promise<T> {
  const given = body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await answered(`${API}${path}`, { method, ...given });
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}
