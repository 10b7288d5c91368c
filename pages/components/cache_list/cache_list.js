export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", "list");
  data.entries.forEach((entry, position) => {
    const row = element("li");
    const open = button("entry", null, () => setTriggerValue("open", position));
    const about = element("span", "about");
    for (const fact of entry.about) about.append(element("span", null, fact));
    open.append(textElement("span", "words", entry.claim), pill(entry.state), about);
    row.append(open);
    list.append(row);
  });
  root.append(list);
}
