/** Data from the server for a component: the value, the error, and a function to reload. */
import { useEffect, useRef, useState } from "preact/hooks";
import { explain } from "../api/problem";

export interface Loaded<Value> {
  /** The latest value; it stays while a newer one is loading. */
  value: Value | null;
  problem: string;
  loading: boolean;
  again: () => void;
}

/** Loads initially, whenever one of `on` changes, and on reload. */
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
