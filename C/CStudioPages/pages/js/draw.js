// Draw: teaches a label with three drawings, then classifies a drawing.
import * as api from "./api.js";
import { h, pick, report, toast } from "./dom.js";
import { addSticker } from "./look.js";
import { sendModel } from "./upload.js";
import { words as all } from "./words.js";

const words = all.draw;
const side = 28;
const emojis = ["🐱", "🌈", "🚂", "🏠", "☀️", "🌸", "🐟", "⭐", "❤️", "🌳", "🚗", "😀", "⛵", "☂️", "☕", "👻"];

export async function show(root, { signal }) {
  let session = await api.get("/v1/updates", { signal });
  let strokes = [];
  let label = emojis[0];
  const pad = h("canvas", { class: "pad", width: 420, height: 420, tabIndex: 0, role: "img", "aria-label": words.pad });
  const pen = pad.getContext("2d");
  const answer = h("div", { class: "answer", role: "status", id: "drawn-answer" });
  const sure = h("p", { class: "soft", id: "sure" });
  const onPhoto = h("button", { id: "on-photo", hidden: true, onclick: () => { addSticker(answer.textContent); location.hash = "look"; } });
  const slots = h("div", { class: "slots", role: "group" });
  const hint = h("p", { class: "soft", id: "teach-hint" });
  const palette = h("div", { class: "palette", role: "radiogroup", "aria-label": words.emoji });
  const own = h("input", { placeholder: words.other, "aria-label": words.other, maxLength: 24, oninput: () => { if (own.value.trim()) { label = own.value.trim(); drawPalette(); } } });
  const known = h("div", { class: "stack", id: "known" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" },
      h("div", { class: "row", vars: {} }, h("div", { class: "stack padding" }, pad, h("div", { class: "row" }, h("button", { class: "primary", text: words.ask, onclick: ask }), h("button", { text: words.clear, onclick: clear })), h("p", { class: "small soft", text: words.keys })),
        h("div", { class: "stack" }, answer, sure, onPhoto)),
      h("aside", { class: "stack" }, h("h3", { text: words.emoji }), palette, own, slots, h("button", { class: "primary", text: words.teach, onclick: teach }), hint, known)));

  // MARK: The pad

  function paint() {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 420, 420);
    pen.strokeStyle = "#201e1b";
    pen.lineWidth = 9;
    pen.lineCap = pen.lineJoin = "round";
    for (const stroke of strokes) path(pen, stroke, (p) => p);
    if (cursor.shown) { pen.fillStyle = cursor.down ? "#2f4bb8" : "#2f4bb880"; pen.beginPath(); pen.arc(cursor.x, cursor.y, 7, 0, 7); pen.fill(); }
  }

  function path(context, stroke, place) {
    context.beginPath();
    stroke.forEach((point, i) => { const [x, y] = place(point); i ? context.lineTo(x, y) : context.moveTo(x, y); });
    if (stroke.length === 1) { const [x, y] = place(stroke[0]); context.lineTo(x + 0.1, y); }
    context.stroke();
  }

  const cursor = { x: 210, y: 210, down: false, shown: false };
  const at = (e) => { const box = pad.getBoundingClientRect(); return [(e.clientX - box.left) / box.width * 420, (e.clientY - box.top) / box.height * 420]; };
  let active = null;
  pad.addEventListener("pointerdown", (e) => { pad.setPointerCapture(e.pointerId); active = [at(e)]; strokes.push(active); cursor.shown = false; paint(); });
  pad.addEventListener("pointermove", (e) => { if (active) { for (const each of e.getCoalescedEvents?.() ?? [e]) active.push(at(each)); paint(); } });
  for (const end of ["pointerup", "pointercancel"]) pad.addEventListener(end, () => { if (active) { active = null; askSoon(); } });
  pad.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[e.key];
    if (step) {
      cursor.x = Math.min(415, Math.max(5, cursor.x + step[0]));
      cursor.y = Math.min(415, Math.max(5, cursor.y + step[1]));
      if (cursor.down) strokes.at(-1).push([cursor.x, cursor.y]);
    } else if (e.key === " ") {
      cursor.down = !cursor.down;
      if (cursor.down) strokes.push([[cursor.x, cursor.y]]);
    } else if (e.key === "Enter") { ask(); } else return;
    cursor.shown = true;
    e.preventDefault();
    paint();
  });

  // Draws the strokes white on black, scaled and centred, as in the training data of the embedding network.
  async function small(strokes) {
    const points = strokes.flat();
    if (!points.length) return null;
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [w, t] = [Math.max(...xs) - left, Math.max(...ys) - top];
    const scale = (side - 2.5) / Math.max(w, t, 20);
    const canvas = new OffscreenCanvas(side * 4, side * 4);
    const context = canvas.getContext("2d");
    context.fillStyle = "#000";
    context.fillRect(0, 0, side * 4, side * 4);
    context.strokeStyle = "#fff";
    context.lineWidth = 6.8;
    context.lineCap = context.lineJoin = "round";
    const shift = [(side - w * scale) / 2 - left * scale, (side - t * scale) / 2 - top * scale];
    for (const stroke of strokes) path(context, stroke, ([x, y]) => [(x * scale + shift[0]) * 4, (y * scale + shift[1]) * 4]);
    const fine = context.getImageData(0, 0, side * 4, side * 4).data;
    const target = new OffscreenCanvas(side, side);
    const image = new ImageData(side, side);
    for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) {
      let sum = 0;
      for (let i = 0; i < 16; i++) sum += fine[((y * 4 + (i >> 2)) * side * 4 + x * 4 + (i & 3)) * 4];
      image.data.fill(sum / 16, (y * side + x) * 4, (y * side + x) * 4 + 3);
      image.data[(y * side + x) * 4 + 3] = 255;
    }
    target.getContext("2d").putImageData(image, 0, 0);
    return target.convertToBlob({ type: "image/png" });
  }

  function clear() {
    strokes = [];
    cursor.down = false;
    answer.textContent = "";
    sure.textContent = "";
    onPhoto.hidden = true;
    paint();
  }

  // MARK: Asking and teaching

  let soon;
  const askSoon = () => { clearTimeout(soon); if (session.examples.length) soon = setTimeout(ask, 500); };
  signal.addEventListener("abort", () => clearTimeout(soon));

  async function ask() {
    clearTimeout(soon);
    const drawing = await small(strokes);
    if (!drawing) { sure.textContent = words.emptyAsk; pad.focus(); return; }
    const labels = new Set(session.examples.map((e) => e.label));
    if (labels.size === 1) { answer.textContent = ""; onPhoto.hidden = true; sure.textContent = words.onlyOne([...labels][0]); return; }
    try {
      const known = await api.post("/v1/updates/predict", drawing, { type: "image/png", signal });
      answer.textContent = known.label;
      sure.textContent = words.sure(known.probabilities[known.label] ?? 0);
      onPhoto.textContent = words.onPhoto(known.label);
      onPhoto.hidden = false;
    } catch (error) {
      if (error.code === "nothing_taught") sure.textContent = words.unknown; else report(error);
    }
  }

  async function teach() {
    clearTimeout(soon);
    if (!strokes.length) {
      hint.textContent = words.emptyPad(label);
      hint.className = "danger";
      pad.focus();
      return;
    }
    // Clears the pad before the request, so that the user can continue to draw.
    const taught = { strokes, label };
    clear();
    const drawing = await small(taught.strokes);
    try {
      const example = await api.post(`/v1/updates/examples?${new URLSearchParams({ label: taught.label })}`, drawing, { type: "image/png" });
      session.examples.push(example);
      toast(words.taught(taught.label));
      drawPalette();
      drawKnown();
    } catch (error) {
      if (!strokes.length) { strokes = taught.strokes; paint(); }
      report(error);
    }
  }

  function drawPalette() {
    palette.replaceChildren(...emojis.map((e) => h("button", { class: "quiet", role: "radio", "aria-checked": String(e === label), "aria-pressed": String(e === label), text: e, onclick: () => { label = e; own.value = ""; drawPalette(); } })));
    const taught = session.examples.filter((x) => x.label === label);
    slots.setAttribute("aria-label", words.slots(label));
    slots.replaceChildren(...[0, 1, 2].map((i) => taught[i]
      ? h("span", { class: "slot" }, h("img", { src: `/v1/updates/examples/${taught[i].id}`, alt: words.slot(i + 1), width: 64, height: 64 }))
      : h("span", { class: `slot empty ${i === taught.length ? "next" : ""}`, text: String(i + 1) })));
    hint.className = "soft";
    hint.textContent = words.teachThree(session.examples.filter((x) => x.label === label).length, label);
  }

  function drawKnown() {
    const groups = Map.groupBy(session.examples, (e) => e.label);
    known.replaceChildren(...[h("h3", { text: words.known }),
      groups.size === 0 ? h("p", { class: "soft", text: words.nothing }) : null,
      ...[...groups].map(([name, list]) => h("div", { class: "row" }, h("span", { class: "emoji", text: name }), h("div", { class: "examples" }, list.map((each) => h("button", { class: "quiet thumb-button", "aria-label": words.example(name), title: words.example(name), onclick: async () => {
        try {
          await api.remove(`/v1/updates/examples/${each.id}`);
          session.examples = session.examples.filter((x) => x.id !== each.id);
          drawPalette();
          drawKnown();
        } catch (error) { report(error); }
      } }, h("img", { src: `/v1/updates/examples/${each.id}`, alt: "", width: 56, height: 56 })))))),
      groups.size ? h("div", { class: "row" }, h("a", { class: "button", href: "/v1/updates/model", download: "drawings.mlmodel", text: words.export }), h("button", { class: "quiet danger", text: words.forget, onclick: async () => { await api.remove("/v1/updates").catch(report); session.examples = []; drawPalette(); drawKnown(); clear(); } })) : null,
      h("button", { class: "quiet small", text: session.isOwn ? words.use : words.own, onclick: change }),
    ].filter(Boolean));
  }

  async function change() {
    try {
      if (!session.isOwn) { session = await api.post("/v1/updates/base", {}); } else {
        const files = await pick({ accept: ".mlmodel" });
        if (!files.length) return;
        const model = await sendModel(files);
        session = await api.post("/v1/updates/base", { model: model.id });
      }
      drawKnown();
    } catch (error) { report(error); }
  }

  paint();
  drawPalette();
  drawKnown();
}
