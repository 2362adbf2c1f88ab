/** Put text into the clipboard, also where the page came over plain HTTP from another machine and browsers offer none. */
export async function writeClipboard(text: string, html = "") {
  if (html && navigator.clipboard && typeof ClipboardItem !== "undefined") {
    const part = (type: string, content: string) => [type, new Blob([content], { type })];
    return navigator.clipboard.write([new ClipboardItem(Object.fromEntries([part("text/plain", text), part("text/html", html)]))]);
  }
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    if (html) event.clipboardData?.setData("text/html", html);
    event.preventDefault();
  };
  document.addEventListener("copy", give, { once: true });
  document.execCommand("copy");
  document.removeEventListener("copy", give);
}
