// Draws the graph of a network: layers from top to bottom, connections as lines.
import { svg } from "./dom.js";
import { words } from "./words.js";

const [width, height, gap, down] = [170, 36, 26, 66];
const most = 700;

export function picture(graph) {
  const nodes = graph.nodes.slice(0, most);
  const maker = new Map();
  graph.inputs.forEach((v) => maker.set(v.name, -1));
  nodes.forEach((n, i) => n.outputs.forEach((v) => maker.set(v.name, i)));
  // A layer is one row below the lowest of its inputs.
  const rows = [];
  const level = nodes.map(() => 0);
  nodes.forEach((node, i) => {
    level[i] = Math.max(0, ...node.inputs.map((name) => (maker.get(name) ?? -1) >= 0 && maker.get(name) < i ? level[maker.get(name)] + 1 : 0));
    (rows[level[i]] ??= []).push(i);
  });
  const at = nodes.map(() => [0, 0]);
  const center = (list) => list.reduce((a, b) => a + b, 0) / Math.max(1, list.length);
  rows.forEach((row, y) => {
    const wish = row.map((i) => {
      const above = nodes[i].inputs.map((n) => maker.get(n)).filter((m) => m >= 0 && m < i).map((m) => at[m][0]);
      return [i, above.length ? center(above) : 0];
    }).sort((a, b) => a[1] - b[1]);
    const middle = center(wish.map((w) => w[1]));
    wish.forEach(([i], place) => { at[i] = [middle + (place - (wish.length - 1) / 2) * (width + gap), y * down]; });
  });
  const lines = svg("g");
  const boxes = svg("g");
  const byName = new Map();
  nodes.forEach((node, i) => {
    const [x, y] = at[i];
    for (const name of node.inputs) {
      const from = maker.get(name);
      if (from === undefined || from < 0 || from >= i) continue;
      const [a, b] = at[from];
      lines.append(svg("path", { d: `M${a} ${b + height / 2}C${a} ${b + height / 2 + 18} ${x} ${y - height / 2 - 18} ${x} ${y - height / 2}` }));
    }
    const box = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 7 });
    byName.set(node.name, box);
    const short = (t, n) => t.length > n ? `${t.slice(0, n - 1)}…` : t;
    const title = svg("title");
    title.textContent = `${node.kind} “${node.name}” → ${node.outputs.map((o) => o.type ?? "?").join(", ")}`;
    const kind = svg("text", { x, y: y - 1, "text-anchor": "middle" });
    kind.textContent = short(node.kind, 24);
    const type = svg("text", { x, y: y + 12, "text-anchor": "middle", class: "sub" });
    type.textContent = short(node.outputs[0]?.type ?? node.name, 30);
    boxes.append(svg("g", {}, title, box, kind, type));
  });
  const view = { x: 0, y: 0, scale: 1 };
  const layer = svg("g", {}, lines, boxes);
  const element = svg("svg", { class: "graph", tabindex: 0, role: "img", "aria-label": `${words.models.layers}: ${nodes.length}` }, layer);
  const place = () => layer.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const zoom = (factor, x, y) => {
    const next = Math.min(3, Math.max(0.08, view.scale * factor));
    view.x = x - (x - view.x) * next / view.scale;
    view.y = y - (y - view.y) * next / view.scale;
    view.scale = next;
    place();
  };
  const reset = () => { view.x = element.clientWidth / 2; view.y = 40; place(); };
  new ResizeObserver((_, seen) => { seen.disconnect(); reset(); }).observe(element);
  let drag;
  element.addEventListener("pointerdown", (e) => { drag = [e.clientX - view.x, e.clientY - view.y]; element.setPointerCapture(e.pointerId); });
  element.addEventListener("pointermove", (e) => { if (drag) { view.x = e.clientX - drag[0]; view.y = e.clientY - drag[1]; place(); } });
  element.addEventListener("pointerup", () => { drag = null; });
  element.addEventListener("wheel", (e) => { e.preventDefault(); const box = element.getBoundingClientRect(); zoom(e.deltaY < 0 ? 1.15 : 0.87, e.clientX - box.left, e.clientY - box.top); }, { passive: false });
  element.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
    if (step) { view.x += step[0]; view.y += step[1]; place(); }
    else if (e.key === "+" || e.key === "-") zoom(e.key === "+" ? 1.2 : 0.83, element.clientWidth / 2, element.clientHeight / 2);
    else return;
    e.preventDefault();
  });
  return {
    element, count: nodes.length, left: graph.nodes.length - nodes.length,
    heat(parts) {
      for (const [name, box] of byName) {
        const part = parts.get(name);
        box.classList.toggle("hot", part !== undefined);
        if (part !== undefined) box.style.setProperty("--heat", Math.round(part * 85));
      }
    },
  };
}
