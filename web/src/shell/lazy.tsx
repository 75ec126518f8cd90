/** A page that is fetched when it is first opened, so that the first load stays small. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { explain } from "../api/problem";
import { Loading } from "../ui/loading";

type Load = () => Promise<{ default: ComponentType }>;

export function lazy(load: Load): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [, arrived] = useState(false);
    const [problem, setProblem] = useState("");
    useEffect(() => {
      load().then(
        (module) => {
          loaded = module.default;
          arrived(true);
        },
        (error: unknown) => setProblem(explain(error)),
      );
    }, []);
    if (loaded !== null) {
      const Page = loaded;
      return <Page />;
    }
    return problem ? <p class="problem">{problem}</p> : <Loading />;
  };
}
