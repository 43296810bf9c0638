// Comments as drafts, seen files, diagrams, keys of the review. What is decided is decided by the server.
"use strict";
{
  const rev = $(".rev"), id = rev.dataset.review, canComment = "open" in rev.dataset;
  root.classList.add("has-js");
  const read = (name, otherwise) => { try { return JSON.parse(sessionStorage.getItem(name)) ?? otherwise; } catch { return otherwise; } };
  const write = (name, value) => { try { value.length ? sessionStorage.setItem(name, JSON.stringify(value)) : sessionStorage.removeItem(name); } catch { /* private window */ } };
  const draftsOf = review => `andon-comments-${review}`;
  let drafts = read(draftsOf(id), []);
  let seen = read(`andon-seen-${rev.dataset.tree}`, []);
  const fileOf = path => $$("[data-file]").find(each => each.dataset.file === path);
  const where = each => each.line ? fill(rev.dataset.sayLine, { line: each.line }) : rev.dataset.sayFile;
  const clone = name => document.getElementById(name).content.firstElementChild.cloneNode(true);

  // --- where a comment stands ---
  function lineAt(path, line) {
    for (let number = line; number > Math.max(0, line - 200); number--) {
      const found = document.getElementById(`${path}:L${number}`);
      if (found) return found;
    }
    return null;
  }
  function place(path, line, box) {
    const file = fileOf(path);
    if (!file) return false;
    const at = line ? lineAt(path, line) : null;
    const row = at?.closest("tr, .l");
    if (!row) { $(".onfile", file).append(box); return true; }
    const next = row.nextElementSibling;
    if (next?.classList.contains("js-thread")) { (next.matches("tr") ? next.lastElementChild : next.lastElementChild).append(box); return true; }
    let made;
    if (row.matches("tr")) {
      made = document.createElement("tr");
      const split = row.closest("table").classList.contains("split");
      if (split) { const left = made.insertCell(); left.className = "void"; left.colSpan = 2; }
      const cell = made.insertCell(); cell.colSpan = split ? 2 : 3; cell.append(box);
    } else {
      made = document.createElement("div");
      const inner = document.createElement("div"); inner.append(box);
      made.append(document.createElement("span"), inner); made.classList.add("l");
    }
    made.classList.add("thread", "js-thread");
    row.after(made);
    return true;
  }
  function sweep() { for (const each of $$(".js-thread")) if (!$(".threadbox", each)) each.remove(); }

  // --- drafts ---
  function show() {
    for (const old of $$(".draft")) old.remove();
    sweep();
    drafts.forEach((each, index) => {
      const box = clone("t-draft");
      box.dataset.index = index;
      $("small", box).textContent = where(each); $("p", box).textContent = each.text;
      place(each.path, each.line, box);
    });
    const list = $("#drafts"), items = $("ul", list);
    list.hidden = !drafts.length; items.textContent = "";
    drafts.forEach((each, index) => {
      const item = document.createElement("li"), link = document.createElement("a"), head = document.createElement("b"), text = document.createElement("span");
      link.href = `#${encodeURI(each.path)}${each.line ? `:L${each.line}` : ""}`; link.dataset.draft2 = index;
      head.textContent = each.path + (each.line ? `:${each.line}` : ""); text.textContent = each.text;
      link.append(head, text); item.append(link); items.append(item);
    });
    for (const count of $$("[data-count-of]")) {
      const many = drafts.filter(each => each.path === count.dataset.countOf).length + $$(".cmt", fileOf(count.dataset.countOf)).filter(each => !each.closest(".draft")).length;
      count.hidden = !many; $("b", count).textContent = many;
    }
    bar();
  }
  function keep() { write(draftsOf(id), drafts); show(); }
  function compose(path, line, index = -1) {
    if (!canComment || $("#review-decide").dataset.state !== "open") return;
    const open = $(".composer");
    if (open) { if ($("textarea", open).value.trim()) { $("textarea", open).focus(); return; } open.remove(); sweep(); }
    const box = clone("t-composer"), field = $("textarea", box), label = $("label", box);
    box.dataset.path = path; box.dataset.line = line; box.dataset.index = index;
    field.id = "composing"; label.htmlFor = "composing"; label.textContent = `${path}, ${where({ line })}`;
    if (index >= 0) field.value = drafts[index].text;
    fileOf(path)?.classList.remove("is-seen");
    place(path, line, box); field.focus();
    box.scrollIntoView({ block: "nearest" });
  }
  function kept(box) {
    const text = $("textarea", box).value.trim(), { path, line, index } = box.dataset;
    if (!text) { $("textarea", box).focus(); return; }
    const made = { path, line: Number(line), text };
    if (Number(index) >= 0) drafts[index] = made; else drafts.push(made);
    close(box, false); keep();
    $$(".draft").find(each => each.dataset.index === String(Number(index) >= 0 ? index : drafts.length - 1))?.focus();
  }
  function close(box, back = true) {
    const { path, line } = box.dataset;
    box.remove(); sweep();
    if (back) (Number(line) ? lineAt(path, Number(line)) : $("[data-do=comment-file]", fileOf(path)))?.focus();
  }

  // --- the bar ---
  function bar() {
    const told = $("#drafts-told"), field = $("#decide-text"), kept = $("#kept");
    if (told) told.textContent = drafts.length ? ` · ${drafts.length === 1 ? rev.dataset.sayDraft : fill(rev.dataset.sayDrafts, { count: drafts.length })}` : "";
    const button = $("[data-needs-reason]");
    if (button) button.setAttribute("aria-disabled", field.value.trim() ? "false" : "true");
    if (kept) {
      const typed = read0(`andon-draft-review-${id}`), lines = drafts.map(each => `${each.path}${each.line ? `:${each.line}` : ""}: ${each.text}`);
      const text = [typed, ...lines].filter(Boolean).join("\n");
      kept.hidden = !text; $("textarea", kept).value = text;
    }
  }
  const read0 = name => { try { return sessionStorage.getItem(name) ?? ""; } catch { return ""; } };
  document.addEventListener("input", event => { if (event.target.id === "decide-text") bar(); });
  document.addEventListener("andon:part", event => { if (event.detail === "review-decide") bar(); });
  document.addEventListener("htmx:configRequest", event => { if (event.detail.elt.id === "decision") event.detail.parameters.comments = JSON.stringify(drafts); });
  document.addEventListener("htmx:afterRequest", event => {
    if (event.detail.elt.id !== "decision") return;
    const status = event.detail.xhr.status;
    if (event.detail.successful) { drafts = []; keep(); forget(`review-${id}`); }
    if (event.detail.successful || status === 409) fresh();
  });
  async function fresh() {
    const answer = await fetch(`/reviews/${encodeURIComponent(id)}/decide`, { headers: { "hx-request": "true" } });
    if (answer.ok) { part({ id: "review-decide", html: await answer.text() }); $("#decide-h").focus({ preventScroll: true }); }
  }
  document.addEventListener("click", event => {
    const button = event.target.closest("#decision button");
    if (!button) return;
    const field = $("#decide-text"), empty = !field.value.trim();
    const lacking = button.value === "approve" ? button.hasAttribute("data-needs-reason") && empty : empty && !drafts.length;
    if (lacking) { event.preventDefault(); event.stopPropagation(); field.focus(); }
  }, true);

  // --- acts ---
  document.addEventListener("click", event => {
    const act = event.target.closest("[data-do]"), box = event.target.closest(".threadbox"), file = event.target.closest("[data-file]");
    const line = event.target.closest("a[data-line]");
    if (line && canComment) { history.replaceState(null, "", line.getAttribute("href")); event.preventDefault(); compose(file.dataset.file, Number(line.dataset.line)); return; }
    const link = event.target.closest("a[data-draft2]");
    if (link) { event.preventDefault(); go($$(".draft").find(each => each.dataset.index === link.dataset.draft2)); return; }
    if (event.target.closest("[data-carry]")) carry(event.target.closest("[data-carry]").dataset.carry);
    if (!act) return;
    if (act.dataset.do === "keep") kept(box);
    if (act.dataset.do === "cancel") close(box);
    if (act.dataset.do === "edit") { const { path, line } = drafts[box.dataset.index]; compose(path, line, Number(box.dataset.index)); box.hidden = true; }
    if (act.dataset.do === "remove") { drafts.splice(Number(box.dataset.index), 1); keep(); }
    if (act.dataset.do === "comment-file") compose(file.dataset.file, 0);
    if (act.dataset.do === "seen") mark(file);
    if (act.dataset.do === "copy-kept") navigator.clipboard?.writeText($("#kept textarea").value).then(() => toast("none", body.dataset.sayCopied, ""));
    if (act.dataset.do === "drop-kept") { drafts = []; forget(`review-${id}`); keep(); }
  });
  document.addEventListener("keydown", event => {
    const box = event.target.closest?.(".composer");
    if (!box) return;
    if (event.key === "Escape") { event.preventDefault(); close(box); show(); }
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) { event.preventDefault(); kept(box); }
  });
  function carry(other) {
    const theirs = read(draftsOf(other), []), text = read0(`andon-draft-review-${id}`);
    write(draftsOf(other), [...theirs, ...drafts]); drafts = []; write(draftsOf(id), []);
    try { if (text) sessionStorage.setItem(`andon-draft-review-${other}`, text); } catch { /* private window */ }
    forget(`review-${id}`);
  }

  // --- seen ---
  function mark(file) {
    const path = file.dataset.file;
    seen = seen.includes(path) ? seen.filter(each => each !== path) : [...seen, path];
    write(`andon-seen-${rev.dataset.tree}`, seen); seenNow();
  }
  function seenNow() {
    for (const file of $$("[data-file]")) {
      const yes = seen.includes(file.dataset.file);
      file.classList.toggle("is-seen", yes);
      $("[data-do=seen]", file).setAttribute("aria-pressed", yes);
      const entry = $$(".tree a[data-path]").find(each => each.dataset.path === file.dataset.file);
      if (entry) $(".seen", entry).hidden = !yes;
    }
    const all = $$("[data-file]").length, count = $$("[data-file].is-seen").length;
    if (count) $("#seen-count").textContent = fill(rev.dataset.saySeen, { seen: count, all });
  }

  // --- keys ---
  const files = () => $$("[data-file]");
  function current() {
    const inside = document.activeElement?.closest("[data-file]");
    if (inside) return inside;
    const focused = document.activeElement?.dataset?.path;
    if (focused) return fileOf(focused);
    const target = decodeURIComponent(location.hash.slice(1)).replace(/:L\d+$/, "");
    return fileOf(target) ?? files().find(each => each.getBoundingClientRect().bottom > 120);
  }
  function go(box) { if (!box) return; box.closest(".file")?.classList.remove("is-seen"); box.scrollIntoView({ block: "center" }); box.focus({ preventScroll: true }); }
  document.addEventListener("keydown", event => {
    if (event.metaKey || event.ctrlKey || event.altKey || typing() || $("dialog[open]") || localStorage["andon-keys"] === "off") return;
    const pressed = event.key.toLowerCase();
    if (pressed === "n" || pressed === "p") {
      const all = $$("[data-comment]"), now = all.indexOf(document.activeElement);
      if (all.length) { event.preventDefault(); go(all[(now + (pressed === "n" ? 1 : now < 0 ? 0 : -1) + all.length) % all.length]); }
    }
    if (pressed === "v" && current()) { event.preventDefault(); mark(current()); }
    if (pressed === "c") {
      const line = document.activeElement?.closest("a[data-line]") ?? $("a[data-line]:hover") ?? $("tr:hover a[data-line], .l:hover > a[data-line]") ?? targeted();
      const file = line?.closest("[data-file]") ?? current();
      if (file) { event.preventDefault(); compose(file.dataset.file, Number(line?.dataset.line ?? 0)); }
    }
  });
  function targeted() {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return found?.matches("a[data-line]") ? found : null;
  }
  // An address such as #docs/orders.md:L16 leads to the line, or to the block that holds it.
  function arrive() {
    const name = decodeURIComponent(location.hash.slice(1)), [, path, line] = /^(.*):L(\d+)$/.exec(name) ?? [];
    for (const each of $$(".tree a")) each.removeAttribute("aria-current");
    const entry = $$(".tree a").find(each => decodeURIComponent(each.getAttribute("href").slice(1)) === (path ?? name));
    entry?.setAttribute("aria-current", "true");
    if (path && fileOf(path)) { fileOf(path).classList.remove("is-seen"); lineAt(path, Number(line))?.scrollIntoView({ block: "center" }); }
  }
  addEventListener("hashchange", arrive);

  seenNow(); show(); if (location.hash) arrive();
  if (matchMedia("(max-width: 760px)").matches) $(".files details")?.removeAttribute("open");
  document.addEventListener("htmx:afterSwap", () => { show(); seenNow(); diagrams(); });
  diagrams();
  function diagrams() { document.dispatchEvent(new Event("andon:diagrams")); }
}
