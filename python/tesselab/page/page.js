"use strict";
/* The page of a lab. Whatever comes from the lab reaches the page as text (textContent), never as markup. */

const ROW_HEIGHT = 26, SPARE_ROWS = 12;
const byId = (id) => document.getElementById(id);
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

function element(name, words, className) {
  const one = document.createElement(name);
  if (words !== undefined) one.textContent = words;
  if (className) one.className = className;
  return one;
}

/* ---- The table of runs ---- */

const runs = { columns: [], n: 0, notes: {}, shown: [], rows: [], at: 0, drawn: [0, 0], sort: null, down: false, chosen: null, wanted: {} };

/* A column is {name, unit, text: [...], of: [...]} with of[row] a place in `text`, -1 for none, or {name, unit, of}
 * with numbers, null for none; `all` stands for a value that all rows have. */
const valueOf = (column, row) => {
  const value = column.all !== undefined ? column.all : column.of[row];
  if (value === null || value === -1) return null;
  return column.text ? column.text[value] : value;
};

function printed(value) {
  if (value === null) return "";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

/* ">=128", "<2", "64..256", "128" for numbers; for texts any part of them. */
function fitsColumn(column, wanted) {
  const words = wanted.trim();
  if (column.text) {
    const small = words.toLowerCase();
    const fits = column.text.map((text) => text.toLowerCase().includes(small));
    return (row) => { const at = column.all !== undefined ? column.all : column.of[row]; return at >= 0 && fits[at]; };
  }
  const range = words.match(/^(\S+?)\.\.(\S+)$/), sign = words.match(/^(<=|>=|<|>|=)?\s*(.+)$/);
  const low = range ? Number(range[1]) : null, high = range ? Number(range[2]) : null;
  const limit = sign ? Number(sign[2]) : NaN, how = sign && sign[1] || "=";
  if (range ? Number.isNaN(low + high) : Number.isNaN(limit)) return null;
  return (row) => {
    const value = valueOf(column, row);
    if (value === null) return false;
    if (range) return value >= low && value <= high;
    return how === "<" ? value < limit : how === "<=" ? value <= limit : how === ">" ? value > limit
      : how === ">=" ? value >= limit : Math.abs(value - limit) <= 1e-9 * Math.abs(limit);
  };
}

function chooseRows() {
  const tests = [];
  for (const word of byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean)) {
    const fits = runs.shown.filter((column) => column.text).map((column) => fitsColumn(column, word));
    tests.push((row) => fits.some((fit) => fit(row)));
  }
  for (const column of runs.columns) {
    const wanted = runs.wanted[column.name];
    const input = document.querySelector(`thead input[data-column="${CSS.escape(column.name)}"]`);
    const fit = wanted && wanted.trim() ? fitsColumn(column, wanted) : undefined;
    if (input) input.setAttribute("aria-invalid", fit === null);
    if (fit) tests.push(fit);
  }
  runs.rows = [];
  for (let row = 0; row < runs.n; row++)
    if (tests.every((fits) => fits(row))) runs.rows.push(row);
  sortRows();
  byId("count").textContent = `${runs.rows.length.toLocaleString("en")} of ${counted(runs.n, "run")}`;
}

function sortRows() {
  const column = runs.columns.find((one) => one.name === runs.sort);
  if (column) {
    const rank = column.text ? rankOf(column.text) : null;
    const sign = runs.down ? -1 : 1;
    const keys = new Map(runs.rows.map((row) => {
      const at = column.all !== undefined ? column.all : column.of[row];
      return [row, rank ? (at >= 0 ? rank[at] : null) : at];
    }));
    runs.rows.sort((a, b) => { // what has no value comes last, equal ones stay in order
      const x = keys.get(a), y = keys.get(b);
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * (x - y) || a - b;
    });
  }
  drawRows();
}

function rankOf(texts) {
  const order = texts.map((_, place) => place).sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0));
  const rank = [];
  order.forEach((place, at) => { rank[place] = at; });
  return rank;
}

