/** Follows a background job of the server. */
import { getJob } from "../api/data";
import type { Job } from "../api/types";

const FIRST_WAIT = 100;
const MAX_WAIT = 1000;

/** Reports each state of a job until it ends, or until the signal is aborted. */
export async function followed(job: Job, tell: (job: Job) => void, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  tell(job);
  while (job.state === "running" && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 1.5, MAX_WAIT);
    job = await getJob(job.id);
    if (!signal.aborted) {
      tell(job);
    }
  }
}
