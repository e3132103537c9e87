// The interface under /v1, and the WebSocket of its events.
import { words } from "./words.js";

export const client = (() => {
  let id = localStorage.getItem("client");
  if (!id) {
    id = [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");
    localStorage.setItem("client", id);
  }
  return id;
})();

export class StudioError extends Error {
  constructor(message, status, code) { super(message); this.status = status; this.code = code; }
}

export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "Atelier-Client": client, ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new StudioError(words.error.offline, 0, "offline");
  }
  if (!response.ok) {
    let known = {};
    try { known = (await response.json()).error ?? {}; } catch { /* No words. */ }
    throw new StudioError(known.message ?? response.statusText, response.status, known.code);
  }
  return response;
}

export const get = async (path, options) => (await ask(path, options)).json();
export const remove = (path) => ask(path, { method: "DELETE" });

export async function post(path, body, { type, headers, signal } = {}) {
  const isPlain = body && Object.getPrototypeOf(body) === Object.prototype;
  const response = await ask(path, {
    method: "POST", body: isPlain ? JSON.stringify(body) : body, signal,
    headers: { ...(isPlain ? { "Content-Type": "application/json" } : type ? { "Content-Type": type } : {}), ...headers },
  });
  return response.status === 204 ? null : response.json();
}

export async function sendPicture(blob) {
  const limits = await health();
  if (blob.size > limits.limits.pictureBytes) {
    throw new StudioError(words.error.tooLarge(Math.floor(limits.limits.pictureBytes / 1e6)), 413, "too_large");
  }
  return post("/v1/pictures", blob, { type: blob.type || "application/octet-stream" });
}

/// Sends a film. `fetch` does not tell how much of a body is sent, so this is an older kind of request.
export async function sendFilm(file, progress, signal) {
  const { limits } = await health();
  if (file.size > limits.filmBytes) {
    throw new StudioError(words.error.tooLarge(Math.floor(limits.filmBytes / 1e6)), 413, "too_large");
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1/films?name=${encodeURIComponent(file.name || "film")}`);
    request.setRequestHeader("Atelier-Client", client);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => progress(event.loaded / event.total));
    request.addEventListener("load", () => {
      const error = request.response?.error;
      if (request.status === 201) resolve(request.response);
      else reject(new StudioError(error?.message ?? request.statusText, request.status, error?.code));
    });
    request.addEventListener("error", () => reject(new StudioError(words.error.offline, 0, "offline")));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

let known;
export const forgetHealth = () => { known = undefined; };
export const health = () => (known ??= get("/v1/health").catch((error) => { known = undefined; throw error; }));

// The listeners for the studio's events, by kind of event. The WebSocket reconnects by itself.
const listeners = new Map();
let socket;
let patience = 500;

export function on(kind, body, signal) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(body);
  signal?.addEventListener("abort", () => listeners.get(kind).delete(body));
  connect();
}

const isConnected = () => socket?.readyState === 1;

/// Calls `changed` for each event of a kind. Calls `lookAgain` after each connection, and every second while the events
/// are not connected.
export function follow(kind, changed, lookAgain, signal) {
  on(kind, changed, signal);
  on("connected", lookAgain, signal);
  const asking = setInterval(() => { if (!isConnected()) lookAgain(); }, 1000);
  signal.addEventListener("abort", () => clearInterval(asking));
}

// A page that was loaded over TLS may not open a socket without TLS.
export const socketAddress = (path) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

function connect() {
  if (socket) return;
  const opened = new WebSocket(socketAddress(`/v1/events?client=${client}`));
  socket = opened;
  const beat = setInterval(() => opened.readyState === 1 && opened.send("."), 25000);
  opened.addEventListener("open", () => { patience = 500; emit("connected"); });
  opened.addEventListener("message", (event) => {
    const { type, value } = JSON.parse(event.data);
    emit(type, value);
  });
  opened.addEventListener("close", () => {
    clearInterval(beat);
    socket = undefined;
    setTimeout(connect, patience);
    patience = Math.min(patience * 2, 8000);
  });
}

function emit(kind, value) {
  for (const body of listeners.get(kind) ?? []) body(value);
}
