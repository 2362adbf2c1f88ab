import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import * as call from "../../api/call";
import { api, Problem } from "../../api/client";
import * as jobs from "../../api/jobs";
import type { FollowedJob } from "../../api/jobs";
import { LanguageProvider } from "../../i18n";
import { Confirmation } from "../confirm";
import { ModelFirst } from "../NoModel";
import Connect from "./Connect";

afterEach(() => vi.restoreAllMocks());

const KEY = "sk-never-shown";
const model = (name: string, label: string) => ({ name, label, megabytes: 0, licence: "", is_here: false });
const provider = { kind: "provider", name: "mistral", title: "Mistral", models: [], has_key: false, variable: "MISTRAL_API_KEY" };
const modelTest = { model: "mistral:large", seconds: 1.24, prompt_tokens: 500, completion_tokens: 40, estimated: false, question_cost: 0.0021, context: 4096, advice: [] };
const RESULTS: Record<string, object> = {
  "": { offers: [{ kind: "server", name: "http://127.0.0.1:11434/v1", title: "Ollama", models: [model("ollama:qwen3", "qwen3")], has_key: false, variable: "" }, provider], recommended: [{ name: "hf:Qwen/A/B.gguf", title: "Qwen3 4B", megabytes: 2497, licence: "Apache-2.0", memory: 8, minutes: 3, is_here: false }] },
  mistral: { offers: [{ ...provider, has_key: true, models: [model("mistral:small", "small"), model("mistral:large", "large")] }] },
  "mistral:large": { offers: [], tested: modelTest, roles: {}, key: "keyring" },
  "ollama:qwen3": { offers: [], tested: { ...modelTest, model: "ollama:qwen3", question_cost: null }, roles: {}, key: "" },
};

function renderNode(node: React.ReactNode, settings: object[] = [], isPrivate = true) {
  const sent = vi.spyOn(jobs, "begin").mockImplementation(async (_, body) => (body as { name: string }).name || "found");
  vi.spyOn(jobs, "useJob").mockImplementation((job): FollowedJob => {
    const result = job && RESULTS[job === "found" ? "" : job];
    return { events: result ? [{ kind: "done", seq: 1, result } as never] : [], state: result ? "done" : "running", error: null, isAway: false };
  });
  vi.spyOn(call, "get").mockImplementation(async () => ({ titles: { "ollama:qwen3": "qwen3 (Ollama)", "mistral:large": "large (Mistral)" } }));
  vi.spyOn(api, "GET").mockImplementation((async (path: string) => ({ data: path.endsWith("health") ? { read_only: false, private: isPrivate } : { settings }, response: new Response() })) as never);
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <LanguageProvider>{node}</LanguageProvider>
    </QueryClientProvider>,
  );
  return sent;
}

test("a model that runs on this machine is tested and used with one click", async () => {
  // Else somebody who has Ollama has to write its address and the model's name into a file.
  const sent = renderNode(<Connect onClose={() => {}} />);
  await screen.findByRole("combobox", { name: "Model of Ollama" });
  await userEvent.click(screen.getByRole("button", { name: "Test and use" }));
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: "ollama:qwen3" });
  const outcome = await screen.findByRole("status");
  expect(outcome.textContent).toContain("qwen3 (Ollama) works.");
  expect(outcome.textContent).toContain("unknown");
});

test("a key is sent once, and is nowhere on the page afterwards", async () => {
  // Else whoever looks at the page, or at what the browser keeps, has the key.
  const sent = renderNode(<Connect onClose={() => {}} />);
  await screen.findByRole("option", { name: /Mistral/ }); // they come after the list
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Provider" }), "mistral");
  const key = screen.getByLabelText("Key");
  expect(key.getAttribute("type")).toBe("password");
  const list = within(key.closest("form")!).getByRole("button", { name: "List models" });
  expect((list as HTMLButtonElement).disabled).toBe(true);
  await userEvent.type(key, KEY);
  await userEvent.click(list);
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: "mistral", key: KEY });
  expect((key as HTMLInputElement).value).toBe("");
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Model of Mistral" }), "mistral:large");
  const models = screen.getByRole("combobox", { name: "Model of Mistral" }).closest("form")!;
  await userEvent.click(within(models).getByRole("button", { name: "Test and use" }));
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: "mistral:large" });
  const outcome = await screen.findByRole("status");
  expect(outcome.textContent).toContain("about $0.0021");
  expect(outcome.textContent).toContain("in the system’s keyring");
  expect(document.body.innerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href).not.toContain(KEY);
});

