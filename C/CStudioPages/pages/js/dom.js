// Functions that make and change elements of the page.
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

export function toast(text, kind = "") {
  const element = h("div", { class: `toast ${kind}`, text });
  const toasts = document.getElementById("toasts");
  while (toasts.childElementCount > 1) toasts.firstElementChild.remove();
  toasts.append(element);
  setTimeout(() => element.remove(), kind === "bad" ? 9000 : 4500);
}

/// Reports an error to the user, except errors that the user caused by cancelling.
export function report(error) {
  if (error?.name === "AbortError") return;
  toast(error?.message ?? String(error), "bad");
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
