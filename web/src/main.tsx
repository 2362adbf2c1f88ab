import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "./api/client";
import { LanguageProvider } from "./i18n";
import { Shell } from "./shell/Shell";
import "./styles/base.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < 3 && (!(error instanceof Problem) || error.retry),
    },
  },
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <Shell />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
