// Models: shows a model's inputs, outputs and layers, and a form that predicts with it.
import * as api from "./api.js";
import { bytes, dropTarget, h, pick, report, toast } from "./dom.js";
import { picture } from "./graph.js";
import { sendModel, sort } from "./upload.js";
import { words as all } from "./words.js";

const words = all.models;

export async function show(root, { signal, rest }) {
  let { models } = await api.get("/v1/models", { signal });
  let current = models.find((m) => m.id === rest) ?? models[0];
  const list = h("div", { class: "list", role: "list" });
  const detail = h("div", { class: "stack" });
  root.append(h("h2", { text: words.title }), h("p", { class: "lead", text: words.lead }),
    h("div", { class: "columns" }, detail, h("aside", { class: "stack" },
      h("div", { class: "row" },
        h("button", { class: "primary", text: words.choose, onclick: async () => receive(await pick({ accept: ".mlmodel,.zip" })) }),
        h("button", { text: words.package, onclick: async () => receive(await pick({ folder: true })) })), list)));

  async function receive(files) {
    if (!files.length) return;
    try {
      let added;
      for (const each of sort(files).models.length ? sort(files).models : [files]) added = await sendModel(each);
      models = (await api.get("/v1/models")).models;
      open(models.find((m) => m.id === added.id));
    } catch (error) { report(error, files[0]); }
  }

  function drawList() {
    list.replaceChildren(...models.map((m) => h("button", { "aria-current": String(m.id === current?.id), onclick: () => open(m) },
      h("span", { text: m.title }), h("span", { class: "row" }, h("span", { class: "pill", text: words.kinds[m.kind] }), h("span", { class: "pill", text: words.origin[m.origin] })))));
  }

  async function open(model) {
    current = model;
    drawList();
    if (!model) return;
    detail.replaceChildren();
    try {
      const known = await api.get(`/v1/models/${model.id}`, { signal });
      if (current === model && !signal.aborted) draw(model, known);
    } catch (error) { report(error); }
  }

  function draw(model, known) {
    const s = known.summary;
    const feature = (f) => h("tr", {}, h("td", { text: f.name }), h("td", { text: f.type }), h("td", { class: "soft", text: f.summary }));
    const table = (title, rows) => h("div", { class: "stack" }, h("h3", { text: title }), h("table", { class: "features" }, h("tbody", {}, rows.map(feature))));
    const layers = s.layers.reduce((sum, l) => sum + l.count, 0);
    detail.append(
      h("div", { class: "row spread" }, h("h2", { text: model.title }), h("div", { class: "row" },
        model.kind === "style" ? h("a", { class: "button", href: "#paint", text: words.openPaint }) : null,
        model.kind === "classifier" ? h("a", { class: "button", href: "#look", text: words.openLook }) : null,
        model.origin === "upload" ? h("button", { class: "quiet danger", text: all.common.remove, onclick: async () => { await api.remove(`/v1/models/${model.id}`).catch(report); models = models.filter((m) => m !== model); toast(words.removed); open(models[0]); } }) : null)),
      h("p", { class: "soft", text: [s.type, `specification ${s.specificationVersion}`, s.weights.count ? words.weights(s.weights.count.toLocaleString("en"), bytes(s.weights.bytes)) : null, layers ? `${layers} layers` : null].filter(Boolean).join(" · ") }),
      form(model, known), table(words.inputs, s.inputs), table(words.outputs, s.outputs));
    if (layers || s.functions?.length || s.stages?.length) detail.append(layersOf(model));
    if (Object.keys(s.metadata).length) detail.append(h("details", {}, h("summary", { text: words.about }), h("table", {}, h("tbody", {}, Object.entries(s.metadata).map(([k, v]) => h("tr", {}, h("th", { text: k }), h("td", { text: v })))))));
  }

  // Makes a form from the model's description. The result of a prediction appears below the form.
  function form(model, known) {
    const answer = h("div", { class: "stack", role: "status", id: "answer" });
    const fields = known.inputs.map((input) => {
      const hint = input.kind === "picture" ? `${input.width} × ${input.height}` : input.kind === "array" ? `[${input.shape.join(" × ")}]` : input.kind;
      const control = input.kind === "picture" ? h("input", { type: "file", accept: "image/*", name: input.name, class: "file" })
        : input.kind === "array" || input.kind === "dictionary" ? h("textarea", { name: input.name, rows: 2, placeholder: input.kind === "array" ? "1, 2, 3" : '{"word": 1}', spellcheck: false })
        : h("input", { name: input.name, type: input.kind === "text" ? "text" : "number", step: input.kind === "number" ? "any" : "1", value: input.kind === "text" ? "" : "1" });
      return h("label", { class: "field" }, h("span", {}, input.name, " ", h("span", { class: "pill", text: hint }), input.isOptional ? ` ${words.optional}` : ""), control);
    });
    const run = async (event) => {
      event.preventDefault();
      const body = new FormData();
      for (const input of known.inputs) {
        const control = element.elements[input.name];
        if (input.kind === "picture") { if (control.files[0]) body.append(input.name, control.files[0]); }
        else if (control.value !== "") body.append(input.name, control.value);
      }
      try {
        const { outputs, seconds } = await api.post(`/v1/models/${model.id}/predict`, body, { signal });
        answer.replaceChildren(h("h3", { text: `${words.answer} · ${all.common.seconds(seconds)}` }), ...Object.entries(outputs).map(([name, value]) => output(name, value)));
      } catch (error) { report(error); }
    };
    const element = h("form", { class: "card stack", onsubmit: run }, fields, h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: words.run })), answer);
    return element;
  }

  function output(name, value) {
    const head = h("span", { class: "soft small", text: name });
    if (value.kind === "picture") return h("div", { class: "frame" }, head, h("img", { src: value.value, alt: name }));
    if (value.kind === "dictionary") {
      const best = Object.entries(value.value).sort((a, b) => b[1] - a[1]).slice(0, 8);
      const most = Math.max(...best.map(([, v]) => Math.abs(v)), 1e-9);
      return h("div", { class: "stack" }, head, best.map(([label, v]) => h("div", { class: "guess" }, h("span", { text: label }), h("span", { class: "soft", text: v.toPrecision(4) }), h("span", { class: "meter" }, h("i", { vars: { part: `${Math.max(0, v / most) * 100}%` } })))));
    }
    if (value.kind === "array") return h("div", { class: "stack" }, h("span", { class: "soft small", text: `${name} [${value.shape.join(" × ")}]${value.isComplete ? "" : " …"}` }), h("pre", { text: value.value.slice(0, 400).map((v) => typeof v === "number" ? Number(v.toPrecision(6)) : v).join(", ") + (value.value.length > 400 ? ", …" : "") }));
    return h("div", {}, head, h("p", { class: "number" }, h("b", { text: String(value.value) })));
  }

  function layersOf(model) {
    const box = h("div", { class: "stack" });
    const place = h("div", { class: "stack" });
    const time = h("button", { text: words.time, onclick: async () => {
      time.disabled = true;
      time.textContent = words.timing;
      try {
        const profile = await api.get(`/v1/models/${model.id}/profile`, { signal });
        const most = Math.max(...profile.layers.map((l) => l.milliseconds));
        place.replaceChildren(h("p", { class: "soft", text: `${words.total(profile.milliseconds.toFixed(2))} · ${profile.threads} threads · ${profile.precision}` }),
          h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": words.layers }, h("table", {}, h("thead", {}, h("tr", {}, [words.layer, words.kind, words.kernel].map((t) => h("th", { text: t })), h("th", { class: "n", text: words.ms }))),
            h("tbody", {}, profile.layers.map((l) => h("tr", {}, h("td", { text: l.name }), h("td", { text: l.kind }), h("td", { class: "soft", text: l.kernel }), h("td", { class: "n", text: l.milliseconds.toFixed(3) })))))));
        drawing?.heat(new Map(profile.layers.map((l) => [l.name, l.milliseconds / most])));
      } catch (error) { report(error); }
      time.disabled = false;
      time.textContent = words.time;
    } });
    let drawing;
    box.append(h("div", { class: "row spread" }, h("h3", { text: words.layers }), time));
    api.get(`/v1/models/${model.id}/graph`, { signal }).then((graph) => {
      drawing = picture(graph);
      box.append(drawing.element, h("p", { class: "small soft", text: words.graph + (drawing.left ? ` ${words.onlyFirst(drawing.count)}` : "") }), place);
    }, (error) => { if (error.code === "no_layers") box.append(h("p", { class: "soft", text: words.noLayers })); else report(error); });
    return box;
  }

  dropTarget(root, receive, signal);
  drawList();
  open(current);
}
