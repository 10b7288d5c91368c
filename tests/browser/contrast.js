// Every visible text of the page, components included, with the contrast of its colour to what lies behind it (WCAG 2.1, 1.4.3).
() => {
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().endTime < Infinity) animation.finish(); // colours as they settle, not on their way
  }
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((value, at) => value * top[3] + below[at] * (1 - top[3]));
  const light = (colour) => {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = parentOf(at)) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const hidden = (element) => {
    for (let at = element; at; at = parentOf(at)) {
      const style = getComputedStyle(at);
      if (style.visibility === "hidden" || style.display === "none" || Number(style.opacity) < 0.9 || style.clipPath !== "none") return true;
      if (at.disabled || at.getAttribute("aria-disabled") === "true") return true;
    }
    return false;
  };
  const pale = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
      if (!own.length || ["STYLE", "SCRIPT", "NOSCRIPT", "TITLE"].includes(element.tagName)) continue;
      const box = element.getBoundingClientRect();
      if (!box.width || !box.height || hidden(element)) continue;
      const background = behind(element);
      const [first, second] = [light(over(rgba(getComputedStyle(element).color), background)), light(background)].sort((a, b) => b - a);
      const contrast = (first + 0.05) / (second + 0.05);
      if (contrast < 4.5) pale.push({ text: own[0].textContent.trim().slice(0, 40), contrast: Math.round(contrast * 100) / 100 });
    }
  };
  walk(document.body);
  return pale;
}
