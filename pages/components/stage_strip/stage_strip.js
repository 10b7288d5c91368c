const STATE_ICONS = { ran: "check", skipped: "dash", stopped: "stop", failed: "alert", running: "running", waiting: "dash" };
const SETTLE_MS = 160;

export default function ({ parentElement, data, setTriggerValue }) {
  let chosen = data.selected;
  if (alreadyShows(parentElement, data, () => chosen)) return;
  const keepFocus = hasFocus(parentElement);
  const root = emptiedRoot(parentElement, data);
  const stages = data.phases.flatMap((phase) => phase.stages);
  const strip = element("div", "strip", null, { role: "tablist", "aria-label": data.label });
  strip.style.gridTemplateColumns = `repeat(${stages.length}, minmax(0, 1fr))`;
  const cells = [];
  let settling;

  // The mark moves at once; the page is told when the keys have come to rest.
  function select(position, { focus, wait }) {
    chosen = stages[position].id;
    cells.forEach((cell, place) => {
      cell.setAttribute("aria-selected", String(place === position));
      cell.tabIndex = place === position ? 0 : -1;
    });
    if (focus) cells[position].focus();
    clearTimeout(settling);
    settling = setTimeout(() => setTriggerValue("stage", stages[position].id), wait);
  }

  function moveByKey(event) {
    const position = cells.indexOf(event.currentTarget);
    const count = cells.length;
    const target = { ArrowRight: (position + 1) % count, ArrowLeft: (position + count - 1) % count, Home: 0, End: count - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target, { focus: true, wait: SETTLE_MS });
  }

  function drawCell(stage) {
    const isChosen = stage.id === chosen;
    const cell = element("button", `cell ${stage.state}`, null, {
      type: "button",
      role: "tab",
      "aria-selected": isChosen,
      tabindex: isChosen ? 0 : -1,
    });
    const head = element("span", "head");
    const sign = element("span", "sign");
    sign.append(icon(STATE_ICONS[stage.state]));
    // A redraw goes on turning where the last one was.
    if (stage.state === "running") sign.firstChild.style.animationDelay = `-${Date.now() % 1200}ms`;
    head.append(sign, element("span", "calls", stage.calls));
    const time = element("span", "time", stage.time);
    cell.append(head, element("span", "name", stage.name), element("span", "spoken-only", ` ${stage.word} `), time);
    const position = cells.push(cell) - 1;
    cell.onclick = () => select(position, { focus: false, wait: 0 });
    cell.onkeydown = moveByKey;
    return cell;
  }

  let column = 1;
  for (const phase of data.phases) {
    const heading = element("div", "phase", phase.name, { role: "presentation" });
    heading.style.gridColumn = `${column} / span ${phase.stages.length}`;
    strip.append(heading);
    for (const stage of phase.stages) {
      const place = element("div", "place", null, { role: "presentation" });
      place.style.gridColumn = String(column++);
      place.append(drawCell(stage));
      strip.append(place);
    }
  }
  root.append(strip);

  const selected = stages.findIndex((stage) => stage.id === data.selected);
  if (selected < 0 && cells.length) cells[0].tabIndex = 0;
  if (keepFocus && selected >= 0) cells[selected].focus({ preventScroll: true });
}
