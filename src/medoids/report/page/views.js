// What the panel shows: all clusters, one cluster, rows picked on the map, or rows found.
let view = { kind: "all" };
let order = "typical";

// A new view: what the last one left in the search box and on the map goes.
function turnTo(next) {
  view = next;
  address(next);
  if (next.kind !== "found") byId("query").value = "";
  if (next.kind !== "picked") Plotly.relayout(plane, { selections: [] });
}

function panel(title, text, top, tools) {
  const held = document.activeElement.textContent;
  const inside = document.activeElement.closest(".panel") && document.activeElement !== byId("query");
  byId("panel-title").replaceChildren(title);
  byId("panel-text").textContent = text;
  byId("panel-top").replaceChildren(...(top ? [top] : []));
  byId("panel-tools").replaceChildren(...tools);
  // The button that was pressed is made anew: whoever uses the keyboard stays on it.
  if (inside) (tools.find((each) => each.textContent === held && !each.disabled) || byId("panel-title")).focus();
}

const tool = (text, on, more = {}) => make("button", { type: "button", on, ...more }, text);
const backToAll = () => tool("All clusters", () => chooseAll());

function markCards() {
  const label = view.kind === "cluster" ? view.label : null;
  document.querySelectorAll(".card").forEach((card) => {
    const on = Number(card.dataset.label) === label;
    card.classList.toggle("chosen", on);
    card.querySelector("button").setAttribute("aria-pressed", String(on));
  });
  highlight(label);
}

function chooseAll() {
  turnTo({ kind: "all" });
  const first = listed === bySize && page.k > 1 ? ", the largest first" : "";
  panel("All clusters", `${plural(page.k, "cluster")} of ${plural(page.n, "row")}${first}.`, clusterTable(),
    outliers().length || alone() ? [tool("Outliers", () => chooseOutliers(), { title: "the rows farthest from every medoid" })] : []);
  byId("panel-rows").replaceChildren();
  byId("more").hidden = true;
  point(-1);
  markCards();
}

function chooseCluster(label, move) {
  turnTo({ kind: "cluster", label });
  const at = listed.indexOf(label);
  const rows = byRank[label];
  const { size } = page.clusters[label];
  const least = order === "least";
  const text = size === rows.length ? `${plural(size, "row")}` : `${count(rows.length)} of ${plural(size, "row")}`;
  panel(marked(label, `Cluster ${label}`),
    `${text}, ${least ? "the least typical first" : "from the most typical to the least"}. ` +
    (inGallery() && page.k > 1 ? "With each: distance to the medoid; second nearest cluster: distance to its medoid." : ""),
    about(label), [
      tool("←", () => chooseCluster(listed[at - 1], false), { "aria-label": "Cluster before", ...(at ? {} : { disabled: "" }) }),
      tool("→", () => chooseCluster(listed[at + 1], false), { "aria-label": "Cluster after", ...(at < page.k - 1 ? {} : { disabled: "" }) }),
      tool("Least typical first", () => { order = least ? "typical" : "least"; chooseCluster(label, false); }, { "aria-pressed": String(least) }),
      download(rowsOf(label), `cluster-${label}`),
      backToAll(),
    ]);
  list(least ? [...rows].reverse() : rows, label);
  point(-1);
  markCards();
  if (move) reveal(byId("panel-title"));
}

// A row that was clicked on the map: its cluster, and above the members the row itself.
function chooseRow(row) {
  const label = index.label[row];
  chooseCluster(label, false);
  byId("panel-top").append(make("h3", {}, "Clicked on the map"), (inGallery() ? galleryOf : tableOf)([row], label));
  point(row);
}

