// What two anchors are connected by: kinds from the tables of joints, closures and forces.
import { useEffect, useRef, type ReactElement } from "react";
import { connect, connectable } from "../actions/elements";
import { betweenPlaces } from "../panel/schema";
import { put, useStudio } from "../store/state";

const TITLES = { joints: "Joint", closures: "Closure", forces: "Force" };

export function ConnectMenu(): ReactElement | null {
  const ends = useStudio((s) => s.ends);
  const data = useStudio((s) => s.data);
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => host.current?.querySelector("button")?.focus(), [ends]);
  if (!ends) return null;
  const joints = connectable(data, ends.from, ends.to).joints;
  const groups = (["joints", "closures", "forces"] as const).filter((section) => section !== "joints" || joints);
  const top = Math.max(4, Math.min(ends.y, 40));
  return (
    <div
      ref={host} className="popup" role="menu" aria-label={`Connect ${ends.from} and ${ends.to}`}
      style={{ left: Math.max(4, ends.x - 60), top, maxHeight: `calc(100% - ${top + 8}px)` }}
      onKeyDown={(event) => {
        const buttons = [...(host.current?.querySelectorAll("button") ?? [])];
        const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) buttons[(now + step + buttons.length) % buttons.length]?.focus();
        if (event.key === "Escape") put({ ends: null });
        if (step || event.key === "Escape") event.preventDefault();
        event.stopPropagation();
      }}
    >
      <p>{ends.from} — {ends.to}</p>
      <div className="columns">
        {groups.map((section) => (
          <div key={section} role="group" aria-label={TITLES[section]}>
            <h3>{TITLES[section]}</h3>
            {betweenPlaces(section).map((kind) => (
              <button key={kind} type="button" role="menuitem" onClick={() => void connect(section, kind, ends.from, ends.to)}>
                {kind.replaceAll("_", " ")}
              </button>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
