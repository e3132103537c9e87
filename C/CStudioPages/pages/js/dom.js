// Functions that make and change elements of the page.
import { words } from "./words.js";

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [k, v] of Object.entries(value)) element.style.setProperty(`--${k}`, v);
    else if (name in element && typeof value !== "string") element[name] = value;
    else if (name === "text") element.textContent = value;
    else if (["value", "className", "htmlFor", "innerText"].includes(name)) element[name] = value;
    else element.setAttribute(name, value);
  }
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "vars") for (const [k, v] of Object.entries(value)) element.style.setProperty(`--${k}`, v);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/// Shows a sentence above the page. An error stays until the user closes it or leaves the page.
export function toast(text, kind = "") {
  const isBad = kind === "bad";
  const element = h("div", { class: `toast ${kind}`, role: isBad ? "alert" : null }, h("span", { text }),
    isBad ? h("button", { class: "close", text: "×", "aria-label": words.common.close, onclick: () => element.remove() }) : null);
  const toasts = document.getElementById("toasts");
  for (const same of [...toasts.children]) if (same.firstChild.textContent === text) same.remove();
  while (toasts.childElementCount > 1) toasts.firstElementChild.remove();
  toasts.append(element);
  if (!isBad) setTimeout(() => element.remove(), 4500);
}

/// Removes the sentences. The page that they belong to is left.
export const clearToasts = () => document.getElementById("toasts").replaceChildren();

/// Reports an error to the user, except errors that the user caused by cancelling. Names the file that it is about.
export function report(error, file) {
  if (error?.name === "AbortError") return;
  const text = error?.message ?? String(error);
  // The studio's sentence about a file begins with a name of its own.
  toast(file?.name ? words.error.ofFile(file.name, text.replace(/^Picture '[^']*': /, "")) : text, "bad");
}

/// A slider that says what its value means.
export function slider({ label, name, id, min, max, step = 1, value, word, change = () => {} }) {
  // An `output` would be the element that the label labels.
  const shown = h("span", { class: "meaning small soft", text: word(value) });
  const input = h("input", { type: "range", name, id, min: String(min), max: String(max), step: String(step), value: String(value), "aria-valuetext": word(value), oninput: () => {
    shown.textContent = word(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
    change(Number(input.value));
  } });
  return h("label", { class: "field" }, h("span", { class: "row spread" }, h("span", { text: label }), shown), input);
}

export function segments(name, choices, value, change) {
  return h("div", { class: "segments", role: "radiogroup", "aria-label": name },
    choices.map(([key, label]) => h("label", {}, h("input", {
      type: "radio", name: name.replaceAll(" ", "-"), value: key, checked: key === value,
      onchange: () => change(key),
    }), label)));
}

export function pick({ accept = "image/*", multiple = false, capture, folder = false } = {}) {
  return new Promise((resolve) => {
    const input = h("input", { type: "file", accept, multiple, hidden: true });
    if (capture) input.setAttribute("capture", capture);
    if (folder) input.webkitdirectory = true;
    input.addEventListener("change", () => { resolve([...input.files]); input.remove(); });
    input.addEventListener("cancel", () => { resolve([]); input.remove(); });
    document.body.append(input);
    input.click();
  });
}

export function dropTarget(element, receive, signal) {
  let depth = 0;
  const on = (type, body) => element.addEventListener(type, body, { signal });
  on("dragenter", (e) => { e.preventDefault(); depth += 1; element.classList.add("over"); });
  on("dragleave", () => { depth -= 1; if (depth <= 0) element.classList.remove("over"); });
  on("dragover", (e) => e.preventDefault());
  on("drop", (e) => {
    e.preventDefault(); depth = 0; element.classList.remove("over");
    // Reads folders immediately: the dropped items are not available after the event.
    const entries = [...e.dataTransfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.some((each) => each.isDirectory)) { receive([...e.dataTransfer.files]); return; }
    Promise.all(entries.map(filesOf)).then((files) => receive(files.flat()), report);
  });
}

/// Returns a dropped file, or all files of a dropped folder. Sets the `path` of each file, relative to the drop.
async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, fail) => entry.file(resolve, fail));
    file.path = entry.fullPath.replace(/^\//, "");
    return [file];
  }
  const reader = entry.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((resolve, fail) => reader.readEntries(resolve, fail));
    if (!some.length) break;
    all.push(...await Promise.all(some.map(filesOf)));
  }
  return all.flat();
}

export const pathOf = (file) => file.path || file.webkitRelativePath || file.name;

export function save(blobOrAddress, name) {
  const address = typeof blobOrAddress === "string" ? blobOrAddress : URL.createObjectURL(blobOrAddress);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  if (typeof blobOrAddress !== "string") setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export const bytes = (n) => n > 1e6 ? `${(n / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(n / 1e3))} kB`;

/// The picture of a style's tile: the painting on the left, its effect on the right. A style without a painting shows
/// only the effect.
export function thumb(style, { image } = {}) {
  const effect = image ?? h("img", { src: style.thumbnail, alt: "", loading: "lazy" });
  return h("span", { class: "thumb" }, style.painting ? h("img", { class: "source", src: style.painting, alt: "", loading: "lazy" }) : null, effect);
}
