/** Requests whose addresses are put together while the page runs; failures are `Problem`s, as everywhere. */
import { API, Problem, reach } from "./client";

/** The body at an address (see `address`). */
export const get = async <T>(address: string, signal?: AbortSignal): Promise<T> =>
  (await (await reach(address, { signal })).json()) as T;

/**
 * What the library has only once it was built (a map, directions), or a `Problem` of 404 without asking for it: what is known
 * to be missing is no failure.
 */
export async function getBuilt<T>(kind: "maps" | "directions", of: string, address: string, signal?: AbortSignal): Promise<T> {
  const built = await get<Record<string, readonly string[]>>(`${API}/built`, signal).catch(() => null);
  if (built?.[kind] && !built[kind].includes(of)) throw Problem.ofKind("Gone", 404);
  return get<T>(address, signal);
}

/** Change something at a path of the API; the body of the answer, if it has one. */
export async function send<T = void>(method: "POST" | "PATCH" | "DELETE" | "PUT", path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await reach(`${API}${path}`, { method, ...options });
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}
