/** Runtime of the generated wrappers: every call goes through `atip api call`. Node only; no dependency but the `atip` command.
 *
 * There arguments are checked against the schema of the operation, policy decides, the project's configuration must be approved,
 * and the call gets its record. Where policy asks, nobody is asked until you say whom:
 *
 *     use({ ask: "terminal" });                        // on the user's own terminal
 *     use({ ask: async (question) => … });             // a function that reaches the user, and returns true for yes
 */

/** What a person needs to know before saying yes. */
export interface Question {
  readonly text: string;
  readonly argv: readonly string[];
  readonly program: string;
  readonly reasons: readonly string[];
  readonly destructive: boolean;
}

export type Asker = (question: Question) => boolean | Promise<boolean>;

export interface Settings {
  /** Who is asked: nobody (the default; what needs a yes is refused), the user's terminal, or a function. */
  ask: "none" | "terminal" | Asker;
  /** `codegen.config.json`; empty: the nearest one above this file. */
  config: string;
  /** Preset of the policy; empty: as configured. */
  policy: string;
  /** How `atip` is started. */
  command: readonly [string, ...string[]];
}

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint = "") {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const MAX_CHARACTERS = 64 * 1024 * 1024;
const CONFIG = "codegen.config.json";
const ASK_FD = 3;

let settings: Settings = { ask: "none", config: "", policy: "", command: ["atip"] };

/** Change how calls are made; what is not named stays. */
export function use(changes: Partial<Settings>): void {
  settings = { ...settings, ...changes };
}

/** Call an operation. Rejects with an `ApiError` and the stable code of `atip`. */
export async function call(source: string, name: string, args: Record<string, unknown>): Promise<unknown> {
  const { ask, command, policy } = settings;
  const config = settings.config || (await findConfig());
  const where = typeof ask === "function" ? `fd:${ASK_FD}` : ask;
  const argv = [...command.slice(1), "api", "call", `${source}.${name}`, "--args", "-", "--config", config, "--ask", where, "--json"];
  if (policy) argv.push("--policy", policy);
  const output = await run(command[0], argv, JSON.stringify(args), typeof ask === "function" ? ask : undefined);
  const told = parsed(output);
  if (told.error) throw new ApiError(told.error.code, told.error.message, told.error.hint ?? "");
  return told.data;
}

function parsed(output: string): { data?: unknown; error?: { code: string; message: string; hint?: string } } {
  try {
    return JSON.parse(output);
  } catch {
    throw new ApiError("api.unreadable", "`atip` did not print JSON");
  }
}

async function findConfig(): Promise<string> {
  // @ts-ignore: Node's own modules; their types are not needed to compile the wrappers
  const [fs, path, url] = [await import("node:fs"), await import("node:path"), await import("node:url")];
  const start: string = path.dirname(url.fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = path.dirname(folder)) {
    const file: string = path.join(folder, CONFIG);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) throw new ApiError("api.config-missing", `no ${CONFIG} above ${start}`);
  }
}

async function run(program: string, argv: readonly string[], input: string, ask?: Asker): Promise<string> {
  // @ts-ignore: as above
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ["pipe", "pipe", "ignore", ask ? "pipe" : "ignore"] });
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      output += text;
      if (output.length <= MAX_CHARACTERS) return;
      child.kill();
      reject(new ApiError("api.too-large", `the answer is larger than ${MAX_CHARACTERS} characters`));
    });
    child.on("error", (error: Error) => reject(new ApiError("api.no-atip", `cannot start ${program}: ${error.message}`)));
    child.on("close", () => resolve(output));
    if (ask) answer(child.stdio[ASK_FD], ask);
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** Answer the questions that come, one JSON document per line. Anything but a plain `true` is a no. */
function answer(channel: any, ask: Asker): void {
  let text = "";
  channel.setEncoding("utf8");
  channel.on("error", () => undefined);
  channel.on("data", async (more: string) => {
    text += more;
    const end = text.indexOf("\n");
    if (end < 0) return;
    const question = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    let said = false;
    try {
      said = (await ask(question)) === true;
    } finally {
      channel.write(`${JSON.stringify({ binding: question.binding, answer: said })}\n`);
    }
  });
}
