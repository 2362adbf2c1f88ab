import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { api } from "../../api/client";
import { LanguageProvider } from "../../i18n";
import { FeedbackMenu } from "./FeedbackMenu";

interface SentJudgement {
  statement: number;
  verdict: string;
  comment: string;
}
let judgements: SentJudgement[];
const sent = vi.fn();
beforeEach(() => {
  judgements = [];
  localStorage.clear();
  sent.mockReset();
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  vi.spyOn(api, "GET").mockImplementation((async () => ({ data: { feedback: judgements } })) as never);
  vi.spyOn(api, "POST").mockImplementation((async (_: string, { body }: { body: SentJudgement }) => {
    await sent(body);
    const before = judgements.find((judgement) => judgement.statement === body.statement) ?? { verdict: "", comment: "" };
    judgements = [...judgements.filter((judgement) => judgement.statement !== body.statement), { ...before, ...body }];
    return {};
  }) as never);
});
const show = (statement = 0) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <FeedbackMenu answer="ans-1" statement={statement} />
      </LanguageProvider>
    </QueryClientProvider>,
  );
const button = (name: string) => screen.getByRole("button", { name });
const openMenu = () => userEvent.click(screen.getByRole("button", { name: /What do you think/ }));
/** Choose from the menu. */
const choose = async (name: string) => {
  await openMenu();
  await userEvent.click(button(name));
};

test("thumbs that are pressed one after the other come to what was pressed last", async () => {
  // Else the slower request wins, and "bad" stands there as "good".
  show();
  sent.mockImplementationOnce(() => new Promise((done) => setTimeout(done, 50)));
  await choose("Good answer");
  await choose("Bad answer");
  await openMenu();
  expect(button("Bad answer").getAttribute("aria-pressed")).toBe("true");
  await waitFor(() => expect(sent).toHaveBeenCalledTimes(2));
  await waitFor(() => expect(judgements).toMatchObject([{ statement: 0, verdict: "down", comment: "" }]));
});

test("a thumb keeps the remark that was made in another tab, and pressed again goes", async () => {
  // Else each click costs the words that somebody wrote.
  show(2);
  await waitFor(() => expect(api.GET).toHaveBeenCalled());
  judgements = [{ statement: 2, verdict: "", comment: "See Hafting." }];
  await choose("Good statement");
  await waitFor(() => expect(judgements).toMatchObject([{ statement: 2, verdict: "up", comment: "See Hafting." }]));
  await openMenu();
  await waitFor(() => expect(button("Comment on this statement").getAttribute("aria-pressed")).toBe("true"));
  await openMenu();
  await choose("Good statement");
  await waitFor(() => expect(judgements).toMatchObject([{ verdict: "", comment: "See Hafting." }]));
});

test("a remark stays when it is closed or cannot be kept, and goes from here when it is kept", async () => {
  // Else Escape costs it.
  show();
  await choose("Comment");
  await userEvent.type(screen.getByRole("textbox"), "Beside the point.");
  cleanup();
  show();
  await choose("Comment");
  expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("Beside the point.");
  sent.mockRejectedValueOnce(new Error("away"));
  await userEvent.click(button("Save"));
  await waitFor(() => expect(sent).toHaveBeenCalledTimes(1));
  expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("Beside the point.");
  await userEvent.click(button("Save"));
  await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
  expect(judgements).toMatchObject([{ comment: "Beside the point." }]);
  expect(localStorage.length).toBe(0);
});
