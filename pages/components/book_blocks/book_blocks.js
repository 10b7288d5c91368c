function blockCard(block, words, open) {
  const card = element("article", block.locked ? "block locked" : "block");
  const head = element("header");
  head.append(element("span", "name", block.name), textElement("span", "page", block.pages));
  for (const mark of block.marks) head.append(pill(mark));
  if (open) head.append(button("open", words.open, open, { "aria-label": `${words.open}: ${block.name}` }));
  card.append(head);
  for (const line of block.label) card.append(textElement("p", "label", line));
  if (block.locked) {
    const withheld = element("p", "withheld");
    withheld.append(icon("lock"), textElement("span", null, block.locked));
    card.append(withheld);
  } else {
    card.append(textElement("p", "text", block.text));
  }
  return card;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("ul", "blocks", null, { "aria-label": data.words.name });
  data.blocks.forEach((block, position) => {
    const row = element("li");
    row.append(blockCard(block, data.words, data.single ? null : () => setTriggerValue("open", position)));
    list.append(row);
  });
  root.append(list);
}
