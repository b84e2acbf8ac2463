// MathML of an equation or of a name, whose names can be clicked.
import { useEffect, useRef, type ReactElement } from "react";

/** A formula; the numbers in its marks are those of names. */
export function Formula({ markup, names, chosen, pick }: {
  markup: string; names: Record<string, string>; chosen: string; pick: (name: string) => void;
}): ReactElement {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const parsed = new DOMParser().parseFromString(markup, "text/html").querySelector("math");
    host.current?.replaceChildren(...(parsed ? [document.importNode(parsed, true)] : []));
    host.current?.querySelectorAll<HTMLElement>("[data-n]").forEach((part) => {
      part.dataset["name"] = names[part.dataset["n"] ?? ""] ?? "";
    });
  }, [markup, names]);
  useEffect(() => {
    host.current?.querySelectorAll<HTMLElement>("[data-n]").forEach((part) => part.classList.toggle("picked", part.dataset["name"] === chosen && chosen !== ""));
  }, [chosen, markup, names]);
  const take = (target: EventTarget): void => {
    const word = (target as Element).closest<HTMLElement>("[data-n]")?.dataset["name"];
    if (word) pick(word);
  };
  return <span ref={host} className="formula" onClick={(event) => take(event.target)} />;
}
