/** Runtime of the generated wrappers: makes requests, holds no credentials, has no dependency.
 *
 * Addresses and credentials come from the environment: `ATIP_<SOURCE>_URL`, and `ATIP_<SOURCE>_TOKEN` (bearer),
 * `ATIP_<SOURCE>_BASIC` (user:password) or `ATIP_<SOURCE>_HEADER` (`Name: value`). Credentials go to the origin of that
 * address only, and redirects are not followed. Sources that need a process (MCP, databases) go through `atip api call`.
 */

interface Parameter {
  readonly argument: string;
  readonly name: string;
  readonly place: string;
  readonly style: string;
  readonly explode: boolean;
  readonly required?: boolean;
  readonly reserved?: boolean;
  readonly mediaType?: string;
}

export interface Operation {
  readonly source: string;
  readonly name: string;
  readonly kind: string;
  readonly method?: string;
  readonly path?: string;
  readonly statement?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly argument: string; readonly mediaType: string; readonly required?: boolean };
}

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 0) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

type Values = Record<string, unknown>;
type Pair = [string, string];

declare const process: { env: Record<string, string | undefined> };

const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const DELIMITERS: Record<string, string> = { form: ",", spaceDelimited: "%20", pipeDelimited: "|", tabDelimited: "%09" };

/** Call an operation. */
export async function call(operation: Operation, args: Values): Promise<unknown> {
  if (operation.kind === "openapi" || operation.kind === "graphql") {
    const base = baseOf(operation.source);
    const request = operation.kind === "graphql" ? graphqlRequest(operation, args, base) : buildRequest(operation, args, base);
    const answer = await send(operation, authorised(operation.source, request));
    return operation.kind === "graphql" ? dataOf(answer) : answer;
  }
  return throughAtip(operation, args);
}

/** The request of an HTTP operation. Every value stays in the place that the document gives it. */
export function buildRequest(operation: Operation, args: Values, base: string): HttpRequest {
  let path = (operation.path ?? "").split("#")[0] ?? "";
  const query: Pair[] = [];
  const headers: Record<string, string> = { Accept: "application/json, */*;q=0.1" };
  const cookies: string[] = [];
  for (const parameter of operation.parameters ?? []) {
    let value = args[parameter.argument];
    if (value === undefined) {
      if (parameter.required) throw new ApiError("api.missing-argument", `${parameter.argument} is required`);
      continue;
    }
    if (parameter.mediaType && typeof value !== "string") value = JSON.stringify(value);
    if (parameter.place === "path") {
      path = path.split(`{${parameter.name}}`).join(pathValue(parameter, value));
    } else if (parameter.place === "query") {
      query.push(...pairs(parameter, value));
    } else if (parameter.place === "header") {
      headers[parameter.name] = headerValue(parameter, value);
    } else if (parameter.place === "cookie") {
      cookies.push(...pairs(parameter, value).map(([name, text]) => `${name}=${text}`));
    }
  }
  if (cookies.length > 0) headers["Cookie"] = cookies.join("; ");
  let url = base.replace(/\/+$/, "") + (path.startsWith("/") || path === "" ? path : `/${path}`);
  if (query.length > 0) url += (url.includes("?") ? "&" : "?") + query.map(([name, text]) => `${name}=${text}`).join("&");
  const request: HttpRequest = { method: operation.method ?? "GET", url, headers };
  if (operation.body && args[operation.body.argument] !== undefined) {
    request.body = bodyOf(operation.body.mediaType, args[operation.body.argument]);
    headers["Content-Type"] = operation.body.mediaType;
  } else if (operation.body?.required) {
    throw new ApiError("api.missing-argument", `${operation.body.argument} is required`);
  }
  return request;
}

function graphqlRequest(operation: Operation, args: Values, base: string): HttpRequest {
  const variables: Values = {};
  for (const parameter of operation.parameters ?? []) {
    if (args[parameter.argument] !== undefined) variables[parameter.name] = args[parameter.argument];
  }
  const body = JSON.stringify({ query: operation.statement, variables });
  return { method: "POST", url: base, headers: { "Content-Type": "application/json", Accept: "application/json" }, body };
}

