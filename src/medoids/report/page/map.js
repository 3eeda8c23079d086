// The map. plotly draws it; what it is pointed at is drawn by us, so that no text of the data
// is read as markup.
const CONFIG = { displayModeBar: false, scrollZoom: true, doubleClick: "reset", responsive: true, showTips: false };
const touch = matchMedia("(pointer: coarse)").matches;
const plane = byId("plane");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = () => ({ family: css("--sans"), size: 12, color: css("--quiet") });
let here = -1;

// plotly reads some markup in the titles of axes: this leaves none to be read.
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\$/g, "&#36;");

// The medoids' numbers; that of the chosen cluster last, so that it is on top.
function medoidsLast(label) {
  const labels = page.clusters.map((_, at) => at).filter((at) => at !== label).concat(label === null ? [] : [label]);
  const places = labels.map((at) => placeOf.get(page.clusters[at].medoid));
  return {
    x: places.map((place) => sample.x[place]), y: places.map((place) => sample.y[place]),
    customdata: places.map((place) => sample.at[place]), text: labels.map(String), shades: labels.map(colourOf),
  };
}

// The lowest and the highest value, with room for the numbers.
function span(values) {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const room = (high - low || 1) * 0.05;
  return [low - room, high + room];
}

function mapTraces() {
  const size = Math.max(4, Math.min(8, 40 / Math.log2(sample.at.length + 2)));
  const traces = page.clusters.map((_, label) => ({
    type: "scatter", mode: "markers", hoverinfo: "none", x: [], y: [], customdata: [],
    marker: { color: [], symbol: SYMBOLS[symbolOf(label)], size, line: { width: 0 } },
    selected: { marker: { opacity: 0.9 } }, unselected: { marker: { opacity: 0.07 } },
  }));
  sample.at.forEach((row, place) => {
    const trace = traces[index.label[row]];
    trace.marker.color.push(pointColour(place));
    trace.x.push(sample.x[place]);
    trace.y.push(sample.y[place]);
    trace.customdata.push(row);
  });
  const many = page.k > 30;
  traces.push({
    type: "scatter", mode: "markers+text", hoverinfo: "none", cliponaxis: false, ...medoidsLast(null),
    textfont: { family: css("--sans"), size: many ? 9 : 11, color: css("--ink") },
    marker: { size: many ? 15 : 20, color: css("--surface"), opacity: 0.95, line: { width: 2, color: medoidsLast(null).shades } },
    selected: { marker: { opacity: 0.95 }, textfont: { color: css("--ink") } },
    unselected: { marker: { opacity: 0.95 }, textfont: { color: css("--ink") } },
  });
  traces.push({
    type: "scatter", mode: "markers", hoverinfo: "skip", x: [], y: [], cliponaxis: false,
    marker: { size: 17, symbol: "circle-open", color: css("--ink"), line: { width: 2.5 } },
  });
  return traces;
}

// What is across and what is up, where that has a name; else no axis.
function mapAxis(at, values) {
  const text = page.axes ? page.axes[at] : "";
  if (!text) return { visible: false, showgrid: false, zeroline: false, range: span(values) };
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return {
    range: span(values), showgrid: true, gridcolor: css("--rule"), zeroline: false, linecolor: css("--rule"),
    tickfont: font(), title: { text: plain(short), font: font(), standoff: 6 }, automargin: true, nticks: 7,
    separatethousands: true, exponentformat: "none",
  };
}

function mapLayout() {
  const equal = page.ratio === null ? {} : { scaleanchor: "x", scaleratio: page.ratio };
  const room = page.axes ? 20 : 12;
  return {
    xaxis: mapAxis(0, sample.x), yaxis: { ...mapAxis(1, sample.y), ...equal }, showlegend: false, dragmode: touch ? false : "pan",
    margin: { l: room, r: 12, t: 12, b: room }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    hovermode: "closest", hoverdistance: 12, font: font(), uirevision: "map",
    newselection: { line: { color: css("--quiet"), width: 1, dash: "dot" } },
  };
}

const opacities = (label) => page.clusters.map((_, other) => (label === null ? 0.72 : other === label ? 0.9 : 0.1));

