import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { LanguageProvider } from "../../i18n";
import { readSearch } from "./searchState";
import { countScope } from "./facets";
import { Filters } from "./Filters";

test("what is counted is said, for it is not all that a filter finds", () => {
  // Else "PLOS ONE 6" leads to eleven papers, and the numbers look wrong.
  const noteFor = (counts: Parameters<typeof countScope>[0]) => {
    const facets = { venue: [{ value: "PLOS ONE", papers: 6 }] };
    const { unmount } = render(
      <QueryClientProvider client={new QueryClient()}>
        <LanguageProvider>
          <Filters search={readSearch(new URLSearchParams("q=cells"))} facets={facets} {...countScope(counts)} onChange={() => undefined} />
        </LanguageProvider>
      </QueryClientProvider>,
    );
    const note = screen.getByText(/^The numbers count/).textContent;
    unmount();
    return note;
  };
  expect(noteFor([{ best: true, papers: 11 }, { best: true, papers: 300 }])).toContain("the best matches, at most 300");
  expect(noteFor([{ best: false, papers: 2000 }])).toContain("count all papers");
});
