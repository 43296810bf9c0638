// The switch of single keys: kept in this browser, read by andon.js with every key.
"use strict";
{
  const keys = document.getElementById("single-keys");
  const show = () => keys.setAttribute("aria-checked", String(localStorage["andon-keys"] !== "off"));
  keys.addEventListener("click", () => { localStorage["andon-keys"] = localStorage["andon-keys"] === "off" ? "on" : "off"; show(); });
  show();
{
  const keys = document.getElementById("single-keys");
  const draw = () => keys.setAttribute("aria-checked", String(localStorage["andon-keys"] !== "off"));
  keys.addEventListener("click", () => { localStorage["andon-keys"] = localStorage["andon-keys"] === "off" ? "on" : "off"; draw(); });
  draw();
}
