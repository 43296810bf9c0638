// The box for the next message: ⌘↵ sends, what was sent is gone, the newest answer is in sight.
"use strict";
{
  const form = $("#compose"), log = $("#chat-turns");
  document.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && event.target.closest("#compose")) { event.preventDefault(); form.requestSubmit(); }
  });
  document.addEventListener("htmx:afterRequest", event => {
    if (event.detail.elt !== form || !event.detail.successful) return;
    for (const field of $$("[data-draft]", form)) { forget(field.dataset.draft); field.value = ""; }
  });
  let count = log ? $$(".msg", log).length : 0;
  document.addEventListener("andon:part", event => {
    if (event.detail !== "chat-turns") return;
    document.dispatchEvent(new Event("andon:diagrams"));
    const now = $$("#chat-turns .msg");
    if (now.length > count) now.at(-1).scrollIntoView({ block: "nearest" });
    count = now.length;
  });
}
