const DRAFT_WAIT_MS = 300; // after the last key
const DRAFT_LATEST_MS = 800; // after the first key that is not on its way yet: nothing is older than two seconds
const RETRY_MS = 2500;
const UNANSWERED_MS = 4000; // a page that is answered at all is answered much sooner
const BEAT_MS = 60000;
const SETTLE_MS = 160;
const KEPT_AS = "duocthu-review-unsent";
const MARKS = { right: "check", wrong: "cross", cannot_tell: "question" };
const FIELDS = ["judgement", "error_kind", "severity", "note", "reason"];
const TEXT_FIELDS = "textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])";

ICON_PATHS.cloud = "M6 15.5a3.8 3.8 0 0 1-.4-7.6 4.9 4.9 0 0 1 9.3 1 3.3 3.3 0 0 1-.4 6.6zM7.5 11.5l2 2 3.2-3.6";
ICON_PATHS.scales = "M10 3v14M6 17h8M4 6h12M4 6L2 11h4zM16 6l-2 5h4z";
ICON_PATHS.left = "M12 5l-5 5 5 5";
ICON_PATHS.people = "M7 9.5a2.8 2.8 0 1 0-.01 0M2.5 16.5a4.6 4.6 0 0 1 9 0M13.5 9a2.2 2.2 0 1 0-.01 0M13.8 12a4 4 0 0 1 3.9 4";

const sameFields = (a, b) => FIELDS.every((name) => (a[name] ?? "") === (b[name] ?? ""));

/** The work that was not confirmed yet survives a reload of the window. */
const unsent = {
  read(reviewer) {
    try {
      return JSON.parse(sessionStorage.getItem(`${KEPT_AS}:${reviewer}`) ?? "[]");
    } catch {
      return [];
    }
  },
  write(reviewer, outbox) {
    try {
      sessionStorage.setItem(`${KEPT_AS}:${reviewer}`, JSON.stringify(outbox));
    } catch {
      // A full or forbidden storage: the window itself still holds the work.
    }
  },
};

/** One reviewer's desk: it keeps what is typed, sends it until it is confirmed, and draws again only what has changed. */
class Desk {
  constructor(root) {
    this.root = root;
    this.outbox = [];
    this.forms = {};
    this.position = 0;
    this.sent = 0;
    this.onKey = this.onKey.bind(this);
    document.addEventListener("keydown", this.onKey);
    this.beats = setInterval(() => this.beat(), BEAT_MS);
    this.onHide = () => this.flushDrafts();
    addEventListener("pagehide", this.onHide);
  }

  leave() {
    this.flushDrafts();
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("pagehide", this.onHide);
    clearInterval(this.beats);
    clearTimeout(this.retry);
    clearTimeout(this.typing);
    clearTimeout(this.settling);
    clearTimeout(this.looking);
  }

  update(data, events) {
    const before = this.data;
    this.data = data;
    this.events = events;
    const changed = { ...data, acked: null, save: null, until: null, drafts: null, selected: null };
    const content = JSON.stringify(changed);
    if (before?.reviewer !== data.reviewer) this.outbox = unsent.read(data.reviewer);
    this.acknowledge(data.acked);
    if (content !== this.content) {
      const samePlace = before?.place === data.place;
      this.content = content;
      this.fillForms(samePlace);
      if (!samePlace || data.selected !== before.selected) this.position = data.selected;
      this.draw(samePlace && hasFocus(this.root.getRootNode()));
    } else if (data.selected !== before.selected && data.selected !== this.position && !this.settling) {
      this.position = data.selected;
      this.draw(false);
    }
    this.showUntil();
    this.showSave();
    this.resendLater();
  }

  // --- what is kept and sent

  /** Each form holds the draft, else the reviewer's verdict; what this window has not sent yet comes before both. */
  fillForms(samePlace) {
    const held = samePlace ? this.forms : {};
    this.forms = {};
    for (const claim of this.data.claims) {
      const kept = held[claim.index];
      const unsentHere = this.outbox.findLast((op) => op.op === "draft" && op.item === this.data.item && op.claim === claim.index);
      const fresh = unsentHere && unsentHere.base === claim.revision ? unsentHere.fields : null;
      const still = kept && kept.base === claim.revision ? kept.fields : null;
      const fields = still ?? fresh ?? this.data.drafts[claim.index] ?? claim.verdict ?? {};
      this.forms[claim.index] = { base: claim.revision, fields: { ...fields } };
    }
  }

  get claim() {
    return this.data.claims[this.position];
  }

  get form() {
    return this.forms[this.claim.index];
  }

