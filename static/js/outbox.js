/* The outbox: what is submitted or half filled in leaves from here, and is sent until the server has
   answered. Meanwhile it waits in this browser: codes and opaque ids as they are, typed words only
   encrypted under the key of the session, which ends with it; the text of items never. Each entry
   has an id that the server knows again, so that what arrives twice is stored once. */

import { signInAgain } from "./signing-in.js";

const PREFIX = "outbox:";
const LONGEST_WAIT = 30000;
const PATIENCE = 20000;
const box = document.querySelector("[data-part='outbox']");
const { owner } = box.dataset;
const entries = new Map();
const underWay = new Set();
const listeners = [];
let token = box.dataset.token;
let state = "";
let wait = 1000;
let retrying = 0;
let storing = Promise.resolve();
let isGoing = false;
let staying = 0;

const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const partOf = (root, name) => root.querySelector(`[data-part='${name}']`);
const clock = (moment) => new Date(moment).toLocaleTimeString("en-GB");

/** A name that nobody else has made. */
export const newId = () => crypto.randomUUID?.()
  ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Ask to be told of answers and of states: {answered(entry, response, text, askedAt), adopted(), said()}. */
export const listen = (listener) => { listeners.push(listener); };
const tell = (what, ...about) => listeners.map((listener) => listener[what]?.(...about)).some(Boolean);

/* ---- Typed words are written down in cipher only ---- */

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
const inText = (buffer) => btoa([...new Uint8Array(buffer)].map((byte) => String.fromCharCode(byte)).join(""));

/** Null where the page is not secure or the session has no key: then words wait in memory alone. */
const keyFrom = async (text) => {
  if (!text || !crypto.subtle) return null;
  return crypto.subtle.importKey("raw", bytes(text), "AES-GCM", false, ["encrypt", "decrypt"]);
};
let key = keyFrom(box.dataset.key);

const sealed = async (words) => {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key, new TextEncoder().encode(words));
  return { iv: inText(iv), data: inText(data) };
};

const opened = async ({ iv, data }) => {
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(iv) }, await key, bytes(data));
  return new TextDecoder().decode(plain);
};

/* ---- Entries, in memory and in the browser's store ---- */

const tab = newId();
navigator.locks?.request(`tab:${tab}`, () => new Promise(() => {}));

/** Whether anything was typed: `words` are texts by the names of their fields, undefined where they cannot be read. */
export const isTyped = ({ words }) => Object.values(words ?? {}).some(Boolean);

const unwritten = new Set();
const cannotSeal = () => !(crypto.subtle && box.dataset.key);
/** Whether an entry would go with this page. */
const isOnlyHere = (entry) => unwritten.has(entry.id) || (isTyped(entry) && cannotSeal());

const write = (entry, cipher) => {
  const { words, isKept: _, ...rest } = entry;
  unwritten.delete(entry.id);
  try {
    localStorage.setItem(PREFIX + entry.id, JSON.stringify({
      ...rest, owner, tab, sealed: cipher ?? null, isTyped: isTyped(entry), fields: Object.keys(words ?? {}),
    }));
  } catch { unwritten.add(entry.id); } // still sent
};

const persist = async (entry) => {
  write(entry);
  if (!isTyped(entry) || !(await key)) return;
  const cipher = await sealed(JSON.stringify(entry.words));
  if (entries.get(entry.id) === entry) write(entry, cipher);
};

/** Keep an entry until the server has answered; `afterwards` more milliseconds for others to follow. */
export const put = (entry, { afterwards = 0 } = {}) => {
  entries.set(entry.id, entry);
  const stored = persist(entry).catch(() => {}); // not kept, still sent
  storing = storing.then(() => stored);
  draw();
  if (afterwards) setTimeout(() => { if (entries.get(entry.id) === entry) flush(); }, afterwards);
  else flush();
};

export const drop = (id) => {
  entries.delete(id);
  try { localStorage.removeItem(PREFIX + id); } catch { /* there is no store */ }
  draw();
};