/* The rows that are drawn: those in view and some beside. */
function rowsInView() {
  const frame = byId("table");
  const first = Math.max(0, Math.floor(frame.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
  return [first, Math.min(runs.rows.length, first + Math.ceil(frame.clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS)];
}

/* One row is reached by Tab, its neighbours from there by arrows; it keeps the focus when rows are drawn anew. */
function drawRows() {
  const body = byId("rows"), [first, last] = runs.drawn = rowsInView(), has = body.contains(document.activeElement);
  const lines = [space(first)];
  runs.at = Math.max(0, Math.min(runs.at, runs.rows.length - 1));
  for (let place = first; place < last; place++) lines.push(line(runs.rows[place]));
  lines.push(space(runs.rows.length - last));
  body.replaceChildren(...lines);
  const row = body.querySelector(`tr[data-row="${runs.rows[runs.at]}"]`) ?? body.querySelector("tr[data-row]");
  if (row) row.tabIndex = 0;
  if (has) (row?.dataset.row === String(runs.rows[runs.at]) ? row : byId("table")).focus({ preventScroll: true });
}

/* Puts the focus on a row, which is brought into view below the head. */
function focusRow(at) {
  const frame = byId("table"), room = frame.clientHeight - byId("head").clientHeight - ROW_HEIGHT;
  runs.at = Math.max(0, Math.min(at, runs.rows.length - 1));
  frame.scrollTop = Math.min(Math.max(frame.scrollTop, runs.at * ROW_HEIGHT - room), runs.at * ROW_HEIGHT);
  drawRows();
  byId("rows").querySelector(`tr[data-row="${runs.rows[runs.at]}"]`)?.focus({ preventScroll: true });
}

/* How far keys go in the table, in rows. */
function stepOf(key) {
  const page = Math.max(1, Math.floor(byId("table").clientHeight / ROW_HEIGHT) - 3);
  return { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -runs.n, End: runs.n }[key];
}

/* Rows stay while the same ones are in view: a row that is replaced under a pressed mouse button is not clicked. */
function moveRows() {
  const [first, last] = rowsInView();
  if (first !== runs.drawn[0] || last !== runs.drawn[1]) drawRows();
}

function space(n) {
  const row = element("tr");
  row.style.height = `${n * ROW_HEIGHT}px`;
  row.setAttribute("aria-hidden", "true");
  return row;
}

function line(row) {
  const one = element("tr");
  one.tabIndex = -1;
  one.dataset.row = row;
  if (row === runs.chosen) one.className = "chosen";
  for (const column of runs.shown) {
    const words = printed(valueOf(column, row));
    const cell = element("td", shortened(column, words), column.text ? "" : "number");
    cell.title = words;
    one.append(cell);
  }
  return one;
}

/* As tables of the program have it, "touched MB"; else the name in records and its unit. */
const titleOf = (column) => (column.title || column.name) + (column.unit ? ` [${column.unit}]` : "");

/* Of a mesh the last part of its path, of a run the beginning of its id, as tables have them. */
const ID_SHOWN = 14;
const shortened = (column, words) => column.name === "run" ? words.slice(0, ID_SHOWN)
  : column.name === "mesh" && words.startsWith("/") ? words.slice(words.lastIndexOf("/") + 1) : words;

function widthOf(column) {
  let longest = Math.max(titleOf(column).length + 2, 8);
  const texts = column.text ? column.text.slice(0, 500) : [0, 1, 2, 3].map((row) => printed(valueOf(column, row)));
  for (const text of texts) longest = Math.max(longest, Math.min(shortened(column, text).length, 38));
  return `${longest * 0.6 + 1.4}em`;
}

function drawHead() {
  const titles = element("tr"), filters = element("tr"), widths = element("colgroup");
  let total = "0em";
  for (const column of runs.shown) {
    const width = element("col");
    width.style.width = widthOf(column);
    total += ` + ${widthOf(column)}`;
    widths.append(width);
    const title = element("th", undefined, column.text ? "" : "number"), button = element("button");
    const sorted = runs.sort === column.name;
    button.textContent = titleOf(column) + (sorted ? (runs.down ? " ▾" : " ▴") : "");
    button.dataset.column = button.title = column.name;
    title.scope = "col";
    title.setAttribute("aria-sort", sorted ? (runs.down ? "descending" : "ascending") : "none");
    title.append(button);
    titles.append(title);
    const cell = element("th"), input = element("input");
    input.dataset.column = column.name;
    input.value = runs.wanted[column.name] || "";
    input.placeholder = column.text ? "holds" : "128, >=2, 1..4";
    input.setAttribute("aria-label", `filter ${titleOf(column)}`);
    cell.append(input);
    filters.append(cell);
  }
  byId("head").replaceChildren(titles, filters);
  const table = byId("head").parentNode;
  table.querySelector("colgroup")?.remove();
  table.prepend(widths);
  table.style.width = `calc(${total})`;
}

function drawColumns() {
  byId("columns").replaceChildren(...runs.columns.map((column) => {
    const label = element("label"), box = element("input");
    box.type = "checkbox";
    box.checked = runs.shown.includes(column);
    box.dataset.column = column.name;
    label.append(box, ` ${titleOf(column)}`);
    label.title = column.name;
    return label;
  }));
}

function showDetail(row) {
  runs.chosen = row;
  const list = element("dl");
  for (const column of runs.columns) {
    const value = valueOf(column, row);
    if (value === null || value === "") continue;
    list.append(element("dt", column.title || column.name), element("dd", printed(value) + (column.unit ? ` ${column.unit}` : "")));
  }
  const run = valueOf(runs.columns.find((column) => column.name === "run"), row);
  if (runs.notes[run]) list.append(element("dt", "notes"), element("dd", runs.notes[run]));
  byId("detail").replaceChildren(element("strong", run), list);
  byId("detail").hidden = false;
  drawRows();
}

/* Takes {columns, usual, n, notes}; what is chosen, sorted and filtered stays as far as it can. */
function takeRuns(data) {
  const first = runs.columns.length === 0;
  const chosen = first ? data.usual : runs.shown.map((column) => column.name);
  if (first) Object.assign(runs, { sort: "run", down: true }); // the newest first: ids sort by time
  Object.assign(runs, { columns: data.columns, n: data.n, notes: data.notes });
  runs.shown = chosen.map((name) => runs.columns.find((column) => column.name === name)).filter(Boolean);
  const typing = document.activeElement?.closest?.("#head");
  if (!typing) drawHead();
  drawColumns();
  chooseRows();
}

/* Whether no column of numbers has become one of texts. */
const fitsTable = (data) => data.columns.every((column) => {
  const old = runs.columns.find((one) => one.name === column.name);
  return !old || Boolean(old.text) === Boolean(column.text);
});

/* Rows that came since: their columns may be new, and lack some. */
function addRuns(data) {
  const full = (column, n) => column.all === undefined ? column.of : Array(n).fill(column.all);
  const named = (columns, name) => columns.find((column) => column.name === name);
  const names = new Set([...runs.columns, ...data.columns].map((column) => column.name));
  const columns = [...names].map((name) => {
    const old = named(runs.columns, name), more = named(data.columns, name), like = old ?? more;
    const none = (n) => Array(n).fill(like.text ? -1 : null);
    const before = old ? full(old, runs.n) : none(runs.n), after = more ? full(more, data.n) : none(data.n);
    const { all, ...kept } = like;
    if (!like.text) return { ...kept, of: before.concat(after) };
    const text = [...(old?.text ?? [])], places = new Map(text.map((words, place) => [words, place]));
    const words = (more?.text ?? []).map(String);
    for (const one of words) if (!places.has(one)) places.set(one, text.push(one) - 1);
    return { ...kept, text, of: before.concat(after.map((place) => place < 0 ? -1 : places.get(words[place]))) };
  });
  takeRuns({ columns, n: runs.n + data.n, notes: { ...runs.notes, ...data.notes }, usual: data.usual });
}

function listenToTable() {
  const frame = byId("table");
  frame.addEventListener("scroll", () => requestAnimationFrame(moveRows));
  new ResizeObserver(moveRows).observe(frame);
  byId("filter").addEventListener("input", chooseRows);
  byId("head").addEventListener("click", (event) => {
    const name = event.target.closest("button")?.dataset.column;
    if (!name) return;
    runs.down = runs.sort === name ? !runs.down : false;
    runs.sort = name;
    drawHead();
    sortRows();
    document.querySelector(`thead button[data-column="${CSS.escape(name)}"]`).focus();
  });
  byId("head").addEventListener("input", (event) => {
    runs.wanted[event.target.dataset.column] = event.target.value;
    chooseRows();
  });
  byId("columns").addEventListener("change", (event) => {
    const name = event.target.dataset.column;
    runs.shown = runs.columns.filter((column) => column.name === name ? event.target.checked : runs.shown.includes(column));
    drawHead();
    chooseRows();
  });
  byId("rows").addEventListener("click", (event) => {
    const row = event.target.closest("tr")?.dataset.row;
    if (row === undefined) return;
    runs.at = runs.rows.indexOf(Number(row));
    showDetail(Number(row));
  });
  frame.addEventListener("keydown", (event) => {
    if (byId("head").contains(event.target) || event.altKey || event.ctrlKey || event.metaKey || runs.rows.length === 0) return;
    const step = stepOf(event.key), opens = event.key === "Enter" || event.key === " ";
    if (step === undefined && !opens) return;
    event.preventDefault();
    if (opens) showDetail(runs.rows[runs.at]);
    else focusRow(runs.at + step);
  });
}

/* ---- Charts, by Plotly ---- */

/* What a run is, in the words of the table's first columns; Plotly reads markup, so that there is none. */
function wordsOf(row) {
  const named = (name) => runs.columns.find((column) => column.name === name);
  const words = ["partitioner", "strategy", "block_size", "mesh"].map(named).filter(Boolean)
    .map((column) => shortened(column, printed(valueOf(column, row)))).filter(Boolean).join(", ");
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function rowOf(run) {
  const column = runs.columns.find((one) => one.name === "run");
  const place = column ? column.text.indexOf(run) : -1;
  return place < 0 ? -1 : column.all !== undefined ? 0 : column.of.indexOf(place);
}

/* Shows a run where the table has it. */
function showRun(run) {
  const row = rowOf(run), frame = byId("table");
  if (row < 0) return;
  frame.scrollTop = Math.max(0, runs.rows.indexOf(row) * ROW_HEIGHT - frame.clientHeight / 2);
  showDetail(row);
  byId("runs").scrollIntoView({ behavior: "smooth" });
}

function drawChart(chart) {
  const figure = JSON.parse(chart.querySelector("script").textContent), place = chart.querySelector("div");
  const colour = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  const shade = (hue) => hue && (colour(`--of-${hue.slice(1)}`) || hue);
  for (const trace of figure.data) {
    for (const one of [trace.line, trace.marker])
      if (one?.color) one.color = Array.isArray(one.color) ? one.color.map(shade) : shade(one.color);
    if (Array.isArray(trace.marker?.color) && trace.error_x) trace.error_x.color = colour("--soft");
    trace.hovertext = trace.customdata.map((run, at) => {
      const row = run ? rowOf(run) : -1;
      return row < 0 ? trace.text[at] : `<b>${run.slice(0, ID_SHOWN)}</b> ${wordsOf(row)}`;
    });
    if (!trace.hoverinfo) trace.hovertemplate = "%{hovertext}<br>%{x:.4~g}, %{y:.4~g}<extra></extra>";
  }
  const axis = { gridcolor: colour("--line"), linecolor: colour("--line") };
  const layout = { ...figure.layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest",
    font: { color: colour("--ink"), family: "system-ui, sans-serif" }, margin: { l: 60, r: 20, t: 20, b: 50 },
    xaxis: { ...axis, ...figure.layout.xaxis }, yaxis: { ...axis, ...figure.layout.yaxis } };
  for (const one of layout.shapes || []) one.line.color = colour("--ink");
  window.Plotly.newPlot(place, figure.data, layout, { responsive: true, displaylogo: false, displayModeBar: false });
  place.on("plotly_click", (event) => showRun(event.points[0].customdata));
}

const drawCharts = () => { if (window.Plotly) document.querySelectorAll(".chart").forEach(drawChart); };

/* ---- Blocks in 3D, by vtk.js ---- */

const HUES = ["#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#d55e00", "#bbbbbb", "#882255", "#999933",
  "#332288", "#44aa99"]; // as viz/scripts/scene.py has them
const RAMP = [[255, 255, 217], [199, 233, 180], [65, 182, 196], [34, 94, 168], [8, 29, 88]]; // ColorBrewer's YlGnBu
const CATEGORIES = ["display_colour", "block_colour"];
const CHOSEN = [20, 20, 20]; // the colour of the block that was clicked
const STILL = 4; // pixels that the mouse moves in a click, else it turns the view
const stage = { blocks: null, data: null, window: null, corners: null, places: null, clicked: null };

async function unpacked(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Kind(await new Response(stream).arrayBuffer());
}

function rgbOf(hex) { return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)); }

function onRamp(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1), low = Math.min(Math.floor(at), RAMP.length - 2);
  return RAMP[low].map((value, k) => Math.round(value + (at - low) * (RAMP[low + 1][k] - value)));
}

function colourOf(array) {
  const least = Math.min(...array.values), largest = Math.max(...array.values);
  const category = CATEGORIES.includes(array.name) && largest < HUES.length;
  const key = byId("key");
  key.replaceChildren();
  if (category && array.name !== "display_colour") {
    for (let value = least; value <= largest; value++) {
      const entry = element("span"), swatch = element("i");
      swatch.style.background = HUES[value];
      entry.append(swatch, String(value));
      key.append(entry);
    }
  } else if (!category) {
    const ramp = element("i", undefined, "ramp");
    ramp.style.background = `linear-gradient(to right, ${RAMP.map((one) => `rgb(${one})`).join(",")})`;
    key.append(printed(least), ramp, printed(largest));
  }
  return (block) => category ? rgbOf(HUES[array.values[block]])
    : onRamp(largest > least ? (array.values[block] - least) / (largest - least) : 0.5);
}

/* Puts what the controls say on the stage. */
function drawBlocks() {
  const data = stage.data, window3d = stage.window;
  if (!data || !window3d) return;
  const array = data.arrays.find((one) => one.name === byId("colour").value) || data.arrays[0];
  const colour = colourOf(array), move = Number(byId("explode").value);
  const cut = byId("cut").value, axis = cut ? "xyz".indexOf(cut) : -1, place = Number(byId("place").value) - 0.5;
  const only = byId("only").value.trim() === "" ? null : Number(byId("only").value);
  const n = data.block.length, points = new Float32Array(3 * n), colours = new Uint8Array(3 * n);
  for (let p = 0; p < n; p++) {
    const rgb = data.block[p] === stage.clicked ? CHOSEN : colour(data.block[p]);
    for (let k = 0; k < 3; k++) {
      points[3 * p + k] = data.points[3 * p + k] + move * data.explode[3 * data.block[p] + k];
      colours[3 * p + k] = rgb[k];
    }
  }
  const cells = [];
  for (let t = 0; t < data.triangles.length; t += 3) {
    const [a, b, c] = [data.triangles[t], data.triangles[t + 1], data.triangles[t + 2]];
    if (only !== null && data.block[a] !== only) continue;
    if (axis >= 0 && data.centre[3 * data.block[a] + axis] > place * data.span[axis]) continue;
    cells.push(3, a, b, c);
  }
  const mesh = stage.mesh;
  mesh.getPoints().setData(points, 3);
  mesh.getPolys().setData(Uint32Array.from(cells));
  mesh.getPointData().getScalars().setData(colours, 3);
  mesh.modified();
  Object.assign(stage, { corners: cells, places: points });
  byId("shown").textContent = `${(cells.length / 4).toLocaleString("en")} triangles of ${(data.triangles.length / 3).toLocaleString("en")}`;
  window3d.render();
}

/* Where a ray from a along d meets the triangle of corners i, j, k: the share of d, or Infinity (Möller, Trumbore 1997). */
function meeting(places, a, d, i, j, k) {
  const at = (p, c) => places[3 * p + c];
  const e = [0, 1, 2].map((c) => at(j, c) - at(i, c)), f = [0, 1, 2].map((c) => at(k, c) - at(i, c));
  const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const h = cross(d, f), volume = dot(e, h);
  if (volume === 0) return Infinity;
  const s = [0, 1, 2].map((c) => a[c] - at(i, c)), u = dot(s, h) / volume, q = cross(s, e), v = dot(d, q) / volume;
  return u < 0 || v < 0 || u + v > 1 ? Infinity : dot(f, q) / volume;
}

/* The block that is drawn at a place of the window, in its pixels; null where there is none. */
function blockAt(x, y) {
  const box = byId("stage").querySelector("canvas").getBoundingClientRect(), { renderer, corners, places } = stage;
  const inside = [(x - box.left) / box.width, 1 - (y - box.top) / box.height];
  const near = renderer.normalizedDisplayToWorld(...inside, 0, box.width / box.height);
  const far = renderer.normalizedDisplayToWorld(...inside, 1, box.width / box.height);
  const along = [0, 1, 2].map((c) => far[c] - near[c]);
  let nearest = Infinity, block = null;
  for (let t = 0; t < corners.length; t += 4) {
    const share = meeting(places, near, along, corners[t + 1], corners[t + 2], corners[t + 3]);
    if (share >= 0 && share < nearest) { nearest = share; block = stage.data.block[corners[t + 1]]; }
  }
  return block;
}

function clickBlock(block) {
  stage.clicked = block;
  const told = block === null ? [] : stage.data.arrays.filter((array) => array.name !== "display_colour")
    .flatMap((array) => [element("dt", array.words), element("dd", printed(array.values[block]))]);
  byId("block").replaceChildren(...(block === null ? [] : [element("strong", `Block ${block}`), element("dl")]));
  byId("block").querySelector("dl")?.append(...told);
  byId("block").hidden = block === null;
  drawBlocks();
}

/* A click chooses a block, a drag turns the view. */
function listenToStage() {
  let pressed = null;
  byId("stage").addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; }, true);
  byId("stage").addEventListener("pointerup", (event) => {
    const moved = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]);
    if (stage.corners && moved !== null && moved <= STILL && event.button === 0) clickBlock(blockAt(event.clientX, event.clientY));
    pressed = null;
  }, true);
}

