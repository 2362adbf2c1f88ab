import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `conspectus serve` listens, for `npm run dev`. */
const server = process.env.CONSPECTUS_SERVER ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react({ jsxImportSource: "#jsx" })],
  build: {
    outDir: "../src/conspectus/web_static",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy of the page allows no data but pictures
    modulePreload: { polyfill: false },
    target: "es2022",
    // small modules that several pages share come together, not each by itself
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "parts", minShareCount: 2, maxModuleSize: 8000 }] } } },
  },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
  test: { environment: "jsdom", isolate: false, testTimeout: 60_000, setupFiles: ["src/test/setup.ts"], include: ["src/**/*.test.{ts,tsx}"] },
});
