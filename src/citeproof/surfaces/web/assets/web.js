// All pages work without this script: forms are posted, and a page of a running job asks again by itself.
// With it, files can be dropped, and progress and results come as the server has them.

function enableDropping(zone) {
  const input = zone.querySelector("input[type=file]");
  const stop = (event) => event.preventDefault();
  for (const name of ["dragover", "drop"]) document.addEventListener(name, stop); // a file missed leaves the page as it is
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
    else document.getElementById("text").value = event.dataTransfer.getData("text/plain");
    input.focus();
  });
}

// The run as it is now. What a person opened or types in stays, and what they read stays where it is.
const STAYS = "article[id], #progress, #sorting";
let asked = 0;

async function showNewResults() {
  const number = ++asked;
  const answer = await fetch(location.href);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
  if (!answer.ok || number !== asked) return;
  const main = document.getElementById("main");
  const focused = document.activeElement;
  const old = [...main.querySelectorAll(STAYS)];
  const read = scrollY > 0 && old.find((part) => part.getBoundingClientRect().bottom > 0);
  const top = read && read.getBoundingClientRect().top;
  for (const part of old) fresh.querySelector(`#${CSS.escape(part.id)}`)?.replaceWith(part);
  main.replaceChildren(...fresh.childNodes);
  showScriptedParts();
  if (focused.isConnected) focused.focus({ preventScroll: true });
  if (read && read.isConnected) scrollBy({ top: read.getBoundingClientRect().top - top, behavior: "instant" });
}

function showProgress() {
  const bar = document.getElementById("bar");
  const told = document.getElementById("told");
  let [shown, free] = [bar.value, 0]; // results, and when the server may be asked for more of them
  const events = new EventSource(`${location.pathname}/events`);
  events.addEventListener("progress", (event) => {
    const { state, done, total } = JSON.parse(event.data);
    if (total !== null) {
      bar.max = Math.max(total, 1);
      bar.value = done;
    }
    told.textContent = total === null ? `${state}: reading the documents` : `${state}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    if (done === shown || Date.now() < free) return;
    const began = Date.now();
    [shown, free] = [done, Infinity];
    const wait = () => (free = Date.now() + Math.max(1000, 4 * (Date.now() - began))); // a long list comes less often
    showNewResults().then(wait, wait);
  });
  events.addEventListener("end", () => {
    events.close();
    const reload = () => document.getElementById("progress") && location.reload();
    showNewResults().then(reload, reload);
  });
  events.addEventListener("error", () => {
    told.textContent = "the server does not answer; trying again";
    if (events.readyState === EventSource.CLOSED) setTimeout(showProgress, 3000); // else the browser does
  });
  addEventListener("pagehide", () => events.close());
}

// An address with a number of a reference opens it.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const fold = target && target.querySelector(":scope > details");
  if (fold) fold.open = true;
}

// What can be copied: an address with its host, or a file of ours.
async function copyText(button) {
  const told = button.parentElement.querySelector("[role=status]");
  const { copyFrom, copyAddress } = button.dataset;
  try {
    const text = copyFrom ? await (await fetch(copyFrom)).text() : location.origin + copyAddress;
    await navigator.clipboard.writeText(text);
    told.textContent = "copied";
  } catch {
    told.textContent = "the browser does not allow it; use the link";
  }
}

function showScriptedParts() {
  for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
  for (const link of document.querySelectorAll("[data-with-host]")) link.textContent = link.href;
}

showScriptedParts();
document.addEventListener("click", ({ target }) => target.matches("[data-copy-from], [data-copy-address]") && copyText(target));
const zone = document.getElementById("drop");
if (zone) enableDropping(zone);
if (document.getElementById("progress")) showProgress();
document.addEventListener("change", ({ target }) => target.matches(".sorting select") && target.form.requestSubmit());
openTarget();
addEventListener("hashchange", openTarget);
