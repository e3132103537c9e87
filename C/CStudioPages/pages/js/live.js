// Live: paints the frames of a camera or a video.
import * as api from "./api.js";
import { cameraChoice, openCamera } from "./camera.js";
import { h, pick, report, save, segments, thumb, toast } from "./dom.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.live;
// The maximum number of frames in flight. The studio paints one frame while the page sends the next.
const mostOnTheWay = 2;

export async function show(root, { signal }) {
  const styles = (await api.get("/v1/styles", { signal })).styles.filter((s) => s.hasSmall || s.origin !== "gallery");
  const set = { style: store.setting("liveStyle", styles[0]?.id), units: store.setting("liveUnits", "all") };
  if (!styles.some((s) => s.id === set.style)) set.style = styles[0]?.id;
  const canvas = h("canvas", { width: 640, height: 480, "aria-label": words.title });
  const screen = canvas.getContext("2d");
  const video = h("video", { muted: true, playsInline: true, loop: true, class: "fill", hidden: true });
  const scratch = new OffscreenCanvas(640, 480);
  const pen = scratch.getContext("2d", { willReadFrequently: false });
  const stage = h("div", { class: "stage" });
  const figures = Object.fromEntries(["fps", "latency", "network", "dropped"].map((name) => [name, h("b", { text: "–", id: `live-${name}` })]));
  let running = null;
  let problem = null;
  // How often painting was started: a start that another one has replaced ends without a trace.
  let starts = 0;
  let usesCamera = false;
  const cameras = cameraChoice(() => { if (usesCamera) start("camera"); });

  const buttons = {
    camera: h("button", { class: "primary", text: words.camera, onclick: () => start("camera") }),
    film: h("button", { text: words.film, onclick: async () => { const [file] = await pick({ accept: "video/*" }); if (file) start(file); } }),
    stop: h("button", { text: words.stop, onclick: stop, id: "live-stop" }),
    record: h("button", { id: "live-record", text: words.record, onclick: () => (running?.recorder ? running.recorder.stop() : record()) }),
    shot: h("button", { class: "primary", text: words.snapshot, id: "live-shot", onclick: () => canvas.toBlob((blob) => save(blob, `live-${set.style}.png`), "image/png") }),
  };
  const strip = h("div", { class: "tiles", role: "radiogroup", "aria-label": words.style }, styles.map((style) =>
    h("button", { class: "tile", role: "radio", "data-style": style.id, "aria-checked": String(style.id === set.style), onclick: () => choose(style.id) },
      thumb(style), h("span", { class: "name", text: style.title }))));
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" }, h("div", { class: "stack" }, stage, strip),
      h("aside", { class: "stack" },
        h("div", { class: "numbers" }, Object.entries(figures).map(([name, b]) => h("div", { class: "number" }, b, h("span", { text: words[name] })))),
        h("div", { class: "stack small soft" }, words.units, segments(words.units, [["all", words.all], ["cpuOnly", words.cpuOnly]], set.units, (v) => { set.units = v; store.keepSetting("liveUnits", v); tellStudio({ units: v }); })),
        cameras.element,
        h("div", { class: "row" }, buttons.shot, buttons.record, buttons.stop))));
  draw();
  signal.addEventListener("abort", stop);

  function draw() {
    stage.replaceChildren(running ? h("div", { class: "frame" }, canvas) : h("div", { class: "invite" }, h("h2", { text: words.invite }),
      problem ? h("p", { class: "danger", role: "alert", id: "live-problem", text: problem }) : null,
      h("div", { class: "row" }, buttons.camera, buttons.film)));
    buttons.stop.disabled = buttons.shot.disabled = buttons.record.disabled = !running;
  }

  function choose(style) {
    set.style = style;
    store.keepSetting("liveStyle", style);
    for (const tile of strip.children) tile.setAttribute("aria-checked", String(tile.dataset.style === style));
    tellStudio({ style });
  }

  function tellStudio(settings) {
    const session = running;
    session?.opened.then(() => session.socket.send(JSON.stringify(settings)));
  }

  async function start(source) {
    stop();
    const number = ++starts;
    usesCamera = source === "camera";
    problem = null;
    let stream;
    try {
      if (source === "camera") {
        stream = await openCamera({ width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } });
        if (number !== starts) throw new DOMException("", "AbortError");
        // A camera that is unplugged ends its track.
        for (const track of stream.getTracks()) track.addEventListener("ended", stop);
        cameras.list();
        video.srcObject = stream;
      } else {
        video.srcObject = null;
        video.src = URL.createObjectURL(source);
      }
      await video.play();
    } catch (error) {
      stream?.getTracks().forEach((t) => t.stop());
      if (error.name === "AbortError" || signal.aborted || number !== starts) return;
      usesCamera = false;
      if (source === "camera") { problem = error.message; draw(); } else report(error, source);
      return;
    }
    if (signal.aborted || number !== starts) { stream?.getTracks().forEach((t) => t.stop()); return; }
    const socket = new WebSocket(api.socketAddress(`/v1/live?${new URLSearchParams({ style: set.style, units: set.units, client: api.client })}`));
    socket.binaryType = "arraybuffer";
    const opened = new Promise((resolve) => { socket.onopen = resolve; });
    const session = { socket, opened, stream, sent: new Map(), number: 0, times: [], latencies: [], networks: [], dropped: 0, shown: 0, encoding: false };
    running = session;
    socket.onmessage = (event) => receive(session, event.data);
    socket.onclose = () => { if (running === session) { stop(); toast(words.ended, "bad"); } };
    session.meter = setInterval(() => measure(session), 500);
    const next = () => {
      if (running !== session) return;
      send(session);
      session.tick = video.requestVideoFrameCallback ? video.requestVideoFrameCallback(next) : requestAnimationFrame(next);
    };
    next();
    draw();
  }

  // MARK: Recording

  /// Records what the canvas shows, until the user stops the recording or the painting. Then saves the file.
  function record() {
    const session = running;
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((t) => globalThis.MediaRecorder?.isTypeSupported(t));
    if (!session || !type || !canvas.captureStream) { toast(words.noRecorder, "bad"); return; }
    const parts = [];
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 4e6 });
    session.recorder = recorder;
    const begun = performance.now();
    const tell = () => { buttons.record.textContent = words.stopRecording(Math.round((performance.now() - begun) / 1000)); };
    const clock = setInterval(tell, 500);
    recorder.addEventListener("dataavailable", (event) => { if (event.data.size) parts.push(event.data); });
    recorder.addEventListener("stop", () => {
      clearInterval(clock);
      session.recorder = null;
      buttons.record.textContent = words.record;
      for (const track of recorder.stream.getTracks()) track.stop();
      if (!parts.length) return;
      const name = `live-${set.style}.${type.startsWith("video/mp4") ? "mp4" : "webm"}`;
      save(new Blob(parts, { type: type.split(";")[0] }), name);
      toast(words.recorded(name));
    });
    recorder.start(1000);
    tell();
  }

  // MARK: Frames

  async function send(session) {
    // If the studio cannot take the frame yet, drops it before encoding it.
    if (session.socket.readyState !== 1) return;
    if (session.encoding || session.sent.size >= mostOnTheWay) { session.dropped += 1; return; }
    session.encoding = true;
    const begun = performance.now();
    const scale = Math.max(640 / video.videoWidth, 480 / video.videoHeight);
    const [w, t] = [video.videoWidth * scale, video.videoHeight * scale];
    pen.drawImage(video, (640 - w) / 2, (480 - t) / 2, w, t);
    const blob = await scratch.convertToBlob({ type: "image/jpeg", quality: 0.8 });
    const bytes = new Uint8Array(4 + blob.size);
    const number = session.number++;
    new DataView(bytes.buffer).setUint32(0, number, true);
    bytes.set(new Uint8Array(await blob.arrayBuffer()), 4);
    session.encoding = false;
    if (running !== session || session.socket.readyState !== 1) return;
    session.sent.set(number, begun);
    session.socket.send(bytes);
  }

  async function receive(session, data) {
    if (typeof data === "string") {
      const told = JSON.parse(data);
      if (told.type === "error") { toast(told.message, "bad"); session.sent.clear(); }
      return;
    }
    const view = new DataView(data);
    const number = view.getUint32(0, true);
    const begun = session.sent.get(number);
    // The studio has dropped the earlier frames that have not come back.
    for (const earlier of session.sent.keys()) if (earlier <= number) { if (earlier < number) session.dropped += 1; session.sent.delete(earlier); }
    const picture = await createImageBitmap(new Blob([new Uint8Array(data, 8)], { type: "image/jpeg" }));
    if (running !== session) return;
    if (number >= session.shown) {
      session.shown = number;
      screen.drawImage(picture, 0, 0, 640, 480);
    }
    picture.close();
    const now = performance.now();
    session.times.push(now);
    if (begun) session.latencies.push(now - begun);
    session.networks.push(view.getFloat32(4, true));
  }

  const middle = (list) => list.length ? [...list].sort((a, b) => a - b)[list.length >> 1] : NaN;

  function measure(session) {
    const now = performance.now();
    while (session.times.length && now - session.times[0] > 3000) { session.times.shift(); session.latencies.shift(); session.networks.shift(); }
    const span = session.times.length > 1 ? (session.times.at(-1) - session.times[0]) / 1000 : 0;
    const tell = (name, value, digits = 0) => { figures[name].textContent = Number.isFinite(value) ? value.toFixed(digits) : "–"; };
    tell("fps", span ? (session.times.length - 1) / span : NaN, 1);
    tell("latency", middle(session.latencies));
    tell("network", middle(session.networks));
    tell("dropped", session.dropped);
  }

  function stop() {
    const session = running;
    running = null;
    usesCamera = false;
    if (!session) return;
    clearInterval(session.meter);
    if (session.recorder) session.recorder.stop();
    // Browsers report a socket that is closed before it is open as an error.
    session.opened.then(() => session.socket.close());
    session.stream?.getTracks().forEach((t) => t.stop());
    video.pause();
    if (!signal.aborted) draw();
  }
}
