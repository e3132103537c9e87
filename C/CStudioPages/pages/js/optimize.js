// Optimise: paints a photo in the style of any painting, step by step, and shows each step.
import * as api from "./api.js";
import { dropTarget, h, pick, report, save, segments, slider, toast } from "./dom.js";
import { downloadCard } from "./download.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.optimize;
// This state stays when the user changes the page.
const state = { photo: null, paintings: [], chosen: null, current: null };

export async function show(root, { signal }) {
  const order = {
    method: store.setting("optimize-method", "neighbors"), preset: store.setting("optimize-preset", "good"),
    size: store.setting("optimize-size", 512), strength: 1, format: store.setting("format", "jpeg"),
  };
  const stage = h("div", { class: "stage", id: "stage" });
  const strip = h("div", { class: "tiles", role: "group", "aria-label": words.paintings });
  const earlier = h("div", { class: "strip", role: "group", "aria-label": words.earlier });
  const side = h("aside", { class: "stack" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" }, h("div", { class: "stack painter" }, stage, strip, earlier), side));

  let { canTrain } = await api.health();
  let card;
  const needsNetwork = () => canTrain ? null : card ??= downloadCard("vgg16", words.needs, () => { canTrain = true; draw(); }, signal);
  const styles = (await api.get("/v1/styles", { signal })).styles.filter((s) => s.painting);
  let works = (await api.get("/v1/optimizations", { signal })).optimizations;
  const isOpen = (work) => work?.state === "waiting" || work?.state === "painting";
  const current = () => works.find((w) => w.id === state.current);

  // MARK: Choosing

  function setPhoto(file) {
    if (state.photo) URL.revokeObjectURL(state.photo.address);
    state.photo = { file, address: URL.createObjectURL(file) };
    state.current = null;
    draw();
  }

  function addPaintings(files) {
    for (const file of files.slice(0, 8)) {
      const id = `own-${state.paintings.length}`;
      state.paintings.push({ id, title: file.name.replace(/\.[^.]*$/, "") || words.own, file, address: URL.createObjectURL(file) });
      state.chosen = id;
    }
    draw();
  }

  async function trySample() {
    const blob = await (await api.ask("/sample.jpg")).blob();
    state.chosen ??= styles[0]?.id;
    setPhoto(new File([blob], "astronaut.jpg", { type: "image/jpeg" }));
  }

  // MARK: Painting

  async function start() {
    const own = state.paintings.find((p) => p.id === state.chosen);
    const form = new FormData();
    form.append("photo", state.photo.file, state.photo.file.name || "photo");
    if (own) {
      form.append("painting", own.file, own.file.name || "painting");
      form.append("name", own.title);
    } else form.append("style", state.chosen);
    for (const name of ["method", "preset", "size", "strength"]) form.append(name, String(order[name]));
    try {
      const work = await api.post("/v1/optimizations", form);
      changed(work);
      state.current = work.id;
    } catch (error) { report(error, state.photo.file); }
    draw();
    // On a phone the button is far below the picture.
    if (isOpen(current())) stage.scrollIntoView({ block: "nearest" });
  }

  const stop = (work) => api.post(`/v1/optimizations/${work.id}/stop`).catch(report);

  async function dismiss(work) {
    await api.remove(`/v1/optimizations/${work.id}`).catch(() => {});
    works = works.filter((w) => w !== work);
    if (state.current === work.id) state.current = null;
    draw();
  }

  // An event may arrive before the response to the request that started the painting, or after a newer event.
  function changed(news) {
    const known = works.find((w) => w.id === news.id);
    if (!known) { works.push(news); draw(); return; }
    if (news.version < known.version || (news.iteration < known.iteration && isOpen(news))) return;
    const isMere = news.state === known.state;
    const grew = news.version !== known.version;
    Object.assign(known, news);
    if (isMere && known.id === state.current) {
      advance(known);
      if (grew) grow(known);
    }
    if (!isMere) {
      if (known.state === "failed") toast(known.error, "bad");
      draw();
    }
  }

  const lookAgain = () => {
    for (const work of works) if (isOpen(work)) api.get(`/v1/optimizations/${work.id}`).then(changed, () => changed({ ...work, state: "stopped" }));
  };
  api.follow("optimization", changed, lookAgain, signal);

  // MARK: Drawing

  const address = (work, extra = {}) => `/v1/optimizations/${work.id}/picture?${new URLSearchParams({ version: work.version, ...extra })}`;

  function draw() {
    if (signal.aborted) return;
    drawStage();
    drawPaintings();
    drawEarlier();
    drawSide();
  }

  function drawStage() {
    const work = current();
    if (!work && !state.photo) {
      stage.replaceChildren(h("div", { class: "invite" },
        h("h2", { text: words.invite }),
        h("div", { class: "row" },
          h("button", { class: "primary", text: words.choose, onclick: choosePhoto }),
          h("button", { class: "quiet", text: words.sample, onclick: trySample }))));
      return;
    }
    const image = work?.version ? h("img", { id: "growing", "data-version": String(work.version), src: address(work), alt: words.picture(work.order.title) })
      : state.photo ? h("img", { src: state.photo.address, alt: state.photo.file.name }) : null;
    stage.replaceChildren(h("div", { class: "frame" }, image ?? ""));
    if (isOpen(work)) {
      stage.append(h("div", { class: "busy" },
        h("div", { class: "row" }, h("span", { id: "step" }), h("button", { id: "stop", text: words.stop, onclick: () => stop(work) })),
        h("progress", { max: 1, "aria-label": words.state.painting })));
      advance(work);
    }
  }

  function advance(work) {
    const bar = stage.querySelector(".busy progress");
    if (!bar) return;
    if (work.iteration > 0) bar.value = work.share;
    stage.querySelector("#step").textContent = work.iteration > 0 ? words.step(work.iteration, work.iterations) : words.state[work.state];
  }

  // Shows the next picture when it is loaded, so that the stage does not flicker.
  function grow(work) {
    const image = stage.querySelector("#growing");
    if (!image) { drawStage(); return; }
    const next = new Image();
    const version = work.version;
    next.addEventListener("load", () => {
      if (work.id !== state.current || Number(image.dataset.version) >= version) return;
      image.src = next.src;
      image.dataset.version = String(version);
    });
    next.src = address(work);
  }

  function drawPaintings() {
    const tiles = [...state.paintings.map((p) => ({ ...p, image: p.address, who: null })),
      ...styles.map((s) => ({ id: s.id, title: s.title, image: s.painting, who: s.painter }))];
    strip.replaceChildren(
    h("button", { class: "tile", id: "own-painting", onclick: async () => addPaintings(await pick({ multiple: true })) },
      h("span", { class: "thumb empty", text: "+" }), h("span", {}, h("span", { class: "name", text: words.own }), h("span", { class: "who", text: words.ownHint }))),
    ...tiles.map((each) => h("button", {
      class: "tile", "data-painting": each.id, "aria-pressed": String(each.id === state.chosen),
      onclick: () => { state.chosen = each.id; draw(); },
    }, h("span", { class: "thumb" }, h("img", { src: each.image, alt: "", loading: "lazy" })),
    h("span", {}, h("span", { class: "name", text: each.title }), each.who ? h("span", { class: "who", text: each.who }) : null))));
  }

  function drawEarlier() {
    const shown = works.filter((w) => w.version > 0);
    earlier.hidden = shown.length === 0;
    earlier.replaceChildren(...shown.toReversed().map((work) => h("div", { class: "holder" },
      h("button", { class: "tile tiny", "aria-label": `${work.order.title} — ${words.state[work.state]}`, "aria-pressed": String(work.id === state.current), onclick: () => { state.current = work.id; draw(); } },
        h("span", { class: "thumb" }, h("img", { src: address(work), alt: "", loading: "lazy" }))),
      h("button", { class: "away", text: "×", "aria-label": all.common.remove, onclick: () => dismiss(work) }))));
  }

  function drawSide() {
    const work = current();
    const keep = (name, value) => { order[name] = value; store.keepSetting(`optimize-${name}`, value); };
    const choice = (name, label, choices, change) => h("label", { class: "field" }, label, h("select", { id: name, onchange: (e) => change(e.target.value) },
      choices.map(([v, t]) => h("option", { value: v, selected: v === String(order[name]) }, t))));
    side.replaceChildren(...[
      needsNetwork(),
      h("div", { class: "stack small soft" }, words.method, segments(words.method, [["neighbors", words.neighbors], ["gram", words.gram]], order.method, (v) => keep("method", v))),
      choice("preset", words.preset, Object.entries(words.presets), (v) => keep("preset", v)),
      choice("size", words.size, [256, 384, 512, 768, 1024].map((s) => [String(s), String(s)]), (v) => keep("size", Number(v))),
      slider({ label: words.strength, id: "strength", min: 0, max: 1.5, step: 0.1, value: order.strength, word: (v) => `${Math.round(v * 100)} %, ${words.strengthWord(v)}`, change: (v) => { order.strength = v; } }),
      h("button", { class: "primary", id: "start", text: words.start, disabled: !canTrain || !state.photo || !state.chosen || isOpen(work), onclick: start }),
      state.photo || work ? h("button", { text: words.other, onclick: choosePhoto }) : null,
      choice("format", words.format, [["jpeg", "JPEG"], ["png", "PNG"], ["tiff", "TIFF"]], (v) => { order.format = v; store.keepSetting("format", v); }),
      h("button", { id: "download", text: words.download, disabled: !work?.version, onclick: () => download(work) }),
      work && !isOpen(work) && work.width ? h("p", { class: "small soft", id: "made", "data-state": work.state, text: words.made(work.width, work.height, all.common.seconds(work.seconds)) }) : null].filter(Boolean));
  }

  async function choosePhoto() {
    const files = await pick();
    if (files.length) setPhoto(files[0]);
  }

  async function download(work) {
    const name = `${work.order.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${order.format === "jpeg" ? "jpg" : order.format}`;
    try { save(await (await api.ask(address(work, { format: order.format }))).blob(), name); } catch (error) { report(error); }
  }

  dropTarget(stage, (files) => { if (files.length) setPhoto(files[0]); }, signal);
  dropTarget(strip, addPaintings, signal);
  if (!current()) state.current = works.findLast(isOpen)?.id ?? null;
  draw();
}
