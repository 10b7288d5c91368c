export default function ({ parentElement, data, setTriggerValue }) {
  const keepFocus = hasFocus(parentElement);
  const root = emptiedRoot(parentElement, data);
  const guide = element("div", "guide");

  function drawChapters() {
    const nav = element("nav", null, null, { "aria-label": data.words.chapters });
    const list = element("ul", "chapters");
    for (const part of data.parts) {
      const place = element("li");
      place.append(button("chapter", part.title, () => setTriggerValue("part", part.id), part.current ? { "aria-current": "page" } : {}));
      list.append(place);
    }
    nav.append(list, drawChoice());
    return nav;
  }

  /** On a telephone the chapters would push the open one off the screen: there they are a choice of one line. */
  function drawChoice() {
    const choice = element("select", "choice", null, { "aria-label": data.words.chapters });
    for (const part of data.parts) {
      const option = element("option", null, part.title, { value: part.id });
      option.selected = part.current;
      choice.append(option);
    }
    choice.onchange = () => setTriggerValue("part", choice.value);
    return choice;
  }

  function drawCommands(text) {
    const frame = element("div", "commands");
    const copy = button("copy", data.words.copy, async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = data.words.copied;
    });
    frame.append(element("pre", null, text, { tabindex: 0, role: "region", "aria-label": data.words.commands }), copy);
    return frame;
  }

  function drawList(tag, lines) {
    const list = element(tag);
    for (const line of lines) list.append(textElement("li", null, line));
    return list;
  }

  function drawBlock(block) {
    if (block.type === "run") return drawCommands(block.text);
    if (block.type === "steps") return drawList("ol", block.lines);
    if (block.type === "list") return drawList("ul", block.lines);
    if (block.type === "say") return textElement("p", null, block.text);
    const note = element("p", "note");
    note.append(icon("alert"), textElement("span", null, block.text));
    return note;
  }

  function drawReason(reason) {
    const box = element("article", reason.current ? "reason current" : "reason", null, { id: reason.code, "aria-label": reason.title });
    const heading = element("h3", null, reason.title);
    heading.append(element("code", null, reason.code));
    box.append(heading, textElement("p", "told", reason.told));
    for (const [name, text] of reason.lines) {
      const line = element("p");
      line.append(element("b", null, `${name} `));
      box.append(appendText(line, text));
    }
    return box;
  }

  function focusShown(...places) {
    places.find((place) => place?.offsetParent)?.focus({ preventScroll: true });
  }

  const text = element("div", "text");
  text.append(element("h2", null, data.title), ...data.blocks.map(drawBlock), ...data.reasons.map(drawReason));
  guide.append(drawChapters(), text);
  root.append(guide);
  if (keepFocus) focusShown(root.querySelector('[aria-current="page"]'), root.querySelector(".choice"));
  const current = root.querySelector(".reason.current");
  // The page is still taking its size when this is drawn: the entry is brought into view once that is over.
  if (current) requestAnimationFrame(() => requestAnimationFrame(() => current.scrollIntoView({ block: "start" })));
}
