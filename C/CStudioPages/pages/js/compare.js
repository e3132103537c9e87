// A photo and its painting with a divider between them. A mouse, a finger or the arrow keys move it.
import { h } from "./dom.js";
import { words } from "./words.js";

export function compare(before, after, { strength = 1, split = 50, fresh = false, labels } = {}) {
  const top = h("img", { src: after, alt: "", draggable: false });
  const divider = h("input", {
    type: "range", class: "divider", min: "0", max: "100", step: "1", value: String(split),
    "aria-label": words.paint.divider,
    oninput: () => frame.style.setProperty("--split", `${divider.value}%`),
  });
  const frame = h("div", { class: `frame ${fresh ? "fresh" : ""}`, vars: { split: `${split}%`, strength } },
    h("img", { src: before, alt: words.paint.before, draggable: false }),
    h("div", { class: "after" }, top), h("div", { class: "bar" }),
    h("span", { class: "tag left", text: labels?.[0] ?? words.paint.before }),
    h("span", { class: "tag right", text: labels?.[1] ?? words.paint.after }), divider);
  return {
    element: frame,
    get split() { return Number(divider.value); },
    setStrength(value) { frame.style.setProperty("--strength", value); },
    setAfter(address) { top.src = address; },
  };
}
