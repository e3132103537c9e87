// State that stays when the user reloads the page: photos, paintings and settings, in the browser's database.
let opening;

function database() {
  return opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("atelier", 1);
    request.onupgradeneeded = () => {
      for (const name of ["photos", "paintings"]) request.result.createObjectStore(name, { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function run(name, mode, body) {
  const transaction = (await database()).transaction(name, mode);
  const request = body(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
  });
}

export const keep = (name, value) => run(name, "readwrite", (s) => s.put(value)).catch(() => {});
export const forget = (name, key) => run(name, "readwrite", (s) => s.delete(key)).catch(() => {});
export const forgetAll = (name) => run(name, "readwrite", (s) => s.clear()).catch(() => {});
export const all = (name) => run(name, "readonly", (s) => s.getAll()).catch(() => []);

export function setting(name, fallback) {
  try { return JSON.parse(localStorage.getItem(`set.${name}`)) ?? fallback; } catch { return fallback; }
}
export const keepSetting = (name, value) => localStorage.setItem(`set.${name}`, JSON.stringify(value));
