// The contrast of every text that can be seen, by WCAG 2: returns those below 4.5.
() => {
  const read = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n.slice(0, 3), 1] : n; };
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (one) => { for (let at = one; at; at = at.parentElement) { const c = read(getComputedStyle(at).backgroundColor); if (c[3] > 0.99) return c; }
    return read(getComputedStyle(document.documentElement).backgroundColor); };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const one = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !one.checkVisibility() || one.closest("svg, option, noscript, .hear")) continue;
    const [a, b] = [light(read(getComputedStyle(one).color).slice(0, 3)), light(behind(one).slice(0, 3))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push([ratio.toFixed(2), one.tagName, one.className, walk.currentNode.data.trim().slice(0, 40)]);
  }
  return low;
}
