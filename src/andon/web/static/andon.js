// Live parts, countdowns, keys, drafts. The server renders; nothing here computes a verdict.
"use strict";
const body = document.body, root = document.documentElement;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const csrf = $("meta[name=csrf]")?.content ?? "";
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "") || document.activeElement?.isContentEditable;

// --- where in this page somebody was going before they signed in (place.js) ---
try {
  const { path, hash, until } = JSON.parse(localStorage["andon-place"] ?? "{}");
  if (path === location.pathname + location.search) {
    delete localStorage["andon-place"];
    if (!location.hash && Date.now() < until) location.replace(hash);
  }
} catch { /* it opens at its top */ }

// --- talking to the server ---
document.addEventListener("htmx:configRequest", event => { event.detail.headers["x-andon-csrf"] = csrf; });
document.addEventListener("htmx:responseError", event => {
  let told = {};
  try { told = JSON.parse(event.detail.xhr.responseText).error ?? {}; } catch { /* not ours */ }
  toast("failed", told.title ?? event.detail.xhr.statusText, told.hint ?? "");
  for (const busy of $$("[data-was]")) { busy.innerHTML = busy.dataset.was; delete busy.dataset.was; busy.disabled = false; }
});
document.addEventListener("htmx:sendError", () => toast("none", offlineText(), ""));
document.addEventListener("htmx:beforeRequest", event => {
  const button = event.detail.requestConfig.triggeringEvent?.submitter;
  if (button?.dataset.busy) { button.dataset.was = button.innerHTML; button.textContent = button.dataset.busy; button.disabled = true; }
});
document.addEventListener("htmx:afterRequest", event => {
  if (event.detail.successful) for (const field of $$("[data-draft]", event.detail.elt)) forget(field.dataset.draft);
});

function toast(kind, title, text) {
  const made = document.createElement("div");
  made.className = "toast";
  if (kind === "failed") made.setAttribute("role", "alert");
  const words = document.createElement("div"), head = document.createElement("b"), more = document.createElement("p");
  head.textContent = title; more.textContent = text; words.append(head, more); made.append(words);
  $("#toasts").append(made);
  setTimeout(() => made.remove(), 9000);
}

// --- the stream ---
// What the page shows already: from there on the stream tells, also after it was lost.
let source = null, lostAt = 0, tries = 0, timer = 0, last = $("[data-count]")?.dataset.count ?? "";
const steps = [1, 2, 4, 8, 15];
const offlineText = () => fill(body.dataset.sayOffline, { time: new Date(lostAt || Date.now()).toLocaleTimeString() });

function connect() {
  if (body.dataset.live !== "on") return;
  clearTimeout(timer); source?.close();
  const path = location.pathname + location.search;
  source = new EventSource(`/live?path=${encodeURIComponent(path)}${last ? `&last=${last}` : ""}`);
  source.addEventListener("hello", event => { tries = 0; lostAt = 0; skew = JSON.parse(event.data).at * 1000 - Date.now(); online(true); });
  source.addEventListener("part", event => part(JSON.parse(event.data)));
  source.addEventListener("rows", event => { last = event.lastEventId; rows(JSON.parse(event.data)); });
  source.addEventListener("gone", event => { source.close(); gone(JSON.parse(event.data)); });
  source.onerror = () => {
    source.close();
    lostAt ||= Date.now();
    const wait = steps[Math.min(tries++, steps.length - 1)];
    if (Date.now() - lostAt >= 3000 || tries > 2) online(false, wait);
    timer = setTimeout(connect, wait * 1000);
  };
}
function online(yes, wait = 0) {
  root.classList.toggle("is-offline", !yes);
  $("#offline").hidden = yes;
  if (!yes) $("#offline span").textContent = `${offlineText()} ${fill(body.dataset.sayRetry, { count: wait })}`;
}
// Nobody tells this page anything any more: what it shows stays, and says that it is old.
function gone({ status }) {
  root.classList.add("is-offline");
  $("#offline").hidden = false; $("#offline").setAttribute("role", "alert");
  $("#offline span").textContent = body.dataset[status === 401 ? "sayOut" : "sayGone"];
  const button = $("#offline button");
  button.textContent = body.dataset.sayAgain; button.dataset.act = "reload";
}
function part({ id, html }) {
  const old = document.getElementById(id);
  if (!old) return;
  const before = id === "hold" ? old.cloneNode(true) : null;
  const held = document.activeElement, inside = old.contains(held) && held !== old;
  Idiomorph.morph(old, html, {
    morphStyle: "outerHTML", ignoreActiveValue: typing(), restoreFocus: true,
    callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") && !(name === "value" && node === document.activeElement) },
  });
  const now = document.getElementById(id);
  if (inside && !document.contains(held)) { const head = $("h1, h2, h3", now) ?? now; head.tabIndex = -1; head.focus({ preventScroll: true }); }
  htmx.process(now); arm(now); restore(); tick();
  document.dispatchEvent(new CustomEvent("andon:part", { detail: id }));
  if (before) over(before, now);
  if (id === "hold" && $(".hold h2", now)) say($(".hold h2", now).textContent);
}
let spoken = "", spokenAt = 0;
function say(text) {
  if (text === spoken || Date.now() - spokenAt < 5000) return;
  spoken = text; spokenAt = Date.now(); $("#said").textContent = text;
}
// New rows never push what is being read: away from the top they are collected.
let waiting = "", count = 0;
function rows({ html, count: more, events }) {
  const list = $("#rows"), counter = $("[data-count]");
  if (counter) counter.textContent = counter.textContent.replace(/[\d,.]+/, events.toLocaleString("en-US"));
  if (!list || !more) return;
  waiting = html + waiting; count += more;
  const top = list.getBoundingClientRect().top, bar = $("#newbar");
  if (top > 0 || top > -40) return show();
  bar.textContent = count === 1 ? body.dataset.sayNewOne : fill(body.dataset.sayNew, { count }); bar.hidden = false;
}
function show() {
  const block = document.createElement("div");
  block.className = "jblock"; block.innerHTML = waiting;
  $("#rows").prepend(block); waiting = ""; count = 0; $("#newbar").hidden = true;
  const all = $$("#rows .jrow");
  for (const row of all.slice(600)) row.remove();
}

