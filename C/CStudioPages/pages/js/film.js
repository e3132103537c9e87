// Film: paints a film with its sound. Three of its frames show the settings first.
import * as api from "./api.js";
import { dropTarget, h, pick, report, save, segments, slider, thumb, toast } from "./dom.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.film;
// This state stays when the user changes the page.
const state = { current: null };

export async function show(root, { signal }) {
  const order = {
    style: store.setting("film-style", null), network: store.setting("film-network", "small"), size: null,
    strength: 1, stability: store.setting("film-stability", 0.85), colors: "style",
  };
  const stage = h("div", { class: "stage film", id: "stage" });
  const strip = h("div", { class: "tiles", role: "group", "aria-label": words.styles });
  const others = h("div", { class: "strip", role: "group", "aria-label": words.films });
  const side = h("aside", { class: "stack" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" }, h("div", { class: "stack painter" }, stage, strip, others), side));

  const styles = (await api.get("/v1/styles", { signal })).styles;
  let { films, need } = await api.get("/v1/films", { signal });
  if (!styles.some((s) => s.id === order.style)) order.style = styles[0]?.id ?? null;
  // The share of the film that is sent, while it is sent.
  let sending = null;
  const isBusy = (film) => film?.state === "waiting" || film?.state === "painting";
  const current = () => films.find((f) => f.id === state.current);
  const style = () => styles.find((s) => s.id === order.style);

  // MARK: Sending

  async function add(files) {
    const file = files[0];
    if (!file || need || sending) return;
    const leave = new AbortController();
    signal.addEventListener("abort", () => leave.abort());
    sending = { share: 0, name: file.name, leave };
    draw();
    try {
      const film = await api.sendFilm(file, (share) => { sending.share = share; advanceSending(); }, leave.signal);
      films.push(film);
      state.current = film.id;
      order.size = null;
    } catch (error) { report(error, file); }
    sending = null;
    draw();
  }

  // MARK: Painting

  const size = (film) => film.sizes.find((s) => s.size === order.size) ?? film.sizes[0];

  async function start(film) {
    try {
      changed(await api.post(`/v1/films/${film.id}/painting`, {
        style: order.style, network: network(), size: size(film).size, strength: order.strength,
        stability: order.stability, colors: order.colors,
      }));
    } catch (error) { report(error); }
    // On a phone the button is far below the picture.
    if (isBusy(current())) stage.scrollIntoView({ block: "nearest" });
  }

  const stop = (film) => api.post(`/v1/films/${film.id}/stop`).catch(report);

  async function dismiss(film) {
    await api.remove(`/v1/films/${film.id}`).catch(() => {});
    films = films.filter((f) => f !== film);
    if (state.current === film.id) state.current = films.at(-1)?.id ?? null;
    draw();
  }

  // An event may arrive before the response to the request that started the painting.
  function changed(news) {
    const known = films.find((f) => f.id === news.id);
    if (!known || news.version < known.version) return;
    const isMere = news.state === known.state;
    for (const name of ["speed", "secondsLeft", "error", "order"]) delete known[name];
    Object.assign(known, news);
    if (isMere) {
      if (known.id === state.current) advance(known);
      return;
    }
    if (known.state === "failed") toast(known.error, "bad");
    draw();
  }

  const lookAgain = () => {
    for (const film of films) if (isBusy(film)) api.get(`/v1/films/${film.id}`).then(changed, () => changed({ ...film, state: "stopped" }));
  };
  api.follow("film", changed, lookAgain, signal);

  // MARK: Stills

  const network = () => style()?.hasSmall ? order.network : "large";
  const previews = new Map();

  /// Paints a frame, and shows the painting over it. Paints the same frame with the same settings only once.
  function preview(film, still, frame) {
    const query = new URLSearchParams({
      style: order.style, network: network(), size: size(film).painted, picture: still.picture, colors: order.colors, quality: 90,
    });
    const key = query.toString();
    if (!previews.has(key)) {
      const painting = api.ask(`/v1/stylize?${key}`, { method: "POST", signal }).then((answer) => answer.blob()).then((blob) => URL.createObjectURL(blob));
      previews.set(key, painting);
      painting.catch(() => previews.delete(key));
      if (previews.size > 48) previews.delete(previews.keys().next().value);
    }
    frame.classList.add("waits");
    frame.dataset.wanted = key;
    previews.get(key).then((address) => {
      if (frame.dataset.wanted !== key) return;
      const image = h("img", { class: "painted", src: address, alt: words.painted(style()?.title ?? "") });
      image.addEventListener("load", () => frame.classList.remove("waits"));
      frame.querySelector(".painted")?.remove();
      frame.append(image);
    }, (error) => { frame.classList.remove("waits"); report(error); });
  }

  // MARK: Drawing

  function draw() {
    if (signal.aborted) return;
    drawStage();
    drawStyles();
    drawOthers();
    drawSide();
  }

  function drawStage() {
    const film = current();
    if (sending) {
      stage.replaceChildren(h("div", { class: "invite" }, h("h2", { text: words.sending(sending.name) }),
        h("progress", { max: 1, id: "sending", "aria-label": words.sending(sending.name) }),
        h("button", { text: all.common.cancel, onclick: () => sending.leave.abort() })));
      advanceSending();
      return;
    }
    if (!film) {
      stage.replaceChildren(h("div", { class: "invite" }, h("h2", { text: words.invite }),
        need ? h("p", { class: "danger", id: "need", text: need }) : h("p", { class: "soft", text: words.inviteMore }),
        h("div", { class: "row" }, h("button", { class: "primary", text: words.choose, disabled: Boolean(need), onclick: chooseFilm }))));
      return;
    }
    if (film.state === "done") {
      stage.replaceChildren(h("div", { class: "frame" }, h("video", {
        id: "painted-film", src: address(film), controls: true, loop: true, playsInline: true, preload: "metadata", "aria-label": words.painted(film.name),
      })));
      return;
    }
    const stills = h("div", { class: "stills", vars: { strength: order.strength } }, film.stills.map((still) => {
      const frame = h("div", { class: "still" }, h("img", { src: `/v1/pictures/${still.picture}?size=960`, alt: words.still(clock(still.time)) }), h("span", { class: "tag left", text: clock(still.time) }));
      if (order.style) preview(film, still, frame);
      return frame;
    }));
    stage.replaceChildren(stills);
    if (isBusy(film)) {
      stage.append(h("div", { class: "busy" },
        h("div", { class: "row" }, h("span", { id: "film-state" }), h("button", { id: "stop", text: all.common.cancel, onclick: () => stop(film) })),
        h("progress", { max: 1, "aria-label": words.state.painting })));
      advance(film);
    }
  }

  function advance(film) {
    const bar = stage.querySelector(".busy progress");
    if (!bar) return;
    if (film.frame > 0) bar.value = Math.min(1, film.frame / film.frames);
    stage.querySelector("#film-state").textContent = film.state === "waiting" || film.frame === 0 ? words.state[film.state]
      : [words.frame(film.frame, film.frames), film.speed && words.speed(film.speed), film.secondsLeft !== undefined && words.left(clock(film.secondsLeft))].filter(Boolean).join(" · ");
  }

  function advanceSending() {
    const bar = stage.querySelector("#sending");
    if (bar && sending.share > 0) bar.value = sending.share;
  }

  function drawStyles() {
    strip.replaceChildren(...styles.map((each) => h("button", {
      class: "tile", "data-style": each.id, "aria-pressed": String(each.id === order.style),
      onclick: () => { order.style = each.id; store.keepSetting("film-style", each.id); again(); },
    }, thumb(each), h("span", {}, h("span", { class: "name", text: each.title }), each.painter ? h("span", { class: "who", text: each.painter }) : null))));
  }

  // Other settings: shows the stills again, also in place of a painted film.
  function again() {
    const film = current();
    if (film?.state === "done") film.state = "ready";
    draw();
  }

  function drawOthers() {
    others.hidden = films.length === 0;
    others.replaceChildren(...films.toReversed().map((film) => h("div", { class: "holder", "data-film": film.id },
      h("button", { class: "tile tiny", "aria-label": `${film.name} — ${words.state[film.state]}`, "aria-pressed": String(film.id === state.current), onclick: () => { state.current = film.id; order.size = null; draw(); } },
        h("span", { class: "thumb" }, h("img", { src: `/v1/pictures/${film.stills[0].picture}?size=160`, alt: "", loading: "lazy" })), h("span", { class: "who", text: words.state[film.state] })),
      h("button", { class: "away", text: "×", "aria-label": all.common.remove, onclick: () => dismiss(film) }))));
  }

  function drawSide() {
    const film = current();
    const busy = isBusy(film);
    side.replaceChildren(...[
      film ? h("div", {}, h("h3", { text: film.name }), h("p", { class: "small soft", id: "about", text: words.about(film.width, film.height, clock(film.seconds), film.frames, film.audioTracks) })) : null,
      h("div", { class: "stack small soft", hidden: style() ? !style().hasSmall : false }, words.network, segments(words.network, [["small", words.small], ["large", words.large]], order.network, (v) => { order.network = v; store.keepSetting("film-network", v); again(); })),
      film ? h("label", { class: "field" }, words.size, h("select", { id: "size", onchange: (e) => { order.size = Number(e.target.value); again(); } },
        film.sizes.map((s, index) => h("option", { value: String(s.size), selected: s === size(film) }, index === 0 ? words.sizeOwn(s.size) : String(s.size))))) : null,
      slider({ label: words.strength, id: "strength", min: 0, max: 1, step: 0.05, value: order.strength, word: (v) => `${Math.round(v * 100)} %, ${words.strengthWord(v)}`, change: (v) => { order.strength = v; stage.querySelector(".stills")?.style.setProperty("--strength", v); } }),
      slider({ label: words.stability, id: "stability", min: 0, max: 1, step: 0.05, value: order.stability, word: (v) => words.stabilityWord(v), change: (v) => { order.stability = v; store.keepSetting("film-stability", v); } }),
      h("div", { class: "stack small soft" }, words.colors, segments(words.colors, [["style", words.colorsStyle], ["photo", words.colorsFilm]], order.colors, (v) => { order.colors = v; again(); })),
      h("button", { class: "primary", id: "start", text: words.start, disabled: !film || !order.style || busy, onclick: () => start(film) }),
      h("button", { id: "download", text: words.download, disabled: film?.state !== "done", onclick: () => save(address(film), painted(film)) }),
      film ? h("button", { text: words.other, disabled: Boolean(need), onclick: chooseFilm }) : null,
      film?.state === "stopped" ? h("p", { class: "small soft", id: "stopped", text: words.goesOn }) : null,
      film?.error ? h("p", { class: "danger", text: film.error }) : null,
      ...(film?.notes ?? []).map((note) => h("p", { class: "small soft", text: note }))].filter(Boolean));
  }

  const address = (film) => `/v1/films/${film.id}/painting`;
  const painted = (film) => `${film.name.replace(/\.[^.]*$/, "")}-${film.order?.style ?? "painted"}.mp4`;
  const clock = (s) => { const t = Math.max(0, Math.round(s)); return `${Math.floor(t / 60)}:${String(t % 60).padStart(2, "0")}`; };

  async function chooseFilm() { add(await pick({ accept: "video/*,.mkv,.avi,.gif" })); }

  dropTarget(stage, add, signal);
  if (!current()) state.current = (films.findLast(isBusy) ?? films.at(-1))?.id ?? null;
  draw();
}
