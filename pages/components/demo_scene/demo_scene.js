const BACK_KEYS = ["ArrowLeft", "PageUp"];
const ON_KEYS = ["ArrowRight", "PageDown"];

/** Whether the reader is typing, or choosing with the arrows: then the keys are not for this page. */
function takesKeys(target) {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=radiogroup], [role=menu], [role=tablist]") !== null;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const scene = element("section", "scene", null, { "aria-label": data.place });
  const go = (step) => step && setTriggerValue("step", step);

  function drawText(pieces) {
    const line = element("p", "text");
    for (const piece of pieces) {
      if (piece.keys.length) line.append(element("mark", piece.keys[0], piece.text));
      else appendText(line, piece.text);
    }
    return line;
  }

  function drawPane(pane) {
    const box = element("section", `pane ${pane.tone}`, null, { "aria-label": pane.heading });
    if (pane.texts.length > 1) box.classList.add("many");
    const heading = element("p", "heading");
    heading.append(icon(pane.icon), element("span", null, pane.heading));
    box.append(heading, ...pane.texts.map(drawText));
    if (pane.foot) box.append(textElement("p", "foot", pane.foot));
    return box;
  }

  function drawVerdict(verdict) {
    const box = element("div", `verdict ${verdict.tone}`, null, { role: "status" });
    const texts = element("div");
    texts.append(textElement("p", "said", verdict.said), element("p", "label", data.words.happened), textElement("p", "happened", verdict.happened));
    box.append(icon(verdict.icon), texts);
    return box;
  }

  function drawWays() {
    const ways = element("nav", "ways", null, { "aria-label": data.words.ways });
    if (data.previous) {
      const back = button("way", null, () => go(data.previous.step));
      const arrow = icon("right");
      arrow.style.transform = "scaleX(-1)";
      back.append(arrow, element("span", null, data.previous.text));
      ways.append(back);
    }
    const dots = element("ol", "dots");
    for (const step of data.steps) {
      const place = element("li");
      const attributes = { "aria-label": step.spoken, ...(step.current ? { "aria-current": "step" } : {}) };
      place.append(button("dot", String(step.step), () => go(step.step), attributes));
      dots.append(place);
    }
    ways.append(dots);
    if (data.next) {
      const on = button("way next", null, () => go(data.next.step));
      on.append(element("span", null, data.next.text), icon("right"));
      ways.append(on);
    }
    return ways;
  }

  scene.append(element("p", "place", data.place));
  for (const line of data.earlier) {
    const row = element("p", "earlier");
    row.append(element("span", null, `${line.label} `), element("b", null, line.text));
    scene.append(row);
  }
  scene.append(textElement("h2", data.question.length > 70 ? "question long" : "question", data.question));
  if (data.gloss) scene.append(element("p", "gloss", data.gloss));
  if (data.focus) {
    const line = element("p", "focus");
    line.append(icon("back"), element("span", null, data.focus));
    scene.append(line);
  }
  if (data.panes.length) {
    const panes = element("div", "panes");
    panes.append(...data.panes.map(drawPane));
    scene.append(panes);
  }
  if (data.verdict) scene.append(drawVerdict(data.verdict));
  const always = element("div", "always");
  for (const line of data.always) always.append(element("p", null, line));
  scene.append(always, drawWays());
  root.append(scene);

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || takesKeys(event.target)) return;
    const way = BACK_KEYS.includes(event.key) ? data.previous : ON_KEYS.includes(event.key) ? data.next : null;
    if (!way) return;
    event.preventDefault();
    go(way.step);
  }
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
