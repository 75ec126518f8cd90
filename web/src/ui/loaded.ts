/** Something from the server for one place of the page: what came, what went wrong, and a way to ask again. */
import { useEffect, useRef, useState } from "preact/hooks";
import { explain } from "../api/problem";

export interface Loaded<Value> {
  /** The latest that came; it stays while something newer is on its way. */
  value: Value | null;
  problem: string;
  loading: boolean;
  again: () => void;
}

/** Loads at first, whenever one of `on` has changed, and when asked again. */
export function useLoaded<Value>(load: () => Promise<Value>, on: unknown[] = []): Loaded<Value> {
  const [state, setState] = useState<{ value: Value | null; problem: string }>({ value: null, problem: "" });
  const [loading, setLoading] = useState(true);
  const newest = useRef(0);
  const again = () => {
    const mine = ++newest.current;
    setLoading(true);
    const arrived = (change: { value?: Value; problem: string }) => {
      if (mine === newest.current) {
        setState((old) => ({ ...old, ...change }));
        setLoading(false);
      }
    };
    load().then(
      (value) => arrived({ value, problem: "" }),
      (error: unknown) => arrived({ problem: explain(error) }),
    );
  };
  useEffect(again, on);
  useEffect(() => () => void (newest.current = -1), []);
  return { ...state, loading, again };
}
