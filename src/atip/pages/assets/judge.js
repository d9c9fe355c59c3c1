// A worker: Python in WebAssembly with our judge. Answers {id, line} with {id, found}; tells of its start by {stage, done, total}.
const base = new URL("../explain/judge/", self.location.href).href;

async function fetchAll() {
  const sizes = await (await fetch(base + "files.json")).json();
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let done = 0;
  let ours = null;
  for (const name of Object.keys(sizes)) {
    const answer = await fetch(base + name);
    if (!answer.ok) throw new Error(name + ": " + answer.status);
    const parts = [];
    for (const reader = answer.body.getReader(); ; ) {
      const { value, done: ended } = await reader.read();
      if (ended) break;
      done += value.length;
      if (name === "atip.zip") parts.push(value);
      self.postMessage({ stage: "loading", done, total });
    }
    if (name === "atip.zip") ours = await new Blob(parts).arrayBuffer();
  }
  return ours;
}

async function start() {
  const ours = await fetchAll();
  self.postMessage({ stage: "starting" });
  const { loadPyodide } = await import(base + "pyodide.mjs");
  const python = await loadPyodide({ indexURL: base });
  python.unpackArchive(ours, "zip", { extractDir: "/judge" });
  const explain = python.runPython("import sys; sys.path.insert(0, '/judge'); from atip.workflows.explain_page import explain_in_page; explain_in_page");
  self.postMessage({ stage: "ready" });
  return explain;
}

const started = start();
started.catch((error) => self.postMessage({ stage: "failed", text: String(error) }));

self.onmessage = async ({ data }) => {
  const explain = await started;
  const begun = performance.now();
  let found;
  try {
    found = data.cwd ? explain(data.line, data.cwd, data.home) : explain(data.line);
  } catch (error) {
    found = JSON.stringify({ error: String(error) });
  }
  self.postMessage({ id: data.id, found, took: performance.now() - begun });
};
