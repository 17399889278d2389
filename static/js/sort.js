// @ts-check
/**
 * The head of each column sorts its table, and pressed again turns it round. Cells say by
 * `data-order` what they are sorted by; nothing comes last either way. A table that is swapped for
 * a newer one stays sorted.
 */

/** @type {Map<string, { place: number, turned: boolean }>} */
const sorted = new Map();
const FEWEST = 3; // rows that are worth sorting

/** @param {HTMLTableRowElement} row @param {number} place */
const orderOf = (row, place) => row.cells[place].dataset.order ?? "";

/** @param {string} order @returns {number[] | null} null where it is in words */
function numbersIn(order) {
  const numbers = order.split(" ").map(Number);
  return numbers.some(Number.isNaN) ? null : numbers;
}

/** @param {string} one @param {string} other @param {boolean} turned */
function compare(one, other, turned) {
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  const [ours, theirs] = [numbersIn(one), numbersIn(other)];
  const side =
    ours && theirs
      ? (ours.map((number, at) => number - theirs[at]).find(Boolean) ?? 0)
      : one.localeCompare(other, undefined, { numeric: true });
  return turned ? -side : side;
}

/** @param {HTMLTableElement} table @param {number} place @param {boolean} turned */
function sort(table, place, turned) {
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => compare(orderOf(one, place), orderOf(other, place), turned));
  table.tBodies[0].append(...rows);
  for (const [at, head] of [...table.rows[0].cells].entries()) {
    if (at === place) head.setAttribute("aria-sort", turned ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  sorted.set(table.id, { place, turned });
}

/** @param {HTMLTableCellElement} head */
function becomeButton(head) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sorter";
  /** @param {Node} node */
  const isWord = (node) => !(node instanceof Element && node.matches(".glass"));
  button.append(...[...head.childNodes].filter(isWord));
  head.prepend(button);
}

function prepare() {
  for (const table of document.querySelectorAll("table[data-behaviour='sort']")) {
    if (!(table instanceof HTMLTableElement) || table.querySelector(".sorter")) continue;
    if (table.tBodies[0].rows.length < FEWEST) continue;
    [...table.rows[0].cells].forEach(becomeButton);
    const before = sorted.get(table.id);
    if (before) sort(table, before.place, before.turned);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest(".sorter");
  const head = button && button.closest("th");
  const table = head && head.closest("table");
  if (table) sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
});

prepare();
document.addEventListener("htmx:load", prepare);