test.each([
  ["127.0.0.1:8961", "http://127.0.0.1:8961"],
  ["localhost:1234/v1/", "http://localhost:1234/v1"],
  ["https://example.org/v1", "https://example.org/v1"],
])("the address %s is taken as it is typed", async (typed, address) => {
  // Else the browser asks for "a URL", and somebody who copied the address of LM Studio does not know what is missing.
  const sent = renderNode(<Connect onClose={() => {}} />);
  await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Provider" }), "address");
  const field = screen.getByPlaceholderText("http://HOST:PORT/v1");
  await userEvent.type(field, typed);
  await userEvent.click(within(field.closest("form")!).getByRole("button", { name: "List models" }));
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: address });
  expect(field.closest("form")!.checkValidity()).toBe(true);
});

test("a model that answers in the wrong form is said to do so in plain words", async () => {
  // Else somebody reads of prompts and readings, and does not know that another model would do.
  const sent = renderNode(<Connect onClose={() => {}} />);
  const error = new Problem("The model 'ollama:qwen3' gave an unusable reply twice (prompt 'read'): no JSON.", "It said 'Hm'.", 502, "ModelAnswerError");
  await screen.findByRole("combobox", { name: "Model of Ollama" });
  vi.mocked(jobs.useJob).mockReturnValue({ events: [], state: "failed", error, isAway: false });
  sent.mockResolvedValue("tested");
  await userEvent.click(screen.getByRole("button", { name: "Test and use" }));
  expect((await screen.findAllByText("qwen3 (Ollama) answered, but not in the required form (JSON). A larger model usually does.")).length).toBe(1);
  expect(screen.getAllByText(/unusable reply twice/).some((node) => node.closest("details"))).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Use it anyway" }));
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: "ollama:qwen3", untested: true });
});

test("what needs a model says so before it is begun", async () => {
  // Else somebody fills in a form, waits, and only then reads that it cannot be done.
  renderNode(<ModelFirst />, [{ name: "language.model", value: "" }]);
  expect(await screen.findByRole("button", { name: "Connect a language model" })).toBeTruthy();
});

test("on a server of somebody else the page says who can connect a model", async () => {
  // Else it offers a button that is refused.
  renderNode(<ModelFirst />, [{ name: "language.model", value: "" }], false);
  expect(await screen.findByText(/connected on the machine that runs this server/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("nothing is said where there is a model", async () => {
  // Else every page begins with a notice that is wrong.
  renderNode(<ModelFirst />, [{ name: "language.model", value: "ollama:qwen3" }]);
  await new Promise((done) => setTimeout(done, 20));
  expect(screen.queryByRole("button")).toBeNull();
});

test("what is in use is named, and taken back after a question", async () => {
  // Else a key stays on the machine, and nobody finds how it goes.
  const original = RESULTS[""] as object;
  RESULTS[""] = { ...original, roles: { ask: "ollama:qwen3", write: "ollama:qwen3", vision: "" } };
  const gone = vi.spyOn(api, "POST").mockResolvedValue({ data: {}, response: new Response() } as never);
  renderNode(
    <>
      <Connect onClose={() => {}} />
      <Confirmation />
    </>,
  );
  expect((await screen.findByText(/In use: qwen3 \(Ollama\)/)).textContent).not.toContain(",");
  await userEvent.click(screen.getByRole("button", { name: "Disconnect" }));
  expect(gone).not.toHaveBeenCalled();
  await userEvent.click(screen.getAllByRole("button", { name: "Disconnect", hidden: true }).at(-1)!);
  expect(gone).toHaveBeenCalledWith("/api/v1/models/disconnect", { body: {} });
  RESULTS[""] = original;
});

test("somebody without any model is recommended one, and fetches it with one click", async () => {
  // Else they have to know the name of a repository and of a file in it.
  const sent = renderNode(<Connect onClose={() => {}} />);
  await userEvent.click(await screen.findByRole("button", { name: "Download and use Qwen3 4B" }));
  expect(sent).toHaveBeenLastCalledWith("/models/connect", { name: "hf:Qwen/A/B.gguf" });
});
