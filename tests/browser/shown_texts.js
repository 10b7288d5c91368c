// Every text that a reader of the page can see or hear and that is not typed by one, components included.
() => {
  const texts = [];
  const note = (text) => text && text.trim() && texts.push(text.trim().normalize("NFC"));
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) note(node.textContent);
      if (node.nodeType !== Node.ELEMENT_NODE || ["SCRIPT", "STYLE", "TEXTAREA"].includes(node.tagName)) continue;
      const style = getComputedStyle(node);
      if (style.display === "none" || style.visibility === "hidden") continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"]) note(node.getAttribute(name));
      if (node.shadowRoot) walk(node.shadowRoot);
      walk(node);
    }
  };
  walk(document.body);
  return texts;
}
