/** Requests whose addresses are put together while the page runs; failures are `Problem`s, as everywhere. */
import { API, reach } from "./client";

/** The body at an address (see `address`). */
export const get = async <T>(address: string, signal?: AbortSignal): Promise<T> =>
  (await (await reach(address, { signal })).json()) as T;

/** Change something at a path of the API; the body of the answer, if it has one. */
export async function send<T = void>(method: "POST" | "PATCH" | "DELETE" | "PUT", path: string, body?: unknown): Promise<T> {
  const given = body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await reach(`${API}${path}`, { method, ...given });
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}
