import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, vi } from "vitest";

configure({ asyncUtilTimeout: 20_000 }); // a machine with much else to do is no fault of the page

// Files share one document, which takes most of the time to make; so each begins with modules of its own, and leaves nothing.
vi.resetModules();
afterEach(cleanup);
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});
