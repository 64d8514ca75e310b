"use strict";
const rows = [...document.querySelectorAll("tbody tr")];
const boxes = [...document.querySelectorAll(".filters input[type=checkbox]")];
const search = document.querySelector("input[type=search]");
const count = document.querySelector("#count");
const more = document.querySelector("#more");
const STEP = 200; // rows drawn at once: a browser lays out ten thousand too slowly
let limit = STEP;

function filter() {
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = search.value.toLowerCase();
  let left = 0;
  for (const row of rows) {
    const wanted = shown.has(row.dataset.verdict) && row.dataset.text.includes(words);
    row.hidden = !wanted || left >= limit;
    left += wanted;
  }
  more.hidden = left <= limit;
  count.textContent = `${left} of ${rows.length} samples`;
}

function sort(head, column) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  document.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const words = new Intl.Collator("en", { numeric: true }).compare;
  const order = (a, b) => "value" in a.dataset
    ? a.dataset.value - b.dataset.value
    : words(a.textContent, b.textContent);
  rows.sort((a, b) => (up ? 1 : -1) * order(a.cells[column], b.cells[column]));
  const body = document.querySelector("tbody");
  rows.forEach((row) => body.append(row));
  filter();
}

more.addEventListener("click", () => { limit += STEP; filter(); });

boxes.forEach((box) => box.addEventListener("change", filter));
search.addEventListener("input", filter);
document.querySelectorAll("th").forEach((head, column) =>
  head.querySelector("button").addEventListener("click", () => sort(head, column)));
filter();