function dataOf(answer: unknown): unknown {
  const told = answer as { data?: unknown; errors?: Array<{ message?: string }> };
  if (told.errors && told.errors.length > 0) throw new ApiError("api.graphql", told.errors[0]?.message ?? "refused");
  return told.data;
}

function encode(text: string, keep = ""): string {
  return Array.from(new TextEncoder().encode(text))
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(sign) || (byte < 128 && keep.includes(sign))
        ? sign
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function joined(value: unknown, between: string, explode: boolean): string {
  if (Array.isArray(value)) return value.map((each) => encode(text(each))).join(between);
  if (isObject(value)) {
    const sign = explode ? "=" : ",";
    return Object.entries(value).map(([key, each]) => `${encode(key)}${sign}${encode(text(each))}`).join(between);
  }
  return encode(text(value));
}

function pathValue(parameter: Parameter, value: unknown): string {
  let made: string;
  if (parameter.style === "label") made = "." + joined(value, parameter.explode ? "." : ",", parameter.explode);
  else if (parameter.style === "matrix") made = matrix(parameter, value);
  else made = joined(value, ",", parameter.explode);
  if (made === "" || made === "." || made === "..") {
    throw new ApiError("api.path-value", `${parameter.argument} would change the path of the request`);
  }
  return made;
}

function matrix(parameter: Parameter, value: unknown): string {
  const name = encode(parameter.name);
  if (parameter.explode && Array.isArray(value)) return value.map((each) => `;${name}=${encode(text(each))}`).join("");
  if (parameter.explode && isObject(value)) {
    return Object.entries(value).map(([key, each]) => `;${encode(key)}=${encode(text(each))}`).join("");
  }
  return `;${name}=${joined(value, ",", false)}`;
}

function pairs(parameter: Parameter, value: unknown): Pair[] {
  const name = encode(parameter.name);
  const keep = parameter.reserved ? ":/?[]@!$'()*,;" : "";
  if (Array.isArray(value)) {
    if (parameter.style === "deepObject") return value.map((each): Pair => [`${name}%5B%5D`, encode(text(each), keep)]);
    if (parameter.explode && parameter.style === "form") return value.map((each): Pair => [name, encode(text(each), keep)]);
    return [[name, value.map((each) => encode(text(each), keep)).join(DELIMITERS[parameter.style] ?? ",")]];
  }
  if (isObject(value)) {
    if (parameter.style === "deepObject") return deep(name, value, keep);
    if (parameter.explode && parameter.style === "form") {
      return Object.entries(value).map(([key, each]): Pair => [encode(key), encode(text(each), keep)]);
    }
    const flat = Object.entries(value).flatMap(([key, each]) => [encode(key), encode(text(each), keep)]);
    return [[name, flat.join(DELIMITERS[parameter.style] ?? ",")]];
  }
  return [[name, encode(text(value), keep)]];
}

function deep(name: string, value: unknown, keep = ""): Pair[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => deep(`${name}%5B${index}%5D`, each, keep));
  if (isObject(value)) return Object.entries(value).flatMap(([key, each]) => deep(`${name}%5B${encode(key)}%5D`, each, keep));
  return [[name, encode(text(value), keep)]];
}

function headerValue(parameter: Parameter, value: unknown): string {
  const made = Array.isArray(value)
    ? value.map(text).join(",")
    : isObject(value)
      ? Object.entries(value).map(([key, each]) => `${key}${parameter.explode ? "=" : ","}${text(each)}`).join(",")
      : text(value);
  // A line end would begin a header of the value's own choice.
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(made)) throw new ApiError("api.header-value", `${parameter.argument} holds a control character`);
  return /^[\x20-\x7e\t]*$/.test(made) ? made : encode(made);
}