const among = (which) => [...entries.values()].filter(which);
/** What waits and is chosen by a question to it. */
export const waiting = (which = () => true) => among((entry) => !entry.refused && !entry.isKept && which(entry));
export const isAnswer = (entry) => entry.kind !== "draft";
/** Forget the drafts of a form. */
export const dropDrafts = (place) => {
  for (const entry of among((one) => !isAnswer(one) && one.place === place)) drop(entry.id);
};

const ofOtherTabs = async () => {
  const alive = await navigator.locks?.query();
  const living = new Set(alive ? alive.held.map((lock) => lock.name) : []);
  const theirs = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX)).map((name) => JSON.parse(localStorage.getItem(name)))
    .filter((entry) => entry && entry.owner === owner && entry.tab !== tab && !entries.has(entry.id));
  const isGone = (entry) => !living.has(`tab:${entry.tab}`);
  for (const entry of theirs) if (!isGone(entry)) takeOverFrom(entry.tab);
  return theirs.filter(isGone);
};

const awaited = new Set();
/** Another tab, or the page before this one, which is not quite gone: what it leaves is taken over once it is. */
const takeOverFrom = async (other) => {
  if (awaited.has(other)) return;
  awaited.add(other);
  await navigator.locks.request(`tab:${other}`, () => {});
  awaited.delete(other);
  await adopt();
  tell("adopted");
  draw();
  flush();
};

const readable = async ({ sealed: cipher, isTyped: wasTyped, fields, tab: _, owner: __, ...entry }) => {
  if (!wasTyped) return { ...entry, words: fields.length ? Object.fromEntries(fields.map((name) => [name, ""])) : undefined };
  try { return { ...entry, words: JSON.parse(await opened(cipher)) }; } catch { return asDraft({ ...entry, words: undefined }); }
};

/** Answers whose words went with their session are filled in again: they are not sent without. */
const asDraft = (entry) => (entry.kind === "answers"
  ? { ...entry, id: `draft:${entry.place}:${entry.id}`, kind: "draft", url: entry.draftUrl, writer: entry.id, version: 1, base: 0 }
  : entry);

/** Whether the scripts of this page have run, so that its form asks for what was left of it. */
const isWhole = new Promise((resolve) => { document.addEventListener("DOMContentLoaded", resolve); });

/** Take over what pages left behind that are no longer there. It is sent, and forgotten, from then on. */
const adopt = async () => {
  await isWhole;
  try {
    for (const left of await ofOtherTabs()) {
      const entry = await readable(left);
      localStorage.removeItem(PREFIX + left.id);
      entries.set(entry.id, entry);
      persist(entry);
    }
  } catch { /* there is no store */ }
};
export const ready = adopt().then(() => { draw(); flush(); });

/* ---- Sending ---- */

const bodyOf = (entry) => {
  const body = new URLSearchParams({ ...entry.codes, ...entry.hidden, ...entry.words });
  if (entry.kind === "draft") {
    for (const name of ["form", "writer", "version", "base"]) body.set(name, entry[name]);
    body.set("place", entry.of);
  }
  for (const [name, value] of Object.entries(entry.more?.() ?? {})) body.set(name, value);
  return body;
};

const post = (entry, options = {}) => fetch(entry.url, {
  method: "POST", body: bodyOf(entry), redirect: "manual", cache: "no-store",
  headers: { "HX-Request": "true", "X-CSRFToken": token }, signal: AbortSignal.timeout(PATIENCE), ...options,
});

/** Who is signed in now: null where nobody is. A network that fails throws. */
const who = async () => {
  const answer = await fetch(box.dataset.who, { headers: { "HX-Request": "true" }, cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });
  if (answer.status >= 500) throw new Error("The server does not answer.");
  return answer.ok ? answer.json() : null;
};

