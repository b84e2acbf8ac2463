// A body of the diagram with its anchors; the ground; what ends at the ground hangs below.
import { Handle, Position, useUpdateNodeInternals, type NodeProps } from "@xyflow/react";
import { memo, useEffect, useRef, useState, type ReactElement } from "react";
import { rename } from "../actions/elements";
import { put, select, useStudio, type StudioState } from "../store/state";
import { useWay } from "./lifted";
import { percent } from "./overlays";
import type { AnchorMessage as Anchor } from "../protocol/api";
import type { BodyNode as Shown, Stub } from "./graph";

const SIDES = { left: Position.Left, right: Position.Right, bottom: Position.Bottom };

export const BodyNode = memo(function BodyNode({ id, data, selected }: NodeProps<Shown>): ReactElement {
  const renaming = useStudio((s) => s.renaming === id);
  const lit = useStudio((s) => s.lit.includes(id));
  const worst = useStudio((s) => mark(s, id));
  const share = useStudio((s) => (s.overlays.includes("shares") ? s.shares?.[id] : undefined));
  const way = useWay(id);
  const update = useUpdateNodeInternals();
  const places = [...data.anchors.map((anchor) => `${anchor.point} ${anchor.side} ${anchor.share}`), data.wide, data.high].join();
  const before = useRef(places);
  useEffect(() => {
    if (before.current !== places) update(id); // edges end where anchors are now; a new body is measured anyway
    before.current = places;
  }, [update, id, places]);
  const kind = ["body", data.outline, data.ground ? "ground" : "", selected ? "chosen" : "", lit ? "lit" : "", worst].join(" ");
  return (
    <div className={kind} style={{ width: data.wide, height: data.high, ...(way.x || way.y ? { transform: `translate(${way.x}px, ${way.y}px)` } : {}), ...(share === undefined ? {} : { backgroundImage: warm(share) }) }} data-path={id}>
      {share !== undefined && <span className="share">{percent(share)}</span>}
      {renaming ? <NameInput id={id} name={data.name} />
        : <span className="name" onDoubleClick={() => !data.ground && put({ renaming: id })}>{data.name}</span>}
      {data.anchors.map((anchor) => <Dot key={anchor.side + anchor.point} body={data.name} anchor={anchor} />)}
      {data.stubs.map((stub, k) => <Below key={stub.path} stub={stub} data={data} number={k} />)}
    </div>
  );
});

/** The larger the share, the warmer the body. */
function warm(share: number): string {
  const colour = `color-mix(in srgb, var(--lit) ${Math.round(100 * Math.min(0.6, 3 * share))}%, transparent)`;
  return `linear-gradient(${colour}, ${colour})`;
}

export function severity(findings: { severity: string; path: string[] }[], path: string): string {
  const mine = findings.filter((row) => row.path.slice(0, 2).join(".") === path);
  return mine.some((row) => row.severity === "error") ? "error" : mine.some((row) => row.severity === "warning") ? "warning" : "";
}

/** What is wrong with an element, where the diagram shows that. */
export const mark = (s: StudioState, path: string): string => (s.overlays.includes("checks") ? severity(s.check?.findings ?? [], path) : "");

const Dot = memo(function Dot({ body, anchor }: { body: string; anchor: Anchor }): ReactElement {
  const share = `${100 * anchor.share}%`;
  const name = anchor.point ? `${body}.${anchor.point}` : body;
  return (
    <Handle
      id={anchor.point ? `p:${anchor.point}` : anchor.side === "left" ? "in" : "out"} type="source" position={SIDES[anchor.side]}
      className={anchor.point ? (anchor.used ? "anchor" : "anchor free") : "anchor origin"} title={name} data-anchor={name}
      style={anchor.side === "bottom" ? { left: share } : { top: share }}
    />
  );
});

function NameInput({ id, name }: { id: string; name: string }): ReactElement {
  const [text, setText] = useState(name);
  return (
    <input
      className="rename nodrag" aria-label={`new name of ${name}`} value={text} autoFocus spellCheck={false}
      onFocus={(event) => event.target.select()} onChange={(event) => setText(event.target.value)}
      onBlur={() => void rename(id, text.trim())}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") void rename(id, text.trim());
        if (event.key === "Escape") put({ renaming: null });
      }}
    />
  );
}

/** A closure, force or wrench whose other end is the ground. */
function Below({ stub, data, number }: { stub: Stub; data: Shown["data"]; number: number }): ReactElement {
  const anchor = data.anchors.find((one) => one.point === stub.point && one.side === "bottom");
  const left = anchor ? anchor.share * data.wide : 14 + ((22 * number) % Math.max(20, data.wide - 20));
  const chosen = useStudio((s) => s.selection.includes(stub.path));
  const lit = useStudio((s) => s.lit.includes(stub.path));
  return (
    <button
      type="button" className={`stub nodrag ${stub.section} ${chosen ? "chosen" : ""} ${lit ? "lit" : ""}`} data-path={stub.path}
      style={{ left: left - 12, top: data.high }} onClick={(event) => { event.stopPropagation(); select([stub.path]); }}
      aria-label={stub.path.replace(".", " ")} title={stub.path}
    >
      <svg width="24" height="24" aria-hidden="true">
        <path d={stub.arrow ? "M12 23V3m-4 6l4 -6l4 6" : stub.section === "closures" ? "M12 2V18M4 18h16" : "M12 2v3l-5 2l10 3l-10 3l10 3l-5 2v3M5 21h14"} />
      </svg>
      <span style={{ top: 22 + 11 * (number % 3) }}>{stub.label}</span>
    </button>
  );
}
