/** The problem of a finding and its cure, with one mark at the end. */
export function sentence({ problem, cure }: { problem: string; cure: string }): string {
  const text = cure ? `${problem}; ${cure}` : problem;
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
