import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("each page styles itself alone", () => {
  // Else a page looks otherwise when another was looked at before: cited papers were invisible after the library.
  const styles = readdirSync("src/pages", { recursive: true, encoding: "utf-8" }).filter((path) => path.endsWith(".css"));
  expect(styles.length).toBeGreaterThan(5);
  for (const path of styles) {
    const outside = readFileSync(`src/pages/${path}`, "utf-8").replace(/\/\*[^]*?\*\//g, "").replace(/@keyframes [\w-]+ \{[^]*?\n\}/g, "");
    expect(outside.match(/^\S.*\{$/gm), path).toEqual([`:where(.${path.split("/")[0]}) {`]);
  }
});
