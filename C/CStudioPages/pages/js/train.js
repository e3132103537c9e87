// Train: trains a style from a painting and photos. A training continues when this page is closed.
import * as api from "./api.js";
import { h, pick, report, slider, svg, toast } from "./dom.js";
import { downloadCard } from "./download.js";
import { compare } from "./compare.js";
import { words as all } from "./words.js";

const words = all.train;

// Scales a photo down before it is sent. Training uses small crops, so a larger photo would only take longer to send.
async function smaller(file, side) {
  const picture = await createImageBitmap(file).catch(() => { throw Object.assign(new Error(all.error.noPicture), { file }); });
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size < 2e6) return file;
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 });
}

export async function show(root, { signal, rest }) {
  const health = await api.get("/v1/health", { signal });
  let trainings = (await api.get("/v1/trainings", { signal })).trainings;
  let current = trainings.find((t) => t.record.id === rest) ?? trainings[0];
  const detail = h("div", { class: "stack" });
  const list = h("div", { class: "list" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" }, detail, h("aside", { class: "stack" }, h("button", { class: "primary", id: "new-training", text: words.new, onclick: () => { current = null; draw(); } }), h("h3", { text: words.running }), list)));

  // MARK: New training

  function form() {
    const chosen = { painting: null, photos: [], validation: null };
    const chooser = (name, multiple, hint) => {
      const view = h("span", { class: "row small soft", text: hint });
      const take = async (folder) => {
        const files = (await pick({ multiple, folder })).filter((f) => f.type.startsWith("image/"));
        if (!files.length) return;
        chosen[name] = multiple ? files : files[0];
        view.replaceChildren(...(multiple ? [words.count(files.length)] : [h("img", { src: URL.createObjectURL(files[0]), alt: files[0].name, height: 64 })]));
        mayStart();
      };
      return h("div", { class: "stack" }, h("h3", { text: words[name] }), h("div", { class: "row" },
        multiple ? h("button", { type: "button", text: words.folder, onclick: () => take(true) }) : null,
        h("button", { type: "button", "data-choose": name, text: multiple ? words.files : name === "painting" ? words.choosePainting : all.common.choose, onclick: () => take(false) }), view));
    };
    const mayStart = () => { start.disabled = !(health.canTrain && chosen.painting && chosen.photos.length); };
    const start = h("button", { class: "primary", type: "submit", disabled: true, text: words.start });
    const steps = () => {
      const shown = h("span", { class: "meaning small soft", text: words.iterationsWord(500) });
      const input = h("input", { name: "iterations", type: "number", value: "500", min: "1", max: "100000", required: true, oninput: () => { shown.textContent = words.iterationsWord(Number(input.value)); } });
      return h("label", { class: "field" }, h("span", { class: "row spread" }, h("span", { text: words.iterations }), shown), input);
    };
    const note = h("p", { class: "small soft", role: "status" });
    const form_ = h("form", { class: "card stack", onsubmit: async (event) => {
      event.preventDefault();
      const fields = event.target.elements;
      start.disabled = true;
      try {
        const body = new FormData();
        for (const name of ["name", "algorithm", "strength", "density", "iterations"]) body.append(name, fields[name].value);
        body.append("painting", await smaller(chosen.painting, 2048), "painting.jpg");
        if (chosen.validation) body.append("validation", await smaller(chosen.validation, 1024), "validation.jpg");
        let done = 0;
        for (const photo of chosen.photos.slice(0, 500)) {
          note.textContent = words.sending(++done, Math.min(500, chosen.photos.length));
          try { body.append("photos", await smaller(photo, 640), `${done}.jpg`); } catch { /* Skips a file that is not a picture. */ }
        }
        const made = await api.post("/v1/trainings", body);
        change(made);
        current = made;
        draw();
      } catch (error) { report(error, error.file); }
      note.textContent = "";
      start.disabled = false;
    } },
      h("h2", { text: words.new }),
      health.canTrain ? null : downloadCard("vgg16", words.needs, () => { health.canTrain = true; form_.querySelector(".download").remove(); mayStart(); }, signal),
      h("label", { class: "field" }, words.name, h("input", { name: "name", maxLength: 60, required: true, value: "My style" })),
      chooser("painting", false, words.paintingHint), chooser("photos", true, words.photosHint), chooser("validation", false, words.validationHint),
      h("label", { class: "field" }, words.algorithm, h("select", { name: "algorithm" }, h("option", { value: "cnn" }, words.cnn), h("option", { value: "cnnLite" }, words.cnnLite))),
      slider({ label: words.strength, name: "strength", min: 1, max: 10, value: 5, word: words.strengthWord }),
      slider({ label: words.density, name: "density", min: 64, max: 1024, step: 64, value: 256, word: words.densityWord }),
      steps(),
      h("div", { class: "row" }, start), note);
    return form_;
  }

  // MARK: Existing training

  let curve;
  let fresh = [];

  // A picture that is no longer shown stops loading. Otherwise the browser would still ask for it when the studio has
  // removed the training.
  const stopLoading = (images) => { for (const image of images) if (!image.complete) image.removeAttribute("src"); };
  new MutationObserver((changes) => {
    const nodes = changes.flatMap((change) => [...change.removedNodes]).filter((node) => !node.isConnected && node.querySelectorAll);
    for (const node of nodes) stopLoading(node.querySelectorAll("img"));
  }).observe(detail, { childList: true, subtree: true });

  // Trainings that the studio is removing. The page asks for none of their pictures any more.
  const leaving = new Set();

  async function remove(id) {
    leaving.add(id);
    stopLoading(detail.querySelectorAll("img"));
    try { await api.remove(`/v1/trainings/${id}`); } catch (error) {
      leaving.delete(id);
      drawDetail();
      report(error);
    }
  }

  async function open(training) {
    current = training;
    drawList();
    try {
      const full = await api.get(`/v1/trainings/${training.record.id}`, { signal });
      if (current?.record.id !== full.record.id) return;
      current = full;
      curve = full.losses ?? [];
      drawDetail();
    } catch (error) { report(error); }
  }

  function drawDetail() {
    const { record, state, iteration, snapshots } = current;
    const id = record.id;
    const act = (path, body) => async () => { try { await api.post(`/v1/trainings/${id}/${path}`, body); } catch (error) { report(error); } };
    const runs = state === "training" || state === "preparing";
    const steps = h("input", { type: "number", id: "more-steps", min: String(record.iterations + 1), value: String(record.iterations * 2), "aria-label": words.more });
    const head = h("div", { class: "row spread" }, h("div", {}, h("h2", { text: record.name }),
      h("p", { class: "soft", id: "training-state", "data-state": state, text: `${words.state[state]} · ${words.step(iteration, record.iterations)}${runs && current.secondsLeft ? ` · ${words.left(duration(current.secondsLeft))}` : ""}` })),
      h("div", { class: "row" },
        runs ? h("button", { text: words.pause, onclick: act("pause") }) : null,
        state === "paused" || state === "failed" ? h("button", { class: "primary", text: words.resume, onclick: act("resume") }) : null,
        h("button", { class: "quiet danger", text: runs ? words.stop : all.common.remove, onclick: () => { if (confirm(words.confirm)) remove(id); } })));
    const bar = h("progress", { max: record.iterations, value: iteration, "aria-label": words.step(iteration, record.iterations) });
    const parts = [head, bar];
    if (current.error) parts.push(h("p", { class: "danger", text: current.error }));
    if (snapshots.length) parts.push(timeline(id, snapshots)); else if (record.hasValidation) parts.push(beginning(id, record));
    parts.push(chart());
    if (current.isStyle) parts.push(h("div", { class: "row" },
      h("button", { text: words.tryIt, onclick: tryIt }),
      h("a", { class: "button", href: `/v1/trainings/${id}/model`, download: `${record.name.replace(/[^\p{L}\p{N} _-]/gu, "")}.mlmodel`, text: words.download }),
      state === "finished" || state === "paused" ? h("span", { class: "row" }, steps, h("button", { text: words.more, onclick: () => act("resume", { iterations: Number(steps.value) })() })) : null));
    parts.push(h("p", { class: "small soft", text: `${record.algorithm} · ${words.strength} ${record.strength} · ${words.density} ${record.density} · ${words.count(record.photos)}` }));
    detail.replaceChildren(...parts);
  }

  /// The photo and the painting, until there is a snapshot.
  const beginning = (id, record) => h("div", { class: "stack", id: "beginning" }, h("div", { class: "pair" },
    ["validation", "painting"].map((name) => h("figure", {}, h("img", { src: `/v1/trainings/${id}/${name}`, alt: name === "painting" ? words.painting2 : words.photo }),
      h("figcaption", { class: "small soft", text: name === "painting" ? words.painting2 : words.photo })))),
    h("p", { class: "small soft", text: words.firstSoon(Math.max(1, Math.min(record.iterations, 25, Math.floor(record.iterations / 12)))) }));

  const duration = (s) => s > 90 ? `${Math.round(s / 60)} min` : `${Math.max(1, Math.round(s))} s`;

  // The snapshots of the training that are shown. The user can compare two of them side by side.
  const shown = { later: null, earlier: null, split: 50 };
  let view;
  function timeline(id, steps) {
    const address = (s) => s === 0 ? `/v1/trainings/${id}/validation` : `/v1/trainings/${id}/snapshots/${s}`;
    const later = steps.includes(shown.later) ? shown.later : steps.at(-1);
    const earlier = shown.earlier === 0 || steps.includes(shown.earlier) ? shown.earlier : 0;
    if (view) shown.split = view.split;
    view = compare(address(earlier), address(later), { split: shown.split, labels: [earlier ? words.step(earlier, current.record.iterations) : all.paint.before, words.step(later, current.record.iterations)] });
    return h("div", { class: "stack", id: "snapshots" }, h("div", { class: "stage" }, view.element),
      h("div", { class: "strip" }, steps.map((s) => h("button", { class: "tile tiny", "aria-pressed": String(s === later), onclick: () => { shown.later = s === steps.at(-1) ? null : s; drawDetail(); } }, h("span", { class: "thumb" }, h("img", { src: address(s), alt: "", loading: "lazy" })), h("span", { class: "who", text: String(s) })))),
      h("label", { class: "field" }, words.compare, h("select", { onchange: (e) => { shown.earlier = Number(e.target.value); drawDetail(); } }, [0, ...steps].map((s) => h("option", { value: String(s), selected: s === earlier }, s ? words.step(s, current.record.iterations) : all.paint.before)))));
  }

  function chart() {
    const rows = [...(curve ?? []), ...fresh.filter((r) => r.iteration > (curve?.at(-1)?.iteration ?? 0))];
    if (rows.length < 2) return h("div");
    const [w, t, left] = [720, 190, 4];
    const last = Math.max(current.record.iterations, rows.at(-1).iteration);
    const logs = rows.flatMap((r) => [r.style, r.content]).filter((v) => v > 0).map(Math.log);
    const [low, high] = [Math.min(...logs), Math.max(...logs, Math.min(...logs) + 0.1)];
    const path = (key) => {
      const line = svg("path", { class: key, d: rows.filter((r) => r[key] > 0).map((r, i) => `${i ? "L" : "M"}${(left + (w - left) * r.iteration / last).toFixed(1)} ${(t - 22 - (t - 40) * (Math.log(r[key]) - low) / (high - low)).toFixed(1)}`).join("") });
      return line;
    };
    const label = (x, y, text, anchor = "start", fill) => { const e = svg("text", { x, y, "text-anchor": anchor, ...(fill ? { fill } : {}) }); e.textContent = text; return e; };
    const final = rows.at(-1);
    return h("figure", { class: "stack", style: null }, h("h3", { text: words.loss }), svg("svg", { class: "chart", viewBox: `0 0 ${w} ${t}`, preserveAspectRatio: "none", role: "img", "aria-label": `${words.loss}: ${words.style} ${final.style.toPrecision(3)}, ${words.content} ${final.content.toPrecision(3)}` },
      svg("path", { class: "grid", d: `M0 ${t - 20}H${w}` }), path("style"), path("content")),
      h("p", { class: "small soft row" }, h("span", { vars: {}, class: "key style", text: `— ${words.style} ${final.style.toPrecision(3)}` }), h("span", { class: "key content", text: `— ${words.content} ${final.content.toPrecision(3)}` })));
  }

  async function tryIt() {
    const [file] = await pick();
    if (!file) return;
    try {
      const response = await api.ask(`/v1/stylize?${new URLSearchParams({ style: current.record.id, size: 1024 })}`, { method: "POST", body: file, headers: { "Content-Type": file.type || "image/jpeg" } });
      const after = URL.createObjectURL(await response.blob());
      detail.prepend(h("div", { class: "stage" }, compare(URL.createObjectURL(file), after).element));
    } catch (error) { report(error, file); }
  }

  // MARK: Events

  function change(news) {
    const place = trainings.findIndex((t) => t.record.id === news.record.id);
    if (place < 0) trainings.unshift(news); else trainings[place] = { ...trainings[place], ...news };
  }

  api.on("training", (news) => {
    if (leaving.has(news.record.id)) return;
    change(news);
    if (current?.record.id === news.record.id) {
      const before = current;
      if (news.losses) { curve = news.losses; fresh = []; }
      current = { ...before, ...news };
      if (before.state !== news.state && news.state === "finished") toast(words.kept(news.record.name));
      if (!detail.contains(document.activeElement) || before.state !== news.state || before.snapshots.length !== news.snapshots.length) drawDetail();
      else {
        const state = detail.querySelector("#training-state");
        if (state) state.textContent = `${words.state[news.state]} · ${words.step(news.iteration, news.record.iterations)}`;
        const bar = detail.querySelector("progress");
        if (bar) bar.value = news.iteration;
      }
    }
    drawList();
  }, signal);
  api.on("trainingRemoved", (id) => {
    trainings = trainings.filter((t) => t.record.id !== id);
    if (current?.record.id === id) current = trainings[0] ?? null;
    draw();
  }, signal);
  api.on("connected", async () => {
    trainings = (await api.get("/v1/trainings").catch(() => ({ trainings }))).trainings;
    const again = trainings.find((t) => t.record.id === current?.record.id);
    if (again) open(again); else if (!signal.aborted) drawList();
  }, signal);

  function drawList() {
    list.hidden = trainings.length === 0;
    list.replaceChildren(...trainings.map((t) => h("button", { "aria-current": String(t.record.id === current?.record.id), onclick: () => { fresh = []; open(t); } },
      h("span", { text: t.record.name }), h("span", { class: "pill", text: t.state === "training" ? `${t.iteration} / ${t.record.iterations}` : words.state[t.state] }))));
  }

  function draw() {
    drawList();
    if (current) open(current); else detail.replaceChildren(form());
  }
  draw();
}
