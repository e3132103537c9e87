// Sends a model to the studio: a .mlmodel file, a zipped .mlpackage, or the files of a .mlpackage folder.
import { health, post, StudioError } from "./api.js";
import { pathOf } from "./dom.js";
import { words } from "./words.js";

/// Sorts dropped or chosen files. Returns the models, each with all its files, and the remaining files.
export function sort(files) {
  const models = new Map();
  const rest = [];
  for (const file of files) {
    const folder = /^([^/]*\.mlpackage)\//i.exec(pathOf(file))?.[1];
    if (folder) models.set(folder, [...(models.get(folder) ?? []), file]);
    else if (/\.(mlmodel|zip)$/i.test(file.name)) models.set(file.name, [file]);
    else rest.push(file);
  }
  return { models: [...models.values()], rest };
}

export async function sendModel(files) {
  const { limits } = await health();
  const total = files.reduce((sum, f) => sum + f.size, 0);
  if (total > limits.modelBytes) throw new StudioError(words.error.tooLarge(Math.floor(limits.modelBytes / 1e6)), 413);
  const first = files[0];
  if (files.length === 1 && !pathOf(first).includes("/")) {
    return post(`/v1/models?name=${encodeURIComponent(first.name)}`, first, { type: "application/octet-stream" });
  }
  const form = new FormData();
  for (const file of files) form.append("file", file, pathOf(file));
  const name = pathOf(first).split("/")[0];
  return post(`/v1/models?name=${encodeURIComponent(name)}`, form);
}
