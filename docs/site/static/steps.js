// The step-through of one search: points that are left, and the intervals of some arms.
// Its data is `window.searchSteps`, written by docs/site/search_steps.py.
(() => {
  "use strict";
  const home = document.getElementById("search-steps");
  const data = window.searchSteps;
  if (!home || !data) return;

  const make = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    parent.append(node);
    return node;
  };
  const span = (values) => [Math.min(...values), Math.max(...values)];
  const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

  // Left: every point is an arm.
  const plane = home.querySelector(".plane");
  const x = scale(span(data.points.map((at) => at[0])), 8, 392);
  const y = scale(span(data.points.map((at) => at[1])), 392, 8);
  const dots = data.points.map(([u, v]) => make("circle", { cx: x(u), cy: y(v), r: 2.2 }, plane));
  const [fu, fv] = data.points[data.first];
  make("rect", { x: x(fu) - 5, y: y(fv) - 5, width: 10, height: 10, class: "first" }, plane);
  const [wu, wv] = data.points[data.winner];
  const star = make("circle", { cx: x(wu), cy: y(wv), r: 7, class: "winner" }, plane);

  // Right: some arms from the best to the worst, with what is known of their value.
  const chart = home.querySelector(".intervals");
  const every = data.searches.flatMap((one) => one.rounds.slice(1));
  const low = Math.min(...every.flatMap((one) => one.mean.map((m, at) => m - one.half[at])));
  const high = Math.max(...every.flatMap((one) => one.mean.map((m, at) => m + one.half[at])));
  const across = scale([0, data.shown.length - 1], 12, 388);
  const up = (value) => Math.max(6, Math.min(394, scale([low, high], 392, 8)(value)));
  const bars = data.shown.map((_, at) => make("line", { x1: across(at), x2: across(at) }, chart));
  const marks = data.shown.map((_, at) => make("circle", { cx: across(at), r: 1.6 }, chart));
  data.values.forEach((value, at) => make("circle", { cx: across(at), cy: up(value), r: 1.1, class: "truth" }, chart));
  const bar = make("line", { x1: 4, x2: 396, class: "bar" }, chart);

  const slider = home.querySelector("input[type=range]");
  const play = home.querySelector("button");
  const line = home.querySelector("output");
  const chosen = () => data.searches[Number(home.querySelector("input[type=radio]:checked").value)];

  const draw = () => {
    const search = chosen();
    slider.max = search.rounds.length - 1;
    const step = Math.min(Number(slider.value), search.rounds.length - 1);
    const round = search.rounds[step];
    const gone = (arm) => search.dropped[arm] >= 0 && search.dropped[arm] <= step;
    dots.forEach((dot, arm) => {
      dot.setAttribute("class", gone(arm) ? (search.dropped[arm] === step ? "now" : "gone") : "left");
    });
    data.shown.forEach((arm, at) => {
      const kind = gone(arm) ? (search.dropped[arm] === step ? "now" : "gone") : "left";
      bars[at].setAttribute("class", kind);
      bars[at].setAttribute("y1", up(round.mean[at] - round.half[at]));
      bars[at].setAttribute("y2", up(round.mean[at] + round.half[at]));
      marks[at].setAttribute("class", kind);
      marks[at].setAttribute("cy", up(round.mean[at]));
    });
    bar.setAttribute("y1", up(round.bar));
    bar.setAttribute("y2", up(round.bar));
    star.style.display = round.left === 1 ? "" : "none";
    line.textContent =
      `Round ${step + 1}: ${round.references.toLocaleString("en")} references, ` +
      `${round.left.toLocaleString("en")} of ${data.points.length.toLocaleString("en")} arms left, ` +
      `${(100 * round.share).toFixed(1)}% of n² distances`;
  };

  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(slider.value) >= Number(slider.max)) slider.value = 0;
    play.textContent = "Pause";
    draw();
    timer = setInterval(() => {
      if (Number(slider.value) >= Number(slider.max)) return stop();
      slider.value = Number(slider.value) + 1;
      draw();
    }, 500);
  });
  slider.addEventListener("input", () => { stop(); draw(); });
  home.querySelectorAll("input[type=radio]").forEach((at) => at.addEventListener("change", draw));
  draw();
})();
