import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import Markdown from "./Markdown";

const renderMarkdown = (text: string) => render(<Markdown text={text} />).container;

test("emphasis, lists, code and links are shown as such", () => {
  // Else a note is a heap of signs.
  const container = renderMarkdown("**Strong** and *weak*, `code`, [there](https://example.org/a).\n\n- one\n- two\n\n3. three");
  expect(container.querySelector("strong")?.textContent).toBe("Strong");
  expect(container.querySelector("em")?.textContent).toBe("weak");
  expect(container.querySelectorAll("li").length).toBe(3);
  const link = container.querySelector("a")!;
  expect([link.getAttribute("href"), link.rel]).toEqual(["https://example.org/a", "noopener noreferrer nofollow"]);
});

const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src="https://evil.example/x.png" onerror="alert(1)">',
  "![a](https://evil.example/x.png)",
  "![a][b]\n\n[b]: https://evil.example/x.png",
  "[a](javascript:alert(1))",
  "[a](JaVaScRiPt:alert(1))",
  "[a](&#106;avascript:alert(1))",
  "[a](data:text/html,<script>alert(1)</script>)",
  "[a](//evil.example)",
  "<javascript:alert(1)>",
  '<iframe src="https://evil.example"></iframe>',
  '<a href="https://x.example" onclick="alert(1)">a</a>',
  "<style>*{background:url(https://evil.example)}</style>",
  '<svg><use href="https://evil.example/x#y"/></svg>',
  "```html onload=alert(1)\n<script>alert(1)</script>\n```",
  "| a |\n| - |\n| ![a](https://evil.example/x.png) |",
  "- [x] <input autofocus onfocus=alert(1)>",
  "# <img src=x onerror=alert(1)>",
  "[![a](https://evil.example/x.png)](https://x.example)",
  '[a](https://x.example "t\\" onclick=alert(1)")',
];

test.each(HOSTILE)("a note cannot run anything or fetch anything: %s", (text) => {
  // Else who writes a note, or an import that brings one, reads the library of whoever opens the paper.
  const container = renderMarkdown(text);
  const all = [...container.querySelectorAll("*")];
  expect(all.map((node) => node.localName).filter((name) => /script|img|image|iframe|style|svg|use|input|video|link/.test(name))).toEqual([]);
  for (const node of all) {
    const names = node.getAttributeNames();
    expect(names.filter((name) => !["href", "rel", "target", "start"].includes(name))).toEqual([]);
    if (node.localName === "a") expect(node.getAttribute("href")).toMatch(/^https?:\/\//);
  }
});
