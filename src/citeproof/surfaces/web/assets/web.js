// All pages work without this script: forms are posted, and a page of a running job asks again by itself.
// With it, files can be dropped, and progress comes as the server tells it.

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

function showProgress() {
  const bar = document.getElementById("bar");
  const told = document.getElementById("told");
  const events = new EventSource(`${location.pathname}/events`);
  events.addEventListener("progress", (event) => {
    const { state, done, total } = JSON.parse(event.data);
    if (total !== null) {
      bar.max = Math.max(total, 1);
      bar.value = done;
    }
    told.textContent = total === null ? `${state}: reading the documents` : `${state}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  });
  events.addEventListener("end", () => {
    events.close();
    location.reload();
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

for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
for (const link of document.querySelectorAll("[data-with-host]")) link.textContent = link.href;
for (const button of document.querySelectorAll("[data-copy-from], [data-copy-address]")) button.addEventListener("click", () => copyText(button));

const zone = document.getElementById("drop");
if (zone) enableDropping(zone);
if (document.getElementById("progress")) showProgress();
for (const select of document.querySelectorAll(".sorting select")) select.addEventListener("change", () => select.form.requestSubmit());
openTarget();
addEventListener("hashchange", openTarget);
