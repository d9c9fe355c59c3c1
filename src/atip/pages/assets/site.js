// Search in pieces, keyboard, theme. Text from outside is only ever put into text nodes.
"use strict";
(() => {
  const root = document.documentElement.dataset.root || "";
  const input = document.getElementById("find");
  const box = document.getElementById("found");
  const STOP = new Set("a an and are as at be by can for from in is it its of on or that the this to with".split(" "));
  const LIMIT = 10;
  const LEVELS = { safe: "read-only", may: "may have effects", does: "has effects", unknown: "partly unknown" };
  const held = new Map();

  // A flag stays on one line: browsers break after its hyphen. `parts.html` has the same rule.
  function whole(text) {
    return String(text).split(/( +)/).map((word) => {
      if (word.length > 40 || !/^[("'`[]*-/.test(word)) return word;
      const span = document.createElement("span");
      span.className = "whole";
      span.textContent = word;
      return span;
    });
  }
  self.atipPage = { whole };

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

  // Scores of one word by document, in a flat table: a page may have 100,000 documents.
  function addWord(scores, touched, postings, share) {
    let count = 0;
    for (const numbers of postings) count += numbers.length - 1;
    const rarity = Math.log(1 + scores.length / (1 + count)) * share;
    for (const numbers of postings) {
      const score = numbers[0] * rarity;
      let number = 0;
      for (let at = 1; at < numbers.length; at += 1) {
        number += numbers[at];
        if (scores[number] === 0) touched.push(number);
        if (score > scores[number]) scores[number] = score;
      }
    }
  }

  async function scoresOf(word, top, isPrefix) {
    const pieces = await Promise.all(piecesFor(word, top, isPrefix).map((p) => load("p-" + p + ".json")));
    const scores = new Float64Array(top.documents);
    const touched = [];
    for (const { words } of pieces) {
      if (Object.hasOwn(words, word)) addWord(scores, touched, words[word], 1);
      if (!isPrefix) continue;
      for (const longer in words) {
        if (longer !== word && longer.startsWith(word)) addWord(scores, touched, words[longer], word.length / longer.length);
      }
    }
    return { scores, touched, shown: pieces.map((piece) => piece.documents) };
  }

  // The best first: documents with more of the words, then by score, then what is at hand, then by number.
  function best(each, shown, limit) {
    const seen = new Uint8Array(each[0].scores.length);
    const order = [];
    const isBefore = (one, other) => one.key - other.key || one.held - other.held || other.number - one.number;
    for (const { touched } of each) {
      for (const number of touched) {
        if (seen[number]) continue;
        seen[number] = 1;
        let words = 0;
        let sum = 0;
        for (const { scores } of each) if (scores[number]) { words += 1; sum += scores[number]; }
        const key = words * 1e6 + sum;
        if (order.length === limit && key < order[limit - 1].key) continue;
        const one = { key, held: number in shown ? 1 : 0, number };
        let at = order.length;
        while (at > 0 && isBefore(one, order[at - 1]) > 0) at -= 1;
        if (at === limit) continue;
        order.splice(at, 0, one);
        if (order.length > limit) order.pop();
      }
    }
    return order.map((one) => one.number);
  }

  async function search(text, limit) {
    const words = wordsOf(text);
    // The word that is being typed may be the start of a longer one; `a` alone is, `log of a` says nothing yet.
    const tail = (text.toLowerCase().match(/[\p{L}\p{N}]+$/u) || [""])[0];
    if (!words.length && tail) words.push(tail);
    if (!words.length) return [];
    const top = await load("index.json");
    const open = tail !== "" && (words.length === 1 && words[0] === tail || !STOP.has(tail));
    const each = await Promise.all(words.map((word, at) => scoresOf(word, top, open && at === words.length - 1)));
    const shown = Object.assign({}, ...each.flatMap((one) => one.shown));
    return Promise.all(best(each, shown, limit).map(async (number) =>
      shown[number] || (await load("d-" + Math.floor(number / top.block) + ".json"))[number]));
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
    if (LEVELS[level]) {
      const badge = document.createElement("span");
      badge.className = "badge " + level;
      badge.textContent = LEVELS[level];
      link.append(" ", badge);
    }
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
