// The page that explains a line: asks the worker (a site) or the server (one's own machine), shows text only.
"use strict";
(() => {
  const area = document.getElementById("shell");
  const output = document.getElementById("explanation");
  if (!area || !output) return;
  const root = document.documentElement.dataset.root || "";
  document.getElementById("judge").hidden = false;
  const status = document.getElementById("judge-status");
  const bar = document.getElementById("judge-progress");
  const { whole } = self.atipPage;
  const waiting = new Map();
  let number = 0;

  function make(tag, name, ...inner) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.append(...inner);
    return node;
  }

  function askWorker(url) {
    const worker = new Worker(url, { type: "module" });
    worker.onerror = () => { status.textContent = "The judge could not be started in this browser."; };
    worker.onmessage = ({ data }) => {
      if (data.stage === "loading") { bar.max = data.total; bar.value = data.done; status.textContent = "Loading the judge: " + (data.done / 1e6).toFixed(1) + " of " + (data.total / 1e6).toFixed(1) + " MB"; }
      else if (data.stage === "starting") { bar.removeAttribute("value"); status.textContent = "Starting the judge…"; }
      else if (data.stage === "ready") { bar.hidden = true; status.textContent = "Ready. The line stays in this page."; document.body.dataset.judge = "ready"; }
      else if (data.stage === "failed") { bar.hidden = true; status.textContent = "The judge could not be started: " + data.text; }
      else if (waiting.has(data.id)) { waiting.get(data.id)(JSON.parse(data.found)); waiting.delete(data.id); }
    };
    return (line, cwd, home) => new Promise((resolve) => {
      const id = ++number;
      waiting.set(id, resolve);
      worker.postMessage({ id, line, cwd, home });
    });
  }

  async function askServer(line) {
    const answer = await fetch(output.dataset.url + "?line=" + encodeURIComponent(line));
    return answer.json();
  }

  const ask = output.dataset.url ? askServer : (typeof WebAssembly === "object" ? askWorker(root + output.dataset.worker) : null);
  if (!ask) { status.textContent = "This browser has no WebAssembly. On a terminal, atip explain gives the same answer."; return; }
  if (output.dataset.url) { bar.hidden = true; document.body.dataset.judge = "ready"; }
  self.atipExplain = ask;

  const labels = { allow: "allow", ask: "ask", deny: "deny", confine: "confine" };
  function decision(outcome) { return make("span", "badge " + outcome, labels[outcome] || outcome); }

  function facts(effects) {
    const said = [];
    const files = effects.filesystem || {};
    const rows = [["destroys data", effects.destructive], ["deletes files", files.delete], ["writes files", files.write], ["uses the network", effects.network], ["runs programs", effects.subprocess], ["costs money", (effects.cost || {}).billable]];
    let unknown = 0;
    for (const [label, value] of rows) {
      if (value === true) said.push(make("span", "badge does", label));
      else if (value !== false && label !== "costs money" && label !== "runs programs") unknown += 1;
    }
    if (unknown) said.push(make("span", "badge unknown", unknown === 4 ? "effects unknown" : "partly unknown"));
    if (!said.length) said.push(make("span", "badge safe", "read-only"));
    return make("span", "badges", ...said);
  }

  // Reasons that all presets share are shown once, below the boxes.
  function presetBoxes(presets, reasons) {
    const names = Object.keys(presets);
    const shared = new Set(names.map((name) => JSON.stringify(reasons[name]))).size === 1;
    const boxes = names.map((name) =>
      make("div", "", make("b", "", name), " ", decision(presets[name].decision), ...(shared ? [] : reasons[name].map(because)), make("p", "dim rule", "Rule: ", ...whole(presets[name].rule))));
    return [make("div", "presets", ...boxes), ...(shared ? reasons[names[0]].map(because) : [])];
  }

  function because(one) {
    const command = one.command ? [make("code", "", ...whole(one.command)), ": "] : [];
    return make("p", "dim", ...command, ...whole(one.reasons.join("; ")));
  }

  function show(found) {
    if (found.error) { output.replaceChildren(make("p", "warning", typeof found.error === "string" ? found.error : found.error.message)); return; }
    const names = Object.keys(found.presets);
    const first = found.presets.cautious || found.presets[names[0]];
    const nodes = [make("h2", "", "Decision"), ...presetBoxes(found.presets, found.reasons)];
    if (first.problem) nodes.push(make("p", "warning", first.problem));
    if (first.invocations.length) nodes.push(make("h2", "", "Commands"));
    first.invocations.forEach((one, at) => {
      const card = make("section", "card", make("h3", "", ...whole(one.text || one.tool)), facts(one.effects));
      const words = found.words[at] || [];
      card.append(make("ul", "words", ...words.map((word) => make("li", word.role, make("code", "", ...whole(word.word)), make("span", "role", ...whole(word.role + (word.text ? ": " + word.text : "")))))));
      if (one.reasons.length) card.append(make("ul", "", ...one.reasons.map((reason) => make("li", "", make("code", "", ...whole(reason.subject)), " ", ...whole(reason.says), " ", make("span", "evidence", reason.evidence)))));
      nodes.push(card);
    });
    output.replaceChildren(...nodes);
  }

  let last = 0;
  async function explain(line) {
    const mine = ++last;
    if (!line.trim()) { output.replaceChildren(); return; }
    if (output.dataset.share) history.replaceState(null, "", "#" + encodeURIComponent(line));
    const found = await ask(line);
    if (mine === last) { show(found); output.dataset.line = line; }
  }

  function fromAddress() {
    let line = "";
    try { line = decodeURIComponent(location.hash.slice(1)); } catch { /* not an address of ours */ }
    if (line) { area.value = line; explain(line); }
  }

  area.closest("form").addEventListener("submit", (event) => { event.preventDefault(); explain(area.value); });
  area.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); explain(area.value); } });
  for (const button of document.querySelectorAll("button[data-line]")) {
    button.addEventListener("click", () => { area.value = button.dataset.line; explain(area.value); });
  }
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
