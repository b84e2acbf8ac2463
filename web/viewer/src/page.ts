// Small helpers for elements of the page.

/** An element with a class and a text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, className = "", text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Strokes of the symbols, in a square from 0 to 20. */
const ICONS = {
  play: "M6 4 L16 10 L6 16 Z",
  pause: "M7 4 V16 M13 4 V16",
  reset: "M5 4 V16 M16 4 L8 10 L16 16 Z",
  fit: "M3 7 V3 H7 M13 3 H17 V7 M17 13 V17 H13 M7 17 H3 V13 M7 10 H13 M10 7 V13",
  front: "M4 4 H16 V16 H4 Z",
  side: "M4 6 L10 3 V14 L4 17 Z M10 3 L16 6 V17 L10 14",
  top: "M3 10 L10 6 L17 10 L10 14 Z",
  grid: "M3 8 H17 M3 13 H17 M8 3 V17 M13 3 V17",
  follow: "M10 2 V6 M10 14 V18 M2 10 H6 M14 10 H18 M10 7 A3 3 0 1 0 10 13 A3 3 0 1 0 10 7",
  theme: "M10 3 A7 7 0 1 0 10 17 A7 7 0 1 0 10 3 M10 3 V17 M10 7 L16 7 M10 11 H17 M10 15 H15",
  save: "M10 3 V13 M6 9 L10 13 L14 9 M4 17 H16",
  curves: "M2 12 C5 2 8 2 10 10 S15 18 18 8",
};
export type Icon = keyof typeof ICONS;

/** Draw a symbol into a button. */
export function draw(target: HTMLElement, icon: Icon): void {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 20 20");
  picture.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[icon]);
  picture.append(path);
  target.replaceChildren(picture);
}

/** A button with a symbol; what it does is its title, for the mouse and for screen readers. */
export function button(icon: Icon, title: string, act: () => void): HTMLButtonElement {
  const made = element("button");
  draw(made, icon);
  made.type = "button";
  made.title = title;
  made.setAttribute("aria-label", title);
  made.addEventListener("click", act);
  return made;
}

/** Wishes behind the # of the address: t=0.5&theme=dark&panel=0&mode=2&play=0&plain=1&from=top. */
export function wishes(): Map<string, string> {
  return new Map(new URLSearchParams(window.location.hash.slice(1)));
}