// --- time ---
let skew = 0;
const clock = () => (Date.now() + skew) / 1000;
const span = seconds => { const s = Math.max(0, Math.ceil(seconds)); return s >= 3600 ? `${Math.floor(s / 3600)}:${String(Math.floor(s % 3600 / 60)).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}` : `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`; };
function tick() {
  if (root.classList.contains("is-offline")) return;
  for (const node of $$("[data-deadline]")) node.textContent = span(node.dataset.deadline - clock()) + (node.dataset.then ? ` → ${node.dataset.then}` : "");
  for (const node of $$("[data-drain]")) { const whole = node.dataset.drain - node.dataset.from; node.style.transform = `scaleX(${Math.max(0, Math.min(1, (node.dataset.drain - clock()) / whole))})`; }
  for (const node of $$("[data-since]")) node.textContent = span(clock() - node.dataset.since);
}
setInterval(tick, 500);
// A button that has just appeared under the pointer takes no click.
const armed = new WeakMap();
function arm(within) {
  for (const button of $$(".hold button", within)) if (!armed.has(button)) armed.set(button, Date.now());
}
document.addEventListener("click", event => {
  const button = event.target.closest(".hold button");
  if (button && event.isTrusted && Date.now() - (armed.get(button) ?? 0) < 400) { event.preventDefault(); event.stopPropagation(); }
}, true);

// --- drafts ---
const key = name => `andon-draft-${name}`;
const forget = name => { try { sessionStorage.removeItem(key(name)); } catch { /* private window */ } };
function restore() {
  for (const field of $$("[data-draft]")) { try { const kept = sessionStorage.getItem(key(field.dataset.draft)); if (kept && !field.value && field.type !== "password") field.value = kept; } catch { /* private window */ } }
}
document.addEventListener("input", event => {
  const name = event.target.dataset?.draft;
  if (name && event.target.type !== "password") { try { sessionStorage.setItem(key(name), event.target.value); } catch { /* private window */ } }
});

// Whoever types an answer is waited for: the countdown ends, once, at the first letter.
const kept = new Set();
document.addEventListener("input", async event => {
  const hold = event.target.closest?.("form[data-keep]")?.dataset.keep;
  if (!hold || kept.has(hold)) return;
  kept.add(hold);
  try { if (!(await post("/keep-waiting", { hold })).ok) kept.delete(hold); } catch { kept.delete(hold); }
});
// What became of a question whose time was up stays to be read.
function over(old, now) {
  for (const hold of $$(".hold[data-over]", old)) {
    const timer = $("[data-deadline]", hold);
    if (document.getElementById(hold.id) || !timer || timer.dataset.deadline - 1 > clock()) continue;
    const note = document.createElement("section"), text = document.createElement("p");
    note.className = "hold hold--over"; text.textContent = hold.dataset.over; note.append(text);
    now.after(note); say(hold.dataset.over);
    setTimeout(() => note.remove(), 10000);
  }
}

