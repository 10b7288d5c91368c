export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", "list");
  data.entries.forEach((entry, position) => {
    const row = element("li");
    const open = button("entry", null, () => setTriggerValue("open", position));
    open.append(textElement("span", "words", entry.question), pill(entry.outcome), element("span", "about", entry.about));
    row.append(open);
    list.append(row);
  });
  root.append(list);
}
