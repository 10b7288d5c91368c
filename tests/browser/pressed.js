// Whether the last press of the mouse missed: what lay under it at press and at release was not the same, so no click was sent to it.
(() => {
  const CONTROL = "button, a, summary, label, input, [role=button], [role=link], [role=option], [role=radio], [role=tab]";
  let pressed = null;
  window.addEventListener(
    "mousedown",
    (event) => {
      const under = event.composedPath()[0];
      pressed = under.closest(CONTROL) ?? under;
      window.pressMissed = true;
    },
    true,
  );
  window.addEventListener(
    "click",
    (event) => {
      if (pressed?.contains(event.composedPath()[0])) window.pressMissed = false;
    },
    true,
  );
})();
