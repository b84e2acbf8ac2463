// The diagram: the server arranges, the user moves, connects and names; every drop is one edit.
import {
  applyNodeChanges, Background, BackgroundVariant, ConnectionMode, Controls, getViewportForBounds, ReactFlow, ReactFlowProvider, useReactFlow,
  type Connection, type EdgeChange, type NodeChange, type NodePositionChange,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactElement } from "react";
import { addBody, addPoint, nudge } from "../actions/elements";
import { openMenu } from "../actions/PointerMenu";
import type { Operation } from "../protocol/text";
import { edit } from "../store/document";
import { shown } from "../store/shown";
import { put, select, state, useStudio } from "../store/state";
import { Beside } from "./Beside";
import { BodyNode } from "./BodyNode";
import { ConnectMenu } from "./ConnectMenu";
import { JointLine, TieLine } from "./edges";
import { bodyOf, graph, GRID, pointOf, unitsOf, type AnyEdge, type BodyNode as Shown } from "./graph";
import { lay, lift } from "./lifted";
import { useShares } from "./overlays";
import { Tools } from "./Tools";

const NODES = { body: BodyNode };
const EDGES = { joint: JointLine, tie: TieLine };
// what is given to the drawing stays the same object: with another one all bodies are drawn again, at every step of a drag
const SNAP: [number, number] = [GRID, GRID];
const LEAST = 0.02; // smallest zoom
/** Around all that is drawn; the tools are above it. */
const PADDING = { top: "48px", right: "16px", bottom: "28px", left: "16px" } as const;
const MORE_KEYS = ["Shift", "Control", "Meta"];
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

/** Where all is drawn smaller, anchors are too small to be met: what is taken is the body [zoom]. */
const FAR = 0.25;

/** Names grow where all is drawn small. */
function zoomed(host: HTMLElement | null, zoom: number): void {
  host?.toggleAttribute("data-far", zoom < FAR);
  const told = String(Math.max(0.1, Math.round(20 * zoom) / 20));
  if (host && host.style.getPropertyValue("--zoom") !== told) host.style.setProperty("--zoom", told);
}

export function Diagram(): ReactElement {
  return <ReactFlowProvider><Drawing /></ReactFlowProvider>;
}