  put(op) {
    const replaces = (old) => old.op === "draft" && op.op === "draft" && old.item === op.item && old.claim === op.claim;
    this.outbox = this.outbox.filter((old) => !replaces(old));
    this.outbox.push({ id: crypto.randomUUID(), item: this.data.item, purpose: this.data.purpose, ...op });
    unsent.write(this.data.reviewer, this.outbox);
  }

  send() {
    this.sentAt = Date.now();
    this.waitingSince ??= this.sentAt;
    this.resendLater();
    this.events.send({ number: ++this.sent, window: (this.window ??= crypto.randomUUID()), ops: this.outbox });
    this.showSave();
  }

  resendLater() {
    clearTimeout(this.retry);
    if (!this.outbox.length) return;
    const waited = Date.now() - (this.sentAt ?? 0);
    const after = this.data.save.problem ? RETRY_MS : UNANSWERED_MS;
    this.retry = setTimeout(() => this.send(), Math.max(300, after - waited));
  }

  acknowledge(ids) {
    const left = this.outbox.filter((op) => !ids.includes(op.id));
    if (left.length === this.outbox.length) return;
    this.outbox = left;
    this.waitingSince = left.length ? Date.now() : null;
    unsent.write(this.data.reviewer, left);
  }

  keepDraft(now) {
    this.form.dirty = true;
    const queue = () => {
      clearTimeout(this.typing);
      this.typing = null;
      this.firstTyped = null;
      this.flushDrafts();
    };
    clearTimeout(this.typing);
    this.firstTyped ??= Date.now();
    const left = this.firstTyped + DRAFT_LATEST_MS - Date.now();
    if (now) queue();
    else this.typing = setTimeout(queue, Math.max(0, Math.min(DRAFT_WAIT_MS, left)));
    this.showSave();
  }

  flushDrafts() {
    const dirty = Object.entries(this.forms).filter(([, form]) => form.dirty);
    if (!dirty.length) return;
    for (const [index, form] of dirty) {
      form.dirty = false;
      this.put({ op: "draft", claim: Number(index), base: form.base, number: Date.now(), fields: { ...form.fields } });
    }
    this.send();
  }

  beat() {
    if (this.data?.until && document.visibilityState === "visible" && !this.outbox.length) {
      this.put({ op: "beat" });
      this.send();
    }
  }

  // --- what the reviewer does

  choose(field, value) {
    const fields = this.form.fields;
    fields[field] = value;
    if (field === "judgement" && value !== "wrong") {
      delete fields.error_kind;
      delete fields.severity;
    }
    this.keepDraft(true);
  }

  judge(judgement, byKey) {
    if (!this.mayJudge()) return;
    this.choose("judgement", judgement);
    this.draw(false);
    if (byKey && judgement === "wrong") this.root.querySelector("input[name=error_kind]")?.focus();
    else this.root.querySelector(`[data-judgement=${judgement}]`)?.focus({ preventScroll: true });
  }

  mayJudge() {
    return this.data.purpose === "review" || this.claim.disputed;
  }