/* The middle of each block, by which a cut keeps it or not, and the extent of the whole. */
function measure(data) {
  const blocks = data.arrays[0].values.length, sums = new Float64Array(3 * blocks), counts = new Float64Array(blocks);
  data.span = [0, 0, 0];
  for (let p = 0; p < data.block.length; p++) {
    counts[data.block[p]]++;
    for (let k = 0; k < 3; k++) {
      sums[3 * data.block[p] + k] += data.points[3 * p + k];
      data.span[k] = Math.max(data.span[k], 2 * Math.abs(data.points[3 * p + k]));
    }
  }
  data.centre = sums.map((sum, at) => sum / (counts[Math.floor(at / 3)] || 1));
}

function lookAt(data) {
  const camera = stage.renderer.getActiveCamera();
  camera.setFocalPoint(0, 0, 0);
  if (data.flat) { camera.setPosition(0, 0, 2); camera.setViewUp(0, 1, 0); } else {
    camera.setPosition(1.2, -1.6, 1.1); camera.setViewUp(0, 0, 1);
  }
  stage.renderer.resetCamera();
  stage.window.render();
}

async function chooseBlocks(place) {
  const given = stage.blocks[place];
  const data = { ...given, points: await unpacked(given.points, Float32Array), explode: await unpacked(given.explode, Float32Array),
    triangles: await unpacked(given.triangles, Uint32Array), block: await unpacked(given.block, Uint32Array) };
  measure(data);
  stage.data = data;
  byId("colour").replaceChildren(...data.arrays.map((array) => {
    const option = element("option", array.words);
    option.value = array.name;
    return option;
  }));
  byId("only").max = data.arrays[0].values.length - 1;
  clickBlock(null);
  lookAt(data);
}