function Drawing(): ReactElement {
  const drawing = useStudio((s) => s.drawing);
  const stale = useStudio((s) => s.stale);
  const selection = useStudio((s) => s.selection);
  const tool = useStudio((s) => s.tool);
  const flow = useReactFlow<Shown, AnyEdge>();
  const host = useRef<HTMLElement>(null);
  const made = useMemo(() => (drawing ? graph(drawing) : { nodes: [], edges: [] }), [drawing]);
  const [nodes, setNodes] = useState<Shown[]>([]);
  useEffect(() => {
    setNodes((old) => {
      const known = new Map(old.map((node) => [node.id, node]));
      return made.nodes.map((node) => ({ ...(known.get(node.id)?.measured ? { measured: { width: node.width ?? 0, height: node.height ?? 0 } } : {}), ...node }));
    });
  }, [made]);
  const chosen = useMemo(() => new Set(selection), [selection]);
  const shownNodes = useMemo(() => nodes.map((node) => marked(node, chosen)), [nodes, chosen]);
  const edges = useMemo(() => made.edges.map((edge) => marked(edge, chosen)), [made, chosen]);
  useFit(flow, nodes.length, host);
  useEffect(() => {
    if (drawing && nodes.length) shown("diagram", drawing.revision);
  }, [drawing, nodes.length > 0]);
  useEffect(() => lay, []);
  useShares();
  useSight(flow, host);
  const moved = useCallback((_: unknown, { zoom }: { zoom: number }) => zoomed(host.current, zoom), []);

  const nodesChanged = useCallback((changes: NodeChange<Shown>[]) => {
    takeSelection(changes);
    const rest = changes.filter((one) => (one.type === "position" ? !carried(one, flow) : one.type === "dimensions"));
    if (rest.length) setNodes((old) => applyNodeChanges(rest, old));
  }, [flow]);
  // while a body moves, nobody asks which of a thousand anchors is under the pointer
  const lifted = useCallback(() => host.current?.classList.add("moving"), []);
  const dropped = useCallback((_: unknown, __: Shown, moved: Shown[]) => {
    host.current?.classList.remove("moving");
    const places = new Map((state().drawing?.bodies ?? []).map((body) => [body.name, body]));
    const operations = moved.flatMap((node): Operation[] => {
      const [x, y] = unitsOf(node);
      const old = places.get(node.data.name);
      return old && old.x === x && old.y === y ? [] : [["place", node.data.name, x, y]];
    });
    if (operations.length) void edit(operations, `move ${operations.map((one) => one[1]).join(", ")}`);
  }, []);
  const connected = useCallback((link: Connection) => {
    const end = (id: string, handle: string | null): string => [bodyOf(id), pointOf(handle)].filter(Boolean).join(".");
    const [from, to] = [end(link.source, link.sourceHandle), end(link.target, link.targetHandle)];
    const box = host.current?.getBoundingClientRect();
    if (from.split(".")[0] === to.split(".")[0]) return;
    put({ ends: { from, to, x: pointer.x - (box?.left ?? 0), y: pointer.y - (box?.top ?? 0) } });
  }, []);
  const placeBody = useCallback((event: { clientX: number; clientY: number }): void => {
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    void addBody(Math.round(at.x / GRID) - 4, Math.round(at.y / GRID));
  }, [flow]);
  const onPane = useCallback((event: MouseEvent): void => {
    if (state().tool?.kind === "body") placeBody(event);
    else put({ selection: [], lit: [], ends: null, renaming: null });
  }, [placeBody]);
  const droppedAll = useCallback((event: unknown, moved: Shown[]) => dropped(event, moved[0] as Shown, moved), [dropped]);
  return (
    <section
      ref={host} className={`pane diagram ${stale ? "stale" : ""} ${tool ? "armed" : ""}`} aria-label="Diagram"
      onKeyDown={key} onContextMenu={openMenu} onPointerMove={(event) => { pointer.x = event.clientX; pointer.y = event.clientY; }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => { if (event.dataTransfer.getData("text/plain") === "kinetree-body") { event.preventDefault(); placeBody(event); } }}
    >
      <ReactFlow<Shown, AnyEdge>
        nodes={shownNodes} edges={edges} nodeTypes={NODES} edgeTypes={EDGES} connectionMode={ConnectionMode.Loose}
        onNodesChange={nodesChanged} onEdgesChange={edgesChanged} onNodeDragStart={lifted} onNodeDragStop={dropped} onMove={moved}
        onSelectionDragStart={lifted} onSelectionDragStop={droppedAll} onConnect={connected} onPaneClick={onPane} onNodeClick={nodeClicked}
        onDoubleClick={(event) => { if ((event.target as Element).classList.contains("react-flow__pane")) placeBody(event); }}
        snapToGrid snapGrid={SNAP} deleteKeyCode={null} multiSelectionKeyCode={MORE_KEYS} selectionKeyCode="Shift"
        zoomOnDoubleClick={false} minZoom={LEAST} maxZoom={2.5} disableKeyboardA11y nodesFocusable edgesFocusable elevateEdgesOnSelect
        panActivationKeyCode={null}
      >
        <Background variant={BackgroundVariant.Dots} gap={2 * GRID} size={1} />
        <Controls showInteractive={false} position="bottom-left" onFitView={() => fit(flow, host.current)} />
      </ReactFlow>
      <Tools />
      <Beside />
      <ConnectMenu />
      {stale && <p className="veil" role="note">The text has mistakes: this is the last good drawing.</p>}
    </section>
  );
}

const pointer = { x: 0, y: 0 };

/** A row with whether it is selected; one that is not stays the same object, which is not drawn again. */
function marked<T extends { id: string; selected?: boolean | undefined }>(row: T, chosen: Set<string>): T {
  return chosen.has(row.id) ? { ...row, selected: true } : row;
}

const edgesChanged = (changes: EdgeChange<AnyEdge>[]): void => takeSelection(changes);

function nodeClicked(_: unknown, node: Shown): void {
  if (state().tool?.kind === "point") void addPoint(node.data.name);
}

/** A body on its way: it and its lines alone are drawn again; where it is dropped, it has a new place. */
function carried({ id, position, dragging }: NodePositionChange, flow: ReturnType<typeof useReactFlow<Shown, AnyEdge>>): boolean {
  const from = flow.getInternalNode(id)?.position;
  if (!dragging || !position || !from) {
    lift(id);
    return false;
  }
  lift(id, { x: position.x - from.x, y: position.y - from.y });
  return true;
}