function choosePicked(rows) {
  turnTo({ kind: "picked", rows });
  if (!rows.length) {
    panel("Nothing selected", "No row is in the area that was drawn: draw around some.", null, [backToAll()]);
    list([], null);
    Plotly.relayout(plane, { selections: [] }).then(markCards);
    return;
  }
  const sorted = [...rows].sort((a, b) => index.label[a] - index.label[b] || index.rank[a] - index.rank[b]);
  const labels = new Set(sorted.map((row) => index.label[row]));
  panel("Selected on the map", `${plural(rows.length, "row")} of ${plural(labels.size, "cluster")}.`, null, [download(sorted, "selected"), backToAll()]);
  list(sorted, null);
}

// Rows that are farther from their medoid than is usual in their cluster, the farthest first.
let far = null;
function outliers() {
  far ??= Array.from(index.label.keys()).filter((row) => times(row) > 1).sort((a, b) => times(b) - times(a) || a - b);
  return far;
}

function chooseOutliers() {
  turnTo({ kind: "outliers" });
  const rows = outliers().slice(0, OUTLIERS);
  const beyond = outliers().filter((row) => times(row) > 3).length;
  panel("Outliers", "The rows farthest from every medoid, against what is usual in their cluster: its median distance. " +
    `${plural(beyond, "row")} ${beyond === 1 ? "is" : "are"} more than 3 times as far.${alone()}`, null, [download(rows, "outliers"), backToAll()]);
  list(rows, null, true);
  markCards();
  point(rows.length ? rows[0] : -1);
}
const OUTLIERS = 500;

// A row far from all others can be a medoid itself.
function alone() {
  const labels = byNumber.filter((label) => page.clusters[label].size === 1);
  if (!labels.length) return "";
  const some = labels.slice(0, 20).map((label) => `${nameOf(page.clusters[label].medoid)} (cluster ${label})`).join(", ");
  return ` ${labels.length === 1 ? "One row is alone, the" : `${count(labels.length)} rows are alone, each the`} medoid of its own cluster: ${some}${labels.length > 20 ? ", …" : ""}.`;
}

// Names in full come first, then their beginnings, then any part of them, then texts.
function matches(query) {
  const wanted = query.toLowerCase();
  const found = [[], [], [], []];
  for (let row = 0; row < index.label.length; row += 1) {
    const name = (index.names ? index.names[row] : String(index.rows[row])).toLowerCase();
    const at = name.indexOf(wanted);
    if (name === wanted) found[0].push(row);
    else if (at === 0) found[1].push(row);
    else if (at > 0) found[2].push(row);
    else if (searchable.get(row)?.includes(wanted)) found[3].push(row);
  }
  return found.flat();
}

// The texts of the rows that are drawn, in small letters.
const searchable = new Map(Array.from(sample.at, (row, place) => {
  const content = page.sample.contents[place];
  const own = page.kind === "text" ? content
    : page.kind === "tree" ? content.filter((_, at) => at % 2).map((word) => page.words[word]).join(" ") : "";
  return [row, `${own} ${page.sample.texts ? page.sample.texts[place] : ""}`.toLowerCase()];
}));

function chooseFound(query) {
  turnTo({ kind: "found", query });
  const rows = matches(query);
  panel("Found", `${plural(rows.length, "row")} with “${query}”.` +
    (rows.some((row) => !placeOf.has(row)) ? " Rows that the page does not draw are listed with their distances." : ""), null,
  [...(rows.length ? [download(rows, "found")] : []), backToAll()]);
  list(rows, null);
  markCards();
  point(rows.length ? rows[0] : -1);
}

// A view again, in another order or after it was linked to.
function show({ kind, label, rows, query }) {
  if (kind === "cluster") chooseCluster(label, false);
  else if (kind === "picked") choosePicked(rows);
  else if (kind === "found") chooseFound(query);
  else if (kind === "outliers") chooseOutliers();
  else chooseAll();
}

// Bring the panel into sight; where it is beside the map, the map too.
function reveal(element) {
  const { top } = element.getBoundingClientRect();
  const beside = matchMedia("(min-width: 981px)").matches;
  if (top < 0 || top > innerHeight * 0.7) (beside ? byId("explore") : element.closest(".panel")).scrollIntoView();
}
