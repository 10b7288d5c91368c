export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", "list", null, { "aria-label": data.label });
  data.entries.forEach((entry, position) => {
    const row = element("li");
    const open = button("entry", null, () => setTriggerValue("open", position), { "aria-current": String(entry.current) });
    open.append(element("span", "title", entry.title), element("span", "about", entry.about));
    row.append(open);
    list.append(row);
  });
  root.append(list);
}
