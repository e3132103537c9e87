// Opens cameras, lists them, and says in a sentence why there is none.
import { h } from "./dom.js";
import * as store from "./store.js";
import { words as all } from "./words.js";

const words = all.camera;
// The two directions that phones know. Other choices are identifiers of devices.
const directions = ["user", "environment"];

export class CameraError extends Error {}

/// Returns a sentence for an error of `getUserMedia`.
function sentence(error) {
  switch (error.name) {
    case "NotFoundError": case "OverconstrainedError": return words.none;
    case "NotAllowedError": case "SecurityError": return words.denied;
    case "NotReadableError": case "AbortError": return words.busy;
    default: return words.failed(error.message);
  }
}

/// Opens the chosen camera. If that camera is gone, opens any. Throws a `CameraError` with a sentence.
export async function openCamera(size = {}) {
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraError(words.insecure);
  const chosen = store.setting("camera", "user");
  const which = directions.includes(chosen) ? { facingMode: { ideal: chosen } } : { deviceId: { exact: chosen } };
  try {
    return await navigator.mediaDevices.getUserMedia({ video: { ...size, ...which }, audio: false });
  } catch (error) {
    if (error.name !== "OverconstrainedError") throw new CameraError(sentence(error));
  }
  store.keepSetting("camera", "user");
  try {
    return await navigator.mediaDevices.getUserMedia({ video: size, audio: false });
  } catch (error) { throw new CameraError(sentence(error)); }
}

/// Returns a menu of the cameras. Browsers tell their names only after the user has allowed a camera.
export function cameraChoice(change) {
  const menu = h("select", { id: "camera", onchange: () => { store.keepSetting("camera", menu.value); change(); } });
  async function list() {
    const devices = (await navigator.mediaDevices?.enumerateDevices?.().catch(() => []) ?? []).filter((d) => d.kind === "videoinput" && d.deviceId);
    const chosen = store.setting("camera", "user");
    const named = devices.map((d, i) => [d.deviceId, d.label || words.number(i + 1)]);
    const choices = [["user", words.front], ["environment", words.back], ...named];
    menu.replaceChildren(...choices.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  }
  list();
  return { element: h("label", { class: "field" }, words.choose, menu), list };
}