  move(step) {
    const position = this.position + step;
    if (position < 0 || position >= this.data.claims.length) return;
    this.flushDrafts();
    this.position = position;
    this.draw(true);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settling = null;
      this.events.trigger("claim", position + 1);
    }, SETTLE_MS);
  }

  go(step) {
    if (!(step < 0 ? this.data.previous : this.data.next)) return;
    this.flushDrafts();
    this.events.trigger("go", step);
  }

  /** What still keeps the reviewer from finishing, in words; empty where nothing does. */
  missing() {
    const words = this.data.words;
    if (this.data.purpose === "review" && !this.data.finished) {
      const open = this.data.claims.filter((claim) => !this.forms[claim.index].fields.judgement).length;
      if (open) return words.open_claims[open - 1];
      const half = this.data.claims.findIndex((claim) => this.isHalf(this.forms[claim.index].fields));
      return half < 0 ? "" : words.half_claims[half];
    }
    if (!this.mayJudge()) return words.not_disputed;
    const fields = this.form.fields;
    if (!fields.judgement) return words.choose_first;
    if (this.isHalf(fields)) return words.half_claims[this.position];
    if (this.claim.verdict && sameFields({ ...fields, reason: "" }, { ...(this.claim.verdict ?? {}), reason: "" })) return words.nothing_changed;
    return (fields.reason ?? "").trim() ? "" : words.needs_reason;
  }

  isHalf(fields) {
    return fields.judgement === "wrong" && !(fields.error_kind && fields.severity);
  }

  finish() {
    if (this.missing()) return;
    this.flushDrafts();
    const said = (claim) => ({ claim: claim.index, fields: { ...this.forms[claim.index].fields } });
    if (this.data.purpose === "review" && !this.data.finished) this.put({ op: "finish", claims: this.data.claims.map(said) });
    else this.put({ op: this.data.purpose === "review" ? "change" : "adjudicate", ...said(this.claim) });
    this.send();
    this.showFinish();
  }

  onKey(event) {
    if (!this.root.isConnected) return this.leave();
    const target = event.composedPath()[0];
    const inText = target instanceof Element && target.matches(TEXT_FIELDS);
    const inside = this.root.contains(target);
    let done = true;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (inText && !inside) return;
      this.finish();
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "Escape" && inside) {
      this.root.querySelector(".desk").focus({ preventScroll: true });
    } else if (inText) {
      return;
    } else if ("123".includes(event.key)) {
      this.judge(Object.keys(MARKS)[Number(event.key) - 1], true);
    } else if (event.key === "j" || event.key === "J") {
      this.go(1);
    } else if (event.key === "k" || event.key === "K") {
      this.go(-1);
    } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && this.ownsArrows(target, inside)) {
      this.move(event.key === "ArrowRight" ? 1 : -1);
    } else {
      done = false;
    }
    if (done) event.preventDefault();
  }

  ownsArrows(target, inside) {
    return inside ? !target.matches("input[type=radio]") : target === document.body;
  }

  // --- what is drawn

  draw(keepFocus) {
    const { data, root } = this;
    const typedIn = this.typedIn();
    root.replaceChildren();
    root.lang = data.language;
    const desk = element("section", "desk", null, { tabindex: -1, "aria-label": data.words.desk });
    desk.append(this.drawHead());
    if (data.notice) desk.append(this.drawNotice());
    const grid = element("div", "grid");
    const left = element("div", "left");
    left.append(this.drawQuestion(), this.drawSteps(), this.drawClaim());
    // Once it is revealed, the binding below the desk shows the blocks with every detail marked.
    if (!this.claim.bound || !this.data.finished) left.append(this.drawBlocks());
    const right = element("div", "right");
    right.append(this.drawPanel());
    grid.append(left, right);
    desk.append(grid, this.drawKeys());
    root.append(desk);
    this.showUntil();
    this.showSave();
    this.showFinish();
    if (keepFocus) root.querySelector(".step[aria-selected=true]")?.focus({ preventScroll: true });
    typedIn?.();
  }

  /** Where the reviewer is typing now, as a function that puts the caret back there. */
  typedIn() {
    const area = this.root.getRootNode().activeElement;
    if (!area?.matches("textarea")) return null;
    const { name, selectionStart, selectionEnd } = area;
    const claim = this.typedClaim;
    return () => {
      const again = this.root.querySelector(`textarea[name=${name}]`);
      if (!again || claim !== this.claim.index) return;
      again.focus({ preventScroll: true });
      again.setSelectionRange(selectionStart, selectionEnd);
    };
  }

  drawHead() {
    const { data } = this;
    const head = element("div", "head");
    const marks = element("div", "marks", null, { role: "status", "aria-live": "polite" });
    const where = element("span", "badge");
    where.append(icon("rules"), element("span", null, data.where));
    this.untilMark = element("span", "badge accent");
    this.saveMark = element("span", "badge");
    marks.append(where, this.untilMark, this.saveMark);
    const moves = element("div", "moves");
    moves.append(this.drawMove(-1, data.words.previous, "K", "left"), this.drawMove(1, data.words.next, "J", "right"));
    head.append(marks, moves);
    return head;
  }

  drawMove(step, word, key, sign) {
    const open = button("move", null, () => this.go(step));
    open.disabled = !(step < 0 ? this.data.previous : this.data.next);
    const parts = [icon(sign), element("span", null, word)];
    open.append(...(step < 0 ? parts : parts.reverse()), element("kbd", null, key));
    return open;
  }

  drawNotice() {
    const notice = element("p", `notice ${this.data.notice.tone}`, null, { role: "alert" });
    notice.append(icon("alert"), element("span", null, this.data.notice.text));
    return notice;
  }

  drawQuestion() {
    const part = element("div", "question");
    part.append(element("h3", null, this.data.words.question), textElement("p", "asked", this.data.question));
    if (this.data.about) part.append(element("p", "small quiet", this.data.about));
    return part;
  }

  drawSteps() {
    const steps = element("div", "steps", null, { role: "tablist", "aria-label": this.data.words.steps });
    this.data.claims.forEach((claim, position) => {
      const judgement = this.forms[claim.index].fields.judgement;
      const chosen = position === this.position;
      const spoken = [claim.title, judgement ? this.data.judgements[judgement] : this.data.words.not_judged].join(": ");
      const step = button("step", null, () => this.move(position - this.position), {
        role: "tab",
        "aria-selected": chosen,
        "aria-label": claim.disputed ? `${spoken}, ${this.data.words.disputed}` : spoken,
        tabindex: chosen ? 0 : -1,
      });
      step.append(icon(judgement ? MARKS[judgement] : chosen ? "right" : "dash"), element("span", null, claim.short));
      if (judgement) step.append(element("span", "word", this.data.judgements[judgement]));
      if (claim.disputed) step.append(icon("scales"));
      steps.append(step);
    });
    return steps;
  }

  drawClaim() {
    const part = element("div", "claim-part");
    part.append(element("h3", null, this.claim.place), textElement("p", "claim", this.claim.text));
    return part;
  }

  drawBlocks() {
    const part = element("div", "blocks");
    part.append(element("h3", null, this.data.words.book));
    if (!this.claim.blocks.length) part.append(element("p", "quiet", this.data.words.no_blocks));
    for (const block of this.claim.blocks) {
      const frame = element("article", "block");
      const head = element("div", "block-head");
      head.append(element("b", null, `[${block.index}] ${block.heading}`), element("span", "quiet", block.page));
      frame.append(head);
      if (block.locked) {
        const locked = element("p", "locked");
        locked.append(icon("lock"), element("span", null, block.locked));
        frame.append(locked);
      } else {
        frame.append(textElement("p", "block-text", block.text));
      }
      part.append(frame);
    }
    return part;
  }

  drawPanel() {
    const { data, claim } = this;
    const panel = element("div", "panel");
    panel.append(element("h4", null, claim.ask));
    if (claim.revealed) panel.append(this.drawRevealed());
    if (this.mayJudge()) {
      const parts = [...this.drawForm()];
      this.finishPart = element("div", "finish-part");
      if (claim.verdict) panel.append(this.drawFolded([...parts, this.finishPart]));
      else panel.append(...parts, this.finishPart);
    } else {
      this.finishPart = null;
      panel.append(element("p", "small quiet", data.words.not_disputed));
    }
    if (!claim.revealed) panel.append(element("p", "small quiet", data.words.hidden));
    return panel;
  }

  /** A verdict that is recorded stands there as it is; to change it is one step more. */
  drawFolded(parts) {
    const { fields } = this.form;
    const folded = element("details", "changing");
    folded.open = !sameFields(fields, this.claim.verdict ?? {});
    const inside = element("div", "form");
    inside.append(...parts);
    folded.append(element("summary", null, this.data.words.change_verdict), inside);
    return folded;
  }

  drawRevealed() {
    const { claim, data } = this;
    const part = element("div", "revealed");
    for (const mark of claim.said) part.append(pill(mark));
    for (const sentence of claim.sentences) part.append(element("p", "sentence", sentence));
    if (claim.reasoning) part.append(textElement("p", "small quiet", claim.reasoning));
    const history = element("details", "history");
    history.open = this.data.purpose === "adjudication";
    history.append(element("summary", null, data.words.history));
    const list = element("ol");
    for (const event of claim.events) {
      const entry = element("li");
      const line = element("div", "event");
      line.append(pill(event.said), element("span", "strong", event.who), element("span", "smaller quiet", event.when));
      entry.append(line, element("p", "smaller quiet", event.about));
      if (event.note) entry.append(textElement("p", "small", event.note));
      if (event.reason) entry.append(textElement("p", "small", event.reason));
      list.append(entry);
    }
    history.append(list);
    part.append(history);
    return part;
  }

  drawForm() {
    const { data, form } = this;
    const wrong = form.fields.judgement === "wrong";
    const choices = element("div", "judgements", null, { role: "group", "aria-label": this.claim.ask });
    Object.entries(data.judgements).forEach(([code, word], place) => {
      const choice = button("judgement", null, () => this.judge(code, false), {
        "aria-pressed": form.fields.judgement === code,
        "data-judgement": code,
      });
      choice.append(icon(MARKS[code]), element("span", null, word), element("kbd", null, String(place + 1)));
      choices.append(choice);
    });
    const parts = [choices];
    if (wrong) {
      parts.push(this.drawRadios("error_kind", data.words.error_kind, data.error_kinds, "pills"));
      parts.push(this.drawSeverity());
    }
    parts.push(this.drawText("note", data.words.note));
    if (data.finished || data.purpose === "adjudication") parts.push(this.drawText("reason", data.words.reason));
    return parts;
  }

  drawRadios(field, title, options, look) {
    const group = element("fieldset", look);
    group.append(element("legend", null, title));
    for (const [code, word, about] of options) {
      const label = element("label", null, null, about ? { title: about } : {});
      const input = element("input", null, null, { type: "radio", name: field, value: code });
      input.checked = this.form.fields[field] === code;
      input.onchange = () => {
        this.choose(field, code);
        this.showSteps();
        this.showFinish();
        if (field === "severity") this.showSeverity();
      };
      label.append(input, element("span", null, word));
      group.append(label);
    }
    return group;
  }

  drawSeverity() {
    const { severity } = this.data;
    const part = element("div", "severity");
    part.append(this.drawRadios("severity", severity.title, severity.options.map(([code, , gloss]) => [code, code, gloss]), "letters"));
    this.severityText = element("div", "severity-text", null, { "aria-live": "polite" });
    const whole = element("details");
    whole.append(element("summary", null, severity.whole));
    const list = element("dl", "smaller");
    for (const [code, wording, gloss] of severity.options) {
      const words = element("dd");
      words.append(element("div", null, wording, { lang: "en" }), element("div", "quiet", gloss));
      list.append(element("dt", null, code), words);
    }
    whole.append(list, element("p", "smaller quiet", severity.permission, { lang: "en" }));
    part.append(this.severityText, whole, element("p", "smaller quiet", severity.copyright, { lang: "en" }));
    this.showSeverity();
    return part;
  }

  showSeverity() {
    const chosen = this.data.severity.options.find(([code]) => code === this.form.fields.severity);
    this.severityText.replaceChildren();
    if (!chosen) return;
    this.severityText.append(
      element("p", "small", `${chosen[0]}. ${chosen[1]}`, { lang: "en" }),
      element("p", "small quiet", chosen[2]),
    );
  }

  drawText(field, title) {
    const label = element("label", "text-field");
    label.append(element("span", null, title));
    const area = element("textarea", null, null, { rows: 3, maxlength: this.data.longest, name: field });
    area.value = this.form.fields[field] ?? "";
    area.oninput = () => {
      this.form.fields[field] = area.value;
      this.typedClaim = this.claim.index;
      this.keepDraft(false);
      this.showFinish();
    };
    area.onblur = () => this.flushDrafts();
    label.append(area);
    return label;
  }

  drawKeys() {
    const keys = element("p", "keys");
    this.data.keys.forEach(([key, meaning], position) => {
      if (position) keys.append("  ·  ");
      keys.append(element("kbd", null, key), ` ${meaning}`);
    });
    return keys;
  }

  showSteps() {
    this.root.querySelector(".steps").replaceWith(this.drawSteps());
  }

  showFinish() {
    if (!this.finishPart) return;
    const missing = this.missing();
    const waiting = this.outbox.some((op) => op.item === this.data.item && ["finish", "change", "adjudicate"].includes(op.op));
    const what = this.data.purpose === "adjudication" ? "decide" : this.data.finished ? "change" : "finish";
    const finish = button("finish", null, () => this.finish());
    finish.disabled = Boolean(missing) || waiting;
    finish.append(element("span", null, this.data.words[what]), element("kbd", null, "Ctrl + Enter"));
    const why = element("p", "small", waiting ? this.data.words.finishing : missing, { "aria-live": "polite" });
    this.finishPart.replaceChildren(finish, why);
  }

  showUntil() {
    if (!this.untilMark) return;
    this.untilMark.hidden = !this.data.until;
    this.untilMark.replaceChildren(icon("lock"), element("span", null, this.data.until ?? ""));
  }

  showSave() {
    if (!this.saveMark) return;
    const { save, words } = this.data;
    const waiting = this.outbox.length > 0 || Boolean(this.typing) || Object.values(this.forms).some((form) => form.dirty);
    const failed = waiting && (save.problem || (this.waitingSince && Date.now() - this.waitingSince > UNANSWERED_MS));
    const [tone, sign, text] = failed
      ? ["warning", "alert", words.not_saved]
      : waiting
        ? ["", "running", words.saving]
        : save.at
          ? ["found", "cloud", save.at]
          : ["", "cloud", words.nothing_to_save];
    this.saveMark.className = `badge save ${tone}`;
    this.saveMark.replaceChildren(icon(sign), element("span", null, text));
    clearTimeout(this.looking);
    if (waiting) this.looking = setTimeout(() => this.showSave(), 1000);
  }
}

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  root.desk ??= new Desk(root);
  root.desk.update(data, { send: (message) => setStateValue("outbox", message), trigger: setTriggerValue });
  return () => {
    root.desk?.leave();
    root.desk = null;
  };
}
