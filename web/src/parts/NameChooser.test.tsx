import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { LanguageProvider } from "../i18n";
import { NameChooser } from "./NameChooser";

test("names are completed from the library, taken by Enter, and taken away again", async () => {
  // Else "Mosr" limits a question to no paper, and nobody knows how the library writes a journal.
  const requests: string[] = [];
  vi.stubGlobal("fetch", async (request: Request | string) => {
    requests.push(decodeURIComponent(typeof request === "string" ? request : request.url));
    return Response.json({ values: [{ value: "May-Britt Moser", papers: 3 }] });
  });
  const changes: string[][] = [];
  const chooserOf = (values: string[]) => (
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <NameChooser of="author" label="Authors" values={values} onChange={(to) => changes.push(to)} />
      </LanguageProvider>
    </QueryClientProvider>
  );
  const { container, rerender } = render(chooserOf(["O'Keefe"]));
  const box = screen.getByLabelText("Authors");
  fireEvent.focus(box);
  fireEvent.change(box, { target: { value: "mos" } });
  await waitFor(() => expect(requests.some((url) => url.includes("/facets/author?starts=mos"))).toBe(true));
  await waitFor(() => expect(container.querySelector("option")?.value).toBe("May-Britt Moser"));
  fireEvent.change(box, { target: { value: "May-Britt Moser" } });
  expect(changes).toEqual([["O'Keefe", "May-Britt Moser"]]);
  rerender(chooserOf(["O'Keefe", "May-Britt Moser"]));
  fireEvent.change(screen.getByLabelText("Authors"), { target: { value: "o'keefe" } });
  fireEvent.keyDown(screen.getByLabelText("Authors"), { key: "Enter" });
  expect(changes).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: /O'Keefe/ }));
  expect(changes.at(-1)).toEqual(["May-Britt Moser"]);
});
