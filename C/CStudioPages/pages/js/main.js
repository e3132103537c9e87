// Shows the page that the URL's fragment names.
import { clearToasts, h, report } from "./dom.js";
import { words } from "./words.js";

const pages = ["paint", "optimize", "film", "live", "train", "look", "draw", "models"];
const main = document.getElementById("main");
const nav = document.getElementById("nav");
let leaving = new AbortController();

document.getElementById("skip").textContent = words.skip;
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
nav.append(...pages.map((name) => h("a", { href: `#${name}`, text: words.nav[name] })));

async function show() {
  const [name, rest] = location.hash.slice(1).split("/");
  const page = pages.includes(name) ? name : "paint";
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  for (const link of nav.children) {
    const isHere = link.getAttribute("href") === `#${page}`;
    isHere ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    if (isHere) link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  document.title = `${words.nav[page]} · ${words.title}`;
  main.replaceChildren();
  clearToasts();
  main.dataset.page = page;
  try {
    const module = await import(`./${page}.js`);
    if (!signal.aborted) await module.show(main, { signal, rest });
  } catch (error) {
    if (!signal.aborted) report(error);
  }
}

addEventListener("hashchange", show);
show();
