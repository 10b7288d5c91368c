export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const words = data.words;

  function drawQuestion(turn) {
    const tag = turn.open ? "div" : "button";
    const attributes = turn.open ? {} : { type: "button", "aria-expanded": "false" };
    const row = element(tag, "question", null, attributes);
    const number = element("span", "number");
    number.append(icon(turn.open ? "down" : "right"), ` ${turn.number}`);
    row.append(number, textElement("span", "words", turn.question), pill(turn.outcome));
    if (!turn.open) row.onclick = () => setTriggerValue("open", turn.index);
    return row;
  }

  function drawEmergency(lines) {
    const box = element("div", "emergency", null, { role: "alert" });
    const texts = element("div");
    for (const line of lines) texts.append(element("p", null, line));
    box.append(icon("alert"), texts);
    return box;
  }

  function drawClaim(claim, press) {
    const line = element("p", "claim");
    if (claim.label) line.append(textElement("span", "label", claim.label), " ");
    appendText(line, claim.text);
    for (const citation of claim.citations) {
      const chip = button("chip", String(citation.index), () => press(citation), {
        "aria-pressed": "false",
        "aria-label": citation.spoken,
      });
      chip.dataset.mark = citation.mark;
      line.append(chip);
    }
    return line;
  }

  function drawBlock(block, press) {
    const section = element("section", `block ${block.tone}`);
    const title = element("p", "title");
    if (block.tone === "warning") title.append(icon("alert"));
    title.append(element("span", null, block.title));
    section.append(title);
    for (const claim of block.claims) section.append(drawClaim(claim, press));
    return section;
  }

  function drawStop(stop) {
    const box = element("div", `stopped ${stop.tone}`);
    const texts = element("div");
    texts.append(textElement("p", "heading", stop.heading));
    for (const line of stop.lines) texts.append(textElement("p", "line", line));
    for (const line of stop.small) texts.append(textElement("p", "line small quiet", line));
    if (stop.jump) texts.append(button("jump", stop.jump.text, () => setTriggerValue("stage", stop.jump.stage)));
    if (stop.guide) {
      const guide = element("a", "jump guide", stop.guide.text, { href: stop.guide.href, target: "_blank", rel: "noopener" });
      texts.append(guide);
    }
    if (stop.replies.length) {
      const replies = element("div", "replies", null, { role: "group", "aria-label": words.replies });
      for (const reply of stop.replies) replies.append(button("reply", reply.text, () => setTriggerValue("reply", reply.position)));
      texts.append(replies);
    }
    box.append(icon(stop.icon), texts);
    return box;
  }

  function drawNotices(notices) {
    const list = element("ul", "notices");
    for (const notice of notices) {
      const row = element("li", `notice ${notice.tone}`);
      row.append(icon(notice.icon), textElement("span", null, notice.text));
      list.append(row);
    }
    return list;
  }

  /** Arithmetic on the book's figures: beside the claims, in a frame of its own, so that nobody takes it for the book's words. */
  function drawWorkings(workings) {
    const box = element("section", "workings", null, { "aria-label": workings.title });
    box.append(element("p", "title", workings.title), element("p", "small quiet", workings.note));
    for (const line of workings.lines) {
      const row = element("div", "working");
      if (line.label) row.append(textElement("p", "label", line.label));
      for (const step of line.steps) row.append(textElement("p", "step", step));
      row.append(textElement("p", "small quiet", line.from));
      for (const limit of line.limits) row.append(textElement("p", "small quiet", limit));
      box.append(row);
    }
    return box;
  }

  /** The words of a block; the pieces that a pressed citation refers to are marked. */
  function drawBookText(pieces, mark) {
    const text = element("p", "book");
    for (const piece of pieces) {
      const cited = mark && piece.keys.includes(mark);
      text.append(textElement(cited ? "mark" : "span", cited ? "cited" : null, piece.text));
    }
    return text;
  }

  function drawCard(block) {
    const card = element("article", "card fading");
    const heading = element("div", "heading");
    heading.append(element("b", null, `[${block.index}]`), element("span", null, block.heading), element("span", "quiet together", block.page));
    card.append(heading);
    if (block.locked) {
      const line = element("p", "locked-line");
      line.append(icon("lock"), element("span", null, block.locked));
      card.append(line);
      return { card, show: () => card.classList.toggle("pressed", false) };
    }
    let whole = block.rest.length === 0;
    let shownText = drawBookText(block.lead, null);
    card.append(shownText);
    const more = button("more", words.whole_block, () => show(null, true));
    if (!whole) card.append(more);

    function show(mark, all) {
      if (all || mark) {
        whole = true;
        more.remove();
      }
      const next = drawBookText(whole ? [...block.lead, ...block.rest] : block.lead, mark);
      shownText.replaceWith(next);
      shownText = next;
      card.classList.toggle("pressed", Boolean(mark));
    }
    return { card, show };
  }

  function drawEvidence(turn) {
    const column = element("div", "evidence");
    column.append(element("h3", null, turn.evidence.title));
    const cards = new Map();
    const add = (block) => {
      const drawn = drawCard(block);
      cards.set(block.index, drawn);
      return drawn.card;
    };
    for (const block of turn.evidence.blocks) column.append(add(block));
    if (turn.evidence.others.length) {
      const others = turn.evidence.others.map(add);
      const open = button("more", turn.evidence.more, () => {
        open.replaceWith(...others);
      });
      column.append(open);
    }
    return { column, cards };
  }

  function drawBody(turn, section) {
    const body = element("div", turn.evidence ? "body" : "body alone");
    const told = element("div", "told");
    const evidence = turn.evidence ? drawEvidence(turn) : null;

    function press(citation) {
      const pressed = section.querySelector('.chip[aria-pressed="true"]');
      const again = pressed?.dataset.mark === citation.mark;
      section.querySelectorAll(".chip").forEach((chip) => chip.setAttribute("aria-pressed", String(!again && chip.dataset.mark === citation.mark)));
      evidence?.cards.forEach(({ show }, index) => show(!again && index === citation.index ? citation.mark : null, false));
      if (!again) evidence?.cards.get(citation.index)?.card.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }

    if (turn.focus) {
      const line = element("p", "focus");
      line.append(icon("back"), textElement("span", null, turn.focus));
      told.append(line);
    }
    if (turn.stop) told.append(drawStop(turn.stop));
    for (const block of turn.blocks) told.append(drawBlock(block, press));
    if (turn.workings) told.append(drawWorkings(turn.workings));
    if (turn.notices.length) told.append(drawNotices(turn.notices));
    body.append(told);
    if (evidence) body.append(evidence.column);
    return body;
  }

  for (const turn of data.turns) {
    const section = element("section", "turn", null, { "aria-label": turn.number });
    section.append(drawQuestion(turn));
    if (turn.open) {
      if (turn.emergency.length) section.append(drawEmergency(turn.emergency));
      if (turn.checks_off) section.append(drawEmergency([turn.checks_off]));
      section.append(drawBody(turn, section), element("p", "disclaimer", turn.disclaimer));
    }
    root.append(section);
  }
}
