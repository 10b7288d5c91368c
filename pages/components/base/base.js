// Shared by every component: small functions that build elements. Text is only ever set as text (textContent, text nodes):
// nothing that comes from people, models or the book can become markup.

const SVG = "http://www.w3.org/2000/svg";

const ICON_PATHS = {
  check: "M4 10.5l4 4 8-9",
  cross: "M5 5l10 10M15 5L5 15",
  dash: "M4 10h12",
  stop: "M7 2h6l5 5v6l-5 5H7l-5-5V7zM10 6v5M10 14v.1",
  alert: "M10 2.5L18.5 17h-17zM10 8v4M10 14.6v.1",
  running: "M10 3a7 7 0 1 0 7 7",
  lock: "M4 9h12v8H4zM6.5 9V6.5a3.5 3.5 0 0 1 7 0V9",
  link: "M8 12l4-4M9 5l1.5-1.5a4 4 0 0 1 6 6L15 11M11 15l-1.5 1.5a4 4 0 0 1-6-6L5 9",
  down: "M5 8l5 5 5-5",
  right: "M8 5l5 5-5 5",
  clock: "M10 2.5a7.5 7.5 0 1 0 .01 0M10 6v4.5l3 2",
  book: "M3 4h5a2 2 0 0 1 2 2v11a2 2 0 0 0-2-2H3zM17 4h-5a2 2 0 0 0-2 2v11a2 2 0 0 1 2-2h5z",
  back: "M8 4L3 9l5 5M3 9h9a5 5 0 0 1 5 5v2",
  question: "M7 7.5a3 3 0 1 1 4.2 2.75c-.8.35-1.2.9-1.2 1.75v.5M10 15.4v.1M10 2.2a7.8 7.8 0 1 0 .01 0",
  quote: "M8 6C5.5 7 4.5 9 4.5 13H8V9.5H6.5M16 6c-2.5 1-3.5 3-3.5 7H16V9.5h-1.5",
  chat: "M3 4h14v10H9l-4 3.5V14H3z",
  rules: "M3 6h8M14 4.5l3 3M17 4.5l-3 3M3 14h8M13.5 14l1.5 1.5 3-3.5",
  offline: "M2 2l16 16M5.5 13.5a6 6 0 0 1 6-2M3 9.5a11 11 0 0 1 4-2.3M10 5.5a11 11 0 0 1 7 4M10 16.5v.1",
  info: "M10 2.2a7.8 7.8 0 1 0 .01 0M10 9v5M10 6v.1",
  refresh: "M16 5v4h-4M4 15v-4h4M5 8a6 6 0 0 1 10.5 0M15 12a6 6 0 0 1-10.5 0",
  plus: "M10 4v12M4 10h12",
  mask: "M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zM3 17L17 3",
};

/** An inline icon; it is decoration, the words beside it carry the meaning. */
function icon(name) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 20 20");
  picture.setAttribute("class", "icon");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICON_PATHS[name] ?? ICON_PATHS.dash);
  picture.append(path);
  return picture;
}

/** A new element with its class, its text and its attributes. */
function element(tag, className, text, attributes) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== null && text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, String(value));
  return made;
}

/** A button that does one thing. */
function button(className, text, act, attributes) {
  const made = element("button", className, text, { type: "button", ...attributes });
  made.onclick = act;
  return made;
}

/** A rounded mark: icon, word and colour say the same. */
function pill({ tone, icon: name, text }) {
  const mark = element("span", `pill ${tone}`);
  mark.append(icon(name), element("span", null, text));
  return mark;
}

// A figure with its sign, range and the word behind it (its unit, mostly) is one thing to a reader: it never breaks over a line.
const AMOUNT = /(?:[<>≤≥]\s?)?\d[\d.,/]*(?:\s?[-–]\s?\d[\d.,/]*)?(?:\s?%|\s?\p{L}{1,8}(?!\p{L}))?(?:\s?\/\s?[\p{L}\d]{1,8})*/gu;

/** Appends `text` to `parent` with every amount kept on one line; returns `parent`. */
function appendText(parent, text) {
  let position = 0;
  for (const match of text.matchAll(AMOUNT)) {
    if (match[0].length < 2) continue;
    parent.append(text.slice(position, match.index), element("span", "together", match[0]));
    position = match.index + match[0].length;
  }
  parent.append(text.slice(position));
  return parent;
}

/** A paragraph or other element that holds `text`. */
function textElement(tag, className, text) {
  return appendText(element(tag, className), text);
}

/** The component's emptied root, in the reader's language; every run draws it anew. */
function emptiedRoot(parentElement, data) {
  const root = parentElement.querySelector(".root");
  root.replaceChildren();
  root.lang = data.language;
  return root;
}

/**
 * Whether the component already shows `data`: only the selection changed, and it is the one that the reader just made.
 * Then nothing is drawn anew, so that focus and pins stay. `selectedNow` tells what is selected in the drawing.
 */
function alreadyShows(parentElement, data, selectedNow) {
  const root = parentElement.querySelector(".root");
  const content = JSON.stringify({ ...data, selected: null });
  if (root.content === content && root.selectedNow?.() === data.selected) return true;
  root.content = content;
  root.selectedNow = selectedNow;
  return false;
}

/** Whether the keyboard is in this component now, so that a redraw can give it back. */
function hasFocus(parentElement) {
  return Boolean(parentElement.activeElement);
}
