"use strict";
// What the page knows. Text from the data reaches the document by textContent alone.
const page = JSON.parse(document.getElementById("payload").textContent);

const unpack = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const index = {
  rows: unpack(page.index.rows, Uint32Array),
  names: page.index.names,
  label: unpack(page.index.label, Int32Array),
  rank: unpack(page.index.rank, Uint32Array),
  first: unpack(page.index.first, Float32Array),
  second: unpack(page.index.second, Int32Array),
  far: unpack(page.index.far, Float32Array),
};
const sample = {
  at: unpack(page.sample.at, Uint32Array),
  x: unpack(page.sample.x, Float64Array),
  y: unpack(page.sample.y, Float64Array),
};
// A row is known by its place in the index; this is its place in the sample, if it is drawn.
const placeOf = new Map(Array.from(sample.at, (row, place) => [row, place]));
const bySize = page.clusters.map((_, label) => label)
  .sort((a, b) => page.clusters[b].size - page.clusters[a].size || a - b);
const byNumber = page.clusters.map((_, label) => label);
// The order in which clusters are listed.
let listed = byNumber;
const byRank = Array.from(page.clusters, () => []);
for (const row of sample.at) byRank[index.label[row]].push(row);
for (const rows of byRank) rows.sort((a, b) => index.rank[a] - index.rank[b]);

const byId = (id) => document.getElementById(id);
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x",
  "triangle-left", "pentagon", "triangle-right", "hexagon"];
const colourOf = (label) => page.colours[label % page.colours.length];
const symbolOf = (label) => label % SYMBOLS.length;
const nameOf = (row) => (index.names ? index.names[row] : `row ${index.rows[row]}`);

const whole = new Intl.NumberFormat("en");
const few = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const count = (number) => whole.format(number);
const distance = (number) => (Number.isFinite(number) ? few.format(number) : "–");
// How many times as far from its medoid a row is as is usual in its cluster; null where none is usual.
function times(row) {
  const { usual } = page.clusters[index.label[row]];
  return usual ? index.first[row] / usual : null;
}
const timesUsual = (row) => (times(row) === null ? "–" : `${distance(times(row))} ×`);
const share = (size) => `${(100 * size / page.n).toFixed(1)}%`;
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

// An element; children are elements or text, and nothing is ever read as HTML.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") element.addEventListener("click", value);
    else if (name === "colour") element.style.setProperty("--c", value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
const marked = (label, text) => make("span", { class: "named", colour: colourOf(label) },
  make("span", { class: `mark s${symbolOf(label)}`, "aria-hidden": "true" }), text);
