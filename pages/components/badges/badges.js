export default function ({ parentElement, data }) {
  const root = emptiedRoot(parentElement, data);
  const list = element("div", "badges");
  for (const badge of data.badges) {
    const mark = element("span", `badge ${badge.tone}`, null, badge.about ? { title: badge.about } : {});
    mark.append(icon(badge.icon), element("span", null, badge.text));
    list.append(mark);
  }
  root.append(list);
}
