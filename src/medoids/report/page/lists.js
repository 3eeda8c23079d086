// Lists of rows and of clusters.
const STEP = { image: 60, tree: 16, curve: 24 }[page.kind] || 25;

const toRow = (row) => make("button", { type: "button", class: "link", on: () => point(row) }, nameOf(row));
const toCluster = (label, text = String(label)) => make("button", {
  type: "button", class: "link", title: `show cluster ${label}`, on: () => chooseCluster(label, true),
}, marked(label, text));

// The second nearest medoid: its cluster, and how far it is.
function second(row) {
  const label = index.second[row];
  if (label < 0) return "–";
  const text = `${label}: ${distance(index.far[row])}`;
  return make("span", { title: `second nearest: the medoid of cluster ${label}` }, marked(label, text));
}

function galleryOf(rows, label, scored = false) {
  return make("ol", { class: `gallery ${page.kind}` }, ...rows.map((row) => {
    const caption = make("div", { class: "caption" }, toRow(row),
      scored ? make("div", { title: "against what is usual in the cluster" }, timesUsual(row)) : null,
      make("div", { title: "distance to the medoid" },
        label === null ? toCluster(index.label[row], `${index.label[row]}: ${distance(index.first[row])}`) : distance(index.first[row])),
      index.second[row] < 0 ? null : make("div", {}, second(row)));
    const item = make("li", { class: "item", "data-row": row });
    const drawn = thing(row) || make("div", { class: "undrawn" }, "not drawn");
    if (page.kind === "image") item.append(drawn, caption);
    else item.append(caption, drawn);
    return item;
  }));
}

// The columns that the members of all clusters show, if these are the same.
const sameColumns = page.kind === "row" && page.clusters.every(({ columns }) => columns.join("\n") === page.clusters[0].columns.join("\n"))
  ? page.clusters[0].columns : null;

// Members of one cluster share their columns; other rows may have theirs in one cell.
function tableOf(rows, label, scored = false) {
  const columns = page.kind !== "row" ? null : label === null ? sameColumns : page.clusters[label].columns;
  const drawn = columns === null && rows.some((row) => thing(row) !== null);
  const cell = (text, number = true) => make("th", { scope: "col", class: number ? "number" : null }, text);
  const table = make("table", {}, make("thead", {}, make("tr", {}, cell("Row", false),
    label === null ? cell("Cluster", false) : null, scored ? cell("Times usual") : null, cell("To the medoid"), cell("Second nearest"),
    ...(columns || []).map((name) => cell(name)), drawn ? cell("Content", false) : null)));
  const body = make("tbody");
  for (const row of rows) {
    const content = contentOf(row);
    body.append(make("tr", { "data-row": row },
      make("th", { scope: "row" }, toRow(row)),
      label === null ? make("td", {}, toCluster(index.label[row])) : null,
      scored ? make("td", { class: "number" }, timesUsual(row)) : null,
      make("td", { class: "number" }, distance(index.first[row])),
      make("td", { class: "number" }, second(row)),
      ...(columns || []).map((_, at) => make("td", { class: "number" }, content ? content[at] : "–")),
      drawn ? make("td", {}, thing(row) || "–") : null));
  }
  table.append(body);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows" }, table);
}

const inGallery = () => ["image", "tree", "curve"].includes(page.kind);

// The first rows of a list, and a button for more of them.
function list(rows, label, scored = false) {
  const box = byId("panel-rows");
  box.replaceChildren();
  let shown = 0;
  const more = byId("more");
  const next = () => {
    const some = rows.slice(shown, shown + STEP);
    shown += some.length;
    if (some.length) {
      const part = inGallery() ? galleryOf(some, label, scored) : tableOf(some, label, scored);
      const into = box.querySelector(inGallery() ? "ol" : "tbody");
      if (into) into.append(...part.querySelectorAll(inGallery() ? ":scope > li" : "tbody > tr"));
      else box.append(part);
    }
    more.hidden = shown >= rows.length;
    more.textContent = `Show more (${count(rows.length - shown)} left)`;
    markHere();
  };
  more.onclick = next;
  next();
}

function clusterTable() {
  const heads = ["Cluster", "Medoid", "Rows", "Share", "Mean distance", "Silhouette", "Nearest other"];
  const body = make("tbody");
  for (const label of listed) {
    const cluster = page.clusters[label];
    const name = nameOf(cluster.medoid);
    const shown = page.kind === "text" ? cluster.content : name;
    body.append(make("tr", {},
      make("th", { scope: "row" }, toCluster(label)),
      make("td", { class: "name", title: shown === name ? name : `${name}: ${shown}` }, shown),
      make("td", { class: "number" }, count(cluster.size)),
      make("td", { class: "number" }, share(cluster.size)),
      make("td", { class: "number" }, cluster.mean === null ? "–" : distance(cluster.mean)),
      make("td", { class: "number" }, cluster.silhouette === null ? "–" : cluster.silhouette.toFixed(3)),
      make("td", { class: "number" }, cluster.neighbour < 0 ? "–" : String(cluster.neighbour))));
  }
  return make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "All clusters" },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text, at) =>
      make("th", { scope: "col", class: at > 1 ? "number" : null }, text)))), body));
}

// The medoid of the chosen cluster, larger and with all that is known of it.
function about(label) {
  const cluster = page.clusters[label];
  const facts = make("dl");
  const say = (term, text) => facts.append(make("dt", {}, term), make("dd", {}, text));
  say("Medoid", nameOf(cluster.medoid));
  say("Rows", `${count(cluster.size)} (${share(cluster.size)})`);
  if (cluster.mean !== null) say("Mean distance", distance(cluster.mean));
  if (cluster.silhouette !== null) say("Silhouette", cluster.silhouette.toFixed(3));
  if (cluster.neighbour >= 0) say("Nearest other", toCluster(cluster.neighbour));
  const box = make("div", { class: "about" });
  if (page.kind === "image") box.append(picture(cluster.content, `medoid of cluster ${label}`));
  box.append(facts);
  if (page.kind === "tree") box.append(make("div", { class: "thing", tabindex: "0" }, branches(cluster.content, Infinity)));
  if (page.kind === "text") box.append(make("div", { class: "thing", tabindex: "0" }, words(cluster.content)));
  if (page.kind === "curve") box.append(make("div", { class: "thing" }, curve(cluster.content, `medoid of cluster ${label}`)));
  if (page.kind === "row") box.append(apartTable(label), valuesTable(cluster));
  return box;
}

function apartTable(label) {
  const heads = ["Sets it apart", "Medoid", "Cluster", "All rows", "Deviations"];
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What sets the cluster apart" },
    make("table", { colour: colourOf(label) },
      make("thead", {}, make("tr", {}, ...heads.map((text, at) =>
        make("th", { scope: "col", class: at && at < 4 ? "number" : null }, text)))),
      make("tbody", {}, ...page.clusters[label].apart.map(([name, value, inside, all, deviations]) =>
        make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "number" }, value),
          make("td", { class: "number" }, inside), make("td", { class: "number" }, all),
          make("td", { class: "lean" }, lean(deviations)))))));
}

function valuesTable(cluster) {
  const note = cluster.more ? ` (${count(cluster.more)} more columns are left out)` : "";
  return make("details", {}, make("summary", {}, `The medoid's ${plural(cluster.values.length, "value")}${note}`),
    make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Column"),
      make("th", { scope: "col", class: "number" }, "Value"))),
    make("tbody", {}, ...cluster.values.map(([name, value]) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", { class: "number" }, value))))));
}
