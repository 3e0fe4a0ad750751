// Without this script the first papers can be read, and venue.csv has all. With it all can be sorted and filtered:
// the rows stand in the page as data, and a window of them is drawn, so that tens of thousands stay quick.
const WINDOW = 200;
const [NAME, STATE, SIGNS, MAJOR, MINOR, OPEN, , NOTED, EXACT, TOTAL, WHY, REPORT, LOOK] = Array(13).keys();
const BAR = [["exact", EXACT, "exact"], ["noted", NOTED, "with a note"], ["minor", MINOR, "minor"], ["major", MAJOR, "major"], ["open", OPEN, "not checked"]];
const rows = JSON.parse(document.getElementById("rows").textContent);
const headings = JSON.parse(document.getElementById("headings").textContent);
const [board, group, search, found, at, before, after] = ["board", "group", "search", "found", "at", "before", "after"].map((id) => document.getElementById(id));
const names = rows.map((row) => row[NAME].toLowerCase());
const collator = new Intl.Collator("en", { numeric: true });
const SVG = "http://www.w3.org/2000/svg";
let order = rows.map((_, n) => n);
let shown = order;
let start = 0;
let sorting = [SIGNS, -1];

function addTo(parent, tag, text = "", fields = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  Object.assign(made, fields);
  parent.append(made);
  return made;
}

function drawBar(row) {
  const bar = document.createElementNS(SVG, "svg");
  const counts = BAR.filter(([, column]) => row[column]);
  const label = counts.map(([, column, word]) => `${row[column].toLocaleString("en")} ${word}`).join(", ");
  for (const [name, value] of Object.entries({ class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", role: "img", "aria-label": label })) bar.setAttribute(name, value);
  let left = 0;
  for (const [style, column] of counts) {
    const part = document.createElementNS(SVG, "rect");
    const width = (100 * row[column]) / row[TOTAL];
    for (const [name, value] of Object.entries({ class: style, x: left, width, height: 1 })) part.setAttribute(name, value);
    left += width;
    bar.append(part);
  }
  return bar;
}

function drawRow(row) {
  const made = document.createElement("tr");
  const first = addTo(made, "td");
  if (row[REPORT]) addTo(first, "a", row[NAME], { href: row[REPORT] });
  else first.append(row[NAME]);
  if (headings[row[STATE]]) {
    first.append(document.createElement("br"));
    addTo(first, "span", headings[row[STATE]] + (row[WHY] ? `: ${row[WHY].slice(0, 300)}` : ""), { className: "dim" });
  }
  const target = row[LOOK] && document.getElementById(`look${row[LOOK]}`);
  if (target) {
    first.append(document.createElement("br"));
    addTo(first, "a", "to look at", { href: `#look${row[LOOK]}` });
  }
  const outcome = addTo(made, "td");
  if (row[TOTAL]) outcome.append(drawBar(row));
  for (let column = SIGNS; column <= TOTAL; column += 1) addTo(made, "td", row[column].toLocaleString("en"), { className: row[column] ? "some" : "none" });
  return made;
}

function draw() {
  board.tBodies[0].replaceChildren(...shown.slice(start, start + WINDOW).map((n) => drawRow(rows[n])));
  const last = Math.min(start + WINDOW, shown.length);
  at.textContent = `${(shown.length ? start + 1 : 0).toLocaleString("en")} to ${last.toLocaleString("en")} of ${shown.length.toLocaleString("en")}`;
  before.disabled = start === 0;
  after.disabled = last >= shown.length;
  found.textContent = shown.length === rows.length ? "" : `${shown.length.toLocaleString("en")} found`;
}

function choose() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (row) => !group.value || (group.value === "looked" ? row[LOOK] > 0 : row[STATE] === group.value);
  shown = order.filter((n) => isWanted(rows[n]) && words.every((word) => names[n].includes(word)));
  start = 0;
  draw();
}

function sortBy(column) {
  sorting = [column, sorting[0] === column ? -sorting[1] : column === NAME ? 1 : -1];
  const compare = column === NAME ? (a, b) => collator.compare(names[a], names[b]) : (a, b) => rows[a][column] - rows[b][column];
  order = rows.map((_, n) => n).sort((a, b) => sorting[1] * compare(a, b) || a - b);
  for (const head of board.querySelectorAll("th[data-sort]")) head.ariaSort = Number(head.dataset.sort) === column ? (sorting[1] > 0 ? "ascending" : "descending") : null;
  choose();
}

for (const head of board.querySelectorAll("th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.addEventListener("click", () => sortBy(Number(head.dataset.sort)));
}
for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
document.getElementById("rest")?.remove();
before.addEventListener("click", () => ((start = Math.max(0, start - WINDOW)), draw()));
after.addEventListener("click", () => ((start += WINDOW), draw()));
group.addEventListener("change", choose);
search.addEventListener("input", choose);
document.getElementById("choose").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", () => {
  const target = location.hash.startsWith("#look") && document.querySelector(`${location.hash} > details`);
  if (target) target.open = true;
});
draw();