function bodyOf(mediaType: string, value: unknown): string {
  const bare = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  if (bare === "application/x-www-form-urlencoded") {
    if (!isObject(value)) throw new ApiError("api.body-value", "a form must be an object");
    return Object.entries(value)
      .flatMap(([key, each]): Pair[] => formPairs(key, each))
      .map(([name, each]) => `${name}=${each}`)
      .join("&");
  }
  if (bare.startsWith("multipart/")) throw new ApiError("api.body-value", "multipart bodies are sent by the Python runtime: atip api call");
  if (bare === "application/json" || bare.endsWith("+json") || bare.includes("*")) return JSON.stringify(value);
  return text(value);
}

function formPairs(key: string, value: unknown): Pair[] {
  const isNested = (each: unknown): boolean => typeof each === "object" && each !== null;
  if (Array.isArray(value) && !value.some(isNested)) return value.map((each): Pair => [encode(key), encode(text(each))]);
  if (isObject(value) && !Object.values(value).some(isNested)) {
    return Object.entries(value).map(([inner, each]): Pair => [encode(inner), encode(text(each))]);
  }
  return deep(encode(key), value);
}

function variable(source: string, name: string): string | undefined {
  return process.env[`ATIP_${source.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_${name}`];
}

function baseOf(source: string): string {
  const base = variable(source, "URL");
  if (!base) throw new ApiError("api.no-address", `set ATIP_${source.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_URL`);
  return base;
}

function authorised(source: string, request: HttpRequest): HttpRequest {
  const headers = { ...request.headers };
  const token = variable(source, "TOKEN");
  const basic = variable(source, "BASIC");
  const header = variable(source, "HEADER");
  if (token) headers["Authorization"] = `Bearer ${token}`;
  else if (basic) headers["Authorization"] = `Basic ${btoa(basic)}`;
  if (header) {
    const cut = header.indexOf(":");
    headers[header.slice(0, cut).trim()] = header.slice(cut + 1).trim();
  }
  return { ...request, headers };
}

async function send(operation: Operation, request: HttpRequest): Promise<unknown> {
  const safe = ["GET", "HEAD", "OPTIONS"].includes(request.method);
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    if (safe && attempt < ATTEMPTS && [429, 502, 503, 504].includes(response.status)) {
      await response.body?.cancel();
      await new Promise((done) => setTimeout(done, Math.random() * 200 * 2 ** attempt));
      continue;
    }
    return read(operation, response);
  }
}

async function read(operation: Operation, response: Response): Promise<unknown> {
  const content = await bounded(response);
  if (response.status === 401) throw new ApiError("api.auth-required", `${operation.source} wants credentials`, 401);
  if (response.status >= 300) throw new ApiError("api.status", `${operation.name}: status ${response.status}: ${content.slice(0, 500)}`, response.status);
  const kind = response.headers.get("content-type") ?? "";
  return /[/+]json/.test(kind) && content !== "" ? JSON.parse(content) : content;
}

async function bounded(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let made = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return made + decoder.decode();
    size += value.byteLength;
    if (size > MAX_BYTES) {
      await reader.cancel();
      throw new ApiError("api.too-large", `the answer is larger than ${MAX_BYTES} bytes`);
    }
    made += decoder.decode(value, { stream: true });
  }
}

async function throughAtip(operation: Operation, args: Values): Promise<unknown> {
  // @ts-ignore: Node's own module; its types are not needed to compile the wrappers
  const { execFile } = await import("node:child_process");
  const argv = ["api", "call", `${operation.source}.${operation.name}`, "--args", JSON.stringify(args), "--json"];
  return new Promise((resolve, reject) => {
    execFile("atip", argv, { maxBuffer: MAX_BYTES }, (error: unknown, output: string) => {
      try {
        const told = JSON.parse(output);
        if (told.error) reject(new ApiError(told.error.code, told.error.message));
        else resolve(told.data);
      } catch {
        reject(error ?? new ApiError("api.unreadable", "atip printed no JSON"));
      }
    });
  });
}