function paintMap() {
  const [x, y] = [span(sample.x), span(sample.y)];
  const tall = page.ratio === null ? 480 : page.ratio * plane.clientWidth * (y[1] - y[0]) / (x[1] - x[0]);
  plane.style.height = `${Math.max(360, Math.min(tall, 600, innerHeight - 200))}px`;
  const traces = mapTraces();
  const label = view.kind === "cluster" ? view.label : null;
  opacities(label).forEach((opacity, at) => { traces[at].marker.opacity = opacity; });
  return Plotly.react(plane, traces, mapLayout(), CONFIG).then(() => ring());
}

function highlight(label) {
  const traces = page.clusters.map((_, at) => at);
  Plotly.restyle(plane, { "marker.opacity": opacities(label), selectedpoints: [null] }, traces);
  const { x, y, customdata, text, shades } = medoidsLast(label);
  Plotly.restyle(plane, { x: [x], y: [y], customdata: [customdata], text: [text], "marker.line.color": [shades] }, [page.k]);
}

// The points in other colours; the symbols stay those of the clusters.
function recolour() {
  const shades = page.clusters.map(() => []);
  sample.at.forEach((row, place) => shades[index.label[row]].push(pointColour(place)));
  Plotly.restyle(plane, { "marker.color": shades }, shades.map((_, at) => at));
}

// The ring around the row that was last pointed out.
function ring() {
  const place = placeOf.get(here);
  const drawn = place !== undefined;
  Plotly.restyle(plane, { x: [drawn ? [sample.x[place]] : []], y: [drawn ? [sample.y[place]] : []] }, [page.k + 1]);
}

function point(row) {
  here = row;
  ring();
  markHere();
}

function markHere() {
  for (const item of document.querySelectorAll("[data-row]")) {
    item.classList.toggle("here", Number(item.dataset.row) === here);
  }
}

function zoom(factor) {
  const change = {};
  for (const name of ["xaxis", "yaxis"]) {
    const [low, high] = plane._fullLayout[name].range;
    const middle = (low + high) / 2;
    change[`${name}.range`] = [middle + (low - middle) * factor, middle + (high - middle) * factor];
  }
  Plotly.relayout(plane, change);
}

function showTip(event) {
  const tip = byId("tip");
  const row = event.points[0].customdata;
  const drawn = thing(row, 8);
  const label = index.label[row];
  tip.replaceChildren(...(drawn && page.kind === "image" ? [drawn] : []), make("strong", {}, nameOf(row)), make("br"),
    marked(label, `cluster ${label}`), make("br"),
    ...(colouring ? [make("small", {}, colouredValue(row)), make("br")] : []),
    make("small", {}, `${distance(index.first[row])} to its medoid`), make("br"),
    ...(index.second[row] < 0 ? [] : [make("small", {}, "second nearest ", second(row))]),
    ...(drawn && page.kind !== "image" ? [drawn] : []));
  tip.hidden = false;
  const { clientX, clientY } = event.event;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(clientX + 16, innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(8, Math.min(clientY + 16, innerHeight - box.height - 8))}px`;
}

function startMap() {
  // The wheel moves the page until the map was clicked.
  let active = false;
  document.addEventListener("pointerdown", (event) => { active = plane.contains(event.target); });
  plane.addEventListener("wheel", (event) => { if (!active) event.stopPropagation(); }, { capture: true });
  plane.on("plotly_hover", showTip);
  plane.on("plotly_unhover", () => { byId("tip").hidden = true; });
  plane.on("plotly_click", (event) => chooseRow(event.points[0].customdata));
  plane.on("plotly_selected", (event) => {
    if (!event || !event.lassoPoints) return; // plotly says so of selections that we take away, too
    const rows = event.points.filter((each) => each.curveNumber < page.k).map((each) => each.customdata);
    choosePicked(rows);
  });
  plane.on("plotly_deselect", () => chooseAll());
  byId("closer").onclick = () => zoom(1 / 1.5);
  byId("farther").onclick = () => zoom(1.5);
  byId("whole").onclick = () => Plotly.relayout(plane, { "xaxis.range": span(sample.x), "yaxis.range": span(sample.y) });
  byId("select").onclick = () => {
    const on = byId("select").getAttribute("aria-pressed") !== "true";
    byId("select").setAttribute("aria-pressed", String(on));
    Plotly.relayout(plane, { dragmode: on ? "lasso" : touch ? false : "pan" });
  };
}