/* vtk.js comes as one script that wants a scene; ours is a triangle, whose arrays we then replace. */
function startViewer() {
  byId("start").hidden = true;
  byId("scene").hidden = false;
  const viewer = byId("viewer");
  window.global = window.global || {};
  window.loadDataSet = () => {
    window.OfflineLocalView.load(byId("stage"), { base64Str: viewer.dataset.scene });
    const wait = () => {
      const scene = window.global.renderWindow, renderer = scene?.getRenderers().find((one) => one.getActors().length > 0);
      const mesh = renderer?.getActors()[0].getMapper()?.getInputData();
      if (!mesh?.getPointData().getScalars()) return void setTimeout(wait, 30);
      Object.assign(stage, { window: scene, renderer, mesh });
      byId("controls").hidden = false;
      byId("colour").focus({ preventScroll: true }); // the button that had it is gone
      chooseBlocks(byId("which").selectedIndex).then(() => { byId("stage").dataset.ready = "yes"; });
    };
    wait();
  };
  const script = element("script");
  script.type = "module";
  script.textContent = viewer.textContent;
  document.body.append(script);
}

function listenToBlocks() {
  if (!byId("start")) return;
  stage.blocks = JSON.parse(byId("blocks-data").textContent);
  byId("start").addEventListener("click", startViewer);
  byId("which").addEventListener("change", () => { if (stage.window) chooseBlocks(byId("which").selectedIndex); });
  for (const id of ["colour", "explode", "cut", "place", "only"]) byId(id).addEventListener("input", drawBlocks);
  listenToStage();
  byId("reset").addEventListener("click", () => stage.data && lookAt(stage.data));
}

