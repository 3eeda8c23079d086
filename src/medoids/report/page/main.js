// The medoids' cards, the keyboard, and the first drawing.
const FIRST = 30;

function card(label) {
  const cluster = page.clusters[label];
  const drawn = medoidCard(label);
  const bar = make("span");
  bar.style.width = `${100 * cluster.size / page.clusters[bySize[0]].size}%`;
  return make("li", { class: "card", "data-label": label, colour: colourOf(label) },
    make("h3", {}, make("button", { type: "button", class: "link choose", "aria-pressed": "false", on: () => chooseCluster(label, true) },
      marked(label, `Cluster ${label}`))),
    make("div", { class: "size" }, make("span", {}, plural(cluster.size, "row")), " ", make("small", {}, share(cluster.size))),
    make("div", { class: "share", "aria-hidden": "true" }, bar), drawn,
    make("div", { class: "name" }, nameOf(cluster.medoid)));
}

function showCards(all) {
  const box = byId("medoids");
  box.replaceChildren(...listed.slice(0, all ? page.k : FIRST).map(card));
  for (const drawn of box.querySelectorAll(".thing")) {
    drawn.classList.toggle("whole", drawn.scrollHeight <= drawn.clientHeight + 1);
  }
  box.querySelectorAll(".choose").forEach((button, at) => { button.tabIndex = at ? -1 : 0; });
}

// Arrows walk through the cards; one of them is in the order of tabs.
function walk(event) {
  const buttons = [...document.querySelectorAll(".choose")];
  const at = buttons.indexOf(document.activeElement);
  if (at < 0) return;
  const top = (button) => button.closest(".card").offsetTop;
  const across = buttons.findIndex((button) => top(button) > top(buttons[0]));
  const row = across < 0 ? buttons.length : across;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + row, ArrowUp: at - row, Home: 0, End: buttons.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = buttons[Math.max(0, Math.min(to, buttons.length - 1))];
  buttons.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
  next.focus();
}

function start() {
  showCards(false);
  const rest = byId("all-medoids");
  rest.hidden = page.k <= FIRST;
  rest.textContent = `Show all ${count(page.k)} medoids`;
  rest.onclick = () => { rest.hidden = true; showCards(true); markCards(); };
  if (page.k > 1) byId("largest").onclick = () => {
    listed = listed === bySize ? byNumber : bySize;
    byId("largest").setAttribute("aria-pressed", String(listed === bySize));
    showCards(rest.hidden);
    if (page.known) byId("known").replaceChildren(knownTable());
    show(view);
  };
  byId("medoids").addEventListener("keydown", walk);
  startColours();
  if (page.known) byId("known").append(knownTable());

  let waiting = 0;
  const query = byId("query");
  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => (query.value.trim() ? chooseFound(query.value.trim()) : chooseAll()), 150);
  });
  byId("search").addEventListener("submit", (event) => event.preventDefault());
  byId("copy").onclick = () => {
    getSelection().selectAllChildren(byId("code"));
    navigator.clipboard?.writeText(byId("code").textContent).then(() => { byId("copy").textContent = "Copied"; }, () => {});
  };

  const paint = () => { paintLoss(); paintRounds(); return paintMap(); };
  const open = () => (linked() === null ? chooseAll() : chooseCluster(linked(), true));
  paint().then(() => { startMap(); open(); });
  addEventListener("hashchange", () => { if (linked() !== null) chooseCluster(linked(), true); });
  byId("picture").onclick = savePicture;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
}
start();
