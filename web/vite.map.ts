import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** What `conspectus map --to map.html` puts into its file: one script and one sheet of styles, which ask for nothing. */
export default defineConfig({
  plugins: [react({ jsxImportSource: "#jsx" })],
  define: { "process.env.NODE_ENV": '"production"' },
  publicDir: false,
  build: {
    outDir: "../src/conspectus/web_static/map_file",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    lib: { entry: "src/map/file.tsx", formats: ["iife"], name: "map", fileName: () => "map.js", cssFileName: "map" },
  },
});
