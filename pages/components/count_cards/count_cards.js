export default function ({ parentElement, data, setTriggerValue }) {
  const root = emptiedRoot(parentElement, data);
  const groups = element("div", "groups");
  for (const group of data.groups) {
    const frame = element("section", "group", null, { role: "group", "aria-label": group.name });
    const cards = element("div", "cards");
    for (const card of group.cards) {
      const choose = button(`card fading ${card.tone}`, null, () => setTriggerValue("choice", { group: group.key, value: card.value }), {
        "aria-pressed": String(card.value === group.chosen),
      });
      const name = element("span", "name");
      if (card.icon) name.append(icon(card.icon));
      name.append(element("span", null, card.name));
      choose.append(element("span", "count", card.count), name);
      if (card.about) choose.append(element("span", "about", card.about));
      cards.append(choose);
    }
    frame.append(element("h3", null, group.name), cards);
    groups.append(frame);
  }
  root.append(groups);
}
