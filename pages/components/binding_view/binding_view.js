const MOVES_CLAIM = { j: 1, J: 1, k: -1, K: -1, ArrowDown: 1, ArrowUp: -1 };
const MOVES_DETAIL = { ArrowRight: 1, ArrowLeft: -1 };
const SETTLE_MS = 160;
const SHORT_MARK = 24;

export default function ({ parentElement, data, setTriggerValue }) {
  let chosen = data.selected;
  if (alreadyShows(parentElement, data, () => chosen)) return;
  const keepFocus = hasFocus(parentElement);
  const root = emptiedRoot(parentElement, data);
  const words = data.words;
  let pinned = null;
  let settling;

  const view = element("div", data.single ? "single" : null);
  const announcement = element("div", "spoken-only", null, { "aria-live": "polite" });
  const left = element("div");
  const right = element("div", "beside");

  const claim = () => data.claims[chosen];
  const detailByLetter = (letter) => claim().details.find((detail) => detail.letter === letter);

  /** Shows both ends of the details with these letters: in the claim, in the ledger, in the book. */
  function light(letters) {
    for (const node of view.querySelectorAll("[data-letters]")) {
      const own = node.dataset.letters.split(" ");
      node.classList.toggle("lit", letters.some((letter) => own.includes(letter)));
    }
    if (!letters.length) return;
    const end = right.querySelector(".detail.lit");
    const frame = end?.closest(".block-text");
    if (frame) frame.scrollTop = Math.max(0, end.offsetTop - 70);
    announcement.textContent = letters.map((letter) => detailByLetter(letter)?.spoken ?? "").join(" ");
  }

  const lightPinned = () => light(pinned ?? []);

  function choose(position) {
    if (position < 0 || position >= data.claims.length) return;
    chosen = position;
    pinned = null;
    draw();
    left.querySelector(".claim.chosen .claim-head").focus({ preventScroll: true });
    // The page is told when the keys have come to rest.
    clearTimeout(settling);
    settling = setTimeout(() => setTriggerValue("claim", position + 1), SETTLE_MS);
  }

  /** A marked run of text; in the chosen claim it is a button that shows its other end. */
  function drawMark(piece, asButton) {
    const state = (piece.found ? "found" : "missing") + (piece.text.length <= SHORT_MARK ? " together" : "");
    const spoken = piece.keys.map((letter) => detailByLetter(letter)?.spoken ?? letter).join(" ");
    const mark = asButton
      ? element("button", `detail ${state} fading`, piece.text, { type: "button", "aria-label": spoken })
      : element("span", `detail ${state}`, piece.text);
    const sign = element("sup", null, asButton || piece.lettered ? piece.keys.join("") : "");
    if (!piece.found) sign.append(icon("cross"));
    if (sign.childNodes.length) mark.append(sign);
    if (!asButton) return mark;
    mark.dataset.letters = piece.keys.join(" ");
    mark.onmouseenter = () => light(piece.keys);
    mark.onmouseleave = lightPinned;
    mark.onfocus = () => light(piece.keys);
    mark.onblur = lightPinned;
    mark.onclick = () => {
      pinned = pinned?.join() === piece.keys.join() ? null : piece.keys;
      lightPinned();
    };
    return mark;
  }

  function appendRuns(parent, runs, drawPiece) {
    for (const run of runs) {
      const place = run.length > 1 ? element("span", "together") : parent;
      for (const piece of run) {
        if (piece.keys.length) place.append(drawPiece(piece));
        else appendText(place, piece.text);
      }
      if (place !== parent) parent.append(place);
    }
  }

  function moveDetail(event) {
    const step = MOVES_DETAIL[event.key];
    const marks = [...left.querySelectorAll(".claim.chosen button.detail")];
    if (!step || !marks.length) return false;
    const position = marks.indexOf(parentElement.activeElement);
    const next = position < 0 ? (step > 0 ? 0 : marks.length - 1) : (position + step + marks.length) % marks.length;
    marks[next].focus();
    return true;
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    let done = false;
    if (MOVES_CLAIM[event.key]) {
      done = data.claims.length > 1;
      choose(chosen + MOVES_CLAIM[event.key]);
    } else if (MOVES_DETAIL[event.key]) {
      done = moveDetail(event);
    } else if (event.key === "Escape" && pinned) {
      pinned = null;
      light([]);
      done = true;
    }
    if (done) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  function drawState(found, text) {
    const state = element("span", `state ${found ? "found" : "missing"}`);
    state.append(icon(found ? "check" : "cross"), element("span", null, text));
    return state;
  }

  function drawLedger(details) {
    const table = element("table", "ledger");
    const head = element("tr");
    words.ledger.forEach((title, position) => head.append(element("th", position === 1 ? "kind" : null, title, { scope: "col" })));
    table.append(head);
    for (const detail of details) {
      const row = element("tr");
      row.dataset.letters = detail.letter;
      const differs = detail.found ? null : "differs";
      const mark = element("td");
      mark.append(drawState(detail.found, `${detail.letter} ${detail.found ? words.found : words.differs}`));
      row.append(mark, element("td", "kind", detail.kind), textElement("td", differs, detail.text), textElement("td", differs, detail.book));
      row.onmouseenter = () => light([detail.letter]);
      row.onmouseleave = lightPinned;
      table.append(row);
    }
    return table;
  }

  function drawClaim(item, position) {
    const isChosen = position === chosen;
    const frame = element("article", isChosen ? "claim chosen" : "claim");
    const head = button("claim-head", null, () => choose(position), { "aria-expanded": String(isChosen) });
    const title = element("span");
    title.append(element("span", "strong", item.title), element("span", "quiet", `  ${item.cites}`));
    head.append(title, pill(item.state));
    frame.append(head);
    const text = element("p", "claim-text");
    appendRuns(text, item.runs, (piece) => drawMark(piece, isChosen));
    frame.append(text);
    if (!isChosen) return frame;
    for (const note of item.notes) {
      const line = element("p", `note ${note.tone}`);
      line.append(icon(note.tone === "warning" ? "alert" : "cross"), textElement("span", null, note.text));
      frame.append(line);
    }
    if (item.details.length) frame.append(drawLedger(item.details));
    return frame;
  }

  function drawBlock(block) {
    const frame = element("article", "block");
    const head = element("div", "block-head");
    head.append(element("b", null, `[${block.index}]`), element("span", "strong", block.heading), element("span", "quiet", block.page));
    frame.append(head);
    if (block.locked) {
      const line = element("p", "block-locked");
      line.append(icon("lock"), element("span", null, block.locked));
      frame.append(line);
      return frame;
    }
    const text = element("p", "block-text", null, { tabindex: 0, "aria-label": block.heading });
    appendRuns(text, block.runs, (piece) => {
      const mark = drawMark({ ...piece, lettered: true }, false);
      mark.dataset.letters = piece.keys.join(" ");
      return mark;
    });
    frame.append(text);
    return frame;
  }

  function drawMatrix() {
    const table = element("table", "matrix");
    const head = element("tr");
    head.append(element("th", "row", words.claim));
    for (const index of data.matrix.columns) head.append(element("th", null, `[${index}]`, { scope: "col" }));
    table.append(head);
    data.matrix.rows.forEach((row, position) => {
      const line = element("tr");
      const title = element("th", "row", null, { scope: "row" });
      title.append(element("span", "strong", row.number), element("span", "short", `  ${row.short}`));
      line.append(title);
      for (const cell of row.cells) {
        const place = element("td", cell ? null : "uncited");
        if (cell) {
          const open = button(null, null, () => choose(position));
          open.append(drawState(cell.found === cell.total, `${cell.found}/${cell.total}`));
          place.append(open);
        } else {
          place.append(element("span", "spoken-only", words.not_cited), "–");
        }
        line.append(place);
      }
      table.append(line);
    });
    return table;
  }

  function draw() {
    left.replaceChildren(element("h3", null, words.claims), ...data.claims.map(drawClaim));
    right.replaceChildren(element("h3", null, words.blocks), ...claim().blocks.map(drawBlock));
    if (data.matrix) right.append(element("h3", null, words.matrix), drawMatrix());
    const first = claim().details.find((detail) => !detail.found);
    pinned = first ? [first.letter] : null;
    lightPinned();
  }

  if (data.summary) {
    const summary = element("div", "summary");
    summary.append(pill(data.summary), element("span", "smaller quiet", words.legend));
    view.append(summary);
  }
  const grid = element("div", "grid");
  grid.append(left, right);
  view.append(grid, announcement);
  view.onkeydown = onKey;
  root.append(view);
  draw();
  if (keepFocus) left.querySelector(".claim.chosen .claim-head")?.focus({ preventScroll: true });

  if (data.keys.length) {
    const keys = element("p", "keys");
    data.keys.forEach(([key, meaning], position) => {
      if (position) keys.append("  ·  ");
      keys.append(element("kbd", null, key), ` ${meaning}`);
    });
    root.append(keys);
  }
}
