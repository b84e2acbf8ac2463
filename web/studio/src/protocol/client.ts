// Requests to the server; an answer that is a mistake is an error with its sentence.

/** The server said no: the status tells why. */
export class Refusal extends Error {
  constructor(readonly status: number, problem: string) {
    super(problem);
  }
}

/** Nobody answered. */
export class Silence extends Error {}

export async function ask<T>(path: string, body?: unknown, method?: string): Promise<T> {
  const how: RequestInit = body === undefined ? { method: method ?? "GET" } : {
    method: method ?? "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" },
  };
  let answer: Response;
  try {
    answer = await fetch(path, how);
  } catch {
    throw new Silence("the studio does not answer");
  }
  const kind = answer.headers.get("content-type") ?? "";
  const said: unknown = kind.startsWith("application/json") ? await answer.json() : await answer.text();
  if (!answer.ok) {
    const problem = (said as { error?: string }).error ?? answer.statusText;
    throw new Refusal(answer.status, problem);
  }
  return said as T;
}

/** A file of the server, offered to be kept. */
export function download(path: string, name: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = name;
  link.click();
}

/** Text, offered to be kept. */
export function downloadText(text: string, name: string, kind = "text/plain"): void {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  download(address, name);
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
