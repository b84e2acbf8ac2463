// Pieces of text. The server counts characters, JavaScript units of 16 bits: outside of the first plane they differ.
import type { SpliceMessage } from "./api";

export type Operation = [string, ...unknown[]];

const count = (text: string): number => {
  let n = 0;
  for (const _ of text) n += 1;
  return n;
};

/** First and last place by which two texts differ, never in the middle of a character. */
export function range(old: string, now: string): { head: number; tail: number } {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  if (/[\uD800-\uDBFF]/.test(old[head - 1] ?? "")) head -= 1;
  if (/[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? "")) tail -= 1;
  return { head, tail };
}

/** The edit that makes one text of another. */
export function difference(old: string, now: string): Operation {
  const { head, tail } = range(old, now);
  const start = count(old.slice(0, head));
  const end = start + count(old.slice(head, old.length - tail));
  return ["splice", start, end, now.slice(head, now.length - tail)];
}

/** A text after a piece was replaced. */
export function splice(text: string, change: SpliceMessage): string {
  let at = 0;
  for (let n = 0; n < change.start; n += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, at) + change.put + text.slice(at + change.removed.length);
}

/** What was typed to a text, in that text as others have changed it meanwhile; where both changed the same place, what was typed stands there. */
export function rebased(on: string, now: string, text: string): string {
  if (on === text || now === on) return now === on ? text : now;
  const [mine, theirs] = [range(on, now), range(on, text)];
  const [end, other] = [on.length - mine.tail, on.length - theirs.tail];
  const apart = end <= theirs.head || other <= mine.head;
  const start = apart ? mine.head : Math.min(mine.head, theirs.head);
  const stop = apart ? end : Math.max(end, other);
  const shift = text.length - on.length;
  const put = now.slice(start, stop + now.length - on.length);
  return apart && other > mine.head ? text.slice(0, start) + put + text.slice(stop) // theirs is behind it
    : text.slice(0, apart ? start + shift : start) + put + text.slice(stop + shift);
}
