export default function ({ parentElement, data }) {
  const root = emptiedRoot(parentElement, data);

  function cellContent(cell) {
    if (cell.figure !== undefined) return element("span", "figures", cell.figure);
    if (cell.words !== undefined) return textElement("span", null, cell.words);
    return pill(cell);
  }

  function drawValues(part) {
    const list = element("dl", "values");
    for (const [name, value] of part.rows) {
      const description = element("dd");
      description.append(cellContent(value));
      list.append(element("dt", null, name), description);
    }
    return list;
  }

  function drawTable(part) {
    const scroll = element("div", "scroll");
    const table = element("table");
    const head = element("thead");
    const headRow = element("tr");
    for (const column of part.columns) headRow.append(element("th", null, column, { scope: "col" }));
    head.append(headRow);
    const body = element("tbody");
    for (const row of part.rows) {
      const line = element("tr");
      row.forEach((cell, position) => {
        const place = element("td", null, null, { "data-column": part.columns[position] });
        place.append(cellContent(cell));
        line.append(place);
      });
      body.append(line);
    }
    table.append(head, body);
    scroll.append(table);
    return scroll;
  }

  function drawPassage(part) {
    const frame = element("article", "passage");
    const header = element("header");
    header.append(element("b", null, part.heading), element("span", null, part.about));
    const text = element("p");
    for (const piece of part.pieces) text.append(textElement(piece.keys.length ? "mark" : "span", null, piece.text));
    frame.append(header, text);
    return frame;
  }

  function copyButton(text) {
    const copy = button("copy", data.words.copy, async (event) => {
      event.preventDefault();
      await navigator.clipboard.writeText(text);
      copy.textContent = data.words.copied;
    });
    return copy;
  }

  function drawRaw(part) {
    const text = element("pre", null, part.text, { tabindex: 0 });
    if (!part.folded) {
      const frame = element("div");
      const head = element("div", "raw-head");
      head.append(element("span", null, part.title), copyButton(part.text));
      frame.append(head, text);
      return frame;
    }
    const frame = element("details");
    const summary = element("summary");
    const title = element("span");
    const turning = element("span", "turning");
    turning.append(icon("right"));
    title.append(turning, ` ${part.title}`);
    summary.append(title, copyButton(part.text));
    frame.append(summary, text);
    return frame;
  }

  function drawNote(part) {
    const note = element("p", `note ${part.tone}`);
    note.append(icon(part.icon), textElement("span", null, part.text));
    return note;
  }

  function drawGroup(part) {
    const frame = element("section", "frame");
    const head = element("div", "frame-head");
    head.append(element("span", null, part.heading));
    if (part.state) head.append(pill(part.state));
    frame.append(head, ...part.parts.map(drawPart));
    return frame;
  }

  const DRAWN_BY = { values: drawValues, table: drawTable, passage: drawPassage, raw: drawRaw, note: drawNote, group: drawGroup };

  function drawPart(part) {
    const drawn = DRAWN_BY[part.type](part);
    const place = element("div", "part");
    if (part.heading && (part.type === "values" || part.type === "table")) place.append(element("h3", null, part.heading));
    place.append(drawn);
    return place;
  }

  root.append(...data.parts.map(drawPart));
}
