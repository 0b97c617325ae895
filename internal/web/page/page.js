// Copies the command line, announces newly sealed blocks and handles keys. It never changes a figure.

for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = "Copied";
  });
}

// Hashes and addresses get a button that copies them in full.
const whole = /0x[0-9a-fA-F]{40,}/;
for (const place of document.querySelectorAll("main h1, main dd.hex, main .lead, main dd a[href^='account/']")) {
  const text = (place.getAttribute("href") ?? place.textContent).match(whole)?.[0];
  if (!text) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${text}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  place.matches("dd, .lead") ? place.append(" ", button) : place.after(" ", button);
}

// A copy has the minus sign that spreadsheets read.
addEventListener("copy", (event) => {
  const text = String(getSelection());
  if (!text.includes("\u2212") || event.target.closest?.("input, textarea")) return;
  event.clipboardData.setData("text/plain", text.replaceAll("\u2212", "-"));
  event.preventDefault();
});

const paper = document.getElementById("print");
if (paper) {
  paper.hidden = false;
  paper.addEventListener("click", () => print());
}

const news = document.getElementById("news");
let source = null;

function listen() {
  source = new EventSource("events");
  source.addEventListener("sealed", (event) => {
    const last = JSON.parse(event.data).last;
    const more = last === null ? 0 : last - Number(news.dataset.sealed);
    news.hidden = more <= 0;
    if (more > 0) {
      news.firstElementChild.textContent =
        more === 1 ? "1 block has been sealed since this page was loaded." : `${more} blocks have been sealed since this page was loaded.`;
    }
  });
}

// A hidden page keeps no connection open.
function look() {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (source === null) {
    listen();
  }
}

if (news) {
  document.addEventListener("visibilitychange", look);
  look();
}

// The browser's time zone is offered first.
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const list of document.querySelectorAll("#zones")) {
  list.prepend(new Option(here, here));
}

// Menus close with Esc, which gives the focus back, and with a click elsewhere.
const menus = () => document.querySelectorAll(".menu[open]");
addEventListener("click", (event) => menus().forEach((m) => m.contains(event.target) || (m.open = false)));

const keys = document.getElementById("keys");
const off = document.getElementById("nokeys");
if (off) {
  const show = document.getElementById("showkeys");
  show.hidden = false;
  show.addEventListener("click", () => keys.showModal());
  off.parentElement.hidden = false;
  off.checked = localStorage.getItem("keys") === "off";
  off.addEventListener("change", () => localStorage.setItem("keys", off.checked ? "off" : "on"));
}

// Moves the focus to the row below or above: to its link, or to the row itself.
function move(by) {
  const rows = [...document.querySelectorAll("main tbody tr")];
  const at = rows.findIndex((r) => r.contains(document.activeElement));
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
  const target = row?.querySelector("a") ?? row;
  if (target && target === row) row.tabIndex = -1;
  target?.focus();
}

const acts = {
  "/": () => {
    const menu = document.querySelector(".find");
    if (menu?.checkVisibility()) menu.open = true;
    [...document.querySelectorAll("[role=search] input")].find((field) => field.checkVisibility())?.focus();
  },
  "?": () => keys.showModal(),
  p: () => {
    const period = document.getElementById("period");
    if (period) period.open = true;
    period?.querySelector("summary").focus();
  },
  "[": () => document.querySelector("[rel=prev]")?.click(),
  "]": () => document.querySelector("[rel=next]")?.click(),
  j: () => move(1),
  k: () => move(-1),
};

let pending = -1e9; // when g was pressed
addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    menus().forEach((m) => {
      m.open = false;
      m.querySelector("summary").focus();
    });
  }
  const field = event.target.closest?.("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || keys?.open || !off || off.checked || (field && field.type !== "checkbox")) return;
  const page = event.timeStamp - pending < 1500 && document.querySelector(`#keys [data-key="${CSS.escape(event.key)}"]`);
  pending = event.key === "g" ? event.timeStamp : -1e9;
  const act = page ? () => location.assign(page.dataset.to) : Object.hasOwn(acts, event.key) && acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// Entries of the address book are saved when their field is left, in place of the button of their row.
const rowForms = [...document.querySelectorAll("form.row")];
const fieldsOf = (form) => [...form.elements].filter((field) => field.type === "text");
let saving = Promise.resolve();

// Shows the note of an answered page; of a refused one, why it was.
function note(page, ok) {
  const old = document.getElementById("saved");
  let next = ok ? page.getElementById("saved") : null;
  if (!next) {
    next = document.createElement("p");
    next.id = "saved";
    next.className = ok ? "saved" : "saved bad";
    next.setAttribute("role", "alert");
    next.textContent = ok ? "Saved." : "Not saved. " + ((page.querySelector(".refused") ?? page.querySelector(".warnings li, .lead"))?.textContent ?? "");
  }
  next = document.importNode(next, true);
  old ? old.replaceWith(next) : document.querySelector(".entries").before(next);
  return next;
}

async function save(form, more) {
  const fields = fieldsOf(form);
  const typed = fields.map((field) => field.value);
  if (typed.every((text, i) => text === fields[i].defaultValue) || (form.elements.payer && !form.elements.label.value.trim())) return false;
  const body = new URLSearchParams(new FormData(form));
  if (more) body.set("more", "1");
  const answer = await fetch(form.action, { method: "POST", body, keepalive: true }).catch(() => null);
  if (!answer) {
    note(new DOMParser().parseFromString('<p class="lead">The server did not answer.</p>', "text/html"), false);
    return false;
  }
  if (answer.status === 401) return form.submit(); // to log in, and back to what was typed
  const shown = note(new DOMParser().parseFromString(await answer.text(), "text/html"), answer.ok);
  if (!answer.ok) return false;
  fields.forEach((field, i) => (field.defaultValue = typed[i]));
  if (shown.dataset.shown) form.elements.shown.value = shown.dataset.shown;
  return true;
}

// Saves rows one after the other. Those of a paste are undone together.
function saveRows(forms) {
  saving = saving.catch(() => {}).then(async () => {
    let more = false;
    for (const form of forms) more = (await save(form, more)) || more;
  });
}

for (const form of rowForms) {
  for (const button of form.elements) button.hidden ||= button.type === "submit";
  for (const field of fieldsOf(form)) {
    field.addEventListener("change", () => saveRows([form]));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      saveRows([form]);
    });
    field.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text").replace(/\r/g, "").replace(/\n$/, "");
      if (!/[\t\n]/.test(text)) return;
      event.preventDefault();
      const first = rowForms.indexOf(form);
      const from = fieldsOf(form).indexOf(field);
      const pasted = text.split("\n").slice(0, rowForms.length - first);
      pasted.forEach((line, i) => {
        const fields = fieldsOf(rowForms[first + i]);
        line.split("\t").forEach((part, k) => fields[from + k] && (fields[from + k].value = part.trim()));
      });
      saveRows(rowForms.slice(first, first + pasted.length));
    });
  }
}
