// @ts-check
// The data in a page.

/** The page's data, which are of the type that the program writes. @returns {Promise<any>} */
async function readData() {
  const element = byId("data");
  const text = element.textContent ?? "";
  if (element.dataset.form !== "deflate") return JSON.parse(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}
