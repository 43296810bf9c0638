// Inside the frame: draws one diagram and says how high it is. It has no origin and can reach nothing.
"use strict";
let count = 0;
addEventListener("message", async event => {
  if (event.source !== parent) return;
  const { source, dark } = event.data ?? {};
  if (typeof source !== "string") return;
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  document.body.style.cssText = "margin:0;overflow:hidden;background:transparent";
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "neutral", fontFamily: "ui-sans-serif, system-ui, sans-serif", maxTextSize: 50000 });
  let place = document.getElementById("drawing");
  if (!place) { place = document.createElement("div"); place.id = "drawing"; document.body.append(place); }
  try {
    const { svg } = await mermaid.render(`d${++count}`, source);
    place.innerHTML = svg;
    const drawn = place.querySelector("svg");
    drawn.style.display = "block"; drawn.style.margin = "0 auto";
    const box = drawn.getBoundingClientRect();
    parent.postMessage({ height: Math.ceil(box.height), title: drawn.querySelector("title")?.textContent ?? "" }, "*");
  } catch (error) {
    for (const stray of document.querySelectorAll("body > div:not(#drawing)")) stray.remove();
    parent.postMessage({ failed: String(error?.message ?? error).split("\n")[0] }, "*");
  }
});
parent.postMessage({ ready: true }, "*");
