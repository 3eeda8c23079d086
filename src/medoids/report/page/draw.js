// A row as what it is.

function picture(base64, alt) {
  const style = ["picture", page.ink ? "ink" : "", page.coarse ? "coarse" : ""].join(" ");
  return make("img", { class: style, src: `data:image/png;base64,${base64}`, alt, loading: "lazy" });
}

// Nested lists, from lines that are pairs of a depth and a word.
function branches(lines, most) {
  const top = make("ul", { class: "branches" });
  const open = [top];
  const shown = Math.min(lines.length / 2, most);
  for (let at = 0; at < shown; at += 1) {
    const depth = lines[2 * at];
    open.length = depth + 1;
    const item = make("li", {}, page.words[lines[2 * at + 1]]);
    if (!open[depth]) {
      open[depth] = make("ul");
      open[depth - 1].lastElementChild.append(open[depth]);
    }
    open[depth].append(item);
  }
  return top;
}

const words = (text) => make("div", { class: page.code ? "words code" : "words" }, text);

// A line for each channel of a series, all series on one scale.
function curve(channels, alt) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const [low, high] = page.ends;
  const box = { class: "sparkline", viewBox: "-2 -2 304 104", preserveAspectRatio: "none", role: "img" };
  Object.entries({ ...box, "aria-label": `${alt}, between ${low} and ${high}` })
    .forEach(([name, value]) => svg.setAttribute(name, value));
  channels.forEach((heights, at) => {
    const line = document.createElementNS(space, "polyline");
    const wide = 300 / Math.max(heights.length - 1, 1);
    const points = heights.length > 1 ? heights : [heights[0], heights[0]];
    line.setAttribute("points", points.map((height, time) =>
      `${(heights.length > 1 ? time * wide : time * 300).toFixed(1)},${(100 - height / page.high * 100).toFixed(1)}`).join(" "));
    line.setAttribute("opacity", String(1 / (1 + at * 0.6)));
    svg.append(line);
  });
  return svg;
}

// How far a cluster's mean is from the mean of all rows, the farthest being the full width.
const farthest = page.kind === "row"
  ? Math.max(...page.clusters.flatMap((cluster) => cluster.apart.map((each) => Math.abs(each[4]))), 1e-9) : 1;

function lean(deviations) {
  const wide = Math.abs(deviations) / farthest * 50;
  const bar = make("b");
  bar.style.left = `${deviations < 0 ? 50 - wide : 50}%`;
  bar.style.width = `${wide}%`;
  const text = `the cluster's mean is ${distance(Math.abs(deviations))} standard deviations ` +
    `${deviations < 0 ? "below" : "above"} the mean of all rows`;
  return make("i", { role: "img", "aria-label": text, title: text }, bar);
}

function features(label, most) {
  const table = make("table", { class: "features", colour: colourOf(label) });
  table.append(make("caption", { hidden: "" }, "What sets the cluster apart"));
  for (const [name, value, , , deviations] of page.clusters[label].apart.slice(0, most)) {
    table.append(make("tr", {}, make("th", { scope: "row", title: name }, name),
      make("td", { class: "number", title: value }, value), make("td", { class: "lean" }, lean(deviations))));
  }
  return table;
}

// The medoid of a cluster, as it stands on its card.
function medoidCard(label) {
  const { content } = page.clusters[label];
  if (page.kind === "image") return picture(content, `medoid of cluster ${label}`);
  const thing = make("div", { class: "thing" });
  if (page.kind === "tree") thing.append(branches(content, 40));
  if (page.kind === "text") thing.append(words(content));
  if (page.kind === "text" && content.length < 60) thing.classList.add("brief");
  if (page.kind === "row") thing.append(features(label, 6));
  if (page.kind === "curve") thing.append(curve(content, `medoid of cluster ${label}`));
  const text = textOf(page.clusters[label].medoid);
  if (text !== null) thing.append(words(text));
  return thing.childElementCount ? thing : null;
}

const textOf = (row) => (page.sample.texts && placeOf.has(row) ? page.sample.texts[placeOf.get(row)] : null);
const contentOf = (row) => (placeOf.has(row) && page.kind !== "none" ? page.sample.contents[placeOf.get(row)] : null);

// Any row: null where the page has nothing to draw for it.
function thing(row, most = 60) {
  const content = contentOf(row);
  const box = make("div", { class: "thing" });
  if (content !== null) {
    if (page.kind === "image") box.append(picture(content, nameOf(row)));
    if (page.kind === "tree") box.append(branches(content, most));
    if (page.kind === "text") box.append(words(content));
    if (page.kind === "curve") box.append(curve(content, nameOf(row)));
    if (page.kind === "row") {
      const { columns } = page.clusters[index.label[row]];
      box.append(make("div", { class: "words" }, columns.map((name, at) => `${name} ${content[at]}`).join(" · ")));
    }
  }
  const text = textOf(row);
  if (text !== null) box.append(words(text));
  return box.childElementCount ? box : null;
}
