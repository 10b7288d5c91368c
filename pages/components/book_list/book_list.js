export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", data.wide ? "list wide" : "list", null, { "aria-label": data.name });
  data.entries.forEach((entry, position) => {
    const row = element("li");
    const open = button("entry", null, () => setTriggerValue("open", position));
    open.append(element("span", "title", entry.title));
    for (const mark of entry.marks) open.append(pill(mark));
    if (entry.words) open.append(textElement("span", "words", entry.words));
    if (entry.about) open.append(textElement("span", "about", entry.about));
    row.append(open);
    list.append(row);
  });
  root.append(list);
}
