// Search in pieces, keyboard, theme. Text from outside is only ever put into text nodes.
"use strict";
(() => {
  const root = document.documentElement.dataset.root || "";
  const input = document.getElementById("find");
  const box = document.getElementById("found");
  const STOP = new Set("a an and are as at be by can for from in is it its of on or that the this to with".split(" "));
  const LIMIT = 10;
  const held = new Map();

  function load(path) {
    if (!held.has(path)) {
      const answer = fetch(root + "search/" + path).then((r) => (r.ok ? r.json() : Promise.reject(new Error(String(r.status)))));
      held.set(path, answer);
      answer.catch(() => held.delete(path));
    }
    return held.get(path);
  }

  // The same words as in search_pieces.py.
  function wordsOf(text) {
    const found = [];
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []) {
      if (STOP.has(word)) continue;
      const plural = word.length > 3 && word.endsWith("s") && word[word.length - 2] !== "s";
      found.push(plural ? word.slice(0, -1) : word);
    }
    return [...new Set(found)];
  }

  function piecesFor(word, top, isPrefix) {
    if (!/^[a-z0-9]+$/.test(word.slice(0, 8))) return top.pieces.includes("_") ? ["_"] : [];
    let best = "";
    for (const piece of top.pieces) if (word.startsWith(piece) && piece.length > best.length) best = piece;
    const found = best ? [best] : [];
    if (isPrefix) {
      // What is typed may be the start of longer words: the first few pieces below it will do.
      for (const piece of top.pieces) if (piece.startsWith(word) && piece !== best && found.length < 3) found.push(piece);
    }
    return found;
  }

  function addWord(scores, postings, total, share) {
    let count = 0;
    for (const [, ...numbers] of postings) count += numbers.length;
    const rarity = Math.log(1 + total / (1 + count));
    for (const [weight, ...distances] of postings) {
      let number = 0;
      for (const distance of distances) {
        number += distance;
        const score = weight * rarity * share;
        if (score > (scores.get(number) || 0)) scores.set(number, score);
      }
    }
  }

  async function scoresOf(word, top, isPrefix) {
    const scores = new Map();
    for (const piece of await Promise.all(piecesFor(word, top, isPrefix).map((p) => load("p-" + p + ".json")))) {
      if (Object.hasOwn(piece, word)) addWord(scores, piece[word], top.documents, 1);
      if (!isPrefix) continue;
      for (const longer of Object.keys(piece)) {
        if (longer !== word && longer.startsWith(word)) addWord(scores, piece[longer], top.documents, word.length / longer.length);
      }
    }
    return scores;
  }

  async function search(text, limit) {
    const words = wordsOf(text);
    if (!words.length) return [];
    const top = await load("index.json");
    const open = !/\s$/.test(text);
    const each = await Promise.all(words.map((word, at) => scoresOf(word, top, open && at === words.length - 1)));
    const totals = new Map();
    for (const scores of each) {
      for (const [number, score] of scores) {
        const before = totals.get(number) || [0, 0];
        totals.set(number, [before[0] + 1, before[1] + score]);
      }
    }
    const order = [...totals].sort((a, b) => b[1][0] - a[1][0] || b[1][1] - a[1][1] || a[0] - b[0]).slice(0, limit);
    const blocks = await Promise.all(order.map(([number]) => load("d-" + Math.floor(number / top.block) + ".json")));
    return order.map(([number], at) => blocks[at][number]);
  }

  function entry([address, name, text, level]) {
    const link = document.createElement("a");
    link.href = root + address + ".html";
    const code = document.createElement("code");
    code.textContent = name.slice(0, 100);
    const about = document.createElement("bdi");
    about.className = "text";
    about.textContent = text;
    link.append(code, " ", about);
    link.dataset.level = level;
    return link;
  }

  let asked = 0;
  let chosen = -1;
  function choose(step) {
    const links = [...box.querySelectorAll("a")];
    if (!links.length) return;
    if (chosen >= 0) links[chosen].classList.remove("chosen");
    chosen = (chosen + step + links.length + (chosen < 0 && step < 0 ? 1 : 0)) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  async function suggest() {
    const mine = ++asked;
    const text = input.value;
    if (!text.trim()) { box.hidden = true; return; }
    const started = performance.now();
    let nodes;
    try {
      const found = await search(text, LIMIT);
      nodes = found.map(entry);
      if (!nodes.length) { const none = document.createElement("p"); none.textContent = "Nothing found."; nodes = [none]; }
    } catch {
      const failed = document.createElement("p");
      failed.textContent = "The search index could not be read.";
      nodes = [failed];
    }
    if (mine !== asked) return;
    chosen = -1;
    box.replaceChildren(...nodes);
    box.dataset.took = String(performance.now() - started);
    box.hidden = false;
  }

  if (input && box) {
    input.addEventListener("input", suggest);
    input.addEventListener("focus", () => { load("index.json").catch(() => {}); if (box.childElementCount && input.value.trim()) box.hidden = false; });
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? 1 : -1); }
      else if (event.key === "Escape") { box.hidden = true; input.blur(); }
      else if (event.key === "Enter" && chosen >= 0 && !box.hidden) { event.preventDefault(); box.querySelectorAll("a")[chosen].click(); }
    });
    document.addEventListener("click", (event) => { if (!event.target.closest(".find")) box.hidden = true; });
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); input.focus(); input.select(); }
    });
  }

  const results = document.getElementById("search-results");
  if (results) {
    const status = document.getElementById("search-status");
    const query = new URLSearchParams(location.search).get("q") || "";
    input.value = query;
    status.textContent = query ? "Searching…" : "Type into the field above, or press /.";
    if (query) {
      search(query + " ", 50).then((found) => {
        status.textContent = found.length ? found.length + " results for “" + query + "”" : "Nothing found for “" + query + "”.";
        results.replaceChildren(...found.map((one) => { const item = document.createElement("li"); item.append(entry(one)); return item; }));
      }, () => { status.textContent = "The search index could not be read."; });
    }
  }

  const button = document.getElementById("theme");
  if (button) {
    const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const label = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", "Use the " + (dark() ? "light" : "dark") + " theme"); };
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = dark() ? "light" : "dark";
      try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* storage may be off */ }
      label();
    });
  }

  const line = document.getElementById("line");
  const form = line && line.closest("form.try");
  if (form) {
    // The line goes into the fragment, which no browser sends to a server.
    form.addEventListener("submit", (event) => { event.preventDefault(); location.href = form.getAttribute("action") + "#" + encodeURIComponent(line.value); });
  }
})();
