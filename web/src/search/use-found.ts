import { useEffect, useState } from "preact/hooks";
import { search } from "../api/memory";
import { explain, isAbort } from "../api/problem";
import type { Found, Kind } from "../api/types";

const TYPING = 120;
const LIMIT = 30;

/** Returns the hits of a query, shortly after its last change. */
export function useFound(query: string, kinds: Kind[]) {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [searching, setSearching] = useState(false);
  useEffect(() => {
    const typed = query.trim();
    if (typed === "") {
      setFound(null);
      setProblem(null);
      return;
    }
    const controller = new AbortController();
    const look = async () => {
      try {
        setFound(await search({ query: typed, kinds, limit: LIMIT }, controller.signal));
        setProblem(null);
        setSearching(false);
      } catch (error) {
        if (!isAbort(error)) {
          setProblem(explain(error));
          setSearching(false);
        }
      }
    };
    setSearching(true);
    const timer = setTimeout(() => void look(), TYPING);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, kinds.join()]);
  return { found, problem, searching };
}
