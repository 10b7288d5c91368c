export default function ({ parentElement, data, setTriggerValue }) {
  const hadFocus = hasFocus(parentElement);
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", "sections", null, { "aria-label": data.words.name });
  data.sections.forEach((section, position) => {
    const current = position === data.selected;
    const row = element("li");
    const open = button("section", null, () => setTriggerValue("open", position), current ? { "aria-current": "true" } : {});
    open.append(element("span", "words", section.title));
    if (section.locked) {
      const locked = element("span", "locked", null, { title: section.locked_words });
      locked.append(icon("lock"), element("span", null, String(section.locked)), element("span", "spoken-only", section.locked_words));
      open.append(locked);
    }
    open.append(element("span", "count", String(section.blocks)));
    row.append(open);
    list.append(row);
  });
  root.append(list);
  if (hadFocus) root.querySelector("[aria-current]")?.focus();
}