/** The session is another one: its token, and its key for what waits. */
const goOnAs = async (account) => {
  if (account.owner !== owner) { location.assign("/"); throw new Error("Somebody else has signed in."); }
  const isNew = account.token !== token;
  token = account.token;
  document.body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
  if (account.key !== box.dataset.key) {
    box.dataset.key = account.key;
    key = keyFrom(account.key);
    for (const entry of entries.values()) persist(entry);
  }
  return isNew;
};

const isBack = async () => {
  const account = await who();
  if (account) await goOnAs(account);
  return account !== null;
};

const askWhoItIs = () => {
  state = "signed-out";
  draw();
  signInAgain(box.dataset.signIn, isBack).then(() => { state = ""; wait = 1000; draw(); flush(); });
};

/** Send one; false where it makes no sense to send more now. */
const deliver = async (entry, isSecondTime = false) => {
  const sent = { ...entry };
  const askedAt = performance.now();
  let response;
  let text;
  try {
    response = await post(entry);
    text = await response.text();
  } catch { return later(); }
  if (response.status >= 500 || response.status === 429) return later();
  if (response.type === "opaqueredirect" || [401, 403].includes(response.status)) {
    try {
      const account = await who();
      if (account === null) { askWhoItIs(); return false; }
      const isNew = await goOnAs(account);
      if (isNew && !isSecondTime) return deliver(entry, true);
    } catch { return later(); }
  }
  state = "";
  wait = 1000;
  settle(entry, sent, response, text, askedAt);
  return true;
};

/** Nothing is said to be kept before it is. */
const later = async () => {
  await storing;
  state = "offline";
  clearTimeout(retrying);
  retrying = setTimeout(flush, wait * (0.75 + Math.random() / 2));
  wait = Math.min(wait * 2, LONGEST_WAIT);
  draw();
  return false;
};

/** The server has answered: an entry that was changed meanwhile waits on. */
const settle = (entry, sent, response, text, askedAt) => {
  const isOutdated = entries.get(entry.id)?.version !== sent.version;
  const at = response.headers.get("Concord-Saved-At") ?? (entry.kind === "draft" && response.ok ? JSON.parse(text).kept_at : null);
  if (at) saved = { at, words: entry.kind === "draft" ? box.dataset.wordsKept : box.dataset.wordsSaved };
  if (!isOutdated && response.status !== 409) done(entry, response);
  if (!isOutdated && response.status === 409 && !isAnswer(entry)) park(entry);
  const isTaken = tell("answered", entry, response, text, askedAt);
  if (isAnswer(entry) && !response.ok && isTaken) drop(entry.id);
  if (isAnswer(entry) && !response.ok && !isTaken) refuse(entry, response.status, text);
  draw();
};

/** The page that comes may have been drawn before the server had this draft: it is left to that one. */
const done = (entry, response) => {
  if (isGoing && response.ok && !isAnswer(entry)) entry.isKept = true;
  else drop(entry.id);
};

/** A draft that another tab went on with waits until somebody has chosen. */
const park = (entry) => {
  entry.isParked = true;
  persist(entry);
};

const refuse = (entry, status, text) => {
  if (status === 422) { put({ ...asDraft(entry), of: entry.place.split(":")[1], form: entry.place.split(":")[0] }); return; }
  const page = new DOMParser().parseFromString(text, "text/html");
  const reason = page.querySelector("[data-part='reason']") ?? page.querySelector(".toast p");
  const refused = { ...entry, refused: reason?.textContent ?? box.dataset.wordsNotTaken };
  entries.set(entry.id, refused);
  persist(refused);
};

const nextToSend = () => waiting((entry) => !entry.isParked)[0];

const sendAll = async () => {
  if (state === "signed-out") return;
  clearTimeout(retrying);
  for (let next = nextToSend(); next; next = nextToSend()) {
    underWay.add(next.id);
    const goOn = await deliver(next);
    underWay.delete(next.id);
    if (!goOn) break;
  }
};

let running = null;
/** Send what waits, one after the other. */
export const flush = () => {
  running ??= sendAll().finally(() => {
    running = null;
    if (!state && nextToSend()) flush();
  });
  return running;
};

