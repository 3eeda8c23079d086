// To take away: rows as CSV, a picture of the map, a link to a cluster.

function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Numbers as they are carried, in single precision, and without marks between thousands.
const exact = (number) => (Number.isFinite(number) ? String(Number(number.toPrecision(7))) : "");
const bare = (text) => (/^-?[\d,]+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text === "–" ? "" : text);
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text);

// A line for each row, with what the page knows of it.
function csvOf(rows) {
  const columns = page.kind === "row" ? [...new Set(rows.flatMap((row) => page.clusters[index.label[row]].columns))] : [];
  const texts = page.kind === "text" || page.sample.texts;
  const labels = page.known ? colourings.find(({ name }) => name === page.known.name) : null;
  const heads = ["name", "row", "cluster", "distance", "second", "second_distance", "times_usual",
    ...(labels ? [labels.name] : []), ...columns, ...(texts ? ["text"] : [])];
  const lines = rows.map((row) => {
    const place = placeOf.get(row);
    const content = contentOf(row);
    const own = page.clusters[index.label[row]].columns;
    const cells = columns.map((name) => (content && own.includes(name) ? bare(content[own.indexOf(name)]) : ""));
    const text = [page.kind === "text" ? content : null, textOf(row)].filter((each) => each !== null).join(" ");
    return [index.names ? index.names[row] : String(index.rows[row]), String(index.rows[row]), String(index.label[row]),
      exact(index.first[row]), index.second[row] < 0 ? "" : String(index.second[row]), exact(index.far[row]), exact(times(row) ?? NaN),
      ...(labels ? [place === undefined ? "" : labels.levels[labels.codes[place]] ?? ""] : []), ...cells, ...(texts ? [text] : [])];
  });
  return [heads, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

const download = (rows, name) => tool("Download CSV", () => save(`${name}.csv`, csvOf(rows), "text/csv"), {
  title: `${plural(rows.length, "row")}: name, cluster, distances${page.kind === "row" ? ", and what the page shows of them" : ""}`,
});

// All rows of a cluster that the page knows, also those that it does not draw.
const rowsOf = (label) => Array.from(index.label.keys()).filter((row) => index.label[row] === label)
  .sort((a, b) => index.rank[a] - index.rank[b]);

async function savePicture() {
  const picture = { data: plane.data, layout: { ...plane.layout, paper_bgcolor: css("--surface"), width: plane.clientWidth, height: plane.clientHeight } };
  const url = await Plotly.toImage(picture, { format: "png", scale: 2, width: plane.clientWidth, height: plane.clientHeight });
  make("a", { href: url, download: "map.png" }).click();
}

// The cluster that the address names, if there is one.
function linked() {
  const found = /^#cluster=(\d+)$/.exec(location.hash);
  return found && Number(found[1]) < page.k ? Number(found[1]) : null;
}

// The address of what is shown, to be sent to others.
function address({ kind, label }) {
  const wanted = kind === "cluster" ? `#cluster=${label}` : "";
  if (location.hash === wanted || (!wanted && linked() === null)) return;
  history.replaceState(null, "", wanted || location.href.split("#")[0]);
}
