// How the medoids were found: two charts of the steps.

const stepNames = () => page.steps.map((step) => `${step.phase.toUpperCase()} ${step.step + 1}`);

function chartLayout(title, more) {
  const axis = { gridcolor: css("--rule"), zeroline: false, linecolor: css("--rule"), tickfont: font(), fixedrange: true };
  const swap = page.steps.findIndex((step) => step.phase === "swap");
  const rule = swap > 0;
  return {
    xaxis: { ...axis, showgrid: false, range: [0.5, page.steps.length + 0.5], title: { text: "step", font: font(), standoff: 8 }, tickformat: ",d", nticks: 10 },
    yaxis: { ...axis, title: { text: title, font: font(), standoff: 10 }, automargin: true, separatethousands: true, exponentformat: "none", ...more },
    margin: { l: 56, r: 12, t: 22, b: 44 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: font(),
    showlegend: false, dragmode: false, hovermode: "closest",
    hoverlabel: { bgcolor: css("--surface"), bordercolor: css("--rule"), font: { ...font(), color: css("--ink") } },
    shapes: rule ? [{ type: "line", xref: "x", yref: "paper", x0: swap + 0.5, x1: swap + 0.5, y0: 0, y1: 1, line: { color: css("--quiet"), width: 1, dash: "dot" } }] : [],
    annotations: ["build", "swap"].filter((phase) => page.steps.some((step) => step.phase === phase)).map((phase) => ({
      xref: "x", yref: "paper", x: page.steps.findIndex((step) => step.phase === phase) + 0.55, y: 1, yanchor: "bottom", xanchor: "left",
      text: phase.toUpperCase(), showarrow: false, font: { ...font(), size: 11, color: css(`--${phase}`) },
    })),
  };
}

function paintLoss() {
  const shades = page.steps.map((step) => css(step.phase === "swap" ? "--swap" : "--build"));
  const trace = {
    type: "scatter", mode: "lines+markers", x: page.steps.map((_, at) => at + 1), y: page.steps.map((step) => step.loss),
    text: stepNames(), hovertemplate: "%{text}: %{y:,.6~g}<extra></extra>",
    line: { color: css("--rule"), width: 2 }, marker: { color: shades, size: page.steps.length > 60 ? 4 : 7 },
  };
  Plotly.react(byId("loss"), [trace], chartLayout("loss"), CONFIG_STILL);
}
const CONFIG_STILL = { displayModeBar: false, responsive: true, showTips: false };

// A logarithmic axis, unless all values are within a factor of ten; with a tick at least at its ends.
function ticksFor(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!(high >= 10 * low)) return { rangemode: "tozero" };
  const steps = high < 300 * low ? [1, 2, 5] : [1];
  const tickvals = [];
  for (let power = 0; 10 ** power <= high; power += 1) tickvals.push(...steps.map((step) => step * 10 ** power));
  return { type: "log", tickvals, tickformat: ",d" };
}

function paintRounds() {
  const dots = page.steps.flatMap((step, at) => step.rounds.map((round) => ({ at: at + 1, step, ...round })));
  const depths = [...new Set(dots.map((dot) => dot.references))].sort((a, b) => a - b);
  const stems = { type: "scatter", mode: "lines", hoverinfo: "skip", x: [], y: [], line: { color: css("--rule"), width: 1.5 } };
  page.steps.forEach((step, at) => {
    if (!step.rounds.length) return;
    stems.x.push(at + 1, at + 1, null);
    stems.y.push(step.arms, Math.max(step.rounds.at(-1).survivors, 1), null);
  });
  const traces = depths.map((references, at) => {
    const some = dots.filter((dot) => dot.references === references);
    return {
      type: "scatter", mode: "markers", x: some.map((dot) => dot.at), y: some.map((dot) => Math.max(dot.survivors, 1)),
      text: some.map((dot) => `${stepNames()[dot.at - 1]}: ${count(dot.survivors)} of ${count(dot.arms)} left after ${count(references)} references`),
      hovertemplate: "%{text}<extra></extra>", name: count(references),
      marker: { color: css("--build"), opacity: depths.length > 1 ? 0.35 + 0.65 * at / (depths.length - 1) : 1, size: page.steps.length > 60 ? 4 : 7 },
    };
  });
  const layout = chartLayout("candidates left", ticksFor(stems.y.filter((value) => value !== null)));
  layout.showlegend = depths.length > 1;
  layout.legend = { title: { text: "references", font: font() }, font: font(), itemclick: false, itemdoubleclick: false };
  Plotly.react(byId("rounds"), [stems, ...traces].map((trace) => ({ showlegend: trace !== stems, ...trace })), layout, CONFIG_STILL);
}