/* ---- What is said about it ---- */

let saved = null;

const sentence = () => {
  const answers = waiting(isAnswer).length;
  if (state === "signed-out") return ["bad", box.dataset.wordsSignIn];
  if (state === "offline" && waiting(isOnlyHere).length) return ["bad", box.dataset.wordsOfflineHere];
  if (state === "offline" && answers) return ["waiting", fill(box.dataset.wordsOffline, { n: answers })];
  if (state === "offline" && waiting().length) return ["waiting", box.dataset.wordsOfflineDraft];
  return saved ? ["saved", fill(saved.words, { time: clock(saved.at) })] : ["", ""];
};

export const draw = () => {
  const [kind, words] = sentence();
  const inBar = document.querySelector("form [data-part='saved']");
  const line = inBar ?? partOf(box, "outbox-state");
  if (words && line.textContent !== words) line.textContent = words;
  if (words) line.dataset.state = kind;
  box.dataset.waiting = waiting().length;
  const refused = [...entries.values()].filter((entry) => entry.refused);
  const list = partOf(box, "outbox-refused");
  if (list.children.length !== refused.length) list.replaceChildren(...refused.map(asRefused));
  box.hidden = refused.length === 0 && (Boolean(inBar) || !["waiting", "bad"].includes(kind));
  tell("said");
};

const asRefused = (entry) => {
  const item = document.querySelector("template[data-part='refused']").content.firstElementChild.cloneNode(true);
  partOf(item, "title").textContent = entry.title;
  partOf(item, "reason").textContent = entry.refused;
  partOf(item, "typed").hidden = !isTyped(entry);
  partOf(item, "words").textContent = Object.values(entry.words ?? {}).filter(Boolean).join("\n\n");
  item.querySelector("[data-behaviour='dismiss']").addEventListener("click", () => drop(entry.id));
  return item;
};

/* ---- Forms that the browser sends itself: the page that answers takes the place of what was typed ---- */

const isHeard = new WeakSet();
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  const keepsDrafts = form.dataset.draft && !submitter?.hasAttribute("formaction");
  const hasWords = [...form.querySelectorAll("textarea")].some((field) => field.value);
  if (event.defaultPrevented || form.method !== "post" || keepsDrafts || !hasWords || isHeard.delete(form)) return;
  event.preventDefault();
  try {
    if (!(await isBack())) await signInAgain(box.dataset.signIn, isBack);
  } catch { document.dispatchEvent(new Event("htmx:sendError")); return; }
  form.elements.csrfmiddlewaretoken.value = token;
  isHeard.add(form);
  form.requestSubmit(submitter);
});

/* ---- The page goes, the network comes, somebody signs out ---- */

const sendBeforeGoing = () => {
  for (const entry of waiting((one) => !one.isParked && !underWay.has(one.id))) post(entry, { keepalive: true, signal: undefined }).catch(() => {});
};
window.addEventListener("pagehide", sendBeforeGoing);
document.addEventListener("visibilitychange", () => { if (document.hidden) flush(); });
window.addEventListener("online", () => { wait = 1000; flush(); });
const stay = () => {
  isGoing = false;
  for (const entry of among((one) => one.isKept)) drop(entry.id);
};
window.addEventListener("pageshow", stay);
window.addEventListener("beforeunload", (event) => {
  isGoing = true;
  clearTimeout(staying);
  staying = setTimeout(stay, PATIENCE); // a download, or somebody who thought better of it
  if (waiting(isOnlyHere).length) event.preventDefault();
});

/** Signing out empties the store: what can be sent is sent before, and what cannot is asked about. */
document.addEventListener("submit", async (event) => {
  if (!event.target.matches("[action$='/logout/']")) return;
  event.preventDefault();
  await adopt();
  await flush();
  const left = waiting().length;
  if (left && !window.confirm(fill(box.dataset.wordsLeaving, { n: left }))) return;
  empty();
  event.target.submit();
});

const empty = () => {
  entries.clear();
  for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
};