/** What was chosen or given up by clicks and by the box. */
function takeSelection(changes: readonly { type: string }[]): void {
  const picked = changes.filter((one): one is { type: "select"; id: string; selected: boolean } => one.type === "select");
  if (!picked.length) return;
  const now = new Set(state().selection);
  for (const one of picked) {
    if (one.selected) now.add(one.id);
    else now.delete(one.id);
  }
  select([...now]);
}

/** Keys on what has the focus: arrows move, Enter selects. */
function key(event: KeyboardEvent): void {
  if (event.altKey || (event.target as Element).closest("input, select, button:not(.react-flow__node)")) return;
  const focused = (event.target as Element).closest<HTMLElement>(".react-flow__node, .react-flow__edge");
  const id = focused?.dataset["id"] ?? "";
  const step = ARROWS[event.key];
  if ((event.key === "Enter" || event.key === " ") && id) {
    select(event.shiftKey ? [...new Set([...state().selection, id])] : [id]);
    event.preventDefault();
  } else if (step && (id || state().selection.length)) {
    if (id && !state().selection.includes(id)) select([id]);
    const far = event.shiftKey ? 10 : 1;
    void nudge(far * step[0], far * step[1]);
    event.preventDefault();
  }
}

/** Whether a body lies outside of what is seen. */
function hidden(flow: ReturnType<typeof useReactFlow<Shown, AnyEdge>>, host: HTMLElement | null): boolean {
  const { x, y, zoom } = flow.getViewport();
  const [wide, high] = [host?.clientWidth ?? 0, host?.clientHeight ?? 0];
  return flow.getNodes().some(({ position, data }) => {
    const [left, top] = [x + zoom * position.x, y + zoom * position.y];
    return left < 0 || top < 0 || left + zoom * data.wide > wide || top + zoom * data.high > high;
  });
}

/** What is selected elsewhere is brought into the picture. */
function useSight(flow: ReturnType<typeof useReactFlow<Shown, AnyEdge>>, host: React.RefObject<HTMLElement | null>): void {
  const selection = useStudio((s) => s.selection);
  useEffect(() => {
    const { drawing } = state();
    const path = selection.length === 1 ? (selection[0] ?? "") : "";
    const tie = drawing?.ties.find((row) => row.path === path);
    const name = drawing?.joints.find((row) => row.path === path)?.child ?? tie?.bodies.find((body) => body !== "ground") ?? path.split(".")[1];
    const node = flow.getNode(path === "ground" ? path : `bodies.${name ?? ""}`);
    if (!node || !host.current || host.current.contains(document.activeElement)) return;
    const { x, y, zoom } = flow.getViewport();
    const [left, top] = [x + zoom * node.position.x, y + zoom * node.position.y];
    const { clientWidth, clientHeight } = host.current;
    if (left + zoom * node.data.wide > 0 && left < clientWidth && top + zoom * node.data.high > 0 && top < clientHeight) return;
    void flow.setCenter(node.position.x + node.data.wide / 2, node.position.y + node.data.high / 2, { zoom });
  }, [selection, flow, host]);
}

/** Show all that is drawn: bodies, lines and names. */
function fit(flow: ReturnType<typeof useReactFlow<Shown, AnyEdge>>, host: HTMLElement | null): void {
  const { drawing } = state();
  if (!drawing || !host?.clientWidth) return;
  const [left = 0, top = 0, right = 0, low = 0] = drawing.box;
  const bounds = { x: left, y: top, width: right - left, height: low - top };
  void flow.setViewport(getViewportForBounds(bounds, host.clientWidth, host.clientHeight, LEAST, 1.2, PADDING));
}

/** Show all when there is something new to see, and when the pane has another size. */
function useFit(flow: ReturnType<typeof useReactFlow<Shown, AnyEdge>>, count: number, host: React.RefObject<HTMLElement | null>): void {
  const had = useRef(0);
  useEffect(() => {
    if (count > had.current && (had.current === 0 || hidden(flow, host.current))) window.setTimeout(() => fit(flow, host.current), 30);
    had.current = count;
  }, [count, flow, host]);
  useEffect(() => {
    const all = (): void => fit(flow, host.current);
    window.addEventListener("kinetree-fit", all);
    const seen = new ResizeObserver(all);
    if (host.current) seen.observe(host.current);
    return () => {
      window.removeEventListener("kinetree-fit", all);
      seen.disconnect();
    };
  }, [flow, host]);
}
