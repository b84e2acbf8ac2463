// A run as a film: the canvas is recorded while the run is played once from its start.
import { downloadBlob } from "../protocol/client";
import { state, tell, useStudio, wind } from "../store/state";

const RATE = 30; // pictures a second
const KINDS = ["video/mp4", "video/webm"];

/** Play the run that is shown and offer what was seen as a file. */
export function film(canvas: HTMLCanvasElement): void {
  const { run } = state().clock;
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((one) => MediaRecorder.isTypeSupported(one));
  if (run === null || !kind) {
    tell(run === null ? "No run is shown: choose one, then record it." : "This browser cannot record; kinetree view writes films of runs.", true);
    return;
  }
  const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => {
    downloadBlob(new Blob(parts, { type: kind }), `run${run}.${kind.split("/")[1]}`);
    tell("");
  };
  const end = useStudio.subscribe(({ clock }) => {
    if (clock.run === run && clock.playing) return;
    end();
    recorder.stop();
  });
  tell("the run is being recorded: it ends with the run, or by pause");
  wind({ t: 0, playing: true });
  recorder.start();
}