// --- acts ---
const post = (path, values) => fetch(path, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", "x-andon-csrf": csrf, "hx-request": "true" }, body: new URLSearchParams(values) });
async function prefer(name, value) { await post("/preferences", { [name]: value }); }
const acts = {
  theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark"; prefer("theme", root.dataset.theme);
    document.dispatchEvent(new Event("andon:theme"));
  },
  palette() { openPalette(); },
  reconnect() { tries = 0; connect(); },
  reload() { location.reload(); },
  close(button) { button.closest("dialog").close(); },
  back() { history.back(); },
  open(button) { document.getElementById(button.dataset.dialog)?.showModal(); },
};
document.addEventListener("click", event => {
  const button = event.target.closest("[data-act]");
  if (button && acts[button.dataset.act]) { event.preventDefault(); acts[button.dataset.act](button); return; }
  const copy = event.target.closest("[data-copy]");
  if (copy) { event.preventDefault(); navigator.clipboard?.writeText(copy.dataset.copy).then(() => toast("none", body.dataset.sayCopied, copy.dataset.copy)); }
  if (event.target.id === "newbar") show();
});

// --- palette ---
function openPalette() {
  const dialog = $("#palette"), input = $("input", dialog), list = $("ul", dialog);
  for (const old of $$("li[data-found]", list)) old.remove();
  for (const row of $$("a[data-row], [data-row] h3 a")) {
    const item = document.createElement("li"), link = document.createElement("a");
    item.setAttribute("role", "option"); item.dataset.found = ""; link.href = row.href; link.tabIndex = -1;
    link.textContent = ($("b", row) ?? row).textContent; item.append(link); list.append(item);
  }
  input.value = ""; choose(0); dialog.showModal(); input.focus();
}
function choose(index) {
  const words = $("#palette input").value.toLowerCase(), items = $$("#palette li");
  for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(words);
  const shown = items.filter(item => !item.hidden);
  for (const item of items) item.setAttribute("aria-selected", "false");
  const at = shown[(index + shown.length) % (shown.length || 1)];
  at?.setAttribute("aria-selected", "true"); at?.scrollIntoView({ block: "nearest" });
  return shown.indexOf(at);
}
let chosen = 0;
$("#palette input")?.addEventListener("input", () => { chosen = choose(0); });
$("#palette")?.addEventListener("keydown", event => {
  if (event.key === "ArrowDown") { chosen = choose(chosen + 1); event.preventDefault(); }
  if (event.key === "ArrowUp") { chosen = choose(chosen - 1); event.preventDefault(); }
  if (event.key === "Enter") { event.preventDefault(); $("#palette li[aria-selected=true] a")?.click(); }
});

// --- keys ---
const places = { b: "/", r: "/reviews", u: "/runs", c: "/chat", o: "/office", s: "/settings" };
let going = 0, at = -1;
document.addEventListener("keydown", event => {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") { event.preventDefault(); return openPalette(); }
  if (event.metaKey || event.ctrlKey || event.altKey || typing() || $("dialog[open]") || localStorage["andon-keys"] === "off") return;
  const pressed = event.key.toLowerCase();
  if (going && Date.now() - going < 1200) { going = 0; if (places[pressed]) { location.href = places[pressed]; event.preventDefault(); } return; }
  if (pressed === "g") { going = Date.now(); return; }
  if (pressed === "/" && $("#filter")) { event.preventDefault(); $("#filter").focus(); return; }
  if (pressed === "/") { event.preventDefault(); return openPalette(); }
  if (event.key === "?") { $("#keys").showModal(); return; }
  if (pressed === "j" || pressed === "k") {
    const all = $$("[data-row]");
    at = Math.max(0, Math.min(all.length - 1, at + (pressed === "j" ? 1 : -1)));
    const row = all[at]; if (!row) return;
    (row.matches("a") ? row : $("a", row))?.focus(); row.scrollIntoView({ block: "nearest" });
    return;
  }
  const button = $(`[data-key="${CSS.escape(pressed)}"]`);
  if (button && !button.disabled) { event.preventDefault(); button.focus(); button.click(); }
});

for (const button of $$(".hold button")) armed.set(button, 0);
restore(); tick(); connect();
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", event => { if (event.persisted) connect(); });
