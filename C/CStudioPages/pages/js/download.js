// A card with a button that downloads a network that is missing. The studio does what `atelier fetch NAME` does.
import * as api from "./api.js";
import { bytes, h } from "./dom.js";
import { words as all } from "./words.js";

const words = all.fetch;

/// Returns a card that says why a network is needed, and downloads it.
/// - name: The name of the network, as `atelier fetch` takes it.
/// - reason: A sentence that says what needs the network.
/// - done: Called when the network is in the cache.
export function downloadCard(name, reason, done, signal) {
  const { size, total } = words.networks[name];
  const status = h("p", { class: "small soft", role: "status" });
  const bar = h("progress", { max: 1, "aria-label": words.running, hidden: true });
  const button = h("button", { class: "primary", text: words.button(size), "data-download": name, onclick: begin });
  const card = h("div", { class: "card stack download", "data-needs": name }, h("p", { text: reason }), h("div", { class: "row" }, button), bar, status);
  let isDone = false;

  function show(report) {
    if (report.name !== name || isDone || signal.aborted) return;
    const runs = report.state === "fetching";
    card.dataset.state = report.state;
    button.disabled = runs;
    button.textContent = report.state === "failed" ? words.again : words.button(size);
    bar.hidden = !runs;
    const had = report.bytes ?? 0;
    if (runs && total && had) bar.value = Math.min(0.99, had / total); else bar.removeAttribute("value");
    status.className = report.state === "failed" ? "danger" : "small soft";
    status.textContent = runs ? `${report.step}${had ? ` ${bytes(had)}` : ""}` : report.error ?? "";
    if (report.state === "fetched") {
      isDone = true;
      api.forgetHealth();
      done();
    }
  }

  async function begin() {
    button.disabled = true;
    try {
      show(await api.post(`/v1/fetches/${name}`));
    } catch (error) {
      button.disabled = false;
      status.className = "danger";
      status.textContent = error.message;
    }
  }

  const look = () => api.get(`/v1/fetches/${name}`, { signal }).then(show, () => {});
  api.follow("fetch", show, look, signal);
  look();
  return card;
}
