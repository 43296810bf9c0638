// Each mermaid source is drawn in a frame that has no origin; here only its height is believed.
"use strict";
{
  const frames = new Map();
  const dark = () => getComputedStyle(root).colorScheme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const send = (frame, source) => frame.contentWindow?.postMessage({ source, dark: dark() }, "*");
  addEventListener("message", event => {
    const found = [...frames].find(([frame]) => frame.contentWindow === event.source);
    if (!found) return;
    const [frame, { figure, source }] = found, told = event.data ?? {};
    if (told.ready) send(frame, source);
    if (Number.isFinite(told.height)) { frame.height = Math.min(2000, Math.max(40, told.height)) + 26; frame.style.height = `${frame.height}px`; }
    if (typeof told.failed === "string") {
      frames.delete(frame); frame.remove(); $("pre", figure).hidden = false;
      const why = document.createElement("p"); why.className = "undrawn";
      why.textContent = `${document.querySelector("[data-say-undrawn]")?.dataset.sayUndrawn ?? ""} ${told.failed.slice(0, 200)}`; figure.append(why);
    }
  });
  const watching = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) { watching.unobserve(target); draw(target); }
  }, { rootMargin: "400px" });
  function draw(figure) {
    const pre = $("pre", figure), frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts"); frame.title = pre.textContent.trim().split("\n")[0].slice(0, 80); frame.src = "/diagram";
    frames.set(frame, { figure, source: pre.textContent });
    pre.hidden = true; figure.append(frame);
  }
  function all() { for (const figure of $$("figure.diagram:not([data-drawn])")) { figure.dataset.drawn = ""; watching.observe(figure); } }
  const again = () => { for (const [frame, { source }] of frames) send(frame, source); };
  document.addEventListener("andon:theme", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  document.addEventListener("andon:diagrams", all);
  all();
}