/* ---- A lab that grows (tess serve) ---- */

const reached = (part) => [...part.querySelectorAll("a, button, input, select, summary, [tabindex]")];

/* Sections that change with the runs; that of blocks comes once, so that a view which is turned stays. */
async function takeParts(withBlocks) {
  const answer = await fetch(withBlocks ? "parts.html?blocks" : "parts.html");
  if (!answer.ok) return;
  const parts = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts.querySelectorAll("section")) {
    const old = byId(part.id), at = reached(old).indexOf(document.activeElement);
    old.replaceWith(document.adoptNode(part));
    if (at >= 0) reached(part)[at]?.focus({ preventScroll: true });
  }
  if (withBlocks) listenToBlocks();
  drawCharts();
}

async function follow(seconds) {
  let version = "", first = true;
  for (;;) {
    try {
      const answer = await fetch(`runs.json?version=${encodeURIComponent(version)}`);
      if (answer.status === 200) {
        const data = await answer.json();
        if (data.more && !fitsTable(data)) {
          version = "";
          continue;
        }
        version = data.version;
        (data.more ? addRuns : takeRuns)(data);
        byId("total").textContent = `${counted(runs.n, "run")}. `;
        await takeParts(first);
        first = false;
      }
      byId("live").textContent = `live, looked at ${new Date().toLocaleTimeString()}`;
    } catch {
      byId("live").textContent = "the server has ended; what is shown was its last word";
    }
    await new Promise((done) => setTimeout(done, 1000 * seconds));
  }
}

listenToTable();
if (byId("runs-data")) takeRuns(JSON.parse(byId("runs-data").textContent));
else follow(2);
drawCharts();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
listenToBlocks();
