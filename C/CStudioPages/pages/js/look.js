// Look: what a picture shows, a quotation that fits it, and stickers.
import * as api from "./api.js";
import { cameraChoice, openCamera } from "./camera.js";
import { dropTarget, h, pick, report, save } from "./dom.js";
import { downloadCard } from "./download.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.look;
const kept = { blob: null, address: null, answer: null, place: 0, stickers: [], waiting: [] };
const palette = ["😀", "😎", "🥸", "😺", "🎩", "👑", "🕶️", "💬", "❤️", "⭐", "🌸", "🌈", "🎈", "🦋", "🍕", "🎉"];

/// Puts an emoji on the photo of this page. Without a photo, the emoji waits for the next one.
export function addSticker(emoji) {
  (kept.blob ? kept.stickers : kept.waiting).push({ emoji, x: 35 + Math.random() * 30, y: 30 + Math.random() * 30, size: 16 });
}

// The longer side of the camera pictures that are classified, in pixels. Classifiers take about 227 pixels.
const watchedSide = 320;

export async function show(root, { signal }) {
  let classifiers, model;
  async function list() {
    const { models } = await api.get("/v1/models", { signal });
    classifiers = models.filter((m) => m.kind === "classifier");
    model = store.setting("classifier", classifiers[0]?.id);
    if (!classifiers.some((m) => m.id === model)) model = classifiers[0]?.id;
  }
  await list();
  const stage = h("div", { class: "stage" });
  const side = h("aside", { class: "stack" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }), h("div", { class: "columns" }, stage, side));
  let camera;
  const stopCamera = () => { camera?.getTracks().forEach((t) => t.stop()); camera = undefined; };
  signal.addEventListener("abort", stopCamera);

  async function look(blob) {
    stopCamera();
    kept.blob = blob;
    if (kept.address) URL.revokeObjectURL(kept.address);
    kept.address = URL.createObjectURL(blob);
    kept.answer = null;
    kept.stickers = kept.waiting.splice(0);
    draw();
    await guess();
  }

  async function guess() {
    if (!kept.blob || !model) return;
    const asked = kept.blob;
    try {
      const answer = await api.post(`/v1/classify?${new URLSearchParams({ model, top: 5 })}`, asked, { type: asked.type || "application/octet-stream", signal });
      if (asked !== kept.blob) return;
      kept.answer = answer;
      kept.place = 0;
    } catch (error) {
      report(error, asked);
      if (error.code === "picture") { kept.blob = null; }
    }
    draw();
  }

  // MARK: The camera

  /// Shows the camera's picture, and classifies one frame after the other.
  async function watch() {
    stopCamera();
    try {
      camera = await openCamera();
    } catch (error) { report(error); return; }
    if (signal.aborted) { stopCamera(); return; }
    const stream = camera;
    const isOn = () => camera === stream && !signal.aborted;
    const video = h("video", { muted: true, playsInline: true });
    video.srcObject = stream;
    const shoot = async (side, quality) => {
      const scale = Math.min(1, side / Math.max(video.videoWidth, video.videoHeight));
      const canvas = new OffscreenCanvas(Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale));
      canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
      return canvas.convertToBlob({ type: "image/jpeg", quality });
    };
    stage.replaceChildren(h("div", { class: "frame" }, video),
      h("div", { class: "busy" }, h("div", { class: "row" },
        h("button", { text: all.live.stop, id: "stop-camera", onclick: () => { stopCamera(); draw(); } }),
        h("button", { text: words.shoot, onclick: async () => look(await shoot(Infinity, 0.9)) }))));
    const cameras = cameraChoice(watch);
    const guesses = h("div", { class: "stack", id: "guesses", "data-live": "" });
    const rate = h("p", { class: "small soft", id: "guess-rate" });
    side.replaceChildren(...[needsClassifier(), h("h3", { text: words.guesses }), guesses, rate, cameras.element].filter(Boolean));
    await video.play().catch(() => {});
    const times = [];
    while (isOn() && model) {
      try {
        const answer = await api.post(`/v1/classify?${new URLSearchParams({ model, top: 5 })}`, await shoot(watchedSide, 0.8), { type: "image/jpeg", signal });
        if (!isOn()) return;
        guesses.replaceChildren(...answer.guesses.map(drawGuess));
        times.push(performance.now());
        if (times.length > 10) times.shift();
        if (times.length > 1) rate.textContent = words.watching(((times.length - 1) / (times.at(-1) - times[0]) * 1000).toFixed(1));
      } catch (error) {
        if (!isOn()) return;
        report(error);
        return;
      }
    }
  }

  let card;
  const needsClassifier = () => classifiers.length ? null : card ??= downloadCard("squeezenet", words.none, async () => {
    await list();
    if (camera) { watch(); return; }
    draw();
    guess();
  }, signal);

  const drawGuess = (g) => h("div", { class: "guess" }, h("span", { text: g.label }), h("span", { class: "soft", text: `${(g.probability * 100).toFixed(1)} %` }), h("span", { class: "meter" }, h("i", { vars: { part: `${g.probability * 100}%` } })));

  // MARK: Stickers

  function sticker(each, layer) {
    const button = h("button", { class: "sticker", text: each.emoji, "aria-label": words.sticker(each.emoji) });
    const place = () => { for (const [k, v] of [["x", `${each.x}%`], ["y", `${each.y}%`], ["size", each.size]]) button.style.setProperty(`--${k}`, v); };
    const limit = (v) => Math.min(100, Math.max(0, v));
    place();
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId);
      const box = layer.getBoundingClientRect();
      const move = (e) => { each.x = limit((e.clientX - box.left) / box.width * 100); each.y = limit((e.clientY - box.top) / box.height * 100); place(); };
      button.addEventListener("pointermove", move);
      button.addEventListener("pointerup", () => button.removeEventListener("pointermove", move), { once: true });
    });
    button.addEventListener("wheel", (event) => { event.preventDefault(); each.size = Math.min(60, Math.max(4, each.size * (event.deltaY < 0 ? 1.1 : 0.9))); place(); });
    button.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, -2], ArrowDown: [0, 2] }[event.key];
      if (step) { each.x = limit(each.x + step[0]); each.y = limit(each.y + step[1]); }
      else if (event.key === "+") each.size = Math.min(60, each.size * 1.15);
      else if (event.key === "-") each.size = Math.max(4, each.size / 1.15);
      else if (event.key === "Delete" || event.key === "Backspace") { kept.stickers = kept.stickers.filter((s) => s !== each); button.remove(); }
      else return;
      event.preventDefault();
      place();
    });
    return button;
  }

  async function savePicture() {
    const picture = await createImageBitmap(kept.blob);
    const quotation = side.querySelector("#with-quote")?.checked ? kept.answer?.quotations[kept.place] : null;
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const pen = canvas.getContext("2d");
    const size = Math.max(14, picture.width / 26);
    let lines = [];
    pen.font = `${size}px Georgia, "DejaVu Serif", serif`;
    if (quotation) {
      for (const part of quotation.text.split(" / ")) {
        let line = "";
        for (const word of part.split(" ")) {
          if (line && pen.measureText(`${line} ${word}`).width > picture.width - size * 3) { lines.push(line); line = word; } else line = line ? `${line} ${word}` : word;
        }
        lines.push(line);
      }
      canvas.height = picture.height + size * (lines.length * 1.4 + 4);
    }
    pen.fillStyle = "#fdfcf9";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const each of kept.stickers) {
      pen.font = `${each.size / 100 * picture.width}px "Noto Color Emoji", sans-serif`;
      pen.fillText(each.emoji, each.x / 100 * picture.width, each.y / 100 * picture.height);
    }
    pen.fillStyle = "#201e1b";
    pen.font = `${size}px Georgia, "DejaVu Serif", serif`;
    lines.forEach((line, index) => pen.fillText(line, canvas.width / 2, picture.height + size * (1.7 + index * 1.4)));
    if (quotation) {
      pen.font = `${size * 0.65}px system-ui, sans-serif`;
      pen.fillStyle = "#6c665d";
      pen.fillText(`${quotation.author}, ${quotation.source}`, canvas.width / 2, picture.height + size * (2.3 + lines.length * 1.4), canvas.width - size);
    }
    save(await canvas.convertToBlob({ type: "image/png" }), "look.png");
  }

  // MARK: Drawing

  function draw() {
    if (signal.aborted) return;
    if (!kept.blob) {
      stage.replaceChildren(h("div", { class: "invite" }, h("h2", { text: all.paint.invite.split(",")[0] }),
        h("div", { class: "row" },
          h("button", { class: "primary", text: all.common.choose, onclick: async () => { const [f] = await pick(); if (f) look(f); } }),
          h("button", { text: words.camera, onclick: watch }),
          h("button", { class: "quiet", text: all.paint.sample, onclick: async () => look(await (await api.ask("/sample.jpg")).blob()) }))));
    } else {
      const layer = h("div", { class: "stickers" });
      layer.append(...kept.stickers.map((s) => sticker(s, layer)));
      stage.replaceChildren(h("div", { class: "frame" }, h("img", { src: kept.address, alt: kept.answer?.guesses[0]?.label ?? "" }), layer));
    }
    const answer = kept.answer;
    const quotation = answer?.quotations[kept.place];
    side.replaceChildren(...[
      needsClassifier(),
      kept.waiting.length ? h("p", { id: "waiting-sticker", text: words.waiting(kept.waiting.map((s) => s.emoji).join(" ")) }) : null,
      quotation ? h("blockquote", { id: "quotation" }, ...quotation.text.split(" / ").flatMap((l, i) => i ? [h("br"), l] : [l]), h("footer", {}, `${quotation.author}, ${quotation.source}`)) : null,
      answer && answer.quotations.length > 1 ? h("button", { class: "quiet", text: words.another, onclick: () => { kept.place = (kept.place + 1) % answer.quotations.length; draw(); } }) : null,
      answer ? h("div", { class: "stack", id: "guesses" }, h("h3", { text: words.guesses }), answer.guesses.map(drawGuess)) : null,
      classifiers.length > 1 ? h("label", { class: "field" }, words.model, h("select", { onchange: (e) => { model = e.target.value; store.keepSetting("classifier", model); guess(); } }, classifiers.map((m) => h("option", { value: m.id, selected: m.id === model }, m.title)))) : null,
      kept.blob ? h("div", { class: "stack" }, h("h3", { text: words.stickers }), h("div", { class: "palette" }, palette.map((emoji) => h("button", { class: "quiet", text: emoji, "aria-label": words.sticker(emoji), onclick: () => {
        kept.stickers.push({ emoji, x: 35 + Math.random() * 30, y: 30 + Math.random() * 30, size: 16 });
        draw();
        stage.querySelector(".sticker:last-child")?.focus();
      } }))), h("p", { class: "small soft", text: words.stickerHint })) : null,
      kept.blob && quotation ? h("label", { class: "check" }, h("input", { type: "checkbox", id: "with-quote", checked: true }), words.withQuote) : null,
      kept.blob ? h("div", { class: "row" }, h("button", { class: "primary", text: words.save, id: "save-look", onclick: () => savePicture().catch(report) }), h("button", { text: all.common.choose, onclick: async () => { const [f] = await pick(); if (f) look(f); } })) : null,
    ].filter(Boolean));
  }

  dropTarget(stage, (files) => files[0] && look(files[0]), signal);
  addEventListener("paste", (event) => { const [file] = event.clipboardData?.files ?? []; if (file) look(file); }, { signal });
  draw();
}
