ICON_PATHS.diamond = "M10 2.5l7.5 7.5-7.5 7.5L2.5 10z";

function drawBanner(banner) {
  const box = element("div", `banner ${banner.tone}`, null, { role: "status" });
  const told = element("div");
  told.append(textElement("p", "title", banner.title), ...banner.lines.map((line) => textElement("p", null, line)));
  box.append(icon(banner.icon), told);
  return box;
}

function marking(stage) {
  if (stage.first) return " first later";
  return stage.differs ? " later" : "";
}

function stageHead(stage, words, scope) {
  const cell = element("th", marking(stage).trim(), null, { scope });
  if (stage.differs) {
    cell.append(icon("diamond"), " ", element("span", "spoken-only", `${stage.first ? words.first : words.differs}: `));
  }
  cell.append(stage.name);
  return cell;
}

function stateCell(stage, place) {
  const { tone, icon: name, text } = stage.cells[place];
  const cell = element("td", tone + marking(stage));
  const state = element("span", "state");
  state.append(icon(name), element("span", null, text));
  cell.append(state);
  return cell;
}

function letterHead(side, scope) {
  const cell = element("th", null, null, { scope });
  cell.append(element("span", "letter", side.letter));
  return cell;
}

function row(...cells) {
  const made = element("tr");
  made.append(...cells);
  return made;
}

/** The stages across, where there is room: one column a stage, one row a side. */
function wideTable({ stages, sides, words }) {
  const table = element("table", "wide", null, { "aria-label": words.stages });
  const blank = element("td");
  table.append(row(blank, ...stages.map((stage) => stageHead(stage, words, "col"))));
  sides.forEach((side, place) => table.append(row(letterHead(side, "row"), ...stages.map((stage) => stateCell(stage, place)))));
  return table;
}

/** The same table turned: one row a stage. */
function narrowTable({ stages, sides, words }) {
  const table = element("table", "narrow", null, { "aria-label": words.stages });
  table.append(row(element("th", null, words.stage, { scope: "col" }), ...sides.map((side) => letterHead(side, "col"))));
  for (const stage of stages) table.append(row(stageHead(stage, words, "row"), stateCell(stage, 0), stateCell(stage, 1)));
  return table;
}

function drawSide(side) {
  const head = element("div", "side");
  head.append(element("span", "letter", side.letter), element("span", "name", side.title), pill(side.outcome));
  if (side.about) head.append(element("span", "about", side.about));
  if (side.warning) {
    const warning = element("span", "warning");
    warning.append(icon("alert"), element("span", null, side.warning));
    head.append(warning);
  }
  return head;
}

// What is gone or new is said by a sign, a line and a word for those who listen; never by a line through a dose.
function drawPiece({ kind, text }, words) {
  if (kind === "same") return textElement("span", null, text);
  if (!text.trim()) return element("span", null, text);
  const removed = kind === "removed";
  const made = element("span", kind);
  made.append(
    element("span", "spoken-only", removed ? words.removed : words.added),
    element("span", null, removed ? "− " : "+ ", { "aria-hidden": "true" }),
  );
  return appendText(made, text);
}

function drawClaim(claim, place, { sides, words }) {
  const { missing, number, pieces, marks } = claim.sides[place];
  const letter = sides[place].letter;
  if (missing) return element("div", `claim missing of-${letter.toLowerCase()}`, missing);
  const box = element("div", `claim ${claim.same ? "" : "differs"} of-${letter.toLowerCase()}`);
  const label = element("div", "label");
  label.append(icon(claim.same ? "check" : "diamond"), element("span", null, `${letter}${number} · ${claim.label}`));
  const text = element("p");
  text.append(...pieces.map((piece) => drawPiece(piece, words)));
  box.append(label, text);
  if (marks.length) {
    const row = element("div", "marks");
    row.append(...marks.map(pill));
    box.append(row);
  }
  return box;
}

export default function ({ parentElement, data }) {
  const root = emptiedRoot(parentElement, data);
  root.append(drawBanner(data.banner), wideTable(data), narrowTable(data));
  const columns = element("section", "columns", null, { "aria-label": data.words.claims });
  columns.append(...data.sides.map(drawSide));
  for (const claim of data.claims) columns.append(drawClaim(claim, 0, data), drawClaim(claim, 1, data));
  root.append(columns);
  if (!data.claims.length) root.append(element("p", "quiet", data.words.none));
}
