import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem } from "../api/client";
import { LanguageProvider } from "../i18n";
import { Confirmation, confirm } from "./confirm";
import { Toasts, toast, toastError } from "./toast";

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
});
afterEach(() => vi.useRealTimers());

const shell = () =>
  render(
    <LanguageProvider>
      <Toasts />
      <Confirmation />
    </LanguageProvider>,
  );

test("what went well goes by itself, what failed stays with its remedy", () => {
  // Else an error would be gone before somebody has read what to do.
  shell();
  act(() => {
    toast("Saved");
    toastError(new Problem("Disk full.", "Free some space."));
  });
  expect(screen.getByText("Saved")).toBeTruthy();
  act(() => vi.advanceTimersByTime(60_000));
  expect(screen.queryByText("Saved")).toBeNull();
  expect(screen.getByRole("listitem").textContent).toContain("Disk full. Free some space.");
});

test("undo is offered, and done once", async () => {
  // Else what was removed by mistake could not be had back.
  shell();
  const run = vi.fn();
  act(() => void toast("Removed", { action: { name: "Undo", run } }));
  await userEvent.click(screen.getByText("Undo"));
  expect(run).toHaveBeenCalledOnce();
  expect(screen.queryByText("Removed")).toBeNull();
});

test("a question is answered by its buttons, and one asked over it counts as no", async () => {
  // Else something would be removed that nobody agreed to.
  shell();
  let first: Promise<boolean>, second: Promise<boolean>;
  act(() => {
    first = confirm({ title: "Remove one?", action: "Remove" });
    second = confirm({ title: "Remove all?", action: "Remove all" });
  });
  expect(document.activeElement?.textContent).toBe("Cancel");
  await userEvent.click(screen.getByText("Remove all"));
  expect(await first!).toBe(false);
  expect(await second!).toBe(true);
  expect(screen.queryByText("Remove all?")).toBeNull();
});
