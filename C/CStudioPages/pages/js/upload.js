// Sends a model: one .mlmodel file, or the files of an .mlpackage folder.
import { health, post, StudioError } from "./api.js";
import { words } from "./words.js";

export async function sendModel(files) {
  const { limits } = await health();
  const total = files.reduce((sum, f) => sum + f.size, 0);
  if (total > limits.modelBytes) throw new StudioError(words.error.tooLarge(Math.floor(limits.modelBytes / 1e6)), 413);
  const first = files[0];
  if (files.length === 1 && !first.webkitRelativePath) {
    return post(`/v1/models?name=${encodeURIComponent(first.name)}`, first, { type: "application/octet-stream" });
  }
  const form = new FormData();
  for (const file of files) form.append("file", file, file.webkitRelativePath || file.name);
  const name = (first.webkitRelativePath || first.name).split("/")[0];
  return post(`/v1/models?name=${encodeURIComponent(name)}`, form);
}
