// What shows the page inside another one, such as a cell of a notebook, sets and hears its time.

/** The time shown [s], and whether it goes on. */
export interface Clock {
  t: number;
  playing: boolean;
}

/** Take wishes of the page around; the function returned tells it the clock, where that changed. */
export function meetHost(clock: () => Clock, take: (wish: Partial<Clock>) => void): () => void {
  const host = window.parent;
  if (host === window) return () => {};
  window.addEventListener("message", (event: MessageEvent<{ kinetree?: Partial<Clock> }>) => {
    if (event.source === host && event.data?.kinetree) take(event.data.kinetree);
  });
  let told = "";
  return () => {
    const now = clock();
    const text = JSON.stringify(now);
    if (text === told) return;
    told = text;
    host.postMessage({ kinetree: now }, "*");
  };
}
