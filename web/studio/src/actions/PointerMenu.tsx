// The menu at the pointer: commands for what is selected, or for an empty place; the same rows as everywhere.
import { useLayoutEffect, useRef, type MouseEvent, type ReactElement } from "react";
import { put, select, state, useStudio } from "../store/state";
import { spelled } from "./keys";
import { command } from "./table";

const WIDE = 330; // of the menu [px]
/** Commands of a place: for what is selected there, and for none of it. */
const WANTED = {
  drawing: {
    chosen: ["rename", "cut", "copy", "paste", "duplicate", "mirror", "switch", "up", "down", "delete", "add-point", "connect", "hide", "isolate", "fade", "show-equations", "go-properties"],
    empty: ["add-body", "add", "paste", "select-all", "undo", "redo", "unhide", "fit"],
  },
  solid: {
    chosen: ["hide", "isolate", "fade", "unhide", "move-point", "rename", "copy", "duplicate", "mirror", "switch", "delete", "add-point", "connect", "show-equations", "go-properties"],
    empty: ["look-home", "look-front", "look-right", "look-top", "orthographic", "follow", "pull", "unhide", "layer-axes", "layer-points", "layer-names", "layer-masses", "select-all", "picture"],
  },
};

/** Open the menu for the element under the pointer, which is selected by that; in fields the browser has its own. */
export function openMenu(event: MouseEvent): void {
  const target = event.target as Element;
  if (target.closest("input, textarea, select, [contenteditable]")) return;
  const found = target.closest<HTMLElement>("[data-path], .react-flow__node, .react-flow__edge");
  const path = found?.dataset["path"] ?? found?.dataset["id"] ?? "";
  event.preventDefault();
  const box = found?.getBoundingClientRect();
  const keyed = event.clientX === 0 && event.clientY === 0; // by a key, at what has the focus
  menuAt(path, keyed ? (box?.left ?? 0) : event.clientX, keyed ? (box?.bottom ?? 0) : event.clientY, "drawing");
}

/** Open the menu at a place of the screen; the element that is there is selected. */
export function menuAt(path: string, x: number, y: number, of: keyof typeof WANTED): void {
  if (path && !state().selection.includes(path)) select(path === "ground" || path.includes(".") ? [path] : []);
  else if (!path) select([]);
  put({ menu: { x, y, of } });
}

export function PointerMenu(): ReactElement | null {
  const menu = useStudio((s) => s.menu);
  return menu && <Rows {...menu} />;
}

function Rows({ x, y, of }: { x: number; y: number; of: keyof typeof WANTED }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const wanted = WANTED[of][state().selection.length ? "chosen" : "empty"];
  const rows = wanted.map(command).filter((row) => row.enabled?.() ?? true);
  const close = (): void => put({ menu: null });
  useLayoutEffect(() => {
    const [menu, before] = [host.current, document.activeElement as HTMLElement | null];
    menu?.querySelector("button")?.focus();
    const outside = (event: PointerEvent): void => void (menu?.contains(event.target as Node) || close());
    window.addEventListener("pointerdown", outside, true);
    return () => {
      window.removeEventListener("pointerdown", outside, true);
      if (menu?.contains(document.activeElement)) before?.focus(); // as long as the menu is there
    };
  }, []);
  useLayoutEffect(() => {
    const box = host.current?.getBoundingClientRect();
    if (host.current && box) host.current.style.top = `${Math.max(4, Math.min(y, window.innerHeight - box.height - 4))}px`;
  }, [y]);
  return (
    <div
      ref={host} className="popup at-pointer" role="menu" aria-label="Commands"
      style={{ left: Math.max(4, Math.min(x, window.innerWidth - WIDE)), top: y, width: WIDE }}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        const buttons = [...(host.current?.querySelectorAll("button") ?? [])];
        const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
        const to = { ArrowDown: now + 1, ArrowUp: now - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
        if (to !== undefined) buttons[to % buttons.length]?.focus();
        if (event.key === "Escape" || event.key === "Tab") close();
        if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
        event.stopPropagation();
      }}
    >
      {rows.map((row) => (
        <button key={row.name} type="button" role="menuitem" onClick={() => { close(); void row.perform(); }}>
          <span>{row.label}</span>{row.key && <kbd>{spelled(row.key)}</kbd>}
        </button>
      ))}
    </div>
  );
}
