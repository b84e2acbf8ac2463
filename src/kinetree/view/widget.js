// The page of a mechanism in a cell: `t` and `playing` of the widget are those of the page.
const OFTEN = 200; // [ms] between two times that are told while it plays

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:0`;
  frame.srcdoc = model.get("page");
  let told = { t: model.get("t"), playing: model.get("playing") };
  let last = 0;
  const hear = (event) => {
    const clock = event.source === frame.contentWindow && event.data && event.data.kinetree;
    if (!clock) return;
    const now = performance.now();
    if (clock.playing && model.get("playing") && now - last < OFTEN) return;
    last = now;
    told = { t: clock.t, playing: clock.playing };
    model.set(told);
    model.save_changes();
  };
  const send = () => {
    const wish = { t: model.get("t"), playing: model.get("playing") };
    if (wish.t === told.t && wish.playing === told.playing) return;
    if (wish.t === told.t) delete wish.t;
    told = { ...told, ...wish };
    frame.contentWindow.postMessage({ kinetree: wish }, "*");
  };
  window.addEventListener("message", hear);
  model.on("change:t", send);
  model.on("change:playing", send);
  el.append(frame);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:t", send);
    model.off("change:playing", send);
  };
}

export default { render };
