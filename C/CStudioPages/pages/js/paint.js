// Paint: paints photos in the chosen style.
import * as api from "./api.js";
import { dropTarget, h, pick, report, save, segments, slider, thumb, toast } from "./dom.js";
import { compare } from "./compare.js";
import { downloadCard } from "./download.js";
import { sendModel, sort } from "./upload.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.paint;
// This state stays when the user changes the page.
const state = { photos: null, current: null, styles: [], split: 50 };

export async function show(root, { signal }) {
  const order = {
    style: store.setting("style", null), size: store.setting("size", 1024), network: store.setting("network", "large"),
    strength: 1, colors: "style", format: store.setting("format", "jpeg"),
  };
  const stage = h("div", { class: "stage", id: "stage" });
  const strip = h("div", { class: "tiles", role: "group", "aria-label": words.styles });
  const photos = h("div", { class: "strip", role: "group", "aria-label": words.photos });
  const needs = h("div", { hidden: true });
  const earlier = h("section", { class: "stack", hidden: true });
  const side = h("aside", { class: "stack" });
  root.append(h("div", { class: "columns" },
    h("div", { class: "stack painter" }, stage, needs, strip, photos, earlier), side));

  if (!state.photos) await restore();
  state.styles = (await api.get("/v1/styles", { signal })).styles;
  let { canPaintAny } = await api.health();
  if (!state.styles.some((s) => s.id === order.style)) order.style = null;

  // MARK: Photos

  async function restore() {
    state.photos = [];
    for (const kept of (await store.all("photos")).sort((a, b) => a.when - b.when)) {
      state.photos.push({ ...kept, address: URL.createObjectURL(kept.blob), jobs: kept.jobs ?? {} });
    }
    state.current = state.photos.at(-1) ?? null;
  }

  async function add(files) {
    const { models, rest } = sort(files);
    for (const model of models) await addStyle(model);
    for (const file of rest) {
      try {
        const known = await api.sendPicture(file);
        const photo = {
          key: known.id, when: Date.now(), name: file.name || "photo", blob: file, picture: known.id,
          width: known.width, height: known.height, address: URL.createObjectURL(file), jobs: {},
        };
        state.photos.push(photo);
        state.current = photo;
        keepPhoto(photo);
        draw();
        if (order.style) paint(photo);
      } catch (error) { report(error, file); }
    }
  }

  const keepPhoto = ({ address, ...photo }) => store.keep("photos", { ...photo, jobs: Object.fromEntries(
    Object.entries(photo.jobs).map(([k, j]) => [k, { id: j.id, state: j.state, order: j.order, width: j.width, height: j.height, seconds: j.seconds, stage: j.stage, paintedWidth: j.paintedWidth, paintedHeight: j.paintedHeight }])) });

  async function dismiss(photo) {
    for (const job of Object.values(photo.jobs)) if (isOpen(job)) api.remove(`/v1/jobs/${job.id}`).catch(() => {});
    state.photos = state.photos.filter((p) => p !== photo);
    if (state.current === photo) state.current = state.photos.at(-1) ?? null;
    URL.revokeObjectURL(photo.address);
    store.forget("photos", photo.key);
    api.remove(`/v1/pictures/${photo.picture}`).catch(() => {});
    draw();
  }

  // MARK: Painting

  const keyOf = () => `${order.style} ${order.network} ${order.size}`;
  const isOpen = (job) => ["waiting", "reading", "painting"].includes(job?.state);
  const side_ = (photo) => Math.min(order.size || Infinity, Math.max(photo.width, photo.height));

  async function begin(photo, size) {
    const path = `/v1/stylize?${new URLSearchParams({ style: order.style, network: order.network, size, picture: photo.picture })}`;
    const options = { headers: { Prefer: "respond-async" } };
    try {
      return await api.post(path, undefined, options);
    } catch (error) {
      if (error.code !== "no_picture") throw error;
      // The server has restarted, or has removed the picture to free memory.
      photo.picture = (await api.sendPicture(photo.blob)).id;
      return api.post(path.replace(/picture=[^&]*/, `picture=${photo.picture}`), undefined, options);
    }
  }

  async function paint(photo) {
    const key = keyOf();
    const known = photo.jobs[key];
    if (known && (isOpen(known) || known.state === "done")) { draw(); return; }
    const size = side_(photo);
    try {
      if (size > 1100) {
        const small = await begin(photo, 512);
        photo.jobs[key] = { ...small, stage: "preview", begun: performance.now() };
        photo.next = { key, size };
      } else {
        photo.jobs[key] = { ...await begin(photo, size), begun: performance.now() };
      }
    } catch (error) { photo.jobs[key] = { state: "failed", error: error.message }; report(error, photo); }
    keepPhoto(photo);
    draw();
    catchUp(photo.jobs[key].id);
  }

  // The latest event of each job. An event may arrive before the response to the request that started its job.
  const early = new Map();
  const mostEarly = 100;

  function keepEarly(news) {
    early.delete(news.id);
    early.set(news.id, news);
    if (early.size > mostEarly) early.delete(early.keys().next().value);
  }

  function catchUp(id) {
    const news = early.get(id);
    early.delete(id);
    if (news) changed(news);
  }

  function find(id) {
    for (const photo of state.photos) {
      for (const [key, job] of Object.entries(photo.jobs)) {
        if (job.id === id || job.full?.id === id) return { photo, key, job, isFull: job.full?.id === id };
      }
    }
  }

  async function changed(news) {
    const found = find(news.id);
    if (!found) { keepEarly(news); return; }
    const { photo, key, job, isFull } = found;
    const target = isFull ? job.full : job;
    if (news.state === "painting" && target.state !== "painting") target.begun = performance.now();
    const isMere = news.state === "painting" && target.state === "painting";
    Object.assign(target, news);
    if (isMere) {
      const bar = stage.querySelector(".busy progress");
      if (bar && photo === state.current && key === keyOf()) advance(bar, target);
      const small = photos.querySelector(`[data-photo="${photo.key}"] progress`);
      if (small && key === keyOf()) advance(small, target);
      return;
    }
    if (isFull && news.state === "done") photo.jobs[key] = { ...target };
    else if (isFull && !isOpen(target)) delete job.full;
    if (news.state === "done" && photo.next?.key === key && !isFull) {
      const { size } = photo.next;
      photo.next = null;
      job.shown = `/v1/jobs/${job.id}/painting`;
      begin(photo, size).then((full) => { job.full = { ...full, begun: performance.now() }; draw(); catchUp(full.id); }, (error) => report(error, photo));
    } else if (news.state === "done") {
      remember(photo, key);
    }
    if (news.state === "failed") report(news.error, photo);
    keepPhoto(photo);
    if (news.state !== "reading") draw(news.state === "done");
  }

  async function cancel(photo, key) {
    const job = photo.jobs[key];
    const open = isOpen(job) ? job : job.full;
    photo.next = null;
    if (open) await api.remove(`/v1/jobs/${open.id}`).catch(() => {});
  }

  const lookAgain = () => {
    for (const photo of state.photos) {
      for (const job of Object.values(photo.jobs)) {
        for (const each of [job, job.full]) if (each && isOpen(each)) {
          api.get(`/v1/jobs/${each.id}`).then(changed, () => changed({ ...each, state: "cancelled" }));
        }
      }
    }
  };
  api.follow("job", changed, lookAgain, signal);

  // MARK: Earlier paintings

  async function remember(photo, key) {
    const job = photo.jobs[key];
    const response = await api.ask(address(job)).catch(() => null);
    if (!response) return;
    const style = state.styles.find((s) => s.id === job.order.style);
    await store.keep("paintings", {
      key: `${photo.key} ${key}`, when: Date.now(), name: photo.name, style: style?.title ?? job.order.style, styleId: job.order.style,
      painting: await response.blob(), photo: photo.blob, width: job.width, height: job.height,
    });
    const kept = (await store.all("paintings")).sort((a, b) => b.when - a.when);
    for (const old of kept.slice(30)) store.forget("paintings", old.key);
    drawEarlier();
  }

  async function drawEarlier() {
    const kept = (await store.all("paintings")).sort((a, b) => b.when - a.when).slice(0, 30);
    earlier.hidden = kept.length === 0;
    earlier.replaceChildren(
      h("div", { class: "row spread" }, h("h3", { text: words.earlier }),
        h("button", { class: "quiet small", text: words.clearEarlier, onclick: async () => { await store.forgetAll("paintings"); drawEarlier(); } })),
      h("div", { class: "strip" }, kept.map((each) => {
        const after = URL.createObjectURL(each.painting);
        return h("button", { class: "tile tiny", "aria-label": `${each.name}: ${each.style}`, onclick: () => {
          const view = compare(URL.createObjectURL(each.photo), after, { split: state.split });
          stage.replaceChildren(view.element);
          stage.scrollIntoView({ block: "nearest" });
        } }, h("span", { class: "thumb" }, h("img", { src: after, alt: "", loading: "lazy" })), h("span", { class: "who", text: each.style }));
      })));
  }

  // MARK: The user's styles

  async function addStyle(files) {
    try {
      const model = await sendModel(files);
      if (model.kind !== "style") { toast(words.notStyle(model.title), "bad"); return; }
      state.styles = (await api.get("/v1/styles")).styles;
      order.style = model.id;
      toast(words.added(model.title));
      if (state.current) paint(state.current);
      draw();
    } catch (error) { report(error, files[0]); }
  }

  // Adds a painting as a style, without training.
  async function addPainting(files) {
    for (const file of files.slice(0, 8)) {
      try {
        const style = await api.post(`/v1/styles?name=${encodeURIComponent(file.name || "Painting")}`, file, { type: file.type || "application/octet-stream" });
        order.style = style.id;
        toast(words.added(style.title));
      } catch (error) { report(error, file); }
    }
    state.styles = (await api.get("/v1/styles")).styles;
    if (state.current && order.style) paint(state.current);
    draw();
  }

  // The tile is there before its networks are: then it offers to download them.
  async function choosePaintings() {
    if (canPaintAny) {
      const files = await pick({ multiple: true });
      if (files.length) addPainting(files);
      return;
    }
    needs.hidden = !needs.hidden;
    needs.firstChild ?? needs.append(downloadCard("arbitrary-style", words.anyNeeds, () => {
      canPaintAny = true;
      needs.hidden = true;
      toast(words.anyReady);
    }, signal));
    needs.scrollIntoView({ block: "nearest" });
  }

  async function removeStyle(style) {
    try {
      await api.remove(`/v1/styles/${style.id}`);
      state.styles = state.styles.filter((s) => s !== style);
      if (order.style === style.id) order.style = null;
      draw();
    } catch (error) { report(error); }
  }

  // MARK: Drawing

  const address = (job, extra = {}) => {
    const query = new URLSearchParams({ ...(order.colors === "photo" ? { colors: "photo" } : {}), ...extra });
    return `/v1/jobs/${job.id}/painting?${query}`;
  };
  let view;

  function draw(fresh = false) {
    if (signal.aborted) return;
    drawStage(fresh);
    drawStyles();
    drawPhotos();
    drawSide();
  }

  function drawStage(fresh) {
    const photo = state.current;
    if (view) state.split = view.split;
    view = null;
    if (!photo) {
      stage.replaceChildren(h("div", { class: "invite" },
        h("h2", { text: words.invite }), h("p", { class: "soft", text: words.inviteMore }),
        h("div", { class: "row" },
          h("button", { class: "primary", text: words.choose, onclick: async () => add(await pick({ multiple: true })) }),
          h("button", { text: words.take, onclick: async () => add(await pick({ capture: "environment" })) }),
          h("button", { class: "quiet", text: words.sample, onclick: trySample }))));
      return;
    }
    const job = photo.jobs[keyOf()];
    const isShown = job && (job.state === "done" || job.shown);
    if (isShown) {
      view = compare(photo.address, address(job), { strength: order.strength, split: state.split, fresh });
      stage.replaceChildren(view.element);
    } else {
      stage.replaceChildren(h("div", { class: "frame" }, h("img", { src: photo.address, alt: photo.name })));
    }
    const open = isOpen(job) ? job : isOpen(job?.full) ? job.full : null;
    if (open) {
      const bar = h("progress", { max: 1, "aria-label": words.state[open.state] });
      const label = job.stage === "preview" && open === job ? words.state.preview : words.state[open.state];
      stage.append(h("div", { class: "busy" },
        h("div", { class: "row" }, h("span", { text: label }), h("button", { text: all.common.cancel, onclick: () => cancel(photo, keyOf()) })), bar));
      advance(bar, open);
    }
  }

  // The progress bar counts the finished layers of the network. It is indeterminate until the first layer is finished.
  function advance(bar, job) {
    if (job.state === "painting" && job.progress > 0) bar.value = job.progress;
  }

  function drawStyles() {
    const known = state.styles.map((s) => s.id).join(" ");
    if (strip.dataset.known !== known) {
      strip.dataset.known = known;
      const added = (style) => ["upload", "painting", "trained"].includes(style.origin);
      const sorted = [...state.styles.filter(added).toReversed(), ...state.styles.filter((s) => !added(s))];
      strip.replaceChildren(
        plus("any-painting", words.anyPainting, words.anyPaintingHint, choosePaintings),
        plus("own-style", words.ownStyle, words.ownStyleHint, choosing({ accept: ".mlmodel,.zip" }, addStyle)),
        ...sorted.map((style) => {
        const image = h("img", { src: style.thumbnail, alt: "", loading: "lazy" });
        const hover = () => { if (state.current) image.src = `${style.thumbnail}?picture=${state.current.picture}`; };
        const tile = h("button", {
          class: "tile", "data-style": style.id, title: [style.painter, style.year].filter(Boolean).join(", "), onmouseenter: hover, onfocus: hover,
          onclick: () => {
            order.style = style.id;
            store.keepSetting("style", style.id);
            state.current ? paint(state.current) : draw();
          },
        }, thumb(style, { image }), h("span", {}, h("span", { class: "name", text: style.title }), style.painter ? h("span", { class: "who", text: style.painter }) : null));
        if (!["upload", "painting"].includes(style.origin)) return tile;
        return h("div", { class: "holder" }, tile, h("button", { class: "away", text: "×", "aria-label": words.removeStyle(style.title), onclick: () => removeStyle(style) }));
        }),
        plus("own-package", words.ownPackage, words.ownPackageHint, choosing({ folder: true }, addStyle)));
    }
    for (const tile of strip.querySelectorAll("[data-style]")) tile.setAttribute("aria-pressed", String(tile.dataset.style === order.style));
  }

  const choosing = (what, receive) => async () => { const files = await pick(what); if (files.length) receive(files); };

  const plus = (id, name, hint, onclick) => h("button", { class: "tile", id, onclick },
    h("span", { class: "thumb empty", text: "+" }), h("span", {}, h("span", { class: "name", text: name }), h("span", { class: "who", text: hint })));

  function drawPhotos() {
    photos.hidden = state.photos.length === 0;
    photos.replaceChildren(...state.photos.map((photo) => {
      const job = photo.jobs[keyOf()];
      return h("div", { class: "holder", "data-photo": photo.key },
        h("button", { class: "tile tiny", "aria-label": `${photo.name}${job ? ` — ${words.state[job.state]}` : ""}`, "aria-pressed": String(photo === state.current), onclick: () => { state.current = photo; draw(); } },
          h("span", { class: "thumb" }, h("img", { src: job?.state === "done" ? address(job) : photo.address, alt: "" }), isOpen(job) || isOpen(job?.full) ? h("progress", { "aria-label": words.state[job.state] }) : null)),
        h("button", { class: "away", text: "×", "aria-label": words.removePhoto, onclick: () => dismiss(photo) }));
    }), h("button", { class: "tile tiny", "aria-label": words.addPhoto, onclick: async () => add(await pick({ multiple: true })) }, h("span", { class: "thumb empty", text: "+" })));
  }

  function drawSide() {
    const photo = state.current;
    const job = photo?.jobs[keyOf()];
    const style = state.styles.find((s) => s.id === order.style);
    const done = job?.state === "done";
    const longest = photo ? Math.max(photo.width, photo.height) : 0;
    const sizes = [256, 512, 768, 1024, 1536, 2048, 3072].filter((s) => !photo || s < longest);
    const size = photo && order.size >= longest ? 0 : order.size;
    side.replaceChildren(...[
      h("div", {}, h("h2", { text: style?.title ?? words.title }), h("p", { class: "soft", text: [style?.painter, style?.year].filter(Boolean).join(", ") })),
      style?.painting ? h("img", { class: "original", src: style.painting, alt: words.original(style.title) }) : null,
      slider({ label: words.strength, id: "strength", min: 0, max: 1, step: 0.05, value: order.strength, word: (v) => `${Math.round(v * 100)} %, ${words.strengthWord(v)}`, change: (v) => { order.strength = v; view?.setStrength(v); } }),
      h("div", { class: "stack small soft" }, words.colors, segments(words.colors, [["style", words.colorsStyle], ["photo", words.colorsPhoto]], order.colors, (v) => { order.colors = v; if (done) view?.setAfter(address(job)); })),
      h("label", { class: "field" }, words.size, h("select", { id: "size", onchange: (e) => { order.size = Number(e.target.value); store.keepSetting("size", order.size); if (photo && order.style) paint(photo); else draw(); } },
        sizes.map((s) => h("option", { value: String(s), selected: s === size }, String(s))), photo ? h("option", { value: "0", selected: size === 0 }, words.sizeOwn(photo.width, photo.height)) : null)),
      h("div", { class: "stack small soft", hidden: style ? !style.hasSmall : false }, words.network, segments(words.network, [["large", words.large], ["small", words.small]], order.network, (v) => { order.network = v; store.keepSetting("network", v); if (photo && order.style) paint(photo); else draw(); })),
      h("div", { class: "row" },
        h("label", { class: "field" }, words.format, h("select", { id: "format", onchange: (e) => { order.format = e.target.value; store.keepSetting("format", order.format); } },
          [["jpeg", "JPEG"], ["png", "PNG"], ["tiff", "TIFF"]].map(([v, t]) => h("option", { value: v, selected: v === order.format }, t))))),
      h("button", { class: "primary", disabled: !done, id: "download", text: words.downloadPainting, onclick: () => download(photo, job) }),
      state.photos.length > 1 ? h("button", { text: words.all, disabled: !order.style, onclick: () => { for (const each of state.photos) paint(each); } }) : null,
      done && job.width ? h("p", { class: "small soft", id: "made", text: words.made(job.width, job.height, all.common.seconds(job.seconds)) }) : null,
      done && job.paintedWidth && job.paintedWidth !== job.width ? h("p", { class: "small soft", text: words.stretched(job.paintedWidth, job.paintedHeight) }) : null].filter(Boolean));
  }

  async function download(photo, job) {
    const extra = { format: order.format, strength: order.strength };
    const name = `${photo.name.replace(/\.[^.]*$/, "")}-${job.order.style}.${order.format === "jpeg" ? "jpg" : order.format}`;
    try { save(await (await api.ask(address(job, extra))).blob(), name); } catch (error) { report(error); }
  }

  async function trySample() {
    const blob = await (await api.ask("/sample.jpg")).blob();
    order.style ??= state.styles[0]?.id;
    add([new File([blob], "astronaut.jpg", { type: "image/jpeg" })]);
  }

  dropTarget(stage, add, signal);
  // A picture that is dropped on the styles becomes a style.
  dropTarget(strip, async (files) => {
    const { models, rest } = sort(files);
    for (const model of models) await addStyle(model);
    if (rest.length) await (canPaintAny ? addPainting : add)(rest);
  }, signal);
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) add(files);
  }, { signal });
  draw();
  drawEarlier();
}
