// The log, live: asks for what is newer than the newest record and puts it on top.
"use strict";
(() => {
  const body = document.getElementById("log");
  const filter = document.getElementById("filter");
  const status = document.getElementById("log-status");
  if (!body) return;
  const { whole } = self.atipPage;
  const root = document.documentElement.dataset.root || "";
  let after = Number(body.dataset.after) || 0;

  const event = document.getElementById("filter-event");
  const decision = document.getElementById("filter-decision");

  function sift() {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows) {
      row.hidden = (Boolean(wanted) && !row.textContent.toLowerCase().includes(wanted))
        || (event.value !== "" && row.dataset.event !== event.value)
        || (decision.value !== "" && row.dataset.decision !== decision.value);
    }
  }

  function add(record) {
    const row = body.insertRow(0);
    row.dataset.event = record.event;
    row.dataset.decision = record.decision;
    row.insertCell().textContent = record.time;
    row.insertCell().textContent = record.event;
    const decided = row.insertCell();
    if (record.decision) {
      const badge = document.createElement("span");
      badge.className = "badge " + (["allow", "ask", "deny", "confine"].includes(record.decision) ? record.decision : "");
      badge.textContent = record.decision;
      decided.append(badge);
    }
    const code = document.createElement("code");
    code.append(...whole(record.text));
    row.insertCell().append(code);
    row.insertCell().append(...whole(record.rule));
  }

  async function look() {
    try {
      const answer = await fetch(root + "log.json?after=" + after);
      if (!answer.ok) throw new Error(String(answer.status));
      const { records } = await answer.json();
      for (const record of records.reverse()) { add(record); after = Math.max(after, record.number); }
      if (records.length) sift();
      status.textContent = "Live: new records appear on top.";
    } catch {
      status.textContent = "atip ui does not answer; start it again on the terminal.";
    }
    setTimeout(look, 1000);
  }

  filter.addEventListener("input", sift);
  for (const select of [event, decision]) select.addEventListener("change", sift);
  filter.form.addEventListener("submit", (event) => event.preventDefault());
  if (location.protocol.startsWith("http")) setTimeout(look, 1000);
})();
