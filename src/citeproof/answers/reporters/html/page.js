// The page can be read without this script: the filters are CSS, and what is folded is inside <noscript>.
// With it, folded references become elements only when they are opened, and those of class "later" when they come
// near the window, so that a page of thousands opens at once.
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
const search = document.getElementById("search");
const found = document.getElementById("found");

function readText(html) {
  return html.replace(/<[^>]*>/g, " ").replace(/&[^;]+;/g, (name) => ENTITIES[name] ?? name).toLowerCase();
}

class FoldedGroup {
  constructor(element) {
    this.element = element;
    this.kind = element.classList[1];
    this.source = element.querySelector("noscript");
    this.articles = null;
    this.later = element.className === "later";
    if (this.later) element.style.minHeight = "30rem";
    element.addEventListener("toggle", () => element.open && this.unfold());
  }

  listTexts() {
    this.texts ??= this.source.textContent.split("</article>").slice(0, -1).map(readText);
    return this.texts;
  }

  unfold() {
    if (this.articles === null) {
      this.listTexts();
      const made = document.createElement("div");
      made.innerHTML = this.source.textContent;
      this.articles = [...made.children];
      this.source.replaceWith(made);
      this.element.style.minHeight = "";
      this.showHits();
    }
  }

  applySearch(isWanted) {
    this.hits = this.listTexts().map(isWanted);
    this.count = this.hits.filter(Boolean).length;
    this.element.hidden = this.count === 0;
    this.showHits();
    return this.count;
  }

  showHits() {
    if (this.articles && this.hits) this.articles.forEach((article, at) => (article.hidden = !this.hits[at]));
  }
}

class PaperSection {
  constructor(element) {
    this.element = element;
    this.name = (element.querySelector("h2")?.firstChild.data ?? "").toLowerCase();
    this.groups = [...element.querySelectorAll("details.rest, .later")].map((group) => new FoldedGroup(group));
    this.articles = [...element.querySelectorAll(":scope > article")];
  }

  applySearch(words) {
    const left = words.filter((word) => !this.name.includes(word));
    const isWanted = (text) => left.every((word) => text.includes(word));
    this.texts ??= this.articles.map((article) => article.textContent.toLowerCase());
    const hits = this.texts.map(isWanted);
    this.articles.forEach((article, at) => (article.hidden = !hits[at]));
    let count = hits.filter(Boolean).length;
    for (const group of this.groups) count += group.applySearch(isWanted);
    this.element.hidden = count === 0;
    return count;
  }
}

const papers = [...document.querySelectorAll("section.paper")].map((element) => new PaperSection(element));
const groups = new Map(papers.flatMap((paper) => paper.groups).map((group) => [group.element, group]));
let searching = false;
let kind = "all";

// What a search or a filter is about is opened when it comes near the window.
const nearby = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen)
      if (isIntersecting && groups.get(target).later) groups.get(target).unfold();
      else if (isIntersecting && (searching || groups.get(target).kind === kind)) target.open = true;
  },
  { rootMargin: "600px" },
);

function watchGroups() {
  nearby.disconnect();
  const all = searching || ["open", "noted", "exact"].includes(kind);
  for (const [element, group] of groups) if (all || group.later) nearby.observe(element);
}

function applySearch() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = papers.reduce((sum, paper) => sum + paper.applySearch(words), 0);
  searching = words.length > 0;
  found.textContent = searching ? `${shown.toLocaleString("en")} found` : "";
  watchGroups();
}

watchGroups();
addEventListener("beforeprint", () => groups.forEach((group) => group.later && group.unfold()));
search.parentElement.hidden = false;
let waiting = 0;
search.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(applySearch, 60);
});
for (const filter of document.querySelectorAll("input[name=show]"))
  filter.addEventListener("change", () => {
    kind = filter.id.replace("show-", "");
    watchGroups();
  });

// The texts of folded references are read while nothing else is to be done, so that the first search is quick.
const unread = [...groups.values()];
function readAhead(deadline) {
  while (unread.length && deadline.timeRemaining() > 5) unread.pop().listTexts();
  if (unread.length) requestIdleCallback(readAhead);
}
requestIdleCallback(readAhead);
