// What the map is coloured by: clusters, known labels, or any column.
const GREY = "#9aa0a6";
// From dark to light, even to the eye (viridis).
const SCALE = ["#440154", "#3e4989", "#26828e", "#35b779", "#b5de2b", "#fde725"];
const colourings = page.sample.colourings.map(({ codes, numbers, ...rest }) => ({
  ...rest,
  codes: codes ? unpack(codes, Int16Array) : null,
  numbers: numbers ? unpack(numbers, Float32Array) : null,
}));
let colouring = null;

// Ten colours, then the same ones darker, lighter, and so on.
function levelColour(level) {
  const base = page.colours[level % page.colours.length];
  const round = Math.floor(level / page.colours.length) % 4;
  if (!round) return base;
  const to = [0, 0, 255, 128][round];
  const part = (at) => Math.round((parseInt(base.slice(at, at + 2), 16) + to) / 2);
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}

function scaleColour(number, { low, high }) {
  const place = Math.max(0, Math.min((number - low) / (high - low), 1)) * (SCALE.length - 1);
  const at = Math.min(Math.floor(place), SCALE.length - 2);
  const mix = (from) => {
    const [a, b] = [SCALE[at], SCALE[at + 1]].map((each) => parseInt(each.slice(from, from + 2), 16));
    return Math.round(a + (b - a) * (place - at));
  };
  return `rgb(${mix(1)},${mix(3)},${mix(5)})`;
}

// The colour of a row on the map, by its place in the sample.
function pointColour(place) {
  if (colouring === null) return colourOf(index.label[sample.at[place]]);
  const { codes, numbers } = colouring;
  if (codes) return codes[place] < 0 ? GREY : levelColour(codes[place]);
  return Number.isFinite(numbers[place]) ? scaleColour(numbers[place], colouring) : GREY;
}

// What a row has in the column that the map is coloured by.
function colouredValue(row) {
  const place = placeOf.get(row);
  if (colouring === null || place === undefined) return null;
  const { codes, numbers, levels } = colouring;
  const value = codes ? levels[codes[place]] ?? "–" : distance(numbers[place]);
  return `${colouring.name}: ${value}`;
}

function legend() {
  const box = byId("legend");
  if (colouring === null) { box.replaceChildren(); return; }
  const lacks = colouring.codes ? colouring.codes.includes(-1) : colouring.numbers.some((each) => !Number.isFinite(each));
  const chip = (text, colour) => make("span", { class: "named", colour }, make("span", { class: "mark s0", "aria-hidden": "true" }), text);
  const parts = colouring.levels
    ? colouring.levels.map((level, at) => chip(level, levelColour(at)))
    : [make("span", {}, distance(colouring.low)), make("span", { class: "scale", "aria-hidden": "true" }), make("span", {}, distance(colouring.high))];
  box.replaceChildren(...parts, ...(lacks ? [chip("no value", GREY)] : []));
  const scale = box.querySelector(".scale");
  if (scale) scale.style.background = `linear-gradient(90deg, ${SCALE.join(",")})`;
}

function startColours() {
  if (!colourings.length) return;
  const choice = byId("colour");
  choice.append(make("option", { value: "" }, "cluster"),
    ...colourings.map(({ name }, at) => make("option", { value: at }, name)));
  choice.onchange = () => {
    colouring = choice.value === "" ? null : colourings[Number(choice.value)];
    legend();
    recolour();
  };
  byId("colouring").hidden = false;
}

// Known labels against clusters; the darker a cell, the larger its part of the cluster.
function knownTable() {
  const { levels, counts } = page.known;
  const cell = (text, more = {}) => make("th", { scope: "col", class: "number", ...more }, text);
  const body = make("tbody");
  for (const label of listed) {
    const total = counts[label].reduce((a, b) => a + b, 0);
    body.append(make("tr", {}, make("th", { scope: "row" }, toCluster(label)), ...counts[label].map((number) => {
      const part = total ? number / total : 0;
      const box = make("td", { class: part > 0.55 ? "number share-of dark" : "number share-of" }, number ? count(number) : "·");
      box.style.setProperty("--part", `${Math.round(100 * part)}%`);
      return box;
    })));
  }
  return make("table", { class: "known" }, make("thead", {}, make("tr", {}, cell("Cluster", { class: null }),
    ...levels.map((level) => cell(level)))), body);
}
