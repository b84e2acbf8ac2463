// A border between panes: dragged, or moved by arrows.
import type { KeyboardEvent, PointerEvent, ReactElement } from "react";

export function Split({ label, vertical, value, least, most, move }: {
  label: string; vertical: boolean; value: number; least: number; most: number; move: (change: number) => void;
}): ReactElement {
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step) return;
    move(step * (event.shiftKey ? 64 : 16));
    event.preventDefault();
    event.stopPropagation();
  };
  const hold = (event: PointerEvent<HTMLDivElement>): void => {
    const host = event.currentTarget;
    host.setPointerCapture(event.pointerId);
    let last = vertical ? event.clientX : event.clientY;
    host.onpointermove = (moved) => {
      const now = vertical ? moved.clientX : moved.clientY;
      move(now - last);
      last = now;
    };
    host.onpointerup = () => {
      host.onpointermove = host.onpointerup = null;
    };
  };
  return (
    <div
      role="separator" className={vertical ? "split tall" : "split flat"} aria-label={label} aria-orientation={vertical ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(value)} aria-valuemin={least} aria-valuemax={most} tabIndex={0} onKeyDown={key} onPointerDown={hold}
    />
  );
}
