/* Going through the questions of a taxonomy, a list or a graph: one question in view, the trail above it,
   and what the way comes to. Who rates goes through them, and who decides. */

export const all = (root, selector) => [...root.querySelectorAll(selector)];
export const part = (root, name) => root.querySelector(`[data-part='${name}']`);
export const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
export const chosen = (question) => question.querySelector("input:checked");
export const wordsOf = (input) => input.closest("label").querySelector(".choice__text, .level__number").textContent;
/** On a phone, where dialogue and questions are two tabs. */
export const showPane = (form, name) => {
  const pane = form.querySelector(`[data-pane='${name}']`);
  if (pane) pane.checked = true;
};
export const questions = (criterion) => all(criterion, "[data-question]");

const isGraph = (criterion) => "graph" in criterion.dataset;

/** How far the answers lead: `way` are the indices on it, `end` the one that decided, `open` the next one to ask. */
export const walk = (criterion) => {
  const asked = questions(criterion);
  const way = [];
  for (let at = 0; ;) {
    way.push(at);
    const { endsAt, goesTo } = chosen(asked[at])?.dataset ?? {};
    if (!chosen(asked[at]) || endsAt) return { asked, way, end: endsAt ? at : -1, open: endsAt ? -1 : at };
    at = goesTo === undefined ? at + 1 : Number(goesTo);
  }
};

const inView = (criterion) => {
  const { open } = walk(criterion);
  return "viewing" in criterion.dataset ? Number(criterion.dataset.viewing) : open;
};

/** What stands between names in the language of the page. */
export const comma = document.body.dataset.comma;

const inWords = (given) => given.map((question) => `${question.dataset.number} ${wordsOf(chosen(question))}`).join(comma);

export const drawTaxonomy = (criterion) => {
  const { asked, way, end, open } = walk(criterion);
  const view = inView(criterion);
  const furthest = end >= 0 ? end : open;
  asked.forEach((question, index) => { question.hidden = index !== view; });
  const shown = isGraph(criterion) ? way : [...asked.keys()];
  part(criterion, "trail").replaceChildren(...shown.map((index) => {
    const step = document.createElement("li");
    const isAhead = !isGraph(criterion) && index > furthest;
    const button = Object.assign(document.createElement("button"), { type: "button", disabled: isAhead });
    const answer = chosen(asked[index]);
    button.textContent = answer ? `${index + 1} ${wordsOf(answer)}` : `${index + 1}`;
    button.dataset.step = index;
    if (index === view) button.setAttribute("aria-current", "step");
    step.append(button);
    return step;
  }));
  const result = part(criterion, "result");
  result.hidden = end < 0 || view >= 0;
  if (!result.hidden) sayResult(criterion, result);
  // In a graph ways meet again: what follows may stand, whatever is answered here.
  const atStake = view >= 0 && !isGraph(criterion) ? asked.slice(view + 1).filter(chosen) : [];
  const warning = part(criterion, "at-stake");
  warning.hidden = atStake.length === 0;
  warning.textContent = fill(warning.dataset.words, { answers: inWords(atStake) });
};

const sayResult = (criterion, result) => {
  const { words, wordsNotAsked, wordsLastNotAsked } = result.dataset;
  const { asked, way, end } = walk(criterion);
  const label = chosen(asked[end]).dataset.endsAt;
  const [number, of] = [way.length, asked.length];
  part(result, "result-words").textContent = fill(words, { label, number, of });
  for (const line of all(result, "[data-dimension]")) sayLevel(line, way.map((index) => asked[index]));
  if (isGraph(criterion)) return;
  const rest = number + 1 === of ? wordsLastNotAsked : wordsNotAsked;
  part(result, "not-asked").textContent = number < of ? fill(rest, { from: number + 1, of }) : "";
};

/** The level of one dimension: the worst that was met, as `annotation/rubric/taxonomy.py` has it. */
const sayLevel = (line, way) => {
  const { dimension, clear, notAsked, worst } = line.dataset;
  const about = way.filter((question) => question.dataset.dimension === dimension);
  const met = about.map((question) => chosen(question).dataset.severity).filter(Boolean).map(Number);
  const found = worst === "highest" ? Math.max(...met) : Math.min(...met);
  const level = met.length ? found : Number(about.length ? clear : notAsked);
  for (const one of all(line, "[data-level]")) one.hidden = Number(one.dataset.level) !== level;
};

/** Once a label is reached, answers off the way are dropped, and it is said which. */
export const prune = (criterion, question) => {
  const { asked, way, end } = walk(criterion);
  const after = asked.slice(asked.indexOf(question) + 1);
  const off = isGraph(criterion)
    ? asked.filter((one, index) => end >= 0 && chosen(one) && !way.includes(index))
    : after.filter((one) => chosen(question).dataset.endsAt && chosen(one));
  const note = part(criterion, "dropped");
  note.hidden = off.length === 0;
  note.textContent = fill(note.dataset.words, { answers: inWords(off) });
  off.forEach((one) => { chosen(one).checked = false; });
};

/** Show the question before the one in view, or the one after; false where there is none. */
export const stepBack = (criterion) => {
  const view = inView(criterion);
  const { way, end } = walk(criterion);
  const before = view < 0 ? end : way[way.indexOf(view) - 1] ?? -1;
  if (before < 0) return false;
  criterion.dataset.viewing = before;
  return true;
};

export const stepOn = (criterion) => {
  if (!("viewing" in criterion.dataset)) return false;
  const view = Number(criterion.dataset.viewing);
  const { way, end } = walk(criterion);
  if (view === end) delete criterion.dataset.viewing;
  else criterion.dataset.viewing = way[way.indexOf(view) + 1] ?? view;
  return true;
};
